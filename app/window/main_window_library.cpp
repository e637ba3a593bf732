// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/catalog_keeper.h"
#include "app/window/file_session.h"
#include "app/window/fleet_desk.h"
#include "app/window/library_desk.h"
#include "app/window/live_desk.h"
#include "app/window/main_window.h"
#include "app/window/notice_bar.h"
#include "app/window/page_names.h"
#include "app/window/plan_page.h"
#include "app/window/plan_tabs.h"
#include "app/window/search_desk.h"
#include "app/window/status_line.h"
#include "model/scenario/fields.h"
#include "model/workload/architecture.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_view.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/explore/explore_view.h"
#include "views/fleet/fleet_view.h"
#include "views/library/history_view.h"
#include "views/library/library_view.h"
#include "views/start/samples.h"
#include "views/start/start_page.h"

#include <QCloseEvent>
#include <QComboBox>
#include <QDataStream>
#include <QFileInfo>
#include <QIODevice>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QUndoGroup>
#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace alidade::app {

using views::BadgeKind;

namespace {

/// Raised when what a workspace remembers of the window changes; an older one is then passed over.
constexpr qint32 layoutFormat = 2;
/// In the list of the tool bar.
constexpr int mostLatest = 8;

} // namespace

void MainWindow::connectLibrary() {
    connect(desk_, &LibraryDesk::notice, this, [this](const WindowNotice& said) {
        NoticeBar* bar = said.isDamage ? damage_ : notice_;
        bar->showNotice(said.kind, said.sentence, said.detail, said.actions);
        bar->setStays(said.stays);
        if (bar == notice_)
            bar->setPage(page());
    });
    connect(desk_, &LibraryDesk::topologyRemoved, this, [this] {
        doneElsewhere_ = desk_->session().library().undoStack();
        renewUndo();
    });
    QUndoStack* pins = document_->baselines().undoStack();
    for (QUndoStack* stack : undo_->stacks())
        connect(stack, &QUndoStack::indexChanged, this, [this, stack, pins] {
            QUndoStack* next = stack == pins && pins->canUndo() ? pins : nullptr;
            if (std::exchange(doneElsewhere_, next) != next)
                renewUndo();
        });
    connect(desk_, &LibraryDesk::scenarioOpened, this, &MainWindow::scenarioWasOpened);
    connect(desk_, &LibraryDesk::showPage, this, &MainWindow::showPage);
    connect(desk_, &LibraryDesk::useTopology, this, &MainWindow::useTopology);
    connect(desk_, &LibraryDesk::modelImported, this, &MainWindow::useModel);
    WorkspaceSession& session = desk_->session();
    new SearchDesk(*search_, *document_, *desk_, this);
    auto* catalog = new CatalogKeeper(catalogPage_->editor(), session, this);
    connect(catalog, &CatalogKeeper::refused, this, [this](const QString& reason) {
        notice_->showNotice(BadgeKind::warn, tr("A change of the catalog was left out"), reason);
    });
    connect(&session, &WorkspaceSession::aboutToLeave, this,
            [this] { desk_->session().keepSetting(data::setting::windowLayout, workspaceLayout()); });
    connect(&session, &WorkspaceSession::opened, this, [this] {
        takeWorkspaceLayout();
        renewTitle();
        renewScenarios();
    });
    connect(desk_, &LibraryDesk::arrived, this, &MainWindow::takeWorkspaceLayout);
    connect(&session, &WorkspaceSession::recentChanged, this, &MainWindow::renewRecent);
    connect(&session, &WorkspaceSession::stateChanged, this, [this] {
        // What is edited while another workspace takes the place of this one would belong to neither.
        pages_->setEnabled(!(desk_->session().isOpening() && desk_->session().isOpen()));
        renewKeeping();
    });
    connect(&session.library(), &views::Library::changed, this, &MainWindow::renewScenarios);
    connect(&desk_->keeper(), &ScenarioKeeper::changed, this, [this] {
        renewTitle();
        renewScenarios();
        renewKeeping();
    });
    connect(plan_->history(), &views::HistoryView::nameVersion, &desk_->keeper(),
            qOverload<std::int64_t, const QString&>(&ScenarioKeeper::nameVersion));
    connect(plan_->history(), &views::HistoryView::openCopy, &desk_->imports(),
            [this](const QString&, const QByteArray& json) {
                desk_->imports().takeText(QString::fromUtf8(json));
            });
}

