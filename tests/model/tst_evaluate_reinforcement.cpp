// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/evaluate_reinforcement.h"
#include "model/estimate/reinforcement.h"
#include "model/estimate/reinforcement_estimate.h"
#include "tests/model/service_rig.h"
#include "tests/model/training_rig.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <string>

namespace tst_evaluate_reinforcement {

using namespace alidade;
using namespace alidade::test;

namespace {

bool same(double a, double b) { return std::abs(a - b) <= 1e-11 * std::max(std::abs(a), std::abs(b)); }

double of(const Totals& t, StepPart part) { return t.parts[static_cast<std::size_t>(part)]; }

/// 16 responses of 11 tokens to 4 prompts of 100, of which 0.8 are kept, on the two engines of service_rig.h;
/// 3 updates of 8 micro-batches with 2 epochs on 16 GPUs.
struct ReinforcementRig {
    Scenario scenario;
    std::shared_ptr<RoleScenarios> roles = std::make_shared<RoleScenarios>();
    std::unique_ptr<RlTotals> totals = std::make_unique<RlTotals>();

    ReinforcementRig() {
        roles->rollout = ServiceRig().scenario;
        TrainingRig small;
        TrainingPlan& plan = roles->train.plan;
        plan = small.plan;
        plan.pipelineParallel = 2;
        plan.microbatches = 8;
        plan.kinds = {small.attention};
        plan.stageLayers = {3, 2};
        plan.stageKinds = plan.virtualStageKinds = {{3}, {2}};
        Inputs& train = roles->train.inputs;
        train = small.in;
        train[Input::memoryBandwidth] = 1e7;
        train[Input::globalBatch] = 96;
        train[Input::dataParallel] = 4;
        train[Input::fragmentation] = 1;
        train[Input::shardRanks] = train[Input::expertShardRanks] = 1;
        train[Input::pipelineParallel] = 2;
        train[Input::gpus] = 16;
        train[Input::gpusPerHost] = 4;
        train[Input::stepOverhead] = 2;
        train[Input::weightBytes] = 2;
        train[Input::gradientBytes] = 4;
        train[Input::optimizerBytes] = 12;
        train[Input::modelParameters] = 1e6;
        train[Input::capacity] = 1e8;
        train[Input::memoryReserve] = 0.1;
        train[Input::storageClient] = train[Input::checkpointWriter] = 1e9;
        train[Input::gpuHoursPerFailure] = 1e7;
        train[Input::networkBandwidth] = 1e9;
        train[Input::networkEfficiency] = train[Input::networkSpeedup] = 1;
        train[Input::allGatherEfficiency] = 1;
        train[Input::nvlinkBandwidth] = 1e9;
        train[Input::memoryLogSd] = 0.1;
        train[Input::gpuPower] = 1000;
        Inputs& own = scenario.inputs;
        own[Input::sequencesPerStep] = 16;
        own[Input::samplesPerPrompt] = 4;
        own[Input::keptShare] = 0.8;
        own[Input::updatesPerStep] = 3;
        own[Input::updateEpochs] = 2;
        own[Input::responseLimit] = 50;
        own[Input::rewardTime] = 0.125;
        own[Input::stalenessSteps] = 1.5;
        own[Input::gpus] = 20;
        own[Input::rlEngineFactor] = 2;
        own[Input::rlStepOverhead] = 0.004;
        own[Input::rlEngineOverhead] = 0.5;
        own[Input::rlUpdateFactor] = 1.5;
        own[Input::rlUpdateFactorMoe] = 1.75;
        own[Input::rlScoreFactor] = 0.5;
        own[Input::rlMicrobatchTime] = 0.1;
        own[Input::rlPassOverhead] = 0.25;
        own[Input::rlSyncFixed] = 1;
        own[Input::rlSyncRate] = 1e6;
        own[Input::rlOffloadEfficiency] = 0.5;
        own[Input::rlResidue] = 300;
        own[Input::rlTimeLogSd] = 0.2;
        own[Input::stepsOfRun] = 50;
        own[Input::price] = 10;
        own[Input::paidItems] = 5;
        own[Input::powerUtilization] = 0.8;
        own[Input::pue] = 1.5;
        roles->placement = RolePlacement::split;
        roles->parameters = roles->activeParameters = 1e6;
        roles->updateShare = 0.75;
        roles->criticWork = 0.5;
        roles->criticSize = 0.25;
        roles->rewardWork = 0.4;
        scenario.hasPrice = scenario.hasTokens = true;
        scenario.roles = roles;
    }

