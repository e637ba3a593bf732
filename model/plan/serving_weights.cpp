// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/plan/serving_weights.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

void addLayer(const Architecture& model, const LayerKind& kind, NarrowParts parts, StageParameters& out) {
    const double h = model.hiddenSize;
    const bool attends = kind.mixer == Mixer::attention;
    const double keyValue = attends && !model.mla ? 2 * h * model.kvHeads * model.headDim : 0;
    const double whole = attends && model.mla
                             ? h * (model.mla->qLoraRank + model.mla->kvLoraRank + model.mla->qkRopeHeadDim)
                             : 0;
    double narrow = 0;
    if (parts.output && attends) {
        const int valueSize = model.mla ? model.mla->vHeadDim : model.headDim;
        narrow += h * model.attentionHeads * valueSize;
    }
    if (parts.mlp) {
        narrow +=
            kind.feedForward == FeedForward::dense
                ? static_cast<double>(
                      mlpParameters(model.hiddenSize, model.ffnIntermediateSize, model.ffnGated, false).gemm)
            : kind.feedForward == FeedForward::moe ? static_cast<double>(moeParameters(model).shared)
                                                   : 0;
    }
    out.narrow += narrow;
    out.split += static_cast<double>(kind.split) - keyValue - narrow;
    out.keyValue += keyValue;
    out.whole += whole; // a layer kind counts these among its replicated weights
    out.sixteenBit += static_cast<double>(kind.replicated) - whole;
    out.experts += static_cast<double>(kind.experts);
}

/// Returns the first layer of a stage under an even split (boundaries round(i L / p), half to even).
std::size_t firstLayer(std::size_t layers, int pipelineParallel, int stage) {
    return static_cast<std::size_t>(std::nearbyint(static_cast<double>(layers) * stage / pipelineParallel));
}

} // namespace

StageParameters stageParameters(const Architecture& model, const LayerKinds& kinds, int pipelineParallel,
                                int stage, int drafts, double padding, NarrowParts narrow) {
    StageParameters out;
    out.kvHeads = std::max(1, model.kvHeads);
    const std::size_t end = firstLayer(kinds.ofLayer.size(), pipelineParallel, stage + 1);
    for (std::size_t i = firstLayer(kinds.ofLayer.size(), pipelineParallel, stage); i < end; ++i)
        addLayer(model, kinds.kinds[kinds.ofLayer[i]], narrow, out);
    const double h = model.hiddenSize;
    const double table = static_cast<double>(model.vocabSize) * h;
    const bool first = stage == 0, last = stage == pipelineParallel - 1;
    if (first)
        out.vocabulary += table;
    if (last && !(first && model.tieEmbeddings))
        out.vocabulary += table;
    if (last) {
        out.sixteenBit += h; // final norm
        for (int i = 0; i < std::min(drafts, model.mtpLayers); ++i) {
            addLayer(model, kinds.prediction, narrow, out);
            out.split += 2 * h * h; // joins the last hidden state and the embedding of the next token
        }
    }
    out.experts *= padding;
    return out;
}

StageParameters heaviestStage(const Architecture& model, const LayerKinds& kinds, int pipelineParallel,
                              const WeightPlacement<double>& at, int drafts, double padding,
                              NarrowParts narrow) {
    StageParameters heaviest;
    double most = -1;
    for (int stage = 0; stage < pipelineParallel; ++stage) {
        const StageParameters one =
            stageParameters(model, kinds, pipelineParallel, stage, drafts, padding, narrow);
        if (const double bytes = servingWeights(one, at).total(); bytes > most) {
            most = bytes;
            heaviest = one;
        }
    }
    return heaviest;
}

} // namespace alidade
