// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/workload/flops.h"

#include "model/workload/layer_kinds.h"

namespace alidade {

namespace {

double headDims(const Architecture& model, bool absorbed) {
    if (!model.mla)
        return 2.0 * model.headDim;
    const MlaShape& m = *model.mla;
    return absorbed ? 2.0 * m.kvLoraRank + m.qkRopeHeadDim
                    : 0.0 + m.qkNopeHeadDim + m.qkRopeHeadDim + m.vHeadDim;
}

/// Mean keys of a query in this layer. Counted exactly, half a key more on the diagonal of each row that the
/// window does not cut.
double keysOf(const LayerKind& layer, double s, AttentionAverage average) {
    const double diagonal =
        layer.window > 0 && layer.window < s && !layer.chunked ? layer.window / s / 2 : 0.5;
    return meanKeys(layer, s) + (average == AttentionAverage::half ? 0 : diagonal);
}

} // namespace

FlopsPerToken forwardFlopsPerToken(const Architecture& model, double s, AttentionAverage average,
                                   bool absorbed, int mtpDepth) {
    const double widths = 2.0 * model.attentionHeads * headDims(model, absorbed);
    const double attention = 2.0 * static_cast<double>(attentionParameters(model).gemm);
    const double dense =
        2.0 * static_cast<double>(
                  mlpParameters(model.hiddenSize, model.ffnIntermediateSize, model.ffnGated, false).gemm);
    const double moe = 2.0 * static_cast<double>(moeParameters(model).activeGemm);
    const double causal = average == AttentionAverage::half ? s / 2 : (s + 1) / 2;
    FlopsPerToken out;
    const LayerKinds layers = layerKinds(model, static_cast<std::int64_t>(s));
    for (const std::uint8_t index : layers.ofLayer) {
        const LayerKind& layer = layers.kinds[index];
        if (layer.mixer == Mixer::attention) {
            out.projections += attention;
            out.core += widths * keysOf(layer, s, average);
        } else if (layer.mixer == Mixer::mamba2) {
            out.projections +=
                2.0 * static_cast<double>(mamba2Parameters(model.hiddenSize, *model.mamba2).gemm);
            out.core += layer.coreFlops;
        } else if (layer.mixer == Mixer::gatedDeltaNet) {
            out.projections +=
                2.0 *
                static_cast<double>(gatedDeltaNetParameters(model.hiddenSize, *model.gatedDeltaNet).gemm);
            out.core += layer.coreFlops;
        }
        out.mlp += layer.feedForward == FeedForward::dense ? dense : 0;
        out.moe += layer.feedForward == FeedForward::moe ? moe : 0;
    }
    out.logits = 2.0 * model.hiddenSize * model.vocabSize;
    if (mtpDepth > 0 && !layers.ofLayer.empty()) {
        const double last = layers.kinds[layers.ofLayer.back()].feedForward == FeedForward::moe ? moe : dense;
        const double projection = 4.0 * model.hiddenSize * model.hiddenSize;
        out.mtp = mtpDepth * (projection + attention + last + widths * causal + out.logits);
    }
    return out;
}

double trainFlopsPerToken(const Architecture& model, double s, FlopsConvention convention,
                          RecomputeFlops recompute, int mtpDepth) {
    if (convention != FlopsConvention::causal) {
        const ParameterCount count = countParameters(model);
        if (convention == FlopsConvention::sixN)
            return 6.0 * static_cast<double>(count.active);
        return 6.0 * static_cast<double>(count.active - count.embedding) +
               12.0 * model.layers * model.attentionHeads * model.headDim * s;
    }
    const FlopsPerToken forward = forwardFlopsPerToken(model, s, AttentionAverage::half, false, mtpDepth);
    const double extra = recompute == RecomputeFlops::none        ? 0
                         : recompute == RecomputeFlops::selective ? forward.core
                                                                  : forward.total() - forward.logits;
    return 3 * forward.total() + extra;
}

double megatronIterationFlops(double batch, double s, double layers, double h, double vocabulary,
                              RecomputeFlops recompute) {
    const double tokens = batch * s;
    if (recompute == RecomputeFlops::full)
        return 24 * tokens * layers * h * h * (4 * (1 + s / (6 * h)) + vocabulary / (4 * h * layers));
    const double model = 72 * tokens * layers * h * h * (1 + s / (6 * h) + vocabulary / (12 * h * layers));
    return model + (recompute == RecomputeFlops::selective ? 4 * tokens * layers * s * h : 0);
}

} // namespace alidade
