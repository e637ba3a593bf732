// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/money.h"
#include "model/units/constants.h"

#include <optional>
#include <vector>

namespace alidade {

/// Instances that a pool needs over one period, which repeats.
struct InstanceDemand {
    double step = 60;        ///< s
    std::vector<int> counts; ///< in each step; not empty
    double hours() const { return step * static_cast<double>(counts.size()) / secondsPerHour; }
};

/// Prices of an instance for an hour; absent: not bought in this way.
struct SplitPrices {
    std::optional<NanoDollars> base;     ///< paid for all hours
    std::optional<NanoDollars> block;    ///< Capacity Blocks: whole days
    std::optional<NanoDollars> onDemand; ///< hours of use
    bool baseInBlocks = false;           ///< the base is Capacity Blocks that follow each other
};

/// How the instances of a pool are bought. Hours are instance-hours of one period.
struct PurchaseSplit {
    int base = 0;     ///< instances that are paid all the time
    int blocks = 0;   ///< the most instances in Capacity Blocks at a time
    int onDemand = 0; ///< the most instances on demand at a time
    double baseHours = 0, blockHours = 0, onDemandHours = 0;
    double usedHours = 0; ///< instance-hours that the pool needs
    double dollars = 0;   ///< of a period
};

/// The cheapest split. The k-th instance is needed for the hours in which the demand is k or more, whatever
/// becomes of the others, so that each one is bought on its own in the cheapest way; those that pay as base
/// are the lowest ones (the newsvendor's quantile: where hours of use / hours = price of base / price of
/// burst). Capacity Blocks cover the days in which an instance is needed, in runs of whole days, one day more
/// where the last half hour of a run is needed too.
/// \param base instances of the base, where that is given
/// \returns nothing if no price buys what is needed, or more would be in Capacity Blocks than an account can
/// hold at a time
std::optional<PurchaseSplit> cheapestSplit(const InstanceDemand& demand, const SplitPrices& prices,
                                           std::optional<int> base = {});

} // namespace alidade
