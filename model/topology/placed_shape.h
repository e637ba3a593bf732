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

} // namespace alidade
