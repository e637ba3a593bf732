// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/rail.h"

#include "views/icons/icon.h"
#include "views/kit/keep_font.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QActionGroup>

namespace alidade::views {

Rail::Rail(QWidget* parent)
    : QToolBar(parent)
    , group_(new QActionGroup(this)) {
    setObjectName(QString::fromLatin1(railName)); // the style knows it by this
    setWindowTitle(tr("Views"));
    setAccessibleName(tr("Views"));
    setOrientation(Qt::Vertical);
    setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    connect(group_, &QActionGroup::triggered, this, [this](QAction* action) {
        emit currentChanged(static_cast<int>(group_->actions().indexOf(action)));
    });
    connect(&ThemeController::instance(), &ThemeController::changed, this, &Rail::dress);
    dress();
}

void Rail::dress() { setIconSize(QSize(theme().px(21), theme().px(21))); }

QAction* Rail::addView(const QString& iconName, const QString& text) {
    const QByteArray name = iconName.toLatin1();
    QAction* action = addAction(icon(QLatin1StringView(name)), text);
    action->setCheckable(true);
    group_->addAction(action);
    if (QWidget* button = widgetForAction(action)) {
        button->setFocusPolicy(Qt::TabFocus);
        KeepFont::on(button, FontRole::small);
    }
    if (group_->actions().size() == 1)
        action->setChecked(true);
    return action;
}

void Rail::setCurrent(int index) {
    if (index >= 0 && index < group_->actions().size())
        group_->actions().at(index)->setChecked(true);
}

int Rail::current() const { return static_cast<int>(group_->actions().indexOf(group_->checkedAction())); }

} // namespace alidade::views
