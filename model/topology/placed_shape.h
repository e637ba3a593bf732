// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/fabric.h"
#include "model/topology/group_shape.h"
#include "model/topology/placement.h"
#include "model/topology/rank_layout.h"

namespace alidade {

/// The shape of the worst group of a kind where its ranks really run: fewest members that share a domain's
/// network cards, most domains, farthest way around the ring, most crowded trunk. `hops` are all switches of
/// the fabric. Linear in ranks, in hosts where all GPUs of a host are alike to the group.
/// \param firstRank of the placement, that the layout begins with
GroupShape shapeOf(GroupKind kind, TrafficPattern pattern, const RankLayout& layout,
                   const Placement& placement, const Fabric& fabric, int firstRank = 0);

} // namespace alidade
