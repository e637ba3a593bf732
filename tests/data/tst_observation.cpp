// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated cluster behind a real Prometheus, read through the detected mapping.
#include "model/engine/engine.h"
#include "model/observation/plan_actual.h"
#include "tests/data/calibrated.h"
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
    void enginesSideBySide();
    void servingHasAllItsCharts();
    void aPlanThatTrainsIsNotHeldAgainstEngines();
    void theRightEdgeIsNoPeak();

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

/// vLLM and SGLang on one server: each is a job with its own figures, and everything has both.
void TestObservation::enginesSideBySide() {
    ClusterOptions options = quiet();
    options.config = {{"serving_nodes", 2}, {"serving", {{"engines", {"vllm", "sglang"}}}}};
    const Rig both(options);
    QVERIFY2(both.error().isEmpty(), qPrintable(both.error()));
    const auto jobs = findJobs(*both.api, both.mapping(), both.cluster.start(), both.cluster.end());
    QVERIFY2(jobs, jobs.error().c_str());
    std::vector<std::string> engines;
    for (const JobChoice& each : *jobs)
        if (each.kind == "serving") {
            engines.push_back(each.job);
            QCOMPARE(each.hosts, 1);
        }
    std::ranges::sort(engines);
    QCOMPARE(engines, (std::vector<std::string>{serving, serving + "-sglang"}));
    std::vector<std::string> hosts;
    for (const std::string& job : engines) {
        const Observation seen = both.atOnce(job);
        QCOMPARE(seen.hosts.size(), std::size_t{1});
        hosts.push_back(seen.hosts.front());
        for (const Signal signal : {Signal::generationTokensPerSecond, Signal::requestsRunning})
            QVERIFY2(seen.table(signal) != nullptr && seen.table(signal)->rows.size() == 1,
                     (job + ": " + std::string(signalInfo(signal).label)).c_str());
        const double itl = meanOf(seen, Signal::interTokenLatency, Statistic::mean);
        QVERIFY2(itl > 0.005 && itl < 0.05, QByteArray::number(itl));
    }
    QVERIFY(hosts[0] != hosts[1]);
    const Observation everything = both.atOnce({});
    QCOMPARE(everything.table(Signal::generationTokensPerSecond)->rows.size(), std::size_t{2});
}

void TestObservation::servingHasAllItsCharts() {
    const Observation seen = rig_->read(serving, {rig_->cluster.start() + 300, 30, 45});
    const PlanActual shown = comparePlan(seen, {}, nullptr);
    for (const char* id : {"ttft_p90", "itl_p90", "prompt_tokens_per_s", "requests_waiting",
                           "preemptions_per_s", "prefix_hits", "queue_time", "kv_use"}) {
        const auto chart = std::ranges::find(shown.charts, id, &ChartLine::id);
        QVERIFY2(chart != shown.charts.end(), id);
        QVERIFY2(std::ranges::any_of(chart->measured, [](double value) { return std::isfinite(value); }), id);
    }
    const auto value = [&](const char* id) {
        return *std::ranges::find(shown.charts, id, &ChartLine::id)->mean;
    };
    QVERIFY(value("prompt_tokens_per_s") > 1000);
    QVERIFY2(std::abs(value("prefix_hits") - 0.3) < 0.05, QByteArray::number(value("prefix_hits")));
    QVERIFY(value("preemptions_per_s") >= 0 && value("queue_time") >= 0);
}

void TestObservation::aPlanThatTrainsIsNotHeldAgainstEngines() {
    const Observation seen = rig_->read(serving, {rig_->cluster.start() + 300, 30, 45});
    const Result<Estimate> plan =
        estimate(test::trainingOn("p5.48xlarge", 3), shippedCatalog(), shippedCatalog().defaultProfile);
    QVERIFY2(plan, plan.error().c_str());
    const PlanActual shown = comparePlan(seen, {}, &*plan), alone = comparePlan(seen, {}, nullptr);
    QVERIFY(std::ranges::find(shown.notes, "The plan trains, the measured job serves.") != shown.notes.end());
    const auto itl = std::ranges::find(shown.charts, "itl_p90", &ChartLine::id);
    QVERIFY(itl != shown.charts.end() && !itl->plan);
    QCOMPARE(itl->measured.size(),
             std::ranges::find(alone.charts, "itl_p90", &ChartLine::id)->measured.size());
    QVERIFY(itl->mean && *itl->mean > 0); // what was measured stays
    QVERIFY(std::ranges::find(shown.charts, "step_time", &ChartLine::id) == shown.charts.end());
    // And the other way round.
    const Observation trains = rig_->read(training, {rig_->cluster.start() + 300, 30, 45});
    const Result<Estimate> serves =
        estimate(test::servingOn("p5.48xlarge"), shippedCatalog(), shippedCatalog().defaultProfile);
    QVERIFY2(serves, serves.error().c_str());
    const PlanActual other = comparePlan(trains, {}, &*serves);
    QVERIFY(std::ranges::find(other.notes, "The plan serves, the measured job trains.") != other.notes.end());
    const auto step = std::ranges::find(other.charts, "step_time", &ChartLine::id);
    QVERIFY(step != other.charts.end() && !step->plan && step->mean && *step->mean > 1);
}

/// The windows of the newest rates are only half filled, which is no reason for a peak (an MFU of 12).
void TestObservation::theRightEdgeIsNoPeak() {
    const Result<Estimate> plan =
        estimate(test::trainingOn("p5.48xlarge", 3), shippedCatalog(), shippedCatalog().defaultProfile);
    QVERIFY2(plan, plan.error().c_str());
    for (const double beyond : {-45.0, -15.0, 0.0, 15.0, 60.0}) {
        const double end = rig_->cluster.end() + beyond;
        const Observation seen = rig_->read(training, {end - 1200, 30, 41});
        for (const char* id : {"mfu", "tokens_per_s"}) {
            const PlanActual shown = comparePlan(seen, {}, &*plan);
            const auto chart = std::ranges::find(shown.charts, id, &ChartLine::id);
            QVERIFY2(chart != shown.charts.end(), id);
            std::vector<double> values = chart->measured;
            std::erase_if(values, [](double each) { return !std::isfinite(each); });
            QVERIFY(values.size() > 20);
            std::ranges::sort(values);
            const double median = values[values.size() / 2];
            QVERIFY2(values.back() < 1.4 * median && values.back() > 0,
                     QByteArray(QByteArray(id) + ' ' + QByteArray::number(values.back() / median)));
        }
    }
}

QTEST_GUILESS_MAIN(TestObservation)

} // namespace tst_observation

#include "tst_observation.moc"
