// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/way_button.h"

#include "views/icons/icon.h"
#include "views/kit/keyboard_focus.h"
#include "views/kit/paint.h"
#include "views/theme/theme_controller.h"

#include <QEvent>
#include <QPainter>

namespace alidade::views {

WayButton::WayButton(const QString& iconName, const QString& title, const QString& detail, QWidget* parent)
    : QAbstractButton(parent)
    , iconName_(iconName.toLatin1())
    , detail_(detail) {
    setText(title);
    setAccessibleName(title);
    setAccessibleDescription(detail);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize WayButton::sizeHint() const {
    const int lines = QFontMetrics(theme().font(FontRole::strong)).height() +
                      QFontMetrics(theme().font(FontRole::small)).height();
    return {theme().px(300), lines + theme().px(24)};
}

bool WayButton::event(QEvent* event) {
    if (event->type() == QEvent::Enter || event->type() == QEvent::Leave)
        update();
    return QAbstractButton::event(event);
}

void WayButton::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool marked = keyboardFocus(this) || underMouse();
    painter.setPen(QPen(look.color(marked ? Role::accent : Role::line2), marked ? 1.5 : 1));
    painter.setBrush(look.color(isDown() ? Role::sunken : Role::raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);

    const double side = look.px(20);
    const double left = look.px(14);
    paintIcon(painter, QRectF(left, (height() - side) / 2, side, side), QLatin1StringView(iconName_),
              look.color(Role::accent));
    const QFontMetricsF strong(look.font(FontRole::strong));
    const QFontMetricsF small(look.font(FontRole::small));
    const double textLeft = left + side + look.px(14);
    const double room = width() - textLeft - look.px(10);
    double top = (height() - strong.height() - small.height()) / 2;
    painter.setFont(look.font(FontRole::strong));
    painter.setPen(look.color(Role::text));
    painter.drawText(QRectF(textLeft, top, room, strong.height()), Qt::AlignLeft, text());
    top += strong.height();
    painter.setFont(look.font(FontRole::small));
    painter.setPen(look.color(Role::text2));
    painter.drawText(QRectF(textLeft, top, room, small.height()), Qt::AlignLeft,
                     small.elidedText(detail_, Qt::ElideRight, room));
}

LinkButton::LinkButton(const QString& iconName, const QString& text, const QString& note, QWidget* parent)
    : QAbstractButton(parent)
    , iconName_(iconName.toLatin1())
    , note_(note) {
    setText(text);
    setAccessibleName(text);
    setAccessibleDescription(note);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LinkButton::setNote(const QString& note) {
    note_ = note;
    setAccessibleDescription(note);
    update();
}

void LinkButton::setMiddle(const QString& middle) {
    middle_ = middle;
    setAccessibleDescription(middle + QStringLiteral(", ") + note_);
    update();
}

QSize LinkButton::sizeHint() const { return {theme().px(300), theme().rowHeight() + theme().px(6)}; }

bool LinkButton::event(QEvent* event) {
    if (event->type() == QEvent::Enter || event->type() == QEvent::Leave)
        update();
    return QAbstractButton::event(event);
}

void LinkButton::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || isDown()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(look.color(isDown() ? Role::sunken : Role::alt));
        painter.drawRoundedRect(rect(), 4, 4);
    }
    double left = look.px(2);
    if (!iconName_.isEmpty()) {
        const double side = look.px(16);
        paintIcon(painter, QRectF(left, (height() - side) / 2, side, side), QLatin1StringView(iconName_),
                  look.color(Role::text2));
        left += side + look.px(12);
    } else {
        left += look.px(6);
    }
    const QRectF area(left, 0, width() - left - look.px(6), height());
    painter.setFont(look.font(FontRole::small));
    painter.setPen(look.color(Role::text2));
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, note_);
    if (!middle_.isEmpty()) {
        const double from = look.px(270);
        const double room =
            area.width() - from - painter.fontMetrics().horizontalAdvance(note_) - look.px(12);
        painter.drawText(QRectF(left + from, 0, room, height()), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(middle_, Qt::ElideMiddle, static_cast<int>(room)));
    }
    painter.setFont(look.font(middle_.isEmpty() ? FontRole::body : FontRole::strong));
    painter.setPen(look.color(Role::text));
    const double textRoom = middle_.isEmpty() ? area.width() : look.px(256);
    painter.drawText(QRectF(left, 0, textRoom, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, static_cast<int>(textRoom)));
    if (keyboardFocus(this))
        paintFocus(painter, rect());
}

} // namespace alidade::views
