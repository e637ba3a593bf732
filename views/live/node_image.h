// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/plan_actual.h"
#include "views/theme/theme.h"

#include <QImage>

#include <array>
#include <vector>

namespace alidade::views {

/// Deviation from the median at which the map is as loud as it can be.
inline constexpr double fullDeviation = 0.3;

/// Colors of deviations from -fullDeviation to +fullDeviation, looked up and not computed for each cell.
class DeviationColors {
public:
    explicit DeviationColors(const Theme& look);
    QRgb of(double deviation) const;

private:
    std::array<QRgb, 512> colors_;
};

/// What is drawn of a map of nodes.
struct NodeImageSpec {
    const std::vector<int>& order; ///< hosts from top to bottom, as indices into the map
    TimeGrid grid;
    double start = 0, end = 0; ///< Unix s, left and right edge
    QSize pixels;              ///< of the device
    int gap = 0;               ///< pixels between rows that are tall enough
    QRgb gapColor = 0;         ///< of them, where there are data
    QRgb stoodColor = 0;       ///< where a host has data but made no step; 0: transparent too
};

/// The map in pixels of the device: a group of pixel rows a host, transparent where not measured. Where
/// hosts or instants outnumber the pixels, the one farthest from the median is seen, so that a single slow
/// node is not lost among a thousand.
QImage nodeImage(const NodeMap& map, const NodeImageSpec& spec, const DeviationColors& colors);

} // namespace alidade::views
