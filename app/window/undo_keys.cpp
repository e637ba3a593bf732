// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/undo_keys.h"

#include "views/theme/kit_style.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace alidade::app {

namespace {

/// The text field that gets the keys of a widget: itself, or the one inside a spin or combo box.
QLineEdit* lineEditOf(QWidget* widget) {
    if (auto* combo = qobject_cast<QComboBox*>(widget))
        return combo->lineEdit();
    if (qobject_cast<QAbstractSpinBox*>(widget) != nullptr)
        return widget->findChild<QLineEdit*>();
    return qobject_cast<QLineEdit*>(widget);
}

/// Typing that is not committed, or that was refused. What was committed may still be in a field's own
/// history.
bool hasOwnStep(QWidget* widget, bool undo) {
    if (const QLineEdit* edit = lineEditOf(widget)) {
        const bool refused = widget->property(views::refusedProperty).toBool();
        return undo ? edit->isUndoAvailable() && (edit->isModified() || refused) : edit->isRedoAvailable();
    }
    const QTextDocument* text = nullptr;
    if (const auto* rich = qobject_cast<QTextEdit*>(widget))
        text = rich->isReadOnly() ? nullptr : rich->document();
    else if (const auto* plain = qobject_cast<QPlainTextEdit*>(widget))
        text = plain->isReadOnly() ? nullptr : plain->document();
    return text != nullptr && (undo ? text->isUndoAvailable() : text->isRedoAvailable());
}

bool isTextField(QWidget* widget) {
    return lineEditOf(widget) != nullptr || qobject_cast<QTextEdit*>(widget) != nullptr ||
           qobject_cast<QPlainTextEdit*>(widget) != nullptr;
}

} // namespace

UndoKeys::UndoKeys(QWidget* window)
    : QObject(window)
    , window_(window) {
    qApp->installEventFilter(this);
}

bool UndoKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride)
        return false;
    auto* widget = qobject_cast<QWidget*>(watched);
    auto* key = static_cast<QKeyEvent*>(event);
    const bool undo = key->matches(QKeySequence::Undo);
    if (widget == nullptr || !(undo || key->matches(QKeySequence::Redo)) || widget->window() != window_ ||
        !isTextField(widget) || hasOwnStep(widget, undo))
        return false;
    key->ignore(); // the window's action takes it
    return true;
}

} // namespace alidade::app
