// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/batch_distribution.h"
#include "model/serving/loaded_engine.h"
#include "model/serving/pool_model.h"
#include "model/serving/steady_state.h"
#include "model/serving/validity.h"
#include "model/serving/waiting_prompts.h"

#include <QTest>

#include <cmath>
#include <vector>

namespace tst_serving_means {

using namespace alidade;

namespace {

bool within(double a, double b, double relative) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}
bool near(double a, double b) { return within(a, b, 1e-11); }

/// 2 s, 0.5 s of each decoding sequence, 0.01 s of a token of prefill.
double linearStep(const StepWork& w) { return 2 + 0.5 * w.decodeSequences + 0.01 * w.prefillTokens; }

} // namespace

/// The laws that the closed form of a serving engine is made of, each against what it says in a case that is
/// known.
class TestServingMeans : public QObject {
    Q_OBJECT

private slots:
    /// A sequence of 100 tokens, 10 of them held by others, in pages of 16: six pages of 3 bytes a token; 30
    /// of a window in two pages of 2; a state of 7 bytes. On average half of a page, 7.5 tokens, is empty.
    void bytesOfASequence() {
        const SequenceMemory m{.bytesPerToken = 3,
                               .windowBytesPerToken = 2,
                               .window = 30,
                               .constantBytes = 7,
                               .blockTokens = 16,
                               .sharedTokens = 10};
        QCOMPARE(m.bytesAt(100), 7.0 + 3 * 96 + 2 * 32);
        QCOMPARE(m.bytesAt(20), 7.0 + 3 * 16 + 2 * 32);
        QCOMPARE(m.bytesAt(5), 7.0 + 0 + 2 * 16);
        QCOMPARE(m.meanBytesAt(100), 7.0 + 3 * 97.5 + 2 * 37.5);
        QCOMPARE(m.meanBytesAt(5), 7.0 + 3 * 7.5 + 2 * 12.5);
        const SequenceMemory plain{.bytesPerToken = 3};
        QCOMPARE(plain.bytesAt(100), 300.0);
    }

