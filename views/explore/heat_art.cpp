// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/heat_art.h"

#include "views/document/text.h"
#include "views/explore/heat_plot.h"
#include "views/kit/ink_on.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {

namespace {

constexpr int scaleSteps = 7;
constexpr double swatch = 14;  // logical pixels
constexpr double quiet = 0.08; // of the color ramp, that the least value keeps above nothing

} // namespace

double HeatArt::scaleWidth() const { return owner_.look().px(112); }

QRectF HeatArt::rectOf(int cell) const {
    const int column = cell % columns, row = cell / columns;
    return QRectF(pixel(column - 0.5, row + 0.5), pixel(column + 0.5, row - 0.5)).normalized();
}

const HeatArt::Cell* HeatArt::at(int column, int row) const {
    const int index = row * columns + column;
    return column < 0 || row < 0 || column >= columns || row >= rows || index >= cells.size() ? nullptr
                                                                                              : &cells[index];
}

void HeatArt::range(double& low, double& high) const {
    low = std::numeric_limits<double>::infinity();
    high = -low;
    for (const Cell& each : cells)
        if (each.value) {
            low = std::min(low, *each.value);
            high = std::max(high, *each.value);
        }
}

/// The strong end is the good one.
QColor HeatArt::colorOf(double value, double low, double high) const {
    const bool wide = low > 0 && high / low > 30;
    double t = !(high > low) ? 0.5
               : wide        ? std::log(value / low) / std::log(high / low)
                             : (value - low) / (high - low);
    if (!moreIsBetter)
        t = 1 - t;
    return owner_.look().sequential(quiet + (1 - quiet) * t);
}

void HeatArt::draw(QCPPainter* painter) {
    if (columns == 0 || rows == 0)
        return;
    double low = 0, high = 0;
    range(low, high);
    painter->save();
    painter->setClipRect(area().adjusted(-1, -1, 1, 1));
    drawCells(painter, low, high);
    const Theme& look = owner_.look();
    if (goal) {
        QPen pen(look.color(Role::accent), look.px(2));
        pen.setDashPattern({4, 2});
        drawEdges(painter, &Cell::reaches, pen);
    }
    drawEdges(painter, &Cell::fits, QPen(look.color(Role::err), look.px(2)));
    painter->setBrush(Qt::NoBrush);
    if (present >= 0) {
        painter->setPen(QPen(look.color(Role::text), look.px(2)));
        painter->drawRect(rectOf(present).adjusted(1, 1, -1, -1));
    }
    if (chosen >= 0) {
        painter->setPen(QPen(look.color(Role::accent), look.px(3)));
        painter->drawRect(rectOf(chosen).adjusted(1, 1, -1, -1));
    }
    drawNumbers(painter, low, high);
    painter->restore();
    if (low <= high)
        drawScale(painter, low, high);
}

void HeatArt::drawCells(QCPPainter* painter, double low, double high) const {
    const Theme& look = owner_.look();
    painter->setPen(Qt::NoPen);
    for (int i = 0; i < cells.size(); ++i) {
        const Cell& each = cells[i];
        const QRectF rect = rectOf(i).adjusted(0.5, 0.5, -0.5, -0.5);
        if (!each.known)
            continue;
        if (!each.runs || !each.value) {
            painter->fillRect(rect, QBrush(look.color(Role::line2), Qt::BDiagPattern));
            continue;
        }
        painter->fillRect(rect, colorOf(*each.value, low, high));
        if (!each.fits) {
            QColor veil = look.color(Role::base);
            veil.setAlphaF(0.35F);
            painter->fillRect(rect, veil);
            painter->fillRect(rect, QBrush(look.color(Role::text2), Qt::BDiagPattern));
        }
    }
}

/// A line between a cell of which something holds and a neighbor that runs and of which it does not.
void HeatArt::drawEdges(QCPPainter* painter, bool Cell::* what, const QPen& pen) const {
    painter->setPen(pen);
    const auto differ = [&](const Cell* a, const Cell* b) {
        return a && b && a->known && b->known && a->runs && b->runs && a->*what != b->*what;
    };
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const QRectF rect = rectOf(row * columns + column);
            if (differ(at(column, row), at(column + 1, row)))
                painter->drawLine(rect.topRight(), rect.bottomRight());
            if (differ(at(column, row), at(column, row + 1)))
                painter->drawLine(rect.topLeft(), rect.topRight());
        }
}

