// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/settings.h"
#include "app/window/window_page.h"
#include "data/catalog/catalog_reader.h"

#include <QList>
#include <QMainWindow>

#include <functional>
#include <vector>

class QComboBox;
class QMenu;
class QStackedWidget;
class QUndoGroup;
class QUndoStack;

namespace alidade::data {
struct ListedScenario;
}

namespace alidade::views {
class CatalogView;
class CompareView;
class SearchView;
class Document;
class ExploreView;
class FleetView;
class GuideWindow;
class Rail;
class StartPage;
class TopologyView;
class ValidationSource;
class ValidationView;
struct Engine;
struct ValidationEngine;
} // namespace alidade::views

namespace alidade::app {

class BaselineDesk;
class CatalogKeeper;
class Exporter;
class FileSession;
class FleetDesk;
struct ReportChoice;
struct ReportSource;
class LibraryDesk;
class LiveDesk;
class Locator;
class NoticeBar;
class PlanPage;
class PlanTabs;
class HandoffWindow;
class ShortcutsWindow;
class StatusLine;
struct LocatorEntry;

/// The window: puts the pages together and owns what they share. Each page and dock is a separate class;
/// here they are only wired.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// \param executable the alidade program, for exports
    MainWindow(const data::CatalogLoad& catalog, const views::Engine& engine,
               const views::ValidationEngine& validation, const Settings& settings,
               const QString& executable);
    ~MainWindow() override;

    views::Document& document() const { return *document_; }
    views::ValidationSource& validation() const { return *validation_; }
    FileSession& files() const { return *files_; }
    LibraryDesk& library() const { return *desk_; }
    LiveDesk& live() const { return *live_; }
    FleetDesk& fleets() const { return *fleets_; }
    BaselineDesk& baselines() const { return *baselines_; }
    NoticeBar& notice() const { return *notice_; }
    CustomValuesBar& customValues() const { return *customValues_; }
    NoticeBar& damage() const { return *damage_; }
    PlanPage& plan() const { return *plan_; }
    PlanTabs& planTabs() const { return *planTabs_; }
    Locator& locator() const { return *locator_; }
    const Settings& settings() const { return settings_; }

    /// A page of the rail, "start", a dock of the plan, "run", "guide", or a dialog ("about", "explain",
    /// "hand-off", "plan-run", "plan-service"). False if there is none of that name.
    bool showView(const QString& name);
    QString page() const; ///< name of the page that is shown

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    /// Tab and Shift+Tab: over what is hidden or behind the tab of another dock, and into sight.
    bool focusNextPrevChild(bool next) override;

private:
    QSize startSize() const;

    // Assembly
    void makePages();
    void makeComparePage();
    void addToComparison(const std::vector<data::ListedScenario>& scenarios);
    void listPages(views::TopologyView* topology);
    void makeRail();
    void makeToolBar();
    void makeMenus();
    void makeFileMenu();
    void makeEditMenu();
    void makeViewMenu();
    void makeCatalogMenu();
    void makeToolsMenu();
    void makeHelpMenu();
    void connectDocument();
    void connectFiles();
    void connectReads();
    bool cancelReads(); ///< true: something was being read
    void connectExporter();
    void connectLibrary();
    void connectLive();
    void connectFleets();

    // What the parts do to each other
    void showPage(const QString& name);
    const WindowPage& shownPage() const;
    void renewUndo();
    void renewTitle();
    void renewScenarios();
    void chooseScenario(int index);
    void renewKeeping();
    void renewRecent();
    void scenarioWasOpened();
    void save();
    void saveAs();
    void useTopology(const QString& name);
    void useModel(const Architecture& model);
    QByteArray workspaceLayout() const;
    void takeWorkspaceLayout();
    bool mayClose();
    void exportReport(const QString& suffix);
    void showReportDialog();
    std::function<std::vector<ReportChoice>()> reportChoices(bool comparing) const;
    ReportSource reportSource() const; ///< of the open scenario
    void askReportFile(const ReportSource& source, const ReportOptions& options);
    void handOff();
    void setTheme(views::ThemeChoice choice);
    void setTextSize(double points);
    void toggleFullScreen(bool on);
    void showGuide();
    void showAbout();
    void showShortcuts();
    void goToAnything();
    void editField(std::string_view path);
    void showPlace(const QUrl& place);
    QList<LocatorEntry> locatorEntries();
    QList<LocatorEntry> entriesOfScenarios();
    void renewMenus();
    QAction* addTo(QMenu* menu, const QString& text, const QKeySequence& keys, const char* icon = nullptr);

    Settings settings_;
    data::CatalogLoad catalog_;
    views::Document* document_;
    views::ValidationSource* validation_;
    BaselineDesk* baselines_ = nullptr;
    FileSession* files_;
    LibraryDesk* desk_;
    LiveDesk* live_;
    QUndoGroup* undo_; ///< the stack of the page that is shown
    Exporter* exporter_;
    NoticeBar* notice_;
    NoticeBar* damage_; ///< of its own, so that a damaged file stays in sight until the person answers
    QStackedWidget* pages_;
    std::vector<WindowPage> list_; ///< of the pages, in the order of the rail and of `pages_`
    views::StartPage* start_;
    PlanPage* plan_;
    PlanTabs* planTabs_ = nullptr;
    views::ExploreView* explore_;
    views::FleetView* fleet_ = nullptr;
    FleetDesk* fleets_ = nullptr;
    views::CatalogView* catalogPage_;
    views::CompareView* compare_ = nullptr;
    views::SearchView* search_ = nullptr;
    CustomValuesBar* customValues_;
    views::ValidationView* validationPage_;
    views::GuideWindow* guide_ = nullptr; ///< made when first asked for, as the next
    ShortcutsWindow* shortcuts_ = nullptr;
    HandoffWindow* handoff_ = nullptr;
    StatusLine* status_;
    views::Rail* rail_ = nullptr;
    QComboBox* scenarios_ = nullptr;
    Locator* locator_ = nullptr;
    QMenu* recent_ = nullptr;
    QMenu* export_ = nullptr;
    /// Of the last thing that was done anywhere, if that belongs to no page: a topology was deleted, or a
    /// baseline pinned.
    QUndoStack* doneElsewhere_ = nullptr;
    QMenu* catalogMenu_ = nullptr;
    QList<QAction*> ofScenario_; ///< nothing to do on the start page
    QList<QAction*> ofPlan_;     ///< of the docks: nothing to do on any other page
    bool settled_ = false;       ///< nothing is unsaved, or that was answered; the window may close
    bool closing_ = false;       ///< within closeEvent
    QList<QWidget*> chrome_;     ///< bars that the start page does without
};

} // namespace alidade::app
