// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/window/baseline_desk.h"
#include "app/window/compare_desk.h"
#include "app/window/custom_values_bar.h"
#include "app/window/exporter.h"
#include "app/window/file_session.h"
#include "app/window/handoff_window.h"
#include "app/window/library_desk.h"
#include "app/window/live_desk.h"
#include "app/window/locator.h"
#include "app/window/notice_bar.h"
#include "app/window/page_names.h"
#include "app/window/plan_page.h"
#include "app/window/plan_tabs.h"
#include "app/window/settings_disk.h"
#include "app/window/shortcuts_window.h"
#include "app/window/status_line.h"
#include "app/window/undo_keys.h"
#include "app/window/version_bar.h"
#include "app/window/view_dock.h"
#include "model/catalog/catalog.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_view.h"
#include "views/compare/compare_view.h"
#include "views/cost/cost_view.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/explore/explore_view.h"
#include "views/fleet/fleet_view.h"
#include "views/help/about.h"
#include "views/help/guide_window.h"
#include "views/icons/icon.h"
#include "views/kit/menu_keys.h"
#include "views/kit/rail.h"
#include "views/library/library_view.h"
#include "views/live/live_page.h"
#include "views/run/run_view.h"
#include "views/scaling/scaling_view.h"
#include "views/scenario/scenario_view.h"
#include "views/search/search_view.h"
#include "views/start/start_page.h"
#include "views/summary/summary_view.h"
#include "views/topology/topology_view.h"
#include "views/validation/validation_source.h"
#include "views/validation/validation_view.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHash>
#include <QKeyEvent>
#include <QMenu>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QToolBar>
#include <QUndoGroup>
#include <QUndoStack>
#include <QUrl>
#include <QVBoxLayout>

namespace alidade::app {

using views::BadgeKind;
using views::text;

MainWindow::MainWindow(const data::CatalogLoad& catalog, const views::Engine& engine,
                       const views::ValidationEngine& validation, const Settings& settings,
                       const QString& executable)
    : settings_(settings)
    , catalog_(catalog)
    , document_(new views::Document(catalog.catalog, engine, this))
    , validation_(new views::ValidationSource(document_, validation, document_))
    , files_(new FileSession(*document_, settings_, *this))
    , desk_(new LibraryDesk(*document_, *files_, settings_, *this))
    , live_(new LiveDesk(*document_, desk_->session(), settings_, *this))
    , undo_(new QUndoGroup(this))
    , exporter_(new Exporter(executable, this))
    , notice_(new NoticeBar)
    , damage_(new NoticeBar)
    , pages_(new QStackedWidget)
    , status_(new StatusLine(document_)) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(views::applicationIcon());
    setContextMenuPolicy(Qt::NoContextMenu);
    setAcceptDrops(true);
    makePages();
    connectFleets();
    makeRail();
    makeToolBar();
    makeMenus();
    new UndoKeys(this);
    connectDocument();
    connectFiles();
    connectReads();
    connectLibrary();
    connectLive();
    connectExporter();
    renewRecent();
    renewScenarios();
    if (catalog_.problems.empty())
        desk_->imports().setUserCatalog(catalog_.userFile);
    else
        notice_->showNotice(BadgeKind::warn, tr("Your catalog was set aside; the shipped one is used."),
                            text(data::text(catalog_.problems.front())));
    new views::MenuKeys(this);
    resize(startSize());
    if (!settings_.geometry.isEmpty())
        restoreGeometry(settings_.geometry);
    plan_->restoreLayout(settings_.planLayout);
    showPage(startName);
}

/// As the design has it; on a smaller screen all that a window with its frame can have there.
QSize MainWindow::startSize() const {
    const QStyle& look = *style();
    const int frame = look.pixelMetric(QStyle::PM_MdiSubWindowFrameWidth);
    const QSize decoration(2 * frame, look.pixelMetric(QStyle::PM_TitleBarHeight) + 2 * frame);
    return QSize(1600, 1000).boundedTo(screen()->availableSize() - decoration);
}

/// The desk commits what is under way, which takes the document; the live one works on its workspace.
MainWindow::~MainWindow() {
    // A stack empties itself when it goes, and tells so. The undo actions, and with them the focus, change
    // while all that is shown is still there.
    for (QUndoStack* stack : undo_->stacks()) {
        stack->disconnect(this);
        undo_->removeStack(stack);
    }
    delete live_;
    delete desk_;
}

