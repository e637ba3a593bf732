// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/live_calibrations.h"
#include "app/window/live_connect.h"
#include "app/window/live_connections.h"
#include "app/window/live_mappings.h"
#include "app/window/live_marks.h"
#include "app/window/live_plans.h"
#include "app/window/live_policies.h"
#include "app/window/live_snapshots.h"
#include "app/window/profile_shelf.h"
#include "app/window/workspace_session.h"

#include <QList>
#include <QObject>

#include <map>
#include <memory>

class QAction;
class QMenu;

namespace alidade::views {
class Document;
class LivePage;
class LiveSession;
class TopologyView;
} // namespace alidade::views

namespace alidade::app {

struct Settings;

/// The live part of the window: puts together the page, its session, what it can be connected to, and what
/// follows from what it shows for the rest of the window.
class LiveDesk : public QObject {
    Q_OBJECT

public:
    /// All must outlive this. The page is made here and belongs to whoever shows it; dialogs belong to
    /// `window`.
    /// \param keyring for tests; null: the system's
    LiveDesk(views::Document& document, WorkspaceSession& workspace, Settings& settings, QWidget& window,
             std::unique_ptr<data::Keyring> keyring = nullptr);
    ~LiveDesk() override;

    views::LivePage* page() const { return page_; }
    views::LiveSession& session() { return *session_; }
    LiveConnections& connections() { return connections_; }
    LiveConnect& connecting() { return *connect_; }
    LivePolicies& policies() { return *policies_; }
    LiveMappings& mappings() { return *mappings_; }
    LiveSnapshots& snapshots() { return *snapshots_; }
    LiveCalibrations& calibrations() { return *calibrations_; }
    LiveMarks& marks() { return *marks_; }
    /// Which view is colored by what is measured.
    void setTopology(views::TopologyView* topology);
    /// Reads the saved connections and takes up the one that was shown last.
    void load();
    void addActions(QMenu* tools);
    /// What is about the picture of the page can be done only there.
    void setPageShown(bool shown);
    /// Something is on its way that a picture should wait for.
    bool isBusy() const;
    /// For the status line: "Connected, 12 charts, 24,012 series"; empty: there is nothing to say.
    QString stateText() const;
    views::BadgeKind stateKind() const;
    QString answerText() const; ///< "Last answer 38 ms"

signals:
    void notice(const alidade::app::WindowNotice& notice);
    void showPage(const QString& name);
    void message(const QString& words); ///< for the status line, in passing
    void stateChanged();

private:
    void connectPage();
    void connectParts();
    void renewSources();
    void connectTo(const QString& name);
    void follow();
    void exclude(const QStringList& hosts);
    void showInTopology(const QStringList& hosts);
    void editMapping();
    void openLink(const QUrl& url);
    void openPrometheus(const QString& expression, double start, double end);
    void openGrafana(double start, double end);
    void renewActions();
    std::shared_ptr<const Observation> shown() const;
    std::shared_ptr<LiveServer> serverOf(const data::Connection& connection);
    void tell(views::BadgeKind kind, const QString& sentence, const QString& detail);

    struct Server {
        data::Connection connection;
        std::optional<MetricMapping> own;
        std::shared_ptr<LiveServer> server;
    };
    views::Document& document_;
    WorkspaceSession& workspace_;
    Settings& settings_;
    QWidget& window_;
    views::LiveSession* session_;
    views::LivePage* page_;
    LiveConnections connections_;
    ProfileShelf profiles_;
    LivePlans plans_;
    LiveConnect* connect_;
    LivePolicies* policies_;
    LiveMappings* mappings_;
    LiveSnapshots* snapshots_;
    LiveCalibrations* calibrations_;
    LiveMarks* marks_;
    views::TopologyView* topology_ = nullptr;
    std::map<std::string, Server> servers_; ///< by the connection's name
    QList<QAction*> ofPage_;                ///< about what the page shows
    bool pageShown_ = false;
    bool loaded_ = false;
};

} // namespace alidade::app
