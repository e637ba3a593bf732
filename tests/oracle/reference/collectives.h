// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/efa.h"
#include "model/collectives/expert_dispatch.h"
#include "model/collectives/multi_node.h"

namespace alidade::reference {

/// Compute and communication pipelined over equal chunks (user buffers, asynchronous tensor parallelism).
template <class N>
N chunkedOverlap(const N& compute, const N& comm, const N& chunks) {
    using std::max;
    using std::min;
    return max(compute, comm) + min(compute, comm) / chunks;
}

/// Ring attention over `contextParallel` ranks: each step's compute hides the exchange of the next keys and
/// values.
template <class N>
N ringAttentionTime(const N& stepCompute, const N& stepComm, const N& contextParallel) {
    using std::max;
    return stepCompute + (contextParallel - 1) * max(stepCompute, stepComm);
}

/// Bytes that each rank of fully sharded data parallelism sends in one step.
/// \param resharded parameters are gathered again in the backward pass
template <class N>
N fsdpWireBytes(const N& parameters, const N& ranks, const N& microbatches, bool resharded = true,
                const N& parameterBytes = N(2), const N& gradientBytes = N(4)) {
    const N gathers = resharded ? 2 * microbatches : microbatches;
    return (ranks - 1) / ranks * parameters * (parameterBytes * gathers + gradientBytes);
}

/// Message latency of an EFA generation from that of EFAv2: v3 packets take 35 % less (AWS), v4 keeps that.
/// \param generation 2, 3 or 4
template <class N>
N efaLatency(const N& latencyV2, int generation) {
    assert(generation >= 2 && generation <= 4);
    return generation == 2 ? latencyV2 : latencyV2 * 0.65;
}

/// All-reduce in three steps: reduce-scatter inside each domain, ring all-reduce on each rail, all-gather
/// inside.
/// \param pipelined the steps overlap chunk by chunk, so that the slower fabric decides
template <class N>
N hierarchicalAllReduce(const N& bytes, const N& perDomain, const N& domains, const LinkRates<N>& inside,
                        const LinkRates<N>& across, bool pipelined) {
    using std::max;
    const N scatter =
        collectiveTime(CollectiveOp::reduceScatter, CollectiveAlgorithm::ring, perDomain, bytes, inside);
    const N rail = domains > N(1) ? collectiveTime(CollectiveOp::allReduce, CollectiveAlgorithm::ring,
                                                   domains, bytes / perDomain, across)
                                  : N(0);
    return pipelined ? max(2 * scatter, rail) : 2 * scatter + rail;
}

/// Bus bandwidth as nccl-tests reports it, bytes/s.
template <class N>
N busBandwidth(CollectiveOp op, const N& ranks, const N& bytes, const N& seconds) {
    return bytes / seconds * wireFactor(op, ranks);
}

/// Expert parallelism of one layer, as seen from one rank.
template <class N>
struct DispatchShape {
    N tokens;       ///< of this rank
    N hidden;       ///< elements of a token
    N elementBytes; ///< scales included
    int experts = 0, expertsPerToken = 0;
    int ranks = 1;          ///< EP degree
    int ranksPerDomain = 1; ///< of the EP group, in one NVLink domain
    int nodeLimit = 0;      ///< most domains a token may go to (0: no limit)
    N imbalance = 1;        ///< load of the hottest rank / mean
};

template <class N>
struct DispatchCost {
    N networkBytes, nvlinkBytes; ///< sent by one rank
    N seconds;
};

/// Two-hop dispatch (DeepEP): one copy over the network for each destination domain, NVLink behind it. A
/// combine is the same with 16-bit elements.
template <class N>
DispatchCost<N> expertDispatch(const DispatchShape<N>& s, const LinkRates<N>& inside,
                               const LinkRates<N>& across) {
    using std::max;
    const int domains = std::max(1, s.ranks / s.ranksPerDomain);
    const double hitDomains =
        domains > 1 ? expectedGroups(s.experts, s.expertsPerToken, domains, s.nodeLimit) : 1;
    const auto leaf = [&](double value, const char* name, const char* source) {
        return derivedLeaf(s.tokens, value, name, Dimension::number, source);
    };
    const N copiesOut = leaf(hitDomains * (domains - 1) / domains, "remote_domains_per_token",
                             "uniform top-k choice over domains");
    const N copiesIn = leaf(expectedGroups(s.experts, s.expertsPerToken, s.ranks) *
                                (1 - 1.0 / std::min(s.ranksPerDomain, s.ranks)),
                            "remote_ranks_per_token", "uniform top-k choice over ranks");
    const N payload = s.tokens * s.hidden * s.elementBytes * s.imbalance;
    DispatchCost<N> cost;
    cost.networkBytes = named(payload * copiesOut, "dispatch_network_bytes", Dimension::bytes);
    cost.nvlinkBytes = named(payload * copiesIn, "dispatch_nvlink_bytes", Dimension::bytes);
    const N latency = domains > 1 ? inside.alpha + across.alpha : inside.alpha;
    cost.seconds =
        named(latency + max(cost.networkBytes / across.bandwidth, cost.nvlinkBytes / inside.bandwidth),
              "dispatch_time", Dimension::seconds, "both fabrics at the same time");
    return cost;
}

} // namespace alidade::reference
