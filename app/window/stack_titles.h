// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>

class QTabBar;

namespace alidade::app {

class PlanPage;
class ViewDock;

/// One title a dock: where docks are stacked their tabs are the titles, and the note and the buttons of the
/// dock in front are at the right end of the tabs, if there is room; else in a line below them.
class StackTitles : public QObject {
    Q_OBJECT

public:
    explicit StackTitles(PlanPage& page);

    /// The page has made a bar of tabs.
    void watch(QTabBar* tabs);
    /// After docks were stacked or taken apart. Not at once: showing a bar lays the page out, which must not
    /// happen while it is being laid out.
    void arrangeSoon();
    void arrange();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool hasRoomBeside(const QTabBar* tabs) const;
    void showBar(const QTabBar* tabs) const;
    ViewDock* dockOf(const QTabBar* tabs, int index) const;
    void showMenu(QTabBar* tabs, const QPoint& place);

    PlanPage& page_;
    QList<QPointer<QTabBar>> bars_;
    bool asked_ = false;
};

} // namespace alidade::app
