// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QPolygonF>
#include <QRectF>
#include <QString>

#include <variant>
#include <vector>

class QPainter;

namespace alidade::views {

// A picture as a list of shapes in CSS pixels (1/96 inch), y down. Plots are drawn into it once; paper and
// SVG show the same list.

enum class TextAlign : std::uint8_t { start, middle, end };

struct DrawnLine {
    QPolygonF points;
    QColor color;
    double width = 1;
    std::vector<double> dash{}; ///< lengths of strokes and gaps; empty: solid
};
struct DrawnRect {
    QRectF rect;
    QColor fill;
    double radius = 0;
    QColor outline{}; ///< invalid: none
};
/// A rectangle in the color and texture of a class.
struct DrawnClass {
    QRectF rect;
    Bound bound = Bound::compute;
};
struct DrawnPolygon {
    QPolygonF points;
    QColor fill;
};
struct DrawnCircle {
    QPointF center;
    double radius = 1;
    QColor fill{};    ///< invalid: none
    QColor outline{}; ///< invalid: none
    double width = 1;
};
struct DrawnText {
    QPointF base; ///< on the base line, at the side that `align` says
    QString text;
    int pixelSize = 12;
    bool strong = false;
    QColor color;
    TextAlign align = TextAlign::start;
    double angle = 0; ///< degrees, clockwise
};

using Shape = std::variant<DrawnLine, DrawnRect, DrawnClass, DrawnPolygon, DrawnCircle, DrawnText>;

struct Drawing {
    double width = 0, height = 0;
    std::vector<Shape> shapes;

    void line(const QPointF& from, const QPointF& to, const QColor& color, double width = 1,
              std::vector<double> dash = {});
    void text(const QPointF& base, const QString& text, int pixelSize, const QColor& color,
              TextAlign align = TextAlign::start, bool strong = false);
    /// Letter tag of a class, 16 by 16, its top left at `at`.
    void tag(const QPointF& at, Bound bound, const Theme& theme);
    /// Marker of a class in scatter plots.
    void marker(const QPointF& center, Bound bound, double radius, const Theme& theme);
};

/// The one font of reports at a size in CSS pixels: Roboto, else DejaVu Sans; `strong` is weight 500.
QFont reportFont(int pixelSize, bool strong = false);
double textWidth(const QString& text, int pixelSize, bool strong = false);

/// Vector only, so that it may go to a PDF.
void paintDrawing(QPainter& painter, const Drawing& drawing, const Theme& theme);

/// An `svg` element (no XML head) that needs nothing outside itself.
/// \param idPrefix of its patterns; unique in the page
/// \param label what it shows, in words
QString svgOf(const Drawing& drawing, const Theme& theme, const QString& idPrefix, const QString& label);

/// For HTML and XML text and attributes. Characters that XML does not allow become U+FFFD.
QString escaped(const QString& text);

} // namespace alidade::views
