// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/simulation.h"
#include "model/serving/steady_state.h"

#include <QTest>

namespace tst_serving_chunk_bound {

using namespace alidade;

namespace {

double step(const StepWork& work) {
    return 0.004 + 1.4e-5 * work.prefillTokens + 4e-5 * work.decodeSequences;
}

/// The same with attention over what lies before a chunk of its prompt: most tokens are in the long ones.
double attentiveStep(const StepWork& work) {
    return step(work) + 1e-10 * work.prefillTokens * work.prefillCached;
}

EngineLimits limits() {
    EngineLimits out;
    out.maxSequences = 800;
    out.chunkTokens = 8192;
    out.memory.bytesPerToken = 1;
    out.kvBytes = 1e12;
    return out;
}

} // namespace

/// More prompt tokens than steps can take: every step is full, and most users wait for their prefill.
class TestServingChunkBound : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheSimulation_data() {
        QTest::addColumn<double>("input");
        QTest::addColumn<double>("output");
        QTest::addColumn<double>("concurrency");
        QTest::newRow("offline, more requests than places") << 2048.0 << 128.0 << 3000.0;
        QTest::newRow("all in the engine") << 2048.0 << 128.0 << 700.0;
        QTest::newRow("prompts longer than a step") << 20000.0 << 600.0 << 400.0;
    }
    void agreesWithTheSimulation() {
        QFETCH(double, input);
        QFETCH(double, output);
        QFETCH(double, concurrency);
        const RequestLoad load{.inputTokens = input, .outputTokens = output, .concurrency = concurrency};
        const ServingState closed = steadyState(load, limits(), step);
        const ServingState played =
            simulate(load, limits(), step, SimulationOptions{.seed = 3, .requests = 6000}).state;
        const auto agree = [](const char* what, double a, double b) {
            const bool good = std::abs(a / b - 1) < 0.05;
            if (!good)
                qWarning("%s: %g in closed form, %g simulated", what, a, b);
            return good;
        };
        QVERIFY(agree("rate", closed.requestsPerSecond, played.requestsPerSecond));
        QVERIFY(agree("ttft", closed.ttft, played.ttft));
        QVERIFY(agree("itl", closed.itl, played.itl));
        QVERIFY(agree("batch", closed.batch, played.batch));
        QVERIFY(agree("e2e", closed.e2e, played.e2e));
    }

    /// Where the bound takes over from the chain of prompts, the figures go on as they were.
    void theBoundTakesOverSmoothly() {
        for (const double cv : {0.0, 0.3, 1.0}) {
            RequestLoad load{.inputTokens = 2048, .inputCv = cv, .outputTokens = 128, .outputCv = 0.5};
            const double balanced = 8192 / (1 + 2048.0 / 127);
            const auto at = [&](double users) {
                load.concurrency = users;
                return steadyState(load, limits(), step, ServingDetail::means);
            };
            const ServingState chain = at(1.499 * balanced), bound = at(1.501 * balanced);
            QVERIFY2(std::abs(bound.ttft / chain.ttft - 1) < 0.03, qPrintable(QString::number(cv)));
            QVERIFY(std::abs(bound.requestsPerSecond / chain.requestsPerSecond - 1) < 0.01);
            QVERIFY(std::abs(bound.itl / chain.itl - 1) < 0.02);
        }
    }

    /// Users who started together come apart where their prompts differ, as longer ones take more steps. (In
    /// step they would wait for each other's prompts, about twice as long.)
    void differentPromptsBreakUpAWave() {
        EngineLimits few = limits();
        few.chunkTokens = 2048;
        for (const double prompt : {1500.0, 4000.0}) {
            const RequestLoad load{
                .inputTokens = prompt, .inputCv = 0.5, .outputTokens = 300, .concurrency = 8};
            const ServingState closed = steadyState(load, few, step, ServingDetail::means);
            const ServingState played =
                simulate(load, few, step, SimulationOptions{.seed = 5, .requests = 20000, .warmUp = 4000})
                    .state;
            QVERIFY2(std::abs(closed.ttft / played.ttft - 1) < 0.05,
                     qPrintable(QStringLiteral("%1, played %2").arg(closed.ttft).arg(played.ttft)));
            QVERIFY(std::abs(closed.itl / played.itl - 1) < 0.01);
        }
    }

