// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/simulation.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tst_engine_steps {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

const EngineLimits roomy{
    .maxSequences = 64, .kvBytes = 1e9, .chunkTokens = 1000, .memory = {.bytesPerToken = 1}};

/// An engine at 3 s with one sequence of 10 + 6 tokens: its prompt took 2 s, its first decode step 1 s; four
/// more are to come, the first at a context of 12.
EngineSimulation decoding(const EngineLimits& limits = roomy) {
    EngineSimulation engine(limits, 1e6);
    engine.send({0, 10, 6});
    engine.plan();
    engine.advance(2, 0);
    engine.plan();
    engine.advance(1, 1);
    return engine;
}

} // namespace

/// An engine driven step by step, as `simulate` and the player of recorded requests drive it.
class TestEngineSteps : public QObject {
    Q_OBJECT

private slots:
    /// The prompt, its first decode and the quiet steps until the answer ends.
    void oneAnswer() {
        EngineSimulation engine(roomy, 1e6);
        engine.send({0, 10, 6});
        QCOMPARE(engine.open(), std::size_t(1));
        QVERIFY(engine.plan());
        QCOMPARE(engine.work().prefillTokens, 10.0);
        QCOMPARE(engine.work().prompts, 1.0);
        QCOMPARE(engine.work().prefillCached, 0.0);
        QCOMPARE(engine.work().decodeSequences, 0.0);
        QCOMPARE(engine.quietSteps(), std::int64_t(0));
        QVERIFY(!engine.wantsDecodeOnly());
        engine.advance(2, 0);
        QVERIFY(engine.plan());
        QCOMPARE(engine.work().prefillTokens, 0.0);
        QCOMPARE(engine.work().decodeSequences, 1.0);
        QCOMPARE(engine.work().decodeContext, 11.0);
        QCOMPARE(engine.quietSteps(), std::int64_t(0)); // its first gap is its own
        QVERIFY(!engine.wantsDecodeOnly());
        engine.advance(1, 1);
        QVERIFY(engine.plan());
        QCOMPARE(engine.quietSteps(), std::int64_t(4));
        QCOMPARE(engine.work().decodeContext, 12.0);
        QCOMPARE(engine.workAfter(3).decodeContext, 15.0);
        QCOMPARE(engine.workAfter(3).decodeSequences, 1.0);
        QCOMPARE(engine.workAfter(3).prefillTokens, 0.0);
        engine.advance(4, 1, 4); // 1, 2, 3 and 4 s
        QCOMPARE(engine.now(), 13.0);
        QCOMPARE(engine.open(), std::size_t(0));
        QCOMPARE(engine.played().size(), std::size_t(1));
        const PlayedRequest& r = engine.played()[0];
        QCOMPARE(r.sent, 0.0);
        QCOMPARE(r.ttft, 2.0);
        QCOMPARE(r.e2e, 13.0);
        QCOMPARE(r.output, 6);
        // Five gaps: 1 s, and 10 s for the other four.
        QCOMPARE(engine.gaps().size(), std::size_t(1));
        QVERIFY(near(engine.gaps()[0].mean(), 11 / 5.0));
        // Two pairs of them stand for the four: 1.5 and 3.5 s.
        QVERIFY(near(engine.gaps()[0].quantile(0.4), 1.5, 0.02));
        QVERIFY(near(engine.gaps()[0].quantile(0.9), 3.5, 0.02));
        const SimulationResult result = engine.result();
        QCOMPARE(result.steps, std::uint64_t(6));
        QCOMPARE(result.requestsIn, std::uint64_t(1));
        QCOMPARE(result.requestsOut, std::uint64_t(1));
        QCOMPARE(result.tokensAsked, std::uint64_t(6));
        QCOMPARE(result.tokensMade, std::uint64_t(6));
        QVERIFY(near(result.state.batch, 11 / 13.0));
        QVERIFY(near(result.state.inFlight, 1));
        QVERIFY(near(result.state.decodeStep, 11 / 5.0));
        QVERIFY(near(result.state.prefillShare, 2 / 13.0));
        QVERIFY(near(result.state.requestsPerSecond, 1 / 13.0));
        QCOMPARE(result.state.queued, 0.0);
    }

