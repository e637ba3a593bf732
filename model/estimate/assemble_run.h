// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/run_estimate.h"
#include "model/scenario/scenario.h"
#include "model/training/step_cost.h"

namespace alidade {

/// The whole run of a training scenario that runs.
template <class N>
RunT<N> assembleRun(const Scenario& scenario, const InputsT<N>& inputs, const TotalsT<N>& totals);

} // namespace alidade
