// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/label_placer.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double fromLine = 2;    // logical pixels between a line and its label
constexpr double aroundLabel = 2; // around a label
constexpr int mostLabelRows = 3;

/// Touching is not meeting.
bool boundsMeet(const QRectF& a, const QRectF& b) {
    return a.left() < b.right() && b.left() < a.right() && a.top() < b.bottom() && b.top() < a.bottom();
}

} // namespace

bool lineMeets(const QLineF& line, const QPolygonF& shape) {
    const QRectF bounds = QRectF(line.p1(), line.p2()).normalized().adjusted(-0.01, -0.01, 0.01, 0.01);
    if (!boundsMeet(bounds, shape.boundingRect()))
        return false;
    if (shape.containsPoint(line.p1(), Qt::OddEvenFill) || shape.containsPoint(line.p2(), Qt::OddEvenFill))
        return true;
    for (qsizetype i = 0; i < shape.size(); ++i)
        if (line.intersects({shape[i], shape[(i + 1) % shape.size()]}) == QLineF::BoundedIntersection)
            return true;
    return false;
}

void LabelPlacer::keepFree(const QLineF& line) {
    if (std::isfinite(line.x1()) && std::isfinite(line.y1()) && std::isfinite(line.x2()) &&
        std::isfinite(line.y2()))
        lines_.append(line);
}

bool LabelPlacer::isFree(const QPolygonF& shape) const {
    const QRectF bounds = shape.boundingRect();
    return std::ranges::all_of(shape, [this](const QPointF& corner) { return inside_.contains(corner); }) &&
           std::ranges::none_of(lines_, [&](const QLineF& line) { return lineMeets(line, shape); }) &&
           std::ranges::none_of(taken_, [&](const QPolygonF& other) {
               return boundsMeet(other.boundingRect(), bounds) && other.intersects(shape);
           });
}

void LabelPlacer::take(const QPolygonF& shape, const Label& label) {
    taken_.append(shape);
    labels_.append(label);
}

bool LabelPlacer::addAlong(const QLineF& line, const QString& text, const Look& look,
                           const QList<double>& places) {
    const QFontMetricsF metrics(look.font);
    const double width = metrics.horizontalAdvance(text);
    const double length = line.length();
    if (width + 2 * aroundLabel > length)
        return false;
    // Hardly a letter of these labels goes below the baseline, so they need less than a line of text does.
    const double height = metrics.ascent() + 1;
    const QRectF above(0, -height - fromLine, width, height);
    const QRectF below(0, fromLine, width, height);
    for (const QRectF& box : {above, below})
        for (const double place : places) {
            QTransform turn;
            turn.translate(line.x1(), line.y1());
            turn.rotate(-line.angle());
            turn.translate(aroundLabel + place * (length - width - 2 * aroundLabel), 0);
            const QPolygonF shape = turn.map(QPolygonF(box.adjusted(-aroundLabel, 0, aroundLabel, 0)));
            if (!isFree(shape))
                continue;
            take(shape, {turn, box, text, look});
            return true;
        }
    return false;
}

bool LabelPlacer::addAbove(const QPointF& bottomLeft, const QString& text, const Look& look) {
    const double row = QFontMetricsF(look.font).height() + 1;
    QList<Spot> spots;
    for (int i = 0; i < mostLabelRows; ++i)
        spots.append({bottomLeft - QPointF(0, i * row), Qt::AlignLeft | Qt::AlignBottom});
    return addAt(spots, text, look);
}

bool LabelPlacer::addAt(const QList<Spot>& spots, const QString& text, const Look& look) {
    const QFontMetricsF metrics(look.font);
    const QSizeF size(metrics.horizontalAdvance(text), metrics.height());
    for (const auto& [at, corner] : spots) {
        const double x = corner & Qt::AlignRight ? 1 : corner & Qt::AlignHCenter ? 0.5 : 0;
        const double y = corner & Qt::AlignBottom ? 1 : corner & Qt::AlignVCenter ? 0.5 : 0;
        const QRectF box(at - QPointF(x * size.width(), y * size.height()), size);
        if (!isFree(QPolygonF(box)))
            continue;
        take(QPolygonF(box.adjusted(-aroundLabel, 0, aroundLabel, 0)), {QTransform(), box, text, look});
        return true;
    }
    return false;
}

PlacedLabels LabelPlacer::placed() const {
    PlacedLabels labels;
    for (const Label& label : labels_)
        labels.append({label.text, label.turn.map(QPolygonF(label.box))});
    return labels;
}

void LabelPlacer::paint(QPainter& painter, const QColor& ground) const {
    for (const Label& label : labels_) {
        painter.save();
        painter.setTransform(label.turn, true);
        if (ground.isValid())
            painter.fillRect(label.box, ground);
        painter.setFont(label.look.font);
        painter.setPen(label.look.ink);
        painter.drawText(label.box, Qt::AlignCenter | Qt::TextSingleLine, label.text);
        painter.restore();
    }
}

} // namespace alidade::views
