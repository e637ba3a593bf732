// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/layer_tables.h"

#include "data/report/printing.h"
#include "data/report/sections.h"

#include <algorithm>
#include <array>
#include <utility>

namespace alidade::data {
namespace {

/// Seconds of a layer by class.
std::array<double, allBounds.size()> secondsByBound(const Layer& layer) {
    std::array<double, allBounds.size()> seconds{};
    for (const Operation& op : layer.ops)
        seconds.at(static_cast<std::size_t>(op.bound)) += op.seconds;
    for (const Communication& c : layer.communication)
        seconds.at(static_cast<std::size_t>(c.fabric)) += c.exposed;
    return seconds;
}

} // namespace

Table layerSummaryTable(std::span<const Layer> layers, std::string id, std::string note) {
    Table table{.id = std::move(id),
                .columns = {textColumn("Layer"), quantityColumn("How many", Dimension::number),
                            textColumn("Stage"), quantityColumn("Time of one", Dimension::seconds),
                            textColumn("Bottleneck"), quantityColumn("Its share", Dimension::ratio)},
                .note = std::move(note)};
    for (const Layer& layer : layers) {
        const double share = secondsByBound(layer).at(static_cast<std::size_t>(layer.bound));
        table.rows.push_back(
            {textCell(layerTitle(layer)), valueCell(layer.count, Dimension::number),
             textCell(layer.stage ? std::to_string(*layer.stage) : "all"),
             valueCell(layer.seconds, Dimension::seconds), boundCell(layer.bound),
             layer.seconds > 0 ? valueCell(share / layer.seconds, Dimension::ratio) : noCell()});
    }
    unifyUnits(table);
    return table;
}

namespace {

Table operationTable(const Layer& layer, const std::string& prefix) {
    Table table{.id = prefix + layer.kind + ".operations",
                .title = layerTitle(layer) + ": operations",
                .columns = {textColumn("Operation"), textColumn("Phase"),
                            quantityColumn("Work", Dimension::flop),
                            quantityColumn("HBM traffic", Dimension::bytes),
                            quantityColumn("Time", Dimension::seconds), textColumn("Bound by"),
                            quantityColumn("Intensity", Dimension::flopPerByte),
                            quantityColumn("Of its roof", Dimension::ratio)}};
    for (const Operation& op : layer.ops)
        table.rows.push_back({textCell(spokenName(op.name)), textCell(spokenPhase(op.phase), Emphasis::quiet),
                              op.flops > 0 ? valueCell(op.flops, Dimension::flop) : noCell(),
                              valueCell(op.bytes, Dimension::bytes),
                              valueCell(op.seconds, Dimension::seconds), boundCell(op.bound),
                              op.intensity > 0 ? valueCell(op.intensity, Dimension::flopPerByte) : noCell(),
                              valueCell(op.efficiency, Dimension::ratio)});
    unifyUnits(table);
    return table;
}

Table communicationTable(const Layer& layer, const std::string& prefix) {
    Table table{.id = prefix + layer.kind + ".communication",
                .title = layerTitle(layer) + ": communication",
                .columns = {textColumn("Collective"), textColumn("Phase"), textColumn("Group"),
                            textColumn("Fabric"), quantityColumn("Buffer", Dimension::bytes),
                            quantityColumn("Sent", Dimension::bytes),
                            quantityColumn("Time", Dimension::seconds),
                            quantityColumn("Not covered", Dimension::seconds)}};
    for (const Communication& c : layer.communication) {
        std::string group = c.group;
        std::ranges::transform(group, group.begin(), [](char ch) {
            return ch >= 'a' && ch <= 'z' ? static_cast<char>(ch - 'a' + 'A') : ch;
        });
        table.rows.push_back({textCell(spokenName(c.op)), textCell(spokenPhase(c.phase), Emphasis::quiet),
                              textCell(std::move(group)), boundCell(c.fabric),
                              valueCell(c.bytes, Dimension::bytes), valueCell(c.wireBytes, Dimension::bytes),
                              valueCell(c.seconds, Dimension::seconds),
                              valueCell(c.exposed, Dimension::seconds)});
    }
    unifyUnits(table);
    return table;
}

} // namespace

Table breakdownTable(const std::vector<ShareT<double>>& parts, double step, std::string id,
                     std::string title) {
    Table table{.id = std::move(id),
                .title = std::move(title),
                .columns = {textColumn("Part"), textColumn("Bound by"),
                            quantityColumn("Time", Dimension::seconds),
                            quantityColumn("Share", Dimension::ratio)}};
    for (const auto& part : parts)
        table.rows.push_back({textCell(spokenName(part.name)), boundCell(part.bound),
                              valueCell(part.seconds, Dimension::seconds),
                              valueCell(part.seconds / step, Dimension::ratio)});
    table.rows.push_back({textCell("Step", Emphasis::strong), textCell(""),
                          valueCell(step, Dimension::seconds, Emphasis::strong), textCell("")});
    table.totalRow = true;
    unifyUnits(table);
    return table;
}

void addLayerTables(ReportSection& section, std::span<const Layer> layers, const std::string& prefix) {
    for (const Layer& layer : layers) {
        if (!layer.ops.empty())
            section.tables.push_back(operationTable(layer, prefix));
        if (!layer.communication.empty())
            section.tables.push_back(communicationTable(layer, prefix));
    }
}

} // namespace alidade::data
