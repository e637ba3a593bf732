// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/capacity_block.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace alidade {

Result<int> capacityBlockDays(double hours) {
    const double days =
        std::max(std::ceil(hours / 24 - 1e-9), 1.0); // 48 h computed as 48.0000000001 are two days
    const double booked = days > 14 ? std::ceil(days / 7) * 7 : days;
    if (!(booked <= longestCapacityBlockDays)) {
        return Error{"one Capacity Block lasts at most " + std::to_string(longestCapacityBlockDays) +
                     " days"};
    }
    return static_cast<int>(booked);
}

Result<int> capacityBlockSize(int instances) {
    if (instances > largestCapacityBlock) {
        return Error{"one Capacity Block has at most " + std::to_string(largestCapacityBlock) +
                     " instances, not " + std::to_string(instances)};
    }
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(instances, 1))));
}

double capacityBlockUsableHours(int days) { return 24.0 * days - 0.5; }

} // namespace alidade
