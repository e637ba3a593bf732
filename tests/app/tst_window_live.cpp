// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
#include "app/window/live_desk.h"
#include "app/window/live_links.h"
#include "data/prometheus/connection_json.h"
#include "tests/app/workspace_fixture.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"
#include "views/live/live_page.h"
#include "views/live/live_session.h"
#include "views/topology/topology_view.h"

#include <QComboBox>
#include <QDirIterator>
#include <QUrlQuery>

#include <algorithm>

namespace tst_window_live {

using tests::ClusterOptions;
using tests::PrometheusOptions;
using tests::PrometheusServer;
using tests::SimulatedCluster;
using views::LivePhase;

namespace {

const QString token = QStringLiteral("s3cr3t-0f-the-t3st-4711");

/// Half an hour of four nodes, with the straggler in it.
const SimulatedCluster& history() {
    static const SimulatedCluster cluster([] {
        ClusterOptions options;
        options.hours = 1;
        return options;
    }());
    return cluster;
}

data::Connection plainConnection(const PrometheusServer& server) {
    data::Connection out;
    out.name = "prometheus-a";
    out.url = server.url();
    return out;
}

views::LiveSpan allOf(const SimulatedCluster& cluster) {
    views::LiveSpan span;
    span.fixed = true;
    span.start = cluster.start();
    span.end = cluster.end() - 30;
    return span;
}

/// A window that looks at a server.
struct Looking : WorkspaceFixture {
    LiveDesk& live() const { return window().live(); }
    views::LiveSession& liveSession() const { return live().session(); }
    const views::LiveState& state() const { return *liveSession().state(); }