    /// 400 tokens of prompt, a quarter of it cached; answers of 101 tokens. All equally long: a sequence is
    /// met halfway, with 400 + 50.5 tokens, +- 101 / sqrt(12). With a coefficient of variation of 1 long ones
    /// are met more often: 101 (1 + 1) / 2 tokens on average.
    void meansOfALoad() {
        RequestLoad load{.inputTokens = 400, .outputTokens = 101, .cachedShare = 0.25};
        EngineLimits limits{.maxSequences = 1000, .kvBytes = 9010, .memory = {.bytesPerToken = 1}};
        LoadMeans m = loadMeans(load, limits);
        QCOMPARE(m.prompt, 300.0);
        QCOMPARE(m.cached, 100.0);
        QCOMPARE(m.decodeSteps, 100.0);
        QCOMPARE(m.decodeContext, 450.5);
        QVERIFY(near(m.contextDeviation, 101 / std::sqrt(12)));
        QCOMPARE(m.sequenceBytes, 450.5);
        QCOMPARE(m.memoryBatch, 20.0);
        QVERIFY(near(m.maxBatch, 20 - 400 / 450.5 / 2)); // the next one's prompt has half of its room
        limits.maxSequences = 5;
        QCOMPARE(loadMeans(load, limits).maxBatch, 5.0);
        limits.maxSequences = 1000;
        limits.tokensPerStep = 2;
        QCOMPARE(loadMeans(load, limits).decodeSteps, 50.0);
        limits.reserves = true; // a whole request from its start
        m = loadMeans(load, limits);
        QCOMPARE(m.sequenceBytes, 501.0);
        QVERIFY(near(m.maxBatch, 9010 / 501.0 - 0.5));
        limits.kvBytes = 400; // not one
        QVERIFY(near(loadMeans(load, limits).maxBatch, 400 / 501.0));
        limits.kvBytes = 501 * 1.2;
        QCOMPARE(loadMeans(load, limits).maxBatch, 1.0);
        limits.reserves = false;
        limits.kvBytes = 9010;
        load.inputCv = 0.5;
        load.outputCv = 1;
        m = loadMeans(load, limits);
        QCOMPARE(m.decodeContext, 400 + 101.0);
        // Of a log-normal answer L, met in proportion to L at a uniform place: E L^3 / 3 E L - (E L^2 / 2 E
        // L)^2, and E L^3 = mean^3 (1 + cv^2)^3.
        QVERIFY(near(m.contextDeviation, std::sqrt(200.0 * 200 + 101 * 101 * (8 / 3.0 - 1))));
        QVERIFY(near(m.maxBatch, 9010 / 501.0 - 400 / 501.0 * 1.25 / 2));
        // Half of that variation: 101 (1 + 1/4) / 2 tokens on average.
        load.outputCv = 0.5;
        m = loadMeans(load, limits);
        QCOMPARE(m.decodeContext, 400 + 63.125);
        QVERIFY(near(m.contextDeviation,
                     std::sqrt(200.0 * 200 + 101 * 101 * (1.25 * 1.25 * 1.25 / 3 - 1.25 * 1.25 / 4))));
        load.outputCv = 1;
        load.inputCv = 3; // at most the whole room of one
        QVERIFY(near(loadMeans(load, limits).maxBatch, 9010 / 501.0 - 400 / 501.0));
        limits.memory.bytesPerToken = 0;
        limits.maxSequences = 77;
        QCOMPARE(loadMeans(load, limits).maxBatch, 77.0);
        // A pool that only decodes has all of the prompt already; one that only prefills makes no steps.
        limits.prefills = false;
        QCOMPARE(loadMeans(load, limits).prompt, 0.0);
        QCOMPARE(loadMeans(load, limits).cached, 400.0);
        limits.prefills = true;
        limits.decodes = false;
        limits.memory.bytesPerToken = 1;
        QCOMPARE(loadMeans(load, limits).decodeSteps, 0.0);
        QCOMPARE(loadMeans(load, limits).sequenceBytes, 400.0);
        load.cachedShare = 1;
        QCOMPARE(loadMeans(load, limits).prompt, 1.0); // the last token is always computed
    }

