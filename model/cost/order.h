// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/money.h"
#include "model/cost/rental.h"
#include "model/hardware/hardware.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

// An order as a supplier takes it: what to buy, how much of it at which price, when it is paid. All amounts
// are whole cents; totals and months are sums of the printed lines.

/// Machines to rent for a time.
struct OrderedMachines {
    std::string item;  ///< "p5.48xlarge"
    std::string label; ///< what they are for, where that needs saying: "Spare nodes"
    bool ultraserver = false;
    int count = 1;
    double hours = 0;      ///< that they are needed, > 0
    NanoDollars price = 0; ///< of one for an hour
    Purchase purchase = Purchase::onDemand;
    RentalTerms rental{};     ///< how their time is billed
    std::string commitment{}; ///< of a reservation or Savings Plan: "1 year, no upfront"
};

enum class OrderLineKind : std::uint8_t { machines, storage, transfer, energy, support, contingency, tax };
/// Whether a line is a percentage of those before it.
constexpr bool isShare(OrderLineKind kind) { return kind >= OrderLineKind::support; }

/// Something else that is paid: storage, energy. Spread evenly over the time of use.
struct OrderedService {
    OrderLineKind kind = OrderLineKind::storage;
    std::string text, unit;
    Thousandths quantity = 0;
    NanoDollars price = 0;
};

/// A part of the data sent in a month that has its own price.
struct OrderedTier {
    Thousandths upTo = 0;  ///< GB of the month; 0: the last tier
    NanoDollars price = 0; ///< of a GB
};

/// Data sent to the internet.
struct OrderedTransfer {
    Thousandths gigabytes = 0; ///< of each whole month, or once; 0: none
    bool monthly = false;      ///< else all of it in the last month of use
    std::vector<OrderedTier> tiers;
};

/// A currency that amounts are printed in besides dollars.
struct Conversion {
    std::string currency;  ///< "EUR"
    std::int64_t rate = 0; ///< units of it for a dollar, in billionths
    std::string date;      ///< of the rate, "2026-11-20"
    int digits = 2;        ///< decimals of its amounts
};

/// The terms of an order; shares in millionths.
struct OrderTerms {
    std::optional<int> start; ///< day number (calendar.h); absent: months are counted, of 730 hours each
    std::int64_t support = 0, contingency = 0, tax = 0;
    std::optional<Conversion> conversion{};
};

struct OrderLine {
    OrderLineKind kind = OrderLineKind::machines;
    std::string text; ///< "Capacity Block, 64 x p5.48xlarge, 49 days"
    std::string unit; ///< "instance-hours"; of a percent line: "% of 669763.58"
    Thousandths quantity = 0;
    NanoDollars price = 0; ///< of one unit; 0 for a percent line
    Cents amount = 0;
    std::string from, to;      ///< days, with a start; empty otherwise
    std::vector<Cents> months; ///< paid in each month of the order; sums to the amount
    /// In the other currency, if there is one: the amount converted and rounded once, and its months.
    std::int64_t converted = 0;
    std::vector<std::int64_t> convertedMonths{};
};

struct OrderMonth {
    std::string name; ///< "2027-01", or "1" without a start
    Cents paid = 0;
    std::int64_t converted = 0; ///< in the other currency: the sum of the lines
};

struct Order {
    std::vector<OrderLine> lines;
    std::vector<OrderMonth> months;
    Cents beforeTax = 0, total = 0;
    std::optional<Conversion> conversion; ///< absent: dollars alone
    std::int64_t convertedBeforeTax = 0, convertedTotal = 0;
    Thousandths bookedHours = 0, idleHours = 0; ///< machine-hours that are paid; those not used of them
    std::vector<std::string> remarks;           ///< what the buyer has to know
    std::string end;                            ///< day after the last one paid for, with a start
};

/// What an order comes to before tax at the 10 % and 90 % quantiles of the time that it is for.
struct OrderBand {
    Cents low = 0, high = 0;
};

/// Hours of use, rounded up to a thousandth (3.6 s; use is billed by the second), so that a line can be
/// repeated by hand.
/// \param hours a billable number of them
Thousandths billedHours(double hours);

/// Whether there is a time to be billed: a run that loses to failures more than it gains never ends.
inline bool isBillable(double hours) { return hours >= 0 && hours < 1e8; }

/// What machines cost for a time: the sum of their lines in an order. Allocates nothing.
Cents rentOf(int count, double hours, NanoDollars price, const RentalTerms& rental);

/// The order for machines that are all rented from the same day. Capacity Blocks and training plans are split
/// into the sizes and durations that are sold: one after the other where the time exceeds the longest, side
/// by side where the number exceeds the largest. Their fee is paid when they start, since they are bought at
/// most eight weeks ahead. A reservation or Savings Plan is billed for every hour of its term, by the hours
/// of each month, except for what is paid upfront. Other machines and services are paid in the month of use.
Order orderOf(const std::vector<OrderedMachines>& machines, const std::vector<OrderedService>& services,
              const OrderTerms& terms, const OrderedTransfer& transfer = {});

} // namespace alidade
