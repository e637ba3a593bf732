// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/comparison.h"

#include "model/base/text.h"
#include "model/estimate/difference.h"
#include "model/estimate/figures.h"
#include "model/explore/comparison_words.h"
#include "model/scenario/choice_names.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {

namespace {

using Scenarios = std::span<const ComparedScenario>;
using Values = std::vector<std::optional<double>>;

std::string shownValue(const Field& field, const FieldValue& value) {
    const std::string typed = fieldText(field, value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr && typed == std::to_string(*whole) ? formatCount(*whole)
                                                               : fieldTextInWords(field, typed);
}

std::vector<FieldRow> fieldRows(Scenarios all) {
    std::vector<FieldRow> out;
    for (const Field& field : fieldTable()) {
        FieldRow row{.field = &field, .values = {}};
        const ComparedScenario* first = nullptr;
        bool any = false;
        for (const ComparedScenario& each : all) {
            if (each.estimate == nullptr) {
                row.values.emplace_back();
                continue;
            }
            row.values.push_back(shownValue(field, field.get(each.estimate->scenario)));
            any = any || !row.values.back().empty();
            row.differs = row.differs || (first != nullptr && field.get(first->estimate->scenario) !=
                                                                  field.get(each.estimate->scenario));
            first = first != nullptr ? first : &each;
        }
        if (any && field.path != "name")
            out.push_back(std::move(row));
    }
    return out;
}

/// The best of a row, if no other one might be better.
std::optional<std::size_t> bestOf(Scenarios all, const FigureRow& row, std::size_t figure) {
    std::optional<std::size_t> best;
    std::size_t usable = 0;
    const auto counts = [&](std::size_t i) { return row.values[i] && isUsable(*all[i].estimate); };
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!counts(i))
            continue;
        ++usable;
        if (!best || (row.figure->moreIsBetter ? *row.values[i] > *row.values[*best]
                                               : *row.values[i] < *row.values[*best])) {
            best = i;
        }
    }
    for (std::size_t i = 0; best && i < all.size(); ++i) {
        if (i == *best || !counts(i))
            continue;
        const bool known = all[*best].errors != nullptr && all[i].errors != nullptr;
        if (!known ||
            !figureChange(*all[*best].errors, *all[i].errors, figure, *row.values[*best], *row.values[i])
                 .certain) {
            best.reset();
        }
    }
    return usable > 1 ? best : std::nullopt;
}

/// \param values of all figures, one list a scenario
FigureRow figureRow(Scenarios all, std::size_t baseline, std::size_t figure,
                    const std::vector<Values>& values) {
    FigureRow row{.figure = &planFigures()[figure], .values = {}, .changes = {}, .best = {}};
    for (const Values& each : values)
        row.values.push_back(each[figure]);
    const auto& from = row.values[baseline];
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::optional<FigureChange> change;
        if (i != baseline && from && row.values[i]) {
            const bool known = all[baseline].errors != nullptr && all[i].errors != nullptr;
            change = known
                         ? figureChange(*all[baseline].errors, *all[i].errors, figure, *from, *row.values[i])
                         : FigureChange{.before = *from, .after = *row.values[i]};
        }
        row.changes.push_back(change);
    }
    row.best = bestOf(all, row, figure);
    return row;
}

void sortRows(Reasons& reasons) {
    const auto largest = [](const ReasonRow& row) {
        double out = 0;
        for (const auto& each : row.amounts)
            out = std::max(out, std::abs(each.value_or(0)));
        return out;
    };
    std::erase_if(reasons.rows, [&](const ReasonRow& row) { return largest(row) == 0; });
    std::ranges::stable_sort(reasons.rows, std::ranges::greater{}, largest);
}

/// The difference in time by class.
std::optional<Reasons> timeReasons(Scenarios all, std::size_t baseline) {
    const Estimate* from = all[baseline].estimate;
    if (from == nullptr)
        return std::nullopt;
    Reasons out{.dimension = Dimension::seconds, .figureDimension = Dimension::seconds};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto difference = i != baseline && all[i].estimate != nullptr
                                    ? differenceOf(*from, *all[i].estimate)
                                    : std::nullopt;
        out.totals.push_back(difference ? std::optional(difference->after - difference->before)
                                        : std::nullopt);
        if (!difference)
            continue;
        out.name = difference->name;
        for (const DifferencePart& part : difference->parts) {
            auto row = std::ranges::find(out.rows, std::optional(part.bound), &ReasonRow::bound);
            if (row == out.rows.end()) {
                out.rows.push_back({std::string(boundName(part.bound)), part.bound, {}});
                row = out.rows.end() - 1;
            }
            row->amounts.resize(all.size());
            row->amounts[i] = part.seconds;
        }
    }
    for (ReasonRow& row : out.rows) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (out.totals[i] && !row.amounts[i])
                row.amounts[i] = 0;
    }
    out.changes = out.totals;
    sortRows(out);
    return out.rows.empty() ? std::nullopt : std::optional(std::move(out));
}

/// One factor of a cost.
struct Factor {
    const char* name;
    std::optional<double> (*of)(const Estimate&);
};

