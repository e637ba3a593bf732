// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <numeric>

namespace alidade {

/// How a group of ranks lies on the machines: all that collectives know of topology and placement. Where the
/// group is uneven, the counts are those of its worst place.
struct GroupShape {
    int ranks = 1;
    int ranksPerNvlinkDomain = 1; ///< members that reach each other over NVLink
    int ranksPerNode = 1;         ///< members in one instance
    double nicsPerRank = 1; ///< network cards (of FabricRates' nicBandwidth) that each member has for itself
    int hops = 1;           ///< switches between the farthest members that follow each other in a ring
    double sharers = 1;     ///< groups that use the same links at the same time, this one included

    bool insideOneDomain() const { return ranks <= ranksPerNvlinkDomain; }
    /// NVLink domains that the group spreads over.
    int domains() const { return (ranks + ranksPerNvlinkDomain - 1) / ranksPerNvlinkDomain; }
};

/// Members of a group in one unit (a node, an NVLink domain) of `unit` GPUs when its ranks lie `stride` apart
/// and groups fill the machine from its first GPU on. Where the units cut groups at different places, the
/// fewest.
constexpr int membersPerUnit(int ranks, int stride, int unit) {
    return std::clamp(std::gcd(ranks * stride, unit) / stride, 1, ranks);
}

/// The shape of a group of ranks that lie `stride` GPUs apart (TP fastest: stride 1 for TP, TP degree for the
/// next).
constexpr GroupShape stridedGroup(int ranks, int stride, int gpusPerNode, int gpusPerNvlinkDomain) {
    return {.ranks = ranks,
            .ranksPerNvlinkDomain = membersPerUnit(ranks, stride, gpusPerNvlinkDomain),
            .ranksPerNode = membersPerUnit(ranks, stride, gpusPerNode)};
}

} // namespace alidade
