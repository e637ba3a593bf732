// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated cluster behind a real Prometheus, read through the detected mapping.
#include "tests/data/observation_rig.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tst_observation {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

class TestObservation : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void jobsAreFound();
    void truthOfTraining();
    void truthOfServing();
    void gridOfHistory();
    void otherNamesLabelsAndUnits();
    void unknownJob();

private:
    std::unique_ptr<Rig> rig_;
};

void TestObservation::initTestCase() {
    if (const QString why = SimulatedCluster::missing(); !why.isEmpty())
        QFAIL(qPrintable(why));
    rig_ = std::make_unique<Rig>(quiet());
    QVERIFY2(rig_->error().isEmpty(), qPrintable(rig_->error()));
}

void TestObservation::jobsAreFound() {
    const auto jobs = findJobs(*rig_->api, rig_->mapping(), rig_->cluster.start(), rig_->cluster.end());
    QVERIFY2(jobs, jobs.error().c_str());
    QCOMPARE(jobs->size(), std::size_t{2});
    QCOMPARE(jobs->at(0).job, training);
    QCOMPARE(jobs->at(0).kind, std::string("training"));
    QCOMPARE(jobs->at(0).hosts, 3);
    QCOMPARE(jobs->at(1).job, serving);
    QCOMPARE(jobs->at(1).kind, std::string("serving"));
    QCOMPARE(jobs->at(1).hosts, 1);
}

void TestObservation::truthOfTraining() {
    const Observation seen = rig_->atOnce(training);
    const nlohmann::json& truth = rig_->cluster.truth();
    QCOMPARE(seen.hosts, (std::vector<std::string>{"gpu-0001", "gpu-0002", "gpu-0003"}));
    QCOMPARE(seen.table(Signal::gpuPower)->rows.size(), std::size_t{24});
    QCOMPARE(seen.table(Signal::efaTransmit)->rows.size(), std::size_t{3});
    const double nvlink = truth["hardware"]["nvlink_Bps"].get<double>();
    const double efa = truth["hardware"]["efa_node_Bps"].get<double>();
    const auto check = [&](Signal signal, const char* id, double unit = 1) {
        const Expected want = expected(truth, id);
        const double got = meanOf(seen, signal) / unit;
        QVERIFY2(std::fabs(got / want.value - 1) < want.tolerance,
                 qPrintable(
                     QStringLiteral("%1: %2, not %3").arg(QString::fromLatin1(id)).arg(got).arg(want.value)));
    };
    check(Signal::tokensPerSecond, "tokens_per_s");
    check(Signal::stepTime, "step_time");
    check(Signal::checkpointShare, "checkpoint_fraction");
    check(Signal::smActive, "sm_active");
    check(Signal::dramActive, "dram_active");
    check(Signal::nvlinkTransmit, "nvlink_util", nvlink);
    check(Signal::efaTransmit, "efa_util", efa);
    check(Signal::gpuPower, "power_w");
    const Expected written = expected(truth, "lustre_write_Bps");
    QVERIFY(std::fabs(meanOf(seen, Signal::lustreWrite) * 3 / written.value - 1) < written.tolerance);
    // No serving figures in a training job.
    QVERIFY(seen.table(Signal::timeToFirstToken, Statistic::mean) == nullptr);
    QVERIFY(said(seen, Signal::timeToFirstToken).isEmpty());
}

void TestObservation::truthOfServing() {
    const Observation seen = rig_->atOnce(serving);
    const nlohmann::json& truth = rig_->cluster.truth();
    QCOMPARE(seen.hosts, std::vector<std::string>{"gpu-0004"});
    const auto check = [&](Signal signal, Statistic statistic, const char* id) {
        const Expected want = expected(truth, id);
        const double got = meanOf(seen, signal, statistic);
        QVERIFY2(std::fabs(got / want.value - 1) < want.tolerance,
                 qPrintable(
                     QStringLiteral("%1: %2, not %3").arg(QString::fromLatin1(id)).arg(got).arg(want.value)));
    };
    check(Signal::interTokenLatency, Statistic::mean, "itl_mean");
    check(Signal::timeToFirstToken, Statistic::p95, "ttft_p95");
    check(Signal::generationTokensPerSecond, Statistic::value, "generation_tps");
    check(Signal::prefillShare, Statistic::value, "prefill_share");
    check(Signal::requestsRunning, Statistic::value, "batch_gauge");
    QVERIFY(std::fabs(meanOf(seen, Signal::prefixHitShare) - 0.30) < 0.01);
    QCOMPARE(meanOf(seen, Signal::kvCacheBlocks), 73800.0 * 16);
    const SignalTable* p95 = seen.table(Signal::timeToFirstToken, Statistic::p95);
    QVERIFY(p95->values.front() > 0.1 && p95->values.front() < 0.25); // bounds of vLLM's bucket
    QCOMPARE(p95->bucketWidth, 0.15);
    QVERIFY(seen.table(Signal::stepTime) == nullptr);
}

