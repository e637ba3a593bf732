// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow cost=59
#include "data/catalog/policy_json.h"
#include "health_rig.h"
#include "model/observation/plan_actual.h"

#include <QTest>

namespace tst_health_cluster_64 {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

namespace {

ClusterOptions sixtyFour(bool faults) {
    ClusterOptions options;
    options.nodes = 64;
    options.hours = 2;
    options.step = faults ? 30 : 60;
    options.faults = faults;
    return options;
}

} // namespace

/// The simulated cluster of 64 nodes, and other exporters' names.
class TestHealthCluster64 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (const QString why = SimulatedCluster::missing() + PrometheusServer::missing(); !why.isEmpty())
            QFAIL(qPrintable(why));
    }

    void everyFaultOfSixtyFourNodes() {
        const Watched watched(sixtyFour(true));
        QVERIFY2(watched.error().isEmpty(), watched.error());
        const SimulatedCluster& cluster = watched.cluster;
        const Result<Observation> observation = watched.observe(30);
        QVERIFY2(observation, observation.error().c_str());
        const std::vector<Finding> findings =
            judgeHealth(*observation, shippedHealthPolicies().front(), shippedHealthPolicies());
        const QByteArray wrong = notTheFaults(cluster, findings);
        QVERIFY2(wrong.isEmpty(), wrong);
        const PlanActual compared = comparePlan(*observation, findings, nullptr);
        QVERIFY(compared.charts.size() >= 8);
        QVERIFY2(compared.verdict.find("lost to faults") != std::string::npos, compared.verdict.c_str());
    }

    void nothingIsInventedOnSixtyFourNodes() {
        const Watched watched(sixtyFour(false));
        QVERIFY2(watched.error().isEmpty(), watched.error());
        const SimulatedCluster& cluster = watched.cluster;
        const Result<Observation> observation = watched.observe(60);
        QVERIFY2(observation, observation.error().c_str());
        const std::vector<Finding> findings = judgeHealth(*observation, shippedHealthPolicies().front());
        QVERIFY2(findings.empty(), told(findings, cluster.start()));
    }

    void otherNames_data() {
        QTest::addColumn<std::string>("naming");
        QTest::addColumn<bool>("full");
        QTest::newRow("torchtitan") << std::string("torchtitan") << true;
        QTest::newRow("milliseconds") << std::string("millis") << false;
    }

    /// Where the job tells no compute times and no last step, the GPUs give the straggler and the stops away,
    /// and a healthy run is still healthy.
    void otherNames() {
        QFETCH(std::string, naming);
        QFETCH(bool, full);
        for (const bool faults : {true, false}) {
            ClusterOptions options;
            options.nodes = 10;
            options.hours = 2;
            options.step = 30;
            options.faults = faults;
            options.full = full;
            options.trainingNaming = naming;
            options.config = {{"spare_nodes", 1}, {"serving_nodes", 1}};
            const Watched watched(options);
            QVERIFY2(watched.error().isEmpty(), watched.error());
            const SimulatedCluster& cluster = watched.cluster;
            const Result<Observation> observation = watched.observe(30);
            QVERIFY2(observation, observation.error().c_str());
            const std::vector<Finding> findings = judgeHealth(*observation, shippedHealthPolicies().front());
            const QByteArray wrong = notTheFaults(cluster, findings);
            QVERIFY2(faults ? wrong.isEmpty() : findings.empty(),
                     faults ? wrong : told(findings, cluster.start()));
        }
    }
};

QTEST_GUILESS_MAIN(TestHealthCluster64)

} // namespace tst_health_cluster_64

#include "tst_health_cluster_64.moc"
