// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>

namespace alidade {

/// Placeholder for a figure that was not measured.
inline constexpr double notMeasured = std::numeric_limits<double>::quiet_NaN();
/// Placeholder for a figure without a steady value, such as the length of a growing queue.
inline constexpr double noSteadyValue = std::numeric_limits<double>::quiet_NaN();

} // namespace alidade
