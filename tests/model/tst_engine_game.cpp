// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/simulation.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tst_engine_game {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// 1 s, 0.1 s of each token of prefill.
double step(const StepWork& w) { return 1 + 0.1 * w.prefillTokens; }

const EngineLimits roomy{
    .maxSequences = 64, .kvBytes = 1e9, .chunkTokens = 1000, .memory = {.bytesPerToken = 1}};

/// A game of recorded requests, with the work of each step.
struct Game {
    std::vector<PlayedRequest> played; ///< in the order in which they end
    std::vector<StepWork> works;
    std::vector<TimeDistribution> gaps;
    SimulationResult result;

    Game(const EngineLimits& limits, const std::vector<RecordedRequest>& requests, double hour = 1e6) {
        EngineSimulation engine(limits, hour);
        for (const RecordedRequest& request : requests)
            engine.send(request);
        playRecorded(engine, std::numeric_limits<double>::infinity(), [&](const StepWork& w) {
            works.push_back(w);
            return step(w);
        });
        played = engine.played();
        gaps = engine.gaps();
        result = engine.result();
    }
};

} // namespace

/// Games of a few requests, step by step on paper.
class TestEngineGame : public QObject {
    Q_OBJECT

private slots:
    /// A prompt of 10 tokens and 20 further steps. Another request comes in the sixth second: it joins at the
    /// end of the step that is under way then, whose prefill of 2 s the first one shares.
    void joinsAtTheEndOfAStep() {
        const Game game(roomy, {{0, 10, 21}, {5.5, 10, 3}});
        QCOMPARE(game.played.size(), std::size_t(2));
        QVERIFY(near(game.played[0].ttft, 6 - 5.5 + 2));
        QVERIFY(near(game.played[0].e2e, 10 - 5.5));
        QCOMPARE(game.played[0].output, 3);
        QVERIFY(near(game.played[1].ttft, 2));
        QVERIFY(near(game.played[1].e2e, 2 + 20 + 1));
        QCOMPARE(game.played[1].output, 21);
        // 19 + 2 gaps of 1 s, one of 2 s.
        QCOMPARE(game.gaps.size(), std::size_t(1));
        QVERIFY(near(game.gaps[0].mean(), (19 + 2 + 2) / 22.0));
    }

    /// Decodes whose time grows by a token each are counted together: 20 steps of 1 s and 0.001 s of each of
    /// the 11 tokens, of 12, and so on.
    void stepsThatGrow() {
        EngineSimulation engine(roomy, 1e6);
        engine.send({0, 10, 21});
        int calls = 0;
        playRecorded(engine, std::numeric_limits<double>::infinity(), [&](const StepWork& w) {
            ++calls;
            return 1 + 0.001 * w.decodeSequences * w.decodeContext;
        });
        QVERIFY(near(engine.played()[0].e2e, 1 + 20 + 0.001 * (20 * 11 + 190)));
        QVERIFY(calls < 12);
        QCOMPARE(engine.result().steps, std::uint64_t(21));
        // Two tokens a step: 10 steps, each with two more.
        EngineLimits two = roomy;
        two.tokensPerStep = 2;
        EngineSimulation faster(two, 1e6);
        faster.send({0, 10, 22});
        playRecorded(faster, std::numeric_limits<double>::infinity(),
                     [](const StepWork& w) { return 1 + 0.001 * w.decodeSequences * w.decodeContext; });
        QVERIFY(near(faster.played()[0].e2e, 1 + 11 + 0.001 * (11 * 11 + 2 * 55)));
        QCOMPARE(faster.played()[0].output, 22); // the last step has one token to make, not two
    }

    /// Gaps by the hour, of 5 s, in which they end: at 3 and 4 s, at 5 and 6 s, and alongside a prefill at 11
    /// s.
    void gapsByTheHour() {
        const Game game(roomy, {{0, 10, 6}, {5.5, 40, 1}}, 5);
        QCOMPARE(game.gaps.size(), std::size_t(3));
        QVERIFY(near(game.gaps[0].mean(), 1));
        QVERIFY(near(game.gaps[1].mean(), 1));
        QVERIFY(near(game.gaps[2].mean(), 5));
        QVERIFY(near(game.played[0].e2e, 11));
        QVERIFY(near(game.played[1].e2e, 5.5));
        QCOMPARE(game.played[1].sent, 5.5);
    }

