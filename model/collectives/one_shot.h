// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/fabric_rates.h"

namespace alidade {

/// All-reduce of a serving engine inside one NVLink domain: every rank reads the buffers of all others at
/// once, in a kernel that starts in two thirds of the time of a library's (fitted to the tables of
/// TensorRT-LLM 1.3 in ai-dynamo/aiconfigurator; H100, B200 and GB200). Fastest below about 1 MiB; above
/// that, engines use a library collective.
template <class N>
N oneShotAllReduceTime(const N& bytes, const N& ranks, const NvlinkRates<N>& rates) {
    const N start = 2 * rates.allGather.alpha / 3;
    return named(start + bytes * (ranks - 1) / rates.allGather.bandwidth, "one_shot_all_reduce",
                 Dimension::seconds, "2/3 kernel + S (n - 1)/B");
}

} // namespace alidade