void TestObservation::gridOfHistory() {
    const TimeGrid grid{rig_->cluster.start() + 120, 15, 105};
    const Observation seen = rig_->read(training, grid);
    QCOMPARE(seen.scrapeInterval, 15.0);
    QCOMPARE(seen.newest, grid.end());
    for (const SignalTable& table : seen.tables) {
        QCOMPARE(table.values.size(), table.rows.size() * grid.points);
        QVERIFY(std::ranges::is_sorted(table.rows));
        QVERIFY(std::ranges::adjacent_find(table.rows) == table.rows.end());
    }
    // Sixteen steps of rounding at each end of a window.
    const Expected want = expected(rig_->cluster.truth(), "tokens_per_s");
    QVERIFY(std::fabs(meanOf(seen, Signal::tokensPerSecond) / want.value - 1) < 0.03);
    QVERIFY(
        std::fabs(meanOf(seen, Signal::stepTime) / rig_->cluster.truth()["training"]["step_s"].get<double>() -
                  1) < 0.02);
    // A synchronous job leaves no GPU without a value.
    const SignalTable* clock = seen.table(Signal::smClock);
    QVERIFY(std::ranges::none_of(clock->values, [](double x) { return std::isnan(x); }));
    QVERIFY(meanOf(seen, Signal::smClock) > 1.7e9 && meanOf(seen, Signal::smClock) < 1.8e9);
}

// Each of them alone: tst_observation_naming.
void TestObservation::otherNamesLabelsAndUnits() {
    ClusterOptions options = quiet();
    options.config["exporters"] = {{"training_naming", "torchtitan"},   {"vllm_naming", "v0.9.1"},
                                   {"dcgm_hostname_label", "hostname"}, {"dcgm_violation_unit", "us"},
                                   {"instance_addresses", true},        {"hpc_job", ""}};
    const Rig other(options);
    QVERIFY2(other.error().isEmpty(), qPrintable(other.error()));
    const Observation usual = rig_->atOnce(training);
    const Observation seen = other.atOnce(training);
    QCOMPARE(seen.hosts, usual.hosts);
    for (const Signal signal :
         {Signal::gpuPower, Signal::tensorActive, Signal::efaTransmit, Signal::lustreWrite}) {
        QCOMPARE(seen.table(signal)->rows, usual.table(signal)->rows);
        QCOMPARE(meanOf(seen, signal), meanOf(usual, signal));
    }
    QVERIFY(std::fabs(meanOf(seen, Signal::tokensPerSecond) / meanOf(usual, Signal::tokensPerSecond) - 1) <
            0.02);
    QVERIFY(std::fabs(meanOf(seen, Signal::stepTime) / meanOf(usual, Signal::stepTime) - 1) < 0.01);
    const Observation engines = other.atOnce(serving);
    QCOMPARE(meanOf(engines, Signal::interTokenLatency, Statistic::mean),
             meanOf(rig_->atOnce(serving), Signal::interTokenLatency, Statistic::mean));
}

void TestObservation::unknownJob() {
    const Result<Observation> seen = collectObservation(
        *rig_->api, rig_->mapping(), {{rig_->cluster.start() + 600, 15, 4}, "llama70b-pretain", {}, 0});
    QVERIFY(!seen);
    QVERIFY2(seen.error().find(training) != std::string::npos, seen.error().c_str());
}

QTEST_GUILESS_MAIN(TestObservation)

} // namespace tst_observation

#include "tst_observation.moc"