    void save(const data::Connection& connection, const data::Credentials& secrets = {}) {
        bool saved = false;
        QString fault;
        live().connections().save(connection, secrets, {}, [&](const QString& error, const auto&) {
            saved = true;
            fault = error;
        });
        QTRY_VERIFY_WITH_TIMEOUT(saved, 20'000);
        QCOMPARE(fault, QString());
    }
    void look(const PrometheusServer& server) {
        window().showView(QStringLiteral("live"));
        save(plainConnection(server));
        liveSession().setSpan(allOf(history()));
        emit live().connecting().connectTo(QStringLiteral("prometheus-a"));
    }
    bool waitFor(LivePhase phase) {
        return QTest::qWaitFor([&] { return state().phase == phase && !liveSession().isAsking(); }, 60'000);
    }
};

} // namespace

/// The page Live in the window, against a real Prometheus with the history of a simulated cluster.
class TestWindowLive : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (!PrometheusServer::missing().isEmpty())
            QFAIL(qPrintable(PrometheusServer::missing()));
        if (!SimulatedCluster::missing().isEmpty())
            QFAIL(qPrintable(SimulatedCluster::missing()));
        QVERIFY2(history().error().isEmpty(), qPrintable(history().error()));
    }
    void chartsAndTheStragglerAreThere();
    void serverGoesAndComesBack();
    void snapshotIsKeptAndOpenedAgain();
    void excludingNeedsNames();
    void secretsAreNowhere();
    void unknownHostsAreSaid();
    void linksNameExpressionAndTime();
};

void TestWindowLive::chartsAndTheStragglerAreThere() {
    PrometheusServer server({.blocks = history().blocks(), .config = {}, .flags = {}});
    QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
    Looking w;
    int turns = 0;
    QTimer beat;
    connect(&beat, &QTimer::timeout, &beat, [&] { turns += w.liveSession().isAsking() ? 1 : 0; });
    beat.start(0);
    w.look(server);
    QVERIFY2(w.waitFor(LivePhase::connected), w.state().error.c_str());
    beat.stop();
    QVERIFY2(turns >= 10, qPrintable(QString::number(turns))); // the window did not wait for the server
    const views::LiveResult& result = *w.state().result;
    QVERIFY(!result.observation->tables.empty());
    QVERIFY(!result.comparison.charts.empty());
    QVERIFY(std::ranges::any_of(result.findings, [](const Finding& each) {
        return each.kind == FaultKind::straggler && !each.where.host.empty();
    }));
    QVERIFY(w.live().stateText().contains(QStringLiteral("charts")));
    // Another range is asked for anew.
    views::LiveSpan shorter = allOf(history());
    shorter.end = shorter.start + 900;
    w.liveSession().setSpan(shorter);
    QVERIFY(QTest::qWaitFor(
        [&] { return w.state().result->request.grid.end() <= shorter.end && !w.liveSession().isAsking(); },
        60'000));
    // The one that was shown is remembered, without a secret.
    QCOMPARE(w.window().settings().liveConnection, QStringLiteral("prometheus-a"));
}

void TestWindowLive::serverGoesAndComesBack() {
    auto server = std::make_unique<PrometheusServer>(
        PrometheusOptions{.blocks = history().blocks(), .config = {}, .flags = {}});
    QVERIFY2(server->error().isEmpty(), qPrintable(server->error()));
    Looking w;
    w.look(*server);
    QVERIFY2(w.waitFor(LivePhase::connected), w.state().error.c_str());
    const auto before = w.state().result;
    server.reset();
    w.liveSession().ask();
    QVERIFY(w.waitFor(LivePhase::stale));
    QVERIFY(!w.state().error.empty());
    QCOMPARE(w.state().result, before); // the last good answer stays
    QVERIFY(w.live().stateText().contains(QStringLiteral("Stale")));
    // It comes back at another port: the connection is changed, and goes on.
    PrometheusServer again({.blocks = history().blocks(), .config = {}, .flags = {}});
    QVERIFY2(again.error().isEmpty(), qPrintable(again.error()));
    w.save(plainConnection(again));
    QVERIFY(QTest::qWaitFor(
        [&] { return w.state().phase == LivePhase::connected && w.state().result != before; }, 60'000));
}

void TestWindowLive::snapshotIsKeptAndOpenedAgain() {
    Looking w;
    {
        PrometheusServer server({.blocks = history().blocks(), .config = {}, .flags = {}});
        QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
        w.look(server);
        QVERIFY2(w.waitFor(LivePhase::connected), w.state().error.c_str());
    }
    const std::shared_ptr<const Observation> seen = w.state().result->observation;
    QSignalSpy said(&w.live(), &LiveDesk::message);
    w.live().snapshots().keep(seen);
    QTRY_COMPARE_WITH_TIMEOUT(said.size(), 1, 20'000);
    QVERIFY(said.front().front().toString().startsWith(QStringLiteral("Snapshot kept")));
    const QString file = w.file(QStringLiteral("a.alidade-snapshot"));
    w.live().snapshots().writeFile(seen, file);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file) && !w.live().snapshots().isBusy(), 20'000);
    // Another start of the program, and no server.
    w.settle();
    w.restart();
    std::string id;
    for (const views::LiveSource& each : w.liveSession().sources())
        if (each.recorded)
            id = each.id;
    QVERIFY(!id.empty());
    w.liveSession().chooseSource(id);
    QVERIFY2(w.waitFor(LivePhase::connected), w.state().error.c_str());
    const Observation& again = *w.state().result->observation;
    QVERIFY(again.grid == seen->grid);
    QCOMPARE(again.tables.size(), seen->tables.size());
    QVERIFY(!w.liveSession().isPolling());
    // And the file, without the workspace.
    w.live().snapshots().openFile(file);
    QVERIFY(QTest::qWaitFor(
        [&] {
            return w.liveSession().source() != nullptr && w.liveSession().source()->id != id &&
                   w.state().phase == LivePhase::connected && !w.liveSession().isAsking();
        },
        60'000));
    QCOMPARE(w.state().result->observation->tables.size(), seen->tables.size());
    // A file that is none is refused with a word, and what is shown stays.
    write(w.file(QStringLiteral("none")), "no snapshot");
    QSignalSpy failed(&w.live().snapshots(), &LiveSnapshots::failed);
    w.live().snapshots().openFile(w.file(QStringLiteral("none")));
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(failed.front().at(1).toString().contains(QStringLiteral("not a snapshot")));
    QVERIFY(w.state().result != nullptr);
}

void TestWindowLive::excludingNeedsNames() {
    Looking w;
    w.openAndEdit();
    QSignalSpy notices(&w.live(), &LiveDesk::notice);
    emit w.live().page()->excludeRequested({QStringLiteral("gpu-0001")});
    QCOMPARE(notices.size(), 1);
    const auto said = notices.front().front().value<WindowNotice>();
    QVERIFY2(said.detail.contains(QStringLiteral("topology")), qPrintable(said.detail));
    QVERIFY(!w.document().spec().cluster.excludedHosts);
}

void TestWindowLive::secretsAreNowhere() {
    Looking w;
    w.openAndEdit();
    w.window().showView(QStringLiteral("live"));
    w.live().connecting().show({});
    views::ConnectionDialog* dialog = w.live().connecting().dialog();
    QVERIFY(dialog != nullptr);
    const auto field = [&](const char* name) { return dialog->findChild<QLineEdit*>(QLatin1String(name)); };
    field("name")->setText(QStringLiteral("with a token"));
    field("url")->setText(QStringLiteral("http://127.0.0.1:9"));
    dialog->findChild<QComboBox*>(QStringLiteral("authentication"))->setCurrentIndex(2);
    field("token")->setText(token);
    dialog->findChild<QPushButton*>(QStringLiteral("connect"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(w.live().connections().named("with a token") != nullptr, 60'000);
    QVERIFY(w.waitFor(LivePhase::failed)); // nothing listens there
    QVERIFY(!w.state().error.empty());
    QVERIFY(w.state().error.find(token.toStdString()) == std::string::npos);
    w.settle();
    w.window().close();
    const auto search = [](const QString& folder) {
        QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (files.hasNext())
            if (contentOf(files.next()).contains(token.toUtf8()))
                return files.filePath();
        return QString();
    };
    QCOMPARE(search(QDir::homePath()), QString());
    QCOMPARE(search(w.folder.path()), QString());
    // The connection itself is there.
    QVERIFY(contentOf(QString::fromStdString(data::connectionFile())).contains("with a token"));
}

/// "Show in topology" of a host that the plan's cluster has not.
void TestWindowLive::unknownHostsAreSaid() {
    Looking w;
    w.f->openSample();
    w.window().showView(QStringLiteral("topology"));
    auto* view = w.window().findChild<views::TopologyView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->isVisible() && !view->isLayingOut(), 20'000);
    w.window().showView(QStringLiteral("live"));
    emit w.window().findChild<views::LivePage*>()->topologyRequested({QStringLiteral("stranger-07")});
    QTRY_COMPARE(w.window().notice().sentence(), QStringLiteral("stranger-07 is not in this cluster"));
    QVERIFY(w.window().notice().detail().contains(QStringLiteral("import the topology")));
    QCOMPARE(w.window().page(), QStringLiteral("live"));
}

void TestWindowLive::linksNameExpressionAndTime() {
    const QUrl graph =
        prometheusGraph("https://prometheus.example/prom/", QStringLiteral("sum(rate(a{b=\"c+d\"}[2m])) / 2"),
                        1767225600, 1767232800);
    QVERIFY(graph.isValid());
    QCOMPARE(graph.path(), QStringLiteral("/prom/graph"));
    const QUrlQuery query(graph);
    QCOMPARE(query.queryItemValue(QStringLiteral("g0.expr"), QUrl::FullyDecoded),
             QStringLiteral("sum(rate(a{b=\"c+d\"}[2m])) / 2"));
    QVERIFY(!graph.query(QUrl::FullyEncoded).contains(QLatin1Char('+'))); // would be read as a blank
    QCOMPARE(query.queryItemValue(QStringLiteral("g0.range_input")), QStringLiteral("7200s"));
    QCOMPARE(query.queryItemValue(QStringLiteral("g0.end_input"), QUrl::FullyDecoded),
             QStringLiteral("2026-01-01 02:00:00"));

    const QUrl page =
        grafanaPage("https://grafana.example/d/x?var-job={job}&var-node={host}&from={from}&to={to}",
                    1767225600, 1767232800, "llama 70b & co", "gpu-0001");
    QVERIFY(page.isValid());
    const QUrlQuery filled(page);
    QCOMPARE(filled.queryItemValue(QStringLiteral("var-job"), QUrl::FullyDecoded),
             QStringLiteral("llama 70b & co"));
    QCOMPARE(filled.queryItemValue(QStringLiteral("var-node")), QStringLiteral("gpu-0001"));
    QCOMPARE(filled.queryItemValue(QStringLiteral("from")), QStringLiteral("1767225600000"));
    QCOMPARE(filled.queryItemValue(QStringLiteral("to")), QStringLiteral("1767232800000"));
    // The time is added where the pattern has none.
    QCOMPARE(grafanaPage("https://grafana.example/d/x", 1, 2, {}, {}),
             QUrl(QStringLiteral("https://grafana.example/d/x?from=1000&to=2000")));
    QCOMPARE(grafanaPage("https://grafana.example/d/x?orgId=1", 1, 2, {}, {}),
             QUrl(QStringLiteral("https://grafana.example/d/x?orgId=1&from=1000&to=2000")));
}

QTEST_MAIN(TestWindowLive)

} // namespace tst_window_live

#include "tst_window_live.moc"
