// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/format.h"
#include "views/report/drawing.h"

#include <QStringList>

#include <cmath>
#include <vector>

namespace alidade::views {

// What the plots of a report have in common.

inline QString fromUtf8(const std::string& text) { return QString::fromStdString(text); }

/// Ticks at 1, 2, 2.5 or 5 times a power of ten from 0 to at least `largest`, about `count` of them.
std::vector<double> linearTicks(double largest, int count);

/// A tick in a unit of its axis: "0", "50", "2.5".
QString tickText(double value, const ScaledUnit& unit);

/// What of a value can be drawn from 0: nothing of one that is negative, not known or infinite.
inline double drawable(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

struct LegendEntry {
    std::optional<Bound> bound; ///< drawn as a tag
    QColor color{};             ///< else as a swatch
    QString name;
    QString value{};
};
/// Writes entries from left to right below `top`, in as many lines as they need. \returns the bottom
double drawLegend(Drawing& drawing, double left, double top, double width,
                  const std::vector<LegendEntry>& entries, const Theme& theme);

/// Cuts a text to a width, with an ellipsis.
QString shortened(const QString& text, double width, int pixelSize, bool strong = false);

inline constexpr int smallPixels = 12;

} // namespace alidade::views
