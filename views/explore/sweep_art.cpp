// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/sweep_art.h"

#include "views/kit/paint.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr double dot = 2.4, diamond = 5, ring = 8, chosenDot = 4.5; // radii, logical pixels
constexpr int bandAlpha = 38;                                       // of 255
constexpr double ribbonGap = 10;                                    // logical pixels between plot and ribbon
constexpr double farAway = 1e5;

QPolygonF diamondAt(const QPointF& at, double radius) {
    return QPolygonF({at + QPointF(0, -radius), at + QPointF(radius, 0), at + QPointF(0, radius),
                      at + QPointF(-radius, 0)});
}

/// All classes in the order of stacks.
const std::array<Bound, allBounds.size()>& stacked() {
    static const auto order = [] {
        auto out = allBounds;
        std::ranges::stable_sort(out, {}, stackPosition);
        return out;
    }();
    return order;
}

} // namespace

QPointF SweepArt::place(const Mark& mark) const {
    return {pixelX(mark.x), std::clamp(pixelY(mark.value.value_or(0)), -farAway, farAway)};
}

QRectF SweepArt::ribbonRect() const {
    QRectF out = area();
    out.setTop(out.bottom() - out.height() * ribbonShare() + owner_.look().px(ribbonGap));
    return out;
}

double SweepArt::edgeAfter(qsizetype i) const {
    const double here = pixelX(marks[i].x);
    if (i + 1 < marks.size())
        return (here + pixelX(marks[i + 1].x)) / 2;
    return marks.size() > 1 ? here + (here - pixelX(marks[i - 1].x)) / 2 : area().right();
}

void SweepArt::draw(QCPPainter* painter) {
    if (marks.isEmpty() || area().width() < 20 || area().height() < 20)
        return;
    painter->setRenderHint(QPainter::Antialiasing);
    QRectF upper = area();
    if (ribbon_)
        upper.setBottom(ribbonRect().top() - owner_.look().px(ribbonGap) / 2.0);
    LabelPlacer labels(upper);
    labels.keepFree(owner_.titleRect(PlotAxis::y));
    painter->save();
    painter->setClipRect(area());
    drawUnfit(painter, labels);
    drawBand(painter);
    drawLine(painter, labels);
    drawKinks(painter, labels);
    drawMarks(painter);
    if (ribbon_)
        drawRibbon(painter);
    labels.paint(*painter, owner_.look().color(Role::base));
    painter->restore();
}

/// Where the plan does not fit, a tint over the height; where it does not run, a cross on the base line.
void SweepArt::drawUnfit(QCPPainter* painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    QRectF widest;
    for (qsizetype i = 0; i < marks.size(); ++i) {
        if (!marks[i].runs || marks[i].fits)
            continue;
        const double left = i == 0 ? area().left() : edgeAfter(i - 1);
        qsizetype end = i;
        while (end + 1 < marks.size() && marks[end + 1].runs && !marks[end + 1].fits)
            ++end;
        const double right = end + 1 == marks.size() ? area().right() : edgeAfter(end);
        QRectF tint(left, area().top(), right - left, area().height());
        QColor ground = look.color(Role::errBg);
        ground.setAlpha(150);
        painter->fillRect(tint, ground);
        if (tint.width() > widest.width())
            widest = tint;
        i = end;
    }
    if (!widest.isEmpty() && !unfitText.isEmpty()) {
        const double y = ribbon_ ? ribbonRect().top() - look.px(ribbonGap) : area().bottom();
        labels.addAt({{QPointF(widest.center().x(), y - 2), Qt::AlignHCenter | Qt::AlignBottom},
                      {QPointF(widest.right() - 4, y - 2), Qt::AlignRight | Qt::AlignBottom},
                      {QPointF(widest.left() + 4, y - 2), Qt::AlignLeft | Qt::AlignBottom},
                      {QPointF(widest.center().x(), widest.top() + 4), Qt::AlignHCenter | Qt::AlignTop}},
                     unfitText, {look.font(FontRole::small), look.color(Role::err)});
    }
}

