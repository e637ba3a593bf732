// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer.h"
#include "data/report/layer_tables.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>

namespace alidade::data {
std::optional<ReportSection> layerSection(const Estimate& e) {
    if (!e.training || e.training->layers.empty())
        return std::nullopt;
    ReportSection section{.id = "layers", .title = "What limits each layer"};
    const std::string title = "Time of one layer and micro-batch on one GPU";
    section.plots.push_back(layerPlot(e.training->layers, "layers", title));
    section.tables.push_back(layerSummaryTable(
        e.training->layers, "layers",
        "Times are for one micro-batch on one GPU, forward and backward, with the exposed communication."));
    section.tables.push_back(
        breakdownTable(e.training->breakdown, e.training->stepTime, "breakdown", "Parts of a step"));
    addLayerTables(section, e.training->layers, "layers.");
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
                .note = "Means over one micro-batch and layer."};
    addFigure(table, "Experts per GPU", load.expertsPerRank, Dimension::number);
    addFigure(table, "Routed tokens per GPU", load.tokensPerRank, Dimension::tokens);
    addFigure(table, "Tokens of an expert", load.tokensPerExpert, Dimension::tokens);
    addFigure(table, "Tokens that its GEMMs compute", load.paddedTokensPerExpert, Dimension::tokens,
              "with padding to whole tiles");
    addFigure(table, "Busiest GPU / mean", load.imbalance, Dimension::number,
              "the exchange and the GEMMs wait for it");
    if (load.capacityFactor)
        addFigure(table, "Capacity factor", *load.capacityFactor, Dimension::number,
                  "tokens beyond it are dropped");
    section.tables.push_back(std::move(table));
    return section;
}

/// The two steps of serving do the same operations at intensities far apart: each has its picture.
std::optional<ReportSection> rooflineSection(const Estimate& e, Phase phase) {
    const bool serving = phase == Phase::decode || phase == Phase::prefill;
    if (serving ? !e.serving || !holds(e) : !e.training)
        return std::nullopt;
    const std::string step = !serving ? "" : phase == Phase::decode ? "decode step" : "prefill step";
    const std::vector<Layer>& layers = !serving                 ? e.training->layers
                                       : phase == Phase::decode ? e.serving->layers
                                                                : e.serving->prefillLayers;
    ReportSection section{.id = phase == Phase::prefill ? "roofline_prefill" : "roofline",
                          .title = "Roofline of the operations" + (serving ? " of a " + step : "")};
    auto plot = rooflinePlot(e, layers, section.id, "Reached by one GPU" + (serving ? " in a " + step : ""));
    if (!plot)
        return std::nullopt;
    section.text.push_back(plot->description);
    section.plots.push_back(std::move(*plot));
    return section;
}

} // namespace alidade::data
