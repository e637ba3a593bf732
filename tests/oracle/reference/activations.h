// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade::reference {

/// Widths, in elements per token, of what one transformer layer keeps for its backward pass.
template <class N>
struct ActivationShape {
    N hidden;
    N queryHeads;
    N qkvWidth;         ///< queries, keys, values and, with MLA, the latents
    N outputWidth;      ///< attention output before its projection
    N intermediate = 0; ///< dense MLP: one of gate and up
    N experts = 0;      ///< MoE: routed experts, 0 for a dense layer
    N expertsPerToken = 0;
    N expertIntermediate = 0;
    N sharedIntermediate = 0;
    N elementBytes = 2;
};

/// Queries, keys and values of grouped-query attention.
template <class N>
N gqaQkvWidth(const N& queryHeads, const N& kvHeads, const N& headSize) {
    return (queryHeads + 2 * kvHeads) * headSize;
}

/// Latents and expanded queries, keys and values of multi-head latent attention.
template <class N>
N mlaQkvWidth(const N& heads, const N& queryRank, const N& kvRank, const N& nopeSize, const N& ropeSize,
              const N& valueSize) {
    return queryRank + kvRank + ropeSize + heads * (nopeSize + ropeSize) * 2 + heads * valueSize;
}

/// Bytes per token of one layer with FlashAttention, no dropout and a gated MLP, by what autograd keeps
/// (within about 15 %; Korthikanti et al. 2022, arXiv 2205.05198, for the method).
template <class N>
struct ActivationBytes {
    N residuals;   ///< inputs of the two norms
    N normOutputs; ///< inputs of the projections; gone if norms are recomputed
    N qkv;
    N attentionOutput;
    N softmaxStatistics; ///< FP32 log-sum-exp
    N gateUp;            ///< the two inputs of the GLU product
    N gluProduct;        ///< gone if it is recomputed
    N routing;           ///< MoE: dispatched and returned tokens, router logits and probabilities
    N total() const {
        return residuals + normOutputs + qkv + attentionOutput + softmaxStatistics + gateUp + gluProduct +
               routing;
    }
};

template <class N>
ActivationBytes<N> activationBytes(const ActivationShape<N>& s) {
    const N mlpWidth = s.intermediate + s.expertsPerToken * s.expertIntermediate + s.sharedIntermediate;
    return {.residuals = 2 * s.elementBytes * s.hidden,
            .normOutputs = 2 * s.elementBytes * s.hidden,
            .qkv = s.elementBytes * s.qkvWidth,
            .attentionOutput = s.elementBytes * s.outputWidth,
            .softmaxStatistics = 4 * s.queryHeads,
            .gateUp = 2 * s.elementBytes * mlpWidth,
            .gluProduct = s.elementBytes * mlpWidth,
            .routing = 2 * s.elementBytes * s.expertsPerToken * s.hidden + 8 * s.experts};
}

/// Bytes per token of a layer that is recomputed entirely: its input.
template <class N>
N checkpointBytes(const N& hidden, const N& elementBytes = N(2)) {
    return elementBytes * hidden;
}

/// What is computed again in the backward pass: nothing, the attention core, the whole layer.
enum class KorthikantiRecompute : std::uint8_t { none, selective, full };

/// Bytes of one GPT layer with dropout, GELU and unfused attention in 16 bits: table 2 of Korthikanti et al.
/// 2022.
double korthikantiActivationBytes(double sequence, double microBatch, double hidden, double heads,
                                  double tensorParallel, KorthikantiRecompute recompute,
                                  bool sequenceParallel);

inline double korthikantiActivationBytes(double sequence, double microBatch, double hidden, double heads,
                                         double tensorParallel, KorthikantiRecompute recompute,
                                         bool sequenceParallel) {
    const double elements = sequence * microBatch * hidden;
    if (recompute == KorthikantiRecompute::full) {
        return 2 * elements / (sequenceParallel ? tensorParallel : 1);
    }
    const double core = recompute == KorthikantiRecompute::selective ? 0 : 5 * heads * sequence / hidden;
    return elements * (sequenceParallel ? (34 + core) / tensorParallel : 10 + (24 + core) / tensorParallel);
}

} // namespace alidade::reference
