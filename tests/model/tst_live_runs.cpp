// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks of a serving deployment: the load that each put on it, what is said of it, and what counts in a
// fit.
#include "model/calibration/live_kinds.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/found_constants.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_live_runs {

using namespace alidade;
using namespace alidade::tests;

namespace {

bool near(double a, double b, double to = 1e-9) { return std::abs(a - b) <= to * std::abs(b); }

/// 16 in flight with the lengths of the scenario, all that a tool can report.
ServedRun runOf16() {
    ServedRun out;
    out.file = "run.json";
    out.tool = "vllm bench";
    out.concurrency = 16;
    out.promptTokens = 1000;
    out.outputTokens = 200;
    out.requestsPerSecond = 6;
    out.outputTokensPerSecond = 1200;
    out.ttft = 0.2;
    out.itl = 0.01;
    out.e2e = 2.2;
    return out;
}

Catalog catalogOfRuns() {
    Catalog out = fittedCatalog();
    makeExact(out.defaultProfile, {"serving_memory_efficiency"}); // fits to one constant are quick
    return out;
}

} // namespace

class TestLiveRuns : public QObject {
    Q_OBJECT

    Catalog catalog_ = catalogOfRuns();
    ScenarioSpec spec_ = smallServing();

    Result<LiveCalibration> calibrate(const std::vector<ServedRun>& runs) const {
        return calibrateServedRuns(spec_, catalog_, catalog_.defaultProfile, runs);
    }
    LiveCalibration found(const ServedRun& run) const { return *calibrate({run}); }
    QString error(const std::vector<ServedRun>& runs) const {
        const auto out = calibrate(runs);
        return out ? QString() : QString::fromStdString(out.error());
    }
    /// "vllm bench at 13.2 in flight, 1e+03 + 200 tokens": what a figure of the run is from.
    QString load(const ServedRun& run) const {
        return QString::fromStdString(found(run).parameters.at(0).how);
    }

private slots:
    void whatARunSays() {
        const LiveCalibration out = found(runOf16());
        QVERIFY(out.evidence == CalibrationEvidence::benchmark);
        QCOMPARE(out.quantity, std::string("latencies and throughput"));
        QCOMPARE(out.source, std::string("run.json"));
        QCOMPARE(out.samples, std::size_t{2}); // in a closed loop throughput follows from both latencies
        const auto verify = [&](const char* name, const char* label, const char* unit, double after,
                                double sd) {
            const CalibratedParameter* p = figure(out, name);
            QVERIFY2(p, name);
            QCOMPARE(p->label + ", " + p->unit, std::string(label) + ", " + unit);
            QCOMPARE(p->after, after);
            QVERIFY(near(p->low, after * (1 - sd)) && near(p->high, after * (1 + sd)));
            QVERIFY(p->before > 0);
        };
        verify("itl", "Inter-token latency", "s", 0.01, 0.01);
        verify("ttft", "Time to first token", "s", 0.2, 0.1);
        verify("output_tokens_per_s", "Output tokens per second", "tokens/s", 1200, 0.03);
        QCOMPARE(out.notes.size(),
                 std::size_t{3} + (joined(out.notes).contains(QLatin1String("than was measured")) ? 2 : 0) +
                     (joined(out.notes).contains(QLatin1String("did not converge")) ? 1 : 0));
    }

    /// By Little's law 6 x 2.2; what was asked for at most; what a request takes without its latency 0.2 +
    /// 199 x 0.01.
    void loads() {
        ServedRun run = runOf16();
        QCOMPARE(load(run), QStringLiteral("vllm bench at 13.2 in flight, 1e+03 + 200 tokens"));
        run.requestsPerSecond = 10;
        QCOMPARE(load(run), QStringLiteral("vllm bench at 16 in flight, 1e+03 + 200 tokens"));
        run.requestsPerSecond = 5;
        run.e2e = ServedRun::untold;
        QCOMPARE(load(run),
                 QStringLiteral("vllm bench at 10.9 in flight, 1e+03 + 200 tokens")); // 5 x 2.19 = 10.95
        run.concurrency = ServedRun::untold;
        QCOMPARE(load(run), QStringLiteral("vllm bench at 10.9 in flight, 1e+03 + 200 tokens"));
        run.requestsPerSecond = ServedRun::untold;
        run.concurrency = 8;
        QCOMPARE(load(run), QStringLiteral("vllm bench at 8 in flight, 1e+03 + 200 tokens"));
        run.requestRate = 4; // as asked, where nothing is said of what was served
        QCOMPARE(load(run), QStringLiteral("vllm bench at 4 requests/s, 1e+03 + 200 tokens"));
        run.requestsPerSecond = 3.9;
        QCOMPARE(load(run), QStringLiteral("vllm bench at 3.9 requests/s, 1e+03 + 200 tokens"));
        run.requestsPerSecond = 3.8; // 95 %
        QCOMPARE(load(run), QStringLiteral("vllm bench at 3.8 requests/s, 1e+03 + 200 tokens"));
        run.requestsPerSecond = 3.7;
        run.e2e = 1;
        QCOMPARE(load(run), QStringLiteral("vllm bench at 3.7 in flight, 1e+03 + 200 tokens"));
        QVERIFY(says(found(run),
                     "run.json: 3.7 of 4 requests/s were served; the run is taken for one of constant "
                     "concurrency."));
        run.requestRate = std::numeric_limits<double>::infinity();
        QVERIFY(!says(found(run), "were served"));
        // All at once: as many as the cache of 80 GB holds besides 16 GB of weights, up to 256.
        run.concurrency = std::numeric_limits<double>::infinity();
        QCOMPARE(load(run), QStringLiteral("vllm bench at 256 in flight, 1e+03 + 200 tokens"));
    }

