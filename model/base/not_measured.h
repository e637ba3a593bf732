// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>

namespace alidade {

/// Stands for a figure that nobody measured.
inline constexpr double notMeasured = std::numeric_limits<double>::quiet_NaN();
/// Stands for a figure that settles at no value, as of a queue that grows.
inline constexpr double noSteadyValue = std::numeric_limits<double>::quiet_NaN();

} // namespace alidade
