// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/explore/figure_errors.h"
#include "model/scenario/fields.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace alidade {

/// One of the scenarios that are compared.
struct ComparedScenario {
    std::string name;
    const Estimate* estimate = nullptr;   ///< nullptr: there is none; `error` says why
    const FigureErrors* errors = nullptr; ///< nullptr: no change is certain
    std::string error = {};
};

/// A field with its value in each scenario.
struct FieldRow {
    const Field* field = nullptr;
    std::vector<std::string> values; ///< for a person: "BF16", "16,384"; empty: absent
    bool differs = false;
};

/// A figure with its value in each scenario.
struct FigureRow {
    const PlanFigure* figure = nullptr;
    std::vector<std::optional<double>> values;        ///< SI units of the figure
    std::vector<std::optional<FigureChange>> changes; ///< from the baseline; absent in it
    /// The best one; absent where the error that the scenarios do not share leaves more than one.
    std::optional<std::size_t> best;
};

/// One of the reasons for a difference.
struct ReasonRow {
    std::string name;           ///< "Rent per hour"
    std::optional<Bound> bound; ///< of a class of time
    std::vector<std::optional<double>> amounts;
};

/// What makes a figure of each scenario differ from the baseline's, in parts that add up.
struct Reasons {
    std::string name{}; ///< "Rent of the run", "Step time"
    /// Of the amounts: seconds, or ratio where they are shares of the baseline's figure.
    Dimension dimension = Dimension::ratio;
    std::vector<ReasonRow> rows{};                ///< largest first
    std::vector<std::optional<double>> totals{};  ///< sums of the rows
    std::vector<std::optional<double>> changes{}; ///< of the figure itself, in its unit
    Dimension figureDimension = Dimension::dollars;
};

struct Comparison {
    std::size_t baseline = 0;
    std::vector<FieldRow> fields{}; ///< those that apply to one of the scenarios, in the order of the format
    std::vector<FigureRow> figures{}; ///< those that one of the scenarios has
    std::vector<Reasons> reasons{};
    std::string sentence{}, detail{}; ///< the result in words
};

/// Sets scenarios side by side. Training runs and services may be mixed; they share few figures.
/// \param baseline place in the list, which is not empty
Comparison compareScenarios(std::span<const ComparedScenario> scenarios, std::size_t baseline);

/// Whether an estimate represents a plan that can be used: it runs, fits, and carries its load.
bool isUsable(const Estimate& estimate);

/// The values of planFigures() in an estimate, in their order; nullopt: it has no such figure.
std::vector<std::optional<double>> figuresOf(const Estimate& estimate);

} // namespace alidade
