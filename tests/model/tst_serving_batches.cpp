// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/batch_distribution.h"
#include "model/serving/steady_state.h"
#include "model/serving/time_distribution.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tst_serving_batches {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

double always10ms(double) { return 0.01; }

/// Prompts of 4000 tokens and 20 decode steps at a context of 500.
const LoadMeans means{.prompt = 4000, .decodeSteps = 20, .decodeContext = 500, .maxBatch = 64};
const EngineLimits limits{.chunkTokens = 8000};

/// Two places at a load of a half: batches of 0, 1 and 2 have weights of 1, 1 and 1/2, and the line has as
/// much as the full engine, so that each batch has a third of the time.
BatchDistribution thirds(double variability = 1, const ClosedFormConstants& constants = {}) {
    return {100, always10ms, 2, 0.5, 1, variability, constants};
}

} // namespace

/// Numbers of decoding sequences against the laws of queues, and step times read between a few points.
class TestServingBatches : public QObject {
    Q_OBJECT

private slots:
    /// Steps that take the same however many decode: infinitely many servers, a Poisson number.
    void roomForAll() {
        const BatchDistribution d(200, always10ms, 64, 0.1, 1, 1);
        QVERIFY(near(d.mean(), 2));
        QVERIFY(near(d.variance(), 2));
        QVERIFY(near(d.empty(), std::exp(-2)));
        QVERIFY(near(d.share(1), 2 * std::exp(-2)));
        QVERIFY(near(d.share(4), 16 / 24.0 * std::exp(-2)));
        QCOMPARE(d.batch(4), 4.0);
        QCOMPARE(d.waiting(), 0.0);
        QCOMPARE(d.inLine(), 0.0);
    }

    /// Steps that grow with the batch: one server at a load of a half, a geometric number. Batches end with
    /// the first one below e^-30: 2^-44.
    void stepsThatGrow() {
        const BatchDistribution d(50, [](double n) { return 0.01 * n; }, 64, 0.5, 1, 1);
        QCOMPARE(d.size(), std::size_t(45));
        QCOMPARE(d.batch(44), 44.0);
        QVERIFY(near(d.empty(), 0.5));
        QVERIFY(near(d.share(3), 1 / 16.0));
        QVERIFY(near(d.mean(), 1));
        QVERIFY(near(d.variance(), 2));
    }

    /// Two servers at a load of a half (Erlang C): a third of the requests wait, and a third of one is in
    /// line.
    void twoPlaces() {
        const ClosedFormConstants plain{.shorterLine = 0}, strong{.shorterLine = 1};
        const BatchDistribution d = thirds(1, plain);
        QCOMPARE(d.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(d.batch(i), static_cast<double>(i));
            QVERIFY(near(d.share(i), 1 / 3.0));
        }
        QVERIFY(near(d.mean(), 1));
        QVERIFY(near(d.variance(), 2 / 3.0));
        QVERIFY(near(d.waiting(), 1 / 3.0));
        QVERIFY(near(d.inLine(), 1 / 3.0));
        // A slack of 0.5 x root of 2.
        const double slack = std::sqrt(0.5);
        QVERIFY(near(thirds(1, strong).inLine(), 1 / 3.0 / (1 + slack)));
        QVERIFY(near(thirds(0.25, plain).inLine(), std::pow(0.25, 1 / (1 + slack)) / 3));
        QVERIFY(near(thirds(0.25, plain).waiting(), 1 / 3.0));
    }

    /// Erlang C: with a load of 0.92 on 100 or 128 places the share of requests that wait. The numbers are
    /// grouped by three, which leaves a last group narrower than the others.
    void groupedPlaces_data() {
        QTest::addColumn<int>("places");
        for (const int places : {98, 99, 100, 101, 127, 128})
            QTest::addRow("%d", places) << places;
    }
    void groupedPlaces() {
        QFETCH(const int, places);
        const double load = 0.92, offered = load * places;
        double blocked = 1; // Erlang B by its recursion
        for (int n = 1; n <= places; ++n)
            blocked = offered * blocked / (n + offered * blocked);
        const double wait = blocked / (1 - load * (1 - blocked));
        const BatchDistribution d(offered / always10ms(1), always10ms, places, load, 1, 1);
        QVERIFY2(near(d.waiting(), wait, 0.04), qPrintable(QString::number(d.waiting() / wait)));
    }