void MainWindow::makePages() {
    plan_ = new PlanPage(document_, &desk_->history());
    planTabs_ = new PlanTabs(document_, plan_);
    start_ = new views::StartPage(document_);
    catalogPage_ = new views::CatalogView(document_);
    validationPage_ = new views::ValidationView(document_, validation_);
    if (catalog_.shipped != nullptr)
        catalogPage_->editor().setRoot(catalog_.shipped);
    customValues_ = new CustomValuesBar(catalogPage_->editor(), *validation_);
    auto* topology = new views::TopologyView(document_);
    live_->setTopology(topology);
    baselines_ = new BaselineDesk(*document_, *desk_, *this);
    makeComparePage();
    explore_ = new views::ExploreView(document_);
    listPages(topology);
    for (const WindowPage& each : list_) {
        each.widget->setObjectName(each.name);
        pages_->addWidget(each.widget);
    }

    auto* middle = new QWidget;
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    damage_->setObjectName(QStringLiteral("damage"));
    column->addWidget(damage_);
    column->addWidget(notice_);
    column->addWidget(desk_->versionBar());
    column->addWidget(customValues_);
    column->addWidget(pages_, 1);
    setCentralWidget(middle);
    setStatusBar(status_);

    connect(start_, &views::StartPage::openSample, files_, &FileSession::openSample);
    connect(start_, &views::StartPage::openFile, files_, &FileSession::openFile);
    connect(start_, &views::StartPage::openSpec, files_,
            [this](const ScenarioSpec& spec) { files_->openSpec(spec, FileSession::Origin::planned); });
    connect(start_, &views::StartPage::askOpen, files_, &FileSession::askOpen);
    connect(start_, &views::StartPage::startNew, files_, &FileSession::startNew);
    connect(start_, &views::StartPage::newWorkspace, &desk_->session(), &WorkspaceSession::askNew);
    connect(start_, &views::StartPage::showLibrary, this, [this] { showPage(desk_->page()->objectName()); });
    connect(start_, &views::StartPage::showCatalog, this, [this] { showPage(catalogName); });
    connect(start_, &views::StartPage::showGuide, this, &MainWindow::showGuide);
    connect(start_, &views::StartPage::clearRecent, this, [this] {
        settings_.recentFiles.clear();
        settings_.save();
        renewRecent();
    });
    connect(validationPage_, &views::ValidationView::openScenario, files_,
            [this](const ScenarioSpec& spec) { files_->openSpec(spec, FileSession::Origin::shown); });
    connect(planTabs_, &PlanTabs::shownChanged, this, [this] {
        if (page() == planName)
            renewMenus();
    });
    connect(planTabs_->run(), &views::RunView::fieldRequested, this,
            [this](const QString& path) { editField(path.toStdString()); });
    connect(planTabs_->run(), &views::RunView::explainRequested, plan_->summary(),
            [this](const QString& label, const QString& path) { plan_->summary()->explain(label, path); });
    plan_->summary()->setValidation(validation_);
    const auto ownRate = [this](const Estimate& estimate) { return customValues_->ownRateText(estimate); };
    plan_->summary()->setOwnRate(ownRate);
    plan_->findChild<views::CostView*>()->setOwnRate(ownRate);
    connect(plan_->summary(), &views::SummaryView::nearestRequested, this, [this](const QStringList& ids) {
        showPage(validationName);
        validationPage_->showRuns(ids);
    });
    connect(plan_->summary(), &views::SummaryView::placeRequested, this, &MainWindow::showPlace);
    connect(status_, &StatusLine::problemsClicked, this, [this] { showView(problemsDock); });
}

