// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/sweep.h"
#include "views/report/drawing.h"

#include <vector>

namespace alidade::views {

/// A sweep as a picture: over one field a panel for each figure, with its error band, hollow marks where the
/// plan does not fit, the classes of the step as a ribbon and a diamond at each kink; over two fields a cell
/// for each pair of values, of the first figure. More fields: those of the last two. \pre a point, and a
/// figure
Drawing drawSweep(const Sweep& sweep, const std::vector<const PlanFigure*>& figures, const Theme& theme,
                  double width);

/// The same as an SVG file, black on white.
QString sweepSvg(const Sweep& sweep, const std::vector<const PlanFigure*>& figures);

} // namespace alidade::views
