// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/mapping_json.h"
#include "data/catalog/policy_json.h"
#include "data/observation/collect.h"
#include "data/prometheus/http_exchange.h"
#include "health_rig.h"

#include <QTest>

#include <algorithm>

namespace tst_health_cluster {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

namespace {

/// Ten nodes: eight train, one serves, one is spare, so that every fault has its own node.
ClusterOptions tenNodes(bool faults) {
    ClusterOptions out;
    out.nodes = 10;
    out.hours = 2;
    out.step = 30;
    out.faults = faults;
    out.config = {{"spare_nodes", 1}, {"serving_nodes", 1}};
    return out;
}

} // namespace

/// Health of simulated clusters with known faults, read from a real Prometheus.
class TestHealthCluster : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (const QString why = SimulatedCluster::missing() + PrometheusServer::missing(); !why.isEmpty())
            QFAIL(qPrintable(why));
    }

    void everyFaultAtItsPlaceAndTime() {
        const Watched watched(tenNodes(true));
        QVERIFY2(watched.error().isEmpty(), watched.error());
        const SimulatedCluster& cluster = watched.cluster;
        const Result<Observation> observation = watched.observe(30);
        QVERIFY2(observation, observation.error().c_str());
        const std::vector<Finding> findings =
            judgeHealth(*observation, shippedHealthPolicies().front(), shippedHealthPolicies());
        const QByteArray wrong = notTheFaults(cluster, findings);
        QVERIFY2(wrong.isEmpty(), wrong);
        // Who disagrees is named.
        const auto xid = std::ranges::find(findings, FaultKind::xid, &Finding::kind);
        QCOMPARE(xid->otherAdvice.size(), 3u);
    }

    /// What the slow node and the bad network took, against the simulation's own step times.
    void costsAreThoseOfTheSimulation() {
        const Watched watched(tenNodes(true));
        QVERIFY2(watched.error().isEmpty(), watched.error());
        const SimulatedCluster& cluster = watched.cluster;
        const Result<Observation> observation = watched.observe(30);
        QVERIFY2(observation, observation.error().c_str());
        HealthContext context;
        context.dollarsPerHour = 100;
        const std::vector<Finding> findings =
            judgeHealth(*observation, shippedHealthPolicies().front(), {}, context);
        const QByteArray all = told(findings, cluster.start());
        const auto& training = cluster.truth()["training"];
        const double step = training["step_s"], gemm = training["composition_s"]["gemm"];
        const double load = cluster.truth()["hardware"]["f_load_mhz"];
        const double slowStep = step + gemm * (load / 1290 - 1);
        const auto cost = [&](FaultKind kind) {
            const auto found = std::ranges::find(findings, kind, &Finding::kind);
            return found != findings.end() && found->cost ? found->cost->seconds : -1;
        };
        const auto within = [](double value, double truth, double share) {
            return std::abs(value - truth) <= share * truth;
        };
        QVERIFY2(within(cost(FaultKind::straggler), 1200 * (1 - step / slowStep), 0.1), all);
        QVERIFY2(within(cost(FaultKind::efaRetransmits), 600 * (1 - 1 / 1.06), 0.1), all);
        // The stop itself and the work since a checkpoint, at most one period of them old.
        const double period = 40 * step + 12;
        QVERIFY2(cost(FaultKind::stall) >= 420 && cost(FaultKind::stall) <= 460 + period, all);
        QVERIFY2(cost(FaultKind::xid) >= 130 && cost(FaultKind::xid) <= 180 + period, all);
        QCOMPARE(cost(FaultKind::missingGpu), -1.0); // a spare
        for (const Finding& each : findings)
            QVERIFY(!each.cost || std::abs(*each.cost->dollars - each.cost->seconds / 36) < 1e-9);
    }

    void nothingIsInvented() {
        const Watched watched(tenNodes(false));
        QVERIFY2(watched.error().isEmpty(), watched.error());
        const SimulatedCluster& cluster = watched.cluster;
        for (const double step : {30.0, 60.0}) {
            const Result<Observation> observation = watched.observe(step);
            QVERIFY2(observation, observation.error().c_str());
            const std::vector<Finding> findings =
                judgeHealth(*observation, shippedHealthPolicies().front(), shippedHealthPolicies());
            QVERIFY2(findings.empty(), told(findings, cluster.start()));
        }
    }
};

QTEST_GUILESS_MAIN(TestHealthCluster)

} // namespace tst_health_cluster

#include "tst_health_cluster.moc"
