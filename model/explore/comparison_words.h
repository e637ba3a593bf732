// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/comparison.h"

#include <string>

namespace alidade {

/// The result of a comparison: which scenario is the best one, and by how much. One sentence.
std::string comparisonSentence(std::span<const ComparedScenario> scenarios, const Comparison& comparison);
/// What the others are against the baseline, and what makes figures not compare. May be empty.
std::string comparisonDetail(std::span<const ComparedScenario> scenarios, const Comparison& comparison);

/// A change for a person: "−29 %"; of a ratio in points, "+2.5 pt"; empty without a change.
std::string changeText(const PlanFigure& figure, const FigureChange& change);
/// An amount with its sign, of a quantity or of a share in points: "−1.6 s", "−29.0".
std::string amountText(double amount, Dimension dimension);

} // namespace alidade
