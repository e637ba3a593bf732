// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/plan_tabs.h"

#include "app/window/plan_page.h"
#include "views/document/document.h"
#include "views/icons/icon.h"
#include "views/run/run_view.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QFrame>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace alidade::app {

namespace {

enum Tab { stepTab, runTab };

} // namespace

PlanTabs::PlanTabs(views::Document* document, PlanPage* step, QWidget* parent)
    : QWidget(parent)
    , document_(document)
    , step_(step)
    , run_(new views::RunView(document))
    , tabs_(new QTabBar)
    , pages_(new QStackedWidget)
    , go_(new QAction(views::icon(QLatin1StringView(run_->iconName().toLatin1())), run_->title(), this)) {
    run_->setObjectName(runName());
    go_->setShortcut(QKeySequence(Qt::ALT | Qt::SHIFT | Qt::Key_U));
    tabs_->setObjectName(QStringLiteral("planTabs"));
    tabs_->setAccessibleName(tr("Parts of the plan"));
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->addTab(tr("Step"));
    tabs_->addTab(run_->title());
    tabs_->setTabToolTip(stepTab, tr("Time and memory of a step"));
    tabs_->setTabToolTip(runTab, tr("From start to finish: failures, checkpoints, spares, the end"));
    pages_->addWidget(step_);
    pages_->addWidget(run_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(tabs_);
    column->addWidget(pages_, 1);
    connect(tabs_, &QTabBar::currentChanged, this, &PlanTabs::showTab);
    showTab(stepTab);
    connect(document_, &views::Document::specChanged, this, &PlanTabs::renewTabs);
}

void PlanTabs::showTab(int tab) {
    for (int i = 0; i < pages_->count(); ++i) {
        // A page that is not shown must not keep the window wide.
        const auto policy = i == tab ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        pages_->widget(i)->setSizePolicy(policy, policy);
    }
    pages_->setCurrentIndex(tab);
    setFocusProxy(pages_->currentWidget());
    renewTabs();
    emit shownChanged();
}

QString PlanTabs::runName() { return QStringLiteral("run"); }

bool PlanTabs::showsRun() const { return tabs_->currentIndex() == runTab; }

void PlanTabs::showRun(bool on) { tabs_->setCurrentIndex(on ? runTab : stepTab); }

views::View* PlanTabs::presentView() const {
    return showsRun() ? static_cast<views::View*>(run_) : step_->presentView();
}

void PlanTabs::renewTabs() {
    const WorkloadSpec& workload = document_->shownSpec().workload;
    tabs_->setVisible(showsRun() || (!workload.isServing() && !workload.isReinforcement()));
}

} // namespace alidade::app
