// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/assignment.h"
#include "model/fleet/fleet.h"

#include <string>
#include <vector>

namespace alidade {

/// Prices of a pool's instances as its terms buy them: the base first, then those of the burst; terms without
/// a price are left out. Looked up as the price of a scenario is.
/// \param anyService a scenario that can be resolved on these machines
/// \param missing receives what is said of terms without a price
std::vector<PoolPrice> pricesOf(const ScenarioSpec& anyService, const FleetPool& pool, const Catalog& catalog,
                                const Profile& profile, std::string& missing);

PoolLimits limitsOf(const FleetPool& pool, const std::vector<PoolPrice>& prices, const Catalog& catalog);

/// A pool with its split and its bill of a month. \pre the demand can be bought
PlannedPool plannedPool(const FleetPool& pool, std::size_t index, const InstanceDemand& demand,
                        const PoolLimits& limits, const std::vector<PoolPrice>& prices);

} // namespace alidade
