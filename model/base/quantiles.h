// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

/// The 90 % quantile of the standard normal distribution: error bands reach from the 10 % to the 90 %
/// quantile.
inline constexpr double quantile90 = 1.2815515655446004;

} // namespace alidade
