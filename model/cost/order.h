// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/money.h"
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
    double blockEndHours = 0; ///< hours before its end from which a Capacity Block is unusable
};

/// Something else that is paid: storage, transfer. Spread evenly over the time of the order.
struct OrderedService {
    std::string text, unit;
    Thousandths quantity = 0;
    NanoDollars price = 0;
};

/// The terms of an order; shares in millionths.
struct OrderTerms {
    std::optional<int> start; ///< day number (calendar.h); absent: months are counted, of 730 hours each
    std::int64_t support = 0, contingency = 0, tax = 0;
};

enum class OrderLineKind : std::uint8_t { machines, service, support, contingency, tax };

struct OrderLine {
    OrderLineKind kind = OrderLineKind::machines;
    std::string text; ///< "Capacity Block, 64 x p5.48xlarge, 49 days"
    std::string unit; ///< "instance-hours"; of a percent line: "% of 669763.58"
    Thousandths quantity = 0;
    NanoDollars price = 0; ///< of one unit; 0 for a percent line
    Cents amount = 0;
    std::string from, to;      ///< days, with a start; empty otherwise
    std::vector<Cents> months; ///< paid in each month of the order; sums to the amount
};

struct OrderMonth {
    std::string name; ///< "2027-01", or "1" without a start
    Cents paid = 0;
};

struct Order {
    std::vector<OrderLine> lines;
    std::vector<OrderMonth> months;
    Cents beforeTax = 0, total = 0;
    Thousandths bookedHours = 0, idleHours = 0; ///< machine-hours that are paid; those not used of them
    std::vector<std::string> remarks;           ///< what the buyer has to know
    std::string end;                            ///< day after the last one paid for, with a start
};

/// Hours of use, rounded up to a thousandth (3.6 s; use is billed by the second), so that a line can be
/// repeated by hand.
/// \param hours a billable number of them
Thousandths billedHours(double hours);

/// Whether there is a time to be billed: a run that loses to failures more than it gains never ends.
inline bool isBillable(double hours) { return hours >= 0 && hours < 1e8; }

/// What machines cost for a time: the sum of their lines in an order. Allocates nothing.
/// \param blockEndHours see OrderedMachines; 0: they are not in Capacity Blocks
Cents rentOf(int count, double hours, NanoDollars price, double blockEndHours, bool ultraserver);

/// The order for machines that are all rented from the same day. Capacity Blocks are split into the sizes and
/// durations that are sold: one after the other where the time exceeds the longest, beside each other where
/// the number exceeds the largest. Their fee is paid when they start, since they are bought at most eight
/// weeks ahead; other machines and services are paid in the month of use.
Order orderOf(const std::vector<OrderedMachines>& machines, const std::vector<OrderedService>& services,
              const OrderTerms& terms);

} // namespace alidade
