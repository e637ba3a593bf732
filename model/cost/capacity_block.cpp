// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/capacity_block.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace alidade {

Result<int> capacityBlockDays(double hours, bool byDay) {
    const double days =
        std::max(std::ceil(hours / 24 - 1e-9), 1.0); // 48 h computed as 48.0000000001 are two days
    const double booked = days > 14 && !byDay ? std::ceil(days / 7) * 7 : days;
    if (!(booked <= longestCapacityBlockDays))
        return Error{"a Capacity Block lasts at most " + std::to_string(longestCapacityBlockDays) + " days"};
    return static_cast<int>(booked);
}

double capacityBlockPaidHours(double hours, double endHours, bool byDay) {
    if (!std::isfinite(hours))
        return hours;
    const double usable = 24.0 * longestCapacityBlockDays - endHours;
    const double full = hours > usable ? std::floor(hours / usable) : 0;
    const double rest = hours - full * usable;
    const double last = full > 0 && rest <= 0 ? 0 : 24.0 * *capacityBlockDays(rest + endHours, byDay);
    return full * 24 * longestCapacityBlockDays + last;
}

Result<CapacityBlockPlan> planCapacityBlocks(int instances, double hours, double endHours) {
    if (instances > mostCapacityBlockInstances) {
        return Error{std::to_string(instances) + " instances exceed the " +
                     std::to_string(mostCapacityBlockInstances) +
                     " that an account can hold in Capacity Blocks at a time"};
    }
    const int count = std::max(instances, 1);
    const double paid = capacityBlockPaidHours(hours, endHours);
    CapacityBlockPlan plan;
    int left = count;
    for (int size = largestCapacityBlock; size > 0; size /= 2)
        for (; left >= size; left -= size)
            plan.sizes.push_back(size);
    plan.days = static_cast<int>(std::lround(paid / 24));
    plan.bookedHours = paid * count;
    plan.usedHours = hours * count;
    return plan;
}

} // namespace alidade
