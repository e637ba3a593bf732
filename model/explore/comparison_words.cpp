// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/comparison_words.h"

#include "model/base/text.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace alidade {

namespace {

using Scenarios = std::span<const ComparedScenario>;

constexpr const char* minus = "\u2212";

/// Fields that say what the job is; where they differ, whole runs do not compare.
constexpr std::array<std::string_view, 7> jobFields{
    "workload.kind",         "workload.model",         "workload.sequence_length", "workload.tokens",
    "workload.input_tokens", "workload.output_tokens", "workload.finetune.kind"};

/// By which scenarios are judged, most important first.
constexpr std::array<std::string_view, 6> keyFigures{"cost.dollars_per_run",
                                                     "serving.test_time.dollars_per_1000_questions",
                                                     "cost.dollars_per_million_output_tokens",
                                                     "cost.dollars_per_million_tokens",
                                                     "training.step_time_s",
                                                     "serving.output_tokens_per_s_per_gpu"};

const FigureRow* rowOf(const Comparison& comparison, std::string_view path) {
    const auto found = std::ranges::find_if(
        comparison.figures, [path](const FigureRow& row) { return row.figure->path == path; });
    return found == comparison.figures.end() ? nullptr : &*found;
}

bool usable(const ComparedScenario& each) { return each.estimate != nullptr && isUsable(*each.estimate); }

/// The figure that the scenarios are judged by: one that all usable ones have.
const FigureRow* keyRow(Scenarios all, const Comparison& comparison) {
    for (const std::string_view path : keyFigures) {
        const FigureRow* row = rowOf(comparison, path);
        bool has = row != nullptr;
        for (std::size_t i = 0; has && i < all.size(); ++i)
            has = !usable(all[i]) || row->values[i].has_value();
        if (has)
            return row;
    }
    return nullptr;
}

std::string differingJob(const Comparison& comparison) {
    std::string out;
    for (const FieldRow& row : comparison.fields) {
        if (row.differs && std::ranges::find(jobFields, row.field->path) != jobFields.end()) {
            std::string label(row.field->label);
            label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
            out += (out.empty() ? "" : ", ") + label;
        }
    }
    return out;
}

std::string plainAmount(double amount, Dimension dimension) {
    return formatQuantity(std::abs(amount), dimension, {.significant = 3, .trimZeros = true});
}

/// "$55.4 M (−29.0 %)".
std::string byHowMuch(const PlanFigure& figure, const FigureChange& change) {
    return plainAmount(change.difference(), figure.dimension) + " (" + changeText(figure, change) + ")";
}

/// " and ends 20 d sooner", " but takes 3 d longer"; empty: that is not certain, or there is no run.
std::string timeClause(const Comparison& comparison, std::size_t i) {
    const FigureRow* row = rowOf(comparison, "training.run_time_s");
    if (row == nullptr || !row->changes[i] || !row->changes[i]->certain)
        return {};
    const double longer = row->changes[i]->difference();
    const std::string words = plainAmount(longer, Dimension::seconds);
    return longer < 0 ? ", and ends " + words + " sooner" : ", but takes " + words + " longer";
}

bool isCost(const PlanFigure& figure) { return figure.dimension == Dimension::dollars; }

/// What the best scenario does.
const char* verb(const PlanFigure& figure) {
    return isCost(figure)                                            ? "saves"
           : std::string_view(figure.path) == "training.step_time_s" ? "takes less time per step:"
                                                                     : "gives more tokens per GPU:";
}

std::string superlative(const PlanFigure& figure) { return isCost(figure) ? "cheaper" : "faster"; }

} // namespace

std::string changeText(const PlanFigure& figure, const FigureChange& change) {
    if (!(change.before != 0) || !std::isfinite(change.after / change.before))
        return {};
    const bool points = figure.dimension == Dimension::ratio;
    const double percent = 100 * (points ? change.difference() : change.ratio());
    const char* unit = points ? " pt" : " %";
    std::array<char, 32> out{};
    const int decimals = std::abs(percent) >= 100 ? 0 : 1;
    std::snprintf(out.data(), out.size(), "%.*f", decimals, std::abs(percent));
    const bool none = std::string_view(out.data()).find_first_not_of("0.") == std::string_view::npos;
    return (none ? "" : percent > 0 ? "+" : minus) + std::string(out.data()) + unit;
}

std::string amountText(double amount, Dimension dimension) {
    if (dimension != Dimension::ratio) {
        const std::string words = formatQuantity(std::abs(amount), dimension, {.significant = 3});
        return (amount > 0 ? "+" : amount < 0 ? minus : "") + words;
    }
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "%.1f", std::abs(100 * amount));
    const bool none = std::string_view(out.data()) == "0.0";
    return (none ? "" : amount > 0 ? "+" : minus) + std::string(out.data());
}

std::string comparisonSentence(Scenarios all, const Comparison& comparison) {
    const auto count = std::ranges::count_if(all, usable);
    if (all.size() < 2)
        return "One scenario. Add others to compare them with it.";
    if (count == 0)
        return "None of the scenarios runs and fits.";
    if (count == 1)
        return "Only " + std::ranges::find_if(all, usable)->name + " runs and fits.";
    if (const std::string job = differingJob(comparison); !job.empty())
        return "The scenarios do different jobs: they differ in " + job + ".";
    const FigureRow* row = keyRow(all, comparison);
    if (row == nullptr)
        return "The scenarios have no common figure.";
    const std::string word = superlative(*row->figure);
    if (!row->best)
        return "No scenario is " + word + " than all others beyond the error.";
    const std::size_t best = *row->best;
    const std::string& baseline = all[comparison.baseline].name;
    const auto& change = row->changes[best];
    if (best == comparison.baseline || !change)
        return all[best].name + " is " + word + " than all others.";
    return all[best].name + " " + verb(*row->figure) + " " + byHowMuch(*row->figure, *change) + " against " +
           baseline + timeClause(comparison, best) + ".";
}

std::string comparisonDetail(Scenarios all, const Comparison& comparison) {
    constexpr std::size_t mostSentences = 4;
    std::vector<std::string> out;
    const FigureRow* row = differingJob(comparison).empty() ? keyRow(all, comparison) : nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string& name = all[i].name;
        if (all[i].estimate == nullptr) {
            out.push_back(name + " has no estimate.");
        } else if (!usable(all[i])) {
            out.push_back(name + (!all[i].estimate->runs   ? " cannot run."
                                  : !all[i].estimate->fits ? " does not fit in memory."
                                                           : " does not carry the load."));
        } else if (row != nullptr && row->changes[i] && row->best != i) {
            const FigureChange& change = *row->changes[i];
            const std::string figure(row->figure->label);
            out.push_back(!change.certain ? name + ": " + figure + " equal within the error" +
                                                timeClause(comparison, i) + "."
                                          : name + ": " + figure + " " + changeText(*row->figure, change) +
                                                timeClause(comparison, i) + ".");
        }
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(out.size(), mostSentences); ++i)
        text += (i > 0 ? " " : "") + out[i];
    if (out.size() > mostSentences)
        text += " " + std::to_string(out.size() - mostSentences) + " more below.";
    return text;
}

} // namespace alidade
