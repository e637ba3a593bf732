// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dock_places.h"

#include "app/window/stack_titles.h"
#include "app/window/view_dock.h"

#include <QMainWindow>

namespace alidade::app {

DockPlaces::DockPlaces(QMainWindow& page, const QList<ViewDock*>& docks, StackTitles& titles, int version)
    : QObject(&page)
    , page_(page)
    , docks_(docks)
    , titles_(titles)
    , version_(version) {}

void DockPlaces::maximize(ViewDock& dock) {
    if (maximized_ == &dock || dock.isFloating())
        return;
    restore();
    before_ = page_.saveState(version_);
    page_.setUpdatesEnabled(false);
    for (ViewDock* each : docks_)
        if (each != &dock && !each->isFloating())
            each->hide();
    page_.centralWidget()->hide();
    dock.show();
    showMaximized(&dock);
    page_.setUpdatesEnabled(true);
}

void DockPlaces::restore() {
    if (maximized_ == nullptr)
        return;
    page_.setUpdatesEnabled(false);
    showMaximized(nullptr);
    page_.centralWidget()->show();
    take(before_);
    page_.setUpdatesEnabled(true);
}

void DockPlaces::undock(ViewDock& dock, bool isDefault) {
    restore();
    const QByteArray before = page_.saveState(version_);
    dock.setFloating(true);
    floating_.append({&dock, before, isDefault});
}

bool DockPlaces::dockAgain(ViewDock& dock) {
    restore();
    if (floating_.isEmpty() || floating_.last().dock != &dock) {
        forgetFloating();
        dock.setFloating(false);
        return false;
    }
    const Floating before = floating_.takeLast();
    take(before.layout);
    return before.isDefault;
}

void DockPlaces::forget() {
    forgetFloating();
    if (maximized_ == nullptr)
        return;
    showMaximized(nullptr);
    page_.centralWidget()->show();
}

void DockPlaces::forgetFloating() { floating_.clear(); }

/// Twice: while the title of a dock that has no tab yet stands in it, it may not get as low as it was.
void DockPlaces::take(const QByteArray& layout) {
    page_.restoreState(layout, version_);
    titles_.arrange();
    page_.restoreState(layout, version_);
}

QByteArray DockPlaces::layout() const { return maximized_ != nullptr ? before_ : page_.saveState(version_); }

/// What fills the page is not dragged out of it: nothing would be left.
void DockPlaces::showMaximized(ViewDock* dock) {
    constexpr auto mobile = QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable;
    if (maximized_ != nullptr) {
        maximized_->setMaximized(false);
        maximized_->setFeatures(maximized_->features() | mobile);
    }
    maximized_ = dock;
    if (maximized_ != nullptr) {
        maximized_->setMaximized(true);
        maximized_->setFeatures(maximized_->features() & ~mobile);
    }
}

} // namespace alidade::app
