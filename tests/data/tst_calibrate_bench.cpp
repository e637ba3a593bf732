// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/bench_results.h"
#include "model/calibration/live_calibration.h"
#include "model/engine/engine.h"
#include "model/scenario/scenario.h"
#include "tests/data/calibrated.h"

#include <QFile>

#include <algorithm>
#include <cmath>

namespace tst_calibrate_bench {

using namespace alidade;
using data::BenchReading;

namespace {

BenchReading sample(const char* name) {
    QFile file(QStringLiteral(ALIDADE_TEST_DATA "/data/bench/") + QString::fromLatin1(name));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no sample %s", name);
    return data::readBenchResults(file.readAll().toStdString(), name);
}

/// The service that the samples are of: 1,024 tokens in, 256 out.
ScenarioSpec service() {
    return test::servingOn("p5.48xlarge", {{"prompt_mean", 1024}, {"output_mean", 256}, {"prefix_hit", 0.0}});
}

Estimate estimated(const ScenarioSpec& spec, const Profile& profile) {
    Result<Estimate> out = estimate(spec, shippedCatalog(), profile);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

const Profile& shipped() { return shippedCatalog().defaultProfile; }

bool near(double a, double b, double share) { return std::abs(a / b - 1) <= share; }

/// 32 users of 1,024 + 256 tokens, with the latencies of an estimate times a factor.
ServedRun runOf(const Estimate& before, double factor) {
    ServedRun run;
    run.file = "c32.json";
    run.tool = "vllm bench serve";
    run.concurrency = 32;
    run.promptTokens = 1024;
    run.outputTokens = 256;
    run.itl = before.serving->itl * factor;
    run.ttft = before.serving->ttft * factor;
    run.e2e = run.ttft + 255 * run.itl;
    run.requestsPerSecond = 32 / run.e2e;
    return run;
}

} // namespace

/// One measured run is enough to start.
class TestCalibrateBench : public QObject {
    Q_OBJECT

private slots:
    void readsEachTool_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("tool");
        QTest::addColumn<int>("runs");
        QTest::addColumn<double>("ttft");
        QTest::addColumn<double>("itl");
        QTest::addColumn<double>("tokens");
        QTest::addColumn<double>("prompt");
        QTest::addColumn<double>("concurrency");
        QTest::newRow("vllm") << QByteArray("vllm.json") << QByteArray("vllm bench serve") << 1 << 0.4026
                              << 0.0341 << 1765.5 << 1024.0 << 64.0;
        QTest::newRow("sglang") << QByteArray("sglang.jsonl") << QByteArray("SGLang bench_serving") << 2
                                << 0.181 << 0.0235 << 656.4 << 1024.0 << 16.0;
        QTest::newRow("aiperf") << QByteArray("aiperf.json") << QByteArray("AIPerf") << 1 << 0.176 << 0.0233
                                << 660.5 << 1024.0 << 16.0;
        QTest::newRow("genai-perf") << QByteArray("genai-perf.json") << QByteArray("GenAI-Perf") << 1 << 0.180
                                    << 0.0234 << 658.1 << 1024.0 << 16.0;
    }
    void readsEachTool() {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, tool);
        QFETCH(int, runs);
        QFETCH(double, ttft);
        QFETCH(double, itl);
        QFETCH(double, tokens);
        QFETCH(double, prompt);
        QFETCH(double, concurrency);
        const BenchReading read = sample(file.constData());
        QVERIFY2(read.faults.empty(), read.faults.empty() ? "" : read.faults.front().c_str());
        QCOMPARE(QByteArray::fromStdString(read.tool), tool);
        QCOMPARE(static_cast<int>(read.runs.size()), runs);
        const ServedRun& run = read.runs.front();
        QCOMPARE(run.ttft, ttft);
        QCOMPARE(run.itl, itl);
        QCOMPARE(run.outputTokensPerSecond, tokens);
        QCOMPARE(run.promptTokens, prompt);
        QCOMPARE(run.outputTokens, 256.0);
        QCOMPARE(run.concurrency, concurrency);
        QVERIFY(!(run.requestRate > 0) || std::isinf(run.requestRate));
    }

    void readsLoadGen() {
        const BenchReading server = sample("mlperf_log_summary.txt");
        QCOMPARE(server.runs.size(), std::size_t{1});
        QCOMPARE(server.runs.front().requestRate, 4.01);
        QCOMPARE(server.runs.front().ttft, 0.212);
        QCOMPARE(server.runs.front().itl, 0.0263);
        QCOMPARE(server.runs.front().outputTokens, 256.0);
        // Latencies of Offline are those of a queue of all requests.
        const BenchReading offline = sample("mlperf_offline.txt");
        QCOMPARE(offline.runs.size(), std::size_t{1});
        QVERIFY(std::isnan(offline.runs.front().ttft) && std::isnan(offline.runs.front().e2e));
        QCOMPARE(offline.runs.front().outputTokensPerSecond, 2332.2);
    }

