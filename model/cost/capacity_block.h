// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <vector>

namespace alidade {

// EC2 Capacity Blocks for ML: whole days up to 14, then whole weeks up to 182 days, in sizes of 1, 2, 4 ...
// 64 instances, paid in advance (Amazon EC2 User Guide, "Capacity Blocks for ML").

inline constexpr int longestCapacityBlockDays = 182;
inline constexpr int largestCapacityBlock = 64;        ///< instances
inline constexpr int mostCapacityBlockInstances = 256; ///< across all blocks that an account holds at a time

// SageMaker HyperPod training plans are blocks of the same sizes, for any whole number of days up to 182, of
// which the last hour is unusable (SageMaker AI Developer Guide, "Reserve training plans").

/// Days to book for a run of this many hours, rounded up to whole days. Fails if no single block is long
/// enough.
/// \param byDay any number of days is sold, as in a training plan
Result<int> capacityBlockDays(double hours, bool byDay = false);

/// Instances are terminated from 30 minutes before the end of their block; UltraServers earlier.
inline constexpr double capacityBlockEndHours = 0.5;
inline constexpr double ultraserverBlockEndHours = 1;
inline constexpr double trainingPlanEndHours = 1; ///< on a HyperPod cluster

/// Hours to pay for a run of this many hours, from the start of its first block to the end of its last: runs
/// too long for one block take several, one after the other. Not finite if `hours` is not.
/// \param endHours hours before its end from which a block is unusable
double capacityBlockPaidHours(double hours, double endHours = capacityBlockEndHours, bool byDay = false);

/// The blocks to book for a run.
struct CapacityBlockPlan {
    std::vector<int> sizes; ///< instances of each block, the largest first
    int days = 0;           ///< from the start of the first block to the end of the last
    double bookedHours = 0; ///< instance-hours to pay
    double usedHours = 0;   ///< instance-hours that the run uses
    double idleHours() const { return bookedHours - usedHours; }
};

/// Blocks whose sizes add up to the instances. Fails if an account cannot hold as many instances at a time.
/// \param hours of the run, > 0
Result<CapacityBlockPlan> planCapacityBlocks(int instances, double hours,
                                             double endHours = capacityBlockEndHours);

} // namespace alidade
