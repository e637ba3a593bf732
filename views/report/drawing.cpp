// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/drawing.h"

#include <QFontMetricsF>

#include <cmath>

namespace alidade::views {

QFont reportFont(int pixelSize, bool strong) {
    QFont font(fontFamilies());
    font.setPixelSize(pixelSize);
    font.setWeight(strong ? QFont::Medium : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    // 100 % changes no distance, but keeps "fi" two letters, so that text in a PDF can be searched and
    // copied.
    font.setLetterSpacing(QFont::PercentageSpacing, 100);
    return font;
}

double textWidth(const QString& text, int pixelSize, bool strong) {
    return QFontMetricsF(reportFont(pixelSize, strong)).horizontalAdvance(text);
}

void Drawing::line(const QPointF& from, const QPointF& to, const QColor& color, double lineWidth,
                   std::vector<double> dash) {
    shapes.push_back(DrawnLine{QPolygonF({from, to}), color, lineWidth, std::move(dash)});
}

void Drawing::text(const QPointF& base, const QString& words, int pixelSize, const QColor& color,
                   TextAlign align, bool strong) {
    shapes.push_back(DrawnText{base, words, pixelSize, strong, color, align});
}

void Drawing::tag(const QPointF& at, Bound bound, const Theme& theme) {
    const ClassStyle style = theme.classStyle(bound);
    shapes.push_back(DrawnRect{QRectF(at, QSizeF(16, 16)), style.color, 3});
    text(at + QPointF(8, 12), style.letter, 11, style.letterColor, TextAlign::middle, true);
}

void Drawing::marker(const QPointF& c, Bound bound, double r, const Theme& theme) {
    const ClassStyle style = theme.classStyle(bound);
    const QColor color = style.color;
    const auto polygon = [&](std::initializer_list<QPointF> points) {
        QPolygonF p;
        for (const QPointF& point : points)
            p << c + point * r;
        shapes.push_back(DrawnPolygon{p, color});
    };
    const auto stroke = [&](QPointF a, QPointF b) { line(c + a * r, c + b * r, color, 1.75); };
    const auto ring = [&] { shapes.push_back(DrawnCircle{c, r, {}, color, 1.75}); };
    switch (style.marker) {
    case Marker::disc:
        shapes.push_back(DrawnCircle{c, r, color});
        break;
    case Marker::square:
        polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
        break;
    case Marker::triangle:
        polygon({{0, -1}, {1, 0.8}, {-1, 0.8}});
        break;
    case Marker::diamond:
        polygon({{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}});
        break;
    case Marker::triangleDown:
        polygon({{0, 1}, {1, -0.8}, {-1, -0.8}});
        break;
    case Marker::cross:
        stroke({-0.8, -0.8}, {0.8, 0.8});
        stroke({0.8, -0.8}, {-0.8, 0.8});
        break;
    case Marker::ring:
        ring();
        break;
    case Marker::ringPlus:
        ring();
        [[fallthrough]];
    case Marker::plus:
        stroke({-1, 0}, {1, 0});
        stroke({0, -1}, {0, 1});
        break;
    case Marker::star:
        stroke({-1, 0}, {1, 0});
        stroke({-0.5, -0.87}, {0.5, 0.87});
        stroke({0.5, -0.87}, {-0.5, 0.87});
        break;
    }
}

} // namespace alidade::views
