// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/serving_energy.h"
#include "model/reliability/power.h"
#include "model/workload/parameters.h"
#include "tests/model/service_rig.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tst_evaluate_service {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-11 * std::max(std::abs(a), std::abs(b)); }

/// Chance that a request finds others in an open loop with 2.5 in the engine.
double busy() { return 1 - std::exp(-2.5); }

/// Gap between tokens: 0.05 s, and the 0.02 s of a prompt over 10 gaps.
constexpr double gap = 0.052;

} // namespace

/// A service at a state of its engines that is given, on paper.
class TestEvaluateService : public QObject {
    Q_OBJECT

private slots:
    /// A sequence of mean age has 100 + 11 / 2 tokens of 256 bytes, at its end 111.
    void memory() {
        ServiceRig rig;
        const ServingTotals& t = rig.evaluated();
        const PoolTotalsT<double>& pool = t.pools[0];
        QCOMPARE(pool.memory.kvCapacity, 97'800.0);
        QCOMPARE(pool.kvPerSequence, 105.5 * 256);
        QVERIFY(near(pool.maxConcurrency, 97'800 / (105.5 * 256)));
        QVERIFY(near(pool.kvTokens, 97'800.0 / 256));
        QVERIFY(t.fits && pool.fits);
        // 2.5 sequences in the engine need more than one at its end.
        QCOMPARE(pool.kvInUse, 2.5 * 105.5 * 256);
        QCOMPARE(pool.memoryTotal, 30'000 + 51'200 + 1000 + 2.5 * 105.5 * 256);
        QCOMPARE(pool.headroom, 180'000 - 82'200 - 2.5 * 105.5 * 256);
        rig.states[0].inFlight = 0.5;
        QCOMPARE(rig.evaluated().pools[0].kvInUse, 111.0 * 256);
        rig.states[0].inFlight = 100; // no more than there is room for
        QCOMPARE(rig.evaluated().pools[0].kvInUse, 97'800.0);
    }

    /// Host memory holds caches too; a largest batch is another limit.
    void moreRoomAndLargestBatch() {
        ServiceRig rig;
        rig.in()[Input::kvOffload] = 42'200;
        rig.in()[Input::largestBatch] = 50;
        QVERIFY(near(rig.evaluated().pools[0].maxConcurrency, 140'000 / (105.5 * 256)));
        rig.in()[Input::largestBatch] = 4;
        QCOMPARE(rig.evaluated().pools[0].maxConcurrency, 4.0);
        rig.in()[Input::attentionDataParallel] = 2;
        QCOMPARE(rig.evaluated().pools[0].maxConcurrency, 8.0);
        QVERIFY(near(rig.evaluated().pools[0].kvTokens, 2 * 140'000.0 / 256));
    }

    /// What a request reserves at its start is its whole length; others share 40 tokens of its prompt.
    void reservedAndShared() {
        ServiceRig rig;
        rig.plan().reservesRequests = true;
        QCOMPARE(rig.evaluated().pools[0].kvPerSequence, 111.0 * 256);
        rig.plan().reservesRequests = false;
        rig.in()[Input::sharedPrompt] = 40;
        QCOMPARE(rig.evaluated().pools[0].kvPerSequence, 65.5 * 256);
        rig.in()[Input::sharedPrompt] = 1000;
        QCOMPARE(rig.evaluated().pools[0].kvPerSequence, 5.5 * 256);
        rig.plan().phase = ServingPhase::prefill;
        rig.in()[Input::sharedPrompt] = 0;
        QCOMPARE(rig.evaluated().pools[0].kvPerSequence, 100.0 * 256);
    }

    /// A request at its end has to fit; otherwise nothing is evaluated but memory.
    void doesNotFit() {
        ServiceRig rig;
        rig.in()[Input::outputTokens] = 283; // 383 x 256 bytes are 248 too many
        QVERIFY(!rig.evaluated().fits);
        QCOMPARE(rig.totals->pools[0].kvInUse, 383.0 * 256);
        QCOMPARE(rig.totals->pools[0].headroom, 97'800 - 383.0 * 256);
        rig.in()[Input::outputTokens] = 282;
        QVERIFY(rig.evaluated().fits);
        // Weights must fit into the memory of the GPU, whatever the host holds.
        rig.plan().heaviest.split = 120'000;
        rig.in()[Input::kvOffload] = 1e6;
        QVERIFY(!rig.evaluated().fits);
        rig.plan().heaviest.split = 20'000;
        rig.scenario.legal = false;
        QVERIFY(rig.evaluated().fits && !rig.totals->stable);
    }

    /// The mean prompt is one chunk of 64 tokens and a part: 0.01 + 0.02 x 64 / 100 s, so that the 0.06 s of
    /// its prefill are so many steps, the last of which has the 0.02 s of a prompt after its token.
    void timeToFirstToken() {
        ServiceRig rig;
        const ServingTotals& t = rig.evaluated();
        QVERIFY(near(t.pools[0].prefill.seconds, 0.0228));
        QVERIFY(near(t.pools[0].decode.seconds, 0.01));
        QVERIFY(near(t.itl, gap));
        QVERIFY(near(t.prefillTime, 0.06 - 0.02));
        QVERIFY(near(t.queueTime, 0.5));
        const double outside = 0.03 + 1.5 * busy() * gap;
        // The rest, 0.6 - 0.5 - 0.06 s, are steps that it shares.
        QVERIFY(near(t.ttft, outside + 0.5 + 0.04 + 0.04));
        QVERIFY(near(t.e2e, t.ttft + 0.6 + 0.02));
        QVERIFY(near(t.outsideEngine, outside - 0.02));
        QVERIFY(near(t.ttftPercentiles.p50, 0.7 + outside - 0.02));
        QVERIFY(near(t.ttftPercentiles.p99, 1 + outside - 0.02));
        QCOMPARE(t.itlPercentiles.p95, 0.07);
        // (1.2 - 0.6) / 10 s of an answer's token are 0.01 more than a gap.
        QVERIFY(near(t.tpot, gap + 0.01));
        rig.states[0].ttftPercentiles = {};
        QCOMPARE(rig.evaluated().ttftPercentiles.p90, 0.0); // not asked for
        rig.states[0].ttft = 0.5 + 0.06 + 1e-10;            // rounding is not a time
        QVERIFY(near(rig.evaluated().ttft, outside + 0.5 + 0.04));
        rig.states[0].stable = false;
        rig.states[0].e2e = std::numeric_limits<double>::infinity(); // no answer ends
        QVERIFY(!rig.evaluated().stable);
        QVERIFY(near(rig.totals->tpot, gap));
    }

    /// In a closed loop one's own request finds no other of the same user, and who waits outside does not
    /// wait in the queue. A shorter time inside the engine lets the next request come sooner.
    void closedLoop() {
        ServiceRig rig;
        rig.in()[Input::concurrency] = 5;
        rig.in()[Input::requestRate] = 0;
        rig.states[0].inFlight = 1.75;
        const ServingTotals& t = rig.evaluated();
        const double outside = 0.03 + 1.5 * 0.75 * gap;
        QVERIFY(near(t.queueTime, 0.5 - outside));
        QVERIFY(near(t.ttft, 0.5 + 0.04 + 0.04));
        QVERIFY(near(t.e2e, 0.58 + 0.62));
        QVERIFY(near(t.outsideEngine, -0.02));
        QVERIFY(near(t.requestsPerSecond, 2 * 3 * 1.2 / 1.2));
        rig.states[0].queueWait = 0;
        rig.states[0].ttft = 0.1;
        rig.states[0].e2e = 0.7;
        QCOMPARE(rig.evaluated().queueTime, 0.0);
        QVERIFY(near(rig.totals->e2e, outside + 0.04 + 0.04 + 0.62));
        QVERIFY(near(rig.totals->requestsPerSecond, 2 * 3 * 0.7 / (outside + 0.7)));
        rig.states[0].inFlight = 7;
        QVERIFY(near(rig.evaluated().e2e, 0.03 + 1.5 * gap + 0.7));
    }

    /// Two replicas at 3 requests/s each, on 4 GPUs.
    void throughput() {
        ServiceRig rig;
        const ServingTotals& t = rig.evaluated();
        QCOMPARE(t.requestsPerSecond, 6.0);
        QCOMPARE(t.outputTokensPerSecond, 66.0);
        QCOMPARE(t.inputTokensPerSecond, 600.0);
        QCOMPARE(t.outputTokensPerSecondPerGpu, 16.5);
        QVERIFY(near(t.concurrency, 6 * t.e2e));
        QVERIFY(near(t.maxConcurrency, 2 * 97'800 / (105.5 * 256)));
        QCOMPARE(t.preemptionsPerRequest, 0.125);
        QVERIFY(near(t.maxRequestRate, 2 * 3 / 0.6));
        QCOMPARE(t.prefillShare, 0.25);
        rig.states[0].preemptionsPerRequest = 1e-7;
        rig.states[0].utilization = 1.5;
        QCOMPARE(rig.evaluated().preemptionsPerRequest, 0.0);
        QVERIFY(near(rig.totals->maxRequestRate, 6.0));
        QCOMPARE(rig.totals->pools[0].utilization, 1.5);
        QCOMPARE(rig.totals->pools[0].batch, 2.0);
    }

    /// $24 an hour: a quarter for 600 input tokens/s, the rest for 66 output tokens/s.
    void money() {
        ServiceRig rig;
        const ServingTotals& t = rig.evaluated();
        QCOMPARE(t.dollarsPerHour, 24.0);
        QVERIFY(near(t.dollarsPerMillionInputTokens, 6 / (3600 * 600e-6)));
        QVERIFY(near(t.dollarsPerMillionOutputTokens, 18 / (3600 * 66e-6)));
        QVERIFY(near(t.dollarsPerMillionTokens, 24 / (3600 * 666e-6)));
        rig.states[0].batch = 0; // nothing but prefill
        QVERIFY(near(rig.evaluated().dollarsPerMillionInputTokens, 24 / (3600 * 600e-6)));
        rig.states[0].stable = false;
        QCOMPARE(rig.evaluated().dollarsPerMillionTokens, 0.0);
        QCOMPARE(rig.totals->dollarsPerHour, 24.0);
        rig.scenario.pools[0].hasPrice = false;
        rig.totals = std::make_unique<ServingTotals>();
        QCOMPARE(rig.evaluated().dollarsPerHour, 0.0);
    }

    /// Answers of one token end with their prefill.
    void onlyPrefill() {
        ServiceRig rig;
        rig.plan().phase = ServingPhase::prefill;
        const ServingTotals& t = rig.evaluated();
        QCOMPARE(t.itl, 0.0);
        QCOMPARE(t.outputTokensPerSecond, 6.0);
        QVERIFY(near(t.prefillTime, 0.06)); // no other token waits for the prompt's fixed cost
        // The engine counts the 0.03 s of a request: 0.01 s are left for shared steps.
        QVERIFY(near(t.ttft, 0.03 + 0.5 + 0.06 + 0.01));
        QCOMPARE(t.e2e, t.ttft);
        QCOMPARE(t.pools[0].batch, 2.5);
        QVERIFY(near(t.outsideEngine, 0));
    }

    /// Apart, a cache of 100 tokens x 256 bytes travels at half of the slower one's 4,000 bytes/s, 0.5 s
    /// after it is sent; each pool pays for its own. A request waits in both, 0.5 and 0.25 s. What a prompt
    /// costs after its token delays no token of another engine.
    void poolsApart() {
        ServiceRig rig;
        rig.splitPools();
        rig.scenario.transferOverlaps = false;
        rig.in(0)[Input::servingTransferEfficiency] = rig.in(1)[Input::servingTransferEfficiency] = 0.5;
        rig.in(0)[Input::networkBandwidth] = 6000;
        rig.in(1)[Input::networkBandwidth] = 4000;
        rig.in(0)[Input::networkLatency] = 0.5;
        rig.in(1)[Input::workers] = 3;
        rig.in(1)[Input::gpus] = 6;
        rig.in(1)[Input::paidItems] = 5;
        rig.states[0].utilization = 0.4;
        rig.states[1].ttft = 0.25;
        rig.states[1].ttftPercentiles = {.p50 = 0.15, .p90 = 0.55, .p95 = 0.55, .p99 = 0.65};
        const ServingTotals& t = rig.evaluated();
        constexpr double transfer = 0.5 + 100 * 256 / 2000.0;
        QVERIFY(near(t.pools[1].transferTime, transfer));
        QVERIFY(near(t.ttft, 0.03 + (0.5 + 0.25) + 0.04 + 0.01 + transfer));
        QVERIFY(near(t.e2e, t.ttft + 1.2 - 0.25));
        // Quantiles: 0.7 and 0.15 s deviate by 0.1 and -0.1 s from their means; 0.8 and 0.55 by 0.2 and 0.3.
        QVERIFY(near(t.ttftPercentiles.p90, transfer + 0.85 + std::hypot(0.2, 0.3) + t.outsideEngine));
        QCOMPARE(t.limitingPool, 1);
        QVERIFY(near(t.maxRequestRate, std::min(2 * 3 / 0.4, 3 * 3 / 0.6)));
        QCOMPARE(t.requestsPerSecond, 9.0);
        QVERIFY(near(t.outputTokensPerSecondPerGpu, 99 / 10.0));
        QCOMPARE(t.prefillShare, 0.4);
        QCOMPARE(t.dollarsPerHour, 24.0 + 40);
        QVERIFY(near(t.dollarsPerMillionInputTokens, 24 / (3600 * 900e-6)));
        QVERIFY(near(t.dollarsPerMillionOutputTokens, 40 / (3600 * 99e-6)));
        QVERIFY(near(t.maxConcurrency, 2 * 97'800 / (100 * 256.0) + 3 * 97'800 / (105.5 * 256)));
        rig.states[0].utilization = 0.7;
        QCOMPARE(rig.evaluated().limitingPool, 0);
        rig.states[1].stable = false;
        QVERIFY(!rig.evaluated().stable);
        // Over NVLink, at its own latency, one layer of two is left to send after the last of the prefill.
        rig.scenario.transfersOverNvlink = rig.scenario.transferOverlaps = true;
        rig.in(0)[Input::nvlinkBandwidth] = 8e6;
        rig.in(1)[Input::nvlinkBandwidth] = 9e6;
        rig.in(0)[Input::nvlinkStepLatency] = 0.001;
        QVERIFY(near(rig.evaluated().pools[1].transferTime, (0.001 + 25'600 / 4e6) / 2));
        // The network still sends after the prefill, of 100 tokens in steps of 64.
        rig.scenario.transfersOverNvlink = false;
        rig.evaluated();
        const double step = rig.totals->pools[0].prefill.seconds;
        QVERIFY(near(rig.totals->pools[1].transferTime, transfer - step * 100 / 64));
    }

    /// A closed loop over two pools is at the rate at which so many are under way (Little).
    void closedLoopOverPools() {
        ServiceRig rig;
        rig.splitPools();
        rig.scenario.transferOverlaps = false;
        for (const std::size_t pool : {std::size_t{0}, std::size_t{1}}) {
            rig.in(pool)[Input::servingTransferEfficiency] = 1;
            rig.in(pool)[Input::networkBandwidth] = 25'600;
            rig.in(pool)[Input::concurrency] = 5;
            rig.in(pool)[Input::requestRate] = 0;
        }
        const auto underWay = [&] {
            const ServingState &p = rig.totals->pools[0].state, &d = rig.totals->pools[1].state;
            return 2 * d.requestsPerSecond * (p.ttft + 1 + d.e2e);
        };
        evaluateServing<double>(rig.scenario, poolInputs(rig.scenario), *rig.totals);
        QVERIFY(std::abs(underWay() - 5) < 0.01);
        QVERIFY(rig.totals->pools[0].state.ttftPercentiles.p99 > 0);
        // More than both hold: the rest waits in front, at 0.95 of the smaller pool's largest rate.
        for (const std::size_t pool : {std::size_t{0}, std::size_t{1}})
            rig.in(pool)[Input::concurrency] = 1000;
        evaluateServing<double>(rig.scenario, poolInputs(rig.scenario), *rig.totals);
        QVERIFY(near(underWay(), 1000));
        const ServingState& p = rig.totals->pools[0].state;
        QVERIFY(p.queued > 900 && p.queueWait > 900 / (2 * p.requestsPerSecond));
        QVERIFY(p.ttftPercentiles.p50 > 900 / (2 * p.requestsPerSecond));
        QVERIFY(near(std::max(p.utilization, rig.totals->pools[1].state.utilization), 0.95));
    }

    /// 66 + 600 tokens/s of 2 FLOP a parameter on 4 GPUs; a decode step reads the weights of 30,000 bytes
    /// every 2 x 2 / 66 s.
    void energy() {
        ServiceRig rig;
        rig.scenario.model.hiddenSize = 64;
        rig.scenario.model.layers = 2;
        rig.scenario.model.vocabSize = 1000;
        const double parameters = static_cast<double>(countParameters(rig.scenario.model).total);
        QVERIFY(parameters > 0);
        Inputs& in = rig.in();
        in[Input::reportingPeak] = 666 * parameters; // half of it in use
        in[Input::prefixCacheHit] = 0;
        in[Input::gpuPower] = 700;
        in[Input::idlePower] = 0.1;
        in[Input::servingPowerFloor] = 0.2;
        in[Input::servingPowerCompute] = 2;
        in[Input::servingPowerMemory] = 3;
        in[Input::fanPower] = 0.1;
        in[Input::hostPowerPerGpu] = 50;
        in[Input::pue] = 1.2;
        in[Input::gridCarbon] = 0.4;
        QVERIFY(hasPower(rig.scenario));
        rig.evaluated();
        in[Input::memoryBandwidth] = 30'000 * 66 / 4.0 / 0.25; // a quarter of it in use
        const auto energyOf = [&] {
            const std::vector<Inputs> pools = poolInputs(rig.scenario);
            return servingEnergy<double>(rig.scenario, std::span<const Inputs>(pools), *rig.totals);
        };
        const ServingEnergyT<double> e = energyOf();
        const double gpu = 700 * (0.1 + 0.9 * (1 - 0.8 * std::exp(-(2 * 0.5 + 3 * 0.25))));
        QVERIFY(near(e.gpuWatts, gpu));
        const double watts = 4 * (gpu * 1.1 + 50) * 1.2;
        QVERIFY(near(e.watts, watts));
        QVERIFY(near(e.joulesPerOutputToken, watts / 66));
        QVERIFY(near(e.kilowattHoursPerMillionTokens, watts / 666 * 1e6 / 3.6e6));
        QVERIFY(near(e.kilowattHoursPerMonth, watts * 730 / 1000));
        QVERIFY(near(e.carbonKgPerMonth, watts * 730 / 1000 * 0.4));
        in[Input::prefixCacheHit] = 1; // what is cached is not computed
        QVERIFY(near(energyOf().gpuWatts,
                     700 * (0.1 + 0.9 * (1 - 0.8 * std::exp(-(2 * 66 / 666.0 / 2 + 3 * 0.25))))));
        in[Input::prefixCacheHit] = 0;
        rig.plan().phase = ServingPhase::prefill; // reads no weights again and again
        QVERIFY(near(energyOf().gpuWatts, 700 * (0.1 + 0.9 * (1 - 0.8 * std::exp(-(2 * 600 / 666.0 / 2))))));
        QVERIFY(near(energyOf().joulesPerOutputToken, energyOf().watts / 600));
        rig.plan().phase = ServingPhase::decode;
        QVERIFY(near(energyOf().gpuWatts,
                     700 * (0.1 + 0.9 * (1 - 0.8 * std::exp(-(2 * 66 / 666.0 / 2 + 3 * 0.25))))));
        in[Input::gpuPower] = 0;
        QVERIFY(!hasPower(rig.scenario));
    }
};

QTEST_APPLESS_MAIN(TestEvaluateService)

} // namespace tst_evaluate_service

#include "tst_evaluate_service.moc"