/// In the order of the rail.
void MainWindow::listPages(views::TopologyView* topology) {
    using Figures = CustomValuesBar::Figures;
    QUndoStack* edits = document_->undoStack();
    fleet_ = new views::FleetView(document_);
    search_ = new views::SearchView(document_);
    search_->setValidation(validation_);
    connect(search_, &views::SearchView::compareRequested, this,
            [this](const data::ListedScenario& plan) { addToComparison({plan}); });
    connect(search_, &views::SearchView::reportRequested, this, &MainWindow::showReportDialog);
    list_ = {{startName, {}, nullptr, start_, edits},
             {planName, tr("Plan"), "summary", planTabs_, edits, Figures::answer},
             {QStringLiteral("library"), tr("Library"), "library", desk_->page(),
              desk_->session().library().undoStack()},
             {QStringLiteral("search"), tr("Search"), "search", search_, edits},
             {QStringLiteral("compare"), tr("Compare"), "compare", compare_, compare_->list().undoStack()},
             {QStringLiteral("explore"), tr("Explore"), "explore", explore_, edits},
             {topologyName, tr("Topology"), "topology", topology, edits, Figures::answer},
             {QStringLiteral("live"), tr("Live"), "live", live_->page(), edits, Figures::answer,
              [this] { live_->load(); }},
             {catalogName, tr("Catalog"), "catalog", catalogPage_, catalogPage_->editor().undoStack()},
             {validationName, tr("Validation"), "validation", validationPage_, edits, Figures::validation},
             {QStringLiteral("scaling"), tr("Scaling"), "scaling", new views::ScalingView(document_), edits},
             {QStringLiteral("fleet"), tr("Fleet"), "fleet", fleet_, fleet_->fleet()->undoStack()}};
}

void MainWindow::makeComparePage() {
    compare_ = new views::CompareView(document_);
    auto* desk = new CompareDesk(*compare_, *document_, *desk_, *files_, this);
    connect(desk, &CompareDesk::showPlan, this, [this] { showPage(planName); });
    connect(desk_->page(), &views::LibraryView::compareRequested, this,
            [this](const std::vector<data::ListedScenario>& scenarios) { addToComparison(scenarios); });
    connect(compare_, &views::CompareView::reportRequested, this,
            [this] { exportReport(QStringLiteral("pdf")); });
}

void MainWindow::addToComparison(const std::vector<data::ListedScenario>& scenarios) {
    for (const data::ListedScenario& each : scenarios)
        compare_->addScenario(each);
    showPage(compare_->objectName());
}

const WindowPage& MainWindow::shownPage() const {
    return list_[static_cast<std::size_t>(pages_->currentIndex())];
}

void MainWindow::showPage(const QString& name) {
    for (int i = 0; i < pages_->count(); ++i) {
        QWidget* each = pages_->widget(i);
        const bool current = each->objectName() == name;
        if (current)
            pages_->setCurrentIndex(i);
        // A page that is not shown must not keep the window wide.
        const auto policy = current ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        each->setSizePolicy(policy, policy);
    }
    for (QAction* action : rail_->actions())
        if (action->data().toString() == name)
            action->setChecked(true);
    for (QWidget* bar : std::as_const(chrome_))
        bar->setVisible(name != startName);
    customValues_->setFigures(shownPage().figures);
    status_->setLiveShown(name == live_->page()->objectName());
    // A catalog or a fleet can be open without a scenario, whose missing model is then not an error.
    const auto& workload = document_->spec().workload;
    const bool scenario =
        shownPage().undo == document_->undoStack() || workload.model || workload.architecture;
    status_->setScenarioOpen(name != startName && scenario);
    renewUndo();
    notice_->pageShown(name);
    renewMenus();
    if (shownPage().shown)
        shownPage().shown();
    pages_->currentWidget()->setFocus(Qt::OtherFocusReason);
}

/// Undo belongs to the page that is shown, but for what has just been done to what all pages use.
void MainWindow::renewUndo() {
    undo_->setActiveStack(doneElsewhere_ != nullptr ? doneElsewhere_ : shownPage().undo);
}

QString MainWindow::page() const { return pages_->currentWidget()->objectName(); }

bool MainWindow::showView(const QString& name) {
    const QHash<QString, std::function<void()>> dialogs = {
        {guideName, [this] { showGuide(); }},
        {QStringLiteral("about"), [this] { showAbout(); }},
        {QStringLiteral("export"), [this] { showReportDialog(); }},
        {QStringLiteral("hand-off"), [this] { handOff(); }},
        {QStringLiteral("explain"), [this] { plan_->summary()->explain(0); }},
        {QStringLiteral("plan-run"), [this] { start_->planRun(); }},
        {QStringLiteral("plan-service"), [this] { start_->planService(); }}};
    if (const auto dialog = dialogs.find(name); dialog != dialogs.end()) {
        (*dialog)();
        return true;
    }
    if (plan_->dock(name) != nullptr || name == PlanTabs::runName()) {
        const bool run = name == PlanTabs::runName();
        planTabs_->showRun(run);
        showPage(planName);
        if (!run)
            plan_->raise(name);
        return true;
    }
    for (int i = 0; i < pages_->count(); ++i)
        if (pages_->widget(i)->objectName() == name) {
            showPage(name);
            return true;
        }
    return false;
}

