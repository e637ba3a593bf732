// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/wheel_guard.h"

#include <QEvent>
#include <QWidget>

namespace alidade::views {

void WheelGuard::install(QWidget* widget) {
    widget->setFocusPolicy(Qt::StrongFocus);
    widget->installEventFilter(new WheelGuard(widget));
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
    const auto* widget = qobject_cast<QWidget*>(watched);
    if (event->type() != QEvent::Wheel || !widget || widget->hasFocus())
        return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
}

} // namespace alidade::views
