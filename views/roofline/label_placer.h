// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QLineF>
#include <QList>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <QTransform>

#include <utility>

class QPainter;

namespace alidade::views {

/// Finds places for labels along lines, so that none covers another, a mark, or the edge, and draws them all
/// above the lines.
class LabelPlacer {
public:
    explicit LabelPlacer(const QRectF& inside)
        : inside_(inside) {}

    struct Look {
        QFont font;
        QColor ink;
    };

    /// Keeps labels away from a place.
    void keepFree(const QRectF& rect) { taken_.append(QPolygonF(rect)); }
    /// The text along the line, at the first of `places` that is free: 0 begins at the line's start, 1 ends
    /// at its end. Just above it, else below; nothing where there is no room.
    void addAlong(const QLineF& line, const QString& text, const Look& look, const QList<double>& places);
    /// The text with its bottom left corner there, or higher by whole lines until it is free.
    void addAbove(const QPointF& bottomLeft, const QString& text, const Look& look);
    /// What found a place, and where.
    QList<std::pair<QString, QPolygonF>> placed() const;
    /// Draws the labels, on ground of this colour so that no line runs through them.
    void paint(QPainter& painter, const QColor& ground) const;

private:
    struct Label {
        QTransform turn;
        QRectF box;
        QString text;
        Look look;
    };
    bool isFree(const QPolygonF& shape) const;
    QRectF inside_;
    QList<QPolygonF> taken_;
    QList<Label> labels_;
};

} // namespace alidade::views
