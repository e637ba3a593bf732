// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/order.h"
#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

// What a buyer orders for a plan, to the cent, and when it is paid.

/// The order of a plan in three documents with the same lines: as expected, and at the ends of the band of
/// its time. The band of the total is theirs, not the sum of bands of lines.
struct Bill {
    Order expected;
    std::optional<Order> low, high; ///< absent: the time of use is given, or its band is not known
};

/// Machines and storage of a plan at a multiple of its time. nullopt: no price, or no end.
/// \param timeFactor of a run; the time of a service is given
std::optional<Order> planOrder(const Scenario& scenario, const Estimate& estimate, double timeFactor = 1);

std::optional<Bill> billOf(const Scenario& scenario, const Estimate& estimate);

/// A month of the cash flow: what is paid in it, and in all up to its end.
struct CashMonth {
    std::string name; ///< "2027-01", or "1" without a start
    Cents paid = 0, soFar = 0;
    std::int64_t converted = 0;    ///< paid, in the other currency of the order
    Cents low = 0, lowSoFar = 0;   ///< if the run takes the low end of its band
    Cents high = 0, highSoFar = 0; ///< the high end; equal to the expected ones without a band
};
/// As many months as the longest of the three orders has.
std::vector<CashMonth> cashFlow(const Bill& bill);

/// The total over the months that are paid for, rounded to the cent: what a buyer budgets for each.
/// \param hours the length of the order, > 0
Cents perMonth(Cents total, double hours);

/// The first day on which a new rate is due. Rates of Capacity Blocks change about each quarter: the first
/// day of the next one. nullopt for other ways to buy, whose list prices change on any day, or without a
/// date.
std::optional<std::string> rateChangeAfter(std::string_view purchase, std::string_view today);

/// The first day on which Capacity Blocks for a start can be bought: eight weeks before. nullopt without a
/// start, or for other ways to buy.
std::optional<std::string> firstDayToBuy(std::string_view purchase, std::string_view start);

} // namespace alidade
