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
/// Hu et al. 2021, arXiv 2106.09685. Each routed expert has its own, or the experts of a rank share one: a
/// rank then holds as many as with one expert.
template <class N>
HeldParameters<N> adapterParameters(const LayerContext<N>& c, const LayerKind& kind) {
    const InputsT<N>& in = c.in;
    const N& h = in[Input::hiddenSize];
    const auto mlp = [&](const N& inner, const N& outer) {
        return outer + (in[Input::ffnMatrices] - 1) * inner + outer + inner;
    };
    N widths{}, expertWidths{};
    if (c.plan.loraAttention && kind.mixer == Mixer::attention && c.plan.latentAttention) {
        const N heads = in[Input::attentionHeads] / c.tensor;
        const N queries = heads * (in[Input::mlaNopeDim] + in[Input::mlaRopeDim]);
        if (c.plan.queryCompressed)
            widths += h + 2 * in[Input::mlaQueryRank] + queries;
        else
            widths += h + queries;
        widths += h + 2 * in[Input::mlaKvRank] + in[Input::mlaRopeDim] +
                  heads * (in[Input::mlaNopeDim] + in[Input::valueHeadDim]);
        widths += heads * in[Input::valueHeadDim] + h;
    } else if (c.plan.loraAttention && kind.mixer == Mixer::attention) {
        const N qkv = (in[Input::attentionHeads] + 2 * in[Input::kvHeads]) * in[Input::headDim] / c.tensor;
        widths += h + qkv + h + in[Input::attentionHeads] * in[Input::headDim] / c.tensor;
    }
    if (c.plan.loraMlp && kind.feedForward == FeedForward::dense)
        widths += mlp(in[Input::ffnSize] / c.tensor, h);
    if (c.plan.loraMlp && kind.feedForward == FeedForward::moe) {
        if (valueOf(in[Input::sharedFfnSize]) > 0)
            widths += mlp(in[Input::sharedFfnSize] / c.tensor, h);
        const N adapters = c.plan.sharedExpertAdapters
                               ? c.count(1, "adapters_of_experts", "one for the experts of a rank")
                               : in[Input::routedExperts] / in[Input::expertParallel];
        expertWidths = adapters * mlp(in[Input::expertFfnSize] / in[Input::expertTensorParallel],
                                      in[Input::expertHiddenSize]);
    }
    HeldParameters<N> out;
    out.dense =
        named(in[Input::loraRank] * widths, "layer_adapter_parameters", Dimension::number, "r (in + out)");
    if (kind.feedForward == FeedForward::moe) {
        out.experts = named(in[Input::loraRank] * expertWidths, "layer_expert_adapter_parameters",
                            Dimension::number, "r (in + out), of the experts of a rank");
    }
    return out;
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
