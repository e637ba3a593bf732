// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/keyboard_focus.h"

#include <QApplication>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QWidget>

#include <optional>

namespace alidade::views {
namespace {

bool byKeyboard = false;

/// Empty: the event does not tell.
std::optional<bool> tells(const QEvent* event) {
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::TouchBegin:
    case QEvent::TabletPress:
        return false;
    case QEvent::FocusIn: {
        const Qt::FocusReason reason = static_cast<const QFocusEvent*>(event)->reason();
        // Tab is seen as a key: a window that opens gives its first focus by "Tab" too, and it was not
        // pressed.
        return reason == Qt::ShortcutFocusReason ? std::optional(true)
               : reason == Qt::MouseFocusReason  ? std::optional(false)
                                                 : std::nullopt;
    }
    case QEvent::KeyPress: {
        const int key = static_cast<const QKeyEvent*>(event)->key();
        const bool moves = key >= Qt::Key_Home && key <= Qt::Key_PageDown;
        return moves || key == Qt::Key_Tab || key == Qt::Key_Backtab ? std::optional(true) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

class FocusWatch : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* receiver, QEvent* event) override {
        if (const std::optional<bool> keyboard = tells(event); keyboard && *keyboard != byKeyboard) {
            byKeyboard = *keyboard;
            if (QWidget* focus = QApplication::focusWidget())
                focus->update();
        }
        return QObject::eventFilter(receiver, event);
    }
};

/// From the first event on, so that the way of the first focus is known too.
void watchFocus() {
    QCoreApplication* application = QCoreApplication::instance();
    byKeyboard = false;
    application->installEventFilter(new FocusWatch(application));
}
Q_COREAPP_STARTUP_FUNCTION(watchFocus)

} // namespace

bool keyboardFocus(const QWidget* widget) { return byKeyboard && widget->hasFocus(); }

} // namespace alidade::views
