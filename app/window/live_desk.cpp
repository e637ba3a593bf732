// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_desk.h"

#include "app/window/live_exclude.h"
#include "app/window/live_links.h"
#include "app/window/settings.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/live/health_panel.h"
#include "views/live/live_body.h"
#include "views/live/live_page.h"
#include "views/topology/topology_view.h"

#include <QAction>
#include <QCoreApplication>
#include <QCursor>
#include <QDesktopServices>
#include <QMenu>
#include <QPointer>
#include <QUndoStack>

#include <algorithm>

namespace alidade::app {

using views::BadgeKind;
using views::LivePhase;
using views::LiveSource;
using views::text;

namespace {

constexpr std::string_view serverPrefix = "connection:";

std::string sourceId(const std::string& connection) { return std::string(serverPrefix) + connection; }

/// Name of the connection that a source is; empty: it is none.
std::string connectionOf(const std::string& source) {
    return source.starts_with(serverPrefix) ? source.substr(serverPrefix.size()) : std::string();
}

} // namespace

LiveDesk::LiveDesk(views::Document& document, WorkspaceSession& workspace, Settings& settings,
                   QWidget& window, std::unique_ptr<data::Keyring> keyring)
    : QObject(&window)
    , document_(document)
    , workspace_(workspace)
    , settings_(settings)
    , window_(window)
    , session_(new views::LiveSession(this))
    , page_(new views::LivePage(session_))
    , connections_(keyring ? std::move(keyring) : data::systemKeyring())
    , profiles_(workspace.library())
    , plans_(document, workspace.library())
    , connect_(new LiveConnect(connections_, window))
    , policies_(new LivePolicies(window))
    , mappings_(new LiveMappings(window))
    , snapshots_(new LiveSnapshots(workspace.library(), window))
    , calibrations_(new LiveCalibrations(document, profiles_, window))
    , marks_(new LiveMarks(workspace.library(), &window)) {
    page_->setObjectName(QStringLiteral("live"));
    connectParts();
    connectPage();
    session_->setPolicies(policies_->all());
    session_->setPlans(plans_.plans());
    renewSources();
}

/// What refers to this and its members goes first.
LiveDesk::~LiveDesk() {
    delete marks_;
    delete calibrations_;
    delete snapshots_;
    delete mappings_;
    delete policies_;
    delete connect_;
}

void LiveDesk::connectParts() {
    connect(&connections_, &LiveConnections::changed, this, &LiveDesk::renewSources);
    connect(&connections_, &LiveConnections::failed, this, [this](const QString& reason) {
        tell(BadgeKind::warn, tr("The saved connections cannot be read"), reason);
    });
    connect(snapshots_, &LiveSnapshots::changed, this, &LiveDesk::renewSources);
    connect(snapshots_, &LiveSnapshots::said, this, &LiveDesk::message);
    connect(snapshots_, &LiveSnapshots::failed, this, [this](const QString& sentence, const QString& reason) {
        tell(BadgeKind::err, sentence, reason);
    });
    connect(snapshots_, &LiveSnapshots::opened, this, [this](const QString& source) {
        emit showPage(page_->objectName());
        session_->chooseSource(source.toStdString());
    });
    connect(mappings_, &LiveMappings::changed, this, &LiveDesk::renewSources);
    connect(mappings_, &LiveMappings::failed, this, [this](const QString& reason) {
        tell(BadgeKind::warn, tr("The metrics of the server"), reason);
    });
    connect(policies_, &LivePolicies::changed, this, [this] { session_->setPolicies(policies_->all()); });
    connect(policies_, &LivePolicies::chosen, this, [this](const QString& id) {
        session_->choosePolicy(id.toStdString());
        settings_.healthPolicy = id;
        settings_.save();
    });
    connect(policies_, &LivePolicies::failed, this,
            [this](const QString& reason) { tell(BadgeKind::warn, tr("Your health policies"), reason); });
    connect(&plans_, &LivePlans::changed, this, [this] { session_->setPlans(plans_.plans()); });
    connect(calibrations_, &LiveCalibrations::excluded, this,
            [this](const std::vector<ExcludedWindow>& windows) { session_->setExcluded(windows); });
    connect(calibrations_, &LiveCalibrations::noted, page_, &views::LivePage::setCalibrationNote);
    connect(
        calibrations_, &LiveCalibrations::failed, this,
        [this](const QString& sentence, const QString& reason) { tell(BadgeKind::err, sentence, reason); });
    connect(connect_, &LiveConnect::connectTo, this, &LiveDesk::connectTo);
    connect(connect_, &LiveConnect::renamed, this, [this](const QString& before, const QString& after) {
        mappings_->rename(before.toStdString(), after.toStdString());
    });
}

void LiveDesk::connectPage() {
    connect(page_, &views::LivePage::connectRequested, this, [this] {
        connect_->show(session_->source() != nullptr ? connectionOf(session_->source()->id) : std::string());
    });
    connect(page_, &views::LivePage::mappingRequested, this, &LiveDesk::editMapping);
    connect(page_, &views::LivePage::saveSnapshotRequested, this, [this] { snapshots_->keep(shown()); });
    connect(page_, &views::LivePage::openSnapshotRequested, this,
            [this] { snapshots_->showMenu(QCursor::pos(), shown()); });
    connect(page_, &views::LivePage::editPolicyRequested, this, [this] {
        policies_->edit(session_->policy() != nullptr ? session_->policy()->id : std::string());
    });
    connect(page_, &views::LivePage::fitRequested, this, [this](double start, double end) {
        if (const auto& result = session_->state()->result)
            calibrations_->fit(result->observation, result->findings, start, end, session_->leftOut());
    });
    connect(page_, &views::LivePage::prometheusRequested, this, &LiveDesk::openPrometheus);
    connect(page_, &views::LivePage::grafanaRequested, this, &LiveDesk::openGrafana);
    connect(page_, &views::LivePage::markRequested, this,
            [this](const QString& key, const FindingMark& mark) { marks_->set(key.toStdString(), mark); });
    connect(marks_, &LiveMarks::changed, this, [this] { page_->body()->health()->setMarks(marks_->all()); });
    connect(marks_, &LiveMarks::failed, this, [this](const QString& sentence, const QString& reason) {
        tell(BadgeKind::warn, sentence, reason);
    });
    page_->body()->health()->setMarks(marks_->all());
    connect(page_, &views::LivePage::excludeRequested, this, &LiveDesk::exclude);
    connect(page_, &views::LivePage::topologyRequested, this, &LiveDesk::showInTopology);
    connect(session_, &views::LiveSession::stateChanged, this, &LiveDesk::follow);
    connect(session_, &views::LiveSession::choicesChanged, this, [this] {
        const std::string chosen =
            session_->source() != nullptr ? connectionOf(session_->source()->id) : std::string();
        if (!chosen.empty() && settings_.liveConnection != text(chosen)) {
            settings_.liveConnection = text(chosen);
            settings_.save();
        }
        emit stateChanged();
    });
}

void LiveDesk::setTopology(views::TopologyView* topology) { topology_ = topology; }

/// Once; the connection that was shown last is taken up when the connections are there.
void LiveDesk::load() {
    if (std::exchange(loaded_, true))
        return;
    connect(
        &connections_, &LiveConnections::changed, this,
        [this] {
            if (session_->source() == nullptr && !settings_.liveConnection.isEmpty() &&
                connections_.named(settings_.liveConnection.toStdString()) != nullptr)
                connectTo(settings_.liveConnection);
        },
        Qt::SingleShotConnection);
    connections_.load();
    policies_->load();
    session_->choosePolicy(settings_.healthPolicy.toStdString());
    if (session_->policy() == nullptr && !policies_->all().empty())
        session_->choosePolicy(policies_->all().front().id);
}

std::shared_ptr<LiveServer> LiveDesk::serverOf(const data::Connection& connection) {
    Server& known = servers_[connection.name];
    const auto own = mappings_->of(connection.name);
    if (known.server && known.connection == connection && known.own == own)
        return known.server;
    LiveServer::AskSecrets ask;
    if (needsSecrets(connection) || connection.authentication == data::Authentication::sigv4)
        ask = [self = QPointer<LiveDesk>(this), name = connection.name,
               needed = needsSecrets(connection)](const std::shared_ptr<LiveServer::Secrets>& later) {
            QMetaObject::invokeMethod(
                qApp,
                [self, name, needed, later] {
                    if (!self)
                        return later->set(Error{"the program is ending"});
                    self->connections_.secrets(
                        name, [later, needed](const data::Credentials& kept, const data::SecretPlace& place) {
                            if (needed && place.place == data::SecretPlace::Place::nowhere)
                                later->set(Error{tr("No stored credentials for this connection: %1 Open "
                                                    "Connections and enter them again.")
                                                     .arg(text(place.message))
                                                     .toStdString()});
                            else
                                later->set(kept);
                        });
                },
                Qt::QueuedConnection);
        };
    known = {connection, own, std::make_shared<LiveServer>(connection, std::move(ask), own)};
    return known.server;
}

void LiveDesk::renewSources() {
    std::vector<LiveSource> sources;
    bool isSame = true; // nothing that is asked again has changed
    for (const data::Connection& each : connections_.all()) {
        LiveSource source;
        source.id = sourceId(each.name);
        source.name = each.name;
        const auto before = servers_.contains(each.name) ? servers_.at(each.name).server : nullptr;
        const auto server = serverOf(each);
        isSame = isSame && server == before;
        source.newestSample = [server](double before, const std::stop_token& stop) {
            return server->newestSample(before, stop);
        };
        source.observe = [server](const views::LiveRequest& request, const std::stop_token& stop) {
            return server->observe(request, stop);
        };
        source.devices = [server](const std::string& host, const TimeGrid& grid,
                                  const std::stop_token& stop) { return server->devices(host, grid, stop); };
        source.jobs = [server](double start, double end, const std::stop_token& stop) {
            return server->jobs(start, end, stop);
        };
        sources.push_back(std::move(source));
    }
    std::erase_if(servers_, [this](const auto& each) { return connections_.named(each.first) == nullptr; });
    for (LiveSource& each : snapshots_->sources())
        sources.push_back(std::move(each));
    isSame = isSame &&
             std::ranges::equal(sources, session_->sources(), [](const LiveSource& a, const LiveSource& b) {
                 return a.id == b.id && a.name == b.name && a.recorded == b.recorded;
             });
    if (!isSame)
        session_->setSources(std::move(sources));
}

void LiveDesk::connectTo(const QString& name) {
    mappings_->load(name.toStdString());
    emit showPage(page_->objectName());
    if (session_->source() != nullptr && session_->source()->id == sourceId(name.toStdString()))
        session_->ask();
    else
        session_->chooseSource(sourceId(name.toStdString()));
}

std::shared_ptr<const Observation> LiveDesk::shown() const {
    const auto& result = session_->state()->result;
    return result ? result->observation : nullptr;
}

/// What the rest of the window shows of the newest answer.
void LiveDesk::follow() {
    const auto& result = session_->state()->result;
    if (topology_ != nullptr) {
        views::TopologyMeasured measured;
        if (result) {
            measured.observation = result->observation;
            measured.findings = result->findings;
        }
        topology_->setMeasured(measured);
    }
    emit stateChanged();
}

void LiveDesk::exclude(const QStringList& hosts) {
    const Result<Fix> fix = excludeFromPlan(document_.spec(), *document_.catalog(), hosts);
    if (!fix) {
        tell(BadgeKind::warn,
             tr("%1 not taken out of the plan")
                 .arg(views::counted(static_cast<int>(hosts.size()), tr("host was"), tr("hosts were"))),
             text(fix.error()));
        return;
    }
    const QString reason = document_.setFields(fix->set, text(fix->text).toLower());
    if (!reason.isEmpty()) {
        tell(BadgeKind::err, tr("This change is not valid for the scenario"), reason);
        return;
    }
    emit notice({BadgeKind::ok,
                 tr("%1 out of the plan")
                     .arg(views::counted(static_cast<int>(hosts.size()), tr("host is"), tr("hosts are"))),
                 hosts.join(QStringLiteral(", ")),
                 {{tr("Undo"), [this] { document_.undoStack()->undo(); }}}});
}

void LiveDesk::showInTopology(const QStringList& hosts) {
    if (topology_ == nullptr || hosts.isEmpty())
        return;
    for (const QString& host : hosts)
        if (topology_->goToHost(host)) {
            emit showPage(topology_->objectName());
            return;
        }
    tell(BadgeKind::warn, tr("%1 is not in this cluster").arg(hosts.first()),
         tr("The plan's hosts have other names; import the topology of the running cluster into the scenario "
            "to see it there."));
}

void LiveDesk::openLink(const QUrl& url) {
    const bool web = url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https");
    if (!url.isValid() || !web || !QDesktopServices::openUrl(url))
        tell(BadgeKind::warn, tr("No browser was opened"), url.toString(QUrl::RemoveUserInfo));
}

void LiveDesk::openPrometheus(const QString& expression, double start, double end) {
    const std::string name = session_->source() ? connectionOf(session_->source()->id) : std::string();
    const data::Connection* connection = connections_.named(name);
    if (connection == nullptr)
        return tell(BadgeKind::warn, tr("A snapshot has no server to open"),
                    tr("Connect to its server first."));
    openLink(prometheusGraph(connection->url, expression, start, end));
}

void LiveDesk::openGrafana(double start, double end) {
    const std::string name = session_->source() ? connectionOf(session_->source()->id) : std::string();
    const data::Connection* connection = connections_.named(name);
    if (connection == nullptr || connection->grafana.empty())
        return tell(
            BadgeKind::warn, tr("No Grafana dashboard is set"),
            tr("Give the URL of a dashboard in the connection; {from}, {to}, {job} and {host} are filled "
               "in."));
    openLink(grafanaPage(connection->grafana, start, end, session_->job().value_or(std::string()),
                         page_->selectedHost().toStdString()));
}

void LiveDesk::editMapping() {
    const std::string name =
        session_->source() != nullptr ? connectionOf(session_->source()->id) : std::string();
    const data::Connection* connection = connections_.named(name);
    if (connection == nullptr) {
        tell(BadgeKind::warn, tr("A snapshot has no metrics to map"), tr("Connect to a server first."));
        return;
    }
    mappings_->edit(name, serverOf(*connection));
}

void LiveDesk::addActions(QMenu* tools) {
    const auto add = [&](QMenu* menu, const QString& words, const char* iconName, auto run) {
        QAction* action = menu->addAction(words);
        if (iconName != nullptr)
            action->setIcon(views::icon(QLatin1StringView(iconName)));
        connect(action, &QAction::triggered, this, run);
        return action;
    };
    add(tools, tr("&Connections to Prometheus…"), "live", [this] { connect_->show({}); });
    add(tools, tr("&Metrics of the Server…"), nullptr, [this] { editMapping(); });
    add(tools, tr("&Health Policies…"), nullptr,
        [this] { policies_->edit(session_->policy() != nullptr ? session_->policy()->id : std::string()); });
    tools->addSeparator();
    QAction* keep = add(tools, tr("&Keep a Snapshot"), "save", [this] { snapshots_->keep(shown()); });
    add(tools, tr("&Open a Snapshot…"), "open", [this] {
        snapshots_->showMenu(window_.mapToGlobal(QPoint(window_.width() / 3, window_.height() / 4)), shown());
    });
    ofPage_.append(keep);
    tools->addSeparator();
    QMenu* calibrate = tools->addMenu(tr("C&alibrate From"));
    QAction* live = add(calibrate, tr("What the Live Page &Shows"), "live", [this] {
        if (const auto& result = session_->state()->result)
            calibrations_->fit(result->observation, result->findings, result->observation->grid.start,
                               result->observation->grid.end(), session_->leftOut());
    });
    ofPage_.append(live);
    add(calibrate, tr("Logs of &nccl-tests…"), nullptr, [this] { calibrations_->askLogs(); });
    add(calibrate, tr("A &Benchmark or Training Log…"), nullptr, [this] { calibrations_->askBenches(); });
    add(calibrate, tr("A Table of Step &Times…"), "table", [this] { calibrations_->askSteps(); });
    add(calibrate, tr("&One Step Time…"), nullptr, [this] { calibrations_->askStepTime(); });
    connect(this, &LiveDesk::stateChanged, this, &LiveDesk::renewActions);
    renewActions();
}

void LiveDesk::setPageShown(bool shown) {
    pageShown_ = shown;
    renewActions();
}

void LiveDesk::renewActions() {
    for (QAction* action : std::as_const(ofPage_))
        action->setEnabled(pageShown_ && shown() != nullptr);
}

bool LiveDesk::isBusy() const { return session_->isAsking() || snapshots_->isBusy(); }

QString LiveDesk::stateText() const {
    const auto& state = *session_->state();
    switch (state.phase) {
    case LivePhase::none:
        return {};
    case LivePhase::connecting:
        return tr("Connecting");
    case LivePhase::failed:
        return tr("Not connected");
    case LivePhase::stale:
        return tr("Stale");
    case LivePhase::connected:
        break;
    }
    std::size_t series = 0;
    for (const SignalTable& each : state.result->observation->tables)
        series += each.rows.size();
    return tr("%1, %2, %L3 series")
        .arg(session_->source() != nullptr && session_->source()->recorded ? tr("Snapshot") : tr("Connected"),
             views::counted(static_cast<int>(state.result->comparison.charts.size()), tr("chart"),
                            tr("charts")))
        .arg(series);
}

BadgeKind LiveDesk::stateKind() const {
    switch (session_->state()->phase) {
    case LivePhase::connected:
        return BadgeKind::ok;
    case LivePhase::failed:
        return BadgeKind::err;
    case LivePhase::stale:
        return BadgeKind::warn;
    default:
        return BadgeKind::neutral;
    }
}

QString LiveDesk::answerText() const {
    const auto& result = session_->state()->result;
    if (!result)
        return {};
    return tr("Last answer %1")
        .arg(views::quantity(std::max(0.0, result->answered - result->asked), Dimension::seconds,
                             {.significant = 2}));
}

void LiveDesk::tell(BadgeKind kind, const QString& sentence, const QString& detail) {
    emit notice({kind, sentence, detail, {}});
}

} // namespace alidade::app
