// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/host_choice.h"
#include "model/scenario/scenario.h"
#include "model/topology/fabric.h"
#include "model/topology/rank_layout.h"

namespace alidade {

/// What the fabric of a resolved scenario is made of.
FabricShape fabricShape(const Scenario& scenario);

/// The layout of the ranks of a training plan, or of one pool of engines; none if the degrees contradict
/// each other.
std::optional<RankLayout> rankLayout(const Scenario& scenario);
RankLayout rankLayout(const ServingPlan& plan);

/// The hosts that a resolved scenario may use. \param topology nullptr without an imported one
HostChoice hostsOf(const Scenario& scenario, const Topology* topology);

} // namespace alidade
