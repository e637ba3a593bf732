// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>

class QAction;
class QActionGroup;
class QMenu;
class QToolButton;
class QWidget;

namespace alidade::views {
class Document;
}

namespace alidade::app {

class LibraryDesk;

/// Baselines as the window's parts see them: the menu that pins, chooses and names them, the button of the
/// tool bar that says which one is shown, and their place in the workspace.
class BaselineDesk : public QObject {
    Q_OBJECT

public:
    /// All must outlive this; dialogs belong to `window`.
    BaselineDesk(views::Document& document, LibraryDesk& library, QWidget& window);

    QMenu* menu() const { return menu_; }
    /// Made for a tool bar; opens the menu.
    QToolButton* makeButton();
    QAction* showAction() const { return show_; }
    QAction* pinAction() const { return pin_; }

private:
    void pin();
    void show(bool shown);
    void renew();
    void renewItems();
    void rename();

    views::Document& document_;
    LibraryDesk& library_;
    QWidget& window_;
    QMenu* menu_;
    QAction *show_, *pin_, *rename_, *remove_;
    QAction* end_;          ///< the baselines are before it
    QList<QAction*> items_; ///< one a baseline
    QActionGroup* chosen_;  ///< of the items: the current one keeps its tick when it is chosen again
    QToolButton* button_ = nullptr;
    bool restoring_ = false;
};

} // namespace alidade::app
