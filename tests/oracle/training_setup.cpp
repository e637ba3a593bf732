// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/oracle/training_setup.h"

#include <cmath>

namespace alidade::oracle {

namespace {

void describe(const Architecture& model, Inputs& in) {
    in[Input::layers] = model.layers;
    in[Input::hiddenSize] = model.hiddenSize;
    in[Input::attentionHeads] = model.attentionHeads;
    in[Input::kvHeads] = model.kvHeads;
    in[Input::headDim] = model.headDim;
    in[Input::ffnSize] = model.ffnIntermediateSize;
    in[Input::vocabulary] = static_cast<double>(model.vocabSize);
    in[Input::finalNormParameters] = (model.normHasBias ? 2.0 : 1.0) * model.hiddenSize;
    in[Input::learnedPositions] = static_cast<double>(model.learnedPositions);
    if (model.mla) {
        in[Input::mlaQueryRank] = model.mla->qLoraRank;
        in[Input::mlaKvRank] = model.mla->kvLoraRank;
        in[Input::mlaNopeDim] = model.mla->qkNopeHeadDim;
        in[Input::mlaRopeDim] = model.mla->qkRopeHeadDim;
        in[Input::valueHeadDim] = model.mla->vHeadDim;
    }
    if (model.moe) {
        in[Input::routedExperts] = model.moe->routedExperts;
        in[Input::expertsPerToken] = model.moe->expertsPerToken;
        in[Input::expertFfnSize] = model.moe->expertIntermediateSize;
        in[Input::expertHiddenSize] = model.hiddenSize;
        in[Input::sharedFfnSize] = model.moe->sharedExpertIntermediateSizeTotal;
    }
}

} // namespace

TrainingSetup::TrainingSetup(const Architecture& model, int tensorParallel, int contextParallel) {
    describe(model, in);
    for (const Input degree : {Input::pipelineParallel, Input::expertParallel, Input::expertTensorParallel,
                               Input::dataParallel, Input::shardRanks, Input::expertShardRanks}) {
        in[degree] = 1;
    }
    for (const Input factor : {Input::microBatch, Input::expertRows, Input::expertImbalance,
                               Input::savedInputShare, Input::elementwisePasses, Input::gradientBuckets}) {
        in[factor] = 1;
    }
    in[Input::activationBytes] = in[Input::normInputBytes] = in[Input::expertOutputBytes] = 2;
    in[Input::tensorParallel] = plan.tensorParallel = tensorParallel;
    in[Input::contextParallel] = plan.contextParallel = contextParallel;
    plan.contextKind = ContextKind::allGather;
    plan.sequenceParallel = true;
    plan.gatedFfn = model.ffnGated;
    plan.latentAttention = model.mla.has_value();
    plan.queryCompressed = model.mla && model.mla->qLoraRank > 0;
    plan.headNorms = model.qkNorm == QkNorm::perHead;
    plan.norms = model.normsPerLayer;
    plan.tiedEmbeddings = model.tieEmbeddings;
    const LayerKinds all = layerKinds(model, 1);
    plan.kinds = all.kinds;
    kindOfLayer = all.ofLayer;
    dealLayers(1);
}

const LayerKind& TrainingSetup::kindWith(FeedForward feedForward) const {
    for (const LayerKind& kind : plan.kinds)
        if (kind.feedForward == feedForward)
            return kind;
    throw Refused("the model has no such layer");
}

void TrainingSetup::dealLayers(int stages) {
    plan.pipelineParallel = stages;
    in[Input::pipelineParallel] = stages;
    plan.stageKinds.assign(static_cast<std::size_t>(stages), KindCounts{});
    plan.stageLayers.assign(static_cast<std::size_t>(stages), 0);
    const double perStage = static_cast<double>(kindOfLayer.size()) / stages;
    for (int stage = 0; stage < stages; ++stage) {
        const auto last = static_cast<std::size_t>(std::nearbyint((stage + 1) * perStage));
        for (auto i = static_cast<std::size_t>(std::nearbyint(stage * perStage)); i < last; ++i) {
            ++plan.stageKinds[static_cast<std::size_t>(stage)][kindOfLayer[i]];
            ++plan.stageLayers[static_cast<std::size_t>(stage)];
        }
    }
}

StageCost<double> heldByRank(const TrainingSetup& setup, int stage) {
    const LayerContext<double> c = setup.context();
    const auto totals = std::make_unique<Totals>();
    holdLayers(c, *totals);
    StageCost<double> out;
    stageParameters(c, *totals, stage, out);
    return out;
}

} // namespace alidade::oracle
