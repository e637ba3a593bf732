// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/error_band.h"
#include "model/scenario/scenario.h"

#include <optional>

namespace alidade {

// The order of a run: machines, storage and energy for the time that it takes.

/// Seconds of a training run, or of all steps of reinforcement learning; nullopt: its end is not given.
std::optional<double> runSeconds(const Estimate& estimate);

/// Factors from the expected time of a plan to its 10 % and 90 % quantiles: of a run that ends, those of its
/// days, which hold the error of the step, the failure rate and chance; else those of the step. nullopt: not
/// known.
std::optional<ErrorBand> durationBand(const Estimate& estimate);

/// What a run comes to before tax, in dollars, with the 10 % and 90 % quantiles.
struct RunTotal {
    double dollars = 0;
    std::optional<double> low, high;
    bool ordered = false; ///< the total of the order: storage and the like are in it; else the rent alone
};
/// nullopt: it is not a run, or its end is not known.
std::optional<RunTotal> runTotal(const Cost& cost);

/// The order of a run at a multiple of its time. nullopt: no price, or no end.
std::optional<Order> runOrder(const Scenario& scenario, const Estimate& estimate, double timeFactor);

/// Puts the order of a run, and what it comes to at the ends of the band of its time, into its cost.
/// \pre the estimate has all else
template <class N>
void addRunOrder(const Scenario& scenario, EstimateT<N>& estimate);

} // namespace alidade
