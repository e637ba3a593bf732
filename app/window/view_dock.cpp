// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/view_dock.h"

#include "views/document/view.h"
#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QMouseEvent>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace alidade::app {

ViewDock::ViewDock(const QString& name, views::View* view, const QKeySequence& keys, QWidget* parent)
    : QDockWidget(view->title(), parent)
    , view_(view)
    , bar_(new views::DockTitleBar(view->iconName(), view->title(), this))
    , place_(new QWidget(this))
    , go_(new QAction(views::icon(QLatin1StringView(view->iconName().toLatin1())), view->title(), this))
    , maximize_(new QAction(tr("Maximize"), this)) {
    go_->setShortcut(keys);
    setObjectName(name);
    setWidget(view);
    renewLeastSize();
    connect(&views::ThemeController::instance(), &views::ThemeController::changed, this,
            &ViewDock::renewLeastSize);
    view->setAccessibleName(view->title());
    auto* column = new QVBoxLayout(place_);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(bar_);
    views::DockTitleBar* bar = bar_;
    views::TextLabel* aside = bar->addRightText({});
    for (QAction* action : view->actions())
        if (action->objectName() == QLatin1String(views::titleActionName))
            bar->addRight(action)->setAccessibleName(action->text());
    restore_ = bar->addRight(new QAction(tr("Restore"), this));
    restore_->setToolTip(tr("Show the other views again"));
    restore_->hide();
    setTitleBarWidget(place_);
    const auto renew = [bar, aside, view] {
        bar->setSubtitle(view->note());
        aside->setText(view->aside());
    };
    connect(view, &views::View::titleChanged, bar, renew);
    renew();

    // A click on the title chooses the view, as one on its content does.
    setFocusPolicy(Qt::ClickFocus);
    setFocusProxy(view);

    connect(restore_->defaultAction(), &QAction::triggered, this, &ViewDock::maximizeRequested);
    connect(maximize_, &QAction::triggered, this, &ViewDock::maximizeRequested);
    connect(this, &QDockWidget::topLevelChanged, maximize_, &QAction::setDisabled);
    auto* undock = new QAction(tr("Float or dock"), this);
    connect(undock, &QAction::triggered, this, &ViewDock::floatRequested);
    auto* close = new QAction(tr("Close"), this);
    connect(close, &QAction::triggered, this, &QDockWidget::close);
    bar->addActions({maximize_, undock, close});
    bar->setContextMenuPolicy(Qt::ActionsContextMenu);
}

/// What does not fit scrolls or is cut.
void ViewDock::renewLeastSize() {
    const QSize least = view_->leastSize();
    view_->setMinimumSize(views::theme().px(least.width()), views::theme().px(least.height()));
}

/// Qt would make it float where it stands, which looks as if only the others had moved.
bool ViewDock::event(QEvent* event) {
    if (event->type() == QEvent::MouseButtonDblClick) {
        const auto* click = static_cast<QMouseEvent*>(event);
        if (click->button() == Qt::LeftButton && place_->geometry().contains(click->position().toPoint())) {
            emit maximizeRequested();
            return true;
        }
    }
    return QDockWidget::event(event);
}

void ViewDock::closeEvent(QCloseEvent* event) {
    QDockWidget::closeEvent(event);
    emit closed();
}

/// Behind another tab a dock is out of the window: one that comes to the front moves back into it.
void ViewDock::moveEvent(QMoveEvent* event) {
    QDockWidget::moveEvent(event);
    view_->refresh();
}

void ViewDock::lendBar(QTabBar* tabs) {
    if (bar_ == nullptr || bar_->parentWidget() == (tabs != nullptr ? static_cast<QWidget*>(tabs) : place_))
        return;
    if (tabs != nullptr) {
        place_->layout()->removeWidget(bar_);
        bar_->setParent(tabs); // hides it; who places it shows it
        place_->setFixedHeight(0);
    } else {
        place_->setMinimumHeight(0);
        place_->setMaximumHeight(QWIDGETSIZE_MAX);
        place_->layout()->addWidget(bar_);
        bar_->show();
    }
}

void ViewDock::setTabbed(bool tabbed) {
    if (bar_ != nullptr)
        bar_->setTitleShown(!tabbed);
}

void ViewDock::setMaximized(bool maximized) {
    maximize_->setText(maximized ? tr("Restore") : tr("Maximize"));
    if (bar_ != nullptr)
        restore_->setVisible(maximized);
}

} // namespace alidade::app
