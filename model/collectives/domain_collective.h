// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/fabric_rates.h"

#include <optional>

namespace alidade::detail {

/// An algorithm for a collective, and its time.
template <class N>
struct Candidate {
    CollectiveAlgorithm algorithm;
    N seconds, latency;
    N networkBytes; ///< sent by one rank over its share of the network cards
    N nvlinkBytes;  ///< sent by one rank over NVLink
};

template <class N>
Candidate<N> faster(const Candidate<N>& a, const Candidate<N>& b) {
    using std::min;
    Candidate<N> out = valueOf(b.seconds) < valueOf(a.seconds) ? b : a;
    out.seconds = min(a.seconds, b.seconds);
    return out;
}

/// Ring, all-to-all or transfer between two ranks, inside one domain.
/// \param sharers groups on the same links
template <class N>
Candidate<N> ringInDomain(CollectiveOp op, const N& bytes, const N& ranks, const N& sharers,
                          const NvlinkRates<N>& rates) {
    LinkRates<N> link = nvlinkRatesOf(rates, op);
    link.bandwidth = link.bandwidth / sharers;
    const bool direct = op == CollectiveOp::allToAll;
    if (!direct) {
        link.alpha =
            named(link.alpha + collectiveSteps(op, CollectiveAlgorithm::ring, ranks) * rates.stepLatency,
                  "ring_latency", Dimension::seconds, "kernel + steps");
    }
    N seconds = collectiveTime(op, CollectiveAlgorithm::fitted, ranks, bytes, link);
    const bool keepsPart = op == CollectiveOp::allReduce || op == CollectiveOp::allGather ||
                           op == CollectiveOp::reduceScatter || direct;
    if (keepsPart) {
        seconds += named(rates.ownShare * bytes / ranks / link.bandwidth, "own_part_copy", Dimension::seconds,
                         "own part of the buffer");
    }
    return {direct ? CollectiveAlgorithm::direct : CollectiveAlgorithm::ring, seconds, link.alpha, N(0),
            bytes * wireFactor(op, ranks)};
}

/// All-reduce in the switches. Each rank handles one slice of the buffer, so the pipeline is as deep as the
/// number of ranks.
template <class N>
Candidate<N> allReduceInSwitch(const N& bytes, const N& ranks, const N& sharers,
                               const NvlinkRates<N>& rates) {
    using std::sqrt;
    constexpr double fillRanks = 8; // number of ranks that `gamma` refers to
    LinkRates<N> link = rates.allReduce;
    link.bandwidth = link.bandwidth / sharers;
    const N wire = named(bytes * (1 + 1 / ranks), "in_switch_bytes", Dimension::bytes, "S (1 + 1/n)");
    const N seconds =
        nvlsTime(CollectiveOp::allReduce, ranks, bytes, link) + link.gamma * sqrt(wire * ranks / fillRanks);
    return {CollectiveAlgorithm::inSwitch,
            named(seconds, "in_switch_time", Dimension::seconds, "reduction and multicast in the switch"),
            link.alpha, N(0), wire};
}

template <class N>
bool reducesInSwitch(const NvlinkRates<N>& rates) {
    return valueOf(rates.allReduce.bandwidth) > 0;
}

/// The fastest algorithm inside one domain, or the requested one.
template <class N>
Candidate<N> domainTime(CollectiveOp op, const N& bytes, const N& ranks, const N& sharers,
                        const NvlinkRates<N>& rates, std::optional<CollectiveAlgorithm> only) {
    if (op != CollectiveOp::allReduce || !reducesInSwitch(rates) || only == CollectiveAlgorithm::ring)
        return ringInDomain(op, bytes, ranks, sharers, rates);
    const Candidate<N> inSwitch = allReduceInSwitch(bytes, ranks, sharers, rates);
    return only == CollectiveAlgorithm::inSwitch
               ? inSwitch
               : faster(ringInDomain(op, bytes, ranks, sharers, rates), inSwitch);
}

} // namespace alidade::detail
