// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/simulation.h"
#include "model/serving/steady_state.h"
#include "model/serving/time_distribution.h"
#include "model/serving/validity.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tst_serving_small_laws {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-11) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// 0.02 s for prompts, 0.01 s for decodes.
double step(const StepWork& work) {
    return (work.prefillTokens > 0 ? 0.02 : 0) + (work.decodeSequences > 0 ? 0.01 : 0);
}

const EngineLimits roomy{
    .maxSequences = 64, .kvBytes = 1e9, .chunkTokens = 1000, .memory = {.bytesPerToken = 1}};

} // namespace

/// Limits of the closed form, times in bins, and played engines whose every step is known.
class TestServingSmallLaws : public QObject {
    Q_OBJECT

private slots:
    /// Each limit is met right below it and missed right above. One user of two replicas is half of the time
    /// on one: so are the shares of it.
    void limitsOfTheClosedForm() {
        using enum ClosedFormLimit;
        const RequestLoad open{.requestsPerSecond = 3};
        const ServingState easy{.utilization = 0.79, .queueWait = 0.029, .ttft = 1, .prefillShare = 0.41};
        QVERIFY(closedFormLimit(open, easy) == none);
        ServingState s = easy;
        s.utilization = 0.81;
        QVERIFY(closedFormLimit(open, s) == nearCapacity);
        s = easy;
        s.preemptionsPerRequest = 6e-4;
        QVERIFY(closedFormLimit(open, s) == fullCache);
        s.preemptionsPerRequest = 4e-4;
        QVERIFY(closedFormLimit(open, s) == none);
        s = easy;
        s.queueWait = 0.031;
        QVERIFY(closedFormLimit(open, s) == waitsForPlaces);
        s = easy;
        s.prefillShare = 0.43;
        QVERIFY(closedFormLimit(open, s) == mostlyPrefill);
        RequestLoad closed{.inputCv = 0.1, .concurrency = 4};
        QVERIFY(closedFormLimit(closed, easy) == equalAnswers);
        closed.outputCv = 0.1;
        QVERIFY(closedFormLimit(closed, easy) == none);
        QVERIFY(closedFormLimit({.requestsPerSecond = 3, .samples = 2}, easy) == arriveTogether);
        closed.concurrency = 0.5;
        s = easy;
        s.utilization = 0.39;
        s.prefillShare = 0.2;
        QVERIFY(closedFormLimit(closed, s) == none);
        s.utilization = 0.41;
        QVERIFY(closedFormLimit(closed, s) == nearCapacity);
        s.utilization = 0.39;
        s.prefillShare = 0.22;
        QVERIFY(closedFormLimit(closed, s) == mostlyPrefill);
        // Two samples of a question are together: one of them in the mean is half of the time, too.
        closed.concurrency = 1;
        closed.together = 2;
        s.prefillShare = 0.2;
        QVERIFY(closedFormLimit(closed, s) == none);
        s.utilization = 0.41;
        QVERIFY(closedFormLimit(closed, s) == nearCapacity);
    }

    /// The mean is exact, quantiles are within a bin.
    void timesInBins() {
        QCOMPARE(MeanTime().mean(), 0.0);
        QCOMPARE(TimeDistribution().mean(), 0.0);
        MeanTime mean;
        mean.add(2, 1);
        mean.add(5, 3);
        QCOMPARE(mean.mean(), 17 / 4.0);
        TimeDistribution d;
        d.add(2, 1);
        d.add(5, 3);
        QCOMPARE(d.mean(), 17 / 4.0);
        QVERIFY(near(d.quantile(0.2), 2, 0.02));
        QVERIFY(near(d.quantile(0.3), 5, 0.02));
        TimeDistribution other;
        other.add(9, 2);
        TimeDistribution sum = d;
        sum.add(other);
        QCOMPARE(sum.mean(), (17 + 18) / 6.0);
        d.blend(other, 0.25);
        QVERIFY(near(d.mean(), 0.75 * 17 / 4 + 0.25 * 9));
        QVERIFY(near(d.quantile(0.9), 9, 0.02));
        // Half of them later by an exponential time, 0.3 s in the mean over all, which is taken in eighths:
        // right in the middle of one, 0.5 + 0.5 x 3.5 / 8 of all.
        TimeDistribution sharp;
        sharp.add(1, 1);
        const TimeDistribution late = sharp.delayed(0.5, 0.3);
        QVERIFY(near(late.mean(), 1.3, 0.01));
        QVERIFY(near(late.quantile(0.25), 1, 0.02));
        QVERIFY(near(late.quantile(0.71875), 1 - 0.6 * std::log(1 - 3.5 / 8), 0.02));
    }