    /// A chunk of 100 of 300 tokens has 0, 100 or 200 before it, and 100 that were cached.
    void meanStepsOfALoad() {
        const RequestLoad load{.inputTokens = 400, .outputTokens = 101, .cachedShare = 0.25};
        const EngineLimits limits{.kvBytes = 1e9};
        LoadMeans m = loadMeans(load, limits);
        StepWork w = meanStep(m, 6, 100);
        QCOMPARE(w.prefillTokens, 100.0);
        QCOMPARE(w.prefillCached, 100 + 100.0);
        QCOMPARE(w.prompts, 1.0);
        QCOMPARE(w.decodeSequences, 6.0);
        QCOMPARE(w.decodeContext, 450.5);
        w = meanStep(m, 0, 900);
        QCOMPARE(w.prompts, 3.0);
        QCOMPARE(w.prefillCached, 100.0);
        QCOMPARE(w.decodeContext, 0.0);
        QCOMPARE(meanStep(m, 6, 0).prompts, 0.0);
        QCOMPARE(meanStep(m, 0.5, 100).decodeContext, 450.5); // half of the time one
        QCOMPARE(meanStep(m, 6, 450).prompts, 1.5);
        // Log-normal prompts are met in proportion to their length: half of E max(0, biased - tokens), by
        // integration.
        m.promptCv = 0.8;
        const double variance = std::log1p(0.64), mean = 300 * 1.64;
        double sum = 0;
        for (int i = 0; i < 200'000; ++i) {
            const double z = normalQuantile((i + 0.5) / 200'000);
            sum += std::max(0.0, mean * std::exp(std::sqrt(variance) * z - variance / 2) - 100) / 200'000;
        }
        QVERIFY(within(meanStep(m, 0, 100).prefillCached, 100 * 1.64 + sum / 2, 1e-4));
        QVERIFY(near(meanStep(m, 0, 0).prefillCached, 100 * 1.64 + 150));
        // Hardly any prompt is as short as half a token.
        QVERIFY(within(meanStep(m, 0, 0.5).prefillCached, 100 * 1.64 + (mean - 0.5) / 2, 1e-6));
    }

    /// Measured at a few points, a linear step is read exactly between them and beyond.
    void tableOfALinearStep() {
        const RequestLoad load{.inputTokens = 400, .outputTokens = 101};
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 2000};
        const LoadMeans means = loadMeans(load, limits);
        StepTable table(means, limits, linearStep, 64);
        for (const double batch : {1.0, 2.5, 17.0, 64.0, 80.0})
            QVERIFY(near(table.decode(batch), 2 + 0.5 * batch));
        for (const double tokens : {1.0, 20.0, 100.0, 777.0, 2000.0})
            QVERIFY(near(table.prefill(tokens), 2 + 0.01 * tokens));
        table.mixAt(means, linearStep, 8);
        table.mixAt(means, linearStep, 4);
        for (const double batch : {1.0, 4.0, 5.0, 8.0, 20.0}) {
            QVERIFY(near(table.mixed(batch, 300), 2 + 0.5 * batch + 3));
            QVERIFY(near(table.mixed(batch, 3), 2 + 0.5 * batch + 0.03));
        }
        QVERIFY(near(table.mixed(0, 300), 5));
        QVERIFY(std::abs(table.perContextToken()) < 1e-12);
        const auto reading = [](const StepWork& w) {
            return 2 + 0.001 * w.decodeSequences * w.decodeContext;
        };
        QVERIFY(near(StepTable(means, limits, reading, 64).perContextToken(), 0.001));
        // A corner between two points lies where the adjacent lines meet.
        const auto knee = [](const StepWork& w) { return std::max(5.0, 0.5 * w.decodeSequences); };
        const StepTable bent(means, limits, knee, 64);
        for (const double batch : {5.0, 9.0, 10.0, 11.0, 13.0, 30.0})
            QVERIFY(near(bent.decode(batch), std::max(5.0, 0.5 * batch)));
    }

    /// Equal prompts of 100 tokens: as many as their tokens are, and half a prompt for the one under way
    /// where a chunk takes less than one. Exponential ones: 1 + Poisson(busy x tokens / prompt).
    void promptsThatWait() {
        const WaitingPrompts equal(100, 0, 25, 0.5, 1600);
        QVERIFY(near(equal(0), 1));
        QVERIFY(near(equal(800), 8 + 0.375));
        QVERIFY(near(equal(1650), 16 + 0.375 + 0.5));
        QVERIFY(near(WaitingPrompts(100, 0, 100, 0.5, 1600)(800), 8));
        const WaitingPrompts exponential(100, 1, 100, 0.5, 1600);
        for (const double tokens : {0.0, 100.0, 400.0, 1600.0, 2000.0}) {
            const double mean = tokens <= 1600 ? 1 + 0.5 * tokens / 100 : 1 + 8 + 4;
            QVERIFY(within(exponential(tokens), mean, 2e-3));
        }
    }

