// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/estimate/options.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// Can this serving scenario be evaluated at all? (Memory is known for illegal plans too.)
bool canEvaluateServing(const Scenario& scenario);

/// The estimate of a resolved serving scenario, with the problems that its figures show: memory, overload,
/// missed targets. Where the closed form is not trusted (closedFormLimit: above 80 % utilization, with
/// preemptions, ...) the simulation's latencies replace it.
Estimate servingEstimate(const Scenario& scenario, EstimateOptions options);

/// Whether servingEstimate() says that the targets are met, in the time that takes alone. \pre it has targets
bool meetsItsTargets(const Scenario& scenario);

/// The same as traced numbers, for the explanation of a figure.
EstimateT<Traced> tracedServingEstimate(const Scenario& scenario, Trace& trace);

} // namespace alidade
