// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/plan_page.h"

#include "app/window/dock_places.h"
#include "app/window/stack_titles.h"
#include "app/window/view_dock.h"
#include "views/document/document.h"
#include "views/layers/layers_view.h"
#include "views/library/history_view.h"
#include "views/roofline/roofline_view.h"
#include "views/summary/summary_view.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QApplication>
#include <QChildEvent>
#include <QDataStream>
#include <QHideEvent>
#include <QIODevice>
#include <QScopedValueRollback>
#include <QTabBar>

#include <algorithm>
#include <utility>

namespace alidade::app {

using views::theme;

namespace {

// Logical pixels at 10 pt.
constexpr int wideWidth = 1400;    ///< from here on roofline and suggestions have their own place
constexpr int lowHeight = 560;     ///< below, there is one row of docks
constexpr int compactHeight = 760; ///< below, the answer is compact
constexpr int scenarioWidth = 312;
constexpr QSize leastRoom{900, 400};

views::View* viewAround(QWidget* widget) {
    for (QWidget* w = widget; w != nullptr; w = w->parentWidget())
        if (auto* view = qobject_cast<views::View*>(w))
            return view;
    return nullptr;
}

/// To the first part of the view that takes keys, so that the focus is to be seen.
void focusFirst(views::View& view) {
    for (QWidget* each = view.focusProxy() != nullptr ? view.focusProxy() : view.nextInFocusChain();
         each != nullptr && each != &view; each = each->nextInFocusChain())
        if ((each->focusPolicy() & Qt::TabFocus) && each->isVisible() && each->isEnabled() &&
            view.isAncestorOf(each))
            return each->setFocus(Qt::TabFocusReason);
    view.setFocus(Qt::OtherFocusReason);
}

} // namespace

PlanPage::Kind PlanPage::kindOf(const views::Document& document) {
    const WorkloadSpec& workload = document.shownSpec().workload;
    return workload.isReinforcement() ? Kind::reinforcement
           : workload.isServing()     ? Kind::serving
                                      : Kind::training;
}

PlanPage::PlanPage(views::Document* document, views::History* history, QWidget* parent)
    : QMainWindow(parent, Qt::Widget)
    , document_(document)
    , summary_(new views::SummaryView(document, this))
    , history_(history)
    , titles_(new StackTitles(*this))
    , places_(new DockPlaces(*this, docks_, *titles_, layoutVersion)) {
    setObjectName(QStringLiteral("planPage"));
    setDockNestingEnabled(true);
    setAnimated(false);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
    setContextMenuPolicy(Qt::PreventContextMenu);
    setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCentralWidget(summary_);

    for (const PlanDock& each : planDocks())
        add(each);
    connect(document, &views::Document::specChanged, this, &PlanPage::followKind);
    const auto explain = [this](const QString& label, const QString& path) {
        summary_->explain(label, path);
    };
    connect(view<views::LayersView>(), &views::LayersView::explainRequested, this, explain);
    connect(view<views::RooflineView>(), &views::RooflineView::explainRequested, this, explain);
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, QWidget* now) {
        if (views::View* view = viewAround(now))
            present_ = view;
        else if (now != nullptr && isAncestorOf(now) && qobject_cast<QTabBar*>(now) == nullptr)
            present_ = nullptr;
    });
}

/// What follows the focus ends before the views do.
PlanPage::~PlanPage() { qApp->disconnect(this); }

template <class V>
V* PlanPage::view() const {
    for (const ViewDock* each : docks_)
        if (auto* view = qobject_cast<V*>(each->view()))
            return view;
    return nullptr;
}

views::HistoryView* PlanPage::history() const { return view<views::HistoryView>(); }