/// The present cell, the chosen one, the best one that fits, and the ends.
void HeatArt::drawNumbers(QCPPainter* painter, double low, double high) const {
    const Theme& look = owner_.look();
    painter->setFont(look.font(FontRole::small));
    int best = -1;
    for (int i = 0; i < cells.size(); ++i)
        if (cells[i].value && cells[i].fits &&
            (best < 0 || (*cells[i].value > *cells[best].value) == moreIsBetter))
            best = i;
    QList<int> named;
    for (const int each : {present, chosen, best})
        if (each >= 0 && each < cells.size() && cells[each].value && !named.contains(each))
            named.append(each);
    for (const int each : named) {
        const QString words = glance(*cells[each].value, dimension);
        const QRectF rect = rectOf(each);
        if (painter->fontMetrics().horizontalAdvance(words) + 4 > rect.width() ||
            painter->fontMetrics().height() > rect.height() + 2)
            continue;
        painter->setPen(inkOn(colorOf(*cells[each].value, low, high), look));
        painter->drawText(rect, Qt::AlignCenter, words);
    }
}

/// At the right: what the colors, the hatch and the lines mean.
void HeatArt::drawScale(QCPPainter* painter, double low, double high) const {
    const Theme& look = owner_.look();
    const double x = area().right() + look.px(16), side = look.px(swatch);
    double y = area().top();
    painter->setFont(look.font(FontRole::small));
    const double row = painter->fontMetrics().height();
    const auto words = [&](const QString& text, double top, Role ink) {
        painter->setPen(look.color(ink));
        painter->drawText(QRectF(x + side + look.px(6), top, scaleWidth(), side), Qt::AlignVCenter, text);
    };
    const int steps = high > low ? scaleSteps : 1;
    for (int i = 0; i < steps; ++i) {
        const double t = steps == 1 ? 0 : static_cast<double>(i) / (steps - 1);
        const bool wide = low > 0 && high / low > 30;
        const double value = wide ? high * std::pow(low / high, t) : high + (low - high) * t;
        painter->fillRect(QRectF(x, y, side, side), colorOf(value, low, high));
        if (i == 0 || i == steps - 1 || i == steps / 2)
            words(glance(value, dimension), y, Role::text2);
        y += side;
    }
    y += row * 0.8;
    const bool unfit = std::ranges::any_of(cells, [](const Cell& c) { return c.runs && c.value && !c.fits; });
    const bool illegal =
        std::ranges::any_of(cells, [](const Cell& c) { return c.known && (!c.runs || !c.value); });
    const auto room = [&] { return y + side < area().bottom() + row; };
    if (unfit && room()) {
        painter->fillRect(QRectF(x, y, side, side), QBrush(look.color(Role::text2), Qt::BDiagPattern));
        words(HeatPlot::tr("does not fit"), y, Role::text2);
        y += side * 1.5;
    }
    if (illegal && room()) {
        painter->fillRect(QRectF(x, y, side, side), QBrush(look.color(Role::line2), Qt::BDiagPattern));
        words(HeatPlot::tr("does not run"), y, Role::text2);
        y += side * 1.5;
    }
    const auto line = [&](const QPen& pen, const QString& text, Role ink) {
        if (!room())
            return;
        painter->setPen(pen);
        painter->drawLine(QPointF(x, y + side / 2), QPointF(x + side, y + side / 2));
        words(text, y, ink);
        y += side * 1.5;
    };
    if (unfit)
        line(QPen(look.color(Role::err), look.px(2)), HeatPlot::tr("edge of fit"), Role::err);
    if (goal)
        line(QPen(look.color(Role::accent), look.px(2), Qt::DashLine), HeatPlot::tr("goal"), Role::accent);
    if (present >= 0 && room()) {
        painter->setPen(QPen(look.color(Role::text), look.px(2)));
        painter->drawRect(QRectF(x + 1, y + 2, side - 2, side - 4));
        words(HeatPlot::tr("present"), y, Role::text2);
    }
}

} // namespace alidade::views
