// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/layer_context.h"

namespace alidade {

/// Bytes per token that one layer leaves for its backward pass, by what divides them.
template <class N>
struct KeptBytes {
    N sequence{}; ///< whole on every tensor-parallel rank unless the sequence is split too
    N split{};    ///< divided over tensor parallelism
    N routed{};   ///< of experts: per token of a sequence shard
};

/// Bytes that a norm keeps per element of its input, alongside its output. A fused kernel keeps the input.
/// PyTorch's operations one by one keep an FP32 copy of it and, where the norm's weight is trained, the
/// normalized value.
template <class N>
N keptByNorm(const LayerContext<N>& c) {
    return c.in[Input::normInputBytes] + (c.plan.lora ? N{} : c.in[Input::unfusedKeptBytes]);
}

/// What autograd keeps of attention or another mixer: the published list (Korthikanti et al. 2022, arXiv
/// 2205.05198), with quantized copies and what single modules recompute.
template <class N>
void keptByMixer(const LayerContext<N>& c, const LayerKind& kind, KeptBytes<N>& kept) {
    const InputsT<N>& in = c.in;
    const N& e = in[Input::activationBytes];
    const N& gemmInput = in[Input::savedInputShare];
    const Recompute& recompute = c.plan.recompute;
    if (c.plan.headNorms && kind.mixer == Mixer::attention && !recompute.norms)
        kept.split += keptByNorm(c) * (in[Input::attentionHeads] + in[Input::kvHeads]) * in[Input::headDim];
    if (kind.mixer == Mixer::mamba2) {
        kept.split +=
            e * (2 * (2 * in[Input::mambaInner] + in[Input::mambaStates]) + 2 * in[Input::mambaInner]);
        return;
    }
    if (kind.mixer == Mixer::gatedDeltaNet) {
        kept.split +=
            e * (3 * (2 * in[Input::deltaKeys] + in[Input::deltaValues]) + 2 * in[Input::deltaValues]);
        return;
    }
    const N& a = in[Input::attentionHeads];
    N valueWidth = a * in[Input::headDim];
    if (c.plan.latentAttention) {
        valueWidth = a * in[Input::valueHeadDim];
        kept.sequence += e * (in[Input::mlaQueryRank] + in[Input::mlaKvRank] + in[Input::mlaRopeDim]);
        if (!recompute.mlaUp)
            kept.split += e * (2 * a * (in[Input::mlaNopeDim] + in[Input::mlaRopeDim]) + valueWidth);
    } else {
        kept.split += e * (a + 2 * in[Input::kvHeads]) * in[Input::headDim];
    }
    kept.split += e * valueWidth; // attention's own output, which its backward pass reads
    if (quantized(c.plan.precision) && valueOf(gemmInput) < 1)
        kept.split += e * gemmInput * valueWidth; // and its quantized copy for the projection
    if (recompute.core)
        return;
    if (valueOf(in[Input::attentionScoreBytes]) > 0)
        kept.split += 5 * a * in[Input::sequenceLength]; // softmax, dropout mask and output: Korthikanti 2022
    else
        kept.split += 4 * a; // FP32 log-sum-exp
}

template <class N>
void keptByFeedForward(const LayerContext<N>& c, const LayerKind& kind, KeptBytes<N>& kept) {
    const InputsT<N>& in = c.in;
    const N& e = in[Input::activationBytes];
    const N& gemmInput = in[Input::savedInputShare];
    const Recompute& recompute = c.plan.recompute;
    const auto mlp = [&](const N& width, bool again) {
        if (again)
            return N{};
        N bytes = e * width * (c.plan.gatedFfn ? 2 : 1);
        if (c.plan.gatedFfn) // the activation's output, a factor of the product
            bytes += in[Input::unfusedKeptBytes] * width;
        if (!recompute.product)
            bytes += e * gemmInput * width;
        return bytes;
    };
    if (kind.feedForward == FeedForward::dense) {
        kept.split += mlp(in[Input::ffnSize], recompute.mlp);
        return;
    }
    kept.split += mlp(in[Input::sharedFfnSize], recompute.sharedExperts || recompute.experts);
    if (recompute.experts)
        return;
    const N rows = in[Input::expertsPerToken] * in[Input::expertRows];
    // The dispatched tokens, inputs of the experts. Megatron-Core (since 2025) applies the routing weights at
    // the activation, so that nothing of the outputs is kept; PyTorch's own layers multiply the outputs in
    // FP32.
    kept.routed += rows * in[Input::expertTensorParallel] * e * in[Input::expertHiddenSize] * gemmInput;
    kept.routed += rows * in[Input::expertOutputBytes] * in[Input::expertHiddenSize];
    kept.routed += rows * mlp(in[Input::expertFfnSize], false) + 8 * in[Input::routedExperts];
}

/// Bytes of one decoder layer that one micro-batch leaves for its backward pass on one GPU.
/// \param whole as if nothing but the plan's modules were recomputed: a layer while it runs again
template <class N>
N layerActivationBytes(const LayerContext<N>& c, const LayerKind& kind, bool whole = false) {
    const InputsT<N>& in = c.in;
    const Recompute& recompute = c.plan.recompute;
    const N& e = in[Input::activationBytes];
    const N input =
        named(e * in[Input::hiddenSize] * c.tokens / c.sequenceShare, "layer_input_bytes", Dimension::bytes);
    if (recompute.full && !whole) {
        return named(input, "layer_activation_bytes", Dimension::bytes,
                     "full recomputation keeps the input of the layer");
    }
    KeptBytes<N> kept;
    const int blocks = (kind.mixer != Mixer::none ? 1 : 0) + (kind.feedForward != FeedForward::none ? 1 : 0);
    // Input of each norm, and its output: the input of the projections behind it.
    kept.sequence += blocks * keptByNorm(c) * in[Input::hiddenSize];
    const N inputs = blocks * e * in[Input::savedInputShare] * in[Input::hiddenSize];
    if (c.plan.sequenceParallel && c.plan.keepsGatheredInputs && (whole || !recompute.perOp))
        kept.split += c.tensor * inputs; // whole on every tensor-parallel rank
    else if (!recompute.norms)
        kept.sequence += inputs;
    if (kind.mixer != Mixer::none)
        keptByMixer(c, kind, kept);
    if (kind.feedForward != FeedForward::none)
        keptByFeedForward(c, kind, kept);
    const N perToken =
        kept.sequence / c.sequenceShare + kept.split / c.tensor + kept.routed / c.sequenceShare;
    N bytes = named(perToken * c.tokens, "layer_activation_bytes", Dimension::bytes,
                    "what autograd keeps of a layer and micro-batch");
    if (recompute.perOp && !whole) {
        bytes = bytes * in[Input::perOpKeptShare];
        if (c.plan.sequenceParallel && c.plan.keepsGatheredInputs) // one of its two gathered inputs
            bytes += e * in[Input::hiddenSize] * c.tokens - input;
        bytes = named(bytes, "layer_activation_bytes_per_op", Dimension::bytes,
                      "every second matrix multiplication runs again");
    } else if (recompute.everyOther && !whole) {
        bytes = named((bytes + input) / 2, "layer_activation_bytes_every_other", Dimension::bytes,
                      "every second layer runs again");
    }
    return bytes;
}

/// Bytes of the gradients that exist alongside what a layer kept while its backward pass runs: of the MLP's
/// or the experts' product and of what it was made of, which autograd frees only when the next one is done;
/// 16 bits.
template <class N>
N layerGradientBytes(const LayerContext<N>& c, const LayerKind& kind) {
    const InputsT<N>& in = c.in;
    const double copies = c.plan.gatedFfn ? 3 : 2;
    N perToken{};
    if (kind.feedForward == FeedForward::dense) {
        perToken = 2 * copies * in[Input::ffnSize] / c.tensor;
    } else if (kind.feedForward == FeedForward::moe) {
        const N rows = in[Input::expertsPerToken] * in[Input::expertRows];
        // and of the rows that come out of the experts and go into them
        perToken = rows * (2 * copies * in[Input::expertFfnSize] + 4 * in[Input::expertHiddenSize]) /
                   c.sequenceShare;
    }
    // Sequence parallelism gathers the gradient of an output and sums that of an input over all ranks: both
    // are whole meanwhile, as is the gathered input. PyTorch has the parts of two matrices and their sum.
    if (c.plan.sequenceParallel)
        perToken += (c.plan.keepsGatheredInputs ? 8 : 6) * in[Input::hiddenSize];
    return named(perToken * c.tokens, "layer_gradient_bytes", Dimension::bytes,
                 "gradients inside the layer whose backward pass runs");
}

} // namespace alidade
