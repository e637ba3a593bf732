// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/expert_dispatch.h"
#include "model/collectives/group_collective.h"

namespace alidade {

/// How tokens travel to their experts and back.
enum class ExchangeKind : std::uint8_t {
    fused,     ///< one copy per destination domain over the network, one per destination rank over NVLink
               ///< (DeepEP, UCCL-EP, HybridEP; NVLink one-sided kernels)
    flat,      ///< a library all-to-all: one copy per chosen expert
    lowLatency ///< one copy per chosen expert, or part of one, sent directly from rank to rank (decode
               ///< kernels)
};

/// Dispatch or combine of one layer, from the perspective of one rank. The two differ only in `elementBytes`:
/// 1 + 4/128 for FP8 with a scale per 128 elements, 2 for 16 bits.
template <class N>
struct ExchangeShape {
    N tokens;                             ///< of this rank, before routing
    N hidden;                             ///< elements per token
    N elementBytes;                       ///< including scales
    int experts = 0, expertsPerToken = 0; ///< experts > 0
    int nodeLimit = 0;     ///< maximum number of domains with the experts of a token; 0: no limit
    bool balanced = false; ///< the experts of a token are on as many ranks as possible (synthetic tests);
                           ///< otherwise they are a uniform choice
    N imbalance = 1;       ///< load of the hottest rank / mean
};

/// Seconds and bytes of one dispatch or combine over an expert-parallel group. `networkBytes` and
/// `nvlinkBytes` are sent by one rank over each fabric, excluding copies that stay on the rank (bandwidths
/// quoted by libraries include those); `wireBytes` is their sum. `group.sharers` covers other traffic on the
/// same cards at the same time.
template <class N>
CollectiveCost<N> expertExchange(ExchangeKind kind, const ExchangeShape<N>& s, const GroupShape& group,
                                 const FabricRates<N>& rates) {
    using std::max;
    CollectiveCost<N> cost;
    if (group.ranks <= 1)
        return cost;
    const auto count = [&](double value, const char* name, const char* source) {
        return derivedLeaf(s.tokens, value, name, Dimension::number, source);
    };
    const N payload = named(s.tokens * s.hidden * s.elementBytes * s.imbalance, "token_bytes",
                            Dimension::bytes, "tokens of the hottest rank, one copy");
    const double n = group.ranks, q = std::min(group.ranks, group.ranksPerNvlinkDomain);
    const bool crosses = !group.insideOneDomain();
    // With fewer experts than ranks, each expert is split over several ranks, which all need the token.
    const double targets = s.expertsPerToken * sharesOfExpert(s.experts, group.ranks);
    if (kind == ExchangeKind::flat) {
        const N copies = count(targets, "copies_per_token", "one per expert, or part of one");
        return collectiveOnGroup<N>(CollectiveOp::allToAll, payload * copies, group, rates);
    }
    const bool fused = kind == ExchangeKind::fused;
    const double domains = !fused || !crosses
                               ? targets
                               : expectedGroups(s.experts, s.expertsPerToken, group.domains(), s.nodeLimit);
    const double hitRanks = s.balanced ? std::min<double>(targets, group.ranks)
                                       : expectedGroups(s.experts, s.expertsPerToken, group.ranks);
    // Without a hop inside the destination domain, only copies for ranks in the same domain use NVLink.
    const double copiesNear = fused ? hitRanks * (1 - 1 / q) : targets * (q - 1) / n;
    cost.nvlinkBytes =
        named(payload * count(copiesNear, "remote_ranks_per_token", "choice of experts over ranks"),
              "exchange_nvlink_bytes", Dimension::bytes);
    const N sharers = count(group.sharers, "sharing_groups", "groups on the same links");
    cost.latency = rates.nvlink.dispatch.alpha;
    N work = cost.nvlinkBytes * sharers / rates.nvlink.dispatch.bandwidth;
    cost.fabric = Bound::nvlink;
    if (crosses) {
        cost.networkBytes = named(payload * count(domains * (n - q) / n, "remote_domains_per_token",
                                                  "choice of experts over domains"),
                                  "exchange_network_bytes", Dimension::bytes);
        N line = named(rates.network.nicBandwidth *
                           count(group.nicsPerRank, "nics_per_rank", "rank order and machine") / sharers,
                       "network_share_per_rank", Dimension::bytesPerSecond);
        if (group.crowding > 1) {
            line = named(line / count(group.crowding, "trunk_crowding", "topology"), "network_share_per_rank",
                         Dimension::bytesPerSecond, "less the loss in oversubscribed switches");
        }
        cost.latency =
            named(cost.latency + rates.network.dispatchLatency +
                      rates.network.hopLatency * count(group.hops - 1, "further_switches", "topology"),
                  "exchange_latency", Dimension::seconds, "kernel + network");
        const N network = cost.networkBytes / (line * rates.network.dispatchEfficiency);
        if (valueOf(network) > valueOf(work))
            cost.fabric = rates.network.kind;
        work = max(work, network);
    }
    cost.wireBytes = named(cost.networkBytes + cost.nvlinkBytes, "exchange_wire_bytes", Dimension::bytes);
    cost.algorithm = CollectiveAlgorithm::direct;
    cost.seconds = named(cost.latency + work, "exchange_time", Dimension::seconds,
                         "latency + the slower of the two fabrics");
    cost.latencyBound = 2 * valueOf(cost.latency) > valueOf(cost.seconds);
    return cost;
}

} // namespace alidade