    void readsTrainingLogs() {
        const BenchReading titan = sample("torchtitan.log");
        QVERIFY(titan.isTraining());
        QCOMPARE(titan.steps.tokensPerSecondPerGpu, (std::vector<double>{212, 1021, 1019, 1024, 1021, 1021}));
        const BenchReading megatron = sample("megatron.log");
        QCOMPARE(megatron.steps.seconds.size(), std::size_t{6});
        QCOMPARE(megatron.steps.seconds[1], 8.9255);
        QCOMPARE(megatron.steps.globalBatch, 32.0);
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("empty") << QByteArray() << QByteArray("is neither a result");
        QTest::newRow("another program")
            << QByteArray("hello\nworld\n") << QByteArray("elapsed time per iteration");
        QTest::newRow("another document")
            << QByteArray("{\"a\": 1}") << QByteArray("is not a result of vllm bench serve");
        QTest::newRow("broken") << QByteArray("{\"mean_ttft_ms\": 12,") << QByteArray("run.json: line 1");
        QTest::newRow("nothing done")
            << QByteArray("{\"completed\": 0, \"output_throughput\": 0.0, \"mean_ttft_ms\": 0.0}")
            << QByteArray("no request was completed");
        QTest::newRow("broken second line")
            << QByteArray("{\"completed\": 4, \"output_throughput\": 9.0, \"mean_ttft_ms\": 8.0}\n{\"x\"\n")
            << QByteArray("run.json:2:");
        QTest::newRow("accuracy")
            << QByteArray("MLPerf Results Summary\nScenario : Server\nMode     : AccuracyOnly\n")
            << QByteArray("accuracy run");
        QTest::newRow("single stream")
            << QByteArray("MLPerf Results Summary\nScenario : SingleStream\nMode     : PerformanceOnly\n")
            << QByteArray("use Server or Offline");
        QTest::newRow("no number") << QByteArray(" iteration 1 | elapsed time per iteration (ms): nan |")
                                   << QByteArray("run.json:1: no number above 0");
    }
    void saysWhatIsWrong() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, said);
        const BenchReading read = data::readBenchResults(text.toStdString(), "run.json");
        QVERIFY(!read.faults.empty());
        QVERIFY2(read.faults.front().find(said.toStdString()) != std::string::npos,
                 read.faults.front().c_str());
        QVERIFY(read.runs.empty() && !read.isTraining());
    }

    /// The estimate of the same load then gives what was measured; constants that play no part keep value and
    /// band.
    void runIsReproduced_data() {
        QTest::addColumn<double>("slower");
        QTest::newRow("slower") << 1.3;
        QTest::newRow("faster") << 0.85;
    }
    void runIsReproduced() {
        QFETCH(double, slower);
        ScenarioSpec spec = service();
        spec.workload.requestRatePerS.reset();
        spec.workload.concurrency = 32;
        const Estimate before = estimated(spec, shipped());
        ServedRun run = runOf(before, slower);
        run.outputTokensPerSecond = 256 * run.requestsPerSecond;
        const Result<LiveCalibration> found = calibrateServedRuns(spec, shippedCatalog(), shipped(), {run});
        QVERIFY2(found, found.error().c_str());
        const Estimate after = estimated(spec, found->profile);
        QVERIFY2(near(after.serving->itl, run.itl, 0.02), QByteArray::number(after.serving->itl / run.itl));
        QVERIFY2(near(after.serving->ttft, run.ttft, 0.1),
                 QByteArray::number(after.serving->ttft / run.ttft));
        QVERIFY2(near(after.serving->outputTokensPerSecond, run.outputTokensPerSecond, 0.02),
                 QByteArray::number(after.serving->outputTokensPerSecond / run.outputTokensPerSecond));
        QVERIFY(found->after.mean < 0.2 * found->before.mean);
        // One load cannot say which of the constants it is, and says so.
        const auto says = [&](const char* words) {
            return std::ranges::any_of(
                found->notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
        };
        QVERIFY(says("One load gives one decode step"));
        QVERIFY(says("prompts of one length"));
        for (const Parameter& each : shipped().parameters) {
            const auto same = std::ranges::find_if(found->profile.parameters, [&](const Parameter& p) {
                return p.name == each.name && p.gpu == each.gpu && p.precision == each.precision &&
                       p.stack == each.stack;
            });
            QVERIFY(same != found->profile.parameters.end());
            if (same->kind != SourceKind::fitted) {
                QCOMPARE(same->value, each.value);
                QCOMPARE(same->logSd, each.logSd);
            }
        }
        // The same run a second time says nothing new.
        const Result<LiveCalibration> again =
            calibrateServedRuns(spec, shippedCatalog(), found->profile, {run});
        QVERIFY2(again, again.error().c_str());
        QVERIFY(std::ranges::none_of(again->parameters,
                                     [](const CalibratedParameter& p) { return p.applied && p.changed; }));
    }

    void samplesOfServingCalibrate_data() {
        QTest::addColumn<QByteArray>("file");
        for (const char* name : {"vllm.json", "sglang.jsonl", "aiperf.json", "genai-perf.json",
                                 "mlperf_log_summary.txt", "mlperf_offline.txt"}) {
            QTest::newRow(name) << QByteArray(name);
        }
    }
    void samplesOfServingCalibrate() {
        QFETCH(QByteArray, file);
        const Result<LiveCalibration> found =
            calibrateServedRuns(service(), shippedCatalog(), shipped(), sample(file.constData()).runs);
        QVERIFY2(found, found.error().c_str());
        QVERIFY2(found->after.mean <= found->before.mean, QByteArray::number(found->after.mean));
        QVERIFY(!found->parameters.empty() && !found->notes.empty());
    }

    void oneStepTimeIsEnough_data() {
        QTest::addColumn<double>("slower");
        QTest::newRow("slower") << 1.2;
        QTest::newRow("faster") << 0.92;
    }
    void oneStepTimeIsEnough() {
        QFETCH(double, slower);
        const ScenarioSpec spec = test::trainingOn("p5.48xlarge", 4);
        const double measured = slower * estimated(spec, shipped()).training->stepTime;
        const Result<LiveCalibration> found =
            calibrateStepTimes(spec, shippedCatalog(), shipped(), {"one step time", {measured}, {}, true, 0});
        QVERIFY2(found, found.error().c_str());
        const double after = estimated(spec, found->profile).training->stepTime;
        QVERIFY2(near(after, measured, 0.02), QByteArray::number(after / measured));
        QVERIFY(std::ranges::any_of(found->notes, [](const std::string& note) {
            return note.find("single number") != std::string::npos;
        }));
        // A table of one row is not: it is not a mean.
        QVERIFY(!calibrateStepTimes(spec, shippedCatalog(), shipped(), {"steps.csv", {measured}}));
    }

    /// A run of another job than the scenario's: no constants make it so, which is said.
    void whatNoConstantsReproduceIsSaid() {
        const auto doubts = [](const LiveCalibration& found) {
            return std::ranges::any_of(found.notes, [](const std::string& note) {
                return note.find("outside what the constants allow") != std::string::npos;
            });
        };
        const ScenarioSpec training = test::trainingOn("p5.48xlarge", 4);
        const double planned = estimated(training, shipped()).training->stepTime;
        for (const auto& [factor, isDoubtful] : {std::pair{0.55, true}, {0.95, false}, {1.2, false}}) {
            const Result<LiveCalibration> found = calibrateStepTimes(
                training, shippedCatalog(), shipped(), {"one step time", {factor * planned}, {}, true, 0});
            QVERIFY2(found, found.error().c_str());
            QCOMPARE(doubts(*found), isDoubtful);
        }
        ScenarioSpec serving = service();
        serving.workload.requestRatePerS.reset();
        serving.workload.concurrency = 32;
        const Estimate before = estimated(serving, shipped());
        for (const auto& [factor, isDoubtful] : {std::pair{0.2, true}, {1.1, false}}) {
            const ServedRun run = runOf(before, factor);
            const Result<LiveCalibration> found =
                calibrateServedRuns(serving, shippedCatalog(), shipped(), {run});
            QVERIFY2(found, found.error().c_str());
            QCOMPARE(doubts(*found), isDoubtful);
            QVERIFY(!isDoubtful || std::ranges::any_of(found->notes, [](const std::string& note) {
                return note.starts_with("c32.json, Inter-token latency: the fitted constants give");
            }));
        }
        // The samples are of the jobs that they are held against.
        const Result<LiveCalibration> megatron =
            calibrateStepTimes(training, shippedCatalog(), shipped(), sample("megatron.log").steps);
        QVERIFY(megatron && !doubts(*megatron));
    }

    void logsOfTrainingCalibrate() {
        const ScenarioSpec spec =
            test::trainingOn("p5.48xlarge", 4); // 32 sequences of 8,192 tokens on 32 GPUs
        const Result<LiveCalibration> megatron =
            calibrateStepTimes(spec, shippedCatalog(), shipped(), sample("megatron.log").steps);
        QVERIFY2(megatron, megatron.error().c_str());
        QVERIFY(near(test::parameter(*megatron, "step_time").after, 8.92718, 1e-3)); // without the first
        const Result<LiveCalibration> titan =
            calibrateStepTimes(spec, shippedCatalog(), shipped(), sample("torchtitan.log").steps);
        QVERIFY2(titan, titan.error().c_str());
        QVERIFY2(near(test::parameter(*titan, "step_time").after, 8192 / 1021.2, 2e-3),
                 QByteArray::number(test::parameter(*titan, "step_time").after));
        // Another batch is another job.
        const Result<LiveCalibration> other = calibrateStepTimes(
            test::trainingOn("p5.48xlarge", 8), shippedCatalog(), shipped(), sample("megatron.log").steps);
        QVERIFY(!other);
        QVERIFY2(other.error().find("global batch of 32") != std::string::npos, other.error().c_str());
    }
};

QTEST_APPLESS_MAIN(TestCalibrateBench)

} // namespace tst_calibrate_bench

#include "tst_calibrate_bench.moc"
