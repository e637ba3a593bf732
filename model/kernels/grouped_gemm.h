// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/roofline.h"

namespace alidade {

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

/// Expected number of distinct experts that `tokens` tokens hit under uniform independent top-k routing.
template <class N>
N expertsTouched(const N& experts, const N& expertsPerToken, const N& tokens) {
    using std::pow;
    return experts * (1 - pow(1 - expertsPerToken / experts, tokens));
}

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

} // namespace alidade
