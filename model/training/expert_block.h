// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/expert_exchange.h"
#include "model/training/attention_block.h"
#include "model/training/mlp_block.h"

#include <utility>

namespace alidade {

/// What the experts of one rank work on in one micro-batch.
template <class N>
struct ExpertRows {
    N rankTokens; ///< of this rank, before routing
    N rows;       ///< rows that this rank's experts compute together: mean x imbalance, or their capacity
    N meanRows;   ///< routed tokens of a rank on average
    N experts;    ///< on this rank
    N rowsPerExpert;
    N width; ///< of one expert on this rank (one of gate and up)
};

template <class N>
ExpertRows<N> expertLoad(const LayerContext<N>& c) {
    const InputsT<N>& in = c.in;
    ExpertRows<N> out;
    out.rankTokens = named(c.tokens / c.sequenceShare, "routed_tokens_per_rank", Dimension::tokens,
                           "tokens of a sequence shard, before routing");
    out.meanRows =
        named(out.rankTokens * in[Input::expertTensorParallel] * in[Input::expertsPerToken], "expert_rows",
              Dimension::number, "tokens x top-k of the ranks that share an expert");
    out.rows = named(out.meanRows * in[Input::expertRows] * in[Input::expertImbalance], "busiest_expert_rows",
                     Dimension::number, "mean x capacity x imbalance");
    out.experts =
        named(in[Input::routedExperts] / in[Input::expertParallel], "experts_per_rank", Dimension::number);
    out.rowsPerExpert = named(out.rows / out.experts, "rows_per_expert", Dimension::number);
    out.width = named(in[Input::expertFfnSize] / in[Input::expertTensorParallel], "expert_width_per_gpu",
                      Dimension::number);
    return out;
}

/// One grouped GEMM: `experts` of rows x n x k, padded per expert; the reduction over rows in the weight
/// gradient pays the prologue for each expert. (Law of kernels/gemm.h, summed over the experts.)
template <class N>
RooflineTime<N> groupedGemm(const LayerContext<N>& c, const ExpertRows<N>& load, const N& n, const N& k,
                            bool weightGradient) {
    using std::max;
    const GemmRates<N>& r = c.expertGemm;
    const InputsT<N>& in = c.in;
    const N padded =
        named(load.rowsPerExpert + in[Input::expertPadTokens], "padded_rows_per_expert", Dimension::number);
    RooflineTime<N> t;
    t.flops = named(2 * load.rows * n * k, "expert_gemm_flops", Dimension::flop);
    const N weights = load.experts * n * k;
    t.bytes = named(weightGradient ? r.activationBytes * load.rows * (n + k) + 4 * weights
                                   : r.activationBytes * load.rows * k + r.weightBytes * weights +
                                         r.outputBytes * load.rows * n,
                    "expert_gemm_bytes", Dimension::bytes);
    const N work = weightGradient ? 2 * load.experts * (padded + r.extraK) * n * k
                                  : 2 * load.experts * padded * n * (k + r.extraK);
    t.compute = named(work / (r.peak * r.computeEfficiency), "expert_gemm_compute_time", Dimension::seconds,
                      "grouped GEMM with padding per expert");
    t.memory = named(t.bytes / (r.bandwidth * r.memoryEfficiency), "expert_gemm_memory_time",
                     Dimension::seconds, "roofline");
    t.launch = r.launch;
    t.quantization =
        named(r.quantPasses * (2 + r.activationBytes) * load.rows * k / r.bandwidth,
              "expert_quantisation_time", Dimension::seconds, "HBM passes of unfused quantization");
    return withTotal(t);
}

/// Matrix multiplications of the routed experts with their product.
template <class N>
void expertKernels(const LayerContext<N>& c, const ExpertRows<N>& load, LayerBuilder<N>& layer) {
    const Recompute& recompute = c.plan.recompute;
    const bool again = recompute.experts || recompute.whole(), gated = c.plan.gatedFfn;
    const N upWidth = gated ? named(2 * load.width, "expert_gate_up_width", Dimension::number) : load.width;
    const N& peak = c.expertGemm.peak;
    const auto gemm = [&](const char* name, const N& n, const N& k) {
        layer.kernel(name, Phase::forward, groupedGemm(c, load, n, k, false), peak);
        layer.kernel(name, Phase::backwardInput, groupedGemm(c, load, k, n, false), peak);
        if (!c.plan.lora)
            layer.kernel(name, Phase::backwardWeight, groupedGemm(c, load, n, k, true), peak);
        if (again)
            layer.kernel(name, Phase::recompute, groupedGemm(c, load, n, k, false), peak);
    };
    const auto adapter = [&](const char* name, const N& n, const N& k) {
        if (c.plan.lora && c.plan.loraMlp)
            layer.adapter(name, load.rows, n, k, again);
    };
    gemm(gated ? "Experts, gate and up" : "Experts, up", upWidth, c.in[Input::expertHiddenSize]);
    adapter("Experts, gate and up adapter", upWidth, c.in[Input::expertHiddenSize]);
    const N bytes = named((gated ? 6 : 4) * load.width * load.rows, "expert_product_bytes", Dimension::bytes);
    const N& passes =
        c.plan.unfusedProduct ? c.in[Input::unfusedProductPasses] : c.in[Input::elementwisePasses];
    layer.stream("Experts, product", Phase::forward, bytes, passes);
    layer.stream("Experts, product", Phase::backwardInput, 2 * bytes, passes);
    if (again || recompute.product)
        layer.stream("Experts, product", Phase::recompute, bytes, passes);
    gemm("Experts, down", c.in[Input::expertHiddenSize], load.width);
    adapter("Experts, down adapter", c.in[Input::expertHiddenSize], load.width);
    if (c.plan.unfusedProduct) {
        // Bias x routing weight is FP32, and so is the sum, expert by expert (Megatron-Core, TEGroupedMLP):
        // 28 bytes per element with the concatenation and the cast; backward, with the sums for the gradients
        // of bias and weight, 40.
        const N outputs = load.rows * c.in[Input::expertHiddenSize];
        const N biases = named(outputs * c.in[Input::expertBiasBytes], "expert_bias_bytes", Dimension::bytes);
        layer.stream("Experts, output bias", Phase::forward, biases, N(1));
        layer.stream("Experts, output bias", Phase::backwardInput, biases * 40 / 28, N(1));
        if (again)
            layer.stream("Experts, output bias", Phase::recompute, biases, N(1));
    }
}

/// Dispatch or combine of the tokens of one rank.
template <class N>
CollectiveCost<N> exchangeCost(const LayerContext<N>& c, const ExpertRows<N>& load, const N& elementBytes) {
    const InputsT<N>& in = c.in;
    const ExchangeShape<N> shape{.tokens = load.rankTokens,
                                 .hidden = in[Input::expertHiddenSize],
                                 .elementBytes = elementBytes,
                                 .experts = static_cast<int>(valueOf(in[Input::routedExperts])),
                                 .expertsPerToken = static_cast<int>(valueOf(in[Input::expertsPerToken])),
                                 .nodeLimit = c.plan.nodeLimit,
                                 .imbalance = in[Input::expertImbalance]};
    if (c.plan.fusedDispatch)
        return expertExchange(ExchangeKind::fused, shape, c.plan.expertGroup, c.fabric);
    CollectiveCost<N> cost = expertExchange(ExchangeKind::flat, shape, c.plan.expertGroup, c.fabric);
    if (!c.plan.expertGroup.insideOneDomain()) {
        // Counts differ from peer to peer and other traffic runs beside it, unlike in nccl-tests.
        cost.seconds = named(cost.seconds * in[Input::networkAllToAllUneven], "token_all_to_all",
                             Dimension::seconds, "relative to an all-to-all of equal parts");
    }
    return cost;
}

/// Dispatch before the experts and combine behind them, forward and backward (and again). After everything
/// that the layer computes.
template <class N>
void exchangeTokens(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    if (kind.feedForward != FeedForward::moe || c.plan.expertParallel <= 1)
        return;
    const InputsT<N>& in = c.in;
    const ExpertRows<N> load = expertLoad(c);
    const N elements = named(load.rankTokens * in[Input::expertsPerToken] * in[Input::expertHiddenSize],
                             "routed_elements", Dimension::number, "tokens x top-k x width");
    // Traffic hides behind compute of its own phase, of this micro-batch or of the one alongside it: no more
    // than there is of it. Time in which the GPU waits for the host hides it too.
    struct Sent {
        N bytes;
        CollectiveCost<N> cost;
    };
    const auto sentWith = [&](const N& elementBytes) {
        return Sent{elements * elementBytes, exchangeCost(c, load, elementBytes)};
    };
    const Sent there = sentWith(in[Input::expertDispatchBytes]),
               back = sentWith(in[Input::expertCombineBytes]);
    const auto both = [&](Phase phase, const N& elapsed, const Sent& dispatch, const Sent& combine) {
        N window =
            named(elapsed, "exchange_window", Dimension::seconds, "compute of the layer in this phase");
        for (const auto& [name, sent] : {std::pair("dispatch", &dispatch), std::pair("combine", &combine)}) {
            using std::max;
            using std::min;
            const N hidden = named(min(sent->cost.seconds * in[Input::overlapExpert], max(N(0), window)),
                                   "hidden_exchange", Dimension::seconds,
                                   "overlap x time, at most the concurrent compute");
            window -= hidden;
            layer.communication(expertTraffic, name, phase, sent->bytes, sent->cost,
                                sent->cost.seconds - hidden);
        }
    };
    both(Phase::forward, layer.elapsed(Phase::forward), there, back);
    // Backward, gradients take the way of the combine (16 bits) and of the dispatch.
    both(Phase::backwardInput, layer.elapsedBackward(), back, back);
    if (c.plan.recompute.experts || c.plan.recompute.whole()) {
        both(Phase::recompute, layer.elapsed(Phase::recompute) / layer.repetitions(Phase::recompute), there,
             back);
    }
}

/// Ranks that share an expert gather its tokens and reduce its outputs.
template <class N>
void expertTensorCollectives(const LayerContext<N>& c, const ExpertRows<N>& load, LayerBuilder<N>& layer) {
    if (c.plan.expertTensorParallel <= 1)
        return;
    const N bytes = named(load.meanRows * c.in[Input::expertHiddenSize] * c.in[Input::activationBytes],
                          "expert_boundary_bytes", Dimension::bytes);
    for (const Phase phase : {Phase::forward, Phase::backwardInput, Phase::recompute}) {
        if (phase == Phase::recompute && !c.plan.recompute.experts && !c.plan.recompute.whole())
            continue;
        for (const CollectiveOp op : {CollectiveOp::allGather, CollectiveOp::reduceScatter}) {
            layer.collective(expertTensorTraffic, c.plan.expertTensorGroup, op, phase, bytes,
                             c.in[Input::overlapTensor]);
        }
    }
}

/// Mixture of experts: router, permutation, grouped GEMMs, and shared experts alongside them.
template <class N>
void expertBlock(const LayerContext<N>& c, LayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const ExpertRows<N> load = expertLoad(c);
    const bool again = c.plan.recompute.experts || c.plan.recompute.whole();
    layer.gemm("Router", load.rankTokens, in[Input::routedExperts], in[Input::hiddenSize], c.headGemm,
               {.again = again});
    // Sorting the tokens by expert and back.
    const N permute = named(in[Input::expertPermuteBytes] * load.meanRows * in[Input::expertHiddenSize],
                            "permute_bytes", Dimension::bytes, "bytes per routed element");
    // Besides its bytes a row costs index arithmetic, a copy of its own and a message: what makes narrow rows
    // slower than their bytes say.
    const N indexed = named(load.meanRows * in[Input::expertRowTime], "routed_row_time", Dimension::seconds,
                            "rows x time per row");
    const auto permuteTokens = [&](Phase phase, const N& factor) {
        RooflineTime<N> t =
            streamingTime<N>(permute * factor, in[Input::memoryBandwidth], in[Input::gemmMemoryEfficiency]);
        t.memory = named(t.memory + indexed * factor, "permute_time", Dimension::seconds,
                         "bytes / HBM + time of the rows");
        layer.kernel("Permute tokens", phase, withTotal(t), in[Input::peak]);
    };
    permuteTokens(Phase::forward, N(1));
    permuteTokens(Phase::backwardInput, in[Input::expertPermuteBackward]);
    if (again)
        permuteTokens(Phase::recompute, N(1));
    if (c.plan.latentExperts) { // on a rank's own tokens, before the dispatch and behind the combine
        const GemmTraits<N> traits{.again = again};
        layer.gemm("Latent down-projection", load.rankTokens, in[Input::expertHiddenSize],
                   in[Input::hiddenSize], c.gemm, traits);
        layer.gemm("Latent up-projection", load.rankTokens, in[Input::hiddenSize],
                   in[Input::expertHiddenSize], c.gemm, traits);
    }
    expertKernels(c, load, layer);
    expertTensorCollectives(c, load, layer);
    if (valueOf(in[Input::sharedFfnSize]) > 0) {
        mlpKernels(c, in[Input::sharedFfnSize], true, layer);
        boundaryCollectives(c, layer);
    }
}

} // namespace alidade
