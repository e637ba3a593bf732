// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/normal.h"
#include "model/serving/chunk_bound.h"
#include "model/serving/simulation.h"
#include "model/serving/steady_state.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_closed_loop {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// 2 s, 0.5 s of each decoding sequence, 0.01 s of a token of prefill.
double linearStep(const StepWork& w) { return 2 + 0.5 * w.decodeSequences + 0.01 * w.prefillTokens; }

/// The closed form in milliseconds.
ServingState state(const RequestLoad& load, const EngineLimits& limits) {
    return steadyState(load, limits, linearStep);
}
/// The same engine played.
ServingState played(const RequestLoad& load, const EngineLimits& limits) {
    return simulate(load, limits, linearStep, {.seed = 1, .requests = 200, .warmUp = 40}).state;
}

} // namespace

/// Users that ask again at once: equal requests that began together stay together, so that every step of a
/// round is known.
class TestClosedLoop : public QObject {
    Q_OBJECT

private slots:
    /// Prefill first: five prompts of 100 tokens, two in a step of 4 s, the fifth in one of 3 s, then 20
    /// steps of 4.5 s: a round of 101 s. The first tokens come after 4, 8 and 11 s.
    void waveOfPrompts() {
        const RequestLoad load{.inputTokens = 100, .outputTokens = 21, .concurrency = 5};
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 200, .mixed = false};
        const ServingState s = state(load, limits);
        QVERIFY(near(s.requestsPerSecond, 5 / 101.0));
        QVERIFY(near(s.ttft, (2 * 4 + 2 * 8 + 11) / 5.0));
        QVERIFY(near(s.e2e, 101));
        QVERIFY(near(s.itl, 94 / 20.0));
        QVERIFY(near(s.tpot, s.itl));
        QVERIFY(near(s.batch, 5 * 94 / 101.0));
        QVERIFY(near(s.decodeStep, 4.5));
        QVERIFY(near(s.prefillShare, 1 - 90 / 101.0));
        QVERIFY(near(s.prefillTime, 3));
        QCOMPARE(s.inFlight, 5.0);
        QVERIFY(near(s.ttftPercentiles.p50, 8, 0.02));
        QVERIFY(near(s.ttftPercentiles.p90, 11, 0.02));
        // One gap in 20 waits for the prompts of the others, 4 s on average.
        QVERIFY(near(s.itlPercentiles.p90, 4.5, 0.02));
        QVERIFY(near(s.itlPercentiles.p99, 8.5, 0.02));
        const ServingState p = played(load, limits);
        QVERIFY(near(p.e2e, 101, 1e-6));
        QVERIFY(near(p.ttft, 7, 1e-6));
        QVERIFY(near(p.requestsPerSecond, 5 / 101.0, 1e-6));
    }

    /// Three of them have a place: a round of 7 + 20 x 3.5 s. Two wait in line.
    void placesForSome() {
        const RequestLoad load{.inputTokens = 100, .outputTokens = 21, .concurrency = 5};
        EngineLimits limits{.maxSequences = 3, .kvBytes = 1e9, .chunkTokens = 200, .mixed = false};
        ServingState s = state(load, limits);
        QVERIFY(near(s.requestsPerSecond, 3 / 77.0));
        QVERIFY(near(s.queued, 2));
        QVERIFY(near(s.queueWait, 2 * 77 / 3.0));
        QVERIFY(near(s.ttft, 2 * 77 / 3.0 + 5));
        QVERIFY(near(s.itl, 72 / 20.0));
        QVERIFY(near(s.ttftPercentiles.p99, 2 * 77 / 3.0 + 7, 0.02));
        QCOMPARE(s.inFlight, 3.0);
        QCOMPARE(s.preemptionsPerRequest, 0.0);
        // For want of memory: what the answer adds to the prompt is taken from another request.
        limits.maxSequences = 64;
        limits.memory.bytesPerToken = 1;
        limits.kvBytes = 3.5 * 110.5;
        s = state(load, limits);
        QVERIFY(near(s.inFlight, 3.5 - 100 / 110.5 / 2));
        QVERIFY(near(s.queued, 5 - s.inFlight));
        QVERIFY(near(s.preemptionsPerRequest, 0.21));
    }

    /// Different prompts in one step: 4 of 100 tokens, their sum in three points of a normal distribution,
    /// with deviations of 0.4 / 2; of a half at most.
    void waveOfDifferentPrompts() {
        RequestLoad load{.inputTokens = 100, .inputCv = 0.4, .outputTokens = 21, .concurrency = 4};
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 1e5, .mixed = false};
        ServingState s = state(load, limits);
        QVERIFY(near(s.requestsPerSecond, 4 / 86.0));
        QVERIFY(near(s.ttft, 6));
        QVERIFY(near(s.ttftPercentiles.p50, 6, 0.02));
        QVERIFY(near(s.ttftPercentiles.p90, 6 + 4 * std::sqrt(3) * 0.2, 0.02));
        load.inputCv = 2;
        s = state(load, limits);
        QVERIFY(near(s.ttft, 6));
        QVERIFY(near(s.ttftPercentiles.p90, 6 + 4 * std::sqrt(3) * 0.5, 0.02));
    }

    /// The same alongside decodes: all prompts are one step, of different ones as of equal ones.
    void promptsInOneStep() {
        const RequestLoad load{.inputTokens = 100, .inputCv = 0.3, .outputTokens = 21, .concurrency = 4};
        const ServingState s = state(load, {.kvBytes = 1e9, .chunkTokens = 5000});
        QVERIFY(near(s.requestsPerSecond, 4 / 86.0));
        QVERIFY(near(s.ttft, 6));
        QVERIFY(near(s.itlPercentiles.p99, 4, 0.02));
    }

    /// Mixed steps with room for one prompt alongside 3 decodes, 4.5 s: four of the 11 steps of a round have
    /// one. A request sees those of the three others.
    void promptsOneByOne() {
        const RequestLoad load{.inputTokens = 100, .outputTokens = 11, .concurrency = 4};
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 104};
        const ServingState s = state(load, limits);
        QVERIFY(near(s.requestsPerSecond, 4 / (4 * 4.5 + 7 * 4)));
        QVERIFY(near(s.ttft, 4.5));
        QVERIFY(near(s.itl, (3 * 4.5 + 7 * 4) / 10));
        QVERIFY(near(s.itlPercentiles.p50, 4, 0.02));
        QVERIFY(near(s.itlPercentiles.p90, 4.5, 0.02));
    }

    /// Five prompts of 40 tokens, two in a step alongside 3 decodes, one alongside 4: 4.3, 4.3 and 4.4 s, and
    /// 8 decodes of 4.5 s.
    void promptsTwoByTwo() {
        const RequestLoad load{.inputTokens = 40, .outputTokens = 11, .concurrency = 5};
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 104};
        const ServingState s = state(load, limits);
        QVERIFY(near(s.requestsPerSecond, 5 / 49.0));
        QVERIFY(near(s.ttft, (4 * 4.3 + 4.4) / 5));
        QVERIFY(near(s.e2e, 49));
        const ServingState p = played(load, limits);
        QVERIFY(near(p.e2e, 49, 1e-6));
        QVERIFY(near(p.ttft, s.ttft, 1e-6));
    }

    /// Prompts of two and a half chunks: the halves of two share a step, so that four prompts are ten steps
    /// of 4.5 s, of which a prompt takes three. A round has 23 steps.
    void longPrompts() {
        const RequestLoad load{.inputTokens = 250, .outputTokens = 21, .concurrency = 4};
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 104};
        const ServingState s = state(load, limits);
        QVERIFY(near(s.requestsPerSecond, 4 / (10 * 4.5 + 13 * 4)));
        QVERIFY(near(s.ttft, 3 * 4.5));
        QVERIFY(near(s.itl, (7 * 4.5 + 13 * 4) / 20));
        QVERIFY(near(s.itlPercentiles.p50, 4, 0.02));
        QVERIFY(near(s.itlPercentiles.p90, 4.5, 0.02));
    }

    /// Prompts of 230 tokens, 0.05 s each: the last 30 of three share a step of 8 s after two full ones of
    /// 8.5 s each; the fourth has a last step of 5 s. A request sees 7 of the 10 in its 54 gaps, eight of ten
    /// are full: 10.4 %.
    void threeTogetherAndOne() {
        const auto step = [](const StepWork& w) {
            return 2 + 0.5 * w.decodeSequences + 0.05 * w.prefillTokens;
        };
        const RequestLoad load{.inputTokens = 230, .outputTokens = 55, .concurrency = 4};
        const ServingState s = steadyState(load, {.kvBytes = 1e9, .chunkTokens = 104}, step);
        QVERIFY(near(s.ttft, (2 * 25.5 + 25 + 22) / 4));
        QVERIFY(near(s.requestsPerSecond, 4 / (8 * 8.5 + 8 + 5 + 47 * 4)));
        QVERIFY(near(s.itlPercentiles.p90, 8.5, 0.02));
    }

    /// Little's law of all kinds of loops, whose requests differ.
    void littlesLaw() {
        for (const bool mixed : {true, false}) {
            for (const double users : {1.0, 3.0, 12.0}) {
                const RequestLoad load{.inputTokens = 300,
                                       .inputCv = 0.7,
                                       .outputTokens = 61,
                                       .outputCv = 0.5,
                                       .concurrency = users};
                const EngineLimits limits{
                    .maxSequences = 8, .kvBytes = 1e9, .chunkTokens = 1000, .mixed = mixed};
                const ServingState s = state(load, limits);
                QVERIFY(near(s.requestsPerSecond * s.e2e, users));
                QVERIFY(near(s.queued, users - s.inFlight));
                QVERIFY(near(s.queued, s.requestsPerSecond * s.queueWait));
                QVERIFY(near(s.batch, s.requestsPerSecond * 60 * s.itl));
                QVERIFY(near(s.e2e, s.ttft + 60 * s.itl));
            }
        }
    }

    /// What passes before the queue ends in some step: a whole number of gaps.
    void overheads() {
        const RequestLoad load{.inputTokens = 300, .outputTokens = 61, .concurrency = 4};
        EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 1000, .requestOverhead = 5};
        const ServingState s = state(load, limits);
        const double round = s.inFlight / s.requestsPerSecond, gap = round / 60;
        QVERIFY(near(s.e2e - round, std::ceil(5 / gap) * gap));
        // Those that are there are not in the overhead.
        QVERIFY(near(s.inFlight, 4 - s.requestsPerSecond * 5, 0.01));
        QVERIFY(near(s.queued, 0, 1e-9));
        RequestLoad one = load;
        one.concurrency = 1; // 5 s, a prompt of 5 s, 60 steps of 2.5 s
        QVERIFY(near(state(one, limits).e2e, 5 + 5 + 150, 0.01));
        QVERIFY(near(state(one, limits).requestsPerSecond, 1 / 160.0, 0.01));
    }

    /// A loop whose prompts fill every step: half as many users again as decode alongside them, or more.
    void boundByChunks() {
        RequestLoad load{.inputTokens = 400, .outputTokens = 11, .concurrency = 60};
        EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 410};
        LoadMeans means = loadMeans(load, limits);
        const StepTable table = measureSteps(load, limits, means, linearStep);
        const LoadedEngine e{load, limits, means, table};
        QVERIFY(near(e.balancedBatch(), 10)); // and a prompt, of 410 tokens
        QVERIFY(isChunkBound(e, 15.1) && !isChunkBound(e, 14.9));
        // Ten decodes and a prompt, 11 s, end one request.
        QVERIFY(near(chunkBoundRate(e), 1 / 11.0));
        const ServingState s = state(load, limits);
        QVERIFY(near(s.requestsPerSecond, 1 / 11.0));
        QVERIFY(near(s.itl, 11));
        QVERIFY(near(s.batch, 10));
        QVERIFY(near(s.ttft, 50 * 11.0));
        QVERIFY(near(s.e2e, 60 * 11.0));
        QVERIFY(near(s.prefillShare, 4 / 11.0));
        QVERIFY(near(played(load, limits).requestsPerSecond, 1 / 11.0, 0.02));
        // Of the 50 before it each is half as long as another, in the deviation.
        RequestLoad spread = load;
        spread.inputCv = 0.5;
        const ServingState d = state(spread, limits);
        const double deviation = 0.5 * std::sqrt(50) * 11;
        QVERIFY(near(d.ttftPercentiles.p50, 550));
        QVERIFY(near(d.ttftPercentiles.p90, 550 + 11 + normalQuantile(0.9) * deviation, 1e-4));
        QVERIFY(near(d.ttftPercentiles.p95, 550 + 11 + normalQuantile(0.95) * deviation, 1e-4));
        QVERIFY(near(d.ttftPercentiles.p99, 550 + 22 + normalQuantile(0.99) * deviation, 1e-4));
        means.decodeSteps = 1;
        QVERIFY(isChunkBound(e, 3));
        means.decodeSteps = 0;
        QVERIFY(!isChunkBound(e, 3));
        limits.mixed = false;
        means.decodeSteps = 1;
        QVERIFY(!isChunkBound(e, 3));
    }

    /// Four places, held for a step of prefill and 20 or 200 of decoding, of 0.01 s: those that find none
    /// wait as behind four servers (Erlang), equal ones a little over half as long as exponential ones
    /// (Cosmetatos 1976). To the closed form the places that prefill leaves are a mean, 3.84 here: 12 %.
    void openWithFourPlaces() {
        const auto step = [](const StepWork& w) { return w.decodeSequences > 0 ? 0.01 : 1e-6; };
        const EngineLimits limits{.maxSequences = 4, .kvBytes = 1e9};
        const auto wait = [](double service, double rate) {
            const double a = rate * service, tail = std::pow(a, 4) / 24 * 4 / (4 - a);
            return tail / (1 + a + a * a / 2 + a * a * a / 6 + tail) * service / (4 - a);
        };
        RequestLoad load{.inputTokens = 100, .outputTokens = 21, .requestsPerSecond = 16};
        ServingState s = steadyState(load, limits, step);
        const double used = 16 * 0.21 / 4,
                     equal = (1 + (1 - used) * 3 * (std::sqrt(24) - 2) / (64 * used)) / 2;
        QVERIFY(near(s.queueWait, wait(0.21, 16) * equal, 0.12));
        QVERIFY(near(s.queued, 16 * s.queueWait));
        QVERIFY(near(s.batch, 3.2, 0.01));
        QVERIFY(near(16 * s.e2e, s.inFlight + s.queued, 1e-6));
        load.outputTokens = 201;
        load.outputCv = 1;
        load.requestsPerSecond = 1.6;
        s = steadyState(load, limits, step);
        QVERIFY(near(s.queueWait, wait(2.01, 1.6), 0.1));
        QVERIFY(near(s.batch, 3.2, 0.01));
        QVERIFY(near(s.ttft - s.queueWait, 0.015, 0.05)); // half of a step, and one
    }

    /// Prefill first and answers of three tokens: half of their gaps are the first after their prompt, which
    /// waits for those that came behind it.
    void shortAnswersAfterPrefill() {
        const auto step = [](const StepWork& w) {
            return (w.decodeSequences > 0 ? 0.5 : 0) + 0.01 * w.prefillTokens;
        };
        const RequestLoad load{.inputTokens = 100, .outputTokens = 3, .requestsPerSecond = 0.3};
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 1000, .mixed = false};
        const ServingState s = steadyState(load, limits, step);
        const ServingState p = simulate(load, limits, step, {.requests = 20'000, .warmUp = 500}).state;
        QVERIFY(near(s.itl, p.itl, 0.02));
        QVERIFY(near(s.itlPercentiles.p50, p.itlPercentiles.p50, 0.03));
        QVERIFY(near(s.itlPercentiles.p95, p.itlPercentiles.p95, 0.06));
    }

    /// Arrivals at a metronome's pace on a decode side: 250 steps a second of 0.01 s and 0.002 s of each
    /// sequence are always five, 250 (0.01 + 0.002 x 5). Random ones scatter.
    void regularArrivals() {
        const auto step = [](const StepWork& w) { return 0.01 + 0.002 * w.decodeSequences; };
        RequestLoad load{.inputTokens = 100, .outputTokens = 101, .requestsPerSecond = 2.5, .arrivalCv = 0};
        const EngineLimits limits{.maxSequences = 64, .kvBytes = 1e9, .prefills = false};
        const ServingState s = steadyState(load, limits, step);
        QVERIFY(near(s.batch, 5, 0.01));
        QVERIFY(near(s.decodeStep, 0.02, 0.01));
        QVERIFY(near(s.ttft, 0.01, 0.02)); // in the middle of a step
        QVERIFY(near(s.itlPercentiles.p50, 0.02, 0.02));
        QVERIFY(near(s.itlPercentiles.p99, 0.02, 0.05));
        load.arrivalCv = 1;
        QVERIFY(steadyState(load, limits, step).itlPercentiles.p99 > 0.027);
        load.requestsPerSecond = 0.01; // alone
        QVERIFY(near(steadyState(load, limits, step).decodeStep, 0.012));
        // One user of a side that only prefills: a prompt of 0.01 s at a time.
        const EngineLimits prefill{.kvBytes = 1e9, .decodes = false};
        const RequestLoad one{.inputTokens = 100, .outputTokens = 101, .concurrency = 1};
        QVERIFY(near(steadyState(one, prefill, step).ttft, 0.01));
        QVERIFY(near(steadyState(one, prefill, step).requestsPerSecond, 100));
    }

    /// A table of squares, measured at powers of two: where it bends upwards, a corner is where the segments
    /// alongside it meet; the first and the last segment, and what is beyond, are lines.
    void cornersOfATable() {
        const RequestLoad load{.inputTokens = 100, .outputTokens = 11};
        const EngineLimits limits{.kvBytes = 1e9};
        const auto square = [](const StepWork& w) { return w.decodeSequences * w.decodeSequences; };
        const StepTable table(loadMeans(load, limits), limits, square, 2048);
        QVERIFY(near(table.decode(1.5), 1 + 3 * 0.5));
        QVERIFY(near(table.decode(3), 4 + 3 * 1));
        QVERIFY(near(table.decode(3.8), 16 - 12 * 0.2));
        QVERIFY(near(table.decode(8), 64));
        QVERIFY(near(table.decode(1500), 1024.0 * 1024 + 3072.0 * (1500 - 1024)));
        QVERIFY(near(table.decode(3000), 1024.0 * 1024 + 3072.0 * (3000 - 1024)));
        const auto root = [](const StepWork& w) { return std::sqrt(w.decodeSequences); };
        const StepTable flat(loadMeans(load, limits), limits, root, 2048);
        QVERIFY(near(flat.decode(10), std::sqrt(8) + (4 - std::sqrt(8)) * 2 / 8));
    }
};

QTEST_APPLESS_MAIN(TestClosedLoop)

} // namespace tst_closed_loop

#include "tst_closed_loop.moc"
