// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/workload/parameters.h"

#include <cmath>

namespace alidade {

namespace {

std::int64_t normFactor(const Architecture& model) { return model.normHasBias ? 2 : 1; }

LayerComposition compositionOf(const Architecture& model, int layer) {
    LayerComposition out;
    if (!model.hybridPattern.empty()) {
        switch (model.hybridPattern[static_cast<std::size_t>(layer) % model.hybridPattern.size()]) {
        case 'M':
            return {Mixer::mamba2, FeedForward::none};
        case '-':
            return {Mixer::none, FeedForward::dense};
        case 'E':
            return {Mixer::none, FeedForward::moe};
        default:
            return {Mixer::attention, FeedForward::none};
        }
    }
    if (model.gatedDeltaNet && model.fullAttentionInterval > 0 &&
        (layer + 1) % model.fullAttentionInterval != 0) {
        out.mixer = Mixer::gatedDeltaNet;
    } else if (model.mamba2 && model.attentionHeads == 0) {
        return {Mixer::mamba2, FeedForward::none};
    }
    if (model.moe && layer >= model.moe->denseFirstLayers && (layer + 1) % model.moe->layerStep == 0)
        out.feedForward = FeedForward::moe;
    return out;
}

BlockParameters mixerParameters(const Architecture& model, Mixer mixer) {
    switch (mixer) {
    case Mixer::none:
        return {};
    case Mixer::attention:
        return attentionParameters(model);
    case Mixer::mamba2:
        return mamba2Parameters(model.hiddenSize, *model.mamba2);
    case Mixer::gatedDeltaNet:
        return gatedDeltaNetParameters(model.hiddenSize, *model.gatedDeltaNet);
    }
    return {};
}

} // namespace

std::vector<LayerComposition> layerCompositions(const Architecture& model) {
    std::vector<LayerComposition> out;
    out.reserve(static_cast<std::size_t>(model.layers));
    for (int i = 0; i < model.layers; ++i)
        out.push_back(compositionOf(model, i));
    return out;
}

BlockParameters attentionParameters(const Architecture& model) {
    const std::int64_t h = model.hiddenSize, a = model.attentionHeads;
    BlockParameters out;
    if (model.mla) {
        const MlaShape& m = *model.mla;
        const std::int64_t qk = m.qkNopeHeadDim + m.qkRopeHeadDim;
        const std::int64_t query = m.qLoraRank ? h * m.qLoraRank + m.qLoraRank * a * qk : h * a * qk;
        out.gemm = query + h * (m.kvLoraRank + m.qkRopeHeadDim) +
                   m.kvLoraRank * a * (m.qkNopeHeadDim + m.vHeadDim) + a * m.vHeadDim * h;
        out.other = (m.qLoraRank + m.kvLoraRank) * normFactor(model);
    } else {
        const std::int64_t d = model.headDim, g = model.kvHeads;
        out.gemm = h * a * d * (model.attentionOutputGate ? 2 : 1) + 2 * h * g * d + a * d * h;
        out.other = (model.biasQkv ? (a + 2 * g) * d : 0) + (model.biasO ? h : 0);
        out.other += model.qkNorm == QkNorm::perHead ? 2 * d : model.qkNorm == QkNorm::full ? (a + g) * d : 0;
    }
    out.other += model.attentionSinks ? a : 0;
    if (model.sparseIndexer) {
        const SparseIndexer& s = *model.sparseIndexer;
        const std::int64_t rank = model.mla ? model.mla->qLoraRank : h;
        out.gemm += rank * s.heads * s.headDim + h * s.headDim + h * s.heads;
        out.other += 2 * s.headDim;
    }
    return out;
}

BlockParameters mamba2Parameters(std::int64_t h, const Mamba2Shape& m) {
    const std::int64_t inner = std::int64_t{m.heads} * m.headDim;
    const std::int64_t states = 2 * std::int64_t{m.groups} * m.state;
    return {h * (2 * inner + states + m.heads) + inner * h,
            (inner + states) * (m.convKernel + 1) + 3 * m.heads + inner};
}

BlockParameters gatedDeltaNetParameters(std::int64_t h, const GatedDeltaNetShape& s) {
    const std::int64_t k = std::int64_t{s.keyHeads} * s.keyHeadDim;
    const std::int64_t v = std::int64_t{s.valueHeads} * s.valueHeadDim;
    return {h * (2 * k + 2 * v + 2 * s.valueHeads) + v * h,
            (2 * k + v) * s.convKernel + 2 * s.valueHeads + s.valueHeadDim};
}

BlockParameters mlpParameters(std::int64_t h, std::int64_t f, bool gated, bool bias) {
    return {(gated ? 3 : 2) * h * f, bias ? (gated ? 2 : 1) * f + h : 0};
}

MoeParameters moeParameters(const Architecture& model) {
    MoeParameters out;
    if (!model.moe)
        return out;
    const MoeShape& m = *model.moe;
    const std::int64_t h = model.hiddenSize;
    const std::int64_t width = m.latentSize ? m.latentSize : h;
    const BlockParameters expert =
        mlpParameters(width, m.expertIntermediateSize, model.ffnGated, m.expertBias);
    const std::int64_t one = expert.total();
    const std::int64_t latent = m.latentSize ? 2 * h * m.latentSize : 0;
    out.router = h * m.routedExperts;
    out.routed = m.routedExperts * one;
    out.activeRouted = m.expertsPerToken * one;
    out.shared = (model.ffnGated ? 3 : 2) * h * m.sharedExpertIntermediateSizeTotal;
    out.other = (m.routerBias ? m.routedExperts : 0) + (m.sharedExpertGate ? h : 0) + latent;
    out.activeGemm = out.router + m.expertsPerToken * expert.gemm + out.shared + latent;
    return out;
}

std::int64_t layerNormParameters(const Architecture& model) {
    return std::int64_t{model.normsPerLayer} * normFactor(model) * model.hiddenSize;
}

ParameterCount countParameters(const Architecture& model) {
    const std::int64_t h = model.hiddenSize;
    const std::int64_t norm = normFactor(model) * h;
    const BlockParameters dense = mlpParameters(h, model.ffnIntermediateSize, model.ffnGated, model.biasMlp);
    const MoeParameters moe = moeParameters(model);
    ParameterCount out;
    out.embedding = std::int64_t{model.vocabSize} * h;
    out.head = model.tieEmbeddings ? 0 : out.embedding;
    const std::int64_t fixed = out.embedding + out.head + norm + (model.embeddingNorm ? norm : 0) +
                               std::int64_t{model.learnedPositions} * h;
    out.total = out.active = fixed;
    out.gemmActive = out.embedding; // the head's multiplication, tied or not
    const std::vector<LayerComposition> layers = layerCompositions(model);
    for (const LayerComposition& layer : layers) {
        const BlockParameters mixer = mixerParameters(model, layer.mixer);
        std::int64_t total = mixer.total() + layerNormParameters(model);
        std::int64_t active = total, gemm = mixer.gemm;
        if (layer.feedForward == FeedForward::dense) {
            total += dense.total();
            active += dense.total();
            gemm += dense.gemm;
        } else if (layer.feedForward == FeedForward::moe) {
            total += moe.total();
            active += moe.active();
            gemm += moe.activeGemm;
            out.experts += moe.routed;
        }
        out.total += total;
        out.active += active;
        out.gemmActive += gemm;
    }
    if (model.mtpLayers > 0 && !layers.empty()) {
        // A DeepSeek MTP module: projection 2h -> h, three norms and one layer of the last kind.
        const bool lastMoe = layers.back().feedForward == FeedForward::moe;
        const std::int64_t base =
            2 * h * h + 3 * norm + attentionParameters(model).total() + layerNormParameters(model);
        out.mtpTotal = model.mtpLayers * (base + (lastMoe ? moe.total() : dense.total()));
        out.mtpActive = model.mtpLayers * (base + (lastMoe ? moe.active() : dense.total()));
    }
    return out;
}

} // namespace alidade
