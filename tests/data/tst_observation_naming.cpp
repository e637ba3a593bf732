// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// The same cluster under other names, labels and units is the same observation.
#include "tests/data/observation_rig.h"

#include <QTest>

namespace tst_observation_naming {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

class TestObservationNaming : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void training_data();
    void training();
    void serving_data();
    void serving();
    void throughputPerDevice();

private:
    std::unique_ptr<Observation> training_, serving_; ///< by the usual names
};

namespace {

ClusterOptions variant(nlohmann::json exporters) {
    ClusterOptions options = quiet();
    options.config["exporters"] = std::move(exporters);
    return options;
}

void compare(const Observation& seen, const Observation& usual, Signal signal, Statistic statistic,
             double tolerance) {
    const double got = meanOf(seen, signal, statistic);
    const double want = meanOf(usual, signal, statistic);
    QVERIFY2(std::isfinite(want), signalInfo(signal).id.data());
    QVERIFY2(std::fabs(got - want) <= tolerance * std::fabs(want),
             qPrintable(QStringLiteral("%1: %2, not %3")
                            .arg(QString::fromUtf8(signalInfo(signal).id.data()))
                            .arg(got)
                            .arg(want)));
}

} // namespace

void TestObservationNaming::initTestCase() {
    if (const QString why = SimulatedCluster::missing(); !why.isEmpty())
        QFAIL(qPrintable(why));
    const Rig rig(quiet());
    QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
    training_ = std::make_unique<Observation>(rig.atOnce(tests::training));
    serving_ = std::make_unique<Observation>(rig.atOnce(tests::serving));
}

void TestObservationNaming::training_data() {
    QTest::addColumn<QByteArray>("exporters");
    QTest::addColumn<double>("goodput"); // tolerance: figures of the last step leave checkpoints out
    QTest::newRow("torchtitan") << QByteArray(R"({"training_naming": "torchtitan"})") << 0.02;
    QTest::newRow("milliseconds") << QByteArray(R"({"training_naming": "millis"})") << 0.05;
    QTest::newRow("hostname") << QByteArray(R"({"dcgm_hostname_label": "hostname"})") << 1e-9;
    QTest::newRow("addresses") << QByteArray(R"({"instance_addresses": true})") << 1e-9;
    QTest::newRow("microseconds") << QByteArray(R"({"dcgm_violation_unit": "us"})") << 1e-9;
    QTest::newRow("no job label") << QByteArray(R"({"hpc_job": ""})") << 1e-9;
    QTest::newRow("neither job label nor nodes of the job")
        << QByteArray(R"({"hpc_job": "", "training_naming": "torchtitan"})") << 0.02;
    QTest::newRow("no SM_ACTIVE") << QByteArray(R"({"without_metrics": ["DCGM_FI_PROF_SM_ACTIVE"]})") << 1e-9;
}

void TestObservationNaming::training() {
    QFETCH(QByteArray, exporters);
    QFETCH(double, goodput);
    const Rig rig(variant(nlohmann::json::parse(exporters.toStdString())));
    QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
    const Observation seen = rig.atOnce(tests::training);
    QCOMPARE(seen.hosts, training_->hosts);
    for (const Signal signal : {Signal::smClock, Signal::gpuPower, Signal::tensorActive, Signal::dramActive,
                                Signal::engineActive, Signal::nvlinkTransmit, Signal::memoryUsed,
                                Signal::efaTransmit, Signal::lustreWrite, Signal::bootTime}) {
        compare(seen, *training_, signal, Statistic::value, 1e-9);
        QCOMPARE(seen.table(signal)->rows, training_->table(signal)->rows);
    }
    compare(seen, *training_, Signal::stepTime, Statistic::value, 0.01);
    compare(seen, *training_, Signal::tokensPerSecond, Statistic::value, goodput);
    compare(seen, *training_, Signal::modelFlopsPerGpu, Statistic::value, 0.01);
    compare(seen, *training_, Signal::loss, Statistic::value, 0.01);
    if (exporters.contains("SM_ACTIVE")) {
        // The graphics engine's activity stands in, and says so.
        QCOMPARE(seen.table(Signal::smActive)->metric, std::string("DCGM_FI_PROF_GR_ENGINE_ACTIVE"));
        QVERIFY(meanOf(seen, Signal::smActive) > meanOf(*training_, Signal::smActive));
        QVERIFY2(said(seen, Signal::smActive).contains("over-estimate"),
                 said(seen, Signal::smActive).constData());
    } else {
        compare(seen, *training_, Signal::smActive, Statistic::value, 1e-9);
    }
}

void TestObservationNaming::serving_data() {
    QTest::addColumn<QByteArray>("naming");
    QTest::newRow("v0.9.1") << QByteArray("v0.9.1");
    QTest::newRow("v0.11: old and new names") << QByteArray("v0.11");
}

void TestObservationNaming::serving() {
    QFETCH(QByteArray, naming);
    const Rig rig(variant({{"vllm_naming", naming.toStdString()}}));
    QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
    const Observation seen = rig.atOnce(tests::serving);
    QCOMPARE(seen.hosts, serving_->hosts);
    for (const Signal signal : {Signal::interTokenLatency, Signal::timeToFirstToken, Signal::endToEndLatency})
        for (const Statistic statistic :
             {Statistic::mean, Statistic::p50, Statistic::p90, Statistic::p95, Statistic::p99})
            compare(seen, *serving_, signal, statistic, 1e-9);
    for (const Signal signal : {Signal::kvCacheUse, Signal::prefixHitShare, Signal::requestsRunning,
                                Signal::generationTokensPerSecond, Signal::kvCacheBlocks})
        compare(seen, *serving_, signal, Statistic::value, 1e-9);
    const bool old = naming == "v0.9.1";
    QCOMPARE(seen.table(Signal::timePerOutputToken, Statistic::mean) == nullptr, old);
    QCOMPARE(said(seen, Signal::timePerOutputToken).contains("inter-token"), old);
}

void TestObservationNaming::throughputPerDevice() {
    const Rig rig(
        variant({{"training_naming", "torchtitan"}, {"without_metrics", {"torchtitan_ntokens_seen"}}}));
    QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
    const Observation seen = rig.atOnce(tests::training);
    QCOMPARE(seen.table(Signal::tokensPerSecond)->metric, std::string("torchtitan_throughput_tps"));
    // Of the last step: checkpoints, 3 % of the time, are not in it.
    compare(seen, *training_, Signal::tokensPerSecond, Statistic::value, 0.05);
    const double mfu = rig.cluster.truth()["training"]["mfu"].get<double>();
    QVERIFY(std::fabs(meanOf(seen, Signal::modelFlopsUtilization) / mfu - 1) < 0.02);
}

QTEST_GUILESS_MAIN(TestObservationNaming)

} // namespace tst_observation_naming

#include "tst_observation_naming.moc"
