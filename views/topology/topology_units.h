// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Distances of the picture of a cluster in world units: the height of a host is 1.
namespace alidade::views::topology_units {

inline constexpr double hostGapX = 0.6, hostGapY = 0.14;
inline constexpr double cardPadding = 0.4, cardTitle = 1.0;
inline constexpr double cardGap = 0.7, blockGap = 1.6;

} // namespace alidade::views::topology_units
