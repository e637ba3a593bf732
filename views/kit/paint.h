// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme_controller.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace alidade::views {

/// Low, value and high of a figure, all in one unit; low <= value <= high.
struct BandRange {
    double low = 0;
    double value = 0;
    double high = 0;
};

/// One part of a stacked bar. All values of a bar are in one unit; negative or not finite counts as nothing.
struct BarSegment {
    Bound bound = Bound::compute;
    double value = 0;
    double opacity = 1; ///< 0..1; 0.62 for a backward pass next to its forward pass
    QString text;       ///< the value for a person: "3.89 s"; may be empty
    QString share;      ///< its share for the legend: "63 %"; may be empty
};

/// 16 logical pixels at the user's font size.
double tagSize();
/// Letter tag of a class, `tagSize()` square, centered in `rect`.
void paintTag(QPainter& painter, const QRectF& rect, Bound bound, const Theme& look = theme());
/// Fill of a class with its texture. On a PDF or SVG device it stays vector.
void paintClassFill(QPainter& painter, const QRectF& rect, Bound bound, double opacity = 1,
                    const Theme& look = theme());
/// Segments side by side from the left of `rect`, where `maximum` would fill its width; a gap of one pixel
/// between them, and nothing narrower than two. Returns the rectangle of each segment (null where its value
/// is nothing).
QList<QRectF> barRects(const QRectF& rect, const QList<BarSegment>& segments, double maximum);
void paintBar(QPainter& painter, const QRectF& rect, const QList<BarSegment>& segments, double maximum,
              const Theme& look = theme());
/// The low-high line: pale bar from low to high, ink tick at the value; the range is the band widened by a
/// quarter of itself on each side.
enum class BandLook {
    usual,
    faded ///< of what no longer holds: without a hue, and still to be seen
};
void paintBand(QPainter& painter, const QRectF& rect, const BandRange& band, BandLook how = BandLook::usual,
               const Theme& look = theme());
/// Focus ring of the kit's own widgets.
void paintFocus(QPainter& painter, const QRectF& rect, double corner = 4);

} // namespace alidade::views