void MainWindow::connectLive() {
    connect(live_, &LiveDesk::notice, this, [this](const WindowNotice& said) {
        notice_->showNotice(said.kind, said.sentence, said.detail, said.actions);
        notice_->setStays(said.stays);
        notice_->setPage(page());
    });
    connect(live_, &LiveDesk::showPage, this, &MainWindow::showPage);
    connect(live_, &LiveDesk::message, this, [this](const QString& words) { status_->setLiveNote(words); });
    connect(live_, &LiveDesk::stateChanged, this,
            [this] { status_->setLive(live_->stateKind(), live_->stateText(), live_->answerText()); });
}

void MainWindow::connectFleets() {
    fleets_ = new FleetDesk(*fleet_, desk_->session(), settings_, *this);
    connect(fleets_, &FleetDesk::showPage, this, &MainWindow::showPage);
    connect(fleets_, &FleetDesk::fileOpened, files_, &FileSession::remember);
    connect(fleets_, &FleetDesk::notice, this,
            [this](const WindowNotice& said) { notice_->showNotice(said.kind, said.sentence, said.detail); });
    connect(fleets_, &FleetDesk::saved, this, [this](const QString& file) {
        notice_->dismiss();
        statusBar()->showMessage(tr("Saved %1").arg(QFileInfo(file).fileName()), 4000);
    });
    connect(files_, &FileSession::fleetChosen, fleets_, &FleetDesk::openFile);
    connect(start_, &views::StartPage::openFleet, fleets_, &FleetDesk::openSample);
    connect(&desk_->imports(), &ImportDesk::openFleet, fleets_,
            [this](const QString& file, const QString& content) {
                if (file.isEmpty())
                    fleets_->openText(content);
                else
                    fleets_->openFile(file);
            });
}

/// The document is another one now.
void MainWindow::scenarioWasOpened() {
    notice_->dismissPassing();
    settings_.openedBefore = true;
    settings_.save();
    scenarios_->setCurrentIndex(0);
    showPage(planTabs_->objectName());
    if (files_->origin() == FileSession::Origin::file && !document_->fileName().isEmpty() &&
        desk_->session().isWritable())
        notice_->showNotice(BadgeKind::neutral,
                            tr("%1 is open as a file").arg(QFileInfo(document_->fileName()).fileName()),
                            tr("It is saved only on request, and has no history."),
                            {{tr("Add to Library"), [this] { desk_->addToLibrary(); }}});
}

void MainWindow::renewTitle() {
    const QString workspace = desk_->keeper().keeps() ? desk_->session().name() : QString();
    const QString title = workspace.isEmpty()
                              ? tr("%1[*] – Alidade").arg(document_->displayName())
                              : tr("%1[*] – %2 – Alidade").arg(document_->displayName(), workspace);
    setWindowTitle(title);
    setWindowFilePath(document_->fileName());
    setWindowTitle(title);
    scenarios_->setItemText(0, document_->displayName());
    scenarios_->setToolTip(document_->fileName().isEmpty() ? document_->displayName()
                                                           : document_->fileName());
}

/// The open one, those changed last, and the samples.
void MainWindow::renewScenarios() {
    const auto there = std::ranges::count_if(desk_->session().content().scenarios,
                                             [](const auto& each) { return each.second.deletedMs == 0; });
    start_->setWorkspace(desk_->session().name(), static_cast<int>(there));
    scenarios_->clear();
    scenarios_->addItem(document_->displayName());
    scenarios_->insertSeparator(1);
    const auto latest = desk_->latest(mostLatest);
    for (const auto& [name, id] : latest)
        scenarios_->addItem(name, static_cast<qlonglong>(id));
    if (!latest.isEmpty())
        scenarios_->insertSeparator(scenarios_->count());
    for (const views::Sample& sample : views::samples())
        scenarios_->addItem(tr("Sample: %1").arg(sample.name), sample.id);
    scenarios_->setCurrentIndex(0);
}

