// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/import_desk.h"
#include "app/window/scenario_keeper.h"
#include "app/window/topology_shelf.h"
#include "app/window/workspace_session.h"
#include "views/library/history.h"

#include <QObject>

#include <cstdint>

class QMenu;
class QMimeData;

namespace alidade::views {
class Document;
class LibraryView;
} // namespace alidade::views

namespace alidade::app {

class FileSession;
class VersionBar;

/// The workspace as the window's parts see it: puts together the session, the keeper of the open scenario,
/// its history, the library page and imports, and opens what a person chooses.
class LibraryDesk : public QObject {
    Q_OBJECT

public:
    /// All must outlive this. Page and version bar are made here and belong to whoever shows them; dialogs
    /// belong to `window`.
    LibraryDesk(views::Document& document, FileSession& files, Settings& settings, QWidget& window);
    ~LibraryDesk() override;

    WorkspaceSession& session() { return session_; }
    ScenarioKeeper& keeper() { return keeper_; }
    views::History& history() { return history_; }
    ImportDesk& imports() { return imports_; }
    TopologyShelf& topologies() { return shelf_; }
    views::LibraryView* page() const { return page_; }
    VersionBar* versionBar() const { return versions_; }

    /// What the opening of a workspace did to the open document.
    enum class Arrival {
        kept,     ///< one was open already, and stays
        restored, ///< the one that was open when the workspace was last used has come back
        nothing,  ///< there is none
        awaited   ///< it is a file that is being read; arrived() tells what came of it
    };
    Arrival arrival() const { return arrival_; }
    bool isFirstWorkspace() const { return workspaces_ == 1; } ///< of this window
    /// Remembers in the workspace which document is open.
    void keepOpenDocument();

    /// Ctrl+S: a named version of a scenario of the workspace, else the file is saved.
    void save();
    /// Puts the open file into the library as a scenario.
    void addToLibrary();
    void openScenario(data::WorkspaceId scenario);
    /// The open scenario to one's own file; it stays the workspace's.
    void exportScenario();
    /// Names and ids of those changed last, the open one left out.
    QList<std::pair<QString, data::WorkspaceId>> latest(int count) const;
    /// Entries of the File menu that have to do with workspaces.
    void addWorkspaceActions(QMenu* menu);
    /// Of the clipboard: files, or text.
    void paste();

    static bool canTake(const QMimeData* data);
    void take(const QMimeData* data);

signals:
    void scenarioOpened();
    void showPage(const QString& name);
    void notice(const alidade::app::WindowNotice& notice);
    void arrived();
    void modelImported(const alidade::Architecture& model);
    void useTopology(const QString& name);
    /// An imported topology was deleted: until something else is done, Undo on any page brings it back.
    void topologyRemoved();

private:
    void makePage();
    void connectParts();
    void workspaceOpened(bool isCopy);
    Arrival arrive(bool isCopy);
    Arrival restoreDocument();
    void restoreFile(const QString& name);
    void hasArrived(Arrival arrival);
    QByteArray documentRecord() const;
    void fileOpened();
    void exportAs(const QString& name, const QByteArray& json);
    void tellRemoved(const QString& what, std::uint64_t change, bool isTopology);

    views::Document& document_;
    FileSession& files_;
    Settings& settings_;
    QWidget& window_;
    WorkspaceSession session_;
    views::History history_;
    ScenarioKeeper keeper_;
    ImportDesk imports_;
    TopologyShelf shelf_;
    views::LibraryView* page_;
    VersionBar* versions_;
    Arrival arrival_ = Arrival::nothing;
    QString awaited_;              ///< the file of Arrival::awaited
    int workspaces_ = 0;           ///< opened so far
    bool isAdrift_ = false;        ///< the document was opened while there was no workspace
    data::WorkspaceId wanted_ = 0; ///< open when the workspace was left; to be resumed in its copy
};

} // namespace alidade::app
