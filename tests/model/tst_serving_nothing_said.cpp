// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/batch_distribution.h"
#include "model/serving/loaded_engine.h"
#include "model/serving/prompt_backlog.h"
#include "model/serving/serving_totals.h"
#include "model/serving/simulation.h"
#include "model/serving/steady_state.h"

#include <QTest>

#include <cstdint>
#include <initializer_list>
#include <memory>

namespace tst_serving_nothing_said {

using namespace alidade;

namespace {

void compareAll(std::initializer_list<double> values, double expected) {
    int i = 0;
    for (const double value : values) {
        QVERIFY2(value == expected, qPrintable(QStringLiteral("value %1").arg(i)));
        ++i;
    }
}

} // namespace

/// What values of serving mean that nothing has been said about: nothing is asked, nothing is known to take
/// time or room, and nothing has happened. Callers fill in what they know and rely on the rest.
class TestServingNothingSaid : public QObject {
    Q_OBJECT

private slots:
    void whatIsAsked() {
        const RequestLoad load;
        compareAll({load.inputTokens, load.outputTokens, load.arrivalCv, load.samples, load.together}, 1);
        compareAll({load.inputCv, load.outputCv, load.cachedShare, load.concurrency, load.requestsPerSecond,
                    load.loopJitter},
                   0);
        const EngineLimits limits;
        QCOMPARE(limits.maxSequences, 256.0);
        QCOMPARE(limits.chunkTokens, 8192.0);
        QCOMPARE(limits.tokensPerStep, 1.0);
        compareAll({limits.kvBytes, limits.requestOverhead}, 0);
        QVERIFY(!limits.reserves && limits.mixed && limits.prefills && limits.decodes);
        const SequenceMemory memory;
        QCOMPARE(memory.blockTokens, 1.0);
        compareAll({memory.bytesPerToken, memory.windowBytesPerToken, memory.window, memory.constantBytes,
                    memory.sharedTokens, memory.bytesAt(100), memory.meanBytesAt(100)},
                   0);
        const StepWork work;
        compareAll(
            {work.prefillTokens, work.prefillCached, work.prompts, work.decodeSequences, work.decodeContext},
            0);
        const LoadMeans means;
        compareAll({means.prompt, means.cached, means.promptCv, means.decodeSteps, means.decodeContext,
                    means.contextDeviation, means.sequenceBytes, means.memoryBatch, means.maxBatch},
                   0);
    }

    void whatIsFound() {
        const ServingState state;
        QVERIFY(state.stable);
        compareAll({state.requestsPerSecond, state.batch, state.inFlight, state.queued, state.utilization,
                    state.decodeStep, state.prefillTime, state.queueWait, state.ttft, state.itl, state.tpot,
                    state.e2e, state.prefillShare, state.preemptionsPerRequest},
                   0);
        for (const Percentiles& p : {state.ttftPercentiles, state.itlPercentiles})
            compareAll({p.p50, p.p90, p.p95, p.p99}, 0);
        const SimulationResult played;
        QVERIFY(played.ttft.empty() && played.itl.empty() && !played.stopped);
        QCOMPARE(played.requestsIn + played.requestsOut + played.tokensAsked + played.tokensMade +
                     played.preemptions + played.steps,
                 std::uint64_t(0));
        const LoadedEngine::Crowding crowding;
        compareAll({crowding.probability, crowding.wait, crowding.preemptions}, 0);
        const Additions::Sample addition;
        compareAll({addition.seconds, addition.probability}, 0);
        compareAll({MeanTime().mean(), TimeDistribution().mean(), TimeDistribution().quantile(0.9)}, 0);
    }

