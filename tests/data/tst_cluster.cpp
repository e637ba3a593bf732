// SPDX-License-Identifier: GPL-3.0-or-later
// The rig itself: what other tests build on.
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"

#include <QDir>
#include <QHostAddress>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

namespace tst_cluster {

using namespace alidade::tests;

class TestCluster : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void historyIsServed();
    void sameOptionsSameFolder();
    void otherOptionsOtherFolder();
    void badOptionsAreTold();
    void badFlagIsToldWithTheLog();
    void exportersAnswerLive();
};

namespace {

ClusterOptions small() {
    ClusterOptions options;
    options.nodes = 2;
    options.hours = 0.1;
    options.faults = false;
    return options;
}

/// The body of GET path, by the simplest client there is.
QByteArray get(quint16 port, const QByteArray& path) {
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
    socket.write("GET " + path + " HTTP/1.0\r\n\r\n");
    while (socket.waitForReadyRead(10'000)) {
    }
    const QByteArray all = socket.readAll();
    return all.mid(all.indexOf("\r\n\r\n") + 4);
}

} // namespace

void TestCluster::initTestCase() {
    if (const QString why = SimulatedCluster::missing(); !why.isEmpty())
        QFAIL(qPrintable(why));
}

void TestCluster::historyIsServed() {
    const SimulatedCluster cluster(small());
    QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
    PrometheusOptions options;
    options.blocks = cluster.blocks();
    const QStringList before = QDir(cluster.blocks()).entryList();
    PrometheusServer server(options);
    QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
    QCOMPARE(cluster.start(), 1767225600.0);
    QCOMPARE(cluster.end(), 1767225960.0);
    const QByteArray time = QByteArray::number(static_cast<qint64>(cluster.start()) + 300);
    // One node trains, one serves: eight GPUs each.
    const QByteArray reply =
        get(server.port(), "/api/v1/query?query=count(DCGM_FI_DEV_GPU_TEMP)&time=" + time);
    QVERIFY2(reply.contains("\"16\""), reply.constData());
    QCOMPARE(cluster.truth()["gpus_training"].get<int>(), 8);
    // It has its own copy, which it locks and compacts; and it gives its port back.
    server.stop();
    QCOMPARE(QDir(cluster.blocks()).entryList(), before);
    QTcpServer successor;
    QVERIFY(successor.listen(QHostAddress::LocalHost, server.port()));
}

void TestCluster::sameOptionsSameFolder() {
    const SimulatedCluster first(small());
    const SimulatedCluster second(small());
    QVERIFY(!first.blocks().isEmpty());
    QCOMPARE(second.blocks(), first.blocks());
    QVERIFY(second.truth() == first.truth());
}

void TestCluster::otherOptionsOtherFolder() {
    ClusterOptions options = small();
    options.config["exporters"] = {{"dcgm_hostname_label", "hostname"}};
    const SimulatedCluster cluster(options);
    QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
    QVERIFY(cluster.blocks() != SimulatedCluster(small()).blocks());
}

void TestCluster::badOptionsAreTold() {
    ClusterOptions options = small();
    options.vllmNaming = "v99";
    const SimulatedCluster cluster(options);
    QVERIFY(cluster.error().contains(QStringLiteral("v99")));
    QVERIFY(cluster.blocks().isEmpty());
}

void TestCluster::badFlagIsToldWithTheLog() {
    PrometheusOptions options;
    options.flags = QStringList{QStringLiteral("--no-such-flag")};
    const PrometheusServer server(options);
    QVERIFY2(server.error().contains(QStringLiteral("no-such-flag")), qPrintable(server.error()));
}

void TestCluster::exportersAnswerLive() {
    ClusterOptions options = small();
    options.epoch = "now-600";
    const LiveCluster cluster(options);
    QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
    PrometheusOptions scrape;
    scrape.config = cluster.prometheusConfig(1);
    QVERIFY(scrape.config.contains(QStringLiteral("dcgm_exporter")));
    const PrometheusServer server(scrape);
    QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
    // Discovery and the first round take their time.
    QTRY_VERIFY_WITH_TIMEOUT(
        get(server.port(), "/api/v1/query?query=count(DCGM_FI_DEV_GPU_TEMP)").contains("\"16\""), 30'000);
}

QTEST_GUILESS_MAIN(TestCluster)

} // namespace tst_cluster

#include "tst_cluster.moc"
