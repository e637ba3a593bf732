// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/expert_exchange.h"
#include "model/explain/normal.h"
#include "model/kernels/grouped_gemm.h"
#include "model/serving/serving_builder.h"

namespace alidade {

/// Dense MLP, or the shared experts. \param width of the whole model, one of gate and up
template <class N>
void mlpServing(const ServingContext<N>& c, const StepRows<N>& r, const N& width, bool shared,
                ServingLayerBuilder<N>& layer) {
    const N local = named(width / c.tensor, "ffn_per_gpu", Dimension::number);
    const bool gated = c.plan.gatedFfn;
    layer.gemm(shared  ? "Shared experts, gate and up"
               : gated ? "MLP gate and up"
                       : "MLP up",
               r.rank, gated ? 2 * local : local, c.in[Input::hiddenSize], c.mlp());
    if (!shared)
        layer.elementwise(gated ? "GLU product" : "Activation", r.rank * (gated ? 6 : 4) * local);
    layer.gemm(shared ? "Shared experts, down" : "MLP down", r.rank, c.in[Input::hiddenSize], local, c.mlp());
}

/// Up to so many ranks engines serve without replicas of popular experts.
inline constexpr int mostRanksWithoutReplicas = 16;
/// How far above the mean replicas leave the busiest rank. DeepSeek-V3 on 32 ranks prefills 18 % faster if
/// its routing is balanced artificially (SGLang on 96 H100, lmsys.org/blog/2025-05-05-large-scale-ep, which
/// finds replicas 1.49 times faster than none in prefill, 2.54 in decode); that about 70 % of its steps wait
/// for the busiest rank is an estimate.
inline constexpr double balancedSkew = 0.25;

/// Load of the busiest expert rank against the mean: experts differ in popularity, with a coefficient of
/// variation c, so that the sum over the E/e experts of a rank varies by c sqrt(e/E (1 - 1/e)); and few rows
/// spread unevenly. The expected largest of e normal shares (Blom 1958). On more than 16 ranks engines are
/// taken to run with replicas of the popular experts (EPLB).
template <class N>
N expertSkew(const ServingContext<N>& c, const StepRows<N>& r) {
    using std::max;
    using std::min;
    using std::sqrt;
    const InputsT<N>& in = c.in;
    if (c.plan.expertParallel <= 1)
        return in[Input::expertImbalance];
    const N z = c.count(blomMaximum(c.plan.expertParallel), "largest_of_ranks",
                        "expected largest of n normal values");
    const N& ranks = in[Input::expertParallel];
    N popularity = in[Input::servingExpertSkew] * sqrt((ranks - 1) / in[Input::routedExperts]);
    if (c.plan.expertParallel > mostRanksWithoutReplicas)
        popularity = min(popularity, balancedSkew / z);
    popularity = named(popularity, "popularity_of_a_rank", Dimension::number,
                       "c sqrt((e - 1)/E); over more than 16 ranks what replicas of experts leave");
    const N rows = named(max(N(1), r.engine * in[Input::expertsPerToken] / ranks), "rows_per_expert_rank",
                         Dimension::number);
    return named(in[Input::expertImbalance] * (1 + z * sqrt(popularity * popularity + 1 / rows)),
                 "expert_skew", Dimension::number, "busiest rank / mean: 1 + z sqrt(popularity^2 + 1/rows)");
}

/// Kernels that the host launches for them: sorting, gathering, two matrices, their product and the sum, and
/// two that quantize the inputs of the matrices. Counted in this list, not measured.
inline constexpr int expertLaunches = 6, quantizedExpertLaunches = 8;
/// Quantizing the input, and one call for all the rest, the choice of experts included
/// (trtllm_fp4_block_scale_moe of FlashInfer).
inline constexpr int fusedExpertLaunches = 2;

/// Experts whose weights the busiest rank reads: of those that it holds, each is chosen with the same chance
/// p. The expected largest of n normal shares with the deviation of a binomial count (Blom 1958), at most
/// all.
template <class N>
N busiestExperts(const ServingContext<N>& c, const N& touched) {
    using std::max;
    using std::min;
    using std::sqrt;
    if (c.plan.expertParallel <= 1)
        return touched;
    const N local = named(c.in[Input::routedExperts] / c.in[Input::expertParallel], "experts_of_a_rank",
                          Dimension::number);
    const N z = c.count(blomMaximum(c.plan.expertParallel), "largest_of_ranks",
                        "expected largest of n normal values");
    const N deviation = named(sqrt(max(N(1e-12), touched * (1 - touched / local))), "experts_deviation",
                              Dimension::number, "binomial");
    return named(min(local, touched + z * deviation), "experts_of_busiest_rank", Dimension::number,
                 "E/e p + z sqrt(E/e p (1 - p)), at most all");
}

/// The routed experts of one GPU: sorting, both matrices and the product in one law. Only the experts that a
/// step's rows choose are read (expertsTouched). The tiles of a grouped GEMM follow its load (16 to 128
/// rows), and a share of one for each expert is wasted.
template <class N>
RooflineTime<N> expertTime(const ServingContext<N>& c, const StepRows<N>& r) {
    using std::max;
    using std::min;
    const InputsT<N>& in = c.in;
    const N& h = in[Input::expertHiddenSize];
    const N width = named(in[Input::expertFfnSize] / in[Input::expertTensorParallel], "expert_width_per_gpu",
                          Dimension::number);
    const N touched =
        named(expertsTouched(in[Input::routedExperts], in[Input::expertsPerToken], r.engine,
                             in[Input::servingExpertSkew]) /
                  in[Input::expertParallel],
              "experts_touched", Dimension::number, "E/e (1 - (1 + T ((1 - k/E)^(-c^2) - 1))^(-1/c^2))");
    const N rows = named(r.engine * in[Input::expertsPerToken] / in[Input::expertParallel], "expert_rows",
                         Dimension::number, "rows x top-k of one GPU");
    const N tile = named(min(max(rows / touched, N(16)), N(128)), "tile_rows", Dimension::number,
                         "rows of an expert, 16 to 128");
    const N& matrices = in[Input::ffnMatrices];
    const bool weightOnly =
        valueOf(in[Input::expertWeightBytes]) < 1 && valueOf(in[Input::expertOperandBytes]) >= 2;
    const N efficiency = weightOnly
                             ? named(in[Input::servingExpertEfficiency] * in[Input::servingWeightOnlyFactor],
                                     "weight_only_efficiency", Dimension::ratio, "4-bit weights unpacked")
                             : in[Input::servingExpertEfficiency];
    const N skew = expertSkew(c, r);
    const N moved = named(rows * (in[Input::servingPermuteBytes] * h + 6 * width), "expert_rows_bytes",
                          Dimension::bytes, "sorted rows, products");
    const N perExpert =
        named(matrices * in[Input::expertWeightBytes] * h * width, "bytes_of_an_expert", Dimension::bytes);
    RooflineTime<N> t;
    t.flops = named(2 * matrices * h * width * rows, "expert_flops", Dimension::flop);
    t.bytes = named(perExpert * touched + moved, "expert_bytes", Dimension::bytes,
                    "touched weights, sorted rows, products");
    t.compute = named(in[Input::servingUntunedExperts] * 2 * matrices * h * width *
                          (skew * rows + in[Input::servingExpertPad] * tile * busiestExperts(c, touched)) /
                          (in[Input::expertPeak] * efficiency),
                      "expert_compute_time", Dimension::seconds, "grouped GEMM of the busiest rank, padded");
    t.memory =
        named(in[Input::servingUntunedExperts] * (perExpert * busiestExperts(c, touched) + skew * moved) /
                  (in[Input::memoryBandwidth] * in[Input::servingExpertMemoryEfficiency]),
              "expert_memory_time", Dimension::seconds, "roofline of the busiest rank");
    t.launch = named(in[Input::servingExpertLaunch] + in[Input::servingExpertQuantTime], "expert_launch",
                     Dimension::seconds, "sorting and ramp, quantized inputs");
    return withTotal(t);
}

/// Latency and fill of an exchange among fewer than eight GPUs, relative to eight.
struct FewerPeers {
    double latency = 1, fill = 1;
};

/// Kernels wait for each of their peers. All-gathers of 2, 4 and 8 GPUs behind NVSwitches take 8.8, 11.2 and
/// 16.1 us on B200 and 5.3, 7.1 and 10.1 us on H100 for 512 bytes (nccl-tests, AIConfigurator): 5 + n to a
/// few percent. The pipeline fills along the root of the distance, as in a ring. \param ranks >= 2
inline FewerPeers fewerPeers(int ranks) {
    const double n = std::min(ranks, 8);
    return {.latency = (5 + n) / 13, .fill = std::sqrt((n - 1) / 7)};
}

/// Tokens of attention-data ranks travel to their experts and back: one copy for each other rank that holds a
/// chosen expert or part of one, FP8 there and 16 bits back. Of n ranks k independent choices hit n (1 - (1 -
/// 1/n)^k).
template <class N>
void exchangeServing(const ServingContext<N>& c, const StepRows<N>& r, ServingLayerBuilder<N>& layer) {
    using std::pow;
    using std::sqrt;
    const InputsT<N>& in = c.in;
    const GroupShape& group = c.plan.expertGroup;
    if (c.plan.attentionDataParallel <= 1 || group.ranks <= 1)
        return;
    const N tokens = named(r.rank / c.tensor, "exchanged_tokens", Dimension::tokens, "of one GPU");
    const N ranks = c.count(group.ranks, "exchange_ranks");
    const double shares = sharesOfExpert(valueOf(in[Input::routedExperts]), group.ranks);
    const N targets = shares > 1 ? in[Input::expertsPerToken] * c.count(shares, "ranks_per_expert")
                                 : in[Input::expertsPerToken];
    const N copies = named((ranks - 1) * (1 - pow(1 - 1 / ranks, targets)), "copies_per_token",
                           Dimension::number, "other ranks that hold a chosen expert, or part of one");
    for (const bool dispatch : {true, false}) {
        const N element(dispatch ? 1 : 2);
        CollectiveCost<N> cost;
        const N bytes = named(tokens * in[Input::expertHiddenSize] * element * copies, "exchange_bytes",
                              Dimension::bytes);
        if (group.insideOneDomain()) {
            cost.wireBytes = cost.nvlinkBytes = bytes;
            const N rate = named(in[Input::nvlinkBandwidth] * in[Input::servingExchangeEfficiency],
                                 "engine_exchange_rate", Dimension::bytesPerSecond);
            const FewerPeers peers = fewerPeers(group.ranks);
            cost.seconds =
                named(in[Input::servingExchangeLatency] * c.count(peers.latency, "latency_of_fewer_peers") +
                          in[Input::servingExchangeFill] * c.count(peers.fill, "fill_of_fewer_peers") *
                              sqrt(bytes) +
                          bytes / rate,
                      "engine_exchange", Dimension::seconds, "alpha a(n) + gamma g(n) sqrt(w) + w/B");
            cost.fabric = Bound::nvlink;
        } else {
            const ExchangeShape<N> shape{.tokens = tokens,
                                         .hidden = in[Input::expertHiddenSize],
                                         .elementBytes = element,
                                         .experts = static_cast<int>(valueOf(in[Input::routedExperts])),
                                         .expertsPerToken =
                                             static_cast<int>(valueOf(in[Input::expertsPerToken])),
                                         .imbalance = in[Input::expertImbalance]};
            cost = expertExchange(r.prefills ? ExchangeKind::fused : ExchangeKind::lowLatency, shape, group,
                                  c.fabric);
        }
        layer.communication(dispatch ? "dispatch" : "combine", GroupKind::expert, bytes, cost,
                            StepPart::expertNvlink, StepPart::expertNetwork);
    }
}

/// Mixture of experts: router, exchange, grouped GEMMs, and shared experts alongside them.
template <class N>
void expertServing(const ServingContext<N>& c, const StepRows<N>& r, ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    layer.gemm("Router", r.rank, in[Input::routedExperts], in[Input::hiddenSize], c.plain);
    layer.elementwise("Choice of experts", r.rank * 4 * in[Input::routedExperts],
                      c.plan.fusedExperts ? 0 : 1);
    if (c.plan.latentExperts) {
        layer.gemm("Latent down-projection", r.rank, in[Input::expertHiddenSize], in[Input::hiddenSize],
                   c.dense);
        layer.gemm("Latent up-projection", r.rank, in[Input::hiddenSize], in[Input::expertHiddenSize],
                   c.dense);
    }
    layer.kernel("Routed experts", expertTime(c, r), in[Input::expertPeak],
                 c.plan.fusedExperts                          ? fusedExpertLaunches
                 : valueOf(in[Input::expertOperandBytes]) < 2 ? quantizedExpertLaunches
                                                              : expertLaunches);
    exchangeServing(c, r, layer);
    if (valueOf(in[Input::sharedFfnSize]) > 0)
        mlpServing(c, r, in[Input::sharedFfnSize], true, layer);
}

} // namespace alidade
