// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/batch_distribution.h"
#include "model/serving/loaded_engine.h"
#include "model/serving/simulation.h"
#include "model/serving/steady_state.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace tst_serving_edges {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// 2 s, 0.5 s of each decoding sequence, 0.01 s of a token of prefill.
double linearStep(const StepWork& w) { return 2 + 0.5 * w.decodeSequences + 0.01 * w.prefillTokens; }

/// Users that are still in step after 40 requests each, over those that are by chance, of a round of so many
/// steps: the difference of two phases has a variance of 2 x 40 deviations squared, and a step is what its
/// normal density has at zero; without any spread all are.
double inStep(double deviation, double steps) {
    const double variance = 1 / (2 * std::numbers::pi) + 2 * 40 * deviation * deviation;
    const double together = 1 / std::sqrt(2 * std::numbers::pi * variance);
    return std::max(0.0, (together - 1 / steps) / (1 - 1 / steps));
}

} // namespace

/// Engines at places where one more or one less makes a difference.
class TestServingEdges : public QObject {
    Q_OBJECT

private slots:
    /// A sequence of 10 tokens decodes alone from 5 s on, and beside a prompt of 12 that takes one token of
    /// each step: 12 + k tokens and 13 after k decodes. From the sixth on they do not fit into 30, and the
    /// prompt gives way half done. The first one ends at 24 s; then the prompt takes six steps of two tokens.
    void aPromptGivesWay() {
        const EngineLimits limits{
            .maxSequences = 64, .kvBytes = 30, .chunkTokens = 2, .memory = {.bytesPerToken = 1}};
        EngineSimulation engine(limits, 1e6);
        engine.send({0, 10, 20});
        engine.send({5, 12, 6});
        while (engine.open() > 0 && engine.plan()) {
            if (engine.now() > 5 && engine.now() < 24) {
                QCOMPARE(engine.work().decodeSequences, 1.0);
                QCOMPARE(engine.work().prefillTokens, engine.now() < 11 ? 1.0 : 0.0);
                QCOMPARE(engine.wantsDecodeOnly(), engine.now() < 11);
            }
            engine.advance(1, 1);
        }
        QCOMPARE(engine.played().size(), std::size_t(2));
        QCOMPARE(engine.played()[0].ttft, 5.0);
        QCOMPARE(engine.played()[0].e2e, 24.0);
        QCOMPARE(engine.played()[1].ttft, 25.0);
        QCOMPARE(engine.played()[1].e2e, 30.0);
        QCOMPARE(engine.result().preemptions, std::uint64_t(1));
    }

    /// Two sequences decode for 1 s and then in four quiet steps of 1, 2, 3 and 4 s: each of both has five
    /// gaps of 11 s together, after 2 s of prefill.
    void quietStepsOfTwo() {
        const EngineLimits limits{
            .maxSequences = 64, .kvBytes = 1e9, .chunkTokens = 1000, .memory = {.bytesPerToken = 1}};
        EngineSimulation engine(limits, 1e6);
        engine.send({0, 10, 6});
        engine.send({0, 10, 6});
        engine.plan();
        engine.advance(2, 0);
        engine.plan();
        engine.advance(1, 1);
        engine.plan();
        QCOMPARE(engine.quietSteps(), std::int64_t(4));
        engine.advance(4, 1, 4);
        QCOMPARE(engine.open(), std::size_t(0));
        QVERIFY(near(engine.gaps()[0].mean(), 11 / 5.0));
        const SimulationResult r = engine.result();
        QVERIFY(near(r.state.decodeStep, 11 / 5.0));
        QVERIFY(near(r.state.batch, 2 * 11 / 13.0));
        QVERIFY(near(r.state.inFlight, 2));
        QVERIFY(near(r.state.prefillShare, 2 / 13.0));
        QCOMPARE(r.tokensMade, std::uint64_t(12));
    }

