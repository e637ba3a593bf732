// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/view_dock.h"

#include "views/document/view.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QToolButton>

namespace alidade::app {

ViewDock::ViewDock(const QString& name, views::View* view, QWidget* parent)
    : QDockWidget(view->title(), parent)
    , view_(view) {
    setObjectName(name);
    setWidget(view);
    view->setMinimumSize(views::theme().px(200),
                         views::theme().px(110)); // what does not fit scrolls or is cut
    view->setAccessibleName(view->title());
    auto* bar = new views::DockTitleBar(view->iconName(), view->title(), this);
    views::TextLabel* aside = bar->addRightText({});
    for (QAction* action : view->actions())
        if (action->objectName() == QLatin1String(views::titleActionName))
            bar->addRight(action)->setAccessibleName(action->text());
    setTitleBarWidget(bar);
    const auto renew = [bar, aside, view] {
        bar->setSubtitle(view->note());
        aside->setText(view->aside());
    };
    connect(view, &views::View::titleChanged, bar, renew);
    renew();

    auto* undock = new QAction(tr("Float or dock"), this);
    connect(undock, &QAction::triggered, this, [this] { setFloating(!isFloating()); });
    auto* close = new QAction(tr("Close"), this);
    connect(close, &QAction::triggered, this, &QDockWidget::close);
    titleBarWidget()->addActions({undock, close});
    titleBarWidget()->setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace alidade::app
