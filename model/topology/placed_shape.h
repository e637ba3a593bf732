// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/fabric.h"
#include "model/topology/group_shape.h"
#include "model/topology/placement.h"
#include "model/topology/rank_layout.h"

namespace alidade {

/// Returns the shape of the worst group of a kind at the actual places of its ranks: fewest members that
/// share a domain's network cards, most domains, longest path around the ring, most crowded trunk. `hops`
/// counts all switches of the fabric. Linear in ranks; linear in hosts if all GPUs of a host are equivalent
/// for the group.
/// \param firstRank rank of the placement at which the layout begins
GroupShape shapeOf(GroupKind kind, TrafficPattern pattern, const RankLayout& layout,
                   const Placement& placement, const Fabric& fabric, int firstRank = 0);

/// The groups of a kind, and those with members in several NVLink domains.
struct GroupCount {
    std::int64_t groups = 0, straddling = 0;
};

/// Counts the groups of a kind at the actual places of their ranks. Linear in ranks.
/// \param firstRank rank of the placement at which the layout begins
GroupCount countGroups(GroupKind kind, const RankLayout& layout, const Placement& placement,
                       const Fabric& fabric, int firstRank = 0);

/// Returns the consecutive ranks that hold whole groups of a kind: blocks of this many ranks, counted from
/// the first, divide no group. 1 for a group of one rank.
std::int64_t blockOf(GroupKind kind, const RankLayout& layout);

} // namespace alidade
