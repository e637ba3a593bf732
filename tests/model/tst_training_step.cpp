// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/training_rig.h"

namespace tst_training_step {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr std::size_t at(StepPart part) { return static_cast<std::size_t>(part); }

/// Seconds of a layer and micro-batch, all of them of one part.
LayerCost<double> taking(double forward, double backwardInput, double backwardWeight, StepPart part) {
    LayerCost<double> out;
    out.forward = forward;
    out.backwardInput = backwardInput;
    out.backwardWeight = backwardWeight;
    out.seconds = forward + backwardInput + backwardWeight;
    out.byPart[part] = out.seconds;
    return out;
}

} // namespace

/// How a step is put together from layers whose times are given: stages, chunks, idle time, and what comes
/// once.
class TestTrainingStep : public QObject {
    Q_OBJECT

private slots:
    /// Layers of 3 + 4 + 2 s, an embedding of 1 + 0.5 s, an output layer of 2 + 3 + 1 s, modules of 5 + 6 + 7
    /// s. Three layers are on the first stage, two on the last.
    void secondsOfStages() {
        TrainingRig rig = twoStages();
        auto totals = layers();
        stageCosts(rig.context(), *totals);
        QCOMPARE(totals->stageCount, 2);
        const StageCost<double>&first = totals->stages[0], &last = totals->stages[1];
        QCOMPARE(first.forward, 3 * 3.0 + 1);
        QCOMPARE(first.backwardInput, 3 * 4 + 0.5);
        QCOMPARE(first.backwardWeight, 3 * 2.0);
        QCOMPARE(first.seconds, 28.5);
        QCOMPARE(last.seconds, 2 * 9.0 + 6);
        QCOMPARE(first.layers, 3);
        QCOMPARE(totals->slowestStage, 0);
        rig.in[Input::mtpDepth] = 2;
        stageCosts(rig.context(), *totals);
        QCOMPARE(totals->stages[1].forward, 2 * 3.0 + 2 + 2 * 5);
        QCOMPARE(totals->stages[1].backwardInput, 2 * 4.0 + 3 + 2 * 6);
        QCOMPARE(totals->stages[1].backwardWeight, 2 * 2.0 + 1 + 2 * 7);
        QCOMPARE(totals->slowestStage, 1);
        QCOMPARE(totals->worstStage, totals->stages[1].memoryTotal > totals->stages[0].memoryTotal ? 1 : 0);
        rig.plan.schedule = PipelineSchedule::zeroBubbleV; // its output layer is on the first stage
        stageCosts(rig.context(), *totals);
        QCOMPARE(totals->stages[0].forward, 3 * 3.0 + 1 + 2 + 2 * 5);
        QCOMPARE(totals->stages[1].forward, 2 * 3.0);
    }

    /// The stage that needs most memory, whichever it is: the later micro-batches of the first, or the output
    /// layer.
    void stageWithMostMemory() {
        TrainingRig rig = twoStages();
        auto totals = layers();
        holdLayers(rig.context(), *totals);
        stageCosts(rig.context(), *totals);
        QVERIFY(totals->stages[0].memoryTotal > totals->stages[1].memoryTotal);
        QCOMPARE(totals->worstStage, 0);
        rig.in[Input::logitsBytes] = 1e6;
        stageCosts(rig.context(), *totals);
        QCOMPARE(totals->worstStage, 1);
    }

    /// A device of DualPipe holds stages d and p - 1 - d: the mean of both, but the logits of the larger.
    void memoryOfMirroredStages() {
        StageCost<double> front, back;
        front.memory.fill(10);
        back.memory.fill(20);
        front.memory[static_cast<std::size_t>(MemoryKind::logits)] = 0;
        shareMirrored(front, back);
        for (const StageCost<double>* stage : {&front, &back}) {
            QCOMPARE(stage->memory[static_cast<std::size_t>(MemoryKind::weights)], 15.0);
            QCOMPARE(stage->memory[static_cast<std::size_t>(MemoryKind::logits)], 20.0);
            QCOMPARE(stage->memoryTotal, 8 * 15.0 + 20);
        }
    }

