// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_time.h"

#include <cassert>

namespace alidade::reference {

/// Bus bandwidth as nccl-tests reports it, bytes/s.
template <class N>
N busBandwidth(CollectiveOp op, const N& ranks, const N& bytes, const N& seconds) {
    return bytes / seconds * wireFactor(op, ranks);
}

/// Message latency of an EFA generation from that of EFAv2: v3 packets take 35 % less (AWS), v4 keeps that.
/// \param generation 2, 3 or 4
template <class N>
N efaLatency(const N& latencyV2, int generation) {
    assert(generation >= 2 && generation <= 4);
    return generation == 2 ? latencyV2 : latencyV2 * 0.65;
}

} // namespace alidade::reference
