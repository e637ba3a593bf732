// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_time.h"
#include "model/explain/normal.h"

#include <algorithm>

namespace alidade {

/// Ranks that share an expert: several where there are more of them than experts.
inline double sharesOfExpert(double experts, double ranks) { return std::max(1.0, ranks / experts); }

/// Expected number of expert groups (nodes or GPUs) that a uniform choice of `chosen` out of `experts` hits.
/// \param groups equal groups that the experts lie in, or that share each expert where they are more; \param
/// limit most groups a token may use (0: no limit)
double expectedGroups(int experts, int chosen, int groups, int limit = 0);

/// The largest of `bins` random loads of the given mean, over that mean (Poisson-like loads).
double maxLoadFactor(double mean, double bins);

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

} // namespace alidade
