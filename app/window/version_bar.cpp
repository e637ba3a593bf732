// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/version_bar.h"

#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>

namespace alidade::app {

using views::FontRole;
using views::Role;
using views::theme;

namespace {

constexpr int fieldWidth = 300; // logical pixels at 10 pt

} // namespace

VersionBar::VersionBar(QWidget* parent)
    : QWidget(parent)
    , field_(new QLineEdit(this))
    , keep_(new QPushButton(tr("Keep"), this)) {
    setObjectName(QStringLiteral("versionBar"));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(theme().px(12), theme().px(6), theme().px(12), theme().px(6));
    line->setSpacing(theme().px(9));
    line->addWidget(new views::TextLabel(FontRole::strong, Role::text, tr("Name this version"), this));
    line->addWidget(field_);
    line->addWidget(keep_);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    line->addWidget(cancel);
    line->addWidget(
        new views::TextLabel(FontRole::body, Role::text2,
                             tr("Every edit is saved automatically; a named version is never pruned."), this),
        1);
    field_->setFixedWidth(theme().px(fieldWidth));
    field_->setAccessibleName(tr("Name of the version"));
    keep_->setProperty(views::primaryProperty, true);
    keep_->setAccessibleName(tr("Keep this version"));
    cancel->setAccessibleName(tr("Cancel"));
    connect(field_, &QLineEdit::returnPressed, this, &VersionBar::accept);
    connect(field_, &QLineEdit::textChanged, this,
            [this](const QString& words) { keep_->setEnabled(!words.trimmed().isEmpty()); });
    connect(keep_, &QPushButton::clicked, this, &VersionBar::accept);
    connect(cancel, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void VersionBar::ask(const QString& proposal) {
    field_->setText(proposal);
    show();
    field_->selectAll();
    field_->setFocus(Qt::ShortcutFocusReason);
}

void VersionBar::accept() {
    const QString name = field_->text().simplified();
    if (name.isEmpty())
        return;
    hide();
    emit named(name);
}

void VersionBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QWidget::keyPressEvent(event);
}

void VersionBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::header));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme().color(Role::line));
}

} // namespace alidade::app
