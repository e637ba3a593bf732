// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/layer_context.h"

namespace alidade {

/// Parameters of one layer.
template <class N>
HeldParameters<N> layerParameters(const LayerContext<N>& c, const LayerKind& kind) {
    HeldParameters<N> out;
    const N split = c.count(static_cast<double>(kind.split), "layer_gemm_parameters", "architecture");
    const N whole =
        c.count(static_cast<double>(kind.replicated), "layer_other_parameters", "norms, biases, router");
    out.dense = named(split / c.tensor + whole, "layer_parameters", Dimension::number, "of one rank");
    if (kind.experts > 0) {
        const N experts =
            c.count(static_cast<double>(kind.experts), "layer_expert_parameters", "architecture");
        out.experts = named(experts / (c.in[Input::expertParallel] * c.in[Input::expertTensorParallel]),
                            "layer_expert_parameters_per_rank", Dimension::number);
    }
    return out;
}

/// Trainable parameters of the adapters of one layer on one rank: r (in + out) for each adapted projection.
/// Hu et al. 2021, arXiv 2106.09685.
template <class N>
N adapterParameters(const LayerContext<N>& c, const LayerKind& kind) {
    const InputsT<N>& in = c.in;
    const N& h = in[Input::hiddenSize];
    N widths{};
    if (c.plan.loraAttention && kind.mixer == Mixer::attention) {
        const N qkv = (in[Input::attentionHeads] + 2 * in[Input::kvHeads]) * in[Input::headDim] / c.tensor;
        widths += h + qkv + h + in[Input::attentionHeads] * in[Input::headDim] / c.tensor;
    }
    if (c.plan.loraMlp && kind.feedForward == FeedForward::dense) {
        const N f = in[Input::ffnSize] / c.tensor;
        widths += h + (in[Input::ffnMatrices] - 1) * f + h + f;
    }
    return named(in[Input::loraRank] * widths, "layer_adapter_parameters", Dimension::number, "r (in + out)");
}

/// Elements per token of embedding or logits that one rank holds.
template <class N>
N vocabularyParameters(const LayerContext<N>& c) {
    return named(c.in[Input::vocabulary] * c.in[Input::hiddenSize] / c.tensor, "vocabulary_parameters",
                 Dimension::number);
}

/// Embedding and output layer of one rank; tied ones are the same matrix.
template <class N>
N outerParameters(const LayerContext<N>& c) {
    const N one = vocabularyParameters(c);
    return c.plan.tiedEmbeddings ? one : 2 * one;
}

} // namespace alidade
