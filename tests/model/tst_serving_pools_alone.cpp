// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/prompt_backlog.h"
#include "model/serving/steady_state.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tst_serving_pools_alone {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// 0.02 s for prompts, 0.01 s for decodes.
double step(const StepWork& work) {
    return (work.prefillTokens > 0 ? 0.02 : 0) + (work.decodeSequences > 0 ? 0.01 : 0);
}

EngineLimits decodePoolOf(double sequences, double tokensPerStep = 1) {
    EngineLimits limits{
        .maxSequences = sequences, .kvBytes = 1e9, .chunkTokens = 1000, .memory = {.bytesPerToken = 1}};
    limits.prefills = false;
    limits.tokensPerStep = tokensPerStep;
    return limits;
}

EngineLimits prefillPoolOf(double sequences, double chunk) {
    EngineLimits limits{
        .maxSequences = sequences, .kvBytes = 1e9, .chunkTokens = chunk, .memory = {.bytesPerToken = 1}};
    limits.decodes = false;
    return limits;
}

} // namespace

/// The closed form of engines that only prefill or only decode, in steps that always take the same.
class TestServingPoolsAlone : public QObject {
    Q_OBJECT

private slots:
    /// Four users whose answers are 20 steps of 0.01 s, or 10 where each gives two tokens.
    void closedDecodePool() {
        for (const double tokens : {1.0, 2.0}) {
            const RequestLoad load{.inputTokens = 100, .outputTokens = 21, .concurrency = 4};
            const ServingState s = steadyState(load, decodePoolOf(64, tokens), step);
            QVERIFY(s.stable);
            QVERIFY(near(s.itl, 0.01 / tokens, 1e-3));
            QVERIFY(near(s.tpot, 0.01 / tokens, 1e-3));
            QVERIFY(near(s.decodeStep, 0.01, 1e-3));
            QVERIFY(near(s.e2e - s.ttft, 0.2 / tokens, 1e-3));
            QVERIFY(near(s.requestsPerSecond * s.e2e, 4, 1e-2)); // Little's law
            QCOMPARE(s.prefillTime, 0.0);
            QCOMPARE(s.prefillShare, 0.0);
            QVERIFY(near(s.itlPercentiles.p50, 0.01 / tokens, 0.02));
            QVERIFY(near(s.itlPercentiles.p99, 0.01 / tokens, 0.02));
        }
    }

    /// Open, at 10 requests/s: 2 sequences, or one where a step gives two tokens of each.
    void openDecodePool() {
        for (const double tokens : {1.0, 2.0}) {
            const RequestLoad load{.inputTokens = 100, .outputTokens = 21, .requestsPerSecond = 10};
            const ServingState s = steadyState(load, decodePoolOf(64, tokens), step);
            QVERIFY(near(s.batch, 2 / tokens, 1e-3));
            QVERIFY(near(s.itl, 0.01 / tokens, 1e-3));
            QVERIFY(near(s.e2e - s.ttft, 0.2 / tokens, 1e-3));
            QVERIFY(near(s.utilization, 10 / (64 / (0.2 / tokens)), 1e-3));
            QVERIFY(near(s.itlPercentiles.p95, 0.01 / tokens, 0.02));
        }
    }

