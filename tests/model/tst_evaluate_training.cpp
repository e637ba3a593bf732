// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/evaluate.h"
#include "tests/model/training_rig.h"

#include <QTest>

#include <cmath>
#include <memory>
#include <vector>

namespace tst_evaluate_training {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr std::size_t at(StepPart part) { return static_cast<std::size_t>(part); }

/// 5 layers of which a token is multiplied with 1,000 weights and has 50 FLOP in its core, on two stages: 96
/// sequences of 128 tokens a step, 8 micro-batches.
struct EvaluateRig {
    Scenario scenario;
    std::unique_ptr<Totals> totals = std::make_unique<Totals>();

    EvaluateRig() {
        TrainingRig small;
        scenario.plan = small.plan;
        TrainingPlan& plan = scenario.plan;
        plan.pipelineParallel = 2;
        plan.microbatches = 8;
        LayerKind kind = small.attention;
        kind.activeGemm = 1000;
        kind.coreFlops = 50;
        plan.kinds = {kind};
        plan.prediction = kind;
        plan.prediction.activeGemm = 700;
        plan.stageLayers = {3, 2};
        plan.stageKinds = plan.virtualStageKinds = {{3}, {2}};
        Inputs& in = scenario.inputs;
        in = small.in;
        in[Input::memoryBandwidth] = 1e7;
        in[Input::globalBatch] = 96;
        in[Input::dataParallel] = 4;
        in[Input::fragmentation] = 1;
        in[Input::shardRanks] = in[Input::expertShardRanks] = 1;
        in[Input::pipelineParallel] = 2;
        in[Input::gpus] = 16;
        in[Input::gpusPerHost] = 4;
        in[Input::stepOverhead] = 2;
        in[Input::modelParameters] = 1e6;
        in[Input::weightBytes] = 2;
        in[Input::optimizerBytes] = 12;
        in[Input::capacity] = 1e9;
        in[Input::memoryReserve] = 0.1;
        in[Input::storageClient] = 5e6;
        in[Input::checkpointWriter] = 1e6;
        in[Input::gpuHoursPerFailure] = 1e7;
        in[Input::tokens] = 1.2288e7; // 1,000 steps
        in[Input::price] = 10;
        in[Input::paidItems] = 5;
        in[Input::gpuPower] = 1000;
        in[Input::powerUtilization] = 0.8;
        in[Input::idlePower] = 0.1;
        in[Input::waitingPower] = 0.5;
        in[Input::pue] = 1.5;
        in[Input::gridCarbon] = 0.4;
        scenario.hasTokens = scenario.hasPrice = true;
    }

    Inputs& in() { return scenario.inputs; }
    const Totals& evaluated() {
        evaluate(scenario, scenario.inputs, *totals);
        return *totals;
    }
};

constexpr double stepTokens = 96 * 128;
/// Of a token forward: two for each weight, and the core; logits of 64 x 1,000.
constexpr double forward = 5 * (2 * 1000 + 50) + 2 * 64 * 1000;

} // namespace

/// What an evaluation of a training scenario makes of a step: throughput, checkpoints, data, power and money.
class TestEvaluateTraining : public QObject {
    Q_OBJECT

private slots:
    /// Three times the forward pass, for all tokens of a step on 16 GPUs.
    void throughput() {
        EvaluateRig rig;
        rig.in()[Input::reportingPeak] = 1e4;
        const Totals& t = rig.evaluated();
        QVERIFY(t.stepTime > 2);
        VERIFY_NEAR(t.tokensPerSecond, stepTokens / t.stepTime);
        VERIFY_NEAR(t.tokensPerSecondPerGpu, stepTokens / t.stepTime / 16);
        VERIFY_NEAR(t.modelFlops, 3 * forward * stepTokens);
        VERIFY_NEAR(t.modelFlopsPerSecondPerGpu, 3 * forward * stepTokens / t.stepTime / 16);
        VERIFY_NEAR(t.mfu, 3 * forward * stepTokens / t.stepTime / 16 / 1e4);
        const double executed = 5 * t.layers[0].executedFlops + t.head.executedFlops;
        VERIFY_NEAR(t.hfu, 8 * executed / 2 / t.stepTime / 1e4);
        rig.scenario.plan.lora = true; // a frozen base has no gradients of its weights
        VERIFY_NEAR(rig.evaluated().modelFlops, 2 * forward * stepTokens);
    }

