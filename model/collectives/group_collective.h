// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/cross_domain.h"

namespace alidade {

/// One collective of one group. Bytes are those sent by one rank.
template <class N>
struct CollectiveCost {
    N seconds = 0;
    N latency = 0;      ///< s of that which do not depend on the size
    N wireBytes = 0;    ///< as nccl-tests counts them: buffer x factor of the operation
    N networkBytes = 0; ///< over its share of the network cards
    N nvlinkBytes = 0;  ///< over NVLink, with the chosen algorithm
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::fitted;
    std::optional<Bound>
        fabric; ///< the slowest that it crosses: nvlink, or efa or network; none for a group of one
    bool latencyBound = false; ///< latency is more than half of the time

    /// The class that the time counts toward: latency, or the fabric.
    Bound bound() const { return latencyBound || !fabric ? Bound::latency : *fabric; }
};

/// Seconds of a collective of a group: the NVLink laws if the group is in one domain, so that it does not use
/// the network; otherwise the fastest of the algorithms that a library would choose from, on the group's
/// network share per domain.
/// \param bytes buffer size in NCCL's convention (see CollectiveOp)
/// \param only ring, inSwitch or hierarchical: the algorithm that the library is configured to use, where it
/// applies
template <class N>
CollectiveCost<N> collectiveOnGroup(CollectiveOp op, const N& bytes, const GroupShape& group,
                                    const FabricRates<N>& rates,
                                    std::optional<CollectiveAlgorithm> only = std::nullopt) {
    CollectiveCost<N> cost;
    if (group.ranks <= 1)
        return cost;
    const N ranks =
        derivedLeaf(bytes, group.ranks, "group_ranks", Dimension::number, "rank order and machine");
    cost.wireBytes = named(bytes * wireFactor(op, ranks), "wire_bytes", Dimension::bytes, "buffer x kappa");
    const auto take = [&](const detail::Candidate<N>& best) {
        cost.seconds = best.seconds;
        cost.latency = best.latency;
        cost.networkBytes = best.networkBytes;
        cost.nvlinkBytes = best.nvlinkBytes;
        cost.algorithm = best.algorithm;
    };
    if (group.insideOneDomain()) {
        const N sharers = derivedLeaf(bytes, group.sharers, "sharing_groups", Dimension::number,
                                      "groups on the same links");
        take(detail::domainTime(op, bytes, ranks, sharers, rates.nvlink, only));
        cost.seconds = named(cost.seconds, collectiveName(op).data(), Dimension::seconds,
                             "alpha + gamma sqrt(w) + w/B inside an NVLink domain");
        cost.fabric = Bound::nvlink;
    } else {
        const detail::CrossDomain<N> x = detail::crossDomain(op, group, rates);
        take(detail::crossDomainTime(op, bytes, x, rates.network, only));
        cost.seconds = named(cost.seconds, collectiveName(op).data(), Dimension::seconds,
                             "fastest algorithm across NVLink domains");
        cost.fabric = rates.network.kind;
    }
    cost.latencyBound = 2 * valueOf(cost.latency) > valueOf(cost.seconds);
    return cost;
}

} // namespace alidade
