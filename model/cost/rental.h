// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace alidade {

/// How the time of rented machines is billed: by use, in blocks that are bought for whole days, or for the
/// whole term of a commitment.
struct RentalTerms {
    double blockEndHours = 0;      ///< hours before its end from which a block is unusable; 0: no blocks
    bool blocksOfOne = false;      ///< each block is one UltraServer
    bool blocksByDay = false;      ///< whole days up to the longest; else whole weeks beyond 14 days
    int termYears = 0;             ///< of a reservation or Savings Plan; 0: none
    std::int64_t upfrontShare = 0; ///< of a commitment, paid when it begins, in millionths

    bool inBlocks() const { return blockEndHours > 0; }
    bool paysBeyondUse() const { return inBlocks() || termYears > 0; }
};

/// AWS counts a year of a commitment as 365 days.
inline constexpr double hoursOfTermYear = 8760;

/// Hours to pay for each machine that is needed for this many hours. Not finite if `hours` is not.
double paidHours(double hours, const RentalTerms& terms);

} // namespace alidade