    void most_data() {
        QTest::addColumn<bool>("prefills");
        QTest::addColumn<double>("sequences");
        QTest::addColumn<double>("chunk");
        QTest::addColumn<double>("rate");
        QTest::newRow("decodes of 8 sequences") << false << 8.0 << 1000.0 << 8 / 0.2;
        QTest::newRow("decodes of 2 sequences") << false << 2.0 << 1000.0 << 2 / 0.2;
        QTest::newRow("ten prompts of a chunk") << true << 64.0 << 1000.0 << 10 / 0.02;
        QTest::newRow("a prompt of each of four sequences") << true << 4.0 << 1000.0 << 4 / 0.02;
        QTest::newRow("a prompt in two chunks") << true << 64.0 << 50.0 << 0.5 / 0.02;
    }
    /// The most that a pool can do is what all of its sequences, or a full chunk, give per step. With half as
    /// much again it is as full as it can be.
    void most() {
        QFETCH(bool, prefills);
        QFETCH(double, sequences);
        QFETCH(double, chunk);
        QFETCH(double, rate);
        const EngineLimits limits = prefills ? prefillPoolOf(sequences, chunk) : decodePoolOf(sequences);
        RequestLoad load{.inputTokens = 100, .outputTokens = 21, .requestsPerSecond = 1.5 * rate};
        if (prefills)
            load.outputTokens = 1;
        const ServingState s = steadyState(load, limits, step);
        QVERIFY(!s.stable);
        QVERIFY(near(s.requestsPerSecond, rate, 1e-6));
        QVERIFY(near(s.utilization, 1.5, 1e-6));
        QCOMPARE(s.ttft, std::numeric_limits<double>::infinity());
        QCOMPARE(s.queued, std::numeric_limits<double>::infinity());
        QCOMPARE(s.preemptionsPerRequest, 0.0);
        if (!prefills) {
            QVERIFY(near(s.batch, sequences, 0.01));
            QVERIFY(near(s.inFlight, sequences, 0.01));
            QVERIFY(near(s.decodeStep, 0.01, 1e-6));
            QCOMPARE(s.prefillShare, 0.0);
        } else {
            QVERIFY(near(s.prefillShare, 1, 0.01));
            QCOMPARE(s.batch, 0.0);
        }
        load.requestsPerSecond = 0.9 * rate;
        const ServingState below = steadyState(load, limits, step);
        QVERIFY(below.stable);
        QVERIFY(near(below.requestsPerSecond, 0.9 * rate));
        QVERIFY(near(below.utilization, 0.9, 1e-6));
    }

    /// Half a user is one user half of the time.
    void halfAUser() {
        RequestLoad load{.inputTokens = 100, .outputTokens = 21, .concurrency = 1};
        EngineLimits limits = decodePoolOf(64);
        limits.prefills = true;
        const ServingState one = steadyState(load, limits, step);
        load.concurrency = 0.5;
        const ServingState half = steadyState(load, limits, step);
        QVERIFY(near(one.requestsPerSecond, 1 / 0.22, 5e-3));
        QVERIFY(near(half.requestsPerSecond, 0.5 * one.requestsPerSecond));
        QVERIFY(near(half.batch, 0.5 * one.batch));
        QVERIFY(near(half.inFlight, 0.5 * one.inFlight));
        QVERIFY(near(half.queued, 0.5 * one.queued));
        QVERIFY(near(half.prefillShare, 0.5 * one.prefillShare));
        QVERIFY(near(half.utilization, 0.5 * one.utilization));
        QVERIFY(near(half.ttft, 0.02, 0.03));
        QVERIFY(near(half.e2e, 0.22, 5e-3));
        QVERIFY(near(half.prefillTime, 0.02, 1e-6));
    }

    /// One user whose steps give two tokens each: ten steps of 0.01 s behind the prompt's 0.02 s.
    void twoTokensOfEachStep() {
        EngineLimits limits = decodePoolOf(64, 2);
        limits.prefills = true;
        const RequestLoad closed{.inputTokens = 100, .outputTokens = 21, .concurrency = 1};
        const RequestLoad open{.inputTokens = 100, .outputTokens = 21, .requestsPerSecond = 1e-3};
        for (const RequestLoad& load : {closed, open}) {
            const ServingState s = steadyState(load, limits, step);
            QVERIFY(near(s.itl, 0.005, 5e-3));
            QVERIFY(near(s.tpot, 0.005, 5e-3));
            QVERIFY(near(s.e2e, 0.12, 0.01));
            QVERIFY(near(s.e2e - s.ttft, 0.1, 5e-3));
            QVERIFY(near(s.batch, 0.1 * s.requestsPerSecond, 5e-3));
            QVERIFY(near(s.itlPercentiles.p50, 0.005, 0.02));
        }
    }

