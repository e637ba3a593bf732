// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/plan_docks.h"

#include <QByteArray>
#include <QList>
#include <QMainWindow>
#include <QPointer>

#include <optional>

namespace alidade::views {
class Document;
class History;
class HistoryView;
class SummaryView;
class View;
} // namespace alidade::views

namespace alidade::app {

class DockPlaces;
class StackTitles;
class ViewDock;

/// The plan: the answer on top, around it the scenario and the views as docks that can be moved, stacked,
/// floated and closed. Which of them are open follows the kind of workload; how they are stacked follows the
/// room, until a person moves one.
class PlanPage : public QMainWindow {
    Q_OBJECT

public:
    /// \param history of the open scenario
    PlanPage(views::Document* document, views::History* history, QWidget* parent = nullptr);
    ~PlanPage() override;

    views::SummaryView* summary() const { return summary_; }
    views::HistoryView* history() const;
    const QList<ViewDock*>& docks() const { return docks_; }
    ViewDock* dock(const QString& name) const; ///< null if there is none of that name
    /// Opens a dock if it is closed, brings it to the front and puts the focus into it.
    void raise(const QString& name);
    /// Open, and not behind another tab.
    bool isInFront(const ViewDock& dock) const;
    bool isBehind(const QWidget* widget) const; ///< in a dock that is behind the tab of another one
    /// The view with the keyboard focus, else the one that was last chosen and is still to be seen; null:
    /// none.
    views::View* presentView() const;
    /// Puts the focus into the next (1) or previous (-1) of the views that are to be seen.
    void stepView(int direction);
    /// Closes the dock with the focus.
    void closePresent();
    /// Fills the page with the dock that has the focus, or gives the others their room again.
    void maximizePresent();

    QByteArray saveLayout() const;
    /// Takes effect when the page is shown, which is when it has its size: in less room docks would lose
    /// theirs. False for a layout of another version, or none: then the default one is used.
    bool restoreLayout(const QByteArray& layout);
    void restoreDefaultLayout();

    /// The least that the default layout can be made for; a layout of one's own may need more.
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void childEvent(QChildEvent* event) override;

private:
    using Kind = PlanKind;
    /// What the default layout depends on.
    struct Room {
        bool wide = false; ///< roofline and suggestions have their own column
        bool low = false;  ///< there is one row of docks
        bool operator==(const Room&) const = default;
    };
    struct Layout {
        QByteArray docks;
        bool isDefault = false;
        Kind kind = Kind::training;
        Room room;
    };
    using Rows = QList<QList<ViewDock*>>;

    void add(const PlanDock& dock);
    template <class V>
    V* view() const; ///< the first of this class among the docks
    QList<ViewDock*> at(DockPlace place, Kind kind) const;
    QList<views::View*> seenViews() const;
    static std::optional<Layout> unpack(const QByteArray& layout);
    void takeLayout();
    void toggleMaximized(ViewDock& dock);
    void toggleFloating(ViewDock& dock);
    void restoreMaximized();
    void placeDefault(Room room, Kind kind);
    Rows rowsOf(Room room, Kind kind) const;
    static Kind kindOf(const views::Document& document);
    void showFor(Kind kind);
    void shareSpace(const Rows& rows, Room room, Kind kind);
    Room room() const;
    void followRoom();
    void followKind();

    views::Document* document_;
    views::SummaryView* summary_;
    views::History* history_;
    QList<ViewDock*> docks_;
    StackTitles* titles_;
    DockPlaces* places_;
    QList<ViewDock*> floatedAway_;  ///< floating docks hidden together with the page
    std::optional<Layout> pending_; ///< to be restored when the page has its size
    bool isDefault_ = true;         ///< no dock was moved: the layout follows the size of the window
    bool placing_ = false;          ///< docks move because of the page
    std::optional<Room> placedFor_; ///< what placeDefault was last asked for
    Kind kind_ = Kind::training;    ///< of workload that the docks are for
    QPointer<views::View> present_; ///< had the focus last, or its tab was chosen
};

} // namespace alidade::app
