// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/report/drawing.h"

#include <cmath>

namespace alidade::tests {

inline QRectF boundsOf(const views::Shape& shape) {
    struct Bounds {
        QRectF operator()(const views::DrawnLine& s) const { return s.points.boundingRect(); }
        QRectF operator()(const views::DrawnRect& s) const { return s.rect; }
        QRectF operator()(const views::DrawnClass& s) const { return s.rect; }
        QRectF operator()(const views::DrawnPolygon& s) const { return s.points.boundingRect(); }
        QRectF operator()(const views::DrawnCircle& s) const {
            return {s.center.x() - s.radius, s.center.y() - s.radius, 2 * s.radius, 2 * s.radius};
        }
        QRectF operator()(const views::DrawnText& s) const {
            const double w = views::textWidth(s.text, s.pixelSize, s.strong);
            const double back = s.align == views::TextAlign::start    ? 0
                                : s.align == views::TextAlign::middle ? w / 2
                                                                      : w;
            return {s.base.x() - back, s.base.y() - s.pixelSize * 0.8, w, double(s.pixelSize)};
        }
    };
    return std::visit(Bounds{}, shape);
}

/// What lies outside the drawing and would be cut off, in words; empty if nothing does.
inline QString cutOff(const views::Drawing& drawing) {
    for (const views::Shape& shape : drawing.shapes) {
        const QRectF r = boundsOf(shape);
        const bool finite = std::isfinite(r.left()) && std::isfinite(r.top()) && std::isfinite(r.right()) &&
                            std::isfinite(r.bottom());
        if (finite && r.left() > -1 && r.right() < drawing.width + 1 && r.top() > -1 &&
            r.bottom() < drawing.height + 1)
            continue;
        const auto* text = std::get_if<views::DrawnText>(&shape);
        return QStringLiteral("shape %1 '%2' at %3, %4 to %5, %6 of %7 x %8")
            .arg(shape.index())
            .arg(text ? text->text : QString())
            .arg(r.left())
            .arg(r.top())
            .arg(r.right())
            .arg(r.bottom())
            .arg(drawing.width)
            .arg(drawing.height);
    }
    return {};
}

} // namespace alidade::tests