    void unknownLoads() {
        ServedRun run = runOf16();
        run.concurrency = run.requestsPerSecond = ServedRun::untold;
        QCOMPARE(
            error({run}),
            QStringLiteral("run.json: neither the rate nor the concurrency of the requests is known; run "
                           "the benchmark with a request rate or a maximum concurrency"));
        run.concurrency = 0;
        QVERIFY(!error({run}).isEmpty());
        QCOMPARE(error({}), QStringLiteral("there is no run to calibrate from"));
        run = runOf16();
        run.ttft = run.itl = run.outputTokensPerSecond = ServedRun::untold;
        run.requestsPerSecond = 2;
        QCOMPARE(
            error({run}),
            QStringLiteral(
                "run.json: the modeled deployment cannot carry the load of the run, or the run reports "
                "neither latencies nor throughput; use the scenario of the deployment that was measured"));
        run = runOf16();
        run.requestRate = run.requestsPerSecond = 1000;
        QVERIFY(
            error({run}).startsWith(QLatin1String("run.json: the modeled deployment cannot carry the load")));
        spec_ = smallTraining();
        QCOMPARE(
            error({runOf16()}),
            QStringLiteral(
                "a benchmark of requests applies to serving, but this is a training scenario; use a serving "
                "scenario, or a log of the training"));
        spec_.workload.model = "unheard of";
        QVERIFY(error({runOf16()}).startsWith(QLatin1String("/workload/model")));
        spec_ = smallServing();
    }

    void lengths() {
        const char* unknown =
            "run.json does not report the lengths of its requests; those of the scenario are used "
            "(1e+03 and 200 tokens).";
        ServedRun run = runOf16();
        QVERIFY(!says(found(run), "lengths of its requests") && !says(found(run), "as the run had them"));
        run.promptTokens = ServedRun::untold;
        QVERIFY(says(found(run), unknown));
        run.promptTokens = 1000;
        run.outputTokens = 0;
        QVERIFY(says(found(run), unknown));
        run.outputTokens = 203;
        run.promptTokens = 981;
        QVERIFY(!says(found(run), "as the run had them")); // within 2 %
        run.promptTokens = 979;
        QVERIFY(says(found(run),
                     "run.json: requests of 979 and 203 tokens, as the run had them; the scenario plans "
                     "1e+03 and 200."));
        run.promptTokens = 1000;
        run.outputTokens = 205;
        QVERIFY(says(found(run), "as the run had them"));
        QVERIFY(load(run).endsWith(QLatin1String("1e+03 + 205 tokens")));
    }

    /// In an open loop throughput is the load's own; in a closed one it counts where a latency is missing.
    void whatCounts() {
        const auto samples = [&](auto change) {
            ServedRun run = runOf16();
            change(run);
            return found(run).samples;
        };
        QCOMPARE(samples([](ServedRun& r) { r.itl = ServedRun::untold; }), std::size_t{2});
        QCOMPARE(samples([](ServedRun& r) { r.ttft = ServedRun::untold; }), std::size_t{2});
        QCOMPARE(samples([](ServedRun& r) { r.ttft = r.itl = ServedRun::untold; }), std::size_t{1});
        QCOMPARE(samples([](ServedRun& r) { r.outputTokensPerSecond = ServedRun::untold; }), std::size_t{2});
        QCOMPARE(samples([](ServedRun& r) {
                     r.requestRate = 2;
                     r.requestsPerSecond = 2;
                     r.ttft = ServedRun::untold;
                 }),
                 std::size_t{1});
    }

