// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"
#include "model/kernels/bound.h"

namespace alidade {

/// The time of one kernel and its limits. The larger of the two arms hides the other one.
template <class N>
struct RooflineTime {
    N flops = 0;        ///< FLOP required by the operation (without padding)
    N bytes = 0;        ///< HBM bytes of operands and results
    N compute = 0;      ///< s, the arithmetic arm
    N memory = 0;       ///< s, the HBM arm
    N launch = 0;       ///< s, launch and ramp
    N quantization = 0; ///< s, HBM passes that write an operand in a lower precision
    N total = 0;        ///< s, launch + max(compute, memory) + quantization
};

/// t = launch + max(compute, memory) + quantization; fills `total`.
template <class N>
RooflineTime<N> withTotal(RooflineTime<N> time) {
    using std::max;
    time.total = time.launch + max(time.compute, time.memory) + time.quantization;
    return time;
}

/// The limiting arm of the kernel: compute or hbm; latency if launching takes longer than the rest.
template <class N>
Bound boundOf(const RooflineTime<N>& time) {
    const double arm = std::max(valueOf(time.compute), valueOf(time.memory));
    if (valueOf(time.launch) > arm + valueOf(time.quantization))
        return Bound::latency;
    return valueOf(time.compute) >= valueOf(time.memory) ? Bound::compute : Bound::hbm;
}

} // namespace alidade