    void quietStepsEndAtAnArrival_data() {
        QTest::addColumn<double>("horizon");
        QTest::addColumn<double>("overhead");
        QTest::addColumn<int>("steps");
        QTest::newRow("in the first") << 3.5 << 0.0 << 1;
        QTest::newRow("at the end of the first") << 4.0 << 0.0 << 1;
        QTest::newRow("right after the first") << 4.1 << 0.0 << 2;
        QTest::newRow("at the end of the second") << 6.0 << 0.0 << 2;
        QTest::newRow("in the third") << 6.1 << 0.0 << 3;
        QTest::newRow("in the last") << 12.9 << 0.0 << 4;
        QTest::newRow("after all") << 50.0 << 0.0 << 4;
        QTest::newRow("soon in the queue") << 5.0 << 2.0 << 2;
        QTest::newRow("longer on its way to the queue") << 7.0 << 2.0 << 3;
    }
    /// Steps of 1, 2, 3 and 4 s from 3 s on end at 4, 6, 9 and 13 s, and later by what the first request took
    /// to reach the queue: a request that comes, or that may come, joins at the end of the one under way.
    void quietStepsEndAtAnArrival() {
        QFETCH(double, horizon);
        QFETCH(double, overhead);
        QFETCH(int, steps);
        const double ends[] = {3, 4, 6, 9, 13};
        EngineLimits limits = roomy;
        limits.requestOverhead = overhead;
        for (const bool known : {true, false}) {
            EngineSimulation engine = decoding(limits);
            if (known)
                engine.send({horizon, 10, 6});
            else
                engine.playTo(horizon);
            engine.plan();
            QCOMPARE(engine.quietSteps(), std::int64_t(4));
            engine.advance(4, 1, 4);
            QCOMPARE(engine.now(), ends[steps] + overhead);
            QCOMPARE(engine.open(), std::size_t((steps < 4 ? 1 : 0) + (known ? 1 : 0)));
            if (steps < 4) {
                engine.plan();
                QCOMPARE(engine.work().prefillTokens, known ? 10.0 : 0.0);
                QCOMPARE(engine.work().decodeContext, 12.0 + steps);
            }
            QCOMPARE(engine.result().requestsIn, std::uint64_t(known ? 2 : 1));
        }
    }

    /// With two tokens of each step the five tokens after the first one take three steps. A gap is half a
    /// step.
    void twoTokensOfEachStep() {
        EngineLimits limits = roomy;
        limits.tokensPerStep = 2;
        EngineSimulation engine = decoding(limits);
        engine.plan();
        QCOMPARE(engine.work().decodeContext, 13.0);
        QCOMPARE(engine.quietSteps(), std::int64_t(2));
        QCOMPARE(engine.workAfter(1).decodeContext, 15.0);
        engine.advance(2, 3, 3);
        QCOMPARE(engine.now(), 9.0);
        QCOMPARE(engine.played().at(0).output, 6);
        QVERIFY(near(engine.gaps().at(0).mean(), (2 * 0.5 + 4 * 1.5) / 6));
        QCOMPARE(engine.result().tokensMade, std::uint64_t(6));
    }

