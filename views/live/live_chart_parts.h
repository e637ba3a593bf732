// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_text.h"
#include "views/theme/theme.h"

#include <QSharedPointer>

#include <span>
#include <vector>

class QCPAxisTicker;

namespace alidade::views {

/// Range of an axis that shows these values and the plan's band: with some air, from 0 where that is near,
/// and not stretched by a single outlier.
std::pair<double, double> valueRange(std::span<const double> measured, std::optional<double> low,
                                     std::optional<double> high);

/// Ticks at round times of the desktop's zone, at the same places as those of the map of nodes.
QSharedPointer<QCPAxisTicker> makeTimeTicker();

/// Fill of a tint.
QBrush tintOf(FaultSpan::Tone tone, const Theme& look);

/// One row of names over places, each of its own width, none over another and none outside.
struct PlacedName {
    std::size_t index = 0;
    double left = 0; ///< pixels
    int row = 0;
};
struct NameWish {
    double center = 0, width = 0, from = 0, to = 0; ///< pixels; from..to is what it names
};
/// From left to right, in a row for each of `lefts`, where that row may begin. What has no room near its
/// place is left out.
std::vector<PlacedName> placeNames(const std::vector<NameWish>& wishes, std::vector<double> lefts,
                                   double right, double gap);

} // namespace alidade::views
