// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/money.h"
#include "model/cost/order.h"
#include "model/cost/rental.h"
#include "model/explain/traced.h"
#include "model/units/constants.h"

namespace alidade {

template <class N>
struct RunCost {
    N hours;
    N dollars; ///< of the instances; excludes storage and transfer
};

/// \param ettr effective training time ratio, 0..1
/// \param dollarsPerHour of one instance
template <class N>
RunCost<N> runCost(const N& tokens, const N& tokensPerSecond, const N& ettr, const N& instances,
                   const N& dollarsPerHour) {
    RunCost<N> cost;
    cost.hours = named(tokens / tokensPerSecond / ettr / secondsPerHour, "run_hours", Dimension::number,
                       "tokens / throughput / effective training time ratio");
    cost.dollars = cost.hours * instances * dollarsPerHour;
    return cost;
}

/// Hours of a machine that are paid for hours of use.
template <class N>
N billedTime(const N& like, double hours, const RentalTerms& terms) {
    const double paid = paidHours(hours, terms);
    return terms.inBlocks()
               ? derivedLeaf(like, paid, "block_hours", Dimension::number,
                             terms.blocksByDay ? "the shortest training plan that the run fits into"
                                               : "the shortest Capacity Block that the run fits into")
               : derivedLeaf(like, paid, "term_hours", Dimension::number, "the whole term of the commitment");
}

/// A rent as it is billed: hours of use to a thousandth, lines to the cent.
inline double asBilled(double /*exact*/, Cents billed) { return dollarsOf(billed); }
inline Traced asBilled(const Traced& exact, Cents billed) {
    return exact + derivedLeaf(exact, dollarsOf(billed) - exact.value(), "rounding", Dimension::dollars,
                               "hours of use to a thousandth, lines to the cent");
}

/// The total of an order before tax: the rent, and what is ordered in addition to it.
inline double orderTotal(double /*rent*/, const Order& order) { return dollarsOf(order.beforeTax); }
Traced orderTotal(const Traced& rent, const Order& order);

} // namespace alidade