void MainWindow::chooseScenario(int index) {
    const QVariant chosen = scenarios_->itemData(index);
    scenarios_->setCurrentIndex(0);
    if (chosen.typeId() == QMetaType::QString)
        files_->openSample(chosen.toString());
    else if (chosen.isValid())
        desk_->openScenario(chosen.toLongLong());
}

void MainWindow::renewKeeping() {
    WorkspaceSession& session = desk_->session();
    status_->setKeeping(session.stateKind(),
                        desk_->keeper().keeps() || session.isOpening() ? session.stateText() : QString());
}

/// The Fleet page has its own file.
void MainWindow::save() {
    if (shownPage().widget == fleet_)
        fleets_->save();
    else
        desk_->save();
}

void MainWindow::saveAs() {
    if (shownPage().widget == fleet_)
        fleets_->askSaveAs();
    else if (desk_->keeper().keeps())
        desk_->exportScenario();
    else
        files_->askSaveAs();
}

void MainWindow::useTopology(const QString& name) {
    const QString reason =
        document_->setFields({{"cluster.topology", name.toStdString()}}, tr("use the topology %1").arg(name));
    if (!reason.isEmpty())
        notice_->showNotice(BadgeKind::err, tr("The topology cannot be used"), reason);
    else
        showPage(planTabs_->objectName());
}

void MainWindow::useModel(const Architecture& model) {
    if (const QString reason = catalogPage_->editor().addModel(model); !reason.isEmpty())
        notice_->showNotice(BadgeKind::warn, tr("The model is not kept in the catalog"), reason);
    start_->planRun(model);
}

QByteArray MainWindow::workspaceLayout() const {
    QByteArray packed;
    QDataStream stream(&packed, QIODevice::WriteOnly);
    const bool run = page() == planTabs_->objectName() && planTabs_->showsRun();
    stream << layoutFormat << (run ? PlanTabs::runName() : page()) << plan_->saveLayout()
           << explore_->saveState();
    return packed.toBase64();
}

void MainWindow::takeWorkspaceLayout() {
    const QByteArray packed = QByteArray::fromBase64(desk_->session().setting(data::setting::windowLayout));
    QDataStream stream(packed);
    qint32 format = 0;
    QString name;
    QByteArray layout;
    stream >> format >> name >> layout;
    if (stream.status() != QDataStream::Ok || format != layoutFormat)
        return;
    plan_->restoreLayout(layout);
    if (QByteArray explored; !stream.atEnd()) { // older workspaces end here
        stream >> explored;
        explore_->restoreState(explored);
    }
    const bool needsDocument =
        name == planTabs_->objectName() || name == PlanTabs::runName() || name == topologyName;
    const bool isStart = name == start_->objectName();
    switch (desk_->arrival()) {
    case LibraryDesk::Arrival::kept:    // a person looks at it
    case LibraryDesk::Arrival::awaited: // this comes again when it is there
        break;
    case LibraryDesk::Arrival::restored:
        if (!isStart || desk_->isFirstWorkspace())
            showView(name);
        break;
    case LibraryDesk::Arrival::nothing:
        if (desk_->isFirstWorkspace() && !needsDocument && !isStart)
            showView(name);
        break;
    }
}

/// Unsaved files first, then the workspace: every edit is on the disk, or a person has given it up.
bool MainWindow::mayClose() {
    closing_ = true;
    files_->reading().cancel();
    files_->settle([this] {
        fleets_->settleForClosing([this] {
            desk_->session().settle([this] {
                settled_ = true;
                if (!closing_)
                    close();
            });
        });
    });
    closing_ = false;
    return settled_;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!settled_ && !mayClose()) {
        event->ignore();
        return;
    }
    settings_.geometry = saveGeometry();
    settings_.planLayout = plan_->saveLayout();
    settings_.save();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (LibraryDesk::canTake(event->mimeData()))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    desk_->take(event->mimeData());
}

} // namespace alidade::app