    /// A second prompt beside the first decode. What it adds is counted as prefill; alone, prefill comes
    /// first.
    void mixedOrNot() {
        for (const bool mixed : {true, false}) {
            EngineLimits limits = roomy;
            limits.mixed = mixed;
            EngineSimulation engine(limits, 1e6);
            engine.send({0, 10, 6});
            engine.send({1, 20, 6, 5});
            engine.plan();
            engine.advance(2, 0);
            engine.plan();
            QCOMPARE(engine.work().prefillTokens, 15.0);
            QCOMPARE(engine.work().prefillCached, 5.0);
            QCOMPARE(engine.work().prompts, 1.0);
            QCOMPARE(engine.work().decodeSequences, mixed ? 1.0 : 0.0);
            QCOMPARE(engine.work().decodeContext, mixed ? 11.0 : 0.0);
            QCOMPARE(engine.wantsDecodeOnly(), mixed);
            QCOMPARE(engine.quietSteps(), std::int64_t(0));
            QCOMPARE(engine.decodeOnly().prefillTokens, 0.0);
            QCOMPARE(engine.decodeOnly().decodeSequences, mixed ? 1.0 : 0.0);
            QCOMPARE(engine.decodeOnly().decodeContext, mixed ? 11.0 : 0.0);
            engine.advance(3, mixed ? 1 : 0);
            engine.plan();
            QCOMPARE(engine.work().decodeSequences, 2.0);
            // 10 + 1 tokens, one more where it decoded; 20 + 1.
            QCOMPARE(engine.work().decodeContext, (mixed ? 33 : 32) / 2.0);
            const ServingState state = engine.result().state;
            QVERIFY(near(state.prefillShare, mixed ? 4 / 5.0 : 1));
            QCOMPARE(state.decodeStep, mixed ? 1.0 : 0.0);
            QVERIFY(near(state.batch, 3 / 5.0));
            QVERIFY(near(state.inFlight, (2 + 3 * 2) / 5.0));
        }
    }

    /// Tokens of a step: decodes go first, prompts share the rest in their order.
    void budgetOfAStep() {
        EngineLimits limits = roomy;
        limits.chunkTokens = 5;
        EngineSimulation engine(limits, 1e6);
        engine.send({0, 3, 6});
        engine.send({0, 4, 6});
        engine.plan();
        QCOMPARE(engine.work().prefillTokens, 5.0);
        QCOMPARE(engine.work().prompts, 2.0);
        engine.advance(1, 0);
        engine.plan(); // two are left of the second prompt, behind two that are done
        QCOMPARE(engine.work().prefillTokens, 2.0);
        QCOMPARE(engine.work().prefillCached, 2.0);
        QCOMPARE(engine.work().prompts, 1.0);
        QCOMPARE(engine.work().decodeSequences, 1.0);
        engine.advance(1, 1);
        engine.send({2, 10, 6});
        engine.plan(); // three beside two decodes
        QCOMPARE(engine.work().prefillTokens, 3.0);
        QCOMPARE(engine.work().decodeSequences, 2.0);
        // Less than a token: one at a time, and none beside a decode.
        limits.chunkTokens = 0.5;
        EngineSimulation slow(limits, 1e6);
        slow.send({0, 1, 3});
        slow.send({0, 1, 3});
        slow.plan();
        QCOMPARE(slow.work().prefillTokens, 1.0);
        slow.advance(1, 0);
        slow.plan();
        QCOMPARE(slow.work().prefillTokens, 0.0);
        QCOMPARE(slow.work().decodeSequences, 1.0);
    }

    void users_data() {
        QTest::addColumn<double>("users");
        QTest::addColumn<double>("together");
        QTest::addColumn<int>("requests");
        QTest::newRow("whole") << 3.0 << 1.0 << 5 * 3;
        QTest::newRow("two or three") << 2.5 << 1.0 << 5 * (2 + 3);
        QTest::newRow("fewer than come together") << 1.5 << 2.0 << 5 * 2;
        QTest::newRow("less than one") << 0.5 << 1.0 << 5;
        QTest::newRow("almost too many") << 63.5 << 1.0 << 5 * (63 + 64);
        QTest::newRow("so many that one does not matter") << 64.5 << 1.0 << 5 * 65;
    }
    /// Four requests of each user to warm up and one that is measured, in one game or in two.
    void users() {
        QFETCH(double, users);
        QFETCH(double, together);
        QFETCH(int, requests);
        RequestLoad load{.inputTokens = 10, .outputTokens = 3, .concurrency = users};
        load.together = together;
        EngineLimits limits = roomy;
        limits.maxSequences = 100;
        limits.chunkTokens = 10'000;
        const auto step = [](const StepWork&) { return 1.0; };
        const SimulationResult r = simulate(load, limits, step, {.requests = 1, .warmUp = 0});
        QCOMPARE(r.requestsOut, static_cast<std::uint64_t>(requests));
        QVERIFY(near(r.state.e2e, 3));
        QVERIFY(near(r.state.ttft, 1));
        QVERIFY(near(r.state.requestsPerSecond, users / 3));
    }

