// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/domain_collective.h"
#include "model/collectives/efa.h"
#include "model/collectives/multi_node.h"
#include "model/topology/group_shape.h"

namespace alidade::detail {

/// A group on its network: the inputs of all cross-domain laws.
template <class N>
struct CrossDomain {
    N ranks, perDomain, domains; ///< counts
    N kernel;                    ///< s, fixed cost of a ring kernel
    N step, bulkStep;            ///< s, one step inside a domain: low-latency and bulk protocol
    N bulkHop;                   ///< s, one step across the network with the bulk protocol
    LinkRates<N> inside;         ///< of one rank inside its domain
    LinkRates<N> across;         ///< of `line`, reached by large messages
    LinkRates<N> inSwitch;       ///< reductions in the switches of a domain
    N line;                      ///< bytes/s of one rank's network cards, less the share of other groups
    N busBandwidth;              ///< bytes/s of all its cards in a domain combined
    N lowLatencyBandwidth;       ///< the same for the low-latency protocol
};

template <class N>
CrossDomain<N> crossDomain(CollectiveOp op, const GroupShape& group, const FabricRates<N>& rates) {
    const NetworkRates<N>& network = rates.network;
    const NvlinkRates<N>& nvlink = rates.nvlink;
    const auto count = [&](double value, const char* name) {
        return derivedLeaf(network.nicBandwidth, value, name, Dimension::number, "rank order and machine");
    };
    const N sharers = count(group.sharers, "sharing_groups");
    const N nics = count(group.nicsPerRank, "nics_per_rank");
    CrossDomain<N> x;
    x.ranks = count(group.ranks, "group_ranks");
    x.perDomain = count(group.ranksPerNvlinkDomain, "group_ranks_per_nvlink_domain");
    x.domains = count(group.domains(), "group_nvlink_domains");
    x.kernel = nvlink.allGather.alpha;
    x.step = nvlink.stepLatency;
    x.bulkStep = named(nvlink.stepLatency * nvlink.bulkSteps, "bulk_step_latency", Dimension::seconds);
    x.inside = nvlinkRatesOf(nvlink, op);
    x.inSwitch = nvlink.allReduce;
    x.inside.bandwidth = x.inside.bandwidth / sharers;
    x.inSwitch.bandwidth = x.inSwitch.bandwidth / sharers;
    x.across.alpha = named(network.latency + network.hopLatency * count(group.hops - 1, "further_switches"),
                           "network_step_latency", Dimension::seconds, "alpha + delta (hops - 1)");
    x.across.gamma = network.fill;
    x.line = named(network.nicBandwidth * nics / sharers, "network_share_per_rank", Dimension::bytesPerSecond,
                   "share of the network cards of one rank");
    if (group.crowding > 1) {
        x.line = named(x.line / count(group.crowding, "trunk_crowding"), "network_share_per_rank",
                       Dimension::bytesPerSecond, "less the loss in oversubscribed switches");
    }
    x.across.bandwidth =
        named(x.line * (op == CollectiveOp::allToAll ? network.allToAllEfficiency : network.efficiency),
              "network_bandwidth_per_rank", Dimension::bytesPerSecond, "line rate x efficiency");
    x.bulkHop = named(x.across.alpha + network.bulkSync * x.kernel, "network_bulk_step_latency",
                      Dimension::seconds, "message latency + start-up of the bulk protocol");
    // A domain of one rank has no internal links: every step crosses the network.
    x.busBandwidth =
        group.ranksPerNvlinkDomain > 1
            ? flatRingBusBandwidth(x.perDomain, x.domains, x.inside.bandwidth, x.across.bandwidth)
            : x.across.bandwidth;
    x.busBandwidth = named(x.busBandwidth, "ring_bus_bandwidth", Dimension::bytesPerSecond,
                           "min(NVLink, q network shares)");
    x.lowLatencyBandwidth = x.perDomain * x.line * network.lowLatencyShare;
    return x;
}

/// Applies the speed-up of a later network generation to an algorithm. This happens before choosing the
/// fastest algorithm: the limit depends on the bytes that the algorithm sends, so otherwise the time would
/// jump where the choice changes.
template <class N>
Candidate<N> spedUp(Candidate<N> c, const CrossDomain<N>& x, const NetworkRates<N>& network) {
    if (valueOf(network.speedup) > 1) {
        c.latency = c.latency / network.speedup;
        c.seconds = efaV4Time(c.seconds, c.networkBytes, x.line, network.speedup, network.speedupLimit);
    }
    return c;
}

/// A flat ring over all ranks, multi-rail: it leaves each domain through all of the group's network cards
/// there.
template <class N>
Candidate<N> flatRing(CollectiveOp op, const N& bytes, const CrossDomain<N>& x) {
    using std::sqrt;
    const N rounds = op == CollectiveOp::allReduce ? N(2) : N(1);
    const N latency =
        named(x.kernel + rounds * (x.domains - 1) * x.bulkHop + rounds * (x.ranks - x.domains) * x.bulkStep,
              "ring_latency", Dimension::seconds, "kernel + steps across and inside the domains");
    const N wire = bytes * wireFactor(op, x.ranks);
    const N seconds = latency + x.inside.gamma * sqrt(wire) + wire / x.busBandwidth;
    return {CollectiveAlgorithm::ring,
            named(seconds, "ring_time", Dimension::seconds, "flat multi-rail ring"), latency,
            wire / x.perDomain, wire - wire / x.perDomain};
}

/// The same with the low-latency protocol: fast steps, a fraction of the bandwidth.
template <class N>
Candidate<N> lowLatencyRing(CollectiveOp op, const N& bytes, const CrossDomain<N>& x) {
    const N latency =
        named(x.kernel + (x.domains - 1) * x.across.alpha + (x.ranks - x.domains) * x.step, "low_latency",
              Dimension::seconds, "kernel + steps across and inside the domains");
    const N wire = bytes * wireFactor(op, x.ranks);
    return {CollectiveAlgorithm::lowLatency,
            named(latency + wire / x.lowLatencyBandwidth, "low_latency_time", Dimension::seconds,
                  "ring, low-latency protocol"),
            latency, wire / x.perDomain, wire - wire / x.perDomain};
}

/// A parallel aggregated tree: one rank in each domain, as many steps as the depth of the tree.
template <class N>
Candidate<N> aggregatedTree(CollectiveOp op, const N& bytes, const CrossDomain<N>& x,
                            const NetworkRates<N>& network) {
    const LinkRates<N> link{
        .alpha = x.bulkHop, .gamma = N(0), .bandwidth = x.across.bandwidth * network.patEfficiency};
    return {CollectiveAlgorithm::pat,
            x.kernel + collectiveTime(op, CollectiveAlgorithm::pat, x.ranks, bytes, link),
            x.kernel + collectiveSteps(op, CollectiveAlgorithm::pat, x.ranks) * link.alpha,
            bytes * wireFactor(op, x.ranks), N(0)};
}

/// Seconds that a domain's network cards need for an all-reduce over a double binary tree of domains: every
/// domain sends the buffer twice; once with two domains, because each half has its root in one of them.
template <class N>
N treeNetworkTime(const N& bytes, const CrossDomain<N>& x, const NetworkRates<N>& network) {
    const N cards = x.perDomain * x.across.bandwidth;
    return named(valueOf(x.domains) > 2 ? 2 * bytes / (cards * network.treeEfficiency) : bytes / cards,
                 "tree_network_time", Dimension::seconds, "double binary tree over the domains");
}

/// A tree across the domains: in the switches of each (inSwitch), or along a chain of its ranks.
template <class N>
Candidate<N> tree(const N& bytes, const CrossDomain<N>& x, const NetworkRates<N>& network, bool inSwitch) {
    using std::max;
    using std::sqrt;
    const N passes = 2 * treeDepth(x.domains) * x.bulkHop;
    const N latency =
        named(inSwitch ? x.inSwitch.alpha + passes : x.kernel + passes + 2 * (x.perDomain - 1) * x.bulkStep,
              "tree_latency", Dimension::seconds, "two passes over the depth of the tree");
    N work = treeNetworkTime(bytes, x, network);
    N near = N(0);
    if (valueOf(x.perDomain) > 1) {
        near = inSwitch ? bytes * (1 + 1 / x.perDomain) : 2 * bytes;
        work = max(work, near / (inSwitch ? x.inSwitch.bandwidth : x.inside.bandwidth));
    }
    const N rounds = valueOf(x.domains) > 2 ? N(2) : N(1);
    return {inSwitch ? CollectiveAlgorithm::hierarchical : CollectiveAlgorithm::tree,
            named(latency + x.across.gamma * sqrt(bytes) + work, "tree_time", Dimension::seconds,
                  "latency + fill + slower of the two fabrics"),
            latency, rounds * bytes / x.perDomain, near};
}

/// A tree with the low-latency protocol.
template <class N>
Candidate<N> lowLatencyTree(const N& bytes, const CrossDomain<N>& x) {
    const N latency =
        named(x.kernel + 2 * treeDepth(x.domains) * x.across.alpha + 2 * (x.perDomain - 1) * x.step,
              "low_latency", Dimension::seconds, "kernel + two passes over the depth of the tree");
    return {CollectiveAlgorithm::lowLatency,
            named(latency + 2 * bytes / x.lowLatencyBandwidth, "low_latency_time", Dimension::seconds,
                  "tree, low-latency protocol"),
            latency, 2 * bytes / x.perDomain, 2 * bytes};
}

template <class N>
Candidate<N> allReduceAcross(const N& bytes, const CrossDomain<N>& x, const NetworkRates<N>& network,
                             std::optional<CollectiveAlgorithm> only) {
    const auto timed = [&](const Candidate<N>& c) { return spedUp(c, x, network); };
    const bool switches = valueOf(x.inSwitch.bandwidth) > 0 && valueOf(x.perDomain) > 1;
    if (only == CollectiveAlgorithm::ring)
        return timed(flatRing(CollectiveOp::allReduce, bytes, x));
    if (only == CollectiveAlgorithm::hierarchical && switches)
        return timed(tree(bytes, x, network, true));
    Candidate<N> best = faster(
        faster(timed(flatRing(CollectiveOp::allReduce, bytes, x)), timed(tree(bytes, x, network, false))),
        timed(lowLatencyTree(bytes, x)));
    return switches ? faster(best, timed(tree(bytes, x, network, true))) : best;
}

/// A transfer between two ranks of different domains.
template <class N>
Candidate<N> transferAcross(const N& bytes, const CrossDomain<N>& x, const NetworkRates<N>& network) {
    const Candidate<N> bulk{CollectiveAlgorithm::ring, x.kernel + x.bulkHop + bytes / x.across.bandwidth,
                            x.kernel + x.bulkHop, bytes, N(0)};
    const N latency = x.kernel + x.across.alpha;
    const Candidate<N> quick{CollectiveAlgorithm::lowLatency,
                             latency + bytes * x.perDomain / x.lowLatencyBandwidth, latency, bytes, N(0)};
    return faster(spedUp(bulk, x, network), spedUp(quick, x, network));
}

/// Each rank sends to every other one: both fabrics at once, and one message to post per remote rank.
template <class N>
Candidate<N> allToAllAcross(const N& bytes, const CrossDomain<N>& x) {
    using std::sqrt;
    const N remote = named(bytes * (x.ranks - x.perDomain) / x.ranks, "remote_bytes", Dimension::bytes);
    const N latency = named(x.inside.alpha + x.across.alpha + (x.ranks - x.perDomain) * x.step,
                            "all_to_all_latency", Dimension::seconds, "start + one message per remote rank");
    LinkRates<N> inside = x.inside, across = x.across;
    inside.alpha = across.alpha = N(0);
    const N seconds =
        latency + x.across.gamma * sqrt(remote) + allToAllTime(bytes, x.ranks, x.perDomain, inside, across);
    return {CollectiveAlgorithm::direct, seconds, latency, remote, bytes * (x.perDomain - 1) / x.ranks};
}

/// The fastest algorithm across domains, or the requested one.
template <class N>
Candidate<N> crossDomainTime(CollectiveOp op, const N& bytes, const CrossDomain<N>& x,
                             const NetworkRates<N>& network, std::optional<CollectiveAlgorithm> only) {
    if (op == CollectiveOp::sendReceive)
        return transferAcross(bytes, x, network);
    if (op == CollectiveOp::allToAll)
        return spedUp(allToAllAcross(bytes, x), x, network);
    if (op == CollectiveOp::allReduce)
        return allReduceAcross(bytes, x, network, only);
    const Candidate<N> ring = spedUp(flatRing(op, bytes, x), x, network);
    if (only == CollectiveAlgorithm::ring)
        return ring;
    const Candidate<N> best = faster(ring, spedUp(lowLatencyRing(op, bytes, x), x, network));
    const bool rails =
        valueOf(x.perDomain) <= 1 && (op == CollectiveOp::allGather || op == CollectiveOp::reduceScatter);
    return rails ? faster(best, spedUp(aggregatedTree(op, bytes, x, network), x, network)) : best;
}

} // namespace alidade::detail
