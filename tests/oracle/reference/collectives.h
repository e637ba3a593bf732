// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/multi_node.h"

#include <cassert>

namespace alidade::reference {

/// Compute and communication pipelined over equal chunks (user buffers, asynchronous tensor parallelism).
template <class N>
N chunkedOverlap(const N& compute, const N& comm, const N& chunks) {
    using std::max;
    using std::min;
    return max(compute, comm) + min(compute, comm) / chunks;
}

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

/// All-reduce in three steps: reduce-scatter inside each domain, ring all-reduce on each rail, all-gather
/// inside. They overlap chunk by chunk, so that the slower fabric decides.
template <class N>
N pipelinedHierarchicalAllReduce(const N& bytes, const N& perDomain, const N& domains,
                                 const LinkRates<N>& inside, const LinkRates<N>& across) {
    using std::max;
    const N scatter =
        collectiveTime(CollectiveOp::reduceScatter, CollectiveAlgorithm::ring, perDomain, bytes, inside);
    const N rail = collectiveTime(CollectiveOp::allReduce, CollectiveAlgorithm::ring, domains,
                                  bytes / perDomain, across);
    return max(2 * scatter, rail);
}

} // namespace alidade::reference