    /// A chunk of 4 tokens: what lies before it are the cached tokens and the chunks before.
    void whatLiesBeforeAChunk() {
        EngineLimits limits = roomy;
        limits.chunkTokens = 4;
        const Game game(limits, {{0, 10, 1, 4}});
        QCOMPARE(game.works.size(), std::size_t(2));
        QCOMPARE(game.works[0].prefillTokens, 4.0);
        QCOMPARE(game.works[0].prefillCached, 4.0);
        QCOMPARE(game.works[1].prefillTokens, 2.0);
        QCOMPARE(game.works[1].prefillCached, 8.0);
        QVERIFY(near(game.played[0].e2e, 1.4 + 1.2));
        // All in the cache: the last token is computed. Both share a step: (9 x 1 + 0 x 3) / 4 before it.
        const Game both(limits, {{0, 10, 1, 10}, {0, 3, 1}});
        QCOMPARE(both.works.size(), std::size_t(1));
        QCOMPARE(both.works[0].prompts, 2.0);
        QVERIFY(near(both.works[0].prefillCached, 9 / 4.0));
    }

    /// Room for 30 tokens and two requests of 21. Both begin with 3 s; after 4 steps they have 15 tokens each
    /// and need two more: the younger one leaves, until the other is done at 13 s. It computes 15 tokens
    /// again, which makes its sixth, and five more.
    void youngestLeaves() {
        EngineLimits limits = roomy;
        limits.kvBytes = 30;
        Game game(limits, {{0, 10, 11}, {0, 10, 11}});
        QCOMPARE(game.result.preemptions, std::uint64_t(1));
        QVERIFY(near(game.played[0].e2e, 13));
        QVERIFY(near(game.played[1].e2e, 13 + 2.5 + 5));
        QVERIFY(near(game.played[1].ttft, 3));
        QCOMPARE(game.played[1].output, 11);
        // In chunks of 8 tokens the second one has 8 before it.
        limits.chunkTokens = 8;
        limits.kvBytes = 25;
        game = Game(limits, {{0, 6, 11}, {0, 6, 11}});
        std::vector<double> before;
        for (const StepWork& w : game.works)
            if (w.prefillTokens > 0 && w.decodeSequences == 0)
                before.push_back(w.prefillCached);
        QCOMPARE(before.back(), 8.0);
        // Memory in pages of four: 16 tokens of each are 32 bytes.
        limits = roomy;
        limits.kvBytes = 32;
        limits.memory.blockTokens = 4;
        game = Game(limits, {{0, 10, 11}, {0, 10, 11}});
        QCOMPARE(game.result.preemptions, std::uint64_t(1));
        QVERIFY(near(game.played[1].e2e, 13 + 2.6 + 4));
    }

    /// Pages of full attention and of a window of 14 tokens begin together: of 60 bytes 48 are taken at 12
    /// tokens, and 64 would be at 13. The younger one leaves at 4 s with two tokens; with room again at the
    /// next step, its third ends it.
    void pagesOfAWindow() {
        EngineLimits limits = roomy;
        limits.kvBytes = 60;
        limits.memory = {.bytesPerToken = 1, .windowBytesPerToken = 1, .window = 14, .blockTokens = 4};
        const Game game(limits, {{0, 10, 11}, {0, 10, 3}});
        QCOMPARE(game.result.preemptions, std::uint64_t(1));
        QVERIFY(near(game.played[0].e2e, 5 + 2.2));
        QVERIFY(near(game.played[1].e2e, 7.2 + 7));
    }

    /// A prompt needs room for its first token: 11 and 11 are more than 21, so that one waits for the other;
    /// and with both under way a short one fits into 30, by what they hold now, 12 each.
    void roomForTheFirstToken() {
        EngineLimits limits = roomy;
        limits.kvBytes = 21;
        Game game(limits, {{0, 10, 11}, {0, 10, 11}});
        QVERIFY(near(game.played[0].e2e, 12));
        QVERIFY(near(game.played[1].ttft, 14));
        limits.kvBytes = 30;
        limits.mixed = false;
        game = Game(limits, {{0, 10, 11}, {0, 10, 11}, {1, 5, 1}});
        QVERIFY(near(game.played[0].e2e, 4.5 - 1));
        QCOMPARE(game.played[0].output, 1);
    }

