// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run/run_phases.h"

#include "model/cost/capacity_block.h"
#include "model/hardware/purchase.h"

#include <algorithm>
#include <cmath>

namespace alidade {

std::vector<RunPhase> runPhases(const Estimate& estimate, double days) {
    if (!(days > 0) || !std::isfinite(days))
        return {};
    const ClusterSpec& cluster = estimate.scenario.cluster;
    const bool plan = cluster.purchase == purchaseWord(Purchase::trainingPlan);
    // What is bought in two ways has no phases in common.
    const BaseOrderSpec& base = estimate.scenario.order.base;
    const bool inTwoWays = base.instances.value_or(0) > 0 && base.purchase != cluster.purchase;
    if (inTwoWays || !isSoldInBlocks(cluster.purchase.value_or("")))
        return {{.kind = RunPhaseKind::rented, .from = 0, .to = days}};
    const double end = plan                  ? trainingPlanEndHours
                       : cluster.ultraserver ? ultraserverBlockEndHours
                                             : capacityBlockEndHours;
    const double paid = capacityBlockPaidHours(days * 24, end, plan) / 24;
    const int count = std::max(1, static_cast<int>(std::ceil(paid / longestCapacityBlockDays - 1e-9)));
    std::vector<RunPhase> out;
    for (int i = 0; i < count; ++i) {
        const double from = static_cast<double>(i) * longestCapacityBlockDays;
        const double to = std::min(paid, from + longestCapacityBlockDays);
        if (from >= days)
            continue;
        out.push_back({.kind = plan ? RunPhaseKind::plan : RunPhaseKind::block,
                       .from = from,
                       .to = std::min(to, days),
                       .number = i + 1,
                       .count = count});
    }
    if (paid > days)
        out.push_back({.kind = RunPhaseKind::unused, .from = days, .to = paid});
    return out;
}

} // namespace alidade