    /// Chunks in the order of the model's layers: the first one has the embedding, the last one output layer
    /// and modules.
    void secondsOfChunks() {
        TrainingRig rig = twoStages();
        rig.plan.schedule = PipelineSchedule::interleaved;
        rig.plan.virtualPipeline = 2;
        rig.plan.virtualStageKinds = {{2}, {1}, {1}, {1}};
        rig.in[Input::mtpDepth] = 1;
        auto totals = layers();
        stageCosts(rig.context(), *totals);
        QCOMPARE(virtualStageTimes(rig.context(), *totals), 4);
        QCOMPARE(totals->virtualStages[0].forward, 7.0);
        QCOMPARE(totals->virtualStages[0].backwardInput, 8.5);
        QCOMPARE(totals->virtualStages[1].total(), 9.0);
        QCOMPARE(totals->virtualStages[2].backwardWeight, 2.0);
        QCOMPARE(totals->virtualStages[3].forward, 3.0 + 2 + 5);
        QCOMPARE(totals->virtualStages[3].backwardInput, 4.0 + 3 + 6);
        QCOMPARE(totals->virtualStages[3].backwardWeight, 2.0 + 1 + 7);
        // Too many to keep apart: the stages as they are.
        rig.plan.virtualStageKinds.assign(mostVirtualStages + 1, {1});
        QCOMPARE(virtualStageTimes(rig.context(), *totals), 2);
        QCOMPARE(totals->virtualStages[1].forward, totals->stages[1].forward);
        QCOMPARE(totals->virtualStages[0].backwardWeight, totals->stages[0].backwardWeight);
    }

    /// 1F1B with 8 micro-batches: the first stage, 10 s forward and 18.5 s back, works 8 x 28.5 s. It waits
    /// for its first backward pass from second 20 to 34, when the last stage (8 s and 16 s) has done both,
    /// and for its last one 8 + 16 - 18.5 s. A fixed cost of 2 s comes on top.
    void partsOfAStep() {
        TrainingRig rig = twoStages();
        rig.in[Input::stepOverhead] = 2;
        auto totals = layers();
        stageCosts(rig.context(), *totals);
        trainingStep(rig.context(), *totals);
        QCOMPARE(totals->microbatches, 8.0);
        QCOMPARE(totals->parts[at(StepPart::compute)], 8 * 3 * 9.0);
        QCOMPARE(totals->parts[at(StepPart::hbm)], 8 * 1.5);
        QCOMPARE(totals->parts[at(StepPart::launch)], 0.0);
        QCOMPARE(totals->parts[at(StepPart::bubble)], 14 + 5.5);
        QCOMPARE(totals->parts[at(StepPart::overhead)], 2.0);
        QCOMPARE(totals->parts[at(StepPart::straggler)], 0.0);
        QCOMPARE(totals->parts[at(StepPart::reference)], 0.0);
        QCOMPARE(totals->stepTime, 8 * 28.5 + 19.5 + 2);
        rig.plan.referencePass = true; // a forward pass of every micro-batch more
        stageCosts(rig.context(), *totals);
        trainingStep(rig.context(), *totals);
        QCOMPARE(totals->parts[at(StepPart::reference)], 8 * 10.0);
        QCOMPARE(totals->stepTime, 8 * 38.5 + 19.5 + 2);
        // The slowest of 8 GPUs: Phi^-1(7.625 / 8.25) deviations of 1 % (Blom 1958).
        rig.in[Input::stragglerSpread] = 0.01;
        stageCosts(rig.context(), *totals);
        trainingStep(rig.context(), *totals);
        VERIFY_NEAR(totals->parts[at(StepPart::straggler)],
                    (8 * 38.5 + 19.5 + 2) * 0.01 * normalQuantile(7.625 / 8.25));
        QCOMPARE(totals->virtualStageCount, 2);
    }

    /// Without a pipeline nothing is sent and nothing waits.
    void withoutAPipeline() {
        TrainingRig rig = twoStages();
        rig.plan.pipelineParallel = 1;
        rig.plan.stageLayers = {5};
        rig.plan.stageKinds = rig.plan.virtualStageKinds = {{5}};
        auto totals = layers();
        stageCosts(rig.context(), *totals);
        trainingStep(rig.context(), *totals);
        QCOMPARE(totals->parts[at(StepPart::bubble)], 0.0);
        QCOMPARE(totals->virtualStageCount, 0);
        QCOMPARE(totals->stepCommunication.size(), std::size_t{0});
        QCOMPARE(totals->stepTime, 8 * (5 * 9 + 1.5 + 6));
    }