void MainWindow::connectDocument() {
    connect(document_, &views::Document::specChanged, this, &MainWindow::renewTitle);
    connect(document_, &views::Document::fileNameChanged, this, &MainWindow::renewTitle);
    connect(document_, &views::Document::modifiedChanged, this, &MainWindow::setWindowModified);
    connect(document_, &views::Document::failed, this,
            [this] { setWindowModified(document_->isModified()); });
    renewTitle();
}

void MainWindow::connectFiles() {
    connect(files_, &FileSession::opened, this, &MainWindow::scenarioWasOpened);
    connect(files_, &FileSession::modelImported, this, &MainWindow::useModel);
    connect(files_, &FileSession::recentChanged, this, &MainWindow::renewRecent);
    connect(files_, &FileSession::saved, this, [this](const QString& file) {
        notice_->dismiss();
        statusBar()->showMessage(tr("Saved %1").arg(QFileInfo(file).fileName()), 4000);
    });
    connect(files_, &FileSession::refused, this, [this](const QString& what, const QString& reason) {
        scenarios_->setCurrentIndex(0);
        notice_->showNotice(BadgeKind::err, what, reason);
    });
    connect(files_, &FileSession::changedOnDisk, this, [this](const QString& file) {
        notice_->showNotice(
            BadgeKind::warn, tr("%1 was changed by another program").arg(QFileInfo(file).fileName()), {},
            {{tr("Reload from disk"), [this] { files_->reload(); }}, {tr("Keep mine"), [] {}}});
    });
    connect(files_, &FileSession::removedOnDisk, this, [this](const QString& file) {
        notice_->showNotice(BadgeKind::warn, tr("%1 was deleted or moved").arg(QFileInfo(file).fileName()),
                            tr("Your version is still open; Save writes it again."),
                            {{tr("Save"), [this] { files_->save(); }}});
    });
}

/// Reads that take long are said, and can be given up.
void MainWindow::connectReads() {
    connect(&SettingsDisk::instance(), &SettingsDisk::failed, this, [this](const QString& fault) {
        notice_->showNotice(BadgeKind::warn, tr("Your settings were not saved"),
                            tr("%1. Scenarios are not affected.").arg(fault));
    });
    for (SlowWork* work : {&files_->reading(), &desk_->imports().reading(), &desk_->topologies().reading()}) {
        connect(work, &SlowWork::isSlow, this, [this, work](const QString& sentence) {
            notice_->showProgress(sentence, {{tr("Cancel"), [work] { work->cancel(); }}});
        });
        connect(work, &SlowWork::ended, this, [this](const QString& sentence) {
            if (notice_->sentence() == sentence)
                notice_->dismiss();
        });
    }
}

bool MainWindow::cancelReads() {
    bool any = false;
    for (SlowWork* work : {&files_->reading(), &desk_->imports().reading(), &desk_->topologies().reading()}) {
        any = any || work->isGoingOn();
        work->cancel();
    }
    return any;
}

void MainWindow::renewRecent() {
    recent_->clear();
    for (const QString& file : std::as_const(settings_.recentFiles)) {
        QAction* action = recent_->addAction(QFileInfo(file).fileName());
        action->setToolTip(file);
        action->setStatusTip(file);
        connect(action, &QAction::triggered, files_, [this, file] { files_->openFile(file); });
    }
    recent_->setEnabled(!settings_.recentFiles.isEmpty());
    start_->setRecentFiles(settings_.recentFiles);
}

