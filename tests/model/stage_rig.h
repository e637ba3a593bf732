// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/model/training_rig.h"

namespace alidade::test {

/// Bytes of one kind that a stage takes.
inline double partOf(const StageCost<double>& stage, MemoryKind kind) {
    return stage.memory[static_cast<std::size_t>(kind)];
}

/// The small model with bytes of weights, gradients and optimizer, and groups that share them.
inline TrainingRig rigWithState() {
    TrainingRig rig;
    rig.in[Input::weightBytes] = 2;
    rig.in[Input::gradientBytes] = 4;
    rig.in[Input::optimizerBytes] = 12;
    rig.in[Input::shardRanks] = 4;
    rig.in[Input::expertShardRanks] = 3;
    rig.in[Input::fragmentation] = 1;
    return rig;
}

/// Two stages: two dense layers and one with experts, then two with experts.
inline TrainingRig rigOfTwoStages() {
    TrainingRig rig = rigWithState();
    LayerKind moe = rig.attention;
    moe.feedForward = FeedForward::moe;
    moe.experts = 98'304;
    rig.plan.kinds = {rig.attention, moe};
    rig.plan.prediction = moe;
    rig.plan.pipelineParallel = 2;
    rig.plan.stageLayers = {3, 2};
    rig.plan.stageKinds = {{2, 1}, {0, 2}};
    rig.in[Input::finalNormParameters] = 64;
    return rig;
}

/// Six dense layers on the only stage.
inline TrainingRig rigOfOneStage() {
    TrainingRig rig = rigOfTwoStages();
    rig.plan.pipelineParallel = 1;
    rig.plan.stageLayers = {6};
    rig.plan.stageKinds = {{6, 0}};
    return rig;
}

} // namespace alidade::test
