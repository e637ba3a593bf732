// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/communication_data.h"

#include "views/document/text.h"
#include "views/layers/names.h"
#include "views/theme/theme_controller.h"

#include <algorithm>
#include <array>
#include <map>

namespace alidade::views {
namespace {

/// In the order of their ranks in a cluster, as far as they are known.
constexpr std::array groupOrder{"tp", "etp", "cp", "ep", "dp", "pp"};

constexpr FormatOptions shareDigits{.significant = 2};

QString timeText(double seconds) { return quantity(seconds, Dimension::seconds); }
QString partText(double part, double whole) {
    return quantity(whole > 0 ? part / whole : 0, Dimension::ratio, shareDigits);
}

bool isForward(Phase phase) { return passOf(phase) == Pass::forward; }

std::size_t placeOf(const std::string& group) {
    return static_cast<std::size_t>(std::ranges::find(groupOrder, group) - groupOrder.begin());
}

std::vector<std::string> groupsOf(const Layer& layer) {
    std::vector<std::string> groups;
    for (const Communication& c : layer.communication)
        if (std::ranges::find(groups, c.group) == groups.end())
            groups.push_back(c.group);
    std::ranges::stable_sort(groups, {}, placeOf);
    return groups;
}

CardContent operationCard(const Layer& layer, const Operation& op) {
    CardContent card{.title = text(op.name), .tag = op.bound, .rows = {}};
    card.rows.append({phaseText(op.phase), timeText(op.seconds)});
    if (op.flops > 0)
        card.rows.append({LayersText::tr("Arithmetic"), quantity(op.flops, Dimension::flop)});
    card.rows.append({LayersText::tr("HBM traffic"), quantity(op.bytes, Dimension::bytes)});
    card.rows.append({LayersText::tr("Share of the layer"), partText(op.seconds, layer.seconds)});
    return card;
}

CardContent collectiveCard(const Communication& c) {
    return {.title = LayersText::tr("%1, %2").arg(collectiveText(c.op), groupText(c.group)),
            .tag = c.fabric,
            .rows = {{LayersText::tr("Phase"), phaseText(c.phase)},
                     {LayersText::tr("Buffer"), quantity(c.bytes, Dimension::bytes)},
                     {LayersText::tr("Sent per GPU"),
                      LayersText::tr("%1 over %2")
                          .arg(quantity(c.wireBytes, Dimension::bytes), theme().classStyle(c.fabric).name)},
                     {LayersText::tr("Time"), timeText(c.seconds)},
                     {LayersText::tr("Compute waits"),
                      LayersText::tr("%1, %2").arg(timeText(c.exposed), partText(c.exposed, c.seconds))}}};
}

Selection selectionOf(const Layer& layer, const Communication& c) {
    return {.layer = text(layer.kind),
            .operation = text(c.op),
            .phase = text(phaseName(c.phase)),
            .group = text(c.group)};
}

/// Operations one after the other from `start`; returns where they end.
double layOperations(const Layer& layer, bool forward, double start, LayerLane& lane) {
    double at = start;
    const auto lay = [&](Pass pass) {
        for (const Operation& op : layer.ops) {
            if (passOf(op.phase) != pass || op.seconds <= 0)
                continue;
            lane.segments.append({at, at + op.seconds, op.bound, pass, false,
                                  Selection{.layer = text(layer.kind),
                                            .operation = text(op.name),
                                            .phase = text(phaseName(op.phase))},
                                  operationCard(layer, op)});
            at += op.seconds;
        }
    };
    if (forward) {
        lay(Pass::forward);
    } else {
        lay(Pass::recompute);
        lay(Pass::backward);
    }
    return at;
}

/// Hidden communication of a group's collectives ends where compute does; what it does not cover follows.
/// Returns where the exposed part ends.
double layCollectives(const Layer& layer, bool forward, const std::string& group, double start,
                      double computeEnd, double exposedStart, LayerLane& lane) {
    double hidden = 0;
    for (const Communication& c : layer.communication)
        if (c.group == group && isForward(c.phase) == forward)
            hidden += std::max(c.seconds - c.exposed, 0.0);
    const double room = computeEnd - start;
    const double scale = hidden > room && hidden > 0 ? room / hidden : 1; // hidden under another pass too
    double under = computeEnd - hidden * scale;
    double after = exposedStart;
    for (const Communication& c : layer.communication) {
        if (c.group != group || isForward(c.phase) != forward)
            continue;
        const LaneSegment segment{
            0, 0, c.fabric, passOf(c.phase), false, selectionOf(layer, c), collectiveCard(c)};
        const double covered = std::max(c.seconds - c.exposed, 0.0) * scale;
        if (covered > 0) {
            lane.segments.append(segment);
            lane.segments.last().from = under;
            lane.segments.last().to = under += covered;
            lane.segments.last().hidden = true;
        }
        if (c.exposed > 0) {
            lane.segments.append(segment);
            lane.segments.last().from = after;
            lane.segments.last().to = after += c.exposed;
        }
    }
    return after;
}

void addHost(const Layer& layer, double at, LayerLane& lane) {
    const double rest = layer.seconds - at;
    if (rest <= 1e-6 * layer.seconds)
        return;
    const QString name = LayersText::tr("Waiting for the host");
    lane.segments.append({at, layer.seconds, Bound::latency, Pass::backward, false,
                          Selection{.layer = text(layer.kind), .operation = QStringLiteral("host")},
                          CardContent{.title = name,
                                      .tag = Bound::latency,
                                      .rows = {{LayersText::tr("Time"), timeText(rest)}}}});
}

LayerLanes lanesOf(const Layer& layer, const StepLayers& step, std::optional<int> stage) {
    LayerLanes out;
    out.kind = text(layer.kind);
    out.title = layerTitle(layer);
    out.count = layerCount(layer, step, stage);
    out.seconds = layer.seconds;
    out.total = layer.count * layer.seconds;
    const std::vector<std::string> groups = groupsOf(layer);
    out.lanes.append(LayerLane());
    for (const std::string& group : groups)
        out.lanes.append(LayerLane{groupText(group), text(group), {}});
    double start = 0;
    for (const bool forward : {true, false}) {
        const double computeEnd = layOperations(layer, forward, start, out.lanes[0]);
        double end = computeEnd;
        for (std::size_t i = 0; i < groups.size(); ++i)
            end = layCollectives(layer, forward, groups[i], start, computeEnd, end,
                                 out.lanes[static_cast<qsizetype>(i) + 1]);
        start = end;
        if (forward)
            out.forward = step.serving ? 0 : end;
    }
    addHost(layer, start, out.lanes[0]);
    out.seconds = std::max(out.seconds, start);
    for (const Communication& c : layer.communication) {
        out.communication += c.seconds;
        out.exposed += c.exposed;
    }
    return out;
}

Cell wordCell(const QString& words) { return {.text = words, .value = {}, .bound = {}}; }

Cell numberCell(double si, Dimension dimension, const ScaledUnit& unit) {
    return {.text = text(formatParts(si, dimension, {.fixed = unit}).number),
            .value = si / unit.factor,
            .bound = {}};
}

} // namespace

int CommunicationData::lanes() const {
    int count = 0;
    for (const LayerLanes& layer : layers)
        count += static_cast<int>(layer.lanes.size());
    return count;
}

CommunicationData communicationData(const StepLayers& step, std::optional<int> stage) {
    CommunicationData data;
    data.per = workUnit(step);
    for (const Layer& layer : step.layers) {
        data.layers.append(lanesOf(layer, step, stage));
        data.longest = std::max(data.longest, data.layers.last().seconds);
    }
    return data;
}

const LayerLanes* CommunicationData::heaviest() const {
    const auto found = std::ranges::max_element(layers, {}, &LayerLanes::total);
    return found == layers.end() ? nullptr : &*found;
}

QString communicationInWords(const LayerLanes& layer) {
    if (layer.communication <= 0)
        return LayersText::tr("%1, and no communication.").arg(timeText(layer.seconds));
    if (layer.exposed <= 0)
        return LayersText::tr("%1; compute hides all of %2 of communication.")
            .arg(timeText(layer.seconds), timeText(layer.communication));
    QString worst;
    double most = 0;
    for (const LayerLane& lane : layer.lanes) {
        double exposed = 0;
        for (const LaneSegment& segment : lane.segments)
            exposed += !lane.group.isEmpty() && !segment.hidden ? segment.to - segment.from : 0;
        if (exposed > most) {
            most = exposed;
            worst = lane.label;
        }
    }
    const QString which = most >= layer.exposed * (1 - 1e-6) ? LayersText::tr("all of it %1").arg(worst)
                                                             : LayersText::tr("most of it %1").arg(worst);
    const double hidden = layer.communication - layer.exposed;
    const QString covered = hidden <= 1e-6 * layer.communication
                                ? LayersText::tr("Compute hides none.")
                                : LayersText::tr("Compute hides %1 of all communication.")
                                      .arg(partText(hidden, layer.communication));
    return LayersText::tr("%1 of %2 is waiting for communication, %3. %4")
        .arg(timeText(layer.exposed), timeText(layer.seconds), which, covered);
}

QString communicationInWords(const CommunicationData& data) {
    const LayerLanes* layer = data.heaviest();
    return layer ? LayersText::tr("%1: %2").arg(layer->title, communicationInWords(*layer)) : QString();
}

CommunicationTable communicationTable(const StepLayers& step) {
    double bytes = 0;
    double time = 0;
    for (const Layer& layer : step.layers)
        for (const Communication& c : layer.communication) {
            bytes = std::max({bytes, c.bytes, c.wireBytes});
            time = std::max(time, c.seconds);
        }
    const ScaledUnit byteUnit = chooseUnit(Dimension::bytes, bytes);
    const ScaledUnit timeUnit = chooseUnit(Dimension::seconds, time);
    const QString unit = text(timeUnit.label);
    CommunicationTable table;
    table.columns = {
        {LayersText::tr("Layer"), false, {}},
        {LayersText::tr("Group"), false, {}},
        {LayersText::tr("Collective"), false, {}},
        {LayersText::tr("Phase"), false, {}},
        {LayersText::tr("Fabric"), false, {}},
        {LayersText::tr("Buffer, %1").arg(text(byteUnit.label)), true, {}},
        {LayersText::tr("Sent, %1").arg(text(byteUnit.label)), true,
         LayersText::tr("By one GPU, per layer and %1").arg(workUnit(step))},
        {unit, true, LayersText::tr("Time per layer and %1").arg(workUnit(step))},
        {LayersText::tr("%1 hidden").arg(unit), true, LayersText::tr("Hidden communication")},
        {LayersText::tr("%1 waited for").arg(unit), true, LayersText::tr("Exposed communication")}};
    for (const Layer& layer : step.layers)
        for (const Communication& c : layer.communication) {
            table.selections.append(selectionOf(layer, c));
            table.rows.append(
                {QStringLiteral("%1/%2/%3").arg(text(layer.kind), text(c.op)).arg(table.rows.size()),
                 {wordCell(layerTitle(layer)), wordCell(groupText(c.group)), wordCell(collectiveText(c.op)),
                  wordCell(phaseText(c.phase)),
                  Cell{.text = theme().classStyle(c.fabric).name, .value = {}, .bound = c.fabric},
                  numberCell(c.bytes, Dimension::bytes, byteUnit),
                  numberCell(c.wireBytes, Dimension::bytes, byteUnit),
                  numberCell(c.seconds, Dimension::seconds, timeUnit),
                  numberCell(std::max(c.seconds - c.exposed, 0.0), Dimension::seconds, timeUnit),
                  numberCell(c.exposed, Dimension::seconds, timeUnit)}});
        }
    return table;
}

} // namespace alidade::views