    /// A prefill pool whose steps take one prompt of 0.02 s each is a queue of constant service: at a load of
    /// a half a prompt waits 0.5 x 0.02 / (2 x 0.5) s in the mean (Pollaczek, Khinchine). Half of them do
    /// not.
    void openPrefillPool() {
        EngineLimits limits = roomy;
        limits.decodes = false;
        limits.chunkTokens = 100;
        limits.requestOverhead = 5;
        const RequestLoad load{.inputTokens = 100, .outputTokens = 1, .requestsPerSecond = 25};
        const ServingState s = steadyState(load, limits, step);
        QVERIFY(near(s.ttft - 5, 0.02 + 0.01, 0.03));
        QVERIFY(near(s.queueWait, 0.01, 0.09));
        QVERIFY(near(s.queued, 25 * s.queueWait));
        QVERIFY(near(s.inFlight, 0.5, 1e-3));
        QVERIFY(near(s.prefillShare, 0.5, 1e-6));
        QVERIFY(near(s.utilization, 0.5, 1e-6));
        QVERIFY(near(s.ttftPercentiles.p50 - 5, 0.02, 0.05));
        QVERIFY(s.ttftPercentiles.p99 > s.ttftPercentiles.p90);
    }

    /// A decode pool with room for all is a queue of as many servers: 20 steps of 0.01 s at 10 requests/s are
    /// 2 sequences, Poisson. A request joins in the middle of a step, if there is one.
    void openDecodePool() {
        EngineLimits limits = roomy;
        limits.prefills = false;
        const RequestLoad load{.inputTokens = 100, .outputTokens = 21, .requestsPerSecond = 10};
        const ServingState s = steadyState(load, limits, step);
        QVERIFY(near(s.batch, 2, 1e-3));
        QVERIFY(near(s.itl, 0.01, 1e-3));
        QVERIFY(near(s.queueWait, 0.005 * (1 - std::exp(-2)), 0.02));
        QVERIFY(near(s.e2e, s.ttft + 0.2, 1e-3));
        QVERIFY(near(s.itlPercentiles.p90, 0.01, 0.02));
        QVERIFY(s.queued < 1e-6);
        // Half of what comes, at a mean of 1: regular arrivals find a step under way more often.
        RequestLoad half = load;
        half.requestsPerSecond = 5;
        const double random = steadyState(half, limits, step).ttft;
        QVERIFY(near(random, 0.005 * (1 - std::exp(-1)), 0.02));
        half.arrivalCv = 0.2;
        QVERIFY(steadyState(half, limits, step).ttft > 1.05 * random);
    }

    /// So few requests that none finds another one: a step of 0.02 s and twenty of 0.01 s.
    void hardlyAnyLoad() {
        const RequestLoad load{.inputTokens = 100, .outputTokens = 21, .requestsPerSecond = 1e-3};
        const ServingState s = steadyState(load, roomy, step);
        QVERIFY(near(s.ttft, 0.02, 2e-3));
        QVERIFY(near(s.itl, 0.01, 2e-3));
        QVERIFY(near(s.e2e, 0.22, 2e-3));
        QVERIFY(near(s.batch, 2e-4, 2e-3));
        QVERIFY(near(s.prefillShare, 2e-5, 0.02));
        QVERIFY(s.queueWait < 1e-9);
        QVERIFY(near(s.ttftPercentiles.p50, 0.02, 0.02));
        QVERIFY(near(s.ttftPercentiles.p95, 0.02, 0.02));
        QVERIFY(near(s.itlPercentiles.p95, 0.01, 0.02));
    }

