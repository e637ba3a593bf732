// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/layer_rows.h"

#include "views/document/text.h"
#include "views/layers/names.h"
#include "views/theme/theme_controller.h"

#include <QHash>
#include <QLocale>
#include <QMap>

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade::views {
namespace {

constexpr double countsAsNothing = 1e-6; // of a layer's time
constexpr qsizetype mostClasses = 4;     // that a card has room for
constexpr FormatOptions twoDigits{.significant = 2};

QString seconds(double value) { return quantity(value, Dimension::seconds); }
QString share(double part, double whole) {
    return quantity(whole > 0 ? part / whole : 0, Dimension::ratio, twoDigits);
}

QString keyOf(const Selection& s) {
    return QStringList{s.layer, s.operation, s.group}.join(QLatin1Char('/'));
}

/// Order of the parts of an operation's bar.
void sortByPass(QList<TimePart>& parts) {
    std::ranges::sort(parts, {},
                      [](const TimePart& part) { return std::pair(part.pass, stackPosition(part.bound)); });
}

/// Adds a part to a bar, joining what has the same class and pass.
void addPart(QList<TimePart>& parts, const TimePart& part) {
    const auto same = std::ranges::find_if(
        parts, [&](const TimePart& other) { return other.bound == part.bound && other.pass == part.pass; });
    if (same != parts.end())
        same->seconds += part.seconds;
    else if (part.seconds > 0)
        parts.append(part);
}

/// "3.57 TFLOP, 923 MB, 5.12 ms"; without arithmetic "1.07 GB, 0.39 ms"
QString work(double flops, double bytes, double time) {
    QStringList words;
    if (flops > 0)
        words.append(quantity(flops, Dimension::flop));
    words << quantity(bytes, Dimension::bytes) << seconds(time);
    return words.join(QStringLiteral(", "));
}

/// Sums over the entries of one operation: name and phases.
struct Sums {
    double flops = 0, bytes = 0, seconds = 0;
};

LayerRow operationRow(const Layer& layer, const std::string& name) {
    LayerRow row;
    row.selection = {.layer = text(layer.kind), .operation = text(name)};
    row.key = keyOf(row.selection);
    row.name = text(name);
    QMap<Pass, Sums> passes;
    double roofSeconds = 0;
    double launch = 0, longest = -1;
    QString first; // name of the forward pass, which in serving is the only one
    for (const Operation& op : layer.ops) {
        if (op.name != name)
            continue;
        const Pass pass = passOf(op.phase);
        Sums& sums = passes[pass];
        if (pass == Pass::forward)
            first = phaseText(op.phase);
        sums.flops += op.flops;
        sums.bytes += op.bytes;
        sums.seconds += op.seconds;
        row.seconds += op.seconds;
        roofSeconds += pass == Pass::forward ? op.efficiency * op.seconds : 0;
        // As a step counts it: the launch is latency, whatever bounds the operation.
        if (op.launch > 0)
            addPart(row.parts, {Bound::latency, pass, op.launch});
        addPart(row.parts, {op.launch > 0 ? op.work : op.bound, pass, op.seconds - op.launch});
        if (op.seconds > longest) {
            longest = op.seconds;
            row.bound = op.bound;
        }
        launch += op.launch;
    }
    sortByPass(row.parts);
    row.card = {.title = row.name, .tag = row.bound, .rows = {}};
    if (const auto forward = passes.constFind(Pass::forward); forward != passes.constEnd()) {
        row.bytes = forward->bytes;
        row.roof = forward->seconds > 0 ? roofSeconds / forward->seconds : 0;
        if (forward->flops > 0 && forward->bytes > 0) {
            row.flops = forward->flops;
            row.intensity = forward->flops / forward->bytes;
        }
    }
    for (const auto& [pass, label] : {std::pair{Pass::forward, first},
                                      {Pass::recompute, LayersText::tr("Recomputed")},
                                      {Pass::backward, LayersText::tr("Backward")}})
        if (passes.contains(pass))
            row.card.rows.append({label, work(passes[pass].flops, passes[pass].bytes, passes[pass].seconds)});
    QStringList roof;
    if (row.intensity)
        roof.append(quantity(*row.intensity, Dimension::flopPerByte));
    if (row.roof)
        roof.append(LayersText::tr("%1 of the roof").arg(quantity(*row.roof, Dimension::ratio, twoDigits)));
    row.card.rows.append({row.intensity ? LayersText::tr("Intensity") : LayersText::tr("Achieved"),
                          roof.join(QStringLiteral(", "))});
    if (launch > 0)
        row.card.rows.append({LayersText::tr("Launch and ramp"),
                              LayersText::tr("%1, counted as latency").arg(seconds(launch))});
    row.card.rows.append({LayersText::tr("Share of the layer"), share(row.seconds, layer.seconds)});
    return row;
}

LayerRow collectiveRow(const Layer& layer, const Communication& kind) {
    LayerRow row;
    row.selection = {
        .layer = text(layer.kind), .operation = text(kind.op), .phase = {}, .group = text(kind.group)};
    row.key = keyOf(row.selection);
    row.bound = kind.fabric;
    QMap<Pass, int> times;
    double all = 0;
    double forwardBytes = 0;
    for (const Communication& c : layer.communication) {
        if (c.op != kind.op || c.group != kind.group)
            continue;
        const Pass pass = passOf(c.phase);
        ++times[pass == Pass::forward ? Pass::forward : Pass::backward];
        forwardBytes += pass == Pass::forward ? c.bytes : 0;
        all += c.seconds;
        row.seconds += c.exposed;
        addPart(row.parts, {c.fabric, pass, c.exposed});
    }
    sortByPass(row.parts);
    if (forwardBytes > 0)
        row.bytes = forwardBytes;
    const bool onePass = kind.phase == Phase::decode || kind.phase == Phase::prefill;
    const QString count =
        onePass ? QString::number(times[Pass::forward])
                : LayersText::tr("%1 + %2").arg(times[Pass::forward]).arg(times[Pass::backward]);
    row.name = LayersText::tr("%1, %2").arg(collectiveText(kind.op), count);
    row.card = {.title = collectiveText(kind.op),
                .tag = kind.fabric,
                .rows = {{LayersText::tr("Group"), groupText(kind.group)},
                         {onePass ? LayersText::tr("Times") : LayersText::tr("Forward + backward"), count},
                         {LayersText::tr("Buffer, each"), quantity(kind.bytes, Dimension::bytes)},
                         {LayersText::tr("Time"), seconds(all)},
                         {LayersText::tr("Exposed"),
                          LayersText::tr("%1, %2").arg(seconds(row.seconds), share(row.seconds, all))}}};
    return row;
}

/// What the layer takes beyond its operations: the host launches more slowly than the GPU works.
LayerRow hostRow(const Layer& layer, double time) {
    LayerRow row;
    row.selection = {.layer = text(layer.kind), .operation = QStringLiteral("host")};
    row.key = keyOf(row.selection);
    row.name = LayersText::tr("Waiting for the host");
    row.bound = Bound::latency;
    row.seconds = time;
    row.parts = {{Bound::latency, Pass::forward, time}};
    row.card = {
        .title = row.name,
        .tag = row.bound,
        .rows = {{LayersText::tr("Time"), seconds(time)},
                 {LayersText::tr("Share of the layer"), share(time, layer.seconds)},
                 {LayersText::tr("Reason"), LayersText::tr("launching takes longer than computing")}}};
    return row;
}

LayerGroup groupOf(const Layer& layer, const StepLayers& step, std::optional<int> stage) {
    LayerGroup group;
    LayerRow& head = group.head;
    const auto add = [&](LayerRow row) {
        for (const TimePart& part : std::as_const(row.parts))
            addPart(head.parts, {part.bound, Pass::forward, part.seconds});
        group.rows.append(std::move(row));
    };
    QStringList done;
    for (const Operation& op : layer.ops)
        if (const QString name = text(op.name); !done.contains(name)) {
            done.append(name);
            add(operationRow(layer, op.name));
        }
    for (const Communication& c : layer.communication)
        if (const QString name = text(c.op + '/' + c.group); !done.contains(name)) {
            done.append(name);
            add(collectiveRow(layer, c));
        }
    double parts = 0;
    for (const LayerRow& row : std::as_const(group.rows))
        parts += row.seconds;
    if (layer.seconds - parts > countsAsNothing * layer.seconds)
        add(hostRow(layer, layer.seconds - parts));

    head.selection.layer = text(layer.kind);
    head.key = keyOf(head.selection);
    head.name = layerTitle(layer);
    head.count = layerCount(layer, step, stage);
    head.bound = layer.bound;
    head.seconds = layer.seconds;
    double flops = 0;
    double bytes = 0;
    for (const Operation& op : layer.ops) {
        const bool first = passOf(op.phase) == Pass::forward;
        flops += first ? op.flops : 0;
        bytes += first ? op.bytes : 0;
    }
    if (flops > 0)
        head.flops = flops;
    if (bytes > 0)
        head.bytes = bytes;
    std::ranges::sort(head.parts, {}, [](const TimePart& part) { return stackPosition(part.bound); });
    head.card = {
        .title = head.name, .tag = head.bound, .rows = {{LayersText::tr("All"), seconds(head.seconds)}}};
    QList<TimePart> largest = head.parts;
    std::ranges::sort(largest, std::greater(), &TimePart::seconds);
    for (const TimePart& part : std::as_const(largest).first(std::min(mostClasses, largest.size())))
        head.card.rows.append(
            {theme().classStyle(part.bound).name,
             LayersText::tr("%1, %2").arg(seconds(part.seconds), share(part.seconds, head.seconds))});
    return group;
}

/// What a serving step takes besides its layers, so that the table adds up to the bar of the step; no row
/// where that is nothing.
std::optional<LayerGroup> besideLayers(const StepLayers& step, const QList<LayerGroup>& groups) {
    QMap<Bound, double> rest;
    double whole = 0;
    for (const ShareT<double>& part : step.breakdown) {
        rest[part.bound] += part.seconds;
        whole += part.seconds;
    }
    for (qsizetype i = 0; i < groups.size(); ++i)
        for (const TimePart& part : groups[i].head.parts)
            rest[part.bound] -= step.layers[static_cast<std::size_t>(i)].count * part.seconds;
    LayerGroup group;
    LayerRow& head = group.head;
    for (const auto& [bound, time] : rest.asKeyValueRange())
        if (time > countsAsNothing * whole) {
            head.parts.append({bound, Pass::forward, time});
            head.seconds += time;
        }
    if (head.parts.isEmpty())
        return std::nullopt;
    std::ranges::sort(head.parts, {}, [](const TimePart& part) { return stackPosition(part.bound); });
    head.bound = std::ranges::max(head.parts, {}, &TimePart::seconds).bound;
    head.selection.layer = QStringLiteral("step");
    head.key = keyOf(head.selection);
    head.name = LayersText::tr("Fixed cost of a step");
    head.noBar = LayersText::tr("once per step");
    head.card = {.title = head.name,
                 .tag = head.bound,
                 .rows = {{LayersText::tr("Time"), seconds(head.seconds)},
                          {LayersText::tr("Share of the step"), share(head.seconds, whole)},
                          {LayersText::tr("Reason"), LayersText::tr("the engine's work between steps")}}};
    return group;
}

/// The shares of a serving step add up to all of it.
void tellShares(LayerTable& table, const StepLayers& step) {
    double whole = 0;
    for (const ShareT<double>& part : step.breakdown)
        whole += part.seconds;
    if (!(whole > 0))
        return;
    for (qsizetype i = 0; i < table.groups.size(); ++i) {
        LayerRow& head = table.groups[i].head;
        const bool layer = i < static_cast<qsizetype>(step.layers.size());
        const int count = layer ? step.layers[static_cast<std::size_t>(i)].count : 1;
        head.ofStep = share(count * head.seconds, whole);
        if (!layer)
            continue;
        if (head.card.rows.size() > mostClasses)
            head.card.rows.removeLast(); // the least of its classes
        head.card.rows.insert(
            1, {LayersText::tr("All %1").arg(count),
                LayersText::tr("%1, %2 of the step").arg(seconds(count * head.seconds), head.ofStep)});
        head.card.rows.first().first = LayersText::tr("One layer");
    }
}

/// One unit for a column. The operations of serving are far apart in size: that of the middle one leaves the
/// small ones their digits.
ColumnUnit columnUnit(Dimension dimension, std::vector<double> values, bool serving) {
    std::erase_if(values, [](double value) { return !(value > 0); });
    if (values.empty())
        return {chooseUnit(dimension, 0), {}};
    std::ranges::sort(values);
    constexpr double mostDigits = 1e5;
    const double middle = values[values.size() / 2], largest = values.back();
    ScaledUnit unit = chooseUnit(dimension, middle);
    if (!serving || largest / unit.factor >= mostDigits)
        unit = chooseUnit(dimension, largest);
    if (!serving)
        return {unit, {}};
    return {unit, std::clamp(2 - static_cast<int>(std::floor(std::log10(middle / unit.factor))), 0, 2)};
}

} // namespace

Pass passOf(Phase phase) {
    switch (phase) {
    case Phase::recompute:
        return Pass::recompute;
    case Phase::backwardInput:
    case Phase::backwardWeight:
        return Pass::backward;
    default:
        return Pass::forward;
    }
}

QString layerCount(const Layer& layer, const StepLayers& step, std::optional<int> stage) {
    const QString times = QStringLiteral("× %1").arg(layer.count);
    if (layer.stage)
        return LayersText::tr("%1, stage %2").arg(times).arg(*layer.stage);
    // Of a stage only the number of all its decoder layers is known.
    const auto kinds = std::ranges::count_if(step.layers, [](const Layer& each) { return !each.stage; });
    for (const Stage& s : step.stages)
        if (kinds == 1 && stage == s.stage && step.stages.size() > 1)
            return LayersText::tr("%1, %2 on stage %3").arg(times).arg(s.layers).arg(s.stage);
    return times;
}

LayerTable layerTable(const StepLayers& step, std::optional<int> stage) {
    LayerTable table;
    table.per = workUnit(step);
    table.serving = step.serving.has_value();
    std::vector<double> flops, bytes;
    const auto measure = [&](const LayerRow& row) {
        flops.push_back(row.flops.value_or(0));
        bytes.push_back(row.bytes.value_or(0));
        table.longest = std::max(table.longest, row.seconds);
    };
    double most = -1;
    for (const Layer& layer : step.layers) {
        if (layer.count * layer.seconds > most) {
            most = layer.count * layer.seconds;
            table.heaviest = static_cast<int>(table.groups.size());
        }
        table.groups.append(groupOf(layer, step, stage));
        measure(table.groups.constLast().head);
        for (const LayerRow& row : table.groups.constLast().rows)
            measure(row);
    }
    table.time = chooseUnit(Dimension::seconds, table.longest);
    // On no scale with the layers: it is of the whole step, they are one of many.
    if (auto beside = besideLayers(step, table.groups))
        table.groups.append(*std::move(beside));
    if (table.serving)
        tellShares(table, step);
    table.flops = columnUnit(Dimension::flop, std::move(flops), table.serving);
    table.bytes = columnUnit(Dimension::bytes, std::move(bytes), table.serving);
    return table;
}

void setBefore(LayerTable& table, const LayerTable& baseline, double logSd) {
    QHash<QString, double> seconds;
    for (const LayerGroup& group : baseline.groups) {
        seconds.insert(group.head.key, group.head.seconds);
        for (const LayerRow& row : group.rows)
            seconds.insert(row.key, row.seconds);
    }
    const auto tell = [&seconds](LayerRow& row) {
        if (const auto found = seconds.constFind(row.key); found != seconds.constEnd())
            row.before = *found;
    };
    for (LayerGroup& group : table.groups) {
        tell(group.head);
        std::ranges::for_each(group.rows, tell);
    }
    table.differenceLogSd = logSd;
}

QString layersInWords(const LayerTable& table) {
    QStringList words;
    for (const LayerGroup& group : table.groups) {
        QStringList classes;
        for (const TimePart& part : group.head.parts)
            classes.append(LayersText::tr("%1 %2").arg(theme().classStyle(part.bound).name,
                                                       share(part.seconds, group.head.seconds)));
        words.append(
            LayersText::tr("%1 takes %2: %3.")
                .arg(group.head.name, seconds(group.head.seconds), classes.join(QStringLiteral(", "))));
    }
    return words.join(QLatin1Char(' '));
}

} // namespace alidade::views
