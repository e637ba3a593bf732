// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/expert_block.h"
#include "model/training/sharded_layer.h"
#include "model/training/state_space_block.h"

namespace alidade {

/// The mixer of a decoder layer with its norm and collectives.
template <class N>
void mixerBlock(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    if (kind.mixer == Mixer::none)
        return;
    const bool again = c.plan.recompute.norms || c.plan.recompute.perOp;
    layer.elementwise(kind.mixer == Mixer::attention ? "Attention norm" : "Mixer norm", normBytes(c), again);
    if (kind.mixer == Mixer::mamba2)
        mamba2Mixer(c, layer);
    else if (kind.mixer == Mixer::gatedDeltaNet)
        gatedDeltaNetMixer(c, layer);
    else if (c.plan.latentAttention)
        latentAttention(c, kind, layer);
    else
        groupedQueryAttention(c, kind, layer);
    if (c.plan.norms > 2) // Gemma: the output of a block is normalized too
        layer.elementwise("Attention output norm", normBytes(c), again);
    boundaryCollectives(c, layer);
}

/// The MLP or the experts of a decoder layer with their norm and collectives.
template <class N>
void feedForwardBlock(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    if (kind.feedForward == FeedForward::none)
        return;
    const bool again = c.plan.recompute.norms || c.plan.recompute.perOp;
    if (c.plan.norms > 1 ||
        kind.mixer == Mixer::none) { // Cohere, Falcon: one norm for attention and MLP in parallel
        layer.elementwise("MLP norm", normBytes(c), again);
    }
    if (c.plan.norms > 3)
        layer.elementwise("MLP output norm", normBytes(c), again);
    if (kind.feedForward == FeedForward::moe) {
        expertBlock(c, layer);
        return;
    }
    mlpKernels(c, c.in[Input::ffnSize], false, layer);
    boundaryCollectives(c, layer);
}

/// Seconds that the host needs to launch an ordinary layer, forward and backward.
template <class N>
N hostTime(const LayerContext<N>& c, const LayerKind& kind) {
    const InputsT<N>& in = c.in;
    N host;
    if (kind.feedForward != FeedForward::moe) {
        host = in[Input::hostTimePerLayer];
    } else if (c.plan.expertParallel > 1 && !c.plan.expertGroup.insideOneDomain() &&
               valueOf(in[Input::networkHostTime]) > 0) {
        host = in[Input::networkHostTime];
        if (c.plan.fusedDispatch) // its messages leave through a thread of the host
            host = host * in[Input::networkProxyFactor];
    } else {
        host = in[Input::hostTimePerMoeLayer];
    }
    if (kind.feedForward == FeedForward::moe && c.plan.expertLoop) {
        // Counts of tokens per expert come from the GPU, so that the host cannot run ahead, and no graph can
        // record the loop.
        const N experts = in[Input::routedExperts] / in[Input::expertParallel];
        return named(host + experts * in[Input::hostTimePerExpert], "host_time_of_a_layer",
                     Dimension::seconds, "the layer, and its experts one by one");
    }
    return named(host * in[Input::hostGraphShare], "host_time_of_a_layer", Dimension::seconds);
}

/// Traffic that hides behind the compute of the layer: after everything that the layer computes.
template <class N>
void hiddenTraffic(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    exchangeTokens(c, kind, layer);
    shardedLayerTraffic(c, kind, layer);
    offloadTraffic(c, kind, layer);
}

/// A decoder layer: forward, backward, what is recomputed, and its collectives.
template <class N>
void decoderLayer(const LayerContext<N>& c, const LayerKind& kind, LayerCost<N>& out) {
    LayerBuilder<N> layer(c, out, hostTime(c, kind));
    mixerBlock(c, kind, layer);
    feedForwardBlock(c, kind, layer);
    if (c.plan.quantizedBase) { // for the forward pass, for the backward pass, and where it runs again
        const HeldParameters<N> held = layerParameters(c, kind);
        const N bytes =
            named((held.dense + held.experts) * c.in[Input::dequantizationTraffic], "dequantisation_bytes",
                  Dimension::bytes, "4-bit weights read, 16 bits written");
        layer.stream("Dequantization", Phase::forward, bytes, N(1));
        layer.stream("Dequantization", Phase::backwardInput, bytes, N(1));
        if (c.plan.recompute.whole())
            layer.stream("Dequantization", Phase::recompute, bytes, N(1));
    }
    hiddenTraffic(c, kind, layer);
    layer.finish();
}

/// Token embedding on the first stage: a look-up, and a reduction over the vocabulary shards.
template <class N>
void embeddingLayer(const LayerContext<N>& c, LayerCost<N>& out) {
    LayerBuilder<N> layer(c, out);
    const N bytes = 4 * c.in[Input::hiddenSize] * c.tokens;
    layer.stream("Token embedding", Phase::forward, bytes, c.in[Input::elementwisePasses]);
    if (!c.plan.lora)
        layer.stream("Token embedding", Phase::backwardInput, 2 * bytes, c.in[Input::elementwisePasses]);
    const N boundary = named(c.tokens * c.in[Input::hiddenSize] * c.in[Input::activationBytes],
                             "boundary_bytes", Dimension::bytes);
    layer.tensorCollective(c.plan.sequenceParallel ? CollectiveOp::reduceScatter : CollectiveOp::allReduce,
                           Phase::forward, boundary, N(0));
    if (c.plan.sequenceParallel && !c.plan.lora)
        layer.tensorCollective(CollectiveOp::allGather, Phase::backwardWeight, boundary, N(0));
    layer.finish();
}

/// Final norm, logits and loss, for every micro-batch.
template <class N>
void logitsAndLoss(const LayerContext<N>& c, LayerBuilder<N>& layer) {
    const N h = c.in[Input::hiddenSize];
    const N vocabulary = named(c.in[Input::vocabulary] / c.tensor, "vocabulary_per_gpu", Dimension::number);
    const auto twoWay = [&](const char* name, const N& forward, const N& backward, const N& passes) {
        layer.stream(name, Phase::forward, forward * c.tokens, passes);
        layer.stream(name, Phase::backwardInput, backward * c.tokens, passes);
    };
    twoWay("Final norm", 8 * h / c.sequenceShare, 16 * h / c.sequenceShare, c.in[Input::elementwisePasses]);
    layer.kernel("Logits", Phase::forward, gemmTime<N>({c.tokens, vocabulary, h}, c.headGemm),
                 c.headGemm.peak);
    layer.kernel("Logits", Phase::backwardInput, gemmTime<N>({c.tokens, h, vocabulary}, c.headGemm),
                 c.headGemm.peak);
    if (!c.plan.lora) {
        layer.kernel("Logits", Phase::backwardWeight, gemmTime<N>({vocabulary, h, c.tokens}, c.headGemm),
                     c.headGemm.peak);
    }
    // 14 bytes a logit in all: 16-bit logits written and read, FP32 softmax, gradient.
    twoWay("Cross-entropy", 8 * vocabulary, 6 * vocabulary, N(1));
    const N boundary = named(c.tokens * h * c.in[Input::activationBytes], "boundary_bytes", Dimension::bytes);
    if (c.plan.sequenceParallel) {
        layer.tensorCollective(CollectiveOp::allGather, Phase::forward, boundary, N(0));
        layer.tensorCollective(CollectiveOp::reduceScatter, Phase::backwardInput, boundary, N(0));
        if (!c.plan.lora)
            layer.tensorCollective(CollectiveOp::allGather, Phase::backwardWeight, boundary, N(0));
    } else {
        layer.tensorCollective(CollectiveOp::allReduce, Phase::backwardInput, boundary, N(0));
    }
}

template <class N>
void headLayer(const LayerContext<N>& c, LayerCost<N>& out) {
    LayerBuilder<N> layer(c, out);
    logitsAndLoss(c, layer);
    layer.finish();
}

/// A multi-token-prediction module (DeepSeek-V3, arXiv 2412.19437, 2.2): a projection of the hidden state
/// joined with the next embedding, one decoder layer, and its own logits.
template <class N>
void predictionLayer(const LayerContext<N>& c, LayerCost<N>& out) {
    const LayerKind& kind = c.plan.prediction;
    LayerBuilder<N> layer(c, out, hostTime(c, kind));
    layer.elementwise("Prediction norms", 2 * normBytes(c));
    const N rows = named(c.tokens / c.sequenceShare, "sequence_shard_tokens", Dimension::tokens);
    layer.gemm("Prediction projection", rows, c.in[Input::hiddenSize], 2 * c.in[Input::hiddenSize], c.gemm);
    mixerBlock(c, kind, layer);
    feedForwardBlock(c, kind, layer);
    logitsAndLoss(c, layer);
    hiddenTraffic(c, kind, layer);
    layer.finish();
}

} // namespace alidade
