// SPDX-License-Identifier: GPL-3.0-or-later
// The table behind the layers: nothing joined, nothing left out.
#include "views/document/text.h"
#include "views/layers/layer_rows.h"
#include "views/layers/names.h"
#include "views/theme/theme_controller.h"

#include <algorithm>

namespace alidade::views {
namespace {

struct Units {
    ScaledUnit flops, bytes, time;
};

Units unitsOf(const StepLayers& step) {
    double flops = 0;
    double bytes = 0;
    double time = 0;
    for (const Layer& layer : step.layers) {
        for (const Operation& op : layer.ops) {
            flops = std::max(flops, op.flops);
            bytes = std::max(bytes, op.bytes);
            time = std::max(time, op.seconds);
        }
        for (const Communication& c : layer.communication) {
            bytes = std::max(bytes, c.bytes);
            time = std::max(time, c.seconds);
        }
    }
    return {chooseUnit(Dimension::flop, flops), chooseUnit(Dimension::bytes, bytes),
            chooseUnit(Dimension::seconds, time)};
}

Cell absent() { return {.text = QStringLiteral("–"), .value = {}, .bound = {}}; }

Cell number(double si, Dimension dimension, const ScaledUnit& unit) {
    const Formatted shown = formatParts(si, dimension, {.fixed = unit});
    return {.text = text(shown.number), .value = si / unit.factor, .bound = {}};
}

Cell plain(const QString& words) { return {.text = words, .value = {}, .bound = {}}; }

Cell tagged(Bound bound) { return {.text = theme().classStyle(bound).name, .value = {}, .bound = bound}; }

QList<Cell> cellsOf(const Layer& layer, const Operation& op, const Units& units) {
    const bool arithmetic = op.flops > 0;
    return {plain(layerTitle(layer)),
            plain(text(op.name)),
            plain(phaseText(op.phase)),
            tagged(op.bound),
            arithmetic ? number(op.flops, Dimension::flop, units.flops) : absent(),
            number(op.bytes, Dimension::bytes, units.bytes),
            arithmetic ? number(op.intensity, Dimension::flopPerByte, {1, "FLOP/byte"}) : absent(),
            number(op.efficiency, Dimension::ratio, {0.01, "%"}),
            number(op.seconds, Dimension::seconds, units.time),
            number(op.seconds, Dimension::seconds, units.time)};
}

QList<Cell> cellsOf(const Layer& layer, const Communication& c, const Units& units) {
    return {plain(layerTitle(layer)),
            plain(LayersText::tr("%1, %2").arg(collectiveText(c.op), groupText(c.group))),
            plain(phaseText(c.phase)),
            tagged(c.fabric),
            absent(),
            number(c.bytes, Dimension::bytes, units.bytes),
            absent(),
            absent(),
            number(c.seconds, Dimension::seconds, units.time),
            number(c.exposed, Dimension::seconds, units.time)};
}

} // namespace

PhaseTable phaseTable(const StepLayers& step) {
    const Units units = unitsOf(step);
    PhaseTable table;
    table.columns = {
        {LayersText::tr("Layer"), false, {}},
        {LayersText::tr("Operation"), false, {}},
        {LayersText::tr("Phase"), false, {}},
        {LayersText::tr("Limit"), false, LayersText::tr("What limits the time")},
        {text(units.flops.label), true,
         LayersText::tr("Arithmetic per GPU, layer and %1").arg(workUnit(step))},
        {text(units.bytes.label), true, LayersText::tr("HBM traffic; for a collective its buffer")},
        {LayersText::tr("FLOP/B"), true, LayersText::tr("Arithmetic per byte of HBM traffic")},
        {LayersText::tr("% of roof"), true, LayersText::tr("Share of the peak, or of the HBM bandwidth")},
        {text(units.time.label), true, LayersText::tr("Time per GPU, layer and %1").arg(workUnit(step))},
        {LayersText::tr("%1 exposed").arg(text(units.time.label)), true, LayersText::tr("The exposed part")}};
    const auto add = [&](const Selection& selection, const QList<Cell>& cells) {
        // The same collective may occur several times in a layer.
        const QString key = QStringLiteral("%1/%2/%3/%4/%5")
                                .arg(selection.layer, selection.operation, selection.group, selection.phase)
                                .arg(table.rows.size());
        table.rows.append({key, cells});
        table.selections.append(selection);
    };
    for (const Layer& layer : step.layers) {
        const QString kind = text(layer.kind);
        for (const Operation& op : layer.ops)
            add({.layer = kind, .operation = text(op.name), .phase = text(phaseName(op.phase))},
                cellsOf(layer, op, units));
        for (const Communication& c : layer.communication)
            add({.layer = kind,
                 .operation = text(c.op),
                 .phase = text(phaseName(c.phase)),
                 .group = text(c.group)},
                cellsOf(layer, c, units));
    }
    return table;
}

} // namespace alidade::views
