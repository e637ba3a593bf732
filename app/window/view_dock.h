// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/dock_title_bar.h"

#include <QDockWidget>
#include <QPointer>

class QTabBar;
class QToolButton;

namespace alidade::views {
class View;
}

namespace alidade::app {

/// A dock that holds one view. Its title bar has the view's icon, title and note at the left, its aside and
/// its buttons at the right; a double click maximizes it, the context menu also floats and closes it. Among
/// tabs the tab is the title, and the rest of the title bar is next to the tabs.
class ViewDock : public QDockWidget {
    Q_OBJECT

public:
    /// \param name object name, under which the layout is saved: "layers"
    /// \param keys go to it
    ViewDock(const QString& name, views::View* view, const QKeySequence& keys, QWidget* parent);

    views::View* view() const { return view_; }
    /// Opens it if it is closed, brings it to the front and puts the focus into it; whoever makes the window
    /// connects it.
    QAction* goAction() const { return go_; }
    views::DockTitleBar* bar() const { return bar_; }
    /// Hands the title bar out, to be placed next to the tabs. null: it is the dock's own again.
    void lendBar(QTabBar* tabs);
    /// The dock has a tab, so its bar says no title.
    void setTabbed(bool tabbed);
    /// It fills the page: says so in the menu, and has a button that gives the others their room again.
    void setMaximized(bool maximized);

signals:
    void closed(); ///< by a person
    /// A person wants it to fill the page, to stand among the others again, or, of one that floats, to be
    /// docked.
    void maximizeRequested();
    void floatRequested(); ///< a person wants it to float, or to be docked again

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

private:
    void renewLeastSize();
    views::View* view_;
    QPointer<views::DockTitleBar> bar_;
    QWidget* place_; ///< where the title bar stands; without height while it is lent
    QAction* go_;
    QAction* maximize_;    ///< or restore
    QToolButton* restore_; ///< in the title bar, while it is maximized
};

} // namespace alidade::app
