// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/baseline_desk.h"
#include "app/window/file_session.h"
#include "app/window/fleet_desk.h"
#include "app/window/library_desk.h"
#include "app/window/live_desk.h"
#include "app/window/locator.h"
#include "app/window/main_window.h"
#include "app/window/page_names.h"
#include "app/window/palette.h"
#include "app/window/plan_page.h"
#include "app/window/plan_tabs.h"
#include "app/window/view_dock.h"
#include "data/fleet/fleet_file.h"
#include "views/catalog/catalog_view.h"
#include "views/compare/compare_view.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/icons/icon.h"
#include "views/kit/keep_font.h"
#include "views/kit/rail.h"
#include "views/live/live_page.h"
#include "views/problems/problems_view.h"
#include "views/start/samples.h"
#include "views/start/start_page.h"
#include "views/theme/theme_controller.h"

#include <QActionGroup>
#include <QComboBox>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>
#include <QUndoGroup>

#include <array>
#include <limits>

namespace alidade::app {

using views::ThemeChoice;
using views::ThemeController;

namespace {

constexpr std::array exportSuffixes = {"pdf", "html", "xlsx", "csv", "json"};

} // namespace

QAction* MainWindow::addTo(QMenu* menu, const QString& words, const QKeySequence& keys,
                           const char* iconName) {
    QAction* action = menu->addAction(words);
    action->setShortcut(keys);
    if (iconName != nullptr)
        action->setIcon(views::icon(QLatin1StringView(iconName)));
    return action;
}

void MainWindow::makeRail() {
    rail_ = new views::Rail(this);
    addToolBar(Qt::LeftToolBarArea, rail_);
    chrome_.append(rail_);
    constexpr int mostKeys = 9;
    int number = 0;
    for (const WindowPage& page : list_) {
        if (page.text.isEmpty())
            continue;
        QAction* action = rail_->addView(QString::fromLatin1(page.icon), page.text);
        action->setData(page.name);
        rail_->widgetForAction(action)->setAccessibleName(action->text());
        if (number < mostKeys)
            action->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + number++)));
        connect(action, &QAction::triggered, this, [this, action] { showPage(action->data().toString()); });
    }
}

void MainWindow::makeToolBar() {
    auto* bar = new QToolBar(tr("Tools"), this);
    bar->setObjectName(QStringLiteral("tools"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    addToolBar(Qt::TopToolBarArea, bar);
    chrome_.append(bar);

    scenarios_ = new QComboBox;
    scenarios_->setAccessibleName(tr("Scenario"));
    views::KeepFont::on(scenarios_, views::FontRole::strong);
    scenarios_->setMinimumWidth(views::theme().px(320));
    scenarios_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    bar->addWidget(scenarios_);
    connect(scenarios_, &QComboBox::activated, this, &MainWindow::chooseScenario);

    for (const WindowPage& page : list_)
        undo_->addStack(page.undo);
    undo_->addStack(document_->baselines().undoStack());
    for (const bool isUndo : {true, false}) {
        QAction* action =
            isUndo ? undo_->createUndoAction(this, tr("Undo")) : undo_->createRedoAction(this, tr("Redo"));
        action->setObjectName(isUndo ? QStringLiteral("undo") : QStringLiteral("redo"));
        action->setShortcuts(isUndo ? QKeySequence::Undo : QKeySequence::Redo);
        action->setIcon(views::icon(QLatin1StringView(isUndo ? "undo" : "redo")));
        addAction(action);
        bar->addAction(action);
        auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action));
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAccessibleName(isUndo ? tr("Undo") : tr("Redo"));
    }
    bar->addSeparator();

    export_ = new QMenu(tr("&Export Report"), this);
    QAction* report = addTo(export_, tr("&Options and Preview…"), QKeySequence(Qt::CTRL | Qt::Key_P));
    report->setObjectName(QStringLiteral("reportOptions"));
    connect(report, &QAction::triggered, this, &MainWindow::showReportDialog);
    export_->addSeparator();
    for (const char* suffix : exportSuffixes) {
        const QString name = QString::fromLatin1(suffix);
        QAction* action = addTo(export_, tr("As %1…").arg(name.toUpper()), {});
        if (name == QLatin1String("pdf"))
            action->setShortcut(Qt::CTRL | Qt::Key_E);
        connect(action, &QAction::triggered, this, [this, name] { exportReport(name); });
    }
    auto* button = new QToolButton;
    button->setText(tr("Export"));
    button->setIcon(views::icon(QLatin1StringView("export")));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(button, &QToolButton::clicked, this,
            [this, button] { export_->popup(button->mapToGlobal(QPoint(0, button->height()))); });
    button->setAccessibleName(tr("Export report"));
    button->setToolTip(tr("Write a report of this scenario"));
    button->setFocusPolicy(Qt::TabFocus);
    bar->addWidget(button);
    bar->addWidget(baselines_->makeButton());

    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    locator_ = new Locator([this] { return locatorEntries(); }, this);
    locator_->setFixedWidth(views::theme().px(270));
    bar->addWidget(locator_);
    connect(locator_, &Locator::closed, bar, [this, bar] { bar->setVisible(page() != startName); });
}

