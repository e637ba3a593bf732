// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/fabric_rates.h"

namespace alidade {

/// Start of a one-shot kernel, relative to that of a library's ring. Fitted to the tables of TensorRT-LLM 1.3
/// in ai-dynamo/aiconfigurator (H100, B200 and GB200); refitted in tst_collectives_fit.
inline constexpr double oneShotStart = 2.0 / 3;

/// All-reduce of a serving engine inside one NVLink domain: every rank reads the buffers of all others at
/// once. Fastest below about 1 MiB; above that, engines use a library collective.
/// \param relativeStart relative to the library's
template <class N>
N oneShotAllReduceTime(const N& bytes, const N& ranks, const NvlinkRates<N>& rates,
                       double relativeStart = oneShotStart) {
    const N start = relativeStart * rates.allGather.alpha;
    return named(start + bytes * (ranks - 1) / rates.allGather.bandwidth, "one_shot_all_reduce",
                 Dimension::seconds, "2/3 kernel + S (n - 1)/B");
}

} // namespace alidade