    /// A recorded request of one token is answered with one; nothing has come of it before it is played.
    void recordedRequests() {
        EngineSimulation engine({.kvBytes = 1e9}, 3600);
        engine.send(RecordedRequest{});
        QVERIFY(engine.plan());
        QCOMPARE(engine.work().prefillTokens, 1.0);
        QCOMPARE(engine.now(), 0.0);
        engine.advance(2, 0);
        QCOMPARE(engine.played().size(), std::size_t(1));
        QCOMPARE(engine.played()[0].sent, 0.0);
        QCOMPARE(engine.played()[0].ttft, 2.0);
        QCOMPARE(engine.played()[0].e2e, 2.0);
        QCOMPARE(engine.played()[0].output, 1);
        const PlayedRequest none;
        compareAll({none.sent, none.ttft, none.e2e}, 0);
        QCOMPARE(none.output, 1);
        // Where requests arrive with their cache, a single token is all there is: no step is needed.
        EngineLimits decodes{.kvBytes = 1e9};
        decodes.prefills = false;
        EngineSimulation pool(decodes, 3600);
        pool.send({0, 10, 3});
        QVERIFY(pool.plan());
        QCOMPARE(pool.work().prefillTokens, 0.0);
        QCOMPARE(pool.work().decodeSequences, 1.0);
        QCOMPARE(pool.work().decodeContext, 11.0);
    }

    void waitingPrompts() {
        const PromptBacklog::Input input;
        compareAll({input.prompt, input.promptCv, input.chunk, input.rate, input.span, input.emptyShare,
                    input.alone},
                   0);
        QCOMPARE(input.others, 1.0);
        const PromptBacklog::FirstToken first;
        compareAll({first.seconds, first.behind}, 0);
        const PromptBacklog::Prompt prompt;
        compareAll({prompt.tokens, prompt.probability}, 0);
        const PromptBacklog::Pause pause;
        compareAll({pause.arrivals, pause.further, pause.mean}, 0);
        QCOMPARE(pause.longer, 1.0);
        // Nobody comes: no step has prefill, and one that would takes a prompt.
        MeanBacklog idle({.prompt = 100, .chunk = 100, .rate = 1e-300, .span = 1600});
        MeanBacklog::Lattice two{};
        two.fill(2);
        idle.solve(two, {}, 0);
        QCOMPARE(idle.meanStep(), 2.0);
        QCOMPARE(idle.prefillTimeShare(), 0.0);
        QCOMPARE(idle.meanTokens(), 0.0);
        QCOMPARE(meanAddition(idle, 2, nullptr), 0.0);
        MeanBacklog closed({.prompt = 100, .chunk = 100, .span = 1600});
        closed.solve(two, {}, 0); // and nobody completes
        QCOMPARE(closed.probability()[0], 1.0);
        QCOMPARE(closed.meanArrivals(), 0.0);
        QCOMPARE(closed.meanTokensTaken(), 100.0);
        QCOMPARE(meanAddition(closed, 2, nullptr), 0.0);
        const ClosedSolution<MeanBacklog> solution{closed, {}};
        QCOMPARE(solution.rate, 0.0);
    }

    /// Of two pools the one with less headroom decides; of equal ones, and of one alone, the first.
    void fullestPool() {
        const auto totals = std::make_unique<ServingTotals>();
        compareAll({static_cast<double>(totals->poolCount), static_cast<double>(totals->limitingPool),
                    totals->ttft, totals->itl, totals->tpot, totals->e2e, totals->queueTime,
                    totals->outsideEngine, totals->requestsPerSecond, totals->dollarsPerHour},
                   0);
        QVERIFY(!totals->fits && !totals->stable && !totals->pools[0].fits);
        totals->pools[0].headroom = 5;
        totals->pools[1].headroom = 3;
        totals->poolCount = 1;
        QCOMPARE(&totals->fullest(), &totals->pools[0]);
        QCOMPARE(&totals->decoding(), &totals->pools[0]);
        totals->poolCount = 2;
        QCOMPARE(&totals->fullest(), &totals->pools[1]);
        QCOMPARE(&totals->decoding(), &totals->pools[1]);
        QCOMPARE(&totals->prefilling(), &totals->pools[0]);
        totals->pools[1].headroom = 5;
        QCOMPARE(&totals->fullest(), &totals->pools[0]);
        totals->pools[1].headroom = 6;
        QCOMPARE(&totals->fullest(), &totals->pools[0]);
    }
};

QTEST_APPLESS_MAIN(TestServingNothingSaid)

} // namespace tst_serving_nothing_said

#include "tst_serving_nothing_said.moc"
