// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace alidade {

/// How a group of ranks is placed on the machines: everything that collectives need to know about topology
/// and placement. For uneven groups, the counts are those of the worst place: the fewest members that share a
/// domain's network cards, the most domains.
struct GroupShape {
    int ranks = 1;
    int ranksPerNvlinkDomain = 1; ///< members connected by NVLink: the rails of the group
    int ranksPerNode = 1;         ///< members in one instance
    double nicsPerRank = 1;       ///< network cards (of FabricRates' nicBandwidth) per member
    double hops = 1;     ///< mean switches between consecutive members of a ring; those of the machine's own
                         ///< fabric count as one
    double sharers = 1;  ///< groups that use the same links at the same time, including this one
    double crowding = 1; ///< network capacity / remaining capacity above oversubscribed switches
    int spannedDomains = 0; ///< NVLink domains if not ranks / ranksPerNvlinkDomain; otherwise 0

    friend bool operator==(const GroupShape&, const GroupShape&) = default;
    bool insideOneDomain() const { return ranks <= ranksPerNvlinkDomain; }
    /// Returns the NVLink domains that the group spans.
    int domains() const {
        return spannedDomains > 0 ? spannedDomains
                                  : (ranks + ranksPerNvlinkDomain - 1) / ranksPerNvlinkDomain;
    }
};

/// Returns the members of a group in one unit (a node, an NVLink domain) of `unit` GPUs if its ranks are
/// `stride` GPUs apart and groups fill the machine from its first GPU on. If units split groups at different
/// places, returns the smallest number. \param gpus in use by all groups
constexpr int membersPerUnit(std::int64_t ranks, std::int64_t stride, std::int64_t unit, std::int64_t gpus) {
    if (gpus <= unit || (ranks - 1) * stride + 1 > gpus)
        return static_cast<int>(ranks); // one unit holds everything (or the plan is illegal)
    return static_cast<int>(std::clamp<std::int64_t>(std::gcd(ranks * stride, unit) / stride, 1, ranks));
}

/// Returns the units that such a group touches; the maximum if groups differ.
constexpr int unitsOfGroup(std::int64_t ranks, std::int64_t stride, std::int64_t unit, std::int64_t gpus) {
    if (gpus <= unit || (ranks - 1) * stride + 1 > gpus)
        return 1;
    if (stride >= unit)
        return static_cast<int>(ranks); // no two members share a unit
    const std::int64_t span = (ranks - 1) * stride, step = std::gcd(ranks * stride, unit);
    const std::int64_t lastStart =
        unit - step + std::min(stride, step) - 1; // the deepest start within a unit
    const std::int64_t machine = (gpus + unit - 1) / unit;
    return static_cast<int>(std::min({(lastStart + span) / unit + 1, ranks, machine}));
}

/// Returns the shape of a group of ranks that are `stride` GPUs apart (TP fastest: stride 1 for TP, TP degree
/// for the next; the stride of a group is the product of the degrees of all faster ones). \param gpus in use
/// by all groups
constexpr GroupShape stridedGroup(int ranks, std::int64_t stride, int gpusPerNode, int gpusPerNvlinkDomain,
                                  std::int64_t gpus) {
    return {.ranks = ranks,
            .ranksPerNvlinkDomain = membersPerUnit(ranks, stride, gpusPerNvlinkDomain, gpus),
            .ranksPerNode = membersPerUnit(ranks, stride, gpusPerNode, gpus),
            .spannedDomains = unitsOfGroup(ranks, stride, gpusPerNvlinkDomain, gpus)};
}

} // namespace alidade
