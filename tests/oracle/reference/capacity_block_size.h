// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/capacity_block.h"

namespace alidade::reference {

/// Instances to book. Refuses more than one block holds.
inline Result<int> capacityBlockSize(int instances) {
    if (instances > largestCapacityBlock) {
        return Error{"one Capacity Block has at most " + std::to_string(largestCapacityBlock) +
                     " instances, not " + std::to_string(instances)};
    }
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(instances, 1))));
}

} // namespace alidade::reference
