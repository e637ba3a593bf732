// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/stack_titles.h"

#include "app/window/plan_page.h"
#include "app/window/view_dock.h"
#include "views/document/view.h"
#include "views/kit/dock_title_bar.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QSet>
#include <QTabBar>

#include <algorithm>

namespace alidade::app {

namespace {

/// Tabs of docks that are one behind the other; one tab is not a stack.
bool isStack(const QTabBar* tabs) { return tabs != nullptr && !tabs->isHidden() && tabs->count() > 1; }

int endOfTabs(const QTabBar* tabs) { return tabs->tabRect(tabs->count() - 1).right() + 1; }

} // namespace

StackTitles::StackTitles(PlanPage& page)
    : QObject(&page)
    , page_(page) {}

void StackTitles::watch(QTabBar* tabs) {
    bars_.removeIf([](const QPointer<QTabBar>& each) { return each == nullptr; });
    if (std::ranges::find(bars_, tabs, [](const auto& each) { return each.data(); }) != bars_.end())
        return;
    bars_.append(tabs);
    tabs->setDrawBase(false);
    tabs->installEventFilter(this);
    connect(tabs, &QTabBar::currentChanged, this, [this, tabs] { showBar(tabs); });
    arrangeSoon();
}

void StackTitles::arrangeSoon() {
    if (asked_)
        return;
    asked_ = true;
    QMetaObject::invokeMethod(this, &StackTitles::arrange, Qt::QueuedConnection);
}

/// The bars of all docks of a stack go the same way, so that nothing moves when another tab comes to the
/// front.
void StackTitles::arrange() {
    asked_ = false;
    QHash<ViewDock*, QTabBar*> stacks; // null: the bar stays in the dock
    QSet<ViewDock*> tabbed;
    for (const QPointer<QTabBar>& tabs : std::as_const(bars_)) {
        if (!isStack(tabs))
            continue;
        const bool beside = hasRoomBeside(tabs);
        for (int i = 0; i < tabs->count(); ++i)
            if (ViewDock* dock = dockOf(tabs, i)) {
                tabbed.insert(dock);
                stacks.insert(dock, beside ? tabs.data() : nullptr);
            }
    }
    for (ViewDock* dock : page_.docks()) {
        dock->setTabbed(tabbed.contains(dock));
        dock->lendBar(stacks.value(dock));
    }
    for (const QPointer<QTabBar>& tabs : std::as_const(bars_))
        showBar(tabs);
}

bool StackTitles::hasRoomBeside(const QTabBar* tabs) const {
    int needed = 0;
    for (int i = 0; i < tabs->count(); ++i)
        if (const ViewDock* dock = dockOf(tabs, i); dock != nullptr && dock->bar() != nullptr)
            needed = std::max(needed, dock->bar()->leastWidth());
    return endOfTabs(tabs) + needed <= tabs->width();
}

void StackTitles::showBar(const QTabBar* tabs) const {
    if (!isStack(tabs))
        return;
    const int from = endOfTabs(tabs);
    for (int i = 0; i < tabs->count(); ++i) {
        const ViewDock* dock = dockOf(tabs, i);
        if (dock == nullptr || dock->bar() == nullptr || dock->bar()->parentWidget() != tabs)
            continue;
        dock->bar()->setGeometry(from, 0, tabs->width() - from, tabs->height());
        dock->bar()->setVisible(i == tabs->currentIndex());
    }
}

ViewDock* StackTitles::dockOf(const QTabBar* tabs, int index) const {
    const QString title = tabs->tabText(index);
    for (ViewDock* dock : page_.docks())
        if (dock->windowTitle() == title)
            return dock;
    return nullptr;
}

void StackTitles::showMenu(QTabBar* tabs, const QPoint& place) {
    const ViewDock* dock = dockOf(tabs, tabs->tabAt(place));
    if (dock == nullptr || dock->bar() == nullptr)
        return;
    auto* menu = new QMenu(tabs);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(dock->bar()->actions());
    menu->popup(tabs->mapToGlobal(place));
}

bool StackTitles::eventFilter(QObject* watched, QEvent* event) {
    auto* tabs = static_cast<QTabBar*>(watched);
    switch (event->type()) {
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::LayoutRequest:
    case QEvent::FontChange:
    case QEvent::StyleChange:
        arrangeSoon();
        break;
    case QEvent::MouseButtonDblClick: {
        const auto* click = static_cast<QMouseEvent*>(event);
        if (click->button() != Qt::LeftButton)
            break;
        const int tab = tabs->tabAt(click->position().toPoint());
        if (ViewDock* dock = dockOf(tabs, tab >= 0 ? tab : tabs->currentIndex()))
            QMetaObject::invokeMethod(dock, &ViewDock::maximizeRequested, Qt::QueuedConnection);
        return true;
    }
    case QEvent::ContextMenu: {
        const auto* asked = static_cast<QContextMenuEvent*>(event);
        const bool byKey = asked->reason() == QContextMenuEvent::Keyboard;
        showMenu(tabs, byKey ? tabs->tabRect(tabs->currentIndex()).center() : asked->pos());
        return true;
    }
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace alidade::app
