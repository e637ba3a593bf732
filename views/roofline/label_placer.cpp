// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/label_placer.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr double fromLine = 2; // logical pixels between a line and its label
constexpr double margin = 2;   // around a label
constexpr int mostRows = 3;

} // namespace

bool LabelPlacer::isFree(const QPolygonF& shape) const {
    return std::ranges::all_of(shape, [this](const QPointF& corner) { return inside_.contains(corner); }) &&
           std::ranges::none_of(taken_, [&](const QPolygonF& other) { return other.intersects(shape); });
}

void LabelPlacer::addAlong(const QLineF& line, const QString& text, const Look& look,
                           const QList<double>& places) {
    const QFontMetricsF metrics(look.font);
    const double width = metrics.horizontalAdvance(text);
    const double length = line.length();
    if (width + 2 * margin > length)
        return;
    // Hardly a letter of these labels goes below the baseline, so they need less than a line of text does.
    const double height = metrics.ascent() + 1;
    const QRectF above(0, -height - fromLine, width, height);
    const QRectF below(0, fromLine, width, height);
    QList<std::pair<QRectF, double>> tries;
    for (const QRectF& box : {above, below})
        for (const double place : places)
            tries.append({box, place});
    for (const auto& [box, place] : std::as_const(tries)) {
        QTransform turn;
        turn.translate(line.x1(), line.y1());
        turn.rotate(-line.angle());
        turn.translate(margin + place * (length - width - 2 * margin), 0);
        const QPolygonF shape = turn.map(QPolygonF(box.adjusted(-margin, 0, margin, 0)));
        if (!isFree(shape))
            continue;
        taken_.append(shape);
        labels_.append({turn, box, text, look});
        return;
    }
}

void LabelPlacer::addAbove(const QPointF& bottomLeft, const QString& text, const Look& look) {
    const QFontMetricsF metrics(look.font);
    QRectF box(bottomLeft.x(), bottomLeft.y() - metrics.height(), metrics.horizontalAdvance(text),
               metrics.height());
    for (int row = 0; row < mostRows; ++row, box.translate(0, -metrics.height()))
        if (isFree(QPolygonF(box))) {
            taken_.append(QPolygonF(box.adjusted(-margin, 0, margin, 0)));
            labels_.append({QTransform(), box, text, look});
            return;
        }
}

QList<std::pair<QString, QPolygonF>> LabelPlacer::placed() const {
    QList<std::pair<QString, QPolygonF>> labels;
    for (const Label& label : labels_)
        labels.append({label.text, label.turn.map(QPolygonF(label.box))});
    return labels;
}

void LabelPlacer::paint(QPainter& painter, const QColor& ground) const {
    for (const Label& label : labels_) {
        painter.save();
        painter.setTransform(label.turn, true);
        painter.fillRect(label.box, ground);
        painter.setFont(label.look.font);
        painter.setPen(label.look.ink);
        painter.drawText(label.box, Qt::AlignCenter | Qt::TextSingleLine, label.text);
        painter.restore();
    }
}

} // namespace alidade::views
