// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/kit_bars.h"

#include "views/theme/theme_controller.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOption>

#include <algorithm>

namespace alidade::views::bars {

namespace {

constexpr int railMark = 3;
constexpr int railBetween = 3; ///< between what a button has and its edges
constexpr int railAbove = 3;   ///< and below the label
constexpr int progressRadius = 3;

void drawRounded(QPainter& painter, const QRectF& rect, Role fill, double radius) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().color(fill));
    painter.drawRoundedRect(rect, radius, radius);
    painter.restore();
}

} // namespace

void drawTabShape(QPainter& painter, const QStyleOptionTab& option) {
    const Theme& look = theme();
    const bool selected = option.state & QStyle::State_Selected;
    const bool focused = selected && (option.state & QStyle::State_HasFocus);
    painter.fillRect(option.rect, look.color(focused ? Role::sel : Role::header));
    if (selected)
        painter.fillRect(option.rect.adjusted(0, option.rect.height() - tabMark, 0, 0),
                         look.color(Role::accent));
}

QColor tabInk(const QStyleOption& option) {
    const bool strong = option.state & (QStyle::State_Selected | QStyle::State_MouseOver);
    return theme().color(strong ? Role::text : Role::text2);
}

void drawHeaderSection(QPainter& painter, const QRect& rect) {
    painter.fillRect(rect, theme().color(Role::header));
    painter.fillRect(rect.adjusted(0, rect.height() - headerEdge, 0, 0), theme().color(Role::line));
}

QRect handleOf(const QStyleOptionSlider& option) {
    const QRect all = option.rect;
    const bool flat = option.orientation == Qt::Horizontal;
    const int length = flat ? all.width() : all.height();
    const qint64 range = qint64(option.maximum) - option.minimum;
    int handle = length;
    if (range > 0)
        handle = std::clamp(static_cast<int>(qint64(option.pageStep) * length / (range + option.pageStep)),
                            std::min(leastHandle, length), length);
    const int at = QStyle::sliderPositionFromValue(option.minimum, option.maximum, option.sliderPosition,
                                                   length - handle, option.upsideDown);
    return flat ? QRect(all.left() + at, all.top(), handle, all.height())
                : QRect(all.left(), all.top() + at, all.width(), handle);
}

void drawScrollBar(QPainter& painter, const QStyleOptionSlider& option, const QRect& handle) {
    painter.fillRect(option.rect, theme().color(Role::window));
    if (option.maximum <= option.minimum)
        return;
    const bool hovered =
        (option.state & QStyle::State_MouseOver) && (option.activeSubControls & QStyle::SC_ScrollBarSlider);
    drawRounded(painter, QRectF(handle).adjusted(2, 2, -2, -2), hovered ? Role::text3 : Role::line2, 4);
}

void drawRailButton(QPainter& painter, const QStyleOptionToolButton& option) {
    if (option.state & QStyle::State_HasFocus)
        painter.fillRect(option.rect, theme().color(Role::sel));
    if (option.state & QStyle::State_On)
        painter.fillRect(option.rect.left(), option.rect.top(), railMark, option.rect.height(),
                         theme().color(Role::accent));
}

QColor railInk(const QStyleOption& option) {
    const bool hovered = option.state & QStyle::State_MouseOver;
    return theme().color(option.state & QStyle::State_On ? Role::accent : hovered ? Role::text : Role::text2);
}

QRect railLabel(const QRect& button) { return button.adjusted(railMark, railAbove, -railMark, -railAbove); }

QSize railButtonSize(const QSize& content) {
    return {std::max(content.width(), theme().px(63)) + 2 * railMark + railBetween,
            content.height() + 2 * railAbove + railBetween};
}

void drawStatusBar(QPainter& painter, const QRect& rect) {
    painter.fillRect(rect, theme().color(Role::header));
    painter.fillRect(rect.left(), rect.top(), rect.width(), 1, theme().color(Role::line));
}

void drawToolTip(QPainter& painter, const QRect& rect) {
    painter.fillRect(rect, theme().color(Role::line2));
    painter.fillRect(rect.adjusted(1, 1, -1, -1), theme().color(Role::raised));
}

void drawProgressGround(QPainter& painter, const QRect& rect) {
    drawRounded(painter, rect, Role::sunken, progressRadius);
}

/// Of an unknown length: a piece in the middle.
void drawProgress(QPainter& painter, const QStyleOptionProgressBar& option) {
    QRectF done = option.rect;
    const double range = double(option.maximum) - option.minimum;
    if (range > 0) {
        done.setWidth(done.width() * std::clamp((option.progress - option.minimum) / range, 0.0, 1.0));
        if (option.invertedAppearance != (option.direction == Qt::RightToLeft))
            done.moveRight(option.rect.right() + 1);
    } else {
        done.adjust(done.width() * 0.3, 0, -done.width() * 0.3, 0);
    }
    if (done.width() >= 1)
        drawRounded(painter, done, Role::accent, progressRadius);
}

} // namespace alidade::views::bars
