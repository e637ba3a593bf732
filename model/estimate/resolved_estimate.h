// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/estimate/options.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// The estimate of a resolved scenario, training or serving, without advice and without what a run of the
/// timeline adds: what sweeps and sensitivities call.
Estimate estimateResolved(const Scenario& scenario, const EstimateOptions& options = {});

} // namespace alidade