void PlanPage::add(const PlanDock& entry) {
    const QString name = QString::fromLatin1(entry.name);
    auto* dock = new ViewDock(name, entry.make(document_, history_),
                              QKeySequence(Qt::ALT | Qt::SHIFT | entry.letter), this);
    docks_.append(dock);
    addDockWidget(Qt::BottomDockWidgetArea, dock);
    const auto moved = [this] {
        isDefault_ = isDefault_ && placing_;
        if (!placing_)
            places_->forgetFloating();
    };
    connect(dock, &QDockWidget::dockLocationChanged, this, moved);
    connect(dock, &QDockWidget::topLevelChanged, this, moved);
    connect(dock->toggleViewAction(), &QAction::triggered, this, [this, moved, name](bool open) {
        moved();
        if (open)
            raise(name);
    });
    connect(dock, &ViewDock::closed, this, [this, moved, dock] {
        if (dock == places_->maximized())
            restoreMaximized();
        moved();
    });
    connect(dock, &ViewDock::maximizeRequested, this, [this, dock] { toggleMaximized(*dock); });
    connect(dock, &ViewDock::floatRequested, this, [this, dock] { toggleFloating(*dock); });
}

ViewDock* PlanPage::dock(const QString& name) const {
    const auto found = std::ranges::find(docks_, name, &QObject::objectName);
    return found == docks_.end() ? nullptr : *found;
}

void PlanPage::raise(const QString& name) {
    if (ViewDock* wanted = dock(name)) {
        if (wanted != places_->maximized())
            restoreMaximized();
        wanted->show();
        wanted->raise();
        focusFirst(*wanted->view());
    }
}

views::View* PlanPage::presentView() const {
    if (views::View* focused = viewAround(QApplication::focusWidget()))
        return focused;
    return present_ != nullptr && seenViews().contains(present_.data()) ? present_.data() : nullptr;
}

/// Qt moves a dock that is behind another tab out of the window.
bool PlanPage::isInFront(const ViewDock& dock) const {
    return dock.isVisible() && (dock.isFloating() || rect().intersects(dock.geometry()));
}

bool PlanPage::isBehind(const QWidget* widget) const {
    return widget != nullptr && std::ranges::any_of(docks_, [this, widget](const ViewDock* each) {
               return each->isAncestorOf(widget) && !isInFront(*each);
           });
}

/// From left to right and top to bottom.
QList<views::View*> PlanPage::seenViews() const {
    QList<views::View*> seen;
    if (summary_->isVisible())
        seen.append(summary_);
    for (const ViewDock* each : docks_)
        if (isInFront(*each))
            seen.append(each->view());
    const auto place = [this](const views::View* view) {
        const QPoint corner = view->mapTo(window(), QPoint());
        return std::pair(corner.x() > summary_->mapTo(window(), QPoint()).x() - 1,
                         std::pair(corner.y(), corner.x()));
    };
    std::ranges::sort(seen, {}, place);
    return seen;
}

void PlanPage::stepView(int direction) {
    const QList<views::View*> seen = seenViews();
    const qsizetype now = seen.indexOf(presentView());
    const qsizetype count = seen.size();
    if (count == 0)
        return;
    const qsizetype next = now < 0 ? (direction > 0 ? 0 : count - 1) : (now + direction + count) % count;
    focusFirst(*seen[next]);
}

void PlanPage::closePresent() {
    const views::View* view = presentView();
    const auto found = std::ranges::find(docks_, view, &ViewDock::view);
    if (found == docks_.end())
        return;
    (*found)->close();
    isDefault_ = false;
    summary_->setFocus(Qt::OtherFocusReason);
}

void PlanPage::maximizePresent() {
    const auto found = std::ranges::find(docks_, presentView(), &ViewDock::view);
    if (ViewDock* dock = places_->maximized() != nullptr ? places_->maximized()
                         : found != docks_.end()         ? *found
                                                         : nullptr)
        toggleMaximized(*dock);
}

void PlanPage::toggleMaximized(ViewDock& dock) {
    if (dock.isFloating())
        return toggleFloating(dock);
    if (&dock == places_->maximized())
        return restoreMaximized();
    {
        const QScopedValueRollback mine(placing_, true);
        places_->maximize(dock);
    }
    focusFirst(*dock.view());
}

void PlanPage::toggleFloating(ViewDock& dock) {
    const QScopedValueRollback mine(placing_, true);
    if (dock.isFloating()) {
        isDefault_ = places_->dockAgain(dock);
    } else {
        places_->undock(dock, isDefault_);
        isDefault_ = false;
    }
    titles_->arrangeSoon();
    followRoom();
}

/// The window may have got another size meanwhile.
void PlanPage::restoreMaximized() {
    if (places_->maximized() == nullptr)
        return;
    {
        const QScopedValueRollback mine(placing_, true);
        places_->restore();
    }
    titles_->arrangeSoon();
    followRoom();
}

