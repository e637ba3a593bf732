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

/// What a placer has found places for: the words and where they stand, in pixels.
using PlacedLabels = QList<std::pair<QString, QPolygonF>>;

/// Does a line reach into a convex shape, or lie in it?
bool lineMeets(const QLineF& line, const QPolygonF& shape);

/// Finds places for the labels of a picture, so that none covers another, a line, a mark, or the edge, and
/// draws them all. The first to ask has the choice: ask in the order of importance.
class LabelPlacer {
public:
    explicit LabelPlacer(const QRectF& inside)
        : inside_(inside) {}

    struct Look {
        QFont font;
        QColor ink;
    };
    /// A corner or the middle of an edge of a label is at a point: AlignLeft | AlignBottom is its bottom
    /// left corner there.
    struct Spot {
        QPointF at;
        Qt::Alignment corner = Qt::AlignLeft | Qt::AlignBottom;
    };

    /// Keeps labels away from a place, or from a line.
    void keepFree(const QRectF& rect) { taken_.append(QPolygonF(rect)); }
    void keepFree(const QLineF& line);
    /// The text along the line, at the first of `places` that is free: 0 begins at the line's start, 1 ends
    /// at its end. Just above it, else below; nothing where there is no room. Returns whether there was.
    bool addAlong(const QLineF& line, const QString& text, const Look& look, const QList<double>& places);
    /// The text with its bottom left corner there, or higher by whole lines until it is free.
    bool addAbove(const QPointF& bottomLeft, const QString& text, const Look& look);
    /// The text at the first of the spots that is free.
    bool addAt(const QList<Spot>& spots, const QString& text, const Look& look);
    /// What found a place, and where.
    PlacedLabels placed() const;
    /// Draws the labels; on ground of this color, where it has one, so that no grid runs through them.
    void paint(QPainter& painter, const QColor& ground) const;

private:
    struct Label {
        QTransform turn;
        QRectF box;
        QString text;
        Look look;
    };
    bool isFree(const QPolygonF& shape) const;
    void take(const QPolygonF& shape, const Label& label);
    QRectF inside_;
    QList<QPolygonF> taken_;
    QList<QLineF> lines_;
    QList<Label> labels_;
};

} // namespace alidade::views
