// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/fleet.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace alidade {

/// What machines of a pool cost and how many there are.
struct PoolLimits {
    std::int64_t gpus = 1; ///< of a machine
    int maxInstances = 0, spares = 0;
    SplitPrices prices;
    std::optional<int> baseInstances;
    double leastPrice() const; ///< $ for an instance-hour; infinite without a price
};

/// The machines that these options need together, spares included. \pre at least one option
InstanceDemand demandOf(const std::vector<const ServiceOption*>& options, const PoolLimits& pool);

/// Dollars of a period for a pool that carries these options; infinite if it cannot.
double poolDollars(const std::vector<const ServiceOption*>& options, const PoolLimits& pool);

/// An option of each service, by index.
struct Assignment {
    std::vector<std::size_t> choice;
    double dollars = std::numeric_limits<double>::infinity(); ///< of a period
    bool found() const { return !choice.empty(); }
};

struct AssignmentSearch {
    Assignment best, second;
    std::uint64_t tried = 0; ///< assignments that were priced to the end
    bool complete = true;
};

/// The two cheapest assignments, exactly: branch and bound over the services. What is assigned already costs
/// at least its pools, since a pool never gets cheaper by one more service; and all of it costs at least its
/// GPU-hours at the lowest price of its pools.
/// \param options of each service, none empty
AssignmentSearch cheapestAssignments(const std::vector<std::vector<ServiceOption>>& options,
                                     const std::vector<PoolLimits>& pools, const std::stop_token& stop = {});

} // namespace alidade
