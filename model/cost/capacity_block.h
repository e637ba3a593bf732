// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <vector>

namespace alidade {

// EC2 Capacity Blocks for ML: whole days up to 14, then whole weeks up to 182 days, in sizes of 1, 2, 4 ...
// 64 instances, paid in advance (Amazon EC2 User Guide, "Capacity Blocks for ML").

inline constexpr int longestCapacityBlockDays = 182;
inline constexpr int largestCapacityBlock = 64;        ///< instances
inline constexpr int mostCapacityBlockInstances = 256; ///< of all blocks that an account holds at a time

/// Days to book for a run of so many hours, counted as whole days. Refuses what no single block holds.
Result<int> capacityBlockDays(double hours);

/// Instances are terminated from 30 minutes before the end of their block; UltraServers earlier.
inline constexpr double capacityBlockEndHours = 0.5;
inline constexpr double ultraserverBlockEndHours = 1;

/// Hours that are paid for a run of so many hours in use, from the start of its first block to the end of its
/// last: what no single block holds takes several, one after the other. Not finite where `hours` is not.
/// \param endHours before its end a block cannot be used any more
double capacityBlockPaidHours(double hours, double endHours = capacityBlockEndHours);

/// The blocks to book for a run.
struct CapacityBlockPlan {
    std::vector<int> sizes; ///< instances of each block, the largest first
    int days = 0;           ///< from the start of the first block to the end of the last
    double bookedHours = 0; ///< instance-hours that are paid
    double usedHours = 0;   ///< instance-hours that the run takes
    double idleHours() const { return bookedHours - usedHours; }
};

/// Blocks whose sizes add up to the instances. Refuses more instances than an account may hold at a time.
/// \param hours of the run, over 0
Result<CapacityBlockPlan> planCapacityBlocks(int instances, double hours,
                                             double endHours = capacityBlockEndHours);

} // namespace alidade
