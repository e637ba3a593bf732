// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/stage_rig.h"

namespace tst_allocator_memory {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double tokens = tokensOfRank;

} // namespace

/// What PyTorch's allocator holds of a training step beyond what Megatron-Core would: pools of streams,
/// gathered inputs, copies of the logits and holes.
class TestAllocatorMemory : public QObject {
    Q_OBJECT

private slots:
    /// FSDP2 of PyTorch: at the start of the backward pass one layer is whole, and the pool of the gathering
    /// stream has a buffer for the larger of the next layer and the outer group; gradients come later. With a
    /// pipeline the buffer is beside the whole stage.
    void gatheredWithPoolsOfStreams() {
        TrainingRig rig = rigOfTwoStages();
        rig.plan.pipelineParallel = 1;
        rig.plan.stageLayers = {6};
        rig.plan.stageKinds = {{3, 3}};
        rig.plan.sharding = Sharding::zero3;
        rig.plan.streamPools = true;
        rig.in[Input::gatherBytes] = 2;
        rig.in[Input::gradientReduceBytes] = 4;
        rig.in[Input::gatheredLayers] = 2;
        rig.in[Input::gatheredVocabularies] = 1;
        StageCost<double> s;
        s.parameters = 1000;
        s.expertParameters = 300;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 2 * (32'897.0 + 32'897)); // 32,000 is less
        rig.in[Input::gatheredVocabularies] = 2;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 2 * (32'897.0 + 64'000));
        rig.plan.tiedEmbeddings = true; // one matrix
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 2 * (32'897.0 + 32'897));
        rig.in[Input::gatheredLayers] = 3;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 2 * (32'897.0 + 2 * 32'897));
        rig.plan.pipelineParallel = 2;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 6 * 1300.0 + 2 * 2 * 32'897.0);
    }

    /// There the shards of gradients stay beside activations, and what the backward pass of a layer holds
    /// includes its weights' gradients, 2 bytes, two FP32 copies on their way, and the outer group that is
    /// gathered again. A larger loss makes room for all of it.
    void backwardPassWithPoolsOfStreams() {
        TrainingRig rig = rigOfOneStage();
        rig.plan.sharding = Sharding::zero3;
        rig.plan.streamPools = rig.plan.freshGradients = true;
        rig.in[Input::gatherBytes] = 2;
        rig.in[Input::gradientReduceBytes] = 4;
        rig.in[Input::gatheredLayers] = 2;
        rig.in[Input::gatheredVocabularies] = 1;
        rig.in[Input::logitsBytes] = 0.5;
        StageCost<double> s;
        stageParameters(rig.context(), rig.held(), 0, s);
        const auto fill = [&] {
            stateMemory(rig.context(), s);
            fixedMemory(rig.context(), rig.held(), 0, s);
            peakMemory(rig.context(), rig.held(), 0, s);
        };
        fill();
        const double layer = rig.held().holds[0].parameters.dense, layers = 6;
        const double logits = (0.5 * 500 + 4 * 64) * tokens;
        const double inLayer = 3 * 2 * 96 / 2 * tokens + (2 + 2 * 4) * layer + 2 * 32'000.0;
        QVERIFY(inLayer > logits);
        QCOMPARE(partOf(s, MemoryKind::activations), layers * 1024 * tokens + inLayer - logits);
        QVERIFY(partOf(s, MemoryKind::gradients) > 0);
        const double gradients = partOf(s, MemoryKind::gradients);
        rig.in[Input::logitsBytes] = 100;
        fill();
        QCOMPARE(partOf(s, MemoryKind::activations), layers * 1024 * tokens);
        QCOMPARE(partOf(s, MemoryKind::gradients), gradients);
    }

    /// A loss over a split vocabulary takes more bytes per logit, and PyTorch keeps the gathered input of the
    /// head, 2 x 64 a token, for its gradient.
    void logitsOfASplitVocabulary() {
        TrainingRig rig = rigOfOneStage();
        rig.in[Input::logitsBytes] = 16;
        rig.in[Input::lossParallelBytes] = 4;
        StageCost<double> s;
        fixedMemory(rig.context(), rig.held(), 0, s);
        QCOMPARE(partOf(s, MemoryKind::logits), (20.0 * 500 + 4 * 64) * tokens);
        rig.plan.keepsGatheredInputs = true;
        fixedMemory(rig.context(), rig.held(), 0, s);
        QCOMPARE(partOf(s, MemoryKind::logits), (20.0 * 500 + 4 * 64) * tokens);
        rig.plan.sequenceParallel = true;
        fixedMemory(rig.context(), rig.held(), 0, s);
        QCOMPARE(partOf(s, MemoryKind::logits), (20.0 * 500 + 4 * 64 / 2 + 2 * 64) * tokens);
        rig.plan.sequenceParallel = false;
        rig.plan.tensorParallel = 1;
        fixedMemory(rig.context(), rig.held(), 0, s);
        QCOMPARE(partOf(s, MemoryKind::logits),
                 (16.0 * 500 + 4 * 64) * tokens); // the rig's inputs still split by 2
    }

    /// Holes in the allocator: of the loss, 4 bytes per logit, and of layers that run again, a share of all
    /// but the state. The larger one counts, since the smaller fits in it.
    void holes() {
        TrainingRig rig = rigOfOneStage();
        rig.in[Input::fragmentation] = 1.125;
        rig.in[Input::recomputeFragmentation] = 1.5;
        rig.in[Input::logitsBytes] = 12;
        rig.in[Input::lossHoleBytes] = 4;
        StageCost<double> s;
        const auto fill = [&](int stage) {
            s = {};
            s.parameters = s.trainable = 1e4;
            stateMemory(rig.context(), s);
            fixedMemory(rig.context(), rig.held(), stage, s);
            peakMemory(rig.context(), rig.held(), stage, s);
        };
        const double hole = 4 * 500 * tokens;
        fill(0);
        QCOMPARE(partOf(s, MemoryKind::fragmentation),
                 0.125 * (s.memoryTotal - partOf(s, MemoryKind::fragmentation)) + hole);
        rig.plan.recompute.full = true;
        fill(0);
        const double allocated = s.memoryTotal - partOf(s, MemoryKind::fragmentation);
        const double passing = partOf(s, MemoryKind::activations) + partOf(s, MemoryKind::logits);
        QCOMPARE(allocated - passing, (2 + 4 + 12.0 / 4) * 1e4); // the state
        QVERIFY(0.5 * passing > hole);
        QCOMPARE(partOf(s, MemoryKind::fragmentation), 0.125 * allocated + 0.5 * passing);
        rig.in[Input::recomputeFragmentation] = 1 + 0.5 * hole / passing;
        fill(0);
        QCOMPARE(partOf(s, MemoryKind::fragmentation), 0.125 * allocated + hole);
    }
};

QTEST_APPLESS_MAIN(TestAllocatorMemory)

} // namespace tst_allocator_memory

#include "tst_allocator_memory.moc"
