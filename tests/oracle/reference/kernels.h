// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/attention.h"
#include "model/kernels/elementwise.h"
#include "model/kernels/gemm.h"
#include "model/kernels/grouped_gemm.h"

namespace alidade::reference {

/// One gated expert MLP over the tokens that reach this GPU.
template <class N>
struct GroupedGemmShape {
    N tokens;       ///< before routing: each goes to `expertsPerToken` of the experts
    N hidden;       ///< h
    N intermediate; ///< f of one expert
    N experts;      ///< E
    N expertsPerToken;
};

template <class N>
struct GroupedGemmRates {
    N peak;              ///< FLOP/s, dense
    N bandwidth;         ///< bytes/s of HBM
    N computeEfficiency; ///< 0..1
    N memoryEfficiency;  ///< 0..1
    N launch;            ///< s
    N padRows;           ///< rows of padding per touched expert
    N weightBytes = 2;   ///< per element
};

/// Roofline law of the grouped GEMM under balanced routing, fitted to aiconfigurator tables (mean error 10 to
/// 18 %).
template <class N>
RooflineTime<N> groupedGemmTime(const GroupedGemmShape<N>& s, const GroupedGemmRates<N>& r) {
    const N routed = s.tokens * s.expertsPerToken;
    const N touched = named(expertsTouched(s.experts, s.expertsPerToken, s.tokens), "experts_touched",
                            Dimension::number, "E (1 - (1 - k/E)^T)");
    RooflineTime<N> t;
    t.flops = named(6 * s.hidden * s.intermediate * routed, "expert_flops", Dimension::flop);
    t.bytes = named(3 * r.weightBytes * touched * s.hidden * s.intermediate + 4 * routed * s.hidden +
                        6 * routed * s.intermediate,
                    "expert_bytes", Dimension::bytes);
    t.compute =
        named(6 * s.hidden * s.intermediate * (routed + r.padRows * touched) / (r.peak * r.computeEfficiency),
              "expert_compute_time", Dimension::seconds, "roofline with padding per touched expert");
    t.memory = named(t.bytes / (r.bandwidth * r.memoryEfficiency), "expert_memory_time", Dimension::seconds,
                     "roofline");
    t.launch = r.launch;
    return withTotal(t);
}

/// Sizes of one layer for its elementwise kernels, whole model (before tensor parallelism).
template <class N>
struct ElementwiseShape {
    N hidden, queryHeads, kvHeads, headSize, intermediate;
    N tensorParallel = 1; ///< divides heads and MLP
    N sequenceParallel =
        1; ///< divides the norms and residuals: the TP degree with sequence parallelism, else 1
};

/// HBM bytes per token of one layer's forward pass in 16 bits, by kernel; the backward pass moves about twice
/// as much.
template <class N>
struct ElementwiseBytes {
    N norms; ///< two fused add + norm: read x and residual, write both
    N rope;  ///< rotary embedding of queries and keys
    N glu;   ///< activation and product of gate and up
    N total() const { return norms + rope + glu; }
};

template <class N>
ElementwiseBytes<N> elementwiseBytes(const ElementwiseShape<N>& s) {
    return {.norms = 16 * s.hidden / s.sequenceParallel,
            .rope = 4 * (s.queryHeads + s.kvHeads) * s.headSize / s.tensorParallel,
            .glu = 6 * s.intermediate / s.tensorParallel};
}

/// The useful fraction of the arithmetic when m x n is cut into tiles that run in waves over the
/// multiprocessors. A diagnostic: libraries choose tiles well, so the law above does not contain it.
inline double tileWaveEfficiency(double m, double n, double tileRows, double tileColumns,
                                 double multiprocessors) {
    const double rows = std::ceil(m / tileRows);
    const double columns = std::ceil(n / tileColumns);
    const double waves = std::ceil(rows * columns / multiprocessors);
    return m * n / (rows * tileRows * columns * tileColumns) * (rows * columns) / (waves * multiprocessors);
}

/// Causal attention with equal head sizes for keys and values.
template <class N>
AttentionShape<N> causalAttention(const N& batch, const N& queries, const N& queryHeads, const N& kvHeads,
                                  const N& headSize, const N& cached = N(0)) {
    return {.batch = batch,
            .queries = queries,
            .cached = cached,
            .queryHeads = queryHeads,
            .kvHeads = kvHeads,
            .headSize = headSize,
            .valueHeadSize = headSize,
            .pairs = named(causalPairs(queries, cached), "attention_pairs", Dimension::number,
                           "s P + s (s + 1) / 2"),
            .span = queries};
}

} // namespace alidade::reference
