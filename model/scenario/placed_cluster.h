// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/host_choice.h"
#include "model/scenario/scenario.h"
#include "model/topology/fabric.h"
#include "model/topology/rank_layout.h"

namespace alidade {

/// Returns the fabric shape of a resolved scenario.
FabricShape fabricShape(const Scenario& scenario);

/// Returns the rank layout of a training plan, or of one pool of engines; nullopt if the degrees contradict
/// each other.
std::optional<RankLayout> rankLayout(const Scenario& scenario);
RankLayout rankLayout(const ServingPlan& plan);

/// Returns the hosts that a resolved scenario may use. \param topology nullptr without an imported one
HostChoice hostsOf(const Scenario& scenario, const Topology* topology);

} // namespace alidade
