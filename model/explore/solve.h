// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/variable.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace alidade {

/// What must hold: a figure of the estimate, at most or at least a value.
struct Goal {
    std::string figure; ///< path, as in the estimate
    Dimension dimension = Dimension::number;
    bool atMost = true;
    double value = 0; ///< SI
};

/// Reads "FIGURE<=V" or "FIGURE>=V", the value with its unit. Any number of the estimate can be a figure.
/// \returns an error that names the nearest one
Result<Goal> goalOf(std::string_view text, const Estimate& estimate);

struct Solution {
    std::optional<FieldValue> value; ///< absent: no value reaches the goal
    std::string why;                 ///< what was found, in a sentence
    std::optional<double> figure;    ///< at that value
};

/// The value of a variable nearest to the present one at which the goal is just reached: the least change
/// that reaches it or, where the present value does, the last one that still does. Whole numbers are tried
/// one by one, others on a grid whose sign change is bisected to 1e-9, so that a goal which holds only
/// between two grid points can be missed. \pre the variable is a number and has a value in the scenario
/// \param stop ends the search; the answer then has no value and says so
Solution solve(const Explorer& explorer, const Variable& variable, double present, const Goal& goal,
               const std::stop_token& stop = {});

} // namespace alidade