void MainWindow::connectExporter() {
    connect(exporter_, &Exporter::started, this, [this](const QString& file) {
        notice_->showProgress(tr("Writing %1").arg(QFileInfo(file).fileName()),
                              {{tr("Cancel"), [this] { exporter_->cancel(); }}});
    });
    connect(exporter_, &Exporter::finished, this, [this](const QString& file) {
        notice_->showNotice(BadgeKind::ok, tr("Wrote %1").arg(QFileInfo(file).fileName()),
                            QFileInfo(file).absolutePath(),
                            {{tr("Open"), [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); }}});
    });
    connect(exporter_, &Exporter::failed, this, [this](const QString& file, const QString& reason) {
        notice_->showNotice(BadgeKind::err, tr("%1 was not written").arg(QFileInfo(file).fileName()), reason);
    });
}

void MainWindow::handOff() {
    if (handoff_ == nullptr) {
        handoff_ = new HandoffWindow(*document_, settings_,
                                     catalog_.problems.empty() ? catalog_.userFile : std::string(), this);
        connect(handoff_, &HandoffWindow::saved, this, [this](const QString& folder, const QString& reason) {
            notice_->showNotice(reason.isEmpty() ? BadgeKind::ok : BadgeKind::err,
                                reason.isEmpty() ? tr("Wrote the hand-off to %1").arg(folder)
                                                 : tr("The hand-off was not written"),
                                reason);
        });
    }
    handoff_->open();
}

void MainWindow::setTextSize(double points) {
    views::ThemeController::instance().setBodyPointSize(points);
    settings_.bodyPointSize = views::ThemeController::instance().bodyPointSize();
    settings_.save();
}

void MainWindow::toggleFullScreen(bool on) {
    setWindowState(on ? windowState() | Qt::WindowFullScreen : windowState() & ~Qt::WindowFullScreen);
}

void MainWindow::showGuide() {
    if (guide_ == nullptr)
        guide_ = new views::GuideWindow(this);
    const views::View* view = page() == planName ? planTabs_->presentView() : nullptr;
    guide_->showChapter(view != nullptr ? view->helpTopic() : page());
}

void MainWindow::showShortcuts() {
    if (shortcuts_ == nullptr)
        shortcuts_ = new ShortcutsWindow(*this);
    shortcuts_->open();
}

/// On the start page the bar comes for as long as one is asked.
void MainWindow::goToAnything() {
    locator_->parentWidget()->show();
    locator_->open();
}

void MainWindow::showAbout() { views::showAbout(this, *document_->catalog()); }

/// Where an input of a figure comes from.
void MainWindow::showPlace(const QUrl& place) {
    const QString path = place.path();
    if (place.scheme() == QLatin1String("field")) {
        editField(path.toStdString());
    } else if (place.scheme() == QLatin1String("catalog")) {
        const auto kind = data::catalogKind(path.section(QLatin1Char('/'), 0, 0).toStdString());
        const QString entry = QUrl::fromPercentEncoding(path.section(QLatin1Char('/'), 1, 1).toLatin1());
        if (!kind)
            return;
        showPage(catalogName);
        catalogPage_->showCell({*kind, entry, path.section(QLatin1Char('/'), 2)});
    } else {
        showPage(validationName);
    }
}

void MainWindow::editField(std::string_view path) {
    showView(scenarioDock);
    if (auto* editor = plan_->findChild<views::ScenarioView*>())
        editor->edit(path);
}

/// Esc goes back: from a file that is still being read, out of a preview, else out of the selection.
void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape)
        QMainWindow::keyPressEvent(event);
    else if (cancelReads())
        return;
    else if (document_->previewed() != nullptr)
        document_->endPreview();
    else
        document_->clearSelection();
}

bool MainWindow::focusNextPrevChild(bool next) {
    const QWidget* start = focusWidget();
    const auto isSeen = [this](const QWidget* widget) {
        return widget != nullptr && widget->isVisible() && !plan_->isBehind(widget);
    };
    constexpr int most = 1000; // far more than there are: where nothing is to be seen, it ends
    int moves = 0;
    do {
        if (!QMainWindow::focusNextPrevChild(next))
            return false;
    } while (!isSeen(focusWidget()) && focusWidget() != start && ++moves < most);
    for (QWidget* each = focusWidget(); each != nullptr && each != this; each = each->parentWidget())
        if (auto* around = qobject_cast<QScrollArea*>(each))
            around->ensureWidgetVisible(focusWidget());
    return true;
}

} // namespace alidade::app