    /// With one place an engine is a queue of constant service, 0.22 s at 2 requests/s: the wait in line is
    /// 0.44 x 0.22 / (2 x 0.56) s (Pollaczek, Khinchine). Played, 20,000 requests have it to a few percent.
    void onePlace() {
        EngineLimits limits = roomy;
        limits.maxSequences = 1;
        const RequestLoad load{.inputTokens = 100, .outputTokens = 21, .requestsPerSecond = 2};
        const ServingState s = simulate(load, limits, step, {.requests = 20'000, .warmUp = 1000}).state;
        QVERIFY(near(s.queueWait, 0.44 * 0.22 / (2 * 0.56), 0.06));
        QVERIFY(near(s.batch, 2 * 0.2, 0.03));
        QVERIFY(near(s.e2e - s.ttft, 0.2, 1e-9));
        QVERIFY(near(s.ttft, s.queueWait + 0.02, 1e-6));
    }

    /// One user, prompts of 10 tokens and answers of 5: a step of 0.02 s and four of 0.01 s; with two tokens
    /// of each step, two.
    void oneUser() {
        RequestLoad load{.inputTokens = 10, .outputTokens = 5, .concurrency = 1};
        SimulationResult r = simulate(load, roomy, step, {.requests = 50, .warmUp = 5});
        QVERIFY(near(r.state.ttft, 0.02));
        QVERIFY(near(r.state.e2e, 0.06));
        QVERIFY(near(r.state.itl, 0.01));
        QVERIFY(near(r.state.tpot, 0.01));
        QVERIFY(near(r.state.requestsPerSecond, 1 / 0.06, 1e-9));
        QVERIFY(near(r.state.inFlight, 1, 1e-9));
        QCOMPARE(r.state.queueWait, 0.0);
        EngineLimits two = roomy;
        two.tokensPerStep = 2;
        r = simulate(load, two, step, {.requests = 50, .warmUp = 5});
        QVERIFY(near(r.state.e2e, 0.04));
        QVERIFY(near(r.state.itl, 0.005));
        load.outputTokens = 6; // the third step has one token left to make
        r = simulate(load, two, step, {.requests = 50, .warmUp = 5});
        QVERIFY(near(r.state.e2e, 0.05));
    }

    /// Answers of one token have no gaps.
    void noGaps() {
        EngineLimits prefill = roomy;
        prefill.decodes = false;
        const SimulationResult r =
            simulate(RequestLoad{.inputTokens = 10, .outputTokens = 5, .concurrency = 1}, prefill, step,
                     {.requests = 50, .warmUp = 5});
        QVERIFY(near(r.state.e2e, 0.02));
        QCOMPARE(r.state.itl, 0.0);
    }

    /// Of 1.5 users on an engine, half of the engines have one and half two. Two begin together: their
    /// prompts are one step.
    void usersThatDoNotDivide() {
        const RequestLoad load{.inputTokens = 10, .outputTokens = 5, .concurrency = 1.5};
        const SimulationResult r = simulate(load, roomy, step, {.requests = 60, .warmUp = 6});
        QVERIFY(near(r.state.e2e, 0.06, 1e-9));
        QVERIFY(near(r.state.inFlight, 1.5, 1e-9));
        QVERIFY(near(r.state.requestsPerSecond, 1.5 / 0.06, 1e-9));
    }
};

QTEST_APPLESS_MAIN(TestServingSmallLaws)

} // namespace tst_serving_small_laws

#include "tst_serving_small_laws.moc"
