// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

class QMainWindow;

namespace alidade::app {

/// One line of the list of shortcuts.
struct ShortcutLine {
    QString keys;  ///< "Ctrl+Shift+Z", in the words of the platform; several are parted by commas
    QString does;  ///< "Redo"
    QString where; ///< "Edit", "Timeline"
};

/// Every action of a window that has a shortcut, as it is at the moment: the menus in their order, then what
/// belongs to single views.
QList<ShortcutLine> shortcutsOf(const QMainWindow& window);

/// Keys that are not actions: views, tables, plots and fields handle them themselves.
QList<ShortcutLine> keysOfViews();

} // namespace alidade::app
