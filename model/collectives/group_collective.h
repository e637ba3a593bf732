// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/efa.h"
#include "model/collectives/fabric_rates.h"
#include "model/collectives/group_shape.h"
#include "model/collectives/multi_node.h"

#include <optional>

namespace alidade {

/// One collective of one group.
template <class N>
struct CollectiveCost {
    N seconds = 0;
    N latency = 0;   ///< s of that which do not depend on the size
    N wireBytes = 0; ///< that each rank sends, over all fabrics
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::fitted;
    std::optional<Bound>
        fabric; ///< the slowest that it crosses: nvlink, or efa or network; none for a group of one
    bool latencyBound = false; ///< latency is more than half of the time

    /// What the time is charged to: latency, or the fabric.
    Bound bound() const { return latencyBound || !fabric ? Bound::latency : *fabric; }
};

namespace detail {

/// A way to run a collective, and how long it takes.
template <class N>
struct Candidate {
    CollectiveAlgorithm algorithm;
    N seconds, latency;
    N railBytes; ///< over one rank's share of the network cards
};

template <class N>
Candidate<N> faster(const Candidate<N>& a, const Candidate<N>& b) {
    using std::min;
    Candidate<N> out = valueOf(b.seconds) < valueOf(a.seconds) ? b : a;
    out.seconds = min(a.seconds, b.seconds);
    return out;
}

/// The group on its network: what every cross-domain law needs.
template <class N>
struct CrossDomain {
    N ranks, perDomain, domains; ///< counts
    LinkRates<N> inside;         ///< of one rank inside its domain; alpha per step
    LinkRates<N> across;         ///< of one rank's network cards, less what sharers take; alpha per step
    N busBandwidth = 0;          ///< bytes/s of all its cards in a domain together
};

template <class N>
CrossDomain<N> crossDomain(CollectiveOp op, const GroupShape& group, const FabricRates<N>& rates) {
    const auto count = [&](double value, const char* name) {
        return derivedLeaf(rates.network.nicBandwidth, value, name, Dimension::number,
                           "rank order and machine");
    };
    const N sharers = count(group.sharers, "sharing_groups");
    const N nics = count(group.nicsPerRank, "nics_per_rank");
    CrossDomain<N> x{.ranks = count(group.ranks, "group_ranks"),
                     .perDomain = count(group.ranksPerNvlinkDomain, "group_ranks_per_nvlink_domain"),
                     .domains = count(group.domains(), "group_nvlink_domains"),
                     .inside = {},
                     .across = {}};
    x.inside = {.alpha = rates.nvlink.stepLatency,
                .gamma = N(0),
                .bandwidth = nvlinkRatesOf(rates.nvlink, op).bandwidth};
    x.across.alpha =
        named(rates.network.latency + rates.network.hopLatency * count(group.hops - 1, "further_switches"),
              "network_step_latency", Dimension::seconds, "alpha + delta (hops - 1)");
    x.across.bandwidth = named(rates.network.nicBandwidth * nics * rates.network.efficiency / sharers,
                               "network_bandwidth_per_rank", Dimension::bytesPerSecond,
                               "share of the network cards of one rank");
    // A domain of one has no inside: every step leaves over the network.
    x.busBandwidth =
        group.ranksPerNvlinkDomain > 1
            ? flatRingBusBandwidth(x.perDomain, x.domains, x.inside.bandwidth, x.across.bandwidth)
            : x.across.bandwidth;
    x.busBandwidth = named(x.busBandwidth, "ring_bus_bandwidth", Dimension::bytesPerSecond,
                           "min(NVLink, q network shares)");
    return x;
}

/// A flat ring over all ranks, multi-rail: it leaves each domain over all of the group's network cards there.
template <class N>
Candidate<N> flatRing(CollectiveOp op, const N& bytes, const CrossDomain<N>& x) {
    const N rounds = op == CollectiveOp::allReduce ? N(2) : N(1);
    const N latency =
        named(rounds * (x.domains - 1) * x.across.alpha + rounds * (x.ranks - x.domains) * x.inside.alpha,
              "ring_latency", Dimension::seconds, "steps across and inside the domains");
    const N seconds = latency + bytes * wireFactor(op, x.ranks) / x.busBandwidth;
    return {CollectiveAlgorithm::ring,
            named(seconds, "ring_time", Dimension::seconds, "flat multi-rail ring"), latency,
            bytes * wireFactor(op, x.ranks) / x.perDomain};
}

/// A double binary tree over the domains, a chain inside them: few steps, all network cards of the group.
template <class N>
Candidate<N> tree(const N& bytes, const CrossDomain<N>& x, const NetworkRates<N>& network) {
    const N latency =
        named(2 * treeDepth(x.domains) * x.across.alpha + 2 * (x.perDomain - 1) * x.inside.alpha,
              "tree_latency", Dimension::seconds, "two passes over the depth of the tree");
    return {CollectiveAlgorithm::tree,
            named(latency + 2 * bytes / (x.busBandwidth * network.treeEfficiency), "tree_time",
                  Dimension::seconds, "double binary tree"),
            latency, 2 * bytes / x.perDomain};
}

template <class N>
Candidate<N> crossDomainTime(CollectiveOp op, const N& bytes, const CrossDomain<N>& x,
                             const NetworkRates<N>& network) {
    if (op == CollectiveOp::sendReceive) {
        return {CollectiveAlgorithm::ring, x.across.alpha + bytes / x.across.bandwidth, x.across.alpha,
                bytes};
    }
    if (op == CollectiveOp::allToAll) {
        return {CollectiveAlgorithm::direct, allToAllTime(bytes, x.ranks, x.perDomain, x.inside, x.across),
                x.across.alpha, bytes * (x.ranks - x.perDomain) / x.ranks};
    }
    const Candidate<N> ring = flatRing(op, bytes, x);
    const bool oneRankPerDomain = valueOf(x.perDomain) <= 1;
    if (op == CollectiveOp::allReduce) {
        const Candidate<N> best = faster(ring, tree(bytes, x, network));
        if (oneRankPerDomain || valueOf(x.domains) > 2) {
            return best;
        }
        // Over two domains a hierarchical all-reduce sends the buffer only once: faster than any flat ring.
        // Inside, reduction and multicast in the switch take as long as an all-reduce there.
        const N seconds = hierarchicalAllReduce(bytes, x.perDomain, x.domains, x.inside, x.across, true);
        const N latency = 2 * (x.perDomain - 1) * x.inside.alpha + 2 * (x.domains - 1) * x.across.alpha;
        return faster(best, {CollectiveAlgorithm::hierarchical, seconds, latency,
                             2 * bytes * (x.domains - 1) / x.domains / x.perDomain});
    }
    if (oneRankPerDomain && (op == CollectiveOp::allGather || op == CollectiveOp::reduceScatter)) {
        const LinkRates<N> link{
            .alpha = x.across.alpha, .gamma = N(0), .bandwidth = x.across.bandwidth * network.patEfficiency};
        return faster(ring, {CollectiveAlgorithm::pat,
                             collectiveTime(op, CollectiveAlgorithm::pat, x.ranks, bytes, link),
                             collectiveSteps(op, CollectiveAlgorithm::pat, x.ranks) * link.alpha,
                             bytes * wireFactor(op, x.ranks)});
    }
    return ring;
}

} // namespace detail

/// Seconds of a collective of a group: the fitted NVLink law if the group lies in one domain, so that it
/// never touches the network; else the fastest of the algorithms that a library would choose from, on the
/// network share that the group has per domain.
/// \param bytes buffer as NCCL counts it (see CollectiveOp)
template <class N>
CollectiveCost<N> collectiveOnGroup(CollectiveOp op, const N& bytes, const GroupShape& group,
                                    const FabricRates<N>& rates) {
    CollectiveCost<N> cost;
    if (group.ranks <= 1) {
        return cost;
    }
    const N ranks =
        derivedLeaf(bytes, group.ranks, "group_ranks", Dimension::number, "rank order and machine");
    cost.wireBytes = named(bytes * wireFactor(op, ranks), "wire_bytes", Dimension::bytes, "buffer x kappa");
    if (group.insideOneDomain()) {
        LinkRates<N> link = nvlinkRatesOf(rates.nvlink, op);
        link.bandwidth = link.bandwidth / derivedLeaf(bytes, group.sharers, "sharing_groups",
                                                      Dimension::number, "groups on the same links");
        cost.fabric = Bound::nvlink;
        cost.latency = link.alpha;
        cost.seconds =
            named(collectiveTime(op, CollectiveAlgorithm::fitted, ranks, bytes, link),
                  collectiveName(op).data(), Dimension::seconds, "alpha + gamma sqrt(w) + w/B, fitted");
    } else {
        const detail::CrossDomain<N> x = detail::crossDomain(op, group, rates);
        const detail::Candidate<N> best = detail::crossDomainTime(op, bytes, x, rates.network);
        cost.seconds = best.seconds;
        cost.latency = best.latency;
        if (valueOf(rates.network.speedup) > 1) {
            const N line = x.across.bandwidth / rates.network.efficiency;
            cost.latency = best.latency / rates.network.speedup;
            cost.seconds = efaV4Time(best.seconds, best.railBytes, line, rates.network.speedup,
                                     rates.network.speedupLimit);
        }
        cost.seconds = named(cost.seconds, collectiveName(op).data(), Dimension::seconds,
                             "fastest algorithm across NVLink domains");
        cost.fabric = rates.network.kind;
        cost.algorithm = best.algorithm;
    }
    cost.latencyBound = 2 * valueOf(cost.latency) > valueOf(cost.seconds);
    return cost;
}

} // namespace alidade