    /// A request longer than the cache is cut, the answer first: 21 tokens of 10 and 30, 20 of 50.
    void requestsThatDoNotFit() {
        EngineLimits limits = roomy;
        limits.kvBytes = 21;
        const Game game(limits, {{0, 10, 30}, {100, 50, 30}});
        QCOMPARE(game.played[0].output, 11);
        QVERIFY(near(game.played[0].e2e, 12));
        QCOMPARE(game.played[1].output, 1);
        QVERIFY(near(game.played[1].e2e, 1 + 2));
        // So is one that is drawn.
        const RequestLoad load{.inputTokens = 10, .outputTokens = 30, .concurrency = 1};
        const SimulationResult r = simulate(load, limits, step, {.requests = 20, .warmUp = 4});
        QCOMPARE(r.tokensAsked, 11 * r.requestsOut);
        QVERIFY(near(r.state.e2e, 12));
    }

    /// Lengths around one token are one token: half a token more is 8 deviations away.
    void shortestAnswers() {
        const RequestLoad load{.inputTokens = 10, .outputTokens = 1, .outputCv = 0.05, .concurrency = 1};
        const SimulationResult r = simulate(load, roomy, step, {.requests = 50, .warmUp = 4});
        QCOMPARE(r.tokensAsked, r.requestsOut);
        QVERIFY(near(r.state.e2e, 2)); // prefill alone
    }

    /// Two places and 100 users, of which 64 are played: those that wait are 98 all the same. Two requests
    /// end every 12 s, a step of 3 s and nine.
    void longLines() {
        EngineLimits limits = roomy;
        limits.maxSequences = 2;
        const RequestLoad load{.inputTokens = 10, .outputTokens = 10, .concurrency = 100};
        const SimulationResult r = simulate(load, limits, step, {.requests = 640, .warmUp = 128});
        QVERIFY(near(r.state.requestsPerSecond, 2 / 12.0, 1e-3));
        QVERIFY(near(r.state.queued, 98, 1e-2));
        QVERIFY(near(r.state.queueWait, 98 * 6, 1e-2));
        QVERIFY(near(r.state.ttft, 98 * 6 + 3, 1e-2));
        QVERIFY(near(r.state.e2e, 600, 1e-2));
        QVERIFY(near(r.ttft.front(), 98 * 6 + 3, 2e-2));
        QVERIFY(near(r.e2e.back(), 600, 2e-2));
    }