void MainWindow::makeMenus() {
    makeFileMenu();
    makeEditMenu();
    makeViewMenu();
    makeCatalogMenu();
    makeToolsMenu();
    makeHelpMenu();
}

void MainWindow::makeFileMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    connect(addTo(menu, tr("&New"), QKeySequence::New, "add"), &QAction::triggered, files_,
            &FileSession::startNew);
    connect(addTo(menu, tr("&Open…"), QKeySequence::Open, "open"), &QAction::triggered, files_,
            &FileSession::askOpen);
    connect(
        addTo(menu, tr("&Plan a Training Run…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N), "layers"),
        &QAction::triggered, start_, [this] { start_->planRun(); });
    connect(addTo(menu, tr("Plan a Ser&vice…"), {}, "serving"), &QAction::triggered, start_,
            &views::StartPage::planService);
    QMenu* samples = menu->addMenu(tr("Open &Sample"));
    for (const views::Sample& sample : views::samples())
        connect(samples->addAction(sample.name), &QAction::triggered, files_,
                [this, id = sample.id] { files_->openSample(id); });
    samples->addSeparator();
    for (const data::SampleFleet& fleet : data::sampleFleets())
        connect(samples->addAction(tr("Fleet: %1").arg(views::text(fleet.name))), &QAction::triggered,
                fleets_, [this, id = views::text(fleet.id)] { fleets_->openSample(id); });
    recent_ = menu->addMenu(tr("Open &Recent"));
    desk_->addWorkspaceActions(menu);
    menu->addSeparator();
    QAction* save = addTo(menu, tr("&Save"), QKeySequence::Save, "save");
    connect(save, &QAction::triggered, this, &MainWindow::save);
    QAction* saveAs = addTo(menu, tr("Save &As…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    connect(saveAs, &QAction::triggered, this, &MainWindow::saveAs);
    menu->addMenu(export_);
    QAction* handOff =
        addTo(menu, tr("&Hand Off…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), "export");
    handOff->setObjectName(QStringLiteral("handOff"));
    connect(handOff, &QAction::triggered, this, &MainWindow::handOff);
    ofScenario_ += {save, saveAs, handOff};
    ofScenario_ += export_->actions();
    menu->addSeparator();
    connect(addTo(menu, tr("Start &Page"), {}), &QAction::triggered, this, [this] { showPage(startName); });
    QAction* quit = addTo(menu, tr("&Quit"), QKeySequence::Quit);
    quit->setObjectName(QStringLiteral("quit"));
    connect(quit, &QAction::triggered, this, &QWidget::close);
}

void MainWindow::makeEditMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    menu->addAction(findChild<QAction*>(QStringLiteral("undo")));
    menu->addAction(findChild<QAction*>(QStringLiteral("redo")));
    menu->addSeparator();
    connect(addTo(menu, tr("&Paste as Import"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V)),
            &QAction::triggered, desk_, &LibraryDesk::paste);
    menu->addSeparator();
    connect(addTo(menu, tr("&Go to Anything…"), QKeySequence(Qt::CTRL | Qt::Key_K), "search"),
            &QAction::triggered, this, &MainWindow::goToAnything);
    menu->addSeparator();
    const auto problem = [this](int direction) {
        showView(problemsDock);
        if (auto* view = plan_->findChild<views::ProblemsView*>())
            view->step(direction);
    };
    connect(addTo(menu, tr("&Next Problem"), QKeySequence(Qt::Key_F8)), &QAction::triggered, this,
            [problem] { problem(1); });
    connect(addTo(menu, tr("&Previous Problem"), QKeySequence(Qt::SHIFT | Qt::Key_F8)), &QAction::triggered,
            this, [problem] { problem(-1); });
    menu->addSeparator();
    QAction* again = addTo(menu, tr("&Estimate Again"), QKeySequence(Qt::Key_F5));
    connect(again, &QAction::triggered, document_, &views::Document::recompute);
    ofScenario_.append(again);
}

void MainWindow::makeViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    menu->addActions(rail_->actions());
    menu->addSeparator();
    menu->addAction(planTabs_->goAction());
    connect(planTabs_->goAction(), &QAction::triggered, this, [this] { showView(PlanTabs::runName()); });
    for (const ViewDock* dock : plan_->docks()) {
        menu->addAction(dock->goAction());
        connect(dock->goAction(), &QAction::triggered, this,
                [this, name = dock->objectName()] { showView(name); });
    }
    QAction* next = addTo(menu, tr("Ne&xt View"), QKeySequence(Qt::Key_F6));
    connect(next, &QAction::triggered, plan_, [this] { plan_->stepView(1); });
    QAction* previous = addTo(menu, tr("Pre&vious View"), QKeySequence(Qt::SHIFT | Qt::Key_F6));
    connect(previous, &QAction::triggered, plan_, [this] { plan_->stepView(-1); });
    QAction* close = addTo(menu, tr("Close This Vie&w"), QKeySequence(Qt::CTRL | Qt::Key_W));
    connect(close, &QAction::triggered, plan_, &PlanPage::closePresent);
    QAction* maximize = addTo(menu, tr("Ma&ximize or Restore This View"), QKeySequence(Qt::CTRL | Qt::Key_M));
    connect(maximize, &QAction::triggered, plan_, &PlanPage::maximizePresent);
    menu->addSeparator();
    menu->addMenu(baselines_->menu());
    ofScenario_ += {baselines_->showAction(), baselines_->pinAction()};
    menu->addSeparator();
    QMenu* appearance = menu->addMenu(tr("&Appearance"));
    auto* group = new QActionGroup(this);
    for (const auto& [choice, words] :
         {std::pair{ThemeChoice::system, tr("As the &System")}, std::pair{ThemeChoice::light, tr("&Light")},
          std::pair{ThemeChoice::dark, tr("&Dark")}}) {
        QAction* action = appearance->addAction(words);
        action->setCheckable(true);
        action->setChecked(settings_.theme == choice);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, choice = choice] { setTheme(choice); });
    }
    appearance->addSeparator();
    const auto sizeBy = [this](double points) {
        setTextSize(ThemeController::instance().bodyPointSize() + points);
    };
    connect(addTo(appearance, tr("L&arger Text"), QKeySequence::ZoomIn), &QAction::triggered, this,
            [sizeBy] { sizeBy(1); });
    connect(addTo(appearance, tr("S&maller Text"), QKeySequence::ZoomOut), &QAction::triggered, this,
            [sizeBy] { sizeBy(-1); });
    connect(addTo(appearance, tr("&Normal Text"), QKeySequence(Qt::CTRL | Qt::Key_0)), &QAction::triggered,
            this, [this] { setTextSize(10); });
    for (QAction* action : appearance->actions())
        action->setProperty(keywordsProperty,
                            tr("settings preferences theme color colour dark light font size zoom"));
    QAction* layout = addTo(menu, tr("Restore &Default Layout"), {});
    connect(layout, &QAction::triggered, plan_, &PlanPage::restoreDefaultLayout);
    ofPlan_ += {next, previous, close, maximize, layout};
    QAction* full = addTo(menu, tr("&Full Screen"), QKeySequence(Qt::Key_F11));
    full->setCheckable(true);
    connect(full, &QAction::toggled, this, &MainWindow::toggleFullScreen);
}

void MainWindow::makeCatalogMenu() {
    QMenu* menu = catalogMenu_ = menuBar()->addMenu(tr("&Catalog"));
    for (QAction* action : catalogPage_->menuActions())
        if (action == nullptr)
            menu->addSeparator();
        else
            menu->addAction(action);
}

void MainWindow::makeToolsMenu() { live_->addActions(menuBar()->addMenu(tr("&Tools"))); }

void MainWindow::makeHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    connect(addTo(menu, tr("&User Guide"), QKeySequence(Qt::Key_F1), "explain"), &QAction::triggered, this,
            &MainWindow::showGuide);
    connect(addTo(menu, tr("&Keyboard Shortcuts"), QKeySequence(Qt::Key_Question)), &QAction::triggered, this,
            &MainWindow::showShortcuts);
    connect(addTo(menu, tr("&About Alidade"), {}), &QAction::triggered, this, &MainWindow::showAbout);
}

