// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/menu_keys.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QWidget>

namespace alidade::views {

MenuKeys::MenuKeys(QObject* parent)
    : QObject(parent) {
    qApp->installEventFilter(this);
}

bool MenuKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || !watched->isWidgetType() || QApplication::activePopupWidget())
        return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool wanted = (key->key() == Qt::Key_F10 && key->modifiers() == Qt::ShiftModifier) ||
                        (key->key() == Qt::Key_Menu && key->modifiers() == Qt::NoModifier);
    auto* widget = static_cast<QWidget*>(watched);
    if (!wanted || widget != QApplication::focusWidget())
        return false;
    const QPoint middle = widget->inputMethodQuery(Qt::ImCursorRectangle).toRect().center();
    const QPoint place =
        widget->rect().contains(middle) && !middle.isNull() ? middle : widget->rect().center();
    QContextMenuEvent request(QContextMenuEvent::Keyboard, place, widget->mapToGlobal(place));
    QCoreApplication::sendEvent(widget, &request);
    return request.isAccepted();
}

} // namespace alidade::views