    void severalRuns() {
        ServedRun low = runOf16(), high = runOf16();
        low.requestsPerSecond = 1;
        low.outputTokensPerSecond = 200;
        high.file = "high.json";
        high.promptTokens = 4000;
        const LiveCalibration out = *calibrate({low, high});
        QCOMPARE(out.source, std::string("run.json, high.json"));
        QCOMPARE(out.samples, std::size_t{4});
        QVERIFY(figure(out, "itl_1") && figure(out, "ttft_2") && !figure(out, "itl"));
        QVERIFY(out.leftOut.has_value()); // a run at a time
        QVERIFY(!says(out, "One load gives") && !says(out, "With prompts of one length"));
        high.file = "run.json"; // two of one file
        QCOMPARE((*calibrate({low, high})).source, std::string("run.json"));
    }

    /// Loads and prompts that differ by less than about 5 and 10 % are one.
    void whatRunsDoNotSeparate() {
        const auto of = [&](double rate, double prompt) {
            ServedRun one = runOf16(), other = runOf16();
            one.requestsPerSecond = 4;
            one.e2e = other.e2e = 1;
            other.requestsPerSecond = 4 * rate;
            other.promptTokens = 1000 * prompt;
            return *calibrate({one, other});
        };
        // ln 4 is 27.7 twentieths, ln 1,000 69.1 tenths.
        QVERIFY(says(of(1.02, 2),
                     "One load gives one decode step: HBM efficiency, the fixed cost of a step and the "
                     "cost of a sequence cannot be separated; the change is split by prior uncertainty. "
                     "Runs at a low and a high concurrency separate them."));
        QVERIFY(!says(of(1.07, 2), "One load"));
        QVERIFY(says(of(1.07, 1.02),
                     "With prompts of one length, the efficiency of prefill and the fixed cost of a "
                     "request cannot be separated. Runs with short and long prompts separate them."));
        QVERIFY(!says(of(1.07, 1.15), "With prompts of one length"));
        ServedRun run = runOf16();
        run.itl = ServedRun::untold;
        QVERIFY(says(found(run), "One load gives one throughput: "));
        run.ttft = ServedRun::untold;
        QVERIFY(says(found(run),
                     "Time to first token is not reported, so prefill keeps its constants and its band."));
        QVERIFY(!says(found(run), "With prompts of one length"));
        QVERIFY(says(found(run),
                     "Failures, memory, prices and other models, GPUs and precisions keep their values and "
                     "bands."));
    }

    void doubts() {
        ServedRun run = runOf16();
        run.failed = 0;
        run.acceptLength = 1;
        for (const char* text :
             {"requests failed", "speculation accepted", "whether that is the scenario's model"})
            QVERIFY2(!says(found(run), text), text);
        run.failed = 1;
        QVERIFY(says(found(run),
                     "run.json: 1 requests failed; the remaining load may be lighter than intended."));
        run.acceptLength = 1.0101;
        QVERIFY(says(found(run), "speculation accepted"));
        run.acceptLength = 2.5;
        QVERIFY(says(found(run),
                     "run.json: speculation accepted 2.5 tokens per step; the scenario must have the "
                     "same."));
        run.model = "Llama";
        QVERIFY(says(found(run),
                     "run.json served Llama, by vllm bench; whether that is the scenario's model is for "
                     "you to check."));
    }

    /// Measured as the model has it, nothing changes; a gap half as long again is not possible by any of the
    /// constants alone, and is said to be outside where they cannot reach it.
    void theModelsOwnFigures() {
        ServedRun run = runOf16();
        run.requestsPerSecond = ServedRun::untold;
        const LiveCalibration first = found(run);
        run.itl = figure(first, "itl")->before;
        run.ttft = figure(first, "ttft")->before;
        run.outputTokensPerSecond = figure(first, "output_tokens_per_s")->before;
        const LiveCalibration out = found(run);
        QVERIFY(out.before.median < 1e-9 && out.before.mean < 1e-9);
        for (const CalibratedParameter& each : out.parameters)
            QVERIFY2(!each.changed, each.name.c_str());
        QVERIFY(!says(out, "than was measured"));
        run.itl *= 100;
        const LiveCalibration wrong = found(run);
        QVERIFY(says(wrong, "run.json, Inter-token latency: the fitted constants give"));
        QVERIFY(says(wrong, "% less than was measured."));
        QVERIFY(says(wrong,
                     "The run lies outside what the constants allow. Check that model, batch, lengths, "
                     "precision, layout and GPUs of the scenario are those of the run."));
    }
};

QTEST_APPLESS_MAIN(TestLiveRuns)

} // namespace tst_live_runs

#include "tst_live_runs.moc"
