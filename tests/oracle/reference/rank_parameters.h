// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/workload/parameters.h"

#include <cmath>

namespace alidade::reference {

/// Parameters on one rank of a pipeline stage under an even split of the layers (boundaries round(i L / p),
/// half to even): dense ones /TP, routed experts /(EP ETP), norms and router replicated, embedding on the
/// first stage, head on the last.
struct RankParameters {
    double dense = 0, expert = 0;
    double total() const { return dense + expert; }
};

/// Weights of what mixes the tokens of one layer.
inline BlockParameters mixerOf(const Architecture& model, Mixer mixer) {
    switch (mixer) {
    case Mixer::none:
        break;
    case Mixer::attention:
        return attentionParameters(model);
    case Mixer::mamba2:
        return mamba2Parameters(model.hiddenSize, *model.mamba2);
    case Mixer::gatedDeltaNet:
        return gatedDeltaNetParameters(model.hiddenSize, *model.gatedDeltaNet);
    }
    return {};
}

inline RankParameters rankParameters(const Architecture& model, int tp, int pp, int ep, int etp, int stage) {
    const std::vector<LayerComposition> layers = layerCompositions(model);
    const double perStage = static_cast<double>(layers.size()) / pp;
    // nearbyint rounds half to even, as the reference split does.
    const auto first = static_cast<std::size_t>(std::nearbyint(stage * perStage));
    const auto last = static_cast<std::size_t>(std::nearbyint((stage + 1) * perStage));
    const MoeParameters moe = moeParameters(model);
    const BlockParameters dense =
        mlpParameters(model.hiddenSize, model.ffnIntermediateSize, model.ffnGated, model.biasMlp);
    const double vocabulary = static_cast<double>(model.vocabSize) * model.hiddenSize / tp;
    RankParameters out;
    for (std::size_t i = first; i < last; ++i) {
        const BlockParameters mixer = mixerOf(model, layers[i].mixer);
        out.dense += static_cast<double>(mixer.gemm) / tp +
                     static_cast<double>(mixer.other + layerNormParameters(model));
        if (layers[i].feedForward == FeedForward::moe) {
            out.dense += static_cast<double>(moe.shared) / tp + static_cast<double>(moe.router + moe.other);
            out.expert += static_cast<double>(moe.routed) / (ep * etp);
        } else if (layers[i].feedForward == FeedForward::dense) {
            out.dense += static_cast<double>(dense.gemm) / tp + static_cast<double>(dense.other);
        }
    }
    if (stage == 0)
        out.dense += vocabulary + static_cast<double>(model.learnedPositions) * model.hiddenSize;
    if (stage == pp - 1) {
        out.dense += (model.normHasBias ? 2.0 : 1.0) * model.hiddenSize;
        out.dense += model.tieEmbeddings && pp == 1 ? 0 : vocabulary;
    }
    return out;
}

} // namespace alidade::reference