    /// A step of one pace is an M/M/infinity queue: Poisson, with the mean of the offered load (Little's
    /// law). Where 4 places are all there is, a request waits with Erlang's C.
    void numberOfSequences() {
        const auto gap = [](double) { return 0.5; };
        const BatchDistribution free(8, gap, 100, 0.04, 1, 1);
        QVERIFY(within(free.mean(), 4, 1e-9));
        QVERIFY(within(free.variance(), 4, 1e-9));
        QVERIFY(within(free.empty(), std::exp(-4), 1e-9));
        QVERIFY(free.waiting() < 1e-9);
        double sum = 0;
        for (std::size_t i = 0; i < free.size(); ++i)
            sum += free.share(i);
        QVERIFY(near(sum, 1));
        // 2 Erlang on 4 servers of which half is used: C = (2^4 / 4!) 2 / (1 + 2 + 2 + 4/3 + (2/3) 2) = 4
        // / 23.
        const BatchDistribution four(4, gap, 4, 0.5, 1, 1);
        QVERIFY(within(four.waiting(), 4 / 23.0, 1e-9));
        QVERIFY(within(four.mean(), 2, 1e-9));
        // A batch of n takes a share of n of the tokens. All steps alike: the step itself.
        const RequestLoad load{.inputTokens = 400, .outputTokens = 101};
        const EngineLimits limits{.kvBytes = 1e9};
        const LoadMeans means = loadMeans(load, limits);
        const StepTable table(means, limits, linearStep, 64);
        double tokens = 0, time = 0;
        for (int n = 1; n <= 4; ++n) { // share of time x n / step is the rate of tokens
            const double rate = four.share(static_cast<std::size_t>(n)) * n / (2 + 0.5 * n);
            tokens += rate;
            time += rate * (2 + 0.5 * n);
        }
        QVERIFY(near(stepOfTokens(four, table), time / tokens));
        const BatchGroups groups(four, table);
        double share = 0, batch = 0;
        for (std::size_t i = 0; i < groups.size; ++i) {
            share += groups.share[i];
            batch += groups.share[i] * groups.batch[i];
        }
        QVERIFY(near(share, tokens));
        double expected = 0;
        for (int n = 1; n <= 4; ++n)
            expected += four.share(static_cast<std::size_t>(n)) * n / (2 + 0.5 * n) * n;
        QVERIFY(near(batch, expected));
    }

    /// Weighted samples: the mean is exact, quantiles to the width of a bin.
    void timesWithWeights() {
        TimeDistribution times;
        times.add(1, 3);
        times.add(4, 1);
        times.add(100, 0); // of no weight
        QVERIFY(near(times.mean(), 7 / 4.0));
        QVERIFY(within(times.quantile(0.5), 1, 0.016));
        QVERIFY(within(times.quantile(0.9), 4, 0.016));
        TimeDistribution other;
        other.add(10, 2);
        TimeDistribution both = times;
        both.add(other);
        QVERIFY(near(both.mean(), (3 + 4 + 20) / 6.0));
        both = times;
        both.blend(other, 0.25);
        QVERIFY(near(both.mean(), 0.75 * 7 / 4 + 0.25 * 10));
        both.blend(other, 0);
        QVERIFY(near(both.mean(), 0.75 * 7 / 4 + 0.25 * 10));
        QVERIFY(within(both.quantile(0.99), 10, 0.016));
        // A fifth waits for an exponential time more, 3 s on average over all: eight parts of it lack 4 % of
        // the tail.
        const TimeDistribution late = times.delayed(0.2, 3);
        QVERIFY(within(late.mean(), 7 / 4.0 + 3, 0.05));
        QVERIFY(within(late.quantile(0.5), 1, 0.016));
        QVERIFY(near(times.delayed(0, 3).mean(), 7 / 4.0));
        MeanTime mean;
        mean.add(2, 3);
        mean.add(6, 1);
        QCOMPARE(mean.mean(), 3.0);
        QCOMPARE(MeanTime().mean(), 0.0);
        QCOMPARE(TimeDistribution().quantile(0.5), 0.0);
    }

