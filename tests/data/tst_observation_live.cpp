// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow cost=130
// A Prometheus that scrapes exporters now, with staleness markers and a type for each metric.
#include "data/catalog/policy_json.h"
#include "model/observation/data_gaps.h"
#include "model/observation/health_policy.h"
#include "tests/data/observation_rig.h"

#include <QDateTime>
#include <QTest>

namespace tst_observation_live {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

class TestObservationLive : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void whatVanishesIsGone();
    void restartOfTheServerIsNoData();
};

namespace {

void waitUntil(double time) {
    while (static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000 < time)
        QTest::qWait(200);
}

} // namespace

void TestObservationLive::initTestCase() {
    if (const QString why = SimulatedCluster::missing(); !why.isEmpty())
        QFAIL(qPrintable(why));
}

void TestObservationLive::whatVanishesIsGone() {
    ClusterOptions options = quiet();
    options.nodes = 2;
    options.faults = true;
    options.epoch = "now-600"; // 600 to 630 s ago, a multiple of 30
    options.config["faults"] = {{{"kind", "lost_gpu"}, {"node", 0}, {"gpu", 3}, {"start", 660}},
                                {{"kind", "xid"}, {"node", 0}, {"gpu", 1}, {"start", 655}, {"code", 79}}};
    const LiveCluster cluster(options);
    QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
    PrometheusOptions scrape;
    scrape.config = cluster.prometheusConfig(1);
    const PrometheusServer server(scrape);
    QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
    HttpExchange exchange(Connection{.url = server.url()}, Credentials());
    PrometheusApi api(exchange);

    const double lost = cluster.start() + 660;
    waitUntil(lost + 20);

    const auto mapping = detectMapping(api, metricPresets(), lost - 30, lost + 15);
    QVERIFY2(mapping, mapping.error().c_str());
    QVERIFY2(mapping->notes.empty(), mapping->notes.empty() ? "" : mapping->notes.front().c_str());
    const auto seen = collectObservation(api, *mapping, {{lost - 15, 1, 31}, {}, {}, 0});
    QVERIFY2(seen, seen.error().c_str());
    QCOMPARE(seen->scrapeInterval, 1.0);
    const auto row = [&](Signal signal, int gpu) {
        const SignalTable* table = seen->table(signal);
        const auto found = std::ranges::find(table->rows, Entity{"gpu-0001", gpu, {}});
        return table->row(static_cast<std::size_t>(found - table->rows.begin()), seen->grid.points);
    };
    QVERIFY(!std::isnan(row(Signal::smClock, 3)[14]));
    QVERIFY(std::isnan(row(Signal::smClock, 3)[24])); // nine seconds after it was lost
    QVERIFY(!std::isnan(row(Signal::smClock, 2)[24]));
    QCOMPARE(row(Signal::xid, 1)[5], 0.0);
    QCOMPARE(row(Signal::xid, 1)[14], 79.0);
    // Rates that stock files call counters are what they are.
    QVERIFY(row(Signal::nvlinkTransmit, 2)[14] > 1e9);
}

/// A Prometheus that is restarted has no samples of the time in between: a gap in one database, no fault of
/// the cluster, whose counters go on.
void TestObservationLive::restartOfTheServerIsNoData() {
    ClusterOptions options = quiet();
    options.nodes = 2;
    options.epoch = "now-600";
    const LiveCluster cluster(options);
    QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
    PrometheusOptions scrape;
    scrape.config = cluster.prometheusConfig(1);
    // Scraped every second and not every 15: the time for which an old sample counts is shorter too.
    scrape.flags = {QStringLiteral("--query.lookback-delta=5s")};
    PrometheusServer server(scrape);
    QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
    const auto now = [] { return static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000; };
    const double first = std::ceil(now()) + 8; // the first windows are filled
    waitUntil(first + 15);
    server.stop();
    const double stopped = now();
    waitUntil(first + 40);
    QVERIFY2(server.startAgain(), qPrintable(server.error()));
    const double started = now();
    waitUntil(started + 15);

    HttpExchange exchange(Connection{.url = server.url()}, Credentials());
    PrometheusApi api(exchange);
    const auto points = static_cast<std::size_t>(now() - first);
    const auto mapping = detectMapping(api, metricPresets(), first, first + 15);
    QVERIFY2(mapping, mapping.error().c_str());
    const auto seen = collectObservation(api, *mapping, {{first, 1, points}, {}, {}, 0});
    QVERIFY2(seen, seen.error().c_str());
    const DataGaps gaps = dataGaps(*seen);
    QCOMPARE(gaps.gaps.size(), std::size_t{1});
    const DataGap& gap = gaps.gaps.front();
    QVERIFY(!gap.silent && !gap.before && !gap.lasts);
    // A rate is known for as long as its window has two samples, and again when half of one is filled.
    QVERIFY2(gap.start >= stopped - 2 && gap.start <= stopped + 16, QByteArray::number(gap.start - stopped));
    QVERIFY2(gap.end >= started - 1 && gap.end <= started + 10, QByteArray::number(gap.end - started));
    const auto& policies = shippedHealthPolicies();
    const std::vector<Finding> findings = judgeHealth(*seen, policies.front(), policies);
    QVERIFY2(findings.empty(), findings.empty() ? "" : findings.front().title.c_str());
}

QTEST_GUILESS_MAIN(TestObservationLive)

} // namespace tst_observation_live

#include "tst_observation_live.moc"
