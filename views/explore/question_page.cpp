// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/question_page.h"

#include "views/explore/explore_panel.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/question_form.h"
#include "views/kit/states.h"
#include "views/kit/verdict_label.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace alidade::views {

QuestionPage::QuestionPage(QuestionForm* form, ExplorePanel* panel, QWidget* below, EmptyState* empty)
    : form_(form)
    , panel_(panel)
    , verdict_(new VerdictLabel)
    , states_(new QStackedWidget) {
    auto* strip = new QWidget;
    strip_ = new QHBoxLayout(strip);
    strip_->setContentsMargins(theme().px(14), theme().px(10), theme().px(14), theme().px(10));
    strip_->addWidget(verdict_, 1);

    auto* right = new QSplitter(Qt::Vertical);
    auto* all = new QSplitter(Qt::Horizontal);
    right->addWidget(panel);
    right->addWidget(below);
    right->setStretchFactor(0, 3);
    right->setStretchFactor(1, 2);
    all->addWidget(form);
    all->addWidget(right);
    all->setStretchFactor(0, 0);
    all->setStretchFactor(1, 1);
    for (QSplitter* each : {right, all}) {
        each->setChildrenCollapsible(false);
        each->setHandleWidth(1);
    }
    states_->addWidget(all);
    if (empty != nullptr)
        states_->addWidget(empty);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(strip);
    column->addWidget(states_, 1);
    connect(form, &QuestionForm::stopRequested, this, &QuestionPage::stopRequested);
    connect(panel, &ExplorePanel::stopRequested, this, &QuestionPage::stopRequested);
}

void QuestionPage::addButton(QPushButton* button) { strip_->addWidget(button); }

void QuestionPage::showEmpty(bool isEmpty) { states_->setCurrentIndex(isEmpty ? 1 : 0); }

void QuestionPage::setBusy(bool busy, const QString& what) {
    form_->setBusy(busy);
    panel_->setBusy(busy, what);
}

void QuestionPage::setProgress(double share) { panel_->overlay()->setProgress(share); }

} // namespace alidade::views