    /// Between two stages go the 96 tokens x 64 of a micro-batch, 16 bits, half of it on each of 2 ranks: 8
    /// forward and 8 back. A quarter of a hop is hidden; the first stage waits for the way there
    /// and back before its first and its last backward pass.
    void transfersBetweenStages() {
        TrainingRig rig = twoStages();
        rig.plan.pipelineGroup = {.ranks = 2, .ranksPerNvlinkDomain = 1, .ranksPerNode = 1};
        rig.in[Input::nvlinkBandwidth] = 8;
        rig.in[Input::networkBandwidth] = 1e4;
        rig.in[Input::networkEfficiency] = rig.in[Input::networkSpeedup] =
            rig.in[Input::allGatherEfficiency] = 1;
        rig.in[Input::overlapPipeline] = 0.25;
        auto totals = layers();
        stageCosts(rig.context(), *totals);
        trainingStep(rig.context(), *totals);
        QCOMPARE(totals->stepCommunication.size(), std::size_t{1});
        const CommCost<double>& sent = totals->stepCommunication[0];
        const double hop = 96 * 64 / 1e4;
        QCOMPARE(sent.bytes, 96.0 * 64);
        QCOMPARE(sent.wireBytes, 96.0 * 64 * 16);
        QCOMPARE(sent.networkBytes, 96.0 * 64 * 16);
        VERIFY_NEAR(sent.seconds, 16 * hop);
        VERIFY_NEAR(totals->pipelineHop, 0.75 * hop);
        VERIFY_NEAR(totals->parts[at(StepPart::pipelineTransfer)], 4 * 0.75 * hop);
        QCOMPARE(sent.exposed, totals->parts[at(StepPart::pipelineTransfer)]);
        QCOMPARE(totals->pipelineFabric, Bound::efa);
        rig.plan.pipelineGroup.ranksPerNvlinkDomain = 2;
        stageCosts(rig.context(), *totals);
        trainingStep(rig.context(), *totals);
        QCOMPARE(totals->stepCommunication[0].networkBytes, 0.0);
        QCOMPARE(totals->pipelineFabric, Bound::nvlink);
        // Two chunks on each stage: twice as many.
        rig.plan.schedule = PipelineSchedule::interleaved;
        rig.plan.virtualPipeline = 2;
        rig.plan.virtualStageKinds = {{2}, {1}, {1}, {1}};
        stageCosts(rig.context(), *totals);
        trainingStep(rig.context(), *totals);
        QCOMPARE(totals->stepCommunication[0].wireBytes, 96.0 * 64 * 32);
    }

private:
    static TrainingRig twoStages() {
        TrainingRig rig;
        rig.plan.pipelineParallel = 2;
        rig.plan.microbatches = 8;
        rig.plan.kinds = {rig.attention};
        rig.plan.prediction = rig.attention;
        rig.plan.stageLayers = {3, 2};
        rig.plan.stageKinds = rig.plan.virtualStageKinds = {{3}, {2}};
        rig.in[Input::globalBatch] = 96;
        rig.in[Input::dataParallel] = 4;
        rig.in[Input::fragmentation] = 1;
        rig.in[Input::shardRanks] = rig.in[Input::expertShardRanks] = 1;
        return rig;
    }

    static std::unique_ptr<Totals> layers() {
        auto totals = std::make_unique<Totals>();
        totals->layers[0] = taking(3, 4, 2, StepPart::compute);
        totals->embedding = taking(1, 0.5, 0, StepPart::hbm);
        totals->head = taking(2, 3, 1, StepPart::launch);
        totals->prediction = taking(5, 6, 7, StepPart::compute);
        return totals;
    }
};

QTEST_APPLESS_MAIN(TestTrainingStep)

} // namespace tst_training_step

#include "tst_training_step.moc"