    /// Parts of log-normal prompts are equally likely and keep the mean; two equal lengths have all in
    /// common.
    void promptsOfDifferentLengths() {
        const PromptSizes sizes{300, 0.8};
        double sum = 0, last = 0;
        int count = 0;
        const PromptParts parts(sizes);
        for (const double part : parts) {
            QVERIFY(part > last);
            last = part;
            sum += part * parts.probability();
            ++count;
        }
        QCOMPARE(count, PromptParts::most);
        QVERIFY(near(sum, 300));
        const PromptParts one(PromptSizes{300, 0});
        QCOMPARE(*one.begin(), 300.0);
        QCOMPARE(one.probability(), 1.0);
        QCOMPARE(sizes.biased(), 300 * 1.64);
        // The 99.9th percentile lies 3.09 deviations above the median.
        const double variance = std::log1p(0.64);
        QVERIFY(near(sizes.long999(), 300 / std::sqrt(1.64) * std::exp(3.09 * std::sqrt(variance))));
        QVERIFY(near(commonTime(0), 1));
        // Of two log-normal lengths of mean 1: the mean of the shorter one, over their quantiles.
        constexpr int n = 600;
        std::vector<double> lengths;
        for (int i = 0; i < n; ++i)
            lengths.push_back(std::exp(std::sqrt(variance) * normalQuantile((i + 0.5) / n) - variance / 2));
        double shorter = 0;
        for (const double a : lengths)
            for (const double b : lengths)
                shorter += std::min(a, b) / (n * n);
        QVERIFY(within(commonTime(0.8), shorter, 2e-3));
    }

    /// A gamma distribution of mean 2 and squared variation 1/2 (four exponential parts of 1/2 each would
    /// have 1/4): its tail is e^-x (1 + x), and the mean beyond x is e^-x (2 + x).
    void gammaTail() {
        const GammaTail gamma{2, 0.5};
        for (const double x : {0.5, 1.0, 2.0, 4.0, 6.0}) {
            QVERIFY(std::abs(gamma.above(x) - std::exp(-x) * (1 + x)) < 4e-3);
            QVERIFY(std::abs(gamma.excess(x) - std::exp(-x) * (2 + x)) < 6e-3);
        }
    }

    /// Steps that prefill 250 tokens in chunks of 100: two whole ones and one of 50.
    void stepsInChunks() {
        const auto single = [](double tokens) { return 1 + tokens; };
        QCOMPARE(stepsOf(250, 100, single), 2 * 101.0 + 51);
        QCOMPARE(stepsOf(200, 100, single), 2 * 101.0);
        QCOMPARE(stepsOf(50, 100, single), 51.0);
    }

