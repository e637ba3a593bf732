// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/purchase_split.h"

#include "model/cost/capacity_block.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade {

namespace {

constexpr double cannotBuy = std::numeric_limits<double>::infinity();

/// Days of Capacity Blocks that one instance takes in a period.
/// \param needed in each day \param late in the last half hour of each day
int blockDays(const std::vector<bool>& needed, const std::vector<bool>& late) {
    const std::size_t days = needed.size();
    int out = 0;
    for (std::size_t day = 0; day < days; ++day) {
        const bool extends = needed[day] && late[day] && !needed[(day + 1) % days];
        out += (needed[day] ? 1 : 0) + (extends ? 1 : 0);
    }
    return std::min(out, static_cast<int>(days));
}

/// What instances need, from the first to the last one.
class Levels {
public:
    explicit Levels(const InstanceDemand& demand)
        : demand_(demand)
        , most_(*std::max_element(demand.counts.begin(), demand.counts.end()))
        , steps_(static_cast<std::size_t>(most_) + 1, 0) {
        const double perDay = secondsPerDay / demand.step;
        days_ = std::max<std::size_t>(
            1, static_cast<std::size_t>(std::llround(static_cast<double>(demand.counts.size()) / perDay)));
        mostOfDay_.resize(days_, 0);
        mostAtEnd_.resize(days_, 0);
        const double lastHalfHour = perDay * (1 - capacityBlockEndHours / 24);
        for (std::size_t i = 0; i < demand.counts.size(); ++i) {
            const auto at = static_cast<double>(i);
            const auto day = std::min(days_ - 1, static_cast<std::size_t>(at / perDay));
            const int count = demand.counts[i];
            ++steps_[static_cast<std::size_t>(count)];
            mostOfDay_[day] = std::max(mostOfDay_[day], count);
            if (at - static_cast<double>(day) * perDay >= lastHalfHour)
                mostAtEnd_[day] = std::max(mostAtEnd_[day], count);
        }
        for (std::size_t count = steps_.size() - 1; count-- > 0;) // of the demand or more
            steps_[count] += steps_[count + 1];
    }

    int most() const { return most_; }
    /// Hours of a period in which an instance is needed. \param level 1: the first instance
    double hours(int level) const {
        return static_cast<double>(steps_[static_cast<std::size_t>(level)]) * demand_.step / secondsPerHour;
    }
    /// Hours of Capacity Blocks that hold it.
    double blockHours(int level) const {
        std::vector<bool> needed(days_), late(days_);
        for (std::size_t day = 0; day < days_; ++day) {
            needed[day] = mostOfDay_[day] >= level;
            late[day] = mostAtEnd_[day] >= level;
        }
        return 24.0 * blockDays(needed, late);
    }

private:
    const InstanceDemand& demand_;
    int most_;
    std::size_t days_ = 1;
    std::vector<std::size_t> steps_;
    std::vector<int> mostOfDay_, mostAtEnd_;
};

double dollars(const std::optional<NanoDollars>& price, double hours) {
    return price ? static_cast<double>(*price) * 1e-9 * hours : cannotBuy;
}

} // namespace

std::optional<PurchaseSplit> cheapestSplit(const InstanceDemand& demand, const SplitPrices& prices,
                                           std::optional<int> base) {
    const Levels levels(demand);
    const double period = demand.hours();
    PurchaseSplit out;
    double blockHours = period; // a block that holds an instance could hold the next one: never more
    for (int level = 1; level <= std::max(levels.most(), base.value_or(0)); ++level) {
        const bool needed = level <= levels.most();
        const double hours = needed ? levels.hours(level) : 0;
        blockHours = needed ? std::min(blockHours, levels.blockHours(level)) : 0;
        out.usedHours += hours;
        const double asBase = dollars(prices.base, period), asBlock = dollars(prices.block, blockHours),
                     asUsed = dollars(prices.onDemand, hours);
        const bool isBase = base ? level <= *base : asBase <= std::min(asBlock, asUsed);
        const double cost = isBase ? asBase : std::min(asBlock, asUsed);
        if (!(cost < cannotBuy))
            return std::nullopt;
        out.dollars += cost;
        if (isBase) {
            ++out.base;
            out.baseHours += period;
        } else if (asBlock < asUsed) {
            ++out.blocks;
            out.blockHours += blockHours;
        } else {
            ++out.onDemand;
            out.onDemandHours += hours;
        }
    }
    const int held = out.blocks + (prices.baseInBlocks ? out.base : 0);
    return held <= mostCapacityBlockInstances ? std::optional(out) : std::nullopt;
}

} // namespace alidade
