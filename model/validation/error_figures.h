// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/validation_report.h"

#include <span>
#include <utility>
#include <vector>

namespace alidade {

/// Smallest value up to which at least `share` (0..1) of the weight lies; NaN without weight. Pairs of value
/// and weight, in any order.
double weightedQuantile(std::vector<std::pair<double, double>> weighted, double share);

/// Error figures over these rows, each with its own weight; `group`, `quantity` and `leaveOneOut` stay empty.
/// Fractions are NaN without a row; band figures are NaN where no row has a band.
ValidationSummary errorFigures(std::span<const ValidationRow* const> rows);

} // namespace alidade
