// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_algorithm.h"
#include "model/collectives/collective_op.h"
#include "model/explain/traced.h"

namespace alidade {

/// t = steps alpha + gamma sqrt(wire bytes) + wire bytes / bandwidth. The root is the fill time of an
/// optimally chunked pipeline; per direction.
template <class N>
struct LinkRates {
    N alpha = 0;     ///< s per step
    N gamma = 0;     ///< s per sqrt(byte)
    N bandwidth = 0; ///< bytes/s per rank and direction that large messages reach
};

/// log2, rounded up: the depth of a binary tree over this many ranks.
template <class N>
N treeDepth(const N& ranks) {
    return derivedLeaf(ranks, std::ceil(std::log2(valueOf(ranks))), "tree_depth", Dimension::number,
                       "log2 of the ranks, rounded up");
}

/// Consecutive steps. Ranks >= 1. Only for ring, tree, pat and fitted.
template <class N>
N collectiveSteps(CollectiveOp op, CollectiveAlgorithm algorithm, const N& ranks) {
    switch (algorithm) {
    case CollectiveAlgorithm::tree:
        return 2 * treeDepth(ranks);
    case CollectiveAlgorithm::pat:
        return treeDepth(ranks);
    case CollectiveAlgorithm::ring:
        if (op == CollectiveOp::sendReceive)
            return N(1);
        return op == CollectiveOp::allReduce ? 2 * (ranks - 1) : ranks - 1;
    case CollectiveAlgorithm::fitted:
    case CollectiveAlgorithm::inSwitch:
    case CollectiveAlgorithm::hierarchical:
    case CollectiveAlgorithm::lowLatency:
    case CollectiveAlgorithm::direct:
        break;
    }
    return N(1);
}

/// Bytes that a rank sends with an algorithm.
template <class N>
N wireBytes(CollectiveOp op, CollectiveAlgorithm algorithm, const N& ranks, const N& bytes) {
    return algorithm == CollectiveAlgorithm::tree ? 2 * bytes : bytes * wireFactor(op, ranks);
}

/// Seconds of one collective over one kind of link: the alpha-gamma-beta law.
template <class N>
N collectiveTime(CollectiveOp op, CollectiveAlgorithm algorithm, const N& ranks, const N& bytes,
                 const LinkRates<N>& link) {
    using std::sqrt;
    const N wire = wireBytes(op, algorithm, ranks, bytes);
    return collectiveSteps(op, algorithm, ranks) * link.alpha + link.gamma * sqrt(wire) +
           wire / link.bandwidth;
}

/// In-switch reduction and multicast (NVLS): an all-reduce moves the buffer (1 + 1/n) times in each
/// direction.
/// \param efficiency 0..1 of the link bandwidth
template <class N>
N nvlsTime(CollectiveOp op, const N& ranks, const N& bytes, const LinkRates<N>& link,
           const N& efficiency = N(1)) {
    const N times = op == CollectiveOp::allReduce ? 1 + 1 / ranks : N(1);
    return link.alpha + bytes * times / (link.bandwidth * efficiency);
}

} // namespace alidade
