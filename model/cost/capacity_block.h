// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

namespace alidade {

// EC2 Capacity Blocks for ML: whole days up to 14, then whole weeks up to 182 days, in sizes of 1, 2, 4 ...
// 64 instances, paid in advance (Amazon EC2 User Guide, "Capacity Blocks for ML").

inline constexpr int longestCapacityBlockDays = 182;
inline constexpr int largestCapacityBlock = 64;        ///< instances
inline constexpr int mostCapacityBlockInstances = 256; ///< of all blocks that an account holds at a time

/// Days to book for a run of so many hours, counted as whole days. Refuses what no single block holds.
Result<int> capacityBlockDays(double hours);

/// Instances to book. Refuses more than one block holds.
Result<int> capacityBlockSize(int instances);

/// Hours that a block of so many days can be used: instances are terminated from 30 minutes before its end.
double capacityBlockUsableHours(int days);

} // namespace alidade