    /// One engine in four is of the second kind and does half of the requests: over time it counts a quarter,
    /// over requests a half.
    void everythingOfTwoEngines() {
        SimulationResult a, b;
        a.state = {.requestsPerSecond = 2,
                   .batch = 8,
                   .inFlight = 12,
                   .queued = 4,
                   .decodeStep = 2,
                   .queueWait = 4,
                   .ttft = 1,
                   .itl = 6,
                   .tpot = 8,
                   .e2e = 10,
                   .prefillShare = 0.4,
                   .preemptionsPerRequest = 1,
                   .ttftPercentiles = {},
                   .itlPercentiles = {}};
        b.state = {.requestsPerSecond = 6,
                   .batch = 16,
                   .inFlight = 20,
                   .queued = 0,
                   .decodeStep = 4,
                   .queueWait = 8,
                   .ttft = 3,
                   .itl = 12,
                   .tpot = 10,
                   .e2e = 20,
                   .prefillShare = 0.8,
                   .preemptionsPerRequest = 3,
                   .ttftPercentiles = {},
                   .itlPercentiles = {}};
        a.tpot = {1, 2};
        b.tpot = {5, 6};
        a.e2e = {7};
        b.e2e = {8, 9, 10};
        a.requestsIn = a.requestsOut = a.tokensAsked = a.tokensMade = a.preemptions = 1;
        b.requestsIn = 10;
        b.requestsOut = 20;
        b.tokensAsked = 30;
        b.tokensMade = 40;
        b.preemptions = 50;
        SimulationResult m = mixed(a, b, 0.25);
        QCOMPARE(m.state.requestsPerSecond, 3.0);
        QCOMPARE(m.state.batch, 10.0);
        QCOMPARE(m.state.inFlight, 14.0);
        QCOMPARE(m.state.queued, 3.0);
        QVERIFY(near(m.state.prefillShare, 0.5));
        QCOMPARE(m.state.decodeStep, 3.0);
        QCOMPARE(m.state.queueWait, 6.0);
        QCOMPARE(m.state.ttft, 2.0);
        QCOMPARE(m.state.itl, 9.0);
        QCOMPARE(m.state.tpot, 9.0);
        QCOMPARE(m.state.e2e, 15.0);
        QCOMPARE(m.state.preemptionsPerRequest, 2.0);
        QCOMPARE(m.tpot, (std::vector<double>{1, 2, 5, 6}));
        QCOMPARE(m.e2e, (std::vector<double>{7, 9})); // one of each: the middle one of three
        QCOMPARE(m.requestsIn, std::uint64_t(11));
        QCOMPARE(m.requestsOut, std::uint64_t(21));
        QCOMPARE(m.tokensAsked, std::uint64_t(31));
        QCOMPARE(m.tokensMade, std::uint64_t(41));
        QCOMPARE(m.preemptions, std::uint64_t(51));
        QVERIFY(!m.stopped);
        a.stopped = true;
        QVERIFY(mixed(a, b, 0.25).stopped);
        QVERIFY(mixed(b, a, 0.25).stopped);
    }
};

QTEST_APPLESS_MAIN(TestEngineSteps)

} // namespace tst_engine_steps

#include "tst_engine_steps.moc"
