// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/menu_combo.h"

#include <QKeyEvent>
#include <QMenu>

namespace alidade::views {

MenuCombo::MenuCombo(QWidget* parent)
    : QComboBox(parent)
    , menu_(new QMenu(this)) {
    setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(8);
    addItem({});
}

void MenuCombo::setText(const QString& text) {
    setItemText(0, text);
    setToolTip(text);
}

void MenuCombo::showPopup() {
    menu_->setMinimumWidth(width());
    menu_->popup(mapToGlobal(QPoint(0, height())));
}

/// There is nothing to step through: the keys that step open the menu instead.
void MenuCombo::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Space:
    case Qt::Key_Down:
    case Qt::Key_Up:
    case Qt::Key_F4:
        showPopup();
        return;
    default:
        event->ignore();
    }
}

void MenuCombo::wheelEvent(QWheelEvent* event) { event->ignore(); }

} // namespace alidade::views