    /// One request after the other takes 0.8 s, one comes a second. Random ones wait 0.8 x 0.8 / (2 x 0.2) s
    /// (Pollaczek, Khinchine); those of twice the deviation three times as long or more, of half of it a
    /// third or less, and none longer than cv^2 / (2 x 0.2) s (Kingman). A metronome makes nobody wait.
    void irregularArrivals() {
        const EngineLimits limits{.maxSequences = 1, .kvBytes = 1e9, .decodes = false};
        const auto wait = [&](double cv) {
            const RequestLoad load{
                .inputTokens = 10, .outputTokens = 1, .requestsPerSecond = 1, .arrivalCv = cv};
            return simulate(load, limits, [](const StepWork&) { return 0.8; },
                            {.requests = 20'000, .warmUp = 500})
                .state.queueWait;
        };
        QVERIFY(std::abs(wait(0)) < 1e-9);
        QVERIFY(near(wait(1), 1.6, 0.1));
        const double twice = wait(2), half = wait(0.5);
        QVERIFY2(twice > 3 * 1.6 && twice < 4 / 0.4, QByteArray::number(twice));
        QVERIFY2(half > 0.1 * 1.6 && half < 1.6 / 3, QByteArray::number(half));
    }

    void drawnRequests_data() {
        QTest::addColumn<double>("input");
        QTest::addColumn<double>("output");
        QTest::addColumn<double>("cached");
        QTest::addColumn<double>("computed");
        QTest::addColumn<double>("before");
        QTest::addColumn<int>("made");
        QTest::newRow("nothing cached") << 30.0 << 5.0 << 0.0 << 30.0 << 0.0 << 5;
        QTest::newRow("a third cached") << 30.0 << 5.0 << 1 / 3.0 << 20.0 << 10.0 << 5;
        QTest::newRow("all cached: the last token is computed") << 30.0 << 5.0 << 1.0 << 1.0 << 29.0 << 5;
        QTest::newRow("up to the last place") << 30.0 << 20.0 << 0.0 << 30.0 << 0.0 << 20;
        QTest::newRow("longer than the cache: its answer is cut") << 30.0 << 21.0 << 0.0 << 30.0 << 0.0 << 20;
        QTest::newRow("room for one token") << 49.0 << 5.0 << 0.0 << 49.0 << 0.0 << 1;
        QTest::newRow("a prompt longer than the cache") << 60.0 << 5.0 << 0.5 << 24.0 << 25.0 << 1;
    }
    /// One user of an engine with a cache for 50 tokens.
    void drawnRequests() {
        QFETCH(double, input);
        QFETCH(double, output);
        QFETCH(double, cached);
        QFETCH(double, computed);
        QFETCH(double, before);
        QFETCH(int, made);
        const EngineLimits limits{.kvBytes = 50, .chunkTokens = 1000, .memory = {.bytesPerToken = 1}};
        const RequestLoad load{
            .inputTokens = input, .outputTokens = output, .cachedShare = cached, .concurrency = 1};
        std::vector<StepWork> prompts;
        const auto step = [&](const StepWork& w) {
            if (w.prefillTokens > 0)
                prompts.push_back(w);
            return 1.0;
        };
        const SimulationResult r = simulate(load, limits, step, {.requests = 3, .warmUp = 0});
        QCOMPARE(r.ttft.size(), std::size_t(3));
        for (const StepWork& w : prompts) {
            QCOMPARE(w.prefillTokens, computed);
            QCOMPARE(w.prefillCached, before);
        }
        QCOMPARE(r.tokensMade, r.requestsOut * static_cast<std::uint64_t>(made));
        QCOMPARE(r.tokensAsked, r.tokensMade);
        QVERIFY(near(r.state.e2e, made));
    }

    /// Requests that arrive with their cache and their first token only decode, one step after the other.
    void drawnRequestsWithTheirCache() {
        EngineLimits limits{.kvBytes = 50, .chunkTokens = 1000, .memory = {.bytesPerToken = 1}};
        limits.prefills = false;
        const RequestLoad load{.inputTokens = 30, .outputTokens = 5, .concurrency = 1};
        bool prefill = false;
        std::vector<double> contexts;
        const auto step = [&](const StepWork& w) {
            prefill = prefill || w.prefillTokens > 0 || w.prompts > 0;
            contexts.push_back(w.decodeContext);
            return 1.0;
        };
        const SimulationResult r = simulate(load, limits, step, {.requests = 3, .warmUp = 0});
        QVERIFY(!prefill);
        QCOMPARE(contexts.front(), 31.0);
        QCOMPARE(*std::ranges::max_element(contexts), 34.0);
        QVERIFY(near(r.state.e2e, 4));
        QVERIFY(std::abs(r.state.ttft) < 1e-12);
        QCOMPARE(r.state.prefillShare, 0.0);
        QCOMPARE(r.tokensMade, r.requestsOut * 5);
    }

    /// Where there is room for many more than ever come, nobody waits for it, and nobody gives way.
    void roomForAll() {
        const EngineLimits limits{
            .maxSequences = 256, .kvBytes = 1e5, .chunkTokens = 2000, .memory = {.bytesPerToken = 1}};
        const auto step = [](const StepWork& w) { return 0.01 + 1e-5 * w.prefillTokens; };
        for (const double concurrency : {0.0, 4.0}) {
            const RequestLoad load{.inputTokens = 400,
                                   .inputCv = 0.5,
                                   .outputTokens = 201,
                                   .concurrency = concurrency,
                                   .requestsPerSecond = concurrency > 0 ? 0.0 : 2.0};
            QVERIFY(loadMeans(load, limits).memoryBatch < 256);
            const ServingState s = steadyState(load, limits, step);
            QVERIFY2(s.queueWait < 1e-6, QByteArray::number(s.queueWait));
            QVERIFY(s.queued < 1e-6);
            QVERIFY(s.preemptionsPerRequest < 1e-6);
        }
    }

    /// The measured requests are those that come first after the warm-up, even if their answers are the last
    /// ones to end: of very different lengths, 10 s in the mean, many that come later end before them.
    void theFirstAreMeasured() {
        const RequestLoad load{
            .inputTokens = 10, .outputTokens = 101, .outputCv = 2, .requestsPerSecond = 10};
        const EngineLimits limits{.maxSequences = 1e6, .kvBytes = 1e9};
        const SimulationResult r =
            simulate(load, limits, [](const StepWork&) { return 0.1; }, {.requests = 200, .warmUp = 20});
        QCOMPARE(r.ttft.size(), std::size_t(200));
        QCOMPARE(r.e2e.size(), std::size_t(200));
        QVERIFY(r.e2e.back() > 30);
        QVERIFY(r.requestsOut > 20 + 200 + 100);
        QVERIFY(r.requestsIn > r.requestsOut);
    }

    /// A cache that is nearly full overflows the more often the less regular the arrivals are.
    void crowdsOfIrregularArrivals() {
        const EngineLimits limits{
            .maxSequences = 256, .kvBytes = 14'000, .chunkTokens = 2000, .memory = {.bytesPerToken = 1}};
        const auto step = [](const StepWork& w) { return 0.01 + 1e-5 * w.prefillTokens; };
        double before = -1;
        for (const double cv : {0.0, 0.5, 1.0, 1.5, 2.0}) {
            const RequestLoad load{.inputTokens = 400,
                                   .outputTokens = 201,
                                   .outputCv = 0.5,
                                   .requestsPerSecond = 8,
                                   .arrivalCv = cv};
            const ServingState s = steadyState(load, limits, step);
            QVERIFY(s.stable);
            QVERIFY2(s.preemptionsPerRequest > before, QByteArray::number(s.preemptionsPerRequest));
            before = s.preemptionsPerRequest;
        }
    }

    /// A Poisson number of 20 that ends at 32: the groups have all tokens of all batches, the few of the last
    /// one too.
    void groupsHaveAllTokens() {
        const RequestLoad load{.inputTokens = 400, .outputTokens = 101};
        const EngineLimits limits{.kvBytes = 1e9};
        const LoadMeans means = loadMeans(load, limits);
        const StepTable table(means, limits, linearStep, 64);
        const BatchDistribution batches(40, [](double) { return 0.5; }, 32, 0.625, 1, 1);
        double tokens = 0, sum = 0;
        for (std::size_t i = 1; i < batches.size(); ++i) {
            const double n = batches.batch(i), made = batches.share(i) * n / (2 + 0.5 * n);
            tokens += made;
            sum += made * n;
        }
        const BatchGroups groups(batches, table);
        double share = 0, moment = 0, last = 0;
        for (std::size_t i = 0; i < groups.size; ++i) {
            QVERIFY(groups.batch[i] > last && groups.share[i] > 0);
            last = groups.batch[i];
            share += groups.share[i];
            moment += groups.share[i] * groups.batch[i];
        }
        QVERIFY(near(share, tokens, 1e-9));
        QVERIFY(near(moment, sum, 1e-9));
        QVERIFY(groups.size > 5 && groups.size <= BatchGroups::most);
    }

    /// Nobody decodes, so that no token is made: the step of a single sequence.
    void noBatches() {
        const RequestLoad load{.inputTokens = 400, .outputTokens = 101};
        const EngineLimits limits{.kvBytes = 1e9};
        const LoadMeans means = loadMeans(load, limits);
        const StepTable table(means, limits, linearStep, 64);
        const BatchDistribution none(0, [](double) { return 0.5; }, 4, 0, 1, 1);
        QVERIFY(near(stepOfTokens(none, table), 2.5));
    }

    void usersOutOfStep_data() {
        QTest::addColumn<double>("jitter");
        for (const double jitter : {0.0, 0.001, 0.002, 0.005, 0.01, 0.05, 1.0})
            QTest::addRow("%g", jitter) << jitter;
    }
    /// Five prompts of 100 tokens, two in a step of 4 s, and 20 steps of 4.5 s: 101 s as long as all are in
    /// step, first tokens after 7 s in the mean. The longer the answers differ, the fewer are; the others are
    /// those of a loop that has forgotten how it began.
    void usersOutOfStep() {
        QFETCH(double, jitter);
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 200, .mixed = false};
        const auto state = [&](double spread) {
            const RequestLoad load{
                .inputTokens = 100, .outputTokens = 21, .concurrency = 5, .loopJitter = spread};
            return steadyState(load, limits, linearStep);
        };
        const ServingState s = state(jitter), forgotten = state(10);
        const double share = inStep(20 * jitter, 20);
        const double round = 5 / s.requestsPerSecond, alone = 5 / forgotten.requestsPerSecond;
        QVERIFY(near(round, share * 101 + (1 - share) * alone, 1e-6));
        QVERIFY(near(s.ttft, share * 7 + (1 - share) * forgotten.ttft, 1e-6));
        QVERIFY(near(s.e2e, round, 1e-6));
        QVERIFY(!near(alone, 101, 0.01));
    }

    /// Mixed steps with room for one prompt: of four different ones three chunks in four are beyond the first
    /// step, so that a spread of 0.02 is one of 0.015 steps. With 0.02 of ten steps of the answers that makes
    /// 0.025 (3, 4, 5).
    void promptsOutOfStep() {
        const EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 104};
        const auto round = [&](double jitter) {
            const RequestLoad load{.inputTokens = 100,
                                   .inputCv = 0.02,
                                   .outputTokens = 11,
                                   .concurrency = 4,
                                   .loopJitter = jitter};
            return 4 / steadyState(load, limits, linearStep).requestsPerSecond;
        };
        const double together = 4 * 4.5 + 7 * 4, forgotten = round(10);
        for (const auto& [jitter, deviation] : {std::pair(0.0, 0.015), {0.002, 0.025}}) {
            const double share = inStep(deviation, 10);
            QVERIFY(near(round(jitter), share * together + (1 - share) * forgotten, 1e-6));
        }
    }

    /// Five prompts of 40 tokens of 0.1 s, two in a step beside 3 decodes, one beside 4: 11.5, 11.5 and 8 s,
    /// and 8 decodes of 4.5 s. Of the ten gaps of an answer two are those of the other prompts, none is full.
    void gapsOfPairs() {
        const auto step = [](const StepWork& w) {
            return 2 + 0.5 * w.decodeSequences + 0.1 * w.prefillTokens;
        };
        const RequestLoad load{.inputTokens = 40, .outputTokens = 11, .concurrency = 5};
        const ServingState s = steadyState(load, {.kvBytes = 1e9, .chunkTokens = 104}, step);
        QVERIFY(near(s.requestsPerSecond, 5 / 67.0));
        QVERIFY(near(s.ttft, (4 * 11.5 + 8) / 5));
        QVERIFY(near(s.itlPercentiles.p50, 4.5, 0.02));
        QVERIFY(near(s.itlPercentiles.p90, 11.5, 0.02));
        QVERIFY(near(s.itlPercentiles.p95, 11.5, 0.02));
        QVERIFY(near(s.itlPercentiles.p99, 11.5, 0.02));
    }

    /// Users complete 1 in 100 steps each, with a prompt of 400 tokens: 349 of them bring less than 0.7 of a
    /// chunk of 2000, 351 more. Those are taken to wait with nearly all of their prompts. Where prefill goes
    /// first, they do not.
    void tokensThatMayWait() {
        const RequestLoad load{.inputTokens = 400, .inputCv = 0.5, .outputTokens = 101};
        EngineLimits limits{.kvBytes = 1e9, .chunkTokens = 2000};
        const LoadMeans means = loadMeans(load, limits);
        const StepTable table(means, limits, linearStep, 64);
        const LoadedEngine e{load, limits, means, table};
        QCOMPARE(e.closedSpan(349, 2000), e.span(3.49, 2000));
        QCOMPARE(e.closedSpan(351, 2000), 1.2 * 351 * 400);
        QVERIFY(e.span(3.51, 2000) < 1e5);
        limits.mixed = false;
        QCOMPARE(e.closedSpan(351, 2000), e.span(3.51, 2000));
        // A longest prompt and 30 % at least, or two mean ones, and nothing if hardly any come.
        const double longest = e.prompts().long999();
        QVERIFY(near(e.span(0, 2000), 1.3 * longest));
        const RequestLoad alike{.inputTokens = 400, .outputTokens = 101};
        const LoadedEngine equal{alike, limits, means, table};
        QVERIFY(near(equal.span(0, 2000), 800));
    }
};

QTEST_APPLESS_MAIN(TestServingEdges)

} // namespace tst_serving_edges

#include "tst_serving_edges.moc"
