// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTest>
#include <QWheelEvent>

void wheelAt(QWidget* widget, QPointF place, int notches, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(place, widget->mapToGlobal(place), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
}

void wheel(QWidget* widget, int notches, Qt::KeyboardModifiers modifiers) {
    wheelAt(widget, QRectF(widget->rect()).center(), notches, modifiers);
}

void drag(QWidget* widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers) {
    QTest::mousePress(widget, Qt::LeftButton, modifiers, from);
    for (int i = 1; i <= 4; ++i) {
        const QPoint at = from + (to - from) * i / 4;
        QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                         modifiers);
        QApplication::sendEvent(widget, &move);
    }
    QTest::mouseRelease(widget, Qt::LeftButton, modifiers, to);
}

void moveTo(QWidget* widget, QPoint place) {
    QMouseEvent move(QEvent::MouseMove, place, widget->mapToGlobal(place), Qt::NoButton, Qt::NoButton, {});
    QApplication::sendEvent(widget, &move);
}

QMenu* askForMenu(QWidget* widget) {
    const QPoint place = widget->rect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, place, widget->mapToGlobal(place));
    QApplication::sendEvent(widget, &event);
    return qobject_cast<QMenu*>(QApplication::activePopupWidget());
}