    /// A pool that only prefills, with 3 users: each waits for the prompts of all. 2 + 0.01 x 1,200 s for 3
    /// prompts.
    void closedPrefillPool() {
        const RequestLoad load{.inputTokens = 400, .outputTokens = 101, .concurrency = 3};
        EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 2000, .requestOverhead = 5, .decodes = false};
        ServingState s = steadyState(load, limits, linearStep);
        QVERIFY(near(s.requestsPerSecond, 3 / 14.0));
        QVERIFY(near(s.ttft, 5 + 14));
        QVERIFY(near(s.e2e, 19));
        QVERIFY(near(s.queueWait, 14 - 6)); // a prompt alone takes 6 s
        QVERIFY(near(s.queued, 3 / 14.0 * 8));
        QVERIFY(near(s.inFlight, 3 / 14.0 * 6));
        QVERIFY(near(s.ttftPercentiles.p99, 19));
        QCOMPARE(s.prefillShare, 1.0);
        limits.chunkTokens = 800; // two of them at a time
        s = steadyState(load, limits, linearStep);
        QVERIFY(near(s.requestsPerSecond, 2 / 10.0));
        QVERIFY(near(s.ttft, 5 + 15));
    }

    /// A pool that only decodes, with 8 users of which 6 have a place: 100 steps of 2 + 3 s.
    void closedDecodePool() {
        const RequestLoad load{.inputTokens = 400, .outputTokens = 101, .concurrency = 8};
        EngineLimits limits{.maxSequences = 6, .kvBytes = 1e9, .requestOverhead = 5, .prefills = false};
        ServingState s = steadyState(load, limits, linearStep);
        QVERIFY(near(s.requestsPerSecond, 6 / 500.0));
        QCOMPARE(s.batch, 6.0);
        QCOMPARE(s.queued, 2.0);
        QVERIFY(near(s.decodeStep, 5));
        QVERIFY(near(s.itl, 5));
        QVERIFY(near(s.queueWait, 2 * 500 / 6.0));
        QVERIFY(near(s.ttft, 5 + 2 * 500 / 6.0));
        QVERIFY(near(s.e2e, s.ttft + 500));
        QVERIFY(near(s.utilization, 1));
        limits.maxSequences = 16;
        limits.tokensPerStep = 2; // 50 steps of 2 + 4 s make two tokens each
        s = steadyState(load, limits, linearStep);
        QVERIFY(near(s.requestsPerSecond, 8 / 300.0));
        QVERIFY(near(s.itl, 3));
        QVERIFY(within(s.itlPercentiles.p50, 3, 0.02));
        QVERIFY(near(s.e2e, 5 + 300));
        QVERIFY(near(s.utilization, 8 / 300.0 / (16 / 500.0)));
    }

    /// Fewer users than engines: one user a part of the time.
    void fewerUsersThanEngines() {
        RequestLoad load{.inputTokens = 400, .outputTokens = 101, .concurrency = 1};
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 2000};
        const ServingState one = steadyState(load, limits, linearStep);
        load.concurrency = 0.25;
        const ServingState part = steadyState(load, limits, linearStep);
        QVERIFY(near(part.requestsPerSecond, one.requestsPerSecond / 4));
        QVERIFY(near(part.batch, one.batch / 4));
        QVERIFY(near(part.utilization, one.utilization / 4));
        QVERIFY(near(part.ttft, one.ttft));
        // Alone: 6 s of prefill, then 100 steps of 2.5 s.
        QVERIFY(within(one.ttft, 6, 0.02));
        QVERIFY(within(one.e2e, 256, 0.01));
        QVERIFY(within(one.requestsPerSecond, 1 / 256.0, 0.01));
    }

    /// More than an engine can do: no latency is finite, and it works like a full one.
    void overload() {
        const RequestLoad load{.inputTokens = 400, .outputTokens = 101, .requestsPerSecond = 10};
        const EngineLimits limits{.maxSequences = 6, .kvBytes = 1e9, .chunkTokens = 2000};
        const double most = maximumRequestRate(load, limits, linearStep);
        const ServingState s = steadyState(load, limits, linearStep);
        QVERIFY(!s.stable);
        QVERIFY(near(s.requestsPerSecond, most));
        QVERIFY(near(s.utilization, 10 / most));
        QVERIFY(std::isinf(s.ttft) && std::isinf(s.e2e) && std::isinf(s.itlPercentiles.p50));
        QVERIFY(s.batch > 3 && s.batch <= 6);
        // Work of a request: 100 decodes in steps of at most 2 + 3 s shared by six, 0.01 x 400 s of prefill.
        QVERIFY(within(most, 6 / (500.0 + 6 * 4), 0.05));
        EngineLimits tiny = limits;
        tiny.kvBytes = 100;
        tiny.memory.bytesPerToken = 1;
        QCOMPARE(steadyState(load, tiny, linearStep).requestsPerSecond, 0.0);
        QVERIFY(std::isinf(steadyState(load, tiny, linearStep).utilization));
        QCOMPARE(maximumRequestRate(load, tiny, linearStep), 0.0);
    }

    /// Where the closed form is not trusted, at the edges of its limits: 80 % of the capacity, 5 preemptions
    /// in 10,000 requests, 3 % of the time to the first token in the queue, 42 % of the time in prefill.
    void edgesOfTheLimits() {
        RequestLoad load{.requestsPerSecond = 1};
        const auto limit = [&](const ServingState& s) { return closedFormLimit(load, s); };
        const ServingState inside{.utilization = 0.79,
                                  .queueWait = 0.029,
                                  .ttft = 1,
                                  .prefillShare = 0.41,
                                  .preemptionsPerRequest = 4e-4};
        using enum ClosedFormLimit;
        QCOMPARE(limit(inside), none);
        ServingState s = inside;
        s.preemptionsPerRequest = 6e-4;
        QCOMPARE(limit(s), fullCache);
        s = inside;
        s.queueWait = 0.031;
        QCOMPARE(limit(s), waitsForPlaces);
        s = inside;
        s.prefillShare = 0.43;
        QCOMPARE(limit(s), mostlyPrefill);
        load.samples = 2;
        QCOMPARE(limit(inside), arriveTogether);
        load = {.concurrency = 0.5}; // a user half of the time, whose own shares count
        s = inside;
        s.utilization = 0.41;
        s.prefillShare = 0.2;
        QCOMPARE(limit(s), nearCapacity);
        s.utilization = 0.39;
        QCOMPARE(limit(s), none);
        s.prefillShare = 0.22;
        QCOMPARE(limit(s), mostlyPrefill);
    }

    /// What a worker is asked for: its part of the pool's users and requests; samples of a question share a
    /// prompt of 300 of 400 tokens, so that 400 / 100 of them are under way together.
    void loadOfAWorker() {
        Inputs in;
        in[Input::workers] = 4;
        in[Input::inputTokens] = 400;
        in[Input::sharedPrompt] = 300;
        in[Input::outputTokens] = 101;
        in[Input::samplesPerPrompt] = 0;
        RequestLoad load = workerLoad(in, 10, 6);
        QCOMPARE(load.requestsPerSecond, 2.5);
        QCOMPARE(load.concurrency, 1.5);
        QCOMPARE(load.together, 4.0);
        QCOMPARE(load.samples, 1.0);
        in[Input::workers] = 0;
        in[Input::inputTokens] = 0;
        load = workerLoad(in, 10, 6);
        QCOMPARE(load.requestsPerSecond, 10.0);
        QCOMPARE(load.together, 1.0);
        load.outputCv = 3;
        load.loopJitter = 4;
        QCOMPARE(load.outputCvInLoop(), 5.0);
    }

    /// An engine of 2 attention-data ranks: room for caches, places and chunks of both.
    void limitsOfAWorker() {
        ServingPlan plan;
        plan.attentionDataParallel = 2;
        Inputs in;
        in[Input::outputTokens] = 101;
        in[Input::chunkTokens] = 1000;
        in[Input::largestBatch] = 32;
        in[Input::servingRequestOverhead] = 5;
        ServingMemoryT<double> memory;
        memory.kvCapacity = 700;
        memory.kvOffloaded = 50;
        EngineLimits limits = engineLimits(plan, in, memory);
        QCOMPARE(limits.kvBytes, 1500.0);
        QCOMPARE(limits.maxSequences, 64.0);
        QCOMPARE(limits.chunkTokens, 2000.0);
        QCOMPARE(limits.tokensPerStep, 1.0);
        QCOMPARE(limits.requestOverhead, 0.0);
        QCOMPARE(limits.memory.blockTokens, 1.0);
        QVERIFY(limits.prefills && limits.decodes);
        in[Input::draftTokens] = 3;
        in[Input::acceptance] = 0.5;
        in[Input::largestBatch] = 0;
        in[Input::kvBlock] = 16;
        memory.kvCapacity = -700;
        plan.phase = ServingPhase::prefill;
        limits = engineLimits(plan, in, memory);
        QCOMPARE(limits.kvBytes, 0.0);
        QVERIFY(limits.maxSequences > 1e300);
        QCOMPARE(limits.tokensPerStep, 1.875);
        QCOMPARE(limits.requestOverhead, 5.0);
        QCOMPARE(limits.memory.blockTokens, 16.0);
        QVERIFY(limits.prefills && !limits.decodes);
        plan.phase = ServingPhase::decode;
        QVERIFY(!engineLimits(plan, in, memory).prefills);
        in[Input::outputTokens] = 1; // nothing after the first token
        QVERIFY(!engineLimits(plan, in, memory).decodes);
    }
};

QTEST_APPLESS_MAIN(TestServingMeans)

} // namespace tst_serving_means

#include "tst_serving_means.moc"