    Inputs& own() { return scenario.inputs; }
    const RlTotals& evaluated() {
        evaluateReinforcement(scenario, rlInputs(scenario), *totals);
        return *totals;
    }
};

} // namespace

/// A step of reinforcement learning from the times of an engine's steps and of an update.
class TestEvaluateReinforcement : public QObject {
    Q_OBJECT

private slots:
    /// 11 steps of 0.01 s and 0.004 s of the framework, twice as long as behind a server; 20 responses are
    /// made for 16. A chunk of 64 tokens takes 0.03 s, of 5 prompts on two engines.
    void generation() {
        ReinforcementRig rig;
        const RlTotals& t = rig.evaluated();
        QVERIFY(std::abs(t.rollout.seconds - 11 * 0.014) < 1e-9);
        const double prefill = 5 / 2.0 * 0.03 * 100 / 64;
        QVERIFY(same(t.prefill, prefill));
        QVERIFY(std::abs(t.generation - (2 * 11 * 0.014 + prefill + 0.5)) < 1e-8);
        QVERIFY(t.generationBound == Bound::latency);
        // Of a prompt of 100 tokens a response holds a quarter, and 5.5 of its own.
        QVERIFY(same(t.places, 97'800 / (30.5 * 256)));
        rig.roles->rollout.pools[0].inputs[Input::largestBatch] = 7;
        QCOMPARE(rig.evaluated().places, 7.0);
        // Three prompts' tokens are fewer than a chunk: 0.01 + 3 x 0.02 s.
        rig.roles->rollout.pools[0].inputs[Input::inputTokens] = 2;
        rig.own()[Input::sequencesPerStep] = 4.8;
        QVERIFY(same(rig.evaluated().prefill, 1.5 / 2 * 0.07 / 3));
    }

    /// Scores are forward passes at half of their time; an update has the time of pre-training x 1.5 for 0.75
    /// of its tokens, but the optimizer and the host at their own.
    void passes() {
        ReinforcementRig rig;
        const RlTotals& t = rig.evaluated();
        const double fixed = of(t.update, StepPart::optimizer) + of(t.update, StepPart::gradientReduce) +
                             of(t.update, StepPart::parameterGather) + 2;
        QVERIFY(t.update.stepTime > fixed);
        const double one = (t.update.stepTime - fixed) * 0.75 * 1.5 + fixed + 8 * 0.1;
        QVERIFY(same(t.updates, 6 * one + 0.25));
        const double forward = t.update.stages[static_cast<std::size_t>(t.update.slowestStage)].forward;
        const double pass = (8 * 3 * 0.75 + 1) * forward * 1.5 * 0.5 + 0.8 + 0.25;
        QVERIFY(same(t.logProb, pass));
        QVERIFY(same(t.reference, pass));
        QCOMPARE(t.values, 0.0);
        QCOMPARE(t.reward, 0.125);
        QVERIFY(same(t.trainSide, 2 * pass + t.updates));
        rig.roles->critic = rig.roles->rewardModel = true;
        rig.roles->reference = false;
        rig.evaluated();
        QVERIFY(same(t.updates, 6 * one * 1.5 + 0.25));
        QVERIFY(same(t.values, 0.5 * pass));
        QVERIFY(same(t.reward, 0.4 * pass));
        QCOMPARE(t.reference, 0.0);
        QVERIFY(same(t.trainSide, 1.9 * pass + t.updates));
        QVERIFY(same(t.stepTime, t.generation + t.trainSide + t.sync));
        rig.scenario.model.moe.emplace();
        QVERIFY(same(rig.evaluated().logProb, (8 * 3 * 0.75 + 1) * forward * 1.75 * 0.5 + 0.8 + 0.25));
    }

    /// 2 MB at 1 MB/s and a second; not faster than the two GPUs of a copy receive.
    void weights() {
        ReinforcementRig rig;
        QCOMPARE(rig.evaluated().weightBytes, 2e6);
        QVERIFY(same(rig.evaluated().sync, 3));
        rig.roles->train.inputs[Input::nvlinkBandwidth] = 1e5;
        QVERIFY(same(rig.evaluated().sync, 10));
        rig.roles->weightLink = Bound::efa;
        QVERIFY(same(rig.evaluated().sync, 3));
        rig.roles->train.inputs[Input::networkBandwidth] = 5e4;
        QVERIFY(same(rig.evaluated().sync, 20));
        rig.roles->train.inputs[Input::gpus] = 1; // sends alone
        QVERIFY(same(rig.evaluated().sync, 40));
    }

    /// Sides that take turns, and sides side by side.
    void placements() {
        ReinforcementRig rig;
        const RlTotals& t = rig.evaluated();
        QVERIFY(same(t.rolloutSide, t.generation + 0.125));
        QVERIFY(same(t.stepTime, t.rolloutSide + t.trainSide + 3));
        QVERIFY(same(t.rolloutIdle, t.trainSide / t.stepTime));
        QVERIFY(same(t.trainIdle, t.rolloutSide / t.stepTime));
        QVERIFY(same(t.idle, (4 * t.rolloutIdle + 16 * t.trainIdle) / 20));
        QCOMPARE(t.staleness, 0.0);
        QVERIFY(same(t.tokensPerSecond, 16 * 111 / t.stepTime));
        QVERIFY(same(t.responseTokensPerSecond, 16 * 11 / t.stepTime));
        QVERIFY(same(t.tokensPerSecondPerGpu, 16 * 111 / t.stepTime / 20));
        // 2 + 4 FLOP a weight, and 6 in each of two epochs.
        QVERIFY(same(t.flopsPerSecondPerGpu, 18e6 * t.tokensPerSecondPerGpu));
        rig.roles->placement = RolePlacement::oneStepOff;
        rig.evaluated();
        QVERIFY(same(t.stepTime, std::max(t.rolloutSide, t.trainSide) + 3));
        QCOMPARE(t.staleness, 1.0);
        QVERIFY(same(t.rolloutIdle, 1 - (t.rolloutSide + 3) / t.stepTime));
        QVERIFY(std::abs(t.trainIdle) < 1e-12); // the longer side
        rig.own()[Input::rlEngineOverhead] = 1000;
        rig.roles->placement = RolePlacement::async;
        rig.evaluated();
        QVERIFY(same(t.stepTime, t.generation + t.trainSide / 3 + 3));
        QCOMPARE(t.staleness, 1.5);
        QVERIFY(same(t.rolloutSide, t.generation));
        QVERIFY(same(t.trainIdle, 1 - (t.trainSide + 3) / t.stepTime));
        rig.roles->placement = RolePlacement::colocated;
        rig.evaluated();
        QVERIFY(same(t.stepTime, t.generation + 0.125 + t.trainSide + 3 + t.offload));
        QVERIFY(same(t.rolloutIdle, 0.125 / t.stepTime));
        QVERIFY(same(t.trainIdle, t.rolloutIdle) && same(t.idle, t.rolloutIdle));
    }

    /// State of the model and of a quarter of it for the critic; the reference's 2 MB are on 16 GPUs.
    void memoryOfBothSides() {
        ReinforcementRig rig;
        rig.roles->critic = true;
        const RlTotals& t = rig.evaluated();
        const auto& worst = t.update.stages[static_cast<std::size_t>(t.update.worstStage)];
        const auto kind = [&](MemoryKind k) { return worst.memory[static_cast<std::size_t>(k)]; };
        const double states =
            kind(MemoryKind::weights) + kind(MemoryKind::gradients) + kind(MemoryKind::optimizer);
        QVERIFY(kind(MemoryKind::gradients) > 0 && kind(MemoryKind::optimizer) > 0);
        const RlMemoryTotals<double>& m = t.memory;
        QVERIFY(same(m.trainerStates, 1.25 * states));
        QVERIFY(same(m.trainerWork, worst.memoryTotal - states));
        QCOMPARE(m.reference, 125'000.0);
        QCOMPARE(m.reserve, 1e7);
        QVERIFY(same(m.trainTotal, m.trainerStates + m.trainerWork + m.reference));
        QCOMPARE(m.engineWeights, 30'000.0);
        QCOMPARE(m.engineWork, 52'200.0);
        // 10 responses of an engine, each with its prompt: no more than the cache.
        QCOMPARE(m.kvUsed, 97'800.0);
        QCOMPARE(m.engineTotal, 180'000.0);
        QVERIFY(m.engineFits && m.trainFits && t.fits);
        // The cache gives way to the rest down to one response of 100 + 50 tokens of 256 bytes.
        QCOMPARE(m.kvNeeded, 38'400.0);
        QCOMPARE(m.engineNeeded, 120'600.0);
        QVERIFY(same(m.headroom, 59'400));
        rig.own()[Input::sequencesPerStep] = 3.2; // two of an engine
        QVERIFY(same(rig.evaluated().memory.kvUsed, 2 * 105.5 * 256));
        rig.own()[Input::responseLimit] = 283; // 383 tokens do not fit
        QVERIFY(!rig.evaluated().memory.engineFits && m.trainFits && !t.fits);
        rig.own()[Input::responseLimit] = 282;
        QVERIFY(rig.evaluated().fits);
        rig.roles->train.inputs[Input::capacity] = m.trainTotal / 0.9 * 0.999;
        QVERIFY(!rig.evaluated().memory.trainFits && !t.fits);
        QVERIFY(same(m.headroom, -0.001 * m.trainTotal));
    }

    /// On the same GPUs the trainer keeps 20,000 bytes at most: with its states it does not. They travel at
    /// half of the host link, there and back.
    void offloading() {
        ReinforcementRig rig;
        rig.roles->placement = RolePlacement::colocated;
        rig.roles->train.inputs[Input::hostBandwidth] = 1e6;
        const RlTotals& t = rig.evaluated();
        const RlMemoryTotals<double>& m = t.memory;
        QVERIFY(t.offloaded == PhaseOffload::all);
        QCOMPARE(m.trainerLeft, 300.0);
        QCOMPARE(m.engineLeft, 300.0);
        QVERIFY(same(t.offload, 2 * (m.trainerStates + 125'000) / 5e5));
        QVERIFY(same(m.trainTotal, m.trainerStates + m.trainerWork + 125'000 + 300));
        QVERIFY(same(m.engineTotal, 180'000 + 300));
        rig.roles->offload = PhaseOffload::optimizer;
        rig.evaluated();
        const auto& worst = t.update.stages[static_cast<std::size_t>(t.update.worstStage)];
        const double optimizer = worst.memory[static_cast<std::size_t>(MemoryKind::optimizer)];
        QVERIFY(same(m.trainerLeft, m.trainerStates + 125'300 - optimizer));
        QVERIFY(same(t.offload, 2 * optimizer / 5e5));
        QVERIFY(!m.engineFits);
        rig.roles->offload = PhaseOffload::none;
        QCOMPARE(rig.evaluated().offload, 0.0);
        QVERIFY(same(m.trainerLeft, m.trainerStates + 125'300));
        // By itself the least that lets the trainer keep to what the engine leaves.
        rig.roles->offload = PhaseOffload::automatic;
        Inputs& engine = rig.roles->rollout.pools[0].inputs;
        engine[Input::deviceMemory] = engine[Input::capacity] = 2e7;
        engine[Input::memoryUtilization] = 1 - (m.trainerStates + 125'300 + 1) / 2e7;
        QVERIFY(rig.evaluated().offloaded == PhaseOffload::none);
        engine[Input::memoryUtilization] = 1 - (m.trainerStates + 125'300 - optimizer + 1) / 2e7;
        QVERIFY(rig.evaluated().offloaded == PhaseOffload::optimizer);
        QVERIFY(t.memory.engineFits);
        rig.roles->train.inputs[Input::hostBandwidth] = 0;
        QCOMPARE(rig.evaluated().offload, 0.0);
    }

    /// 50 steps of 5 instances at $10, 800 W a GPU x 1.5.
    void money() {
        ReinforcementRig rig;
        const RlTotals& t = rig.evaluated();
        const double hours = 50 * t.stepTime / 3600;
        QVERIFY(same(t.gpuHoursPer1000Steps, 1000 * t.stepTime / 3600 * 20));
        QCOMPARE(t.dollarsPerHour, 50.0);
        QVERIFY(same(t.dollarsPer1000Steps, 1000 * t.stepTime / 3600 * 50));
        QVERIFY(same(t.runTime, 50 * t.stepTime));
        QVERIFY(same(t.hours, 5 * hours));
        QVERIFY(std::abs(t.dollarsPerRun - 50 * hours) < 0.051);
        QVERIFY(same(t.energyKwh, 20 * 800 * 1.5 * hours / 1000));
        rig.scenario.rental.termYears = 1;
        rig.evaluated();
        QVERIFY(same(t.idleHours, 5 * (8760 - hours)));
        QCOMPARE(t.dollarsPerRun, 438'000.0);
        rig.scenario.hasTokens = rig.scenario.hasPrice = false;
        rig.totals = std::make_unique<RlTotals>();
        QCOMPARE(rig.evaluated().dollarsPerHour, 0.0);
        QCOMPARE(rig.totals->runTime, 0.0);
    }

    /// Phases stand one after the other; the weights travel at the end of the step on both sides.
    void phases() {
        ReinforcementRig rig;
        rig.own()[Input::rlEngineOverhead] = 1e4; // the rollout is the longer side
        rig.roles->placement = RolePlacement::oneStepOff;
        const Estimate e = reinforcementEstimate(rig.scenario);
        const Reinforcement& rl = *e.reinforcement;
        const RlTotals& t = rig.evaluated();
        QCOMPARE(rl.limit, std::string("rollout"));
        const auto phase = [&](std::string_view name, std::string_view pool) {
            return *std::ranges::find_if(rl.phases,
                                         [&](const auto& p) { return p.name == name && p.pool == pool; });
        };
        QCOMPARE(rl.phases.size(), std::size_t{7});
        QCOMPARE(phase("generation", "rollout").exposed, t.generation);
        QVERIFY(same(phase("reward", "rollout").start, t.generation));
        QCOMPARE(phase("log_prob", "training").start, 0.0);
        QCOMPARE(phase("update", "training").exposed, 0.0);
        QVERIFY(same(phase("update", "training").start, t.logProb + t.reference));
        QVERIFY(same(phase("weight_sync", "training").start, t.stepTime - t.sync));
        QCOMPARE(phase("weight_sync", "training").exposed, t.sync);
        QCOMPARE(phase("weight_sync", "rollout").exposed, 0.0);
        QVERIFY(e.headline->bottleneck == Bound::latency);
        QVERIFY(same(e.headline->bottleneckShare, (t.generation + 0.125) / t.stepTime));
        QVERIFY(same(e.headline->high, t.stepTime * std::exp(quantile90 * 0.2)));
        QCOMPARE(rl.pools.size(), std::size_t{2});
        QCOMPARE(rl.pools[1].capacityBytes, 9e7);
        QCOMPARE(rl.pools[0].gpus, 4);
        // The training pool waits for more than a quarter of the step.
        QCOMPARE(e.problems.size(), std::size_t{1});
        QVERIFY(e.problems[0].message.starts_with("The rollout bounds the step; the training pool waits "));
        QVERIFY(same(e.cost->dollarsPerMillionTokens.value(), 50 / (3600 * t.tokensPerSecond) * 1e6));
        // Streamed responses are rewarded while others are generated.
        rig.roles->placement = RolePlacement::async;
        const Estimate streamed = reinforcementEstimate(rig.scenario);
        QVERIFY(std::ranges::none_of(streamed.reinforcement->phases,
                                     [](const auto& p) { return p.name == "reward"; }));
        rig.roles->placement = RolePlacement::oneStepOff;
        rig.evaluated();
        // Hours of 5 instances are billed to a thousandth.
        const double hours = 5 * 50 * t.stepTime / 3600;
        QVERIFY(std::abs(static_cast<double>(e.cost->order->lines[0].quantity) / 1000 - hours) <= 0.005);
        QCOMPARE(e.cost->lines[0].quantity, static_cast<double>(e.cost->order->lines[0].quantity) / 1000);
        QCOMPARE(e.memory->totalBytes, std::max(t.memory.trainTotal, t.memory.engineTotal));
        QCOMPARE(e.memory->reserveBytes, 1e7);
        QVERIFY(same(e.memory->headroomBytes, 9e7 - t.memory.trainTotal));
    }

    /// Sides in turns: training follows the rollout. What does not fit is told.
    void turnsAndProblems() {
        ReinforcementRig rig;
        rig.roles->placement = RolePlacement::colocated;
        rig.roles->train.inputs[Input::hostBandwidth] = 1e6;
        rig.roles->critic = true;
        const Estimate e = reinforcementEstimate(rig.scenario);
        const RlTotals& t = rig.evaluated();
        const Reinforcement& rl = *e.reinforcement;
        QCOMPARE(rl.limit, std::string("both"));
        QCOMPARE(rl.phases.size(), std::size_t{8});
        QCOMPARE(rl.phases[2].name, std::string("offload"));
        QVERIFY(same(rl.phases[3].start, t.generation + 0.125 + t.offload));
        QCOMPARE(rl.phases[5].name, std::string("values"));
        double all = 0;
        for (const auto& phase : rl.phases)
            all += phase.exposed;
        QVERIFY(same(all, t.stepTime));
        QVERIFY(same(rl.checkpointBytes, 14e6 * 1.25));
        QCOMPARE(rl.pools.size(), std::size_t{1});
        QCOMPARE(rl.pools[0].gpus, 20);
        QVERIFY(e.problems.empty());
        // DAPO drops prompts: of a kept share of all of them it is told.
        rig.scenario.spec.workload.reinforcement.keptShare = 1.0;
        QVERIFY(reinforcementEstimate(rig.scenario).problems.empty());
        rig.roles->algorithm = RlAlgorithm::dapo;
        QCOMPARE(reinforcementEstimate(rig.scenario).problems.size(), std::size_t{1});
        rig.scenario.spec.workload.reinforcement.keptShare = 0.8;
        QVERIFY(reinforcementEstimate(rig.scenario).problems.empty());
        rig.roles->algorithm = RlAlgorithm::grpo;
        rig.roles->offload = PhaseOffload::none;
        rig.roles->train.inputs[Input::capacity] = 2e5;
        const Estimate full = reinforcementEstimate(rig.scenario);
        QCOMPARE(full.problems.size(), std::size_t{2});
        QVERIFY(full.problems[0].message.starts_with("Training does not fit: "));
        QVERIFY(full.problems[0].message.find(" usable; weights, gradients and optimizer states take ") !=
                std::string::npos);
        QVERIFY(full.problems[1].message.starts_with("The engine and the trainer do not fit together: "));
        rig.roles->placement = RolePlacement::split;
        rig.own()[Input::responseLimit] = 1000;
        QVERIFY(reinforcementEstimate(rig.scenario)
                    .problems.back()
                    .message.starts_with("The engine does not fit: weights take 30"));
        rig.scenario.roles.reset();
        QVERIFY(!canEvaluateReinforcement(rig.scenario));
        QVERIFY(!reinforcementEstimate(rig.scenario).reinforcement);
    }
};

QTEST_APPLESS_MAIN(TestEvaluateReinforcement)

} // namespace tst_evaluate_reinforcement

#include "tst_evaluate_reinforcement.moc"
