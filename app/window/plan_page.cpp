// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/plan_page.h"

#include "app/window/view_dock.h"
#include "views/cost/cost_view.h"
#include "views/document/document.h"
#include "views/layers/communication_view.h"
#include "views/layers/experts_view.h"
#include "views/layers/layers_view.h"
#include "views/library/history_view.h"
#include "views/memory/memory_view.h"
#include "views/problems/problems_view.h"
#include "views/roofline/roofline_view.h"
#include "views/scenario/scenario_view.h"
#include "views/serving/load_view.h"
#include "views/serving/percentile_view.h"
#include "views/suggestions/suggestions_view.h"
#include "views/summary/summary_view.h"
#include "views/theme/theme_controller.h"
#include "views/timeline/timeline_view.h"

#include <QAction>
#include <QApplication>
#include <QChildEvent>
#include <QHideEvent>
#include <QTabBar>

#include <algorithm>
#include <array>

namespace alidade::app {

using views::theme;

namespace {

/// Raised whenever a dock is added, renamed or removed: an older layout then gives way to the default one.
constexpr int layoutVersion = 4;
/// From this width on roofline and suggestions have a place of their own.
constexpr int wideWidth = 1400;

const QString scenarioDock = QStringLiteral("scenario");

/// Docks that say something for one kind of workload only.
constexpr std::array trainingDocks = {"timeline"};
constexpr std::array servingDocks = {"load", "percentiles"};

bool isOneOf(const QString& name, const auto& names) {
    return std::ranges::any_of(names, [&](const char* each) { return name == QLatin1String(each); });
}

bool isFor(const QString& name, bool serving) {
    return serving ? !isOneOf(name, trainingDocks) : !isOneOf(name, servingDocks);
}

} // namespace

PlanPage::PlanPage(views::Document* document, views::History* history, QWidget* parent)
    : QMainWindow(parent, Qt::Widget)
    , document_(document)
    , summary_(new views::SummaryView(document, this))
    , history_(new views::HistoryView(document, history)) {
    setObjectName(QStringLiteral("planPage"));
    setDockNestingEnabled(true);
    setAnimated(false);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
    setContextMenuPolicy(Qt::PreventContextMenu);
    setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCentralWidget(summary_);

    add(scenarioDock, new views::ScenarioView(document));
    add(QStringLiteral("history"), history_);
    add(QStringLiteral("layers"), new views::LayersView(document));
    add(QStringLiteral("communication"), new views::CommunicationView(document));
    add(QStringLiteral("experts"), new views::ExpertsView(document));
    add(QStringLiteral("timeline"), new views::TimelineView(document));
    add(QStringLiteral("load"), new views::LoadView(document));
    add(QStringLiteral("percentiles"), new views::PercentileView(document));
    add(QStringLiteral("roofline"), new views::RooflineView(document));
    add(QStringLiteral("memory"), new views::MemoryView(document));
    add(QStringLiteral("suggestions"), new views::SuggestionsView(document));
    add(QStringLiteral("cost"), new views::CostView(document));
    add(QStringLiteral("problems"), new views::ProblemsView(document));
    connect(document, &views::Document::specChanged, this, &PlanPage::followKind);
}

ViewDock* PlanPage::add(const QString& name, views::View* view) {
    Q_ASSERT(dock(name) == nullptr); // the layout is saved by name
    auto* dock = new ViewDock(name, view, this);
    docks_.append(dock);
    addDockWidget(Qt::BottomDockWidgetArea, dock);
    const auto moved = [this] { isDefault_ = isDefault_ && placing_; };
    connect(dock, &QDockWidget::dockLocationChanged, this, moved);
    connect(dock, &QDockWidget::topLevelChanged, this, moved);
    connect(dock->toggleViewAction(), &QAction::triggered, this, moved);
    return dock;
}

ViewDock* PlanPage::dock(const QString& name) const {
    const auto found = std::ranges::find(docks_, name, &QObject::objectName);
    return found == docks_.end() ? nullptr : *found;
}

void PlanPage::raise(const QString& name) {
    if (ViewDock* wanted = dock(name)) {
        wanted->show();
        wanted->raise();
        wanted->widget()->setFocus(Qt::OtherFocusReason);
    }
}

views::View* PlanPage::focusedView() const {
    for (QWidget* w = QApplication::focusWidget(); w != nullptr; w = w->parentWidget())
        if (auto* view = qobject_cast<views::View*>(w))
            return view;
    return nullptr;
}

QByteArray PlanPage::saveLayout() const { return saveState(layoutVersion); }

bool PlanPage::restoreLayout(const QByteArray& layout) {
    if (layout.isEmpty() || !restoreState(layout, layoutVersion))
        return false;
    isDefault_ = false;
    serving_ = looksLikeServing();
    return true;
}

/// A saved layout does not say which kind of workload it was for.
bool PlanPage::looksLikeServing() const {
    return std::ranges::any_of(docks_, [](const ViewDock* each) {
        return isOneOf(each->objectName(), servingDocks) && !each->isHidden();
    });
}

/// Another kind of workload: the layout that nobody changed is laid out for it; in one's own layout the docks
/// that say nothing any more make room for those that do.
void PlanPage::followKind() {
    const bool serving = document_->shownSpec().workload.kind == "serving";
    if (serving == serving_)
        return;
    serving_ = serving;
    if (isDefault_) {
        if (placedWide_)
            restoreDefaultLayout();
        return;
    }
    for (ViewDock* each : std::as_const(docks_))
        if (isOneOf(each->objectName(), trainingDocks) || isOneOf(each->objectName(), servingDocks))
            each->setVisible(isFor(each->objectName(), serving));
}

void PlanPage::restoreDefaultLayout() {
    placing_ = true;
    placeDefault(isWide(), serving_);
    placing_ = false;
    isDefault_ = true;
}

bool PlanPage::isWide() const { return width() >= theme().px(wideWidth); }

/// Wide: layers beside roofline (of serving: latency and load beside percentiles), memory beside suggestions
/// and cost. Narrow: the second of each pair is a tab behind the first.
void PlanPage::placeDefault(bool wide, bool serving) {
    placedWide_ = wide;
    for (ViewDock* each : docks_) {
        each->setFloating(false);
        removeDockWidget(each);
    }
    const auto put = [this](const char* name) { return dock(QLatin1String(name)); };
    ViewDock* scenario = dock(scenarioDock);
    addDockWidget(Qt::LeftDockWidgetArea, scenario);
    tabifyDockWidget(scenario, put("history"));
    QList<QList<ViewDock*>> rows;
    const QList<ViewDock*> upper = serving ? QList{put("load"), put("percentiles"), put("roofline")}
                                           : QList{put("layers"), put("roofline")};
    for (const auto& names : {upper, QList{put("memory"), put("suggestions"), put("cost")}}) {
        QList<ViewDock*> row;
        std::ranges::copy_if(names, std::back_inserter(row), [](const ViewDock* d) { return d != nullptr; });
        if (!row.isEmpty())
            rows.append(row);
    }
    addDockWidget(Qt::BottomDockWidgetArea, rows.first().first(), Qt::Vertical);
    for (qsizetype i = 1; i < rows.size(); ++i)
        splitDockWidget(rows[i - 1].first(), rows[i].first(), Qt::Vertical);
    for (const auto& row : rows)
        for (qsizetype i = 1; i < row.size(); ++i) {
            if (wide && i == 1)
                splitDockWidget(row[0], row[i], Qt::Horizontal);
            else
                tabifyDockWidget(row[wide ? 1 : 0], row[i]);
        }
    // What needs the width stands behind the layers, also in a wide window.
    const QList<const char*> behind =
        serving ? QList<const char*>{"layers", "communication", "experts", "timeline"}
                : QList<const char*>{"communication", "timeline", "experts", "load", "percentiles"};
    for (const char* name : behind)
        tabifyDockWidget(rows.first().first(), put(name));
    ViewDock* problems = put("problems");
    // A row of its own would push a window of 800 pixels off its screen.
    tabifyDockWidget(rows.last().last(), problems);
    for (ViewDock* each : docks_)
        each->setVisible(each != problems && isFor(each->objectName(), serving));
    scenario->raise();
    for (const auto& row : rows) {
        row.first()->raise();
        if (wide && row.size() > 1)
            row[1]->raise();
    }
    resizeDocks({scenario}, {theme().px(312)}, Qt::Horizontal);
    if (wide)
        for (const auto& row : rows)
            if (row.size() > 1)
                resizeDocks({row[0], row[1]}, {theme().px(715), theme().px(500)}, Qt::Horizontal);
    // The curves of serving need more height than what stands below them.
    for (const auto& row : rows)
        resizeDocks({row.first()}, {theme().px(serving ? (row == rows.first() ? 400 : 260) : 330)},
                    Qt::Vertical);
}

void PlanPage::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    for (ViewDock* dock : std::as_const(floatedAway_))
        dock->show();
    floatedAway_.clear();
}

void PlanPage::hideEvent(QHideEvent* event) {
    QMainWindow::hideEvent(event);
    if (event->spontaneous())
        return;
    for (ViewDock* dock : std::as_const(docks_))
        if (dock->isFloating() && dock->isVisible()) {
            floatedAway_.append(dock);
            dock->hide();
        }
}

/// Stacked docks have tabs that the main window makes by itself, without a name.
void PlanPage::childEvent(QChildEvent* event) {
    QMainWindow::childEvent(event);
    auto* tabs = qobject_cast<QTabBar*>(event->child());
    if (event->type() == QEvent::ChildPolished && tabs != nullptr)
        tabs->setAccessibleName(tr("Stacked views"));
}

void PlanPage::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (isDefault_ && placedWide_ != isWide())
        restoreDefaultLayout();
}

} // namespace alidade::app