void SweepArt::drawBand(QCPPainter* painter) const {
    QColor fill = owner_.look().color(Role::accent);
    fill.setAlpha(bandAlpha);
    painter->setPen(Qt::NoPen);
    painter->setBrush(fill);
    for (qsizetype i = 0; i < marks.size(); ++i) {
        QPolygonF upper, lower;
        for (; i < marks.size() && marks[i].low && marks[i].high; ++i) {
            upper.append({pixelX(marks[i].x), std::clamp(pixelY(*marks[i].high), -farAway, farAway)});
            lower.prepend({pixelX(marks[i].x), std::clamp(pixelY(*marks[i].low), -farAway, farAway)});
        }
        if (upper.size() > 1)
            painter->drawPolygon(upper + lower);
    }
}

void SweepArt::drawLine(QCPPainter* painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    for (qsizetype i = 1; i < marks.size(); ++i) {
        const Mark &a = marks[i - 1], &b = marks[i];
        if (!a.value || !b.value)
            continue;
        const bool fits = a.fits && b.fits;
        QPen pen(look.color(fits ? Role::text : Role::text3), look.px(1) * (fits ? 1.6 : 1.2));
        if (!fits)
            pen.setStyle(Qt::DotLine);
        painter->setPen(pen);
        const QLineF line(place(a), place(b));
        painter->drawLine(line);
        labels.keepFree(line);
    }
    if (target) {
        const double y = pixelY(*target);
        QPen pen(look.color(Role::accent), look.px(1));
        pen.setDashPattern({7, 3});
        painter->setPen(pen);
        const QLineF line(area().left(), y, area().right(), y);
        painter->drawLine(line);
        labels.addAlong(line, targetText, {look.font(FontRole::small), look.color(Role::accent)},
                        {0.02, 0.5, 0.98});
    }
}

void SweepArt::drawMarks(QCPPainter* painter) const {
    const Theme& look = owner_.look();
    const double unit = look.px(1);
    const QColor ink = look.color(Role::text);
    const double floor = ribbon_ ? ribbonRect().top() - look.px(ribbonGap) : area().bottom();
    for (const Mark& each : marks) {
        if (!each.value) {
            painter->setPen(QPen(look.color(each.runs ? Role::text3 : Role::err), unit));
            const QPointF at(pixelX(each.x), floor - 5 * unit);
            painter->drawLine(at + QPointF(-3, -3) * unit, at + QPointF(3, 3) * unit);
            painter->drawLine(at + QPointF(-3, 3) * unit, at + QPointF(3, -3) * unit);
            continue;
        }
        painter->setPen(QPen(each.fits ? ink : look.color(Role::text3), unit));
        painter->setBrush(each.fits ? ink : look.color(Role::base));
        painter->drawEllipse(place(each), unit * dot, unit * dot);
    }
    painter->setBrush(Qt::NoBrush);
    if (present && present->value) {
        painter->setPen(QPen(ink, unit * 1.6));
        painter->drawEllipse(place(*present), unit * ring, unit * ring);
    }
    if (chosen >= 0 && chosen < marks.size() && marks[chosen].value) {
        painter->setPen(QPen(look.color(Role::base), unit * 1.5));
        painter->setBrush(look.color(Role::accent));
        painter->drawEllipse(place(marks[chosen]), unit * chosenDot, unit * chosenDot);
        painter->setBrush(Qt::NoBrush);
    }
}