    /// Requests at a metronome's pace never meet; at random ones' they keep the rate.
    void arrivals() {
        RequestLoad load{.inputTokens = 10, .outputTokens = 2, .requestsPerSecond = 0.3, .arrivalCv = 0};
        SimulationResult r = simulate(load, roomy, step, {.requests = 200, .warmUp = 20});
        QVERIFY(near(r.ttft.back(), 2));
        QVERIFY(near(r.e2e.back(), 3));
        QVERIFY(near(r.state.requestsPerSecond, 0.3, 0.01));
        QVERIFY(near(r.state.batch, 0.3, 0.02));
        QVERIFY(near(r.state.prefillShare, 0.6, 0.02));
        load.arrivalCv = 0.5;
        r = simulate(load, roomy, step, {.requests = 20'000, .warmUp = 20});
        QVERIFY(near(r.state.requestsPerSecond, 0.3, 0.015)); // a deviation of 0.5 / sqrt(20,000)
        const double half = r.state.ttft;
        load.arrivalCv = 2;
        r = simulate(load, roomy, step, {.requests = 20'000, .warmUp = 20});
        QVERIFY(near(r.state.requestsPerSecond, 0.3, 0.06));
        QVERIFY(r.state.ttft > half && half > 2);
        // Three at once share a prefill of 4 s.
        load.arrivalCv = 0;
        load.samples = 3;
        r = simulate(load, roomy, step, {.requests = 300, .warmUp = 30});
        QVERIFY(near(r.ttft.front(), 4) && near(r.ttft.back(), 4));
        QVERIFY(near(r.state.requestsPerSecond, 0.3, 0.02));
    }

    /// One user is always under way, however long the answers are (Little's law).
    void oneUserOfDifferentAnswers() {
        const RequestLoad load{
            .inputTokens = 10, .inputCv = 0.5, .outputTokens = 20, .outputCv = 0.8, .concurrency = 1};
        const ServingState s = simulate(load, roomy, step, {.requests = 50, .warmUp = 5}).state;
        QVERIFY(near(s.requestsPerSecond * s.e2e, 1));
    }

    /// One and two users, each game of its warm-up, four for each user, and of one request for each.
    void shortestGames() {
        const RequestLoad load{.inputTokens = 10, .outputTokens = 3, .concurrency = 1.5};
        const SimulationResult r = simulate(load, roomy, step, {.requests = 1, .warmUp = 0});
        QCOMPARE(r.requestsOut, std::uint64_t(4 + 1 + 8 + 2));
    }

    /// Two engines as one. One in four is of the second kind, with three times the rate: half of the
    /// requests. Of 4 and 10 samples as many are taken as keep the proportion.
    void twoEngines() {
        SimulationResult a, b;
        a.state = {.requestsPerSecond = 2, .batch = 8, .queued = 4, .ttft = 1, .e2e = 10};
        b.state = {.requestsPerSecond = 6, .batch = 16, .queued = 0, .ttft = 3, .e2e = 20};
        a.ttft = {1, 2, 3, 4};
        b.ttft = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
        a.itl = {{1, 30}};
        b.itl = {{2, 10}, {4, 10}};
        a.steps = 5;
        b.steps = 6;
        SimulationResult m = mixed(a, b, 0.25);
        QCOMPARE(m.state.requestsPerSecond, 3.0);
        QCOMPARE(m.state.batch, 10.0);
        QCOMPARE(m.state.queued, 3.0);
        QCOMPARE(m.state.ttft, 2.0);
        QCOMPARE(m.state.e2e, 15.0);
        QCOMPARE(m.steps, std::uint64_t(11));
        QCOMPARE(m.ttft, (std::vector<double>{1, 2, 3, 4, 11, 13, 16, 18}));
        QCOMPARE(m.itl.size(), std::size_t(3));
        QVERIFY(near(m.itl[0].second, 0.5) && near(m.itl[2].second, 0.25));
        QVERIFY(near(m.state.ttftPercentiles.p50, (4 + 11) / 2.0));
        QCOMPARE(mixed(b, a, 0.75).ttft, m.ttft); // the same engines, three in four of which are the second
        QCOMPARE(m.state.itlPercentiles.p90, 4.0);
        b.state.requestsPerSecond = 0; // stopped before anything was done
        QCOMPARE(mixed(a, b, 0.25).state.batch, 8.0);
        a.state.requestsPerSecond = 0;
        b.state.requestsPerSecond = 6;
        QCOMPARE(mixed(a, b, 0.25).state.batch, 16.0);
        b.state.stable = false;
        QVERIFY(!mixed(a, b, 0.25).state.stable && !mixed(b, a, 0.25).state.stable);
    }

    /// Quantiles between samples, and of samples with weights.
    void quantiles() {
        const Percentiles p = percentilesOf(std::vector<double>{0, 10, 20});
        QVERIFY(near(p.p50, 10) && near(p.p90, 18) && near(p.p95, 19) && near(p.p99, 19.8));
        const Percentiles w = percentilesOf(std::vector<WeightedSample>{{1, 89}, {2, 4}, {3, 5}, {4, 2}});
        QVERIFY(w.p50 == 1 && w.p90 == 2 && w.p95 == 3 && w.p99 == 4);
        QVERIFY(std::isnan(percentilesOf(std::vector<double>{}).p50));
        QVERIFY(std::isnan(percentilesOf(std::vector<WeightedSample>{}).p50));
    }
};

QTEST_APPLESS_MAIN(TestEngineGame)

} // namespace tst_engine_game

#include "tst_engine_game.moc"
