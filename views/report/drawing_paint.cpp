// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/drawing.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace alidade::views {
namespace {

/// Shows one shape after another. Pens are never cosmetic and no pixmap is used, so that all of it stays
/// vector.
class ShapePainter {
public:
    ShapePainter(QPainter& painter, const Theme& theme)
        : p_(painter)
        , theme_(theme) {}

    void operator()(const DrawnLine& s) const {
        QPen pen(s.color, s.width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
        if (!s.dash.empty()) {
            QList<qreal> pattern; // QPen counts in line widths
            for (const double length : s.dash)
                pattern << length / s.width;
            pen.setDashPattern(pattern);
        }
        p_.setPen(pen);
        p_.drawPolyline(s.points);
    }

    void operator()(const DrawnRect& s) const {
        p_.setPen(s.outline.isValid() ? QPen(s.outline, 1) : QPen(Qt::NoPen));
        p_.setBrush(s.fill);
        if (s.radius > 0)
            p_.drawRoundedRect(s.rect, s.radius, s.radius);
        else
            p_.drawRect(s.rect);
    }

    void operator()(const DrawnClass& s) const {
        const ClassStyle style = theme_.classStyle(s.bound);
        p_.setPen(Qt::NoPen);
        p_.setBrush(style.vectorGround());
        p_.drawRect(s.rect);
        if (style.texture == Texture::solid)
            return;
        p_.save();
        QPainterPath clip; // of its own: nothing of the texture may pass the rectangle
        clip.addRect(s.rect);
        p_.setClipPath(clip, Qt::IntersectClip);
        texture(s.rect, style);
        p_.restore();
    }

    void operator()(const DrawnPolygon& s) const {
        p_.setPen(Qt::NoPen);
        p_.setBrush(s.fill);
        p_.drawPolygon(s.points);
    }

    void operator()(const DrawnCircle& s) const {
        p_.setPen(s.outline.isValid() ? QPen(s.outline, s.width) : QPen(Qt::NoPen));
        p_.setBrush(s.fill.isValid() ? QBrush(s.fill) : QBrush(Qt::NoBrush));
        p_.drawEllipse(s.center, s.radius, s.radius);
    }

    void operator()(const DrawnText& s) const {
        p_.setPen(s.color);
        p_.setFont(reportFont(s.pixelSize, s.strong));
        const double width = textWidth(s.text, s.pixelSize, s.strong);
        const double back = s.align == TextAlign::start    ? 0
                            : s.align == TextAlign::middle ? width / 2
                                                           : width;
        if (s.angle == 0) {
            p_.drawText(s.base - QPointF(back, 0), s.text);
            return;
        }
        p_.save();
        p_.translate(s.base);
        p_.rotate(s.angle);
        p_.drawText(QPointF(-back, 0), s.text);
        p_.restore();
    }

private:
    void texture(const QRectF& r, const ClassStyle& style) const {
        if (!std::isfinite(r.left()) || !std::isfinite(r.top()) || !std::isfinite(r.width()) ||
            !std::isfinite(r.height()))
            return; // the lines below are drawn from edge to edge
        const QColor ink = style.vectorPattern().color();
        p_.setBrush(Qt::NoBrush);
        switch (style.texture) {
        case Texture::solid:
            break;
        case Texture::diagonal:
        case Texture::backDiagonal:
            p_.setPen(QPen(ink, 1.6, Qt::SolidLine, Qt::FlatCap));
            for (double x = r.left() - r.height() - 8; x < r.right() + 8; x += 8) {
                const bool rising = style.texture == Texture::diagonal;
                p_.drawLine(QPointF(x, rising ? r.bottom() : r.top()),
                            QPointF(x + r.height(), rising ? r.top() : r.bottom()));
            }
            break;
        case Texture::dots:
            p_.setPen(Qt::NoPen);
            p_.setBrush(ink);
            for (double y = r.top() + 1.5; y < r.bottom() + 1; y += 3)
                for (double x = r.left() + (std::fmod(y - r.top(), 6) < 3 ? 1.5 : 4.5); x < r.right() + 1;
                     x += 6)
                    p_.drawEllipse(QPointF(x, y), 0.95, 0.95);
            break;
        case Texture::lines:
            p_.setPen(QPen(ink, 1.1, Qt::SolidLine, Qt::FlatCap));
            for (double y = r.top() + 1.5; y < r.bottom(); y += 3)
                p_.drawLine(QPointF(r.left(), y), QPointF(r.right(), y));
            break;
        case Texture::vertical:
            p_.setPen(QPen(ink, 2, Qt::SolidLine, Qt::FlatCap));
            for (double x = r.left() + 1; x < r.right() + 1; x += 6)
                p_.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
            break;
        }
    }

    QPainter& p_;
    const Theme& theme_;
};

} // namespace

void paintDrawing(QPainter& painter, const Drawing& drawing, const Theme& theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const ShapePainter shapePainter(painter, theme);
    for (const Shape& shape : drawing.shapes)
        std::visit(shapePainter, shape);
    painter.restore();
}

} // namespace alidade::views