    /// More than the engine can do: it is full all the time.
    void overfull() {
        const BatchDistribution d(1000, always10ms, 2, 1.5, 1, 1);
        QVERIFY(near(d.mean(), 2, 1e-5));
        QVERIFY(near(d.waiting(), 1, 1e-5));
        QVERIFY(std::isfinite(d.inLine()));
        QVERIFY(d.inLine() > 1e5);
    }

    /// Around a mean of 100 every third number stands for three. Arrivals more or less even than Poisson ones
    /// have their part of its variance.
    void manyAtOnce() {
        const BatchDistribution d(10'000, always10ms, 1000, 0.1, 1, 1);
        QCOMPARE(d.batch(0), 0.0);
        QCOMPARE(d.batch(1), 3.0);
        QCOMPARE(d.batch(30), 90.0);
        QVERIFY(near(d.mean(), 100, 2e-3));
        QVERIFY(near(d.variance(), 100, 0.01));
        const BatchDistribution uneven(10'000, always10ms, 1000, 0.1, 2, 1);
        QVERIFY(near(uneven.mean(), 100, 0.01));
        QVERIFY(near(uneven.variance(), 200, 0.02));
        const BatchDistribution even(1600, always10ms, 1000, 0.1, 0.25, 1);
        QVERIFY(near(even.mean(), 16, 5e-3));
        QVERIFY(near(even.variance(), 4, 0.03));
    }

    /// A number is whole even under a metronome: 1.3 in the mean are one or two.
    void wholeNumbers() {
        const BatchDistribution d(130, always10ms, 64, 0.1, 0, 1);
        QVERIFY(d.share(1) + d.share(2) > 0.99);
        QVERIFY(near(d.mean(), 1.3, 0.06));
        QVERIFY(near(d.variance(), 0.3 * 0.7, 0.1));
    }

    /// The tokens of a batch are its share x its size / its step. Of a Poisson number of 2, n sequences make
    /// the part p(n - 1) of all 200/s: those up to 5 have more than an 18th each, all others together,
    /// 5.27 %, do not; their mean is (2 P(m >= 4) + P(m >= 5)) / P(m >= 5), m = n - 1.
    void batchesInGroups() {
        const StepTable table(means, limits, [](const StepWork&) { return 0.01; }, 64);
        const BatchGroups few(thirds(), table);
        QCOMPARE(few.size, std::size_t(2));
        QCOMPARE(few.batch[0], 1.0);
        QCOMPARE(few.batch[1], 2.0);
        QVERIFY(near(few.share[0], 100 / 3.0));
        QVERIFY(near(few.share[1], 200 / 3.0));
        const BatchGroups groups(BatchDistribution(200, always10ms, 64, 0.1, 1, 1), table);
        QCOMPARE(groups.size, std::size_t(6));
        const double none = std::exp(-2), first4 = none * (1 + 2 + 2 + 4 / 3.0),
                     first5 = first4 + none * 2 / 3;
        QVERIFY(near(groups.share[0], 200 * none));
        QVERIFY(near(groups.batch[4], 5));
        QVERIFY(near(groups.share[5], 200 * (1 - first5), 1e-7));
        QVERIFY(near(groups.batch[5], (2 * (1 - first4) + 1 - first5) / (1 - first5), 1e-7));
    }

    /// Steps of 0.02 and 0.03 s that make one and two tokens: 1/3 / 0.02 and 2/3 / 0.03 tokens/s, which see
    /// 1 s of steps.
    void stepAsTokensSeeIt() {
        const StepTable table(
            means, limits, [](const StepWork& work) { return 0.01 + 0.01 * work.decodeSequences; }, 64);
        QVERIFY(near(stepOfTokens(thirds(), table), 1 / (50 / 3.0 + 200 / 9.0)));
    }

    /// A table of a step that is linear in all it does gives it back, beyond its ends, too.
    void linearSteps() {
        const auto step = [](const StepWork& work) {
            return 0.004 + 0.001 * work.decodeSequences + 1e-6 * work.decodeSequences * work.decodeContext +
                   1e-5 * work.prefillTokens;
        };
        StepTable table(means, limits, step, 64);
        table.mixAt(means, step, 4);
        for (const double batch : {1.0, 7.0, 64.0, 100.0}) {
            QVERIFY(near(table.decode(batch), 0.004 + 0.0015 * batch));
            for (const double tokens : {10.0, 1000.0, 3000.0, 9000.0})
                QVERIFY(near(table.mixed(batch, tokens), 0.004 + 0.0015 * batch + 1e-5 * tokens));
        }
        for (const double tokens : {1.0, 10.0, 999.0, 1000.0, 3000.0, 9000.0}) {
            QVERIFY(near(table.prefill(tokens), 0.004 + 1e-5 * tokens));
            QVERIFY(near(table.mixed(0.4, tokens), 0.004 + 1e-5 * tokens));
        }
        QVERIFY(near(table.mixed(0.5, 1000), 0.00475 + 0.01));
        QVERIFY(near(table.perContextToken(), 1e-6));
    }

    /// The corner from memory bound to compute bound, at 10, is found between the points at 9.66 and 14.1. A
    /// bend downwards is not: there the points are joined by a line.
    void corners() {
        const StepTable up(
            means, limits, [](const StepWork& work) { return std::max(0.01, 0.001 * work.decodeSequences); },
            64);
        for (const double batch : {2.0, 9.8, 10.0, 10.5, 14.0, 30.0})
            QVERIFY(near(up.decode(batch), std::max(0.01, 0.001 * batch)));
        const StepTable down(
            means, limits, [](const StepWork& work) { return std::min(0.01, 0.001 * work.decodeSequences); },
            64);
        const double low = std::pow(64, 6 / 11.0), high = std::pow(64, 7 / 11.0);
        QVERIFY(near(down.decode(10), 0.001 * low + (0.01 - 0.001 * low) * (10 - low) / (high - low)));
    }

    /// The first point of prefill is a quarter of the prompt, 1000 tokens. Below it a step is no shorter than
    /// one of a single token, and no longer than on the line from there.
    void fewTokens() {
        const StepTable flat(
            means, limits, [](const StepWork& work) { return std::max(0.02, 1e-5 * work.prefillTokens); },
            64);
        QVERIFY(near(flat.prefill(500), 0.02));
        const StepTable early(
            means, limits,
            [](const StepWork& work) { return 0.001 + 1e-4 * std::min(100.0, work.prefillTokens); }, 64);
        QVERIFY(near(early.prefill(1), 0.0011));
        QVERIFY(near(early.prefill(500.5), (0.0011 + 0.011) / 2));
        QVERIFY(near(early.prefill(1000), 0.011));
        // Short chunks: from a quarter of 400 tokens.
        const StepTable chunks(
            means, {.chunkTokens = 400},
            [](const StepWork& work) { return 0.001 + 1e-4 * std::min(100.0, work.prefillTokens); }, 64);
        QVERIFY(near(chunks.prefill(50.5), (0.0011 + 0.011) / 2));
        QVERIFY(near(chunks.prefill(400), 0.011));
    }

    /// A prompt token that costs a tenth more per decode beside it: between the two batches that were
    /// measured, and as at the nearer one beyond them.
    void mixedSteps() {
        const auto step = [](const StepWork& work) {
            return 0.004 + 1e-5 * work.prefillTokens * (1 + work.decodeSequences / 10);
        };
        StepTable one(means, limits, step, 64);
        one.mixAt(means, step, 8);
        QVERIFY(near(one.mixed(2, 2000), 0.004 + 0.036));
        for (const bool rising : {true, false}) {
            StepTable table(means, limits, step, 64);
            table.mixAt(means, step, rising ? 4 : 16);
            table.mixAt(means, step, rising ? 16 : 4);
            QVERIFY(near(table.mixed(2, 2000), 0.004 + 0.028));
            QVERIFY(near(table.mixed(4, 2000), 0.004 + 0.028));
            QVERIFY(near(table.mixed(7, 2000), 0.004 + 0.034));
            QVERIFY(near(table.mixed(10, 2000), 0.004 + 0.040));
            QVERIFY(near(table.mixed(32, 2000), 0.004 + 0.052));
        }
    }

    /// Prompts of 4000 tokens take 0.0375 s more than those of 250: at 10/s 0.625 of the time is left for 200
    /// steps of 0.01 s. At least 0.05 is left.
    void batchToExpect() {
        const auto step = [](const StepWork& work) {
            return work.prefillTokens > 0 ? 0.004 + 1e-5 * work.prefillTokens : 0.01;
        };
        const StepTable table(means, limits, step, 64);
        QVERIFY(near(expectedBatch({.requestsPerSecond = 10}, means, table), 2 / 0.625));
        LoadMeans roomy = means;
        roomy.maxBatch = 1000;
        QVERIFY(near(expectedBatch({.requestsPerSecond = 100}, roomy, table), 20 / 0.05));
        QCOMPARE(expectedBatch({.requestsPerSecond = 100}, means, table), 64.0);
        QCOMPARE(expectedBatch({.concurrency = 7}, means, table), 7.0);
        QCOMPARE(expectedBatch({.concurrency = 70}, means, table), 64.0);
    }

    /// 64 bins per factor of two: 1.9 s lies in the one from 1 + 57/64 s, 3 s in the one from 3 to 3 + 1/32.
    void binsOfTimes() {
        const auto quantile = [](double seconds, double q) {
            TimeDistribution d;
            d.add(seconds, 4);
            return d.quantile(q);
        };
        QCOMPARE(quantile(1, 0), 1.0);
        QCOMPARE(quantile(1, 1), 1 + 1 / 64.0);
        QCOMPARE(quantile(1.9, 0.5), 1 + 57.5 / 64);
        QCOMPARE(quantile(3, 0.25), 3 + 0.25 / 32);
        // Beyond 2^-17 and 2^17 s: the outermost bins.
        QCOMPARE(quantile(1e-9, 0), std::ldexp(1, -17));
        QCOMPARE(quantile(1e-9, 1), std::ldexp(65 / 64.0, -17));
        QCOMPARE(quantile(1e9, 1), std::ldexp(1, 17));
        QCOMPARE(TimeDistribution().quantile(0.5), 0.0);
        TimeDistribution nothing;
        nothing.add(1, 0);
        nothing.add(1, -1);
        QCOMPARE(nothing.mean(), 0.0);
        QCOMPARE(nothing.quantile(0.5), 0.0);
    }

    /// Two equal halves at 1 and 2 s; a blend of nothing, or with nothing, is none.
    void blends() {
        TimeDistribution d, other;
        d.add(1, 3);
        other.add(2, 8);
        TimeDistribution same = d;
        same.blend(other, 0);
        QCOMPARE(same.mean(), 1.0);
        same.blend(TimeDistribution(), 0.5);
        QCOMPARE(same.mean(), 1.0);
        d.blend(other, 0.5);
        QCOMPARE(d.mean(), 1.5);
        QCOMPARE(d.quantile(0.25), 1 + 0.5 / 64);
        QCOMPARE(d.quantile(0.75), 2 + 0.5 / 32);
        d.add(4, 1); // both count as one before
        QVERIFY(near(d.mean(), 5.5 / 2));
    }

    /// Delays are the middles of eighths of an exponential distribution. Their logarithms have a mean of
    /// ln(1 x 3 x 5 x ... x 15 / 16^8) / 8 = -0.957325. They start in the middle of a bin.
    void delays() {
        TimeDistribution sharp;
        sharp.add(1, 5);
        QVERIFY(near(sharp.delayed(0.5, 0.3).mean(), 1 + 1 / 128.0 + 0.3 * 0.957325, 1e-6));
        QVERIFY(near(sharp.delayed(2e-4, 0.3).mean(), 1 + 1 / 128.0 + 0.3 * 0.957325, 1e-6));
        QCOMPARE(sharp.delayed(0.9e-4, 0.3).mean(), 1.0);
        QCOMPARE(sharp.delayed(0.5, 0).mean(), 1.0);
        // Half of them stay where they are; the first delayed ones are 0.6 s x ln(16/15) later.
        QCOMPARE(sharp.delayed(0.5, 0.3).quantile(0.5), 1 + 1 / 64.0);
        QVERIFY(
            near(sharp.delayed(0.5, 0.3).quantile(0.53), 1 + 1 / 128.0 + 0.6 * std::log(16 / 15.0), 0.01));
    }

    /// What an overloaded engine completes is known; its latencies have no end.
    void overloadedStates() {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const ServingState s = overloadedState({.requestsPerSecond = 6}, 4);
        QVERIFY(!s.stable);
        QCOMPARE(s.requestsPerSecond, 4.0);
        QCOMPARE(s.utilization, 1.5);
        for (const double time : {s.queueWait, s.ttft, s.e2e, s.queued, s.prefillTime, s.itl, s.tpot})
            QCOMPARE(time, infinity);
        for (const Percentiles& p : {s.ttftPercentiles, s.itlPercentiles})
            for (const double time : {p.p50, p.p90, p.p95, p.p99})
                QCOMPARE(time, infinity);
        QCOMPARE(overloadedState({.requestsPerSecond = 6}, 0).utilization, infinity);
    }
};

QTEST_APPLESS_MAIN(TestServingBatches)

} // namespace tst_serving_batches

#include "tst_serving_batches.moc"