void SweepArt::drawKinks(QCPPainter* painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    const double unit = look.px(1), row = QFontMetricsF(look.font(FontRole::small)).height();
    for (const Kink& each : kinks) {
        // On the line, between the marks next to it.
        const auto after = std::ranges::find_if(marks, [&](const Mark& m) { return m.x >= each.x; });
        if (after == marks.end() || after == marks.begin() || !after->value || !(after - 1)->value)
            continue;
        const QLineF line(place(*(after - 1)), place(*after));
        const double x = pixelX(each.x);
        const QPointF at = line.dx() != 0 ? line.pointAt((x - line.x1()) / line.dx()) : place(*after);
        QPen pen(look.color(Role::text2), unit);
        pen.setStyle(Qt::DotLine);
        painter->setPen(pen);
        painter->drawLine(at, QPointF(x, area().bottom()));
        painter->setPen(QPen(look.color(Role::text), unit));
        painter->setBrush(look.color(Role::base));
        painter->drawPolygon(diamondAt(at, unit * diamond));
        painter->setBrush(Qt::NoBrush);
        if (!ribbon_)
            continue; // too small for words
        labels.keepFree(
            QRectF(at.x() - diamond * unit, at.y() - diamond * unit, 2 * diamond * unit, 2 * diamond * unit));
        const double gap = unit * 9;
        QList<LabelPlacer::Spot> spots;
        for (const double down : {0.6, 1.6, 2.6, 3.8, 5.0})
            spots.append({at + QPointF(gap, row * down), Qt::AlignLeft | Qt::AlignTop});
        for (const double up : {0.4, 1.4, 2.4})
            spots.append({at + QPointF(-gap, -row * up), Qt::AlignRight | Qt::AlignBottom});
        labels.addAt(spots, each.title + u' ' + each.detail,
                     {look.font(FontRole::small), look.color(Role::text)});
    }
}

void SweepArt::drawRibbon(QCPPainter* painter) const {
    const Theme& look = owner_.look();
    const QRectF ribbon = ribbonRect();
    // The grid and the line end above it.
    painter->fillRect(ribbon.adjusted(0, -look.px(ribbonGap) / 2.0, 0, 1), look.color(Role::base));
    painter->setPen(QPen(look.color(Role::line2), 1));
    const double base = ribbon.top() - look.px(ribbonGap) / 2.0;
    painter->drawLine(QPointF(area().left(), base), QPointF(area().right(), base));
    for (qsizetype i = 0; i < marks.size(); ++i) {
        if (!marks[i].runs)
            continue;
        const double left =
            i == 0 ? std::max(area().left(), 2 * pixelX(marks[0].x) - edgeAfter(0)) : edgeAfter(i - 1);
        const double right = std::min(area().right(), edgeAfter(i));
        double top = ribbon.top();
        for (const Bound bound : stacked()) {
            const double height = marks[i].shares[static_cast<std::size_t>(bound)] * ribbon.height();
            if (height > 0.2)
                paintClassFill(*painter, QRectF(left, top, right - left + 0.5, height), bound, 1, look);
            top += height;
        }
    }
    drawTags(painter, ribbon);
}

/// The letter of each class where it is tallest, if it has room for one there.
void SweepArt::drawTags(QCPPainter* painter, const QRectF& ribbon) const {
    const double size = tagSize();
    QList<QRectF> taken;
    for (const Bound bound : stacked()) {
        double best = 0;
        QPointF where;
        for (const Mark& mark : marks) {
            double above = 0;
            for (const Bound each : stacked()) {
                if (each == bound)
                    break;
                above += mark.shares[static_cast<std::size_t>(each)];
            }
            const double height = mark.shares[static_cast<std::size_t>(bound)] * ribbon.height();
            const QPointF at(pixelX(mark.x), ribbon.top() + above * ribbon.height() + height / 2);
            const bool inside = at.x() > ribbon.left() + size && at.x() < ribbon.right() - size;
            if (mark.runs && inside && height > best) {
                best = height;
                where = at;
            }
        }
        const QRectF tag(where.x() - size / 2, where.y() - size / 2, size, size);
        const bool free = std::ranges::none_of(taken, [&](const QRectF& t) { return t.intersects(tag); });
        if (best > size * 0.7 && free) {
            paintTag(*painter, tag, bound, owner_.look());
            taken.append(tag);
        }
    }
}

} // namespace alidade::views
