// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/money.h"
#include "model/explain/traced.h"

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
    cost.hours = named(tokens / tokensPerSecond / ettr / 3600, "run_hours", Dimension::number,
                       "tokens / throughput / effective training time ratio");
    cost.dollars = cost.hours * instances * dollarsPerHour;
    return cost;
}

/// A rent as it is billed: hours of use to a thousandth, lines to the cent.
inline double asBilled(double /*exact*/, Cents billed) { return dollarsOf(billed); }
inline Traced asBilled(const Traced& exact, Cents billed) {
    return exact + derivedLeaf(exact, dollarsOf(billed) - exact.value(), "rounding", Dimension::dollars,
                               "hours of use to a thousandth, lines to the cent");
}

} // namespace alidade