    /// The largest rate has one value, whatever the spread of prompts: it hardly changes from one number of
    /// places to the next, across the one at which the line is deep, and is that of the played engine.
    void oneLargestRate_data() {
        QTest::addColumn<double>("cv");
        for (const double cv : {0.0, 0.5, 1.0, 2.0, 3.0, 4.0})
            QTest::addRow("prompts with a CV of %g", cv) << cv;
    }
    void oneLargestRate() {
        QFETCH(double, cv);
        RequestLoad load{.inputTokens = 4000, .inputCv = cv, .outputTokens = 100, .requestsPerSecond = 1};
        EngineLimits places = limits();
        const auto most = [&](double sequences) {
            places.maxSequences = sequences;
            return maximumRequestRate(load, places, attentiveStep);
        };
        double before = most(100);
        for (double sequences = 110; sequences <= 800; sequences += 10) { // 198 of them balance a chunk
            const double now = most(sequences);                           // on a lattice of 16 cells
            QVERIFY2(std::abs(now / before - 1) < 0.01,
                     qPrintable(QStringLiteral("%1: %2, %3").arg(sequences).arg(before).arg(now)));
            before = now;
        }
        // What attention costs goes with the mean square of the lengths, which a sample knows well up to a CV
        // of 2 and to some percent beyond.
        const double tolerance = cv > 2 ? 0.03 : 0.01, closed = most(380);
        RequestLoad full = load;
        full.concurrency = 450;
        double played = 0;
        constexpr unsigned runs = 6;
        for (unsigned seed = 1; seed <= runs; ++seed) {
            played += simulate(full, places, attentiveStep,
                               SimulationOptions{.seed = seed, .requests = 20000, .warmUp = 4000})
                          .state.requestsPerSecond /
                      runs;
        }
        QVERIFY2(std::abs(closed / played - 1) < tolerance,
                 qPrintable(QStringLiteral("%1, played %2").arg(closed).arg(played)));
    }

    /// Long lines of prompts that differ: the spread of the first token is that of their sum.
    void spreadOfDeepLines() {
        for (const double cv : {0.5, 1.0, 2.0}) {
            const RequestLoad load{
                .inputTokens = 4000, .inputCv = cv, .outputTokens = 100, .concurrency = 600};
            const ServingState closed = steadyState(load, limits(), step);
            const ServingState played =
                simulate(load, limits(), step, SimulationOptions{.seed = 1, .requests = 20000}).state;
            for (const auto each : {&Percentiles::p50, &Percentiles::p90, &Percentiles::p99}) {
                const double mine = closed.ttftPercentiles.*each, its = played.ttftPercentiles.*each;
                QVERIFY2(std::abs(mine / its - 1) < 0.05,
                         qPrintable(QStringLiteral("%1: %2, played %3").arg(cv).arg(mine).arg(its)));
            }
        }
    }

    /// Where steps are full and every place is taken, users only lengthen the queue.
    void moreUsersOnlyWait() {
        const auto at = [](double users) {
            return steadyState({.inputTokens = 2048, .outputTokens = 128, .concurrency = users}, limits(),
                               step);
        };
        const ServingState few = at(800), many = at(6000);
        QVERIFY(std::abs(few.requestsPerSecond / many.requestsPerSecond - 1) < 1e-9);
        QVERIFY(std::abs(few.itl / many.itl - 1) < 1e-9);
        QVERIFY(many.ttft > 5 * few.ttft);
    }
};

QTEST_GUILESS_MAIN(TestServingChunkBound)

} // namespace tst_serving_chunk_bound

#include "tst_serving_chunk_bound.moc"