    /// Each of 2 prediction modules has a projection of 2 h x h, its layer and logits.
    void predictionModules() {
        EvaluateRig rig;
        rig.in()[Input::mtpDepth] = 2;
        const Totals& t = rig.evaluated();
        const double modules = 2 * (2 * 2 * 64 * 64 + 2 * 700 + 50 + 128'000);
        VERIFY_NEAR(t.modelFlops, 3 * (forward + modules) * stepTokens);
        const double executed =
            5 * t.layers[0].executedFlops + t.head.executedFlops + 2 * t.prediction.executedFlops;
        VERIFY_NEAR(t.hfu, 8 * executed / 2 / t.stepTime / 1e30);
    }

    /// Weights and state of every parameter; of adapters, theirs; the master weights may be the parameters.
    void bytesOfACheckpoint() {
        EvaluateRig rig;
        QCOMPARE(rig.evaluated().run.checkpointBytes, 14e6);
        rig.scenario.plan.masterIsParameter = true;
        QCOMPARE(rig.evaluated().run.checkpointBytes, 12e6);
        rig.scenario.plan.lora = true;
        rig.in()[Input::loraRank] = 4;
        const Totals& t = rig.evaluated();
        const double adapters = 2 * (t.stages[0].trainable + t.stages[1].trainable);
        QVERIFY(adapters > 0);
        VERIFY_NEAR(t.run.checkpointBytes, adapters * 14);
    }

    /// 4 nodes read 4 MB/s each. A step waits for what they deliver later than it ends.
    void waitingForData() {
        EvaluateRig rig;
        const double before = rig.evaluated().stepTime;
        QCOMPARE(rig.totals->parts[at(StepPart::dataLoading)], 0.0);
        rig.in()[Input::bytesPerToken] = 16e6 * (before + 3) / stepTokens;
        const Totals& t = rig.evaluated();
        QVERIFY(std::abs(t.parts[at(StepPart::dataLoading)] - 3) < 1e-9 * before);
        VERIFY_NEAR(t.stepTime, before + 3);
        VERIFY_NEAR(t.dataRate, 16e6);
        QCOMPARE(t.dataSaved, 0.0);
        // Of 4 passes the later 3 come from the drives of the nodes, which hold them all: 3 / 4 s a step.
        rig.in()[Input::datasetTokens] = rig.in()[Input::tokens] / 4;
        rig.in()[Input::nvmeCapacity] = 1e30;
        rig.in()[Input::nvmeRead] = 1e30;
        rig.evaluated();
        QVERIFY(std::abs(t.parts[at(StepPart::dataLoading)] - 3) < 1e-9 * before);
        QVERIFY(std::abs(t.dataSaved - 3 * 0.75) < 1e-9 * before);
        rig.scenario.run.nvmeCache = true;
        rig.evaluated();
        QVERIFY(std::abs(t.parts[at(StepPart::dataLoading)] - 0.75) < 1e-9 * before);
        VERIFY_NEAR(t.stepTime, before + 0.75);
    }

    /// What is kept free is not available.
    void memory() {
        EvaluateRig rig;
        const Totals& t = rig.evaluated();
        QCOMPARE(t.reserve, 1e8);
        VERIFY_NEAR(t.headroom, 9e8 - t.stages[static_cast<std::size_t>(t.worstStage)].memoryTotal);
        QVERIFY(t.fits);
        rig.in()[Input::capacity] = t.memoryTotal / 0.9 * 0.999;
        QVERIFY(!rig.evaluated().fits);
        rig.in()[Input::capacity] = t.memoryTotal / 0.9 * 1.001;
        QVERIFY(rig.evaluated().fits);
    }

    /// A GPU draws 800 W at work, 100 W at a stop and 450 W while it waits for others, x 1.5 on 16 of them.
    void power() {
        EvaluateRig rig;
        rig.in()[Input::checkpointStall] = 3;
        rig.in()[Input::restartTime] = 500;
        rig.in()[Input::gpuHoursPerFailure] = 16 * 20'000 / 3600.0; // a failure every 20,000 s
        rig.in()[Input::plannedRatio] = 0.5;
        const Totals& t = rig.evaluated();
        const double working =
            (t.parts[at(StepPart::compute)] + t.parts[at(StepPart::hbm)] + t.parts[at(StepPart::optimizer)]) /
            t.stepTime;
        QVERIFY(working > 0 && working < 1);
        VERIFY_NEAR(t.power.stepping, 16 * 1.5 * (working * 800 + (1 - working) * 450));
        QCOMPARE(t.run.mtbf, 20'000.0);
        const double stalls = t.goodput * t.run.stall / t.run.interval;
        const double stops = t.run.recovery / 20'000 + 0.5 * t.run.plannedStop / 20'000;
        QVERIFY(stalls > 0 && stops < 1 - t.goodput - stalls);
        VERIFY_NEAR(t.power.mean,
                    (1 - stalls - stops) * t.power.stepping + (stalls + stops) * 16 * 1.5 * 100);
        // No more is stopped than is lost.
        rig.scenario.hasGoodput = true;
        rig.in()[Input::plannedGoodput] = 0.995;
        rig.evaluated();
        VERIFY_NEAR(t.power.mean, 0.995 * t.power.stepping + 0.005 * 16 * 1.5 * 100);
    }

    /// 1,000 steps at a goodput of 0.5 take 2,000 step times of 5 instances at $10.
    void money() {
        EvaluateRig rig;
        rig.scenario.hasGoodput = true;
        rig.in()[Input::plannedGoodput] = 0.5;
        const Totals& t = rig.evaluated();
        const double hours = 2000 * t.stepTime / 3600;
        QCOMPARE(t.dollarsPerHour, 50.0);
        VERIFY_NEAR(t.runTime, 2000 * t.stepTime);
        VERIFY_NEAR(t.instanceHours, 5 * hours);
        QCOMPARE(t.idleHours, 0.0);
        // Hours are billed to a thousandth, to the cent.
        QVERIFY(std::abs(t.dollarsPerRun - 50 * hours) < 0.051);
        QCOMPARE(t.dollarsPerRun, std::round(t.dollarsPerRun * 100) / 100);
        VERIFY_NEAR(t.dollarsPerMillionTokens, t.dollarsPerRun / 12.288);
        VERIFY_NEAR(t.energyKwh, t.power.mean * hours / 1000);
        VERIFY_NEAR(t.carbonKg, 0.4 * t.power.mean * hours / 1000);
        rig.scenario.rental.termYears = 1; // 8,760 hours are paid for at least
        rig.evaluated();
        const double years = std::max(1.0, std::ceil(hours / 8760));
        QVERIFY(std::abs(t.idleHours - 5 * (8760 * years - hours)) < 1e-12 * 5 * 8760 * years);
        QVERIFY(std::abs(t.dollarsPerRun - 50 * 8760 * years) < 0.051);
        rig.scenario.hasPrice = rig.scenario.hasTokens = false;
        rig.totals = std::make_unique<Totals>();
        rig.evaluated();
        QCOMPARE(rig.totals->dollarsPerHour, 0.0);
        QCOMPARE(rig.totals->runTime, 0.0);
    }
};

QTEST_APPLESS_MAIN(TestEvaluateTraining)

} // namespace tst_evaluate_training

#include "tst_evaluate_training.moc"
