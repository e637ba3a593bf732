// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/hardware.h"

#include <span>
#include <string>
#include <string_view>

namespace alidade {

/// Whether a price is charged for what begins on a day: it is current, and the day is within its dates.
/// \param day "2027-01-04"; empty: not known, so that only prices that were in force when they were read are
bool isInForce(const Price& price, std::string_view day);

/// Whether `a` is taken before `b` where both are in force for the same item, Region and purchase option: a
/// user's price before a published one, one with dates before one without, the one that began later first.
bool isPreferred(const Price& a, const Price& b);

/// The preferred one of the prices that are in force and of which `isMeant` is true; nullptr: there is none.
template <class IsMeant>
const Price* preferredPrice(std::span<const Price> prices, std::string_view day, IsMeant isMeant) {
    const Price* best = nullptr;
    for (const Price& each : prices)
        if (isInForce(each, day) && isMeant(each) && (!best || isPreferred(each, *best)))
            best = &each;
    return best;
}

/// The word of a scenario's `cluster.commitment` for the terms of a price: "1_year_no_upfront" for "1 year,
/// no upfront, standard".
std::string commitmentOf(const Price& price);

/// The price of the same item, Region, purchase option and terms on the day after `price` ends; nullptr: it
/// does not end, or none is known.
const Price* priceAfter(std::span<const Price> prices, const Price& price);

} // namespace alidade
