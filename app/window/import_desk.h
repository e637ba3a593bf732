// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/import_kind.h"
#include "app/window/slow_work.h"
#include "app/window/workspace_session.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade::views {
class Document;
}

namespace alidade::app {

struct Settings;

/// Takes files that were dropped, pasted or chosen: reads them on a worker thread, puts what they are into
/// the workspace as one undo step, and says what became of each.
class ImportDesk : public QObject {
    Q_OBJECT

public:
    /// All must outlive this. Dialogs belong to `window`.
    ImportDesk(WorkspaceSession& session, const views::Document& document, Settings& settings,
               QWidget& window);
    ~ImportDesk() override;

    void askFiles();
    void takeFiles(const QStringList& files);
    /// A scenario, configuration, topology or log as text.
    void takeText(const QString& content);
    /// The folder of the library that new scenarios go to.
    void setFolder(data::WorkspaceId folder) { folder_ = folder; }
    /// A folder with versions of tools that jobs are read with; empty: none.
    void setUserCatalog(const std::string& folder) { userCatalog_ = folder; }
    bool isBusy() const { return running_ > 0; }
    SlowWork& reading() { return reading_; }

signals:
    void notice(const alidade::app::WindowNotice& notice);
    void openWorkspace(const QString& file);
    /// \param file empty: it is a text
    void openFleet(const QString& file, const QString& content);
    /// There is no workspace to put a scenario into.
    void openAsFile(const QString& file);
    void scenariosAdded(const alidade::views::WorkspaceIds& scenarios);
    /// A person wants an imported topology to be the cluster of the open scenario.
    void useTopology(const QString& name);
    void modelImported(const alidade::Architecture& model);

private:
    using Reader =
        std::function<std::vector<Imported>(const ImportContext& context, const std::stop_token& stop)>;
    void start(Reader read, const QStringList& files);
    ImportContext context() const;
    void take(const std::vector<Imported>& all, const QStringList& files);
    /// Scenarios and documents, in one step.
    /// \param topologies receives the names under which topologies were imported
    /// \returns what was added, in words
    QStringList add(const std::vector<Imported>& all, QStringList& topologies);
    void tell(const std::vector<Imported>& all, const QStringList& added, QList<NoticeBar::Action> actions);

    WorkspaceSession& session_;
    const views::Document& document_;
    std::string userCatalog_;
    Settings& settings_;
    QWidget& window_;
    data::WorkspaceId folder_ = 0;
    int running_ = 0;
    SlowWork reading_; ///< of the files that were asked for last
    std::stop_source stopReading_;
};

} // namespace alidade::app
