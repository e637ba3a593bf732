// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/dock_title_bar.h"

#include <QDockWidget>
#include <QPointer>

class QTabBar;

namespace alidade::views {
class View;
}

namespace alidade::app {

/// A dock that holds one view. Its title bar has the view's icon, title and note at the left, its aside and
/// its buttons at the right; the context menu floats and closes it. Among tabs the tab is the title, and the
/// rest of the title bar stands beside the tabs.
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
    /// Hands the title bar out, to be placed beside the tabs. null: it is the dock's own again.
    void lendBar(QTabBar* tabs);
    /// The dock has a tab, so its bar says no title.
    void setTabbed(bool tabbed);

signals:
    void closed(); ///< by a person

protected:
    void closeEvent(QCloseEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

private:
    void renewLeastSize();
    views::View* view_;
    QPointer<views::DockTitleBar> bar_;
    QWidget* place_; ///< where the title bar stands; without height while it is lent
    QAction* go_;
};

} // namespace alidade::app
