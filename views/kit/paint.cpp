// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/paint.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double leastWidth = 2; // of a segment that is there at all
constexpr double leastForTexture = 4;
constexpr float bandOpacity = 0.32F;

bool isVectorDevice(const QPainter& painter) {
    const QPaintEngine* engine = painter.paintEngine();
    return engine && (engine->type() == QPaintEngine::Pdf || engine->type() == QPaintEngine::SVG ||
                      engine->type() == QPaintEngine::Picture);
}

double amount(const BarSegment& segment) {
    return std::isfinite(segment.value) && segment.value > 0 ? segment.value : 0;
}

} // namespace

double tagSize() { return theme().px(16); }

void paintTag(QPainter& painter, const QRectF& rect, Bound bound, const Theme& look) {
    const ClassStyle style = look.classStyle(bound);
    QRectF tag(0, 0, look.px(16), look.px(16));
    tag.moveCenter(rect.center());
    tag.moveTopLeft(QPointF(std::round(tag.left()), std::round(tag.top())));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.color);
    painter.drawRoundedRect(tag, 3, 3);
    QFont font = look.font(FontRole::block);
    font.setWeight(QFont::Bold);
    painter.setFont(font);
    painter.setPen(style.letterColor);
    painter.drawText(tag, Qt::AlignCenter, style.letter);
    painter.restore();
}

void paintClassFill(QPainter& painter, const QRectF& rect, Bound bound, double opacity, const Theme& look) {
    const ClassStyle style = look.classStyle(bound);
    painter.save();
    painter.setOpacity(painter.opacity() * opacity);
    if (rect.width() < leastForTexture || rect.height() < leastForTexture) {
        painter.fillRect(rect, style.color); // a cut-out line could be all that is seen
    } else if (isVectorDevice(painter)) {
        painter.fillRect(rect, style.vectorGround());
        if (style.texture != Texture::solid)
            painter.fillRect(rect, style.vectorPattern());
    } else {
        painter.setBrushOrigin(rect.topLeft());
        painter.fillRect(rect, style.brush(painter.device()->devicePixelRatioF()));
    }
    painter.restore();
}

QList<QRectF> barRects(const QRectF& rect, const QList<BarSegment>& segments, double maximum) {
    QList<QRectF> rects;
    double left = rect.left();
    for (const BarSegment& segment : segments) {
        const double value = amount(segment);
        if (value <= 0 || !(maximum > 0)) {
            rects.append(QRectF());
            continue;
        }
        const double width = value / maximum * rect.width();
        // A sliver that was widened to be seen pushes what follows, so that none covers another.
        const double drawn = std::max(width - 1, leastWidth);
        rects.append(QRectF(left, rect.top(), drawn, rect.height()));
        left += std::max(width, drawn + 1);
    }
    // What was widened is taken from the widest, so that the bar keeps its length.
    const double excess = left - 1 - rect.right();
    const auto widest =
        std::ranges::max_element(rects, {}, [](const QRectF& candidate) { return candidate.width(); });
    if (excess > 0 && widest != rects.end() && widest->width() > excess + leastWidth) {
        widest->setWidth(widest->width() - excess);
        for (auto next = std::next(widest); next != rects.end(); ++next)
            if (!next->isNull())
                next->translate(-excess, 0);
    }
    return rects;
}

void paintBar(QPainter& painter, const QRectF& rect, const QList<BarSegment>& segments, double maximum,
              const Theme& look) {
    const QList<QRectF> rects = barRects(rect, segments, maximum);
    for (qsizetype i = 0; i < rects.size(); ++i)
        if (!rects[i].isNull())
            paintClassFill(painter, rects[i], segments[i].bound, segments[i].opacity, look);
}

void paintBand(QPainter& painter, const QRectF& rect, const BandRange& band, BandLook how,
               const Theme& look) {
    const double middle = std::round(rect.center().y());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRectF(rect.left(), middle - 0.5, rect.width(), 1), look.color(Role::line));
    const double spread = band.high - band.low;
    const double start = band.low - spread / 4;
    const double range = spread * 1.5;
    const auto place = [&](double value) {
        return range > 0 ? rect.left() + std::clamp((value - start) / range, 0.0, 1.0) * rect.width()
                         : rect.center().x();
    };
    const bool faded = how == BandLook::faded;
    QColor pale = look.color(faded ? Role::line2 : Role::accent);
    if (!faded)
        pale.setAlphaF(bandOpacity);
    painter.setPen(Qt::NoPen);
    painter.setBrush(pale);
    painter.drawRoundedRect(QRectF(place(band.low), middle - 2, place(band.high) - place(band.low), 4), 2, 2);
    painter.fillRect(QRectF(place(band.value) - 1.25, middle - 4, 2.5, 8),
                     look.color(faded ? Role::text3 : Role::text));
    painter.restore();
}

void paintFocus(QPainter& painter, const QRectF& rect, double corner) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().color(Role::accent), 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), corner, corner);
    painter.restore();
}

} // namespace alidade::views