QByteArray PlanPage::saveLayout() const {
    const Layout now =
        pending_ ? *pending_ : Layout{places_->layout(), isDefault_, kind_, placedFor_.value_or(Room())};
    QByteArray packed;
    QDataStream stream(&packed, QIODevice::WriteOnly);
    stream << qint32(layoutVersion) << now.isDefault << quint8(now.kind) << now.room.wide << now.room.low
           << now.docks;
    return packed;
}

std::optional<PlanPage::Layout> PlanPage::unpack(const QByteArray& layout) {
    QDataStream stream(layout);
    qint32 version = 0;
    quint8 kind = 0;
    Layout read;
    stream >> version >> read.isDefault >> kind >> read.room.wide >> read.room.low >> read.docks;
    if (stream.status() != QDataStream::Ok || version != layoutVersion || read.docks.isEmpty() ||
        kind > quint8(Kind::reinforcement))
        return std::nullopt;
    read.kind = Kind(kind);
    return read;
}

bool PlanPage::restoreLayout(const QByteArray& layout) {
    const std::optional<Layout> read = unpack(layout);
    if (!read)
        return false;
    pending_ = read;
    if (isVisible())
        takeLayout();
    return true;
}

/// One that was made for more room than there is now gives way to the default one.
void PlanPage::takeLayout() {
    const Layout wanted = *std::exchange(pending_, std::nullopt);
    const QScopedValueRollback mine(placing_, true);
    places_->forget();
    const bool fits = !wanted.isDefault || wanted.room == room();
    const bool restored = fits && restoreState(wanted.docks, layoutVersion);
    const QSize least = QMainWindow::minimumSizeHint();
    if (!restored || least.width() > width() || least.height() > height()) {
        kind_ = wanted.kind;
        restoreDefaultLayout();
    } else {
        isDefault_ = wanted.isDefault;
        placedFor_ = wanted.room;
        kind_ = wanted.kind;
    }
    titles_->arrangeSoon();
    followKind();
}

/// Another kind of workload: the unchanged layout is laid out for it; in one's own layout the docks
/// that say nothing any more make room for those that do.
void PlanPage::followKind() {
    const Kind kind = kindOf(*document_);
    if (kind == kind_ || pending_)
        return;
    restoreMaximized();
    const Kind before = std::exchange(kind_, kind);
    if (isDefault_) {
        if (placedFor_)
            restoreDefaultLayout();
        return;
    }
    for (ViewDock* each : std::as_const(docks_)) {
        const PlanDock& entry = planDock(each->objectName());
        if (entry.isOpen(before) != entry.isOpen(kind))
            each->setVisible(entry.isOpen(kind));
    }
}

void PlanPage::restoreDefaultLayout() {
    pending_.reset();
    {
        const QScopedValueRollback mine(placing_, true);
        placeDefault(room(), kind_);
        titles_->arrangeSoon();
    }
    isDefault_ = true;
}

PlanPage::Room PlanPage::room() const {
    return {width() >= theme().px(wideWidth), height() < theme().px(lowHeight)};
}

QSize PlanPage::minimumSizeHint() const {
    const QSize least = QMainWindow::minimumSizeHint();
    if (!isDefault_)
        return least;
    return least.boundedTo({theme().px(leastRoom.width()), theme().px(leastRoom.height())});
}

QList<ViewDock*> PlanPage::at(DockPlace place, Kind kind) const {
    QList<ViewDock*> out;
    for (ViewDock* each : docks_)
        if (planDock(each->objectName()).place(kind) == place)
            out.append(each);
    return out;
}

/// The docks of each row, columns side by side. Wide: the second and later ones share a column. Narrow: they
/// are tabs behind the first. Low: the second row is tabs behind the last column of the first.
PlanPage::Rows PlanPage::rowsOf(Room room, Kind kind) const {
    const QList<ViewDock*> upper = at(DockPlace::upper, kind), lower = at(DockPlace::lower, kind);
    return room.low ? Rows{upper + lower} : Rows{upper, lower};
}

