// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/notice_bar.h"

#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>

namespace alidade::app {

using views::BadgeKind;
using views::FontRole;
using views::Role;
using views::TextLabel;
using views::theme;

NoticeBar::NoticeBar(QWidget* parent)
    : QWidget(parent)
    , icon_(new QLabel(this))
    , sentence_(new TextLabel(FontRole::strong, Role::text, {}, this))
    , detail_(new TextLabel(FontRole::body, Role::text2, {}, this))
    , progress_(new QProgressBar(this))
    , buttons_(new QHBoxLayout) {
    setObjectName(QStringLiteral("notice"));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(theme().px(12), theme().px(6), theme().px(12), theme().px(6));
    line->setSpacing(theme().px(9));
    line->addWidget(icon_);
    line->addWidget(sentence_);
    line->addWidget(progress_);
    line->addWidget(detail_, 1);
    line->addLayout(buttons_);
    detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    detail_->setWordWrap(true);
    sentence_->setMinimumWidth(1);
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedSize(theme().px(120), 3);
    progress_->setAccessibleName(tr("Progress"));
    hide();
}

void NoticeBar::showNotice(BadgeKind kind, const QString& sentence, const QString& detail,
                           const QList<Action>& actions) {
    kind_ = kind;
    progress_->hide();
    fill(sentence, detail, actions);
}

void NoticeBar::showProgress(const QString& sentence, const QList<Action>& actions) {
    kind_ = BadgeKind::neutral;
    progress_->show();
    fill(sentence, {}, actions);
}

void NoticeBar::fill(const QString& sentence, const QString& detail, const QList<Action>& actions) {
    stays_ = false;
    page_.clear();
    sentence_->setText(sentence);
    detail_->setText(detail);
    while (QLayoutItem* item = buttons_->takeAt(0)) {
        item->widget()->deleteLater();
        item->widget()->hide();
        delete item;
    }
    for (const auto& [label, run] : actions) {
        auto* button = new QPushButton(label, this);
        button->setAccessibleName(label);
        buttons_->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, run = run] {
            dismiss();
            run();
        });
    }
    auto* close = new QToolButton(this);
    close->setIcon(views::icon(QLatin1StringView("close")));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    close->setToolTip(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &NoticeBar::dismiss);
    buttons_->addWidget(close);
    setAccessibleName(sentence);
    setAccessibleDescription(detail);
    renewIcon();
    setVisible(true);
    update();
}

void NoticeBar::dismiss() { hide(); }

void NoticeBar::dismissPassing() {
    if (!stays_)
        dismiss();
}

void NoticeBar::pageShown(const QString& name) {
    if (!page_.isEmpty() && page_ != name)
        dismissPassing();
}

QString NoticeBar::sentence() const { return isHidden() ? QString() : sentence_->text(); }
QString NoticeBar::detail() const { return isHidden() ? QString() : detail_->text(); }

void NoticeBar::renewIcon() {
    const int side = theme().px(18);
    const auto mark = [&](const char* name, Role role) {
        icon_->setPixmap(views::icon(QLatin1StringView(name), role).pixmap(side, side));
    };
    if (kind_ == BadgeKind::err)
        mark("error", Role::err);
    else if (kind_ == BadgeKind::warn)
        mark("warning", Role::warn);
    else if (kind_ == BadgeKind::ok)
        mark("check", Role::ok);
    else
        mark("info", Role::text2);
}

void NoticeBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        renewIcon();
}

void NoticeBar::paintEvent(QPaintEvent*) {
    const Role ground = kind_ == BadgeKind::err    ? Role::errBg
                        : kind_ == BadgeKind::warn ? Role::warnBg
                        : kind_ == BadgeKind::ok   ? Role::okBg
                                                   : Role::header;
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(ground));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme().color(Role::line));
}

} // namespace alidade::app
