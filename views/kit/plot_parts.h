// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"
#include "views/kit/plot_base.h"

#include <optional>

class QCPBars;
class QCPItemText;
class QCPScatterStyle;

namespace alidade::views {

// Parts that several plots share; each belongs to its plot and follows the theme. Include <qcustomplot.h> to
// use them.

/// Marker of a class at `size` logical pixels.
QCPScatterStyle classScatter(Bound bound, double size, const Theme& look);

/// Bars with the fill of a class, textured on the screen and vector on paper.
QCPBars* addClassBars(PlotBase& plot, Bound bound);
/// Bars in a memory tone.
QCPBars* addMemoryBars(PlotBase& plot, MemoryTone tone);

/// A line across the plot at `value` with its words at the end, above the line.
struct Limit {
    PlotAxis axis = PlotAxis::y; ///< the axis that `value` is on
    double value = 0;
    QString text;
    Role ink = Role::err;
    bool dashed = false; ///< 7-3: a target; solid: a limit
    double place = 1;    ///< where the words end along the line, 0..1, so that those of neighbors do not meet
    /// The value that the words are above; default: the line's own.
    std::optional<double> wordsAbove;
};
/// Returns the line; `updateLimit` moves it, and its words unless they are elsewhere.
QObject* addLimit(PlotBase& plot, const Limit& limit);
void updateLimit(QObject* line, double value, const QString& text);

/// Text at a place in plot coordinates, in the small font.
QCPItemText* addLabel(PlotBase& plot, double x, double y, const QString& text, Role ink = Role::text2);

} // namespace alidade::views
