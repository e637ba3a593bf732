// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// The estimate of a scenario of either kind as traced numbers: each step of each formula is added to the
/// trace.
EstimateT<Traced> tracedEstimate(const Scenario& scenario, Trace& trace);

} // namespace alidade
