// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_text.h"
#include "views/theme/theme.h"

#include <QRectF>

#include <span>
#include <vector>

namespace alidade::views {

/// Range of an axis that shows these values and the plan's band: with some air, from 0 where that is near,
/// and not stretched by a single outlier.
std::pair<double, double> valueRange(std::span<const double> measured, std::optional<double> low,
                                     std::optional<double> high);

/// Fill of a tint.
QColor tintOf(FaultSpan::Tone tone, const Theme& look);

/// One row of names over places, each of its own width, none over another and none outside.
struct PlacedName {
    std::size_t index = 0;
    double left = 0; ///< pixels
    int row = 0;
};
struct NameWish {
    double centre = 0, width = 0, from = 0, to = 0; ///< pixels; from..to is what it names
};
/// From left to right; in up to `rows` rows. What has no room near its place is left out.
std::vector<PlacedName> placeNames(const std::vector<NameWish>& wishes, double left, double right, int rows,
                                   double gap);

} // namespace alidade::views
