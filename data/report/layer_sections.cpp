// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>

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

Table summaryTable(const std::vector<Layer>& layers) {
    Table table{
        .id = "layers",
        .columns = {textColumn("Layer"), quantityColumn("How many", Dimension::number), textColumn("Stage"),
                    quantityColumn("Time of one", Dimension::seconds), textColumn("Bottleneck"),
                    quantityColumn("Its share", Dimension::ratio)},
        .note = "Times are of one microbatch on one GPU, forward and backward, with the communication that "
                "nothing covers."};
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

Table operationTable(const Layer& layer) {
    Table table{.id = "layers." + layer.kind + ".operations",
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

Table communicationTable(const Layer& layer) {
    Table table{.id = "layers." + layer.kind + ".communication",
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

std::optional<ReportSection> layerSection(const Estimate& e) {
    if (!e.training || e.training->layers.empty())
        return std::nullopt;
    ReportSection section{.id = "layers", .title = "What limits each layer"};
    section.plots.push_back(layerPlot(*e.training));
    section.tables.push_back(summaryTable(e.training->layers));
    Table breakdown{.id = "breakdown",
                    .title = "Parts of a step",
                    .columns = {textColumn("Part"), textColumn("Bound by"),
                                quantityColumn("Time", Dimension::seconds),
                                quantityColumn("Share", Dimension::ratio)}};
    for (const auto& part : e.training->breakdown)
        breakdown.rows.push_back({textCell(spokenName(part.name)), boundCell(part.bound),
                                  valueCell(part.seconds, Dimension::seconds),
                                  valueCell(part.seconds / e.training->stepTime, Dimension::ratio)});
    breakdown.rows.push_back({textCell("Step", Emphasis::strong), textCell(""),
                              valueCell(e.training->stepTime, Dimension::seconds, Emphasis::strong),
                              textCell("")});
    breakdown.totalRow = true;
    unifyUnits(breakdown);
    section.tables.push_back(std::move(breakdown));
    for (const Layer& layer : e.training->layers) {
        if (!layer.ops.empty())
            section.tables.push_back(operationTable(layer));
        if (!layer.communication.empty())
            section.tables.push_back(communicationTable(layer));
    }
    return section;
}

std::optional<ReportSection> expertSection(const Estimate& e) {
    if (!e.training || !e.training->expertLoad)
        return std::nullopt;
    const ExpertLoad& load = *e.training->expertLoad;
    ReportSection section{.id = "experts", .title = "Load of the experts"};
    const auto count = [](double n) { return formatQuantity(n, Dimension::number); };
    section.text.push_back("Each token visits " + count(load.expertsPerToken) + " of " + count(load.experts) +
                           " experts, which lie on " + count(load.expertRanks) +
                           (load.expertRanks == 1 ? " GPU." : " GPUs."));
    Table table{.id = "experts",
                .columns = {textColumn("Figure"), mixedColumn("Value"), textColumn("Remark")},
                .note = "Means over one microbatch and layer."};
    const auto add = [&table](const char* name, double value, Dimension dimension, std::string remark = {}) {
        table.rows.push_back(
            {textCell(name), valueCell(value, dimension), textCell(std::move(remark), Emphasis::quiet)});
    };
    add("Experts of a GPU", load.expertsPerRank, Dimension::number);
    add("Routed tokens of a GPU", load.tokensPerRank, Dimension::tokens);
    add("Tokens of an expert", load.tokensPerExpert, Dimension::tokens);
    add("Tokens that its GEMMs compute", load.paddedTokensPerExpert, Dimension::tokens,
        "with padding to whole tiles");
    add("Busiest GPU / mean", load.imbalance, Dimension::number, "the exchange and the GEMMs wait for it");
    if (load.capacityFactor)
        add("Capacity factor", *load.capacityFactor, Dimension::number, "tokens beyond it are dropped");
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> rooflineSection(const Estimate& e) {
    if (!e.training)
        return std::nullopt;
    auto plot = rooflinePlot(e);
    if (!plot)
        return std::nullopt;
    ReportSection section{.id = "roofline", .title = "Roofline of the operations"};
    section.text.push_back(plot->description);
    section.plots.push_back(std::move(*plot));
    return section;
}

} // namespace alidade::data
