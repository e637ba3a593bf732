// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer.h"
#include "data/report/comparison_parts.h"
#include "data/report/printing.h"
#include "model/estimate/reinforcement.h"
#include "model/estimate/run_order.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>

namespace alidade::data {
namespace {

std::optional<double> runCost(const Estimate& e) {
    const auto total = e.cost ? runTotal(*e.cost) : std::nullopt;
    return total ? std::optional(total->dollars) : std::nullopt;
}

/// A figure that training and reinforcement learning both have.
std::optional<double> figureOf(const Estimate& e, double Training::* ofTraining,
                               double Reinforcement::* ofReinforcement) {
    return e.training        ? std::optional(*e.training.*ofTraining)
           : e.reinforcement ? std::optional(*e.reinforcement.*ofReinforcement)
                             : std::nullopt;
}
std::optional<double> stepTime(const Estimate& e) {
    return figureOf(e, &Training::stepTime, &Reinforcement::stepTime);
}
std::optional<double> rate(const Estimate& e) {
    return figureOf(e, &Training::tokensPerSecond, &Reinforcement::tokensPerSecond);
}
std::optional<double> rateOfGpu(const Estimate& e) {
    return figureOf(e, &Training::tokensPerSecondPerGpu, &Reinforcement::tokensPerSecondPerGpu);
}

Cell optionalCell(const std::optional<double>& value, Dimension dimension) {
    return value ? valueCell(*value, dimension) : noCell();
}

/// What a job is, besides the model. Its batch is how it is done.
constexpr std::array<std::string_view, 4> jobFields{"workload.sequence_length", "workload.finetune.kind",
                                                    "workload.finetune.rank", "workload.finetune.targets"};

/// What makes times and costs not compare; empty: they train the same model on the same sequences.
std::string otherJobs(std::span<const Compared> runs) { return differencesIn(runs, jobFields); }

/// Whether all train on as many tokens, so that the times and costs of the runs compare.
bool sameLength(std::span<const Compared> runs) {
    return std::ranges::all_of(runs, [&](const Compared& each) {
        const WorkloadSpec &a = each.estimate->scenario.workload,
                           &b = runs.front().estimate->scenario.workload;
        return a.tokens == b.tokens && a.reinforcement.steps == b.reinforcement.steps;
    });
}

std::optional<double> tokenPrice(const Estimate& e) {
    return e.cost ? e.cost->dollarsPerMillionTokens : std::nullopt;
}

constexpr std::array rateFigures{
    ComparedFigure{"Rate", rate}, ComparedFigure{"Rate per GPU", rateOfGpu},
    ComparedFigure{
        "MFU", [](const Estimate& e) { return e.training ? std::optional(e.training->mfu) : std::nullopt; }},
    ComparedFigure{"$/M tokens", tokenPrice}};
constexpr std::array runFigures{ComparedFigure{"Run", runSeconds},
                                ComparedFigure{"Cost of the run", runCost}};

std::vector<Cell> comparisonRow(const Estimate& e, const std::string& name) {
    const std::optional<Training>& t = e.training;
    const char* verdict = !e.runs ? "cannot run" : e.fits ? "yes" : "does not fit";
    std::vector<Cell> cells = {textCell(name),
                               textCell(verdict, holds(e) ? Emphasis::none : Emphasis::warning),
                               e.gpus > 0 ? valueCell(e.gpus, Dimension::number) : noCell(),
                               e.memory ? valueCell(e.memory->totalBytes, Dimension::bytes) : noCell(),
                               optionalCell(stepTime(e), Dimension::seconds),
                               optionalCell(rate(e), Dimension::tokensPerSecond),
                               t ? valueCell(t->mfu, Dimension::ratio) : noCell(),
                               optionalCell(tokenPrice(e), Dimension::dollars),
                               optionalCell(runSeconds(e), Dimension::seconds),
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
        if (const auto total = runTotal(*e.cost)) {
            bar.low = total->low;
            bar.high = total->high;
        }
        words += (content.bars.empty() ? "" : "; ") + bar.label + " " + bar.text;
        if (const auto seconds = runSeconds(e))
            bar.text += ", " + formatQuantity(*seconds, Dimension::seconds);
        content.bars.push_back(std::move(bar));
    }
    if (content.bars.size() < 2)
        return std::nullopt;
    return Plot{"comparison", "Cost of the run, with low and high", words + ".", std::move(content)};
}

} // namespace

namespace {

using Figure = std::optional<double> (*)(const Estimate&);

/// The scenario that holds and has the least of a figure, if it is less than all others have.
const Compared* leastOf(std::span<const Compared> all, Figure figure) {
    const Compared* least = nullptr;
    bool tied = false;
    for (const Compared& each : all) {
        const auto value = holds(*each.estimate) ? figure(*each.estimate) : std::nullopt;
        if (!value)
            continue;
        const double best = least ? *figure(*least->estimate) : 0;
        tied = least != nullptr && (*value == best || (tied && *value > best));
        if (least == nullptr || *value < best)
            least = &each;
    }
    return tied ? nullptr : least;
}

void addLeast(Sentence& s, std::span<const Compared> runs, const char* what, Figure figure,
              Dimension dimension) {
    if (const Compared* least = leastOf(runs, figure)) {
        s.push_back({what, false});
        s.push_back({least->name, true});
        s.push_back({", " + formatQuantity(*figure(*least->estimate), dimension) + ".", false});
    }
}

} // namespace

Sentence trainingComparisonSentence(std::span<const Compared> runs) {
    const auto goodOnes = std::ranges::count_if(runs, [](const Compared& c) { return holds(*c.estimate); });
    Sentence s{{runs.size() == 1 && goodOnes == 1 ? "it runs and fits."
                : goodOnes == std::ssize(runs)
                    ? (goodOnes == 2 ? "Both run and fit." : "All of them run and fit.")
                    : std::to_string(goodOnes) + " of " + std::to_string(runs.size()) + " run and fit.",
                false}};
    if (const std::string differ = otherJobs(runs); !differ.empty()) {
        s.push_back({" They do different jobs, so their times and costs do not compare: they differ in " +
                         differ + ".",
                     false});
        return s;
    }
    if (!sameLength(runs)) {
        constexpr std::array<std::string_view, 1> length{"workload.tokens"};
        s.push_back({" They train the same model, but differ in " + differencesIn(runs, length) +
                         ": compare rates and the price of a million tokens, not whole runs.",
                     false});
    }
    if (goodOnes < 2)
        return s;
    if (sameLength(runs)) {
        addLeast(s, runs, " The cheapest run is ", runCost, Dimension::dollars);
        addLeast(s, runs, " The fastest is ", runSeconds, Dimension::seconds);
    }
    if (!sameLength(runs) || !leastOf(runs, runCost))
        addLeast(s, runs, " A million tokens costs least on ", tokenPrice, Dimension::dollars);
    return s;
}

std::vector<ReportSection> trainingComparisonSections(std::span<const Compared> runs) {
    const bool same = otherJobs(runs).empty();
    ReportSection section{.id = "comparison", .title = "The scenarios side by side", .firstPage = true};
    Table table{
        .id = "comparison",
        .columns = {textColumn("Scenario"), textColumn("Fits"), quantityColumn("GPUs", Dimension::number),
                    quantityColumn("Memory", Dimension::bytes), quantityColumn("Step", Dimension::seconds),
                    quantityColumn("Rate", Dimension::tokensPerSecond),
                    quantityColumn("MFU", Dimension::ratio), quantityColumn("$/M tokens", Dimension::dollars),
                    quantityColumn("Run", Dimension::seconds),
                    quantityColumn("Cost of the run", Dimension::dollars)},
        .note = "Memory is that of the fullest GPU. $/M tokens is the rent for a million trained tokens. "
                "Cost of the run is the total of its order before tax, storage included."};
    for (const Compared& each : runs)
        table.rows.push_back(comparisonRow(*each.estimate, each.row));
    unifyUnits(table);
    section.tables.push_back(std::move(table));
    if (same) {
        std::vector<ComparedFigure> figures(rateFigures.begin(), rateFigures.end());
        if (sameLength(runs))
            figures.insert(figures.end(), runFigures.begin(), runFigures.end());
        if (auto differences = differenceTable(runs, figures, "comparison.differences"))
            section.tables.push_back(std::move(*differences));
        if (auto plot = sameLength(runs) && runs.size() > 2 ? costPlot(runs) : std::nullopt)
            section.plots.push_back(std::move(*plot));
    }
    std::vector<ReportSection> out{std::move(section)};
    if (auto fields = differingFieldSection(runs, "comparison.fields"))
        out.push_back(std::move(*fields));
    return out;
}

} // namespace alidade::data
