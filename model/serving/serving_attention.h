// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/kv_cache.h"
#include "model/serving/sparse_attention.h"

namespace alidade {

/// Tokens of a context that a layer reads: all, those of its window, or those that sparse attention chooses.
template <class N>
N tokensRead(const ServingContext<N>& c, const LayerKind& kind, const N& context) {
    using std::min;
    const int most = kind.window > 0 ? kind.window : c.plan.sparseTokens;
    if (most <= 0)
        return context;
    return named(min(context, c.count(most, "tokens_seen", "window or sparse choice")), "context_read",
                 Dimension::tokens);
}

/// Attention of the prompt tokens of a step: the law of training's forward pass, with the cached prefix.
template <class N>
void prefillAttention(const ServingContext<N>& c, const StepRows<N>& r, const LayerKind& kind,
                      const N& headSize, const N& valueSize, ServingLayerBuilder<N>& layer) {
    using std::max;
    using std::min;
    const InputsT<N>& in = c.in;
    AttentionShape<N> s;
    s.batch = named(max(r.prompts, N(1e-9)), "prompts_in_step", Dimension::number);
    s.queries = named(r.prefill / s.batch, "prompt_tokens_in_step", Dimension::tokens, "of one sequence");
    s.cached = r.cached;
    s.queryHeads = named(in[Input::attentionHeads] / c.tensor, "heads_per_gpu", Dimension::number);
    s.kvHeads = c.plan.latentAttention
                    ? s.queryHeads
                    : named(max(N(1), in[Input::kvHeads] / c.tensor), "kv_heads_per_gpu", Dimension::number);
    s.headSize = headSize;
    s.valueHeadSize = valueSize;
    if (c.plan.latentAttention && c.plan.sparseTokens > 0 &&
        valueOf(s.cached + s.queries) > c.plan.sparseTokens) {
        // Each query has its own tokens, so that the up-projections of their keys are absorbed as in
        // decodes; the kernel works on groups of 64 heads (FlashMLA).
        s.queryHeads = named(max(N(64), s.queryHeads), "padded_heads_per_gpu", Dimension::number);
        s.kvHeads = N(1);
        s.headSize =
            named(in[Input::mlaKvRank] + in[Input::mlaRopeDim], "latent_key_size", Dimension::number);
        s.valueHeadSize = in[Input::mlaKvRank];
    }
    // A query sees the tokens before its step and half of those in it, at most its window.
    const N keys = tokensRead(c, kind, named(s.cached + (s.queries + 1) / 2, "mean_keys", Dimension::tokens));
    s.pairs = named(s.queries * keys, "attention_pairs", Dimension::number, "queries x mean keys");
    s.span = named(tokensRead(c, kind, s.cached + s.queries), "attention_span", Dimension::tokens);
    AttentionRates<N> rates = c.prefillAttention;
    if (c.plan.smallSinkHeads) {
        rates.computeEfficiency = named(rates.computeEfficiency * in[Input::servingSinkFactor],
                                        "sink_attention_efficiency", Dimension::ratio, "sinks, small heads");
    }
    layer.kernel("Prefill attention", Phase::prefill, attentionTime(s, rates), in[Input::reportingPeak]);
    if (c.plan.sparseTokens > 0) {
        const N scored = named(s.queries * (s.cached + (s.queries + 1) / 2), "indexer_pairs_of_a_prompt",
                               Dimension::number, "queries x tokens before them");
        indexerScores(c, "Indexer scores, prompts", "Indexer choice, prompts", Phase::prefill, s.batch,
                      s.cached + s.queries, s.batch * scored, layer);
    }
}

/// Bytes that decodes of a layer read of each cached token. Kernels before XQA (TensorRT-LLM 0.8) give each
/// query head its own thread block, which reads the keys and values of the whole group; the L2 cache answers
/// a part of the repeated reads (NVIDIA/TensorRT-LLM, docs/source/blogs/XQA-kernel.md).
template <class N>
N cacheReadPerToken(const ServingContext<N>& c) {
    using std::max;
    const InputsT<N>& in = c.in;
    const N bytes = kvBytesPerTokenAndLayer(c);
    if (!c.plan.cacheReadByQueryHead || c.plan.latentAttention)
        return bytes;
    const N sharers = named(in[Input::attentionHeads] / max(in[Input::kvHeads], c.tensor),
                            "query_heads_of_a_group", Dimension::number, "on one GPU");
    return named(bytes * (1 + in[Input::servingRepeatedReads] * (sharers - 1)), "cache_read_per_token",
                 Dimension::bytes, "once, and for each other query head what misses the L2 cache");
}

/// Attention of the decoding sequences over grouped-query heads: reads their cache once, except in old
/// kernels.
template <class N>
void decodeAttention(const ServingContext<N>& c, const StepRows<N>& r, const LayerKind& kind,
                     ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N context = tokensRead(c, kind, r.context);
    RooflineTime<N> t =
        decodeAttentionTime(r.sequences, context, cacheReadPerToken(c), in[Input::memoryBandwidth],
                            in[Input::servingAttentionMemoryEfficiency], in[Input::servingAttentionLaunch]);
    const N heads = named(in[Input::attentionHeads] / c.tensor, "heads_per_gpu", Dimension::number);
    if (c.plan.latentAttention) { // the up-projections are absorbed: each head works on the whole latent
        const N width = 2 * in[Input::mlaKvRank] + in[Input::mlaRopeDim];
        t.flops = named(2 * r.sequences * r.queries * heads * context * width, "latent_attention_flops",
                        Dimension::flop, "2 a (2 r_kv + d_r) per query and cached token");
        t.compute = named(t.flops / (in[Input::latentPeak] * in[Input::servingLatentEfficiency]),
                          "latent_attention_compute_time", Dimension::seconds);
    } else {
        t.flops = named(4 * r.sequences * r.queries * heads * context * in[Input::headDim],
                        "decode_attention_flops", Dimension::flop);
        t.compute = named(t.flops / (in[Input::reportingPeak] * in[Input::servingAttentionEfficiency]),
                          "decode_attention_compute_time", Dimension::seconds);
    }
    layer.kernel("Decode attention", Phase::decode, withTotal(t), in[Input::reportingPeak]);
    if (c.plan.sparseTokens > 0) {
        const N pairs = named(r.sequences * r.queries * r.context, "indexer_pairs", Dimension::number);
        indexerScores(c, "Indexer scores", "Indexer choice", Phase::decode, r.sequences, r.context, pairs,
                      layer);
    }
}

/// Grouped-query attention with its projections.
template <class N>
void groupedQueryServing(const ServingContext<N>& c, const StepRows<N>& r, const LayerKind& kind,
                         ServingLayerBuilder<N>& layer) {
    using std::max;
    const InputsT<N>& in = c.in;
    const N heads = named(in[Input::attentionHeads] / c.tensor, "heads_per_gpu", Dimension::number);
    const N kvHeads = named(max(N(1), in[Input::kvHeads] / c.tensor), "kv_heads_per_gpu", Dimension::number);
    const N queries = c.plan.attentionGate ? 2 * heads : heads;
    const N width = named((queries + 2 * kvHeads) * in[Input::headDim], "qkv_width", Dimension::number);
    layer.gemm("QKV projection", r.rank, width, in[Input::hiddenSize], c.dense);
    layer.elementwise("Norm, rotary embedding, cache write",
                      r.rank * (8 * in[Input::hiddenSize] + 4 * (heads + kvHeads) * in[Input::headDim]));
    if (c.plan.fullHeadNorms && c.plan.tensorGroup.ranks > 1) {
        // Each rank has a share of the heads: their squares are added up before the norm, one FP32 sum of the
        // queries and one of the keys of a row.
        layer.elementwise("Squares of queries and keys", 2 * r.rank * (heads + kvHeads) * in[Input::headDim]);
        layer.tensorAllReduceOf(named(8 * r.rank, "norm_sums_bytes", Dimension::bytes, "two FP32 sums"));
    }
    if (c.plan.sparseTokens > 0)
        indexerProjections(c, r, layer);
    if (r.prefills)
        prefillAttention(c, r, kind, in[Input::headDim], in[Input::headDim], layer);
    if (r.decodes)
        decodeAttention(c, r, kind, layer);
    layer.gemm("Output projection", r.rank, in[Input::hiddenSize], heads * in[Input::headDim],
               c.attentionOutput());
}

/// Latent attention: prompts execute the up-projections, decodes absorb them at the same number of FLOP
/// (DeepSeek-V2, arXiv 2405.04434).
template <class N>
void latentServing(const ServingContext<N>& c, const StepRows<N>& r, const LayerKind& kind,
                   ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N heads = named(in[Input::attentionHeads] / c.tensor, "heads_per_gpu", Dimension::number);
    const N keySize =
        named(in[Input::mlaNopeDim] + in[Input::mlaRopeDim], "query_head_size", Dimension::number);
    const N& valueSize = in[Input::valueHeadDim];
    const N latent = named(in[Input::mlaKvRank] + in[Input::mlaRopeDim], "latent_width", Dimension::number);
    if (c.plan.queryCompressed) {
        layer.gemm("Query and KV down-projection", r.rank, in[Input::mlaQueryRank] + latent,
                   in[Input::hiddenSize], c.dense);
        layer.gemm("Query up-projection", r.rank, heads * keySize, in[Input::mlaQueryRank], c.dense);
    } else {
        layer.gemm("Query and KV down-projection", r.rank, heads * keySize + latent, in[Input::hiddenSize],
                   c.dense);
    }
    layer.elementwise("Norm, rotary embedding, cache write",
                      r.rank * (8 * in[Input::hiddenSize] + 4 * heads * keySize));
    layer.gemm("KV up-projection", r.rank, heads * (in[Input::mlaNopeDim] + valueSize), in[Input::mlaKvRank],
               c.dense);
    if (c.plan.sparseTokens > 0)
        indexerProjections(c, r, layer);
    if (r.prefills)
        prefillAttention(c, r, kind, keySize, valueSize, layer);
    if (r.decodes)
        decodeAttention(c, r, kind, layer);
    layer.gemm("Output projection", r.rank, in[Input::hiddenSize], heads * valueSize, c.attentionOutput());
}

/// Kernels of a prompt's scan, with the gated norm behind it: five of the chunked scan (mamba_ssm,
/// ops/triton/ssd_combined.py); the gate, two L2 norms and six of the chunked delta rule (SGLang,
/// layers/attention/fla/chunk.py).
inline constexpr int mamba2ScanLaunches = 6, deltaScanLaunches = 10;

/// The recurrence of a linear-time mixer: decodes read and write their state, prompts scan.
template <class N>
void linearCore(const ServingContext<N>& c, const StepRows<N>& r, const N& stateElements, const N& scanFlops,
                int scanLaunches, ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    if (r.decodes) {
        RooflineTime<N> t;
        t.bytes = named(2 * r.sequences * stateElements * linearStateBytes, "state_bytes_moved",
                        Dimension::bytes, "FP32 state, read and written");
        t.memory = named(t.bytes / (in[Input::memoryBandwidth] * in[Input::servingLinearMemoryEfficiency]),
                         "state_time", Dimension::seconds);
        t.launch = in[Input::servingLinearTime];
        layer.kernel("State update", Phase::decode, withTotal(t), in[Input::reportingPeak]);
    }
    if (r.prefills) {
        RooflineTime<N> t;
        t.flops = named(r.prefill * scanFlops, "scan_flops", Dimension::flop);
        t.compute = named(t.flops / (in[Input::reportingPeak] * in[Input::servingScanEfficiency]),
                          "scan_compute_time", Dimension::seconds);
        t.bytes = named(2 * r.prompts * stateElements * linearStateBytes, "scan_bytes", Dimension::bytes);
        t.memory = t.bytes / in[Input::memoryBandwidth];
        t.launch = in[Input::servingLinearTime];
        layer.kernel("Scan", Phase::prefill, withTotal(t), in[Input::reportingPeak], scanLaunches);
    }
}

template <class N>
void mamba2Serving(const ServingContext<N>& c, const StepRows<N>& r, ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N inner = named(in[Input::mambaInner] / c.tensor, "mamba_inner_per_gpu", Dimension::number);
    const N states = named(in[Input::mambaStates] / c.tensor, "mamba_states_per_gpu", Dimension::number);
    layer.gemm("Mamba input projection", r.rank, 2 * inner + states + in[Input::mambaHeads] / c.tensor,
               in[Input::hiddenSize], c.dense);
    layer.elementwise("Norm and causal convolution",
                      r.rank * (8 * in[Input::hiddenSize] + 4 * (inner + states)));
    linearCore(c, r, inner * in[Input::mambaState], 7 * inner * in[Input::mambaState], mamba2ScanLaunches,
               layer);
    layer.gemm("Mamba output projection", r.rank, in[Input::hiddenSize], inner, c.dense);
}

template <class N>
void gatedDeltaNetServing(const ServingContext<N>& c, const StepRows<N>& r, ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N keys = named(in[Input::deltaKeys] / c.tensor, "delta_keys_per_gpu", Dimension::number);
    const N values = named(in[Input::deltaValues] / c.tensor, "delta_values_per_gpu", Dimension::number);
    layer.gemm("DeltaNet input projection", r.rank,
               2 * keys + 2 * values + 2 * in[Input::deltaHeads] / c.tensor, in[Input::hiddenSize], c.dense);
    layer.elementwise("Norm and causal convolution",
                      r.rank * (8 * in[Input::hiddenSize] + 4 * (2 * keys + values)));
    const N size =
        named(in[Input::deltaValues] / in[Input::deltaHeads], "delta_value_size", Dimension::number);
    linearCore(c, r, values * size, 8 * values * size, deltaScanLaunches, layer);
    layer.gemm("DeltaNet output projection", r.rank, in[Input::hiddenSize], values, c.dense);
}

} // namespace alidade
