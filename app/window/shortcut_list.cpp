// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/shortcut_list.h"

#include "app/window/palette.h"
#include "views/document/view.h"

#include <QAction>
#include <QCoreApplication>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QSet>

#include <algorithm>

namespace alidade::app {

namespace {

struct ShortcutTexts {
    Q_DECLARE_TR_FUNCTIONS(Shortcuts)
};

QString keysOf(const QAction* action) {
    QStringList keys;
    for (const QKeySequence& each : action->shortcuts())
        keys.append(each.toString(QKeySequence::NativeText));
    keys.removeDuplicates();
    return keys.join(QStringLiteral(", "));
}

/// Without what the next step would undo.
QString wordsOf(const QAction* action) {
    if (action->objectName() == QLatin1String("undo"))
        return ShortcutTexts::tr("Undo");
    if (action->objectName() == QLatin1String("redo"))
        return ShortcutTexts::tr("Redo");
    return plainText(action);
}

void addMenu(const QMenu* menu, const QString& place, QList<ShortcutLine>& lines,
             QSet<const QAction*>& seen) {
    for (const QAction* action : menu->actions()) {
        if (action->menu() != nullptr)
            addMenu(action->menu(), place + QStringLiteral(" › ") + plainText(action), lines, seen);
        else if (!action->shortcut().isEmpty())
            lines.append({keysOf(action), wordsOf(action), place});
        seen.insert(action);
    }
}

/// The view that an action acts in, or the widget that carries it; empty: it belongs to a menu that is open.
QString placeOf(const QAction* action) {
    for (const QObject* each = action->parent(); each != nullptr; each = each->parent()) {
        if (qobject_cast<const QMenu*>(each) != nullptr)
            return {};
        if (const auto* view = qobject_cast<const views::View*>(each))
            return view->title();
    }
    for (const QObject* each : action->associatedObjects())
        if (const auto* widget = qobject_cast<const QWidget*>(each);
            widget != nullptr && !widget->accessibleName().isEmpty())
            return widget->accessibleName();
    return {};
}

} // namespace

QList<ShortcutLine> shortcutsOf(const QMainWindow& window) {
    QList<ShortcutLine> lines;
    QSet<const QAction*> seen;
    if (const auto* bar = qobject_cast<const QMenuBar*>(window.menuWidget()))
        for (const QAction* top : bar->actions())
            if (top->menu() != nullptr)
                addMenu(top->menu(), plainText(top), lines, seen);
    QList<ShortcutLine> others;
    for (const QAction* action : window.findChildren<QAction*>()) {
        if (seen.contains(action) || action->shortcut().isEmpty() || action->text().isEmpty())
            continue;
        const ShortcutLine line{keysOf(action), wordsOf(action), placeOf(action)};
        const bool known = std::ranges::any_of(others, [&line](const ShortcutLine& each) {
            return each.keys == line.keys && each.does == line.does && each.where == line.where;
        });
        if (!line.where.isEmpty() && !known)
            others.append(line);
    }
    std::ranges::stable_sort(others, {}, &ShortcutLine::where);
    return lines + others;
}

QList<ShortcutLine> keysOfViews() {
    const QString fields = ShortcutTexts::tr("Fields");
    const QString tables = ShortcutTexts::tr("Tables");
    const QString plots = ShortcutTexts::tr("Plots");
    const QString answer = ShortcutTexts::tr("Answer");
    const QString suggestions = ShortcutTexts::tr("What would change the answer");
    const QString explore = ShortcutTexts::tr("Explore");
    const QString timeline = ShortcutTexts::tr("Timeline");
    const QString topology = ShortcutTexts::tr("Topology");
    const QString charts = ShortcutTexts::tr("Live charts");
    const QString nodes = ShortcutTexts::tr("Map of nodes");
    const auto key = [](auto... keys) {
        QStringList texts;
        (texts.append(QKeySequence(keys).toString(QKeySequence::NativeText)), ...);
        return texts.join(QStringLiteral(", "));
    };
    const auto up = Qt::Key_Up;
    const auto down = Qt::Key_Down;
    const auto left = Qt::Key_Left;
    const auto right = Qt::Key_Right;
    return {
        {key(Qt::Key_Return), ShortcutTexts::tr("Apply the typed value"), fields},
        {key(Qt::Key_Escape), ShortcutTexts::tr("Back to the current value"), fields},
        {key(up, down), ShortcutTexts::tr("Step the value; with Shift by ten steps"), fields},
        {key(Qt::Key_PageUp, Qt::Key_PageDown), ShortcutTexts::tr("Step the value by ten steps"), fields},
        {key(Qt::CTRL | Qt::SHIFT | Qt::Key_Backspace), ShortcutTexts::tr("Reset to the default"), fields},
        {key(QKeySequence(QKeySequence::Copy)),
         ShortcutTexts::tr("Copy the selected cells with their headers"), tables},
        {key(QKeySequence(QKeySequence::Find)), ShortcutTexts::tr("Filter by column"), tables},
        {key(Qt::Key_Menu, Qt::SHIFT | Qt::Key_F10),
         ShortcutTexts::tr("Menu: copy, export, sort, columns, explain"), ShortcutTexts::tr("Everywhere")},
        {key(Qt::Key_Return), ShortcutTexts::tr("Explain the figure"), answer},
        {key(Qt::Key_Return), ShortcutTexts::tr("Adopt the change being tried"), suggestions},
        {key(Qt::Key_Escape), ShortcutTexts::tr("Discard the change being tried"), suggestions},
        {key(left, right, up, down), ShortcutTexts::tr("Pan, or go from point to point"), plots},
        {key(Qt::Key_Plus, Qt::Key_Minus), ShortcutTexts::tr("Zoom in and out"), plots},
        {key(Qt::Key_F, Qt::Key_Home), ShortcutTexts::tr("Show all"), plots},
        {key(Qt::Key_Z), ShortcutTexts::tr("Zoom to a rectangle"), plots},
        {key(Qt::CTRL | Qt::Key_D), ShortcutTexts::tr("Show the table behind the picture"), plots},
        {key(Qt::Key_Return), ShortcutTexts::tr("Adopt the chosen point, or sweep the chosen input"),
         explore},
        {key(Qt::Key_W, Qt::Key_S), ShortcutTexts::tr("Zoom in and out"), timeline},
        {key(Qt::Key_A, Qt::Key_D), ShortcutTexts::tr("Pan"), timeline},
        {key(left, right, up, down), ShortcutTexts::tr("Go from block to block"), timeline},
        {key(left, right, up, down), ShortcutTexts::tr("Go to the neighbor"), topology},
        {key(Qt::Key_Return), ShortcutTexts::tr("Into the chosen part"), topology},
        {key(Qt::Key_Backspace), ShortcutTexts::tr("Out of it"), topology},
        {key(Qt::Key_Slash), ShortcutTexts::tr("Search"), topology},
        {key(left, right), ShortcutTexts::tr("Move in time; with Shift move the range"), charts},
        {key(Qt::Key_Home), ShortcutTexts::tr("Show the whole range"), charts},
        {key(left, right, up, down), ShortcutTexts::tr("Go from cell to cell"), nodes},
        {key(Qt::Key_Return), ShortcutTexts::tr("Choose the node"), nodes},
    };
}

} // namespace alidade::app