std::optional<double> rentOf(const Estimate& e) {
    return e.cost ? std::optional(e.cost->dollarsPerHour) : std::nullopt;
}
std::optional<double> stepOf(const Estimate& e) {
    return e.training ? std::optional(e.training->stepTime) : std::nullopt;
}
/// Steps of the run, as the figures of the estimate imply.
std::optional<double> stepsOf(const Estimate& e) {
    return e.training && e.training->runTime && e.training->stepTime > 0
               ? std::optional(*e.training->runTime * e.training->goodput / e.training->stepTime)
               : std::nullopt;
}
std::optional<double> lossOf(const Estimate& e) {
    return e.training && e.training->goodput > 0 ? std::optional(1 / e.training->goodput) : std::nullopt;
}
std::optional<double> outputTimeOf(const Estimate& e) {
    return e.serving && e.serving->outputTokensPerSecond > 0
               ? std::optional(1 / e.serving->outputTokensPerSecond)
               : std::nullopt;
}

std::optional<double> runCostOf(const Estimate& e) { return e.cost ? e.cost->dollarsPerRun : std::nullopt; }
std::optional<double> outputCostOf(const Estimate& e) {
    return e.cost ? e.cost->dollarsPerMillionOutputTokens : std::nullopt;
}

constexpr std::array trainingFactors{Factor{"Rent per hour", rentOf}, Factor{"Step time", stepOf},
                                     Factor{"Number of steps", stepsOf}, Factor{"Goodput", lossOf}};
constexpr std::array servingFactors{Factor{"Rent per hour", rentOf},
                                    Factor{"Output tokens per second", outputTimeOf}};

/// Shares of a relative change of a product, from the logarithms of its factors: they add up to the change
/// exactly, whatever its size.
Reasons factorReasons(Scenarios all, std::size_t baseline, const char* path,
                      std::optional<double> (*cost)(const Estimate&), std::span<const Factor> factors,
                      const char* rest) {
    const PlanFigure& figure = *findPlanFigure(path);
    Reasons out{.name = std::string(figure.label), .figureDimension = figure.dimension};
    for (const Factor& each : factors)
        out.rows.push_back({each.name, {}, Values(all.size())});
    out.rows.push_back({rest, {}, Values(all.size())});
    const Estimate& from = *all[baseline].estimate;
    for (std::size_t i = 0; i < all.size(); ++i) {
        out.totals.emplace_back();
        out.changes.emplace_back();
        const Estimate* to = i != baseline ? all[i].estimate : nullptr;
        const auto before = cost(from), after = to ? cost(*to) : std::nullopt;
        if (!before || !after || !(*before > 0) || !(*after > 0))
            continue;
        const double change = *after / *before - 1, whole = std::log(*after / *before);
        const double scale = whole != 0 ? change / whole : 1;
        double told = 0;
        for (std::size_t f = 0; f < factors.size(); ++f) {
            const auto first = factors[f].of(from), second = factors[f].of(*to);
            const double part = first && second && *first > 0 && *second > 0 ? std::log(*second / *first) : 0;
            out.rows[f].amounts[i] = part * scale;
            told += part;
        }
        constexpr double rounding = 1e-9;
        out.rows.back().amounts[i] = std::abs(whole - told) > rounding ? (whole - told) * scale : 0;
        out.totals.back() = change;
        out.changes.back() = *after - *before;
    }
    sortRows(out);
    return out;
}

std::vector<Reasons> reasonsOf(Scenarios all, std::size_t baseline) {
    std::vector<Reasons> out;
    if (auto time = timeReasons(all, baseline))
        out.push_back(std::move(*time));
    const Estimate* from = all[baseline].estimate;
    if (from != nullptr && from->cost && from->training && from->cost->dollarsPerRun) {
        out.push_back(factorReasons(all, baseline, "cost.dollars_per_run", runCostOf, trainingFactors,
                                    "Booked and not used"));
    } else if (from != nullptr && from->cost && from->serving && from->cost->dollarsPerMillionOutputTokens) {
        out.push_back(factorReasons(all, baseline, "cost.dollars_per_million_output_tokens", outputCostOf,
                                    servingFactors, "Share of the output in the GPU time"));
    }
    std::erase_if(out, [](const Reasons& each) { return each.rows.empty(); });
    return out;
}

} // namespace

bool isUsable(const Estimate& estimate) {
    return estimate.runs && estimate.fits && (!estimate.serving || estimate.serving->utilization < 1);
}

std::vector<std::optional<double>> figuresOf(const Estimate& estimate) {
    const auto all = planFigures();
    Values out(all.size());
    forEachFigureOfQuestions(estimate, [&](const FigureT<double>& each) {
        const auto found = std::ranges::find(all, each.path, &PlanFigure::path);
        if (found != all.end() && std::isfinite(each.value))
            out[static_cast<std::size_t>(found - all.begin())] = each.value;
    });
    return out;
}

Comparison compareScenarios(Scenarios scenarios, std::size_t baseline) {
    Comparison out{.baseline = baseline, .fields = fieldRows(scenarios), .reasons = {}};
    std::vector<Values> values;
    for (const ComparedScenario& each : scenarios)
        values.push_back(each.estimate != nullptr ? figuresOf(*each.estimate) : Values(planFigures().size()));
    for (std::size_t i = 0; i < planFigures().size(); ++i) {
        FigureRow row = figureRow(scenarios, baseline, i, values);
        if (std::ranges::any_of(row.values, [](const auto& value) { return value.has_value(); }))
            out.figures.push_back(std::move(row));
    }
    out.reasons = reasonsOf(scenarios, baseline);
    out.sentence = comparisonSentence(scenarios, out);
    out.detail = comparisonDetail(scenarios, out);
    return out;
}

} // namespace alidade
