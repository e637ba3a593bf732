// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/dock_title_bar.h"

#include "views/icons/icon.h"
#include "views/kit/keep_font.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace alidade::views {

DockTitleBar::DockTitleBar(const QString& iconName, const QString& title, QWidget* parent)
    : QWidget(parent)
    , iconName_(iconName)
    , icon_(new QLabel)
    , title_(new TextLabel(FontRole::title, Role::text, title))
    , subtitle_(new TextLabel(FontRole::small, Role::text2))
    , right_(new QHBoxLayout) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 10, 1);
    row->setSpacing(8);
    row->addWidget(icon_);
    row->addWidget(title_);
    row->addWidget(subtitle_, 1);
    right_->setSpacing(10);
    row->addLayout(right_);
    icon_->setVisible(!iconName.isEmpty());
    subtitle_->setElided(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(title);
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        renewIcon();
        updateGeometry();
    });
    renewIcon();
}

void DockTitleBar::setTitle(const QString& title) {
    title_->setText(title);
    setAccessibleName(title);
}

void DockTitleBar::setTitleShown(bool shown) {
    title_->setVisible(shown);
    icon_->setVisible(shown && !iconName_.isEmpty());
}

int DockTitleBar::leastWidth() const {
    const QMargins margins = layout()->contentsMargins();
    return margins.left() + right_->sizeHint().width() + margins.right();
}

void DockTitleBar::setSubtitle(const QString& subtitle) {
    subtitle_->setText(subtitle);
    setAccessibleDescription(subtitle);
}

void DockTitleBar::addRight(QWidget* widget) { right_->addWidget(widget); }

QToolButton* DockTitleBar::addRight(QAction* action) {
    auto* button = new QToolButton(this);
    button->setAutoRaise(true);
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    KeepFont::on(button, FontRole::small);
    button->setToolButtonStyle(action->icon().isNull() ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
    addRight(button);
    return button;
}

TextLabel* DockTitleBar::addRightText(const QString& text) {
    auto* label = new TextLabel(FontRole::small, Role::text2, text);
    addRight(label);
    return label;
}

QSize DockTitleBar::sizeHint() const { return {QWidget::sizeHint().width(), theme().dockTitleHeight()}; }
QSize DockTitleBar::minimumSizeHint() const { return {theme().px(80), theme().dockTitleHeight()}; }

void DockTitleBar::renewIcon() {
    if (iconName_.isEmpty())
        return;
    const QByteArray name = iconName_.toLatin1();
    const QSize size(theme().px(18), theme().px(18));
    icon_->setPixmap(icon(QLatin1StringView(name)).pixmap(size, devicePixelRatioF()));
}

void DockTitleBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::header));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme().color(Role::line));
}

} // namespace alidade::views
