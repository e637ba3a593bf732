// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/simulation.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tst_engine_room {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// A byte of each token.
EngineLimits cacheOf(double bytes) {
    return {.maxSequences = 64, .kvBytes = bytes, .chunkTokens = 1000, .memory = {.bytesPerToken = 1}};
}

} // namespace

/// What finds room in the cache of a played engine, and when its queue is taken to grow forever.
class TestEngineRoom : public QObject {
    Q_OBJECT

private slots:
    void reservedRoom_data() {
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("tokensPerStep");
        QTest::addColumn<bool>("decodes");
        QTest::addColumn<double>("prefill");
        QTest::newRow("both") << 34.0 << 1.0 << true << 20.0;
        QTest::newRow("one") << 33.9 << 1.0 << true << 10.0;
        QTest::newRow("both, two tokens of each step") << 36.0 << 2.0 << true << 20.0;
        QTest::newRow("one, two tokens of each step") << 35.9 << 2.0 << true << 10.0;
        QTest::newRow("both of a prefill pool") << 24.0 << 1.0 << false << 20.0;
        QTest::newRow("one of a prefill pool") << 23.9 << 1.0 << false << 10.0;
    }
    /// An engine that reserves takes 10 + 6 tokens and those of one step, in a prefill pool 10 + 1 and one.
    void reservedRoom() {
        QFETCH(double, bytes);
        QFETCH(double, tokensPerStep);
        QFETCH(bool, decodes);
        QFETCH(double, prefill);
        EngineLimits limits = cacheOf(bytes);
        limits.reserves = true;
        limits.tokensPerStep = tokensPerStep;
        limits.decodes = decodes;
        EngineSimulation engine(limits, 1e6);
        engine.send({0, 10, 6});
        engine.send({0, 10, 6});
        engine.plan();
        QCOMPARE(engine.work().prefillTokens, prefill);
    }

    /// Without a reserve both need 11 tokens to begin with.
    void roomToBegin() {
        for (const double bytes : {21.0, 22.0}) {
            EngineSimulation engine(cacheOf(bytes), 1e6);
            engine.send({0, 10, 6});
            engine.send({0, 10, 6});
            engine.plan();
            QCOMPARE(engine.work().prefillTokens, bytes < 22 ? 10.0 : 20.0);
        }
    }

    /// Two sequences grow from 11 tokens each to the 26 that there are. Their third step needs 28: the second
    /// one gives way, and nothing is admitted in that step. It comes back when there are 10 + 3 tokens free,
    /// which is after the end of the other one, and makes its fourth token from its 13.
    void growthToTheLastByte() {
        EngineSimulation engine(cacheOf(26), 1e6);
        engine.send({0, 10, 6});
        engine.send({0, 10, 6});
        engine.plan();
        QCOMPARE(engine.work().prefillTokens, 20.0);
        engine.advance(1, 0);
        engine.plan();
        engine.advance(1, 1);
        engine.plan();
        QCOMPARE(engine.work().decodeSequences, 2.0);
        QCOMPARE(engine.work().decodeContext, 12.0);
        QCOMPARE(engine.quietSteps(), std::int64_t(1));
        engine.advance(1, 1);
        engine.plan();
        QCOMPARE(engine.work().decodeSequences, 1.0);
        QCOMPARE(engine.work().prefillTokens, 0.0);
        QCOMPARE(engine.work().decodeContext, 13.0);
        QCOMPARE(engine.quietSteps(), std::int64_t(0));
        while (engine.work().prefillTokens == 0) {
            engine.advance(1, 1);
            QVERIFY(engine.plan());
        }
        QCOMPARE(engine.now(), 6.0); // five steps of the first one after its prompt
        QCOMPARE(engine.work().prefillTokens, 13.0);
        QCOMPARE(engine.work().decodeSequences, 0.0);
        engine.advance(1, 0); // the fourth token
        engine.plan();
        QCOMPARE(engine.work().decodeContext, 14.0);
        engine.advance(1, 1);
        engine.plan();
        engine.advance(1, 1);
        QCOMPARE(engine.open(), std::size_t(0));
        QCOMPARE(engine.played().size(), std::size_t(2));
        QCOMPARE(engine.played()[0].e2e, 6.0);
        QCOMPARE(engine.played()[1].ttft, 1.0);
        QCOMPARE(engine.played()[1].e2e, 9.0);
        QCOMPARE(engine.played()[1].output, 6);
        const SimulationResult r = engine.result();
        QCOMPARE(r.preemptions, std::uint64_t(1));
        QCOMPARE(r.tokensMade, std::uint64_t(12));
    }

    void growingQueue_data() {
        QTest::addColumn<double>("service");
        QTest::addColumn<int>("warmUp");
        QTest::addColumn<bool>("stable");
        QTest::newRow("no queue") << 0.9 << 0 << true;
        QTest::newRow("5 of 100") << 1.05 << 0 << true;
        QTest::newRow("8 of 100") << 1.09 << 0 << true;
        QTest::newRow("17 of 100") << 1.2 << 0 << false;
        QTest::newRow("from 8 to 25") << 1.2 << 50 << false;
        QTest::newRow("from 25 to 42") << 1.2 << 150 << true;
    }
    /// Requests come once a second and take so many seconds, one after another: after k of them k (1 - 1 / s)
    /// are in line. An overloaded engine has a tenth of the measured ones there in the end, and twice what
    /// it began with.
    void growingQueue() {
        QFETCH(double, service);
        QFETCH(int, warmUp);
        QFETCH(bool, stable);
        EngineLimits limits = cacheOf(1e9);
        limits.maxSequences = 1;
        limits.decodes = false;
        const RequestLoad load{.inputTokens = 10, .outputTokens = 1, .requestsPerSecond = 1, .arrivalCv = 0};
        const ServingState s = simulate(load, limits, [service](const StepWork&) { return service; },
                                        {.requests = 100, .warmUp = warmUp})
                                   .state;
        QCOMPARE(s.stable, stable);
        for (const double time : {s.queueWait, s.ttft, s.e2e, s.itl, s.tpot, s.ttftPercentiles.p50,
                                  s.ttftPercentiles.p99, s.itlPercentiles.p90}) {
            QCOMPARE(time == std::numeric_limits<double>::infinity(), !stable);
        }
        if (service < 1) {
            QVERIFY(near(s.ttft, service));
            QVERIFY(near(s.inFlight, service, 0.02));
        }
    }

    /// A hundred samples of a question come together. The spread of single requests is ten times that of the
    /// questions, which then are a second apart, give or take a tenth: none meets the half second of the one
    /// before.
    void samplesOfQuestions() {
        EngineLimits limits = cacheOf(1e9);
        limits.maxSequences = 1000;
        limits.decodes = false;
        const RequestLoad load{
            .inputTokens = 10, .outputTokens = 1, .requestsPerSecond = 100, .arrivalCv = 1, .samples = 100};
        const SimulationResult r =
            simulate(load, limits, [](const StepWork&) { return 0.5; }, {.requests = 2000, .warmUp = 100});
        QVERIFY(near(r.state.queueWait + 1, 1));
        QVERIFY(near(r.ttft.front(), 0.5));
        QVERIFY(near(r.ttft.back(), 0.5));
        QVERIFY(near(r.state.requestsPerSecond, 100, 0.1));
    }
};

QTEST_APPLESS_MAIN(TestEngineRoom)

} // namespace tst_engine_room

#include "tst_engine_room.moc"
