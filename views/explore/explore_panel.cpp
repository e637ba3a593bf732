// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/explore_panel.h"

#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/plot_base.h"
#include "views/kit/states.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

/// A page that is not shown, such as an error whose text wraps, must not make the others higher.
class PanelPages : public QStackedWidget {
public:
    bool hasHeightForWidth() const override { return false; }
};

} // namespace

ExplorePanel::ExplorePanel(const QString& iconName, const QString& title, QWidget* parent)
    : QWidget(parent)
    , bar_(new DockTitleBar(iconName, title))
    , pages_(new PanelPages)
    , table_(new CellTable)
    , error_(new ErrorState({})) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    table_->setAccessibleName(tr("Data of %1").arg(title));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    controls_ = new QHBoxLayout;
    controls_->setContentsMargins(theme().px(12), theme().px(6), theme().px(12), theme().px(2));
    controls_->setSpacing(theme().px(6));
    column->addLayout(controls_);
    column->addWidget(pages_, 1);
    pages_->addWidget(table_);
    pages_->addWidget(error_);
    busy_ = new BusyOverlay(pages_);
    auto* action = new QAction(tr("Show Data"), this);
    action->setCheckable(true);
    data_ = bar_->addRight(action);
    connect(action, &QAction::toggled, this, &ExplorePanel::renew);
    connect(busy_, &BusyOverlay::cancelRequested, this, &ExplorePanel::stopRequested);
}

void ExplorePanel::addPage(QWidget* page) {
    pages_->addWidget(page);
    if (page_ == nullptr)
        showPage(page);
}

void ExplorePanel::showPage(QWidget* page) {
    page_ = page;
    renew();
}

void ExplorePanel::connectPlot(PlotBase* plot) {
    plot->setTableSource([this] { return table_->textTable(); });
    connect(plot, &PlotBase::showDataRequested, this, [this] {
        setDataShown(true);
        table_->setFocus(Qt::ShortcutFocusReason);
    });
}

void ExplorePanel::setError(const QString& what, const QString& why) {
    failed_ = !what.isEmpty();
    error_->setText(what, why);
    error_->setAction({});
    renew();
}

bool ExplorePanel::hasError() const { return failed_; }

bool ExplorePanel::isDataShown() const { return data_->defaultAction()->isChecked(); }

void ExplorePanel::setDataShown(bool shown) { data_->defaultAction()->setChecked(shown); }

void ExplorePanel::renew() {
    QWidget* wanted = failed_ ? error_ : isDataShown() ? static_cast<QWidget*>(table_) : page_;
    if (wanted != nullptr)
        pages_->setCurrentWidget(wanted);
}

void ExplorePanel::setBusy(bool busy, const QString& what) {
    if (busy)
        busy_->start(what);
    else
        busy_->stop();
}

} // namespace alidade::views
