// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/attention_pairs.h"
#include "model/kernels/roofline.h"

namespace alidade {

/// Attention of one layer on one rank, before the projections.
template <class N>
struct AttentionShape {
    N batch;            ///< sequences
    N queries;          ///< new tokens of each sequence
    N cached = 0;       ///< earlier tokens, already in the KV cache
    N queryHeads;       ///< on this rank
    N kvHeads;          ///< on this rank
    N headSize;         ///< of queries and keys
    N valueHeadSize;    ///< of values and outputs
    N pairs;            ///< (query, key) pairs of one head and sequence
    N span;             ///< tokens in the efficiency law: the queries, or the window if that is shorter
    N elementBytes = 2; ///< of q, k, v and o
};

template <class N>
struct AttentionRates {
    N peak;              ///< FLOP/s, dense
    N bandwidth;         ///< bytes/s of HBM
    N computeEfficiency; ///< 0..1 of peak for long sequences; the backward pass reaches about 0.85 of the
                         ///< forward pass
    N memoryEfficiency;  ///< 0..1
    N launch;            ///< s
    N rampTokens;        ///< span at which half of that efficiency is reached
    N backwardFlops =
        2.5; ///< FLOP of the backward kernel / forward: it recomputes the scores (5 GEMMs against 2)
    N backwardBytes = 2; ///< bytes of the backward kernel / forward
};

enum class AttentionPass : std::uint8_t { forward, backward };

/// FlashAttention-style kernel of training and prefill: efficiency eta / (1 + s0 / span); q, k, v and o pass
/// through HBM once. Fitted to aiconfigurator tables (4,446 to 7,306 shapes per GPU, mean error 10 to 15 %).
template <class N>
RooflineTime<N> attentionTime(const AttentionShape<N>& s, const AttentionRates<N>& r,
                              AttentionPass pass = AttentionPass::forward) {
    const bool backward = pass == AttentionPass::backward;
    RooflineTime<N> t;
    const N width = s.headSize + s.valueHeadSize;
    const N forwardFlops = 2 * s.batch * s.queryHeads * width * s.pairs;
    const N forwardBytes =
        s.elementBytes * s.batch * width * (s.queryHeads * s.queries + s.kvHeads * (s.queries + s.cached));
    t.flops =
        named(backward ? forwardFlops * r.backwardFlops : forwardFlops, "attention_flops", Dimension::flop);
    t.bytes =
        named(backward ? forwardBytes * r.backwardBytes : forwardBytes, "attention_bytes", Dimension::bytes);
    t.compute =
        named(t.flops * (1 + r.rampTokens / s.span) / (r.peak * r.computeEfficiency),
              "attention_compute_time", Dimension::seconds, "roofline, efficiency eta / (1 + s0 / s)");
    t.memory = named(t.bytes / (r.bandwidth * r.memoryEfficiency), "attention_memory_time",
                     Dimension::seconds, "roofline");
    t.launch = r.launch;
    return withTotal(t);
}

/// Decode attention of one layer: one query per sequence reads the whole KV cache; HBM-bound.
/// \param context mean tokens in the cache of a sequence
/// \param kvBytes bytes per token of this layer on this rank
template <class N>
RooflineTime<N> decodeAttentionTime(const N& batch, const N& context, const N& kvBytes, const N& bandwidth,
                                    const N& memoryEfficiency, const N& launch) {
    RooflineTime<N> t;
    t.bytes = named(batch * context * kvBytes, "kv_cache_bytes_read", Dimension::bytes);
    t.memory = named(t.bytes / (bandwidth * memoryEfficiency), "decode_attention_memory_time",
                     Dimension::seconds, "roofline");
    t.launch = launch;
    return withTotal(t);
}

} // namespace alidade
