// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/units/format.h"

#include <algorithm>

namespace alidade::data {
namespace {

std::optional<double> runCost(const Estimate& e) { return e.cost ? e.cost->dollarsPerRun : std::nullopt; }
std::optional<double> runTime(const Estimate& e) { return e.training ? e.training->runTime : std::nullopt; }

Cell optionalCell(const std::optional<double>& value, Dimension dimension) {
    return value ? valueCell(*value, dimension) : noCell();
}

/// Whether all train the same model on as many tokens, so that their times and costs compare.
bool sameJob(std::span<const Compared> runs) {
    return std::ranges::all_of(runs, [&](const Compared& each) {
        const Estimate& a = *each.estimate;
        const Estimate& b = *runs.front().estimate;
        return a.modelName == b.modelName && a.scenario.workload.tokens == b.scenario.workload.tokens;
    });
}

std::vector<Cell> comparisonRow(const Estimate& e, const std::string& name) {
    const std::optional<Training>& t = e.training;
    const char* verdict = !e.runs ? "cannot run" : e.fits ? "yes" : "does not fit";
    std::vector<Cell> cells = {textCell(name),
                               textCell(verdict, holds(e) ? Emphasis::none : Emphasis::warning),
                               e.gpus > 0 ? valueCell(e.gpus, Dimension::number) : noCell(),
                               e.memory ? valueCell(e.memory->totalBytes, Dimension::bytes) : noCell(),
                               t ? valueCell(t->stepTime, Dimension::seconds) : noCell(),
                               t ? valueCell(t->tokensPerSecond, Dimension::tokensPerSecond) : noCell(),
                               t ? valueCell(t->mfu, Dimension::ratio) : noCell(),
                               optionalCell(runTime(e), Dimension::seconds),
                               optionalCell(runCost(e), Dimension::dollars)};
    if (!holds(e)) // what it would take if it did
        for (std::size_t i = 4; i < cells.size(); ++i)
            cells[i].emphasis = Emphasis::quiet;
    return cells;
}

/// Cost of the run of each scenario that has one, with what the band of its time makes of it.
std::optional<Plot> costPlot(std::span<const Compared> runs) {
    RangeBars content{.dimension = Dimension::dollars, .bars = {}};
    std::string words = "Cost of the run: ";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Estimate& e = *runs[i].estimate;
        if (!holds(e) || !runCost(e))
            continue;
        RangeBar bar{.label = runs[i].name,
                     .value = *runCost(e),
                     .low = {},
                     .high = {},
                     .text = formatQuantity(*runCost(e), Dimension::dollars)};
        if (const auto band = timeBand(e)) {
            bar.low = runCostAt(*e.cost, band->low);
            bar.high = runCostAt(*e.cost, band->high);
        }
        words += (content.bars.empty() ? "" : "; ") + bar.label + " " + bar.text;
        if (runTime(e))
            bar.text += ", " + formatQuantity(*runTime(e), Dimension::seconds);
        content.bars.push_back(std::move(bar));
    }
    if (content.bars.size() < 2)
        return std::nullopt;
    return Plot{"comparison", "Cost of the run, with low and high", words + ".", std::move(content)};
}

} // namespace

Sentence trainingComparisonSentence(std::span<const Compared> runs) {
    std::size_t goodOnes = 0;
    std::optional<std::size_t> cheapest, fastest;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Estimate& e = *runs[i].estimate;
        if (!holds(e))
            continue;
        ++goodOnes;
        if (runCost(e) && (!cheapest || *runCost(e) < *runCost(*runs[*cheapest].estimate)))
            cheapest = i;
        if (runTime(e) && (!fastest || *runTime(e) < *runTime(*runs[*fastest].estimate)))
            fastest = i;
    }
    Sentence s{{runs.size() == 1 && goodOnes == 1 ? "it runs and fits."
                : goodOnes == runs.size()
                    ? "All of them run and fit."
                    : std::to_string(goodOnes) + " of " + std::to_string(runs.size()) + " run and fit.",
                false}};
    if (!sameJob(runs))
        s.push_back({" They do different jobs, so that their times and costs do not compare.", false});
    if (goodOnes < 2 || !sameJob(runs))
        return s;
    if (cheapest) {
        s.push_back({" The least money takes ", false});
        s.push_back({runs[*cheapest].name, true});
        s.push_back({", " + formatQuantity(*runCost(*runs[*cheapest].estimate), Dimension::dollars), false});
        s.push_back({fastest ? ";" : ".", false});
    }
    if (fastest) {
        s.push_back({" the least time takes ", false});
        s.push_back({runs[*fastest].name, true});
        s.push_back(
            {", " + formatQuantity(*runTime(*runs[*fastest].estimate), Dimension::seconds) + ".", false});
    }
    return s;
}

ReportSection trainingComparisonSection(std::span<const Compared> runs) {
    ReportSection section{.id = "comparison", .title = "The scenarios side by side", .firstPage = true};
    Table table{
        .id = "comparison",
        .columns = {textColumn("Scenario"), textColumn("Fits"), quantityColumn("GPUs", Dimension::number),
                    quantityColumn("Memory", Dimension::bytes), quantityColumn("Step", Dimension::seconds),
                    quantityColumn("Rate", Dimension::tokensPerSecond),
                    quantityColumn("MFU", Dimension::ratio), quantityColumn("Run", Dimension::seconds),
                    quantityColumn("Cost of the run", Dimension::dollars)}};
    for (std::size_t i = 0; i < runs.size(); ++i)
        table.rows.push_back(comparisonRow(*runs[i].estimate, runs[i].name));
    unifyUnits(table);
    section.tables.push_back(std::move(table));
    if (auto plot = sameJob(runs) ? costPlot(runs) : std::nullopt)
        section.plots.push_back(std::move(*plot));
    return section;
}

} // namespace alidade::data
