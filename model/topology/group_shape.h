// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace alidade {

/// How a group of ranks lies on the machines: all that collectives know of topology and placement. Where the
/// group is uneven, the counts are those of its worst place: the fewest members that share a domain's
/// network cards, the most domains.
struct GroupShape {
    int ranks = 1;
    int ranksPerNvlinkDomain = 1; ///< members that reach each other over NVLink: the rails that a group has
    int ranksPerNode = 1;         ///< members in one instance
    double nicsPerRank = 1; ///< network cards (of FabricRates' nicBandwidth) that each member has for itself
    double hops = 1;        ///< switches between members that follow each other in a ring, in the mean; those
                            ///< that the machine's own fabric would have too count as one
    double sharers = 1;     ///< groups that use the same links at the same time, this one included
    double crowding = 1;    ///< what the network can carry / what it has left above oversubscribed switches
    int spannedDomains = 0; ///< NVLink domains, if more or fewer than ranks / ranksPerNvlinkDomain; 0: not

    bool insideOneDomain() const { return ranks <= ranksPerNvlinkDomain; }
    /// NVLink domains that the group spreads over.
    int domains() const {
        return spannedDomains > 0 ? spannedDomains
                                  : (ranks + ranksPerNvlinkDomain - 1) / ranksPerNvlinkDomain;
    }
};

/// Members of a group in one unit (a node, an NVLink domain) of `unit` GPUs when its ranks lie `stride` apart
/// and groups fill the machine from its first GPU on. Where the units cut groups at different places, the
/// fewest. \param gpus in use by all groups
constexpr int membersPerUnit(std::int64_t ranks, std::int64_t stride, std::int64_t unit, std::int64_t gpus) {
    if (gpus <= unit || (ranks - 1) * stride + 1 > gpus) {
        return static_cast<int>(ranks); // one unit holds everything (or the plan is illegal anyway)
    }
    return static_cast<int>(std::clamp<std::int64_t>(std::gcd(ranks * stride, unit) / stride, 1, ranks));
}

/// Units that such a group touches; where groups lie differently, the most.
constexpr int unitsOfGroup(std::int64_t ranks, std::int64_t stride, std::int64_t unit, std::int64_t gpus) {
    if (gpus <= unit || (ranks - 1) * stride + 1 > gpus) {
        return 1;
    }
    if (stride >= unit) {
        return static_cast<int>(ranks); // no two members share a unit
    }
    const std::int64_t span = (ranks - 1) * stride, step = std::gcd(ranks * stride, unit);
    const std::int64_t lastStart = unit - step + std::min(stride, step) - 1; // deepest in a unit
    const std::int64_t machine = (gpus + unit - 1) / unit;
    return static_cast<int>(std::min({(lastStart + span) / unit + 1, ranks, machine}));
}

/// The shape of a group of ranks that lie `stride` GPUs apart (TP fastest: stride 1 for TP, TP degree for the
/// next; the stride of a group is the product of the degrees of all faster ones). \param gpus in use by all
/// groups
constexpr GroupShape stridedGroup(int ranks, std::int64_t stride, int gpusPerNode, int gpusPerNvlinkDomain,
                                  std::int64_t gpus) {
    return {.ranks = ranks,
            .ranksPerNvlinkDomain = membersPerUnit(ranks, stride, gpusPerNvlinkDomain, gpus),
            .ranksPerNode = membersPerUnit(ranks, stride, gpusPerNode, gpus),
            .spannedDomains = unitsOfGroup(ranks, stride, gpusPerNvlinkDomain, gpus)};
}

} // namespace alidade
