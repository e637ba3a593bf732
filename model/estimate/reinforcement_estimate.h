// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/reinforcement.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// The estimate of a resolved scenario of reinforcement learning, with the problems that its figures show.
Estimate reinforcementEstimate(const Scenario& scenario);

/// The same as traced numbers, for the explanation of a figure.
EstimateT<Traced> tracedReinforcementEstimate(const Scenario& scenario, Trace& trace);

} // namespace alidade
