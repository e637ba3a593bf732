// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QStackedWidget;
class QTabBar;

namespace alidade::views {
class Document;
class RunView;
class View;
} // namespace alidade::views

namespace alidade::app {

class PlanPage;

/// The page Plan: the step with its docks, and the whole run as a separate page, which needs all the room.
/// Only training has a run: other kinds have no tabs, unless the run is what is shown.
class PlanTabs : public QWidget {
    Q_OBJECT

public:
    PlanTabs(views::Document* document, PlanPage* step, QWidget* parent = nullptr);

    views::RunView* run() const { return run_; }
    /// Object name under which the run is asked for: "run".
    static QString runName();
    bool showsRun() const;
    void showRun(bool on);
    /// The view that keys and the guide are about; null: none has been chosen.
    views::View* presentView() const;
    QTabBar* tabs() const { return tabs_; }
    /// Goes to the run; whoever makes the window connects it.
    QAction* goAction() const { return go_; }

signals:
    void shownChanged(); ///< the step, or the run

private:
    void renewTabs();
    void showTab(int tab);

    views::Document* document_;
    PlanPage* step_;
    views::RunView* run_;
    QTabBar* tabs_;
    QStackedWidget* pages_;
    QAction* go_;
};

} // namespace alidade::app