    /// One user meets no step of others when the overhead is over.
    void overheadOfOneUser() {
        EngineLimits limits = decodePoolOf(64);
        limits.prefills = true;
        limits.requestOverhead = 0.003;
        const ServingState s =
            steadyState(RequestLoad{.inputTokens = 100, .outputTokens = 21, .concurrency = 1}, limits, step);
        QVERIFY(near(s.ttft, 0.023, 0.05));
    }

    /// Hardly any requests: a step that decodes has one sequence.
    void oneSequenceAtLeast() {
        EngineLimits limits = decodePoolOf(64);
        limits.prefills = true;
        const ServingState s = steadyState(
            RequestLoad{.inputTokens = 100, .outputTokens = 21, .requestsPerSecond = 1e-3}, limits,
            [](const StepWork& work) { return 2e-4 * work.prefillTokens + 0.01 * work.decodeSequences; });
        QVERIFY(near(s.decodeStep, 0.01, 1e-3));
        QVERIFY(near(s.itl, 0.01, 5e-3));
    }

    /// Prefill goes first, and answers have a single gap. Prompts of 2 s, 0.0555 a second: while one is
    /// computed others come with 1 - e^-0.111 = 10.5 %, so that p90 just sees them. In the mean they take
    /// 0.111 / (1 - 0.111) of the 2 s, 0.25 s; if any come, 2.38 s.
    void gapBehindOtherPrompts() {
        EngineLimits limits = decodePoolOf(64);
        limits.prefills = true;
        limits.mixed = false;
        const ServingState s =
            steadyState(RequestLoad{.inputTokens = 100, .outputTokens = 2, .requestsPerSecond = 0.0555},
                        limits, [](const StepWork& work) {
                            return 0.02 * work.prefillTokens + (work.decodeSequences > 0 ? 0.01 : 0);
                        });
        QVERIFY(near(s.itlPercentiles.p50, 0.01, 0.02));
        QVERIFY(near(s.itlPercentiles.p90, 2.39, 0.15));
        QVERIFY(near(s.itl, 0.26, 0.15));
    }

    /// Prompts of 250 tokens in chunks of 100, hardly any of them: steps while 250, 150 and 50 tokens wait.
    /// Each takes 0.01 s of those. Half a step of 1 s is under way when a request comes.
    void stepsWhileTokensWait() {
        MeanBacklog b({.prompt = 250, .chunk = 100, .rate = 1e-7, .span = 1600});
        MeanBacklog::Lattice seconds{};
        seconds.fill(1);
        b.solve(seconds, {}, 0);
        const TimeDistribution times =
            b.timesToFirstToken([](double, double waiting) { return 0.01 * waiting; });
        QVERIFY(near(times.mean(), 0.5 + 4.5, 1e-4));
    }

    /// More of them: those who come while a prompt is computed ride in its last step, which then is longer.
    /// Both ways to the mean see it.
    void thoseWhoComeMeanwhile() {
        MeanBacklog b({.prompt = 225, .chunk = 100, .rate = 0.05, .span = 1600});
        MeanBacklog::Lattice seconds{};
        for (int cell = 0; cell < MeanBacklog::cells; ++cell)
            seconds[static_cast<std::size_t>(cell)] = 1 + 0.01 * b.stepTokens(cell);
        b.solve(seconds, {}, 0);
        const TimeDistribution times =
            b.timesToFirstToken([](double tokens, double) { return 1 + 0.01 * tokens; });
        QVERIFY(near(times.mean(), b.firstToken(1).seconds, 5e-3));
    }

    /// In a closed loop nobody comes during a pause.
    void pauseOfAClosedLoop() {
        MeanBacklog b({.prompt = 100, .chunk = 500, .span = 1600, .others = 0.75, .alone = 1});
        MeanBacklog::Lattice seconds{}, completions{};
        seconds.fill(1);
        completions[0] = 0.8;
        b.solve(seconds, completions, 0.1);
        QVERIFY(near(b.pause().arrivals, 0.6));
        QCOMPARE(b.pause().further, 0.0);
    }
};

QTEST_APPLESS_MAIN(TestServingPoolsAlone)

} // namespace tst_serving_pools_alone

#include "tst_serving_pools_alone.moc"