void PlanPage::placeDefault(Room room, Kind kind) {
    places_->forget();
    placedFor_ = room;
    for (ViewDock* each : docks_) {
        each->setFloating(false);
        removeDockWidget(each);
    }
    const QList<ViewDock*> left = at(DockPlace::left, kind);
    addDockWidget(Qt::LeftDockWidgetArea, left.first());
    for (qsizetype i = 1; i < left.size(); ++i)
        tabifyDockWidget(left.first(), left[i]);
    const Rows rows = rowsOf(room, kind);
    addDockWidget(Qt::BottomDockWidgetArea, rows.first().first(), Qt::Vertical);
    for (qsizetype i = 1; i < rows.size(); ++i)
        splitDockWidget(rows[i - 1].first(), rows[i].first(), Qt::Vertical);
    for (const auto& row : rows)
        for (qsizetype i = 1; i < row.size(); ++i)
            if (room.wide && i == 1)
                splitDockWidget(row[0], row[i], Qt::Horizontal);
            else
                tabifyDockWidget(row[room.wide ? 1 : 0], row[i]);
    // What needs the width is behind the first column, also in a wide window.
    for (ViewDock* each : at(DockPlace::upperBehind, kind) + at(DockPlace::upperHidden, kind))
        tabifyDockWidget(rows.first().first(), each);
    // A separate row would push a window of 800 pixels off its screen.
    for (ViewDock* each : at(DockPlace::lowerOnDemand, kind))
        tabifyDockWidget(rows.last().last(), each);
    showFor(kind);
    left.first()->raise();
    for (const auto& row : rows) {
        row.first()->raise();
        if (room.wide && row.size() > 1)
            row[1]->raise();
    }
    shareSpace(rows, room, kind);
}

void PlanPage::showFor(Kind kind) {
    for (ViewDock* each : std::as_const(docks_))
        each->setVisible(planDock(each->objectName()).isOpen(kind));
}

/// The curves of serving need more height than what is below them.
void PlanPage::shareSpace(const Rows& rows, Room room, Kind kind) {
    resizeDocks({at(DockPlace::left, kind).first()}, {theme().px(scenarioWidth)}, Qt::Horizontal);
    if (room.wide)
        for (const auto& row : rows)
            if (row.size() > 1)
                resizeDocks({row[0], row[1]}, {theme().px(715), theme().px(500)}, Qt::Horizontal);
    QList<QDockWidget*> firsts;
    QList<int> heights;
    for (const auto& row : rows) {
        firsts.append(row.first());
        heights.append(theme().px(kind != Kind::training ? (firsts.size() == 1 ? 400 : 260) : 330));
    }
    resizeDocks(firsts, heights, Qt::Vertical);
}

/// Stacks that are made or taken apart ask for another layout. What is pressed on the page itself is the edge
/// of a dock.
bool PlanPage::event(QEvent* event) {
    if (event->type() == QEvent::MouseButtonPress)
        places_->forgetFloating();
    const bool handled = QMainWindow::event(event);
    if (event->type() == QEvent::LayoutRequest)
        titles_->arrangeSoon();
    return handled;
}

void PlanPage::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    for (ViewDock* dock : std::as_const(floatedAway_))
        dock->show();
    floatedAway_.clear();
    followRoom();
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
        titles_->watch(tabs);
    if (event->type() == QEvent::ChildPolished && tabs != nullptr)
        tabs->setAccessibleName(tr("Stacked views"));
    // A tab that was clicked is the view that one works with from then on.
    if (event->type() == QEvent::ChildPolished && tabs != nullptr)
        connect(tabs, &QTabBar::tabBarClicked, this, [this, tabs](int tab) {
            const auto found = std::ranges::find(docks_, tabs->tabText(tab), &QDockWidget::windowTitle);
            if (found != docks_.end())
                present_ = (*found)->view();
        });
}

void PlanPage::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    followRoom();
}

void PlanPage::followRoom() {
    summary_->setCompact(height() < theme().px(compactHeight));
    const bool hasSize = isVisible() && parentWidget() != nullptr && size() == parentWidget()->size();
    if (pending_ && hasSize)
        takeLayout();
    else if (!pending_ && isDefault_ && places_->maximized() == nullptr && placedFor_ != room())
        restoreDefaultLayout();
}

} // namespace alidade::app