/// What does nothing on the present page cannot be chosen.
void MainWindow::renewMenus() {
    const QString name = page();
    const bool started = name != startName;
    for (QAction* action : std::as_const(ofScenario_))
        action->setEnabled(started);
    for (QAction* action : std::as_const(ofPlan_))
        action->setEnabled(name == planTabs_->objectName() && !planTabs_->showsRun());
    // There the key takes a scenario as the baseline of the page.
    if (name == compare_->objectName())
        baselines_->showAction()->setEnabled(false);
    // Its own actions say which of them can be done at the moment.
    catalogMenu_->menuAction()->setEnabled(name == catalogPage_->objectName());
    live_->setPageShown(name == live_->page()->objectName());
}

/// Those of the workspace; the samples are in the File menu.
QList<LocatorEntry> MainWindow::entriesOfScenarios() {
    QList<LocatorEntry> entries;
    for (const auto& [name, id] : desk_->latest(std::numeric_limits<int>::max()))
        entries.append({.text = name,
                        .detail = tr("Scenario"),
                        .keys = {},
                        .icon = views::icon(QLatin1StringView("library")),
                        .go = [this, id = id] { desk_->openScenario(id); },
                        .words = {}});
    return entries;
}

QList<LocatorEntry> MainWindow::locatorEntries() {
    QList<LocatorEntry> entries;
    for (const QAction* top : menuBar()->actions()) {
        QList<LocatorEntry> each = entriesOfMenu(top->menu(), plainText(top));
        if (top->menu() == catalogMenu_)
            for (LocatorEntry& entry : each)
                entry.go = [this, go = entry.go] {
                    showPage(catalogPage_->objectName());
                    go();
                };
        entries += each;
    }
    entries += entriesOfScenarios();
    entries += entriesOfFields(*document_, [this](std::string_view path) { editField(path); });
    entries += entriesOfCatalog(*catalogPage_, [this] { showPage(catalogPage_->objectName()); });
    return entries;
}

void MainWindow::setTheme(views::ThemeChoice choice) {
    settings_.theme = choice;
    settings_.save();
    views::ThemeController::instance().setChoice(choice);
}

} // namespace alidade::app
