// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/layer_builder.h"

namespace alidade {

/// The collectives around attention or an MLP: each gathers before and scatters after. Korthikanti et al.
/// 2022 (arXiv 2205.05198), section 4.2.2. For weight gradients the inputs are only gathered again.
template <class N>
void boundaryCollectives(const LayerContext<N>& c, LayerBuilder<N>& layer) {
    const N bytes = named(c.tokens * c.in[Input::hiddenSize] * c.in[Input::activationBytes], "boundary_bytes",
                          Dimension::bytes, "activations of a micro-batch at a layer boundary");
    const N& hidden = c.in[Input::overlapTensor];
    for (const Phase phase : {Phase::forward, Phase::backwardInput, Phase::recompute}) {
        if (phase == Phase::recompute && !c.plan.recompute.whole())
            continue;
        if (!c.plan.sequenceParallel) {
            layer.tensorCollective(CollectiveOp::allReduce, phase, bytes, hidden);
            continue;
        }
        layer.tensorCollective(CollectiveOp::allGather, phase, bytes, hidden);
        layer.tensorCollective(CollectiveOp::reduceScatter, phase, bytes, hidden);
    }
    if (c.plan.sequenceParallel && !c.plan.lora)
        layer.tensorCollective(CollectiveOp::allGather, Phase::backwardWeight, bytes, hidden);
}

/// HBM bytes per token of a fused norm and residual: reads x and the residual, writes both.
template <class N>
N normBytes(const LayerContext<N>& c) {
    return named(8 * c.in[Input::hiddenSize] / c.sequenceShare, "norm_bytes_per_token", Dimension::bytes,
                 "read x and residual, write both");
}

/// True where scores pass through memory: softmax, mask and dropout are separate kernels (before
/// FlashAttention).
template <class N>
bool unfusedScores(const LayerContext<N>& c) {
    return valueOf(c.in[Input::attentionScoreBytes]) > 0;
}

/// Core attention of one rank.
template <class N>
struct CoreAttention {
    AttentionShape<N> shape;
    N keyValueBytes; ///< keys and values of this rank's tokens
    N queryBytes;    ///< queries and outputs of this rank's tokens
};

template <class N>
CoreAttention<N> coreAttention(const LayerContext<N>& c, const LayerKind& kind) {
    const InputsT<N>& in = c.in;
    CoreAttention<N> out;
    AttentionShape<N>& s = out.shape;
    // Packed examples attend within themselves: as many sequences of their token-weighted length.
    const bool packed = valueOf(in[Input::attendedTokens]) > 0 &&
                        valueOf(in[Input::attendedTokens]) < valueOf(in[Input::sequenceLength]);
    const N& length = packed ? in[Input::attendedTokens] : in[Input::sequenceLength];
    s.batch = packed ? named(in[Input::microBatch] * in[Input::sequenceLength] / length, "packed_examples",
                             Dimension::number, "of a micro-batch")
                     : in[Input::microBatch];
    s.queries =
        named(length / in[Input::contextParallel], "tokens_of_a_sequence", Dimension::tokens, "on one rank");
    s.queryHeads = named(in[Input::attentionHeads] / c.tensor, "heads_per_gpu", Dimension::number);
    if (c.plan.latentAttention) {
        s.kvHeads = s.queryHeads;
        s.headSize =
            named(in[Input::mlaNopeDim] + in[Input::mlaRopeDim], "query_head_size", Dimension::number);
        s.valueHeadSize = in[Input::valueHeadDim];
    } else {
        using std::max;
        s.kvHeads = named(max(N(1), in[Input::kvHeads] / c.tensor), "kv_heads_per_gpu", Dimension::number);
        s.headSize = s.valueHeadSize = in[Input::headDim];
    }
    const double sequence = valueOf(length);
    N pairs;
    if (kind.window > 0) {
        const auto mask = kind.chunked ? AttentionMask::chunked : AttentionMask::sliding;
        pairs = c.count(
            static_cast<double>(attentionPairs(static_cast<std::int64_t>(sequence), mask, kind.window)),
            "windowed_pairs", "queries x keys inside the window");
        s.span = c.count(kind.window, "attention_window", "architecture");
    } else {
        pairs = unfusedScores(c) // computes the whole square and masks it
                    ? named(length * length, "attention_pairs", Dimension::number, "s squared")
                    : named(causalPairs(length), "attention_pairs", Dimension::number, "s (s + 1) / 2");
        s.span = c.plan.contextKind == ContextKind::ring ? s.queries : length;
    }
    s.pairs = c.plan.contextParallel > 1
                  ? named(pairs / in[Input::contextParallel], "pairs_per_rank", Dimension::number,
                          "balanced over the context group (zig-zag)")
                  : pairs;
    const N rows = s.batch * s.queries * in[Input::activationBytes];
    out.keyValueBytes = named(rows * s.kvHeads * (s.headSize + s.valueHeadSize), "key_value_bytes",
                              Dimension::bytes, "keys and values of one rank");
    out.queryBytes = rows * s.queryHeads * (s.headSize + s.valueHeadSize);
    return out;
}

/// Exchange of keys and values (or of heads) in a context-parallel group. Ring: each step's attention hides
/// the transfer of the next keys and values (Liu et al. 2023, arXiv 2310.01889); all-gather: before
/// attention, exposed (Llama 3, arXiv 2407.21783, 3.3.2); Ulysses: heads for tokens and back (arXiv
/// 2309.14509).
template <class N>
void contextCollectives(const LayerContext<N>& c, const CoreAttention<N>& core, const N& forward,
                        const N& backward, bool again, LayerBuilder<N>& layer) {
    const GroupShape& group = c.plan.contextGroup;
    if (group.ranks <= 1)
        return;
    const N ranks = c.in[Input::contextParallel];
    if (c.plan.contextKind == ContextKind::ring) {
        const auto ring = [&](Phase phase, const N& bytes, const N& compute) {
            CollectiveCost<N> step = collectiveOnGroup(CollectiveOp::sendReceive, bytes, group, c.fabric);
            step.seconds = named(step.seconds * (ranks - 1), "ring_time", Dimension::seconds, "c - 1 steps");
            step.wireBytes = bytes * (ranks - 1);
            step.networkBytes = step.networkBytes * (ranks - 1);
            step.nvlinkBytes = step.nvlinkBytes * (ranks - 1);
            const N window = named(compute * (ranks - 1) / ranks, "ring_window", Dimension::seconds,
                                   "attention of all steps but the first");
            layer.communication(contextTraffic, collectiveName(CollectiveOp::sendReceive), phase, bytes, step,
                                exposedComm(step.seconds, window));
        };
        ring(Phase::forward, core.keyValueBytes, forward);
        ring(Phase::backwardInput, 2 * core.keyValueBytes, backward);
        if (again)
            ring(Phase::recompute, core.keyValueBytes, forward);
        return;
    }
    const auto collective = [&](CollectiveOp op, Phase phase, const N& bytes) {
        layer.collective(contextTraffic, group, op, phase, bytes, N(0));
    };
    if (c.plan.contextKind == ContextKind::allGather) {
        const N gathered = named(core.keyValueBytes * ranks, "gathered_key_value_bytes", Dimension::bytes);
        collective(CollectiveOp::allGather, Phase::forward, gathered);
        collective(CollectiveOp::allGather, Phase::backwardInput, gathered);
        collective(CollectiveOp::reduceScatter, Phase::backwardInput, gathered);
        if (again)
            collective(CollectiveOp::allGather, Phase::recompute, gathered);
        return;
    }
    const N inputs = named(core.queryBytes / 2 + core.keyValueBytes, "exchanged_inputs", Dimension::bytes);
    for (const Phase phase : {Phase::forward, Phase::backwardInput, Phase::recompute}) {
        if (phase != Phase::recompute || again) {
            collective(CollectiveOp::allToAll, phase, inputs);
            collective(CollectiveOp::allToAll, phase, core.queryBytes / 2);
        }
    }
}

/// The attention kernel itself, with what the context group exchanges.
template <class N>
void coreAttentionKernels(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    const N peak = c.in[Input::reportingPeak];
    const CoreAttention<N> core = coreAttention(c, kind);
    AttentionRates<N> forwardRates = c.attentionForward, backwardRates = c.attentionBackward;
    if (c.plan.contextParallel > 1 && c.plan.contextKind == ContextKind::ring) {
        forwardRates.computeEfficiency =
            named(forwardRates.computeEfficiency / c.in[Input::ringAttentionFactor],
                  "ring_attention_efficiency", Dimension::ratio, "one kernel per step");
        backwardRates.computeEfficiency =
            named(backwardRates.computeEfficiency / c.in[Input::ringAttentionFactor],
                  "ring_attention_backward_efficiency", Dimension::ratio, "one kernel per step");
    }
    const RooflineTime<N> forward = attentionTime(core.shape, forwardRates);
    const RooflineTime<N> backward = attentionTime(core.shape, backwardRates, AttentionPass::backward);
    const bool again = c.plan.recompute.core || c.plan.recompute.whole();
    layer.kernel("Core attention", Phase::forward, forward, peak);
    layer.kernel("Core attention", Phase::backwardInput, backward, peak);
    if (again)
        layer.kernel("Core attention", Phase::recompute, forward, peak);
    if (unfusedScores(c)) {
        const N bytes = named(core.shape.batch * core.shape.queryHeads * core.shape.pairs *
                                  c.in[Input::attentionScoreBytes],
                              "score_bytes", Dimension::bytes, "scores, softmax and dropout through memory");
        layer.stream("Attention scores", Phase::forward, bytes, N(1));
        layer.stream("Attention scores", Phase::backwardInput, 2 * bytes, N(1));
        if (again)
            layer.stream("Attention scores", Phase::recompute, bytes, N(1));
    }
    contextCollectives(c, core, forward.total, backward.total, again, layer);
}

/// Grouped-query attention with its projections.
template <class N>
void groupedQueryAttention(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    using std::max;
    const InputsT<N>& in = c.in;
    const N heads = named(in[Input::attentionHeads] / c.tensor, "heads_per_gpu", Dimension::number);
    const N kvHeads = named(max(N(1), in[Input::kvHeads] / c.tensor), "kv_heads_per_gpu", Dimension::number);
    const N& d = in[Input::headDim];
    const N queries = c.plan.attentionGate ? 2 * heads : heads; // the output gate is projected with them
    const N width = named((queries + 2 * kvHeads) * d, "qkv_width", Dimension::number);
    const bool perOp =
        c.plan.recompute.perOp; // torchtitan keeps every second multiplication: q, v, gate, down
    layer.gemm("QKV projection", width, in[Input::hiddenSize],
               {.again = perOp, .share = named(kvHeads * d / width, "recomputed_share", Dimension::ratio)});
    if (c.plan.lora && c.plan.loraAttention)
        layer.adapter("QKV adapter", width, in[Input::hiddenSize]);
    if (c.plan.headNorms) {
        layer.elementwise("Query and key norms",
                          named(4 * (heads + kvHeads) * d, "head_norm_bytes_per_token", Dimension::bytes),
                          perOp);
    }
    if (valueOf(in[Input::learnedPositions]) == 0) {
        layer.elementwise("Rotary embedding",
                          named(4 * (heads + kvHeads) * d, "rope_bytes_per_token", Dimension::bytes), perOp);
    }
    coreAttentionKernels(c, kind, layer);
    if (c.plan.attentionGate)
        layer.elementwise("Output gate", 6 * heads * d, perOp);
    layer.gemm("Output projection", in[Input::hiddenSize], heads * d, {.again = perOp});
    if (c.plan.lora && c.plan.loraAttention)
        layer.adapter("Output adapter", in[Input::hiddenSize], heads * d);
}

/// Multi-head latent attention as in training: up-projections are executed (DeepSeek-V2, arXiv 2405.04434).
/// The down-projections run on the sequence shard of a rank.
template <class N>
void latentAttention(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N heads = named(in[Input::attentionHeads] / c.tensor, "heads_per_gpu", Dimension::number);
    const N keySize =
        named(in[Input::mlaNopeDim] + in[Input::mlaRopeDim], "query_head_size", Dimension::number);
    const N valueSize = in[Input::valueHeadDim];
    const N rows = named(c.tokens / c.sequenceShare, "sequence_shard_tokens", Dimension::tokens);
    const GemmTraits<N> up{.again = c.plan.recompute.mlaUp || c.plan.recompute.perOp};
    const auto project = [&](const char* name, const char* adapterName, const N& tokens, const N& n,
                             const N& k, const GemmTraits<N>& traits = {}) {
        layer.gemm(name, tokens, n, k, c.gemm, traits);
        if (c.plan.lora && c.plan.loraAttention)
            layer.adapter(adapterName, tokens, n, k, c.plan.recompute.whole());
    };
    if (c.plan.queryCompressed) {
        project("Query down-projection", "Query down adapter", rows, in[Input::mlaQueryRank],
                in[Input::hiddenSize]);
        project("Query up-projection", "Query up adapter", c.tokens, heads * keySize, in[Input::mlaQueryRank],
                up);
    } else {
        project("Query projection", "Query adapter", c.tokens, heads * keySize, in[Input::hiddenSize]);
    }
    project("KV down-projection", "KV down adapter", rows, in[Input::mlaKvRank] + in[Input::mlaRopeDim],
            in[Input::hiddenSize]);
    project("KV up-projection", "KV up adapter", c.tokens, heads * (in[Input::mlaNopeDim] + valueSize),
            in[Input::mlaKvRank], up);
    layer.elementwise("Rotary embedding",
                      named(4 * heads * (in[Input::mlaRopeDim] + keySize), "rope_bytes_per_token",
                            Dimension::bytes, "rotation, and the key that is put together per head"),
                      up.again);
    coreAttentionKernels(c, kind, layer);
    project("Output projection", "Output adapter", c.tokens, in[Input::hiddenSize], heads * valueSize,
            {.again = c.plan.recompute.perOp});
}

} // namespace alidade
