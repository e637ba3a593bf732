// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/plan/inputs.h"
#include "model/scenario/scenario.h"
#include "model/serving/serving_totals.h"

#include <span>

namespace alidade {

/// The power that `alidade validate` checks (servingGpuPower), from the rates of each pool. Prompts count as
/// arithmetic, since prefill draws the most power; what reads the KV cache counts as in the fit, not at all.
/// \pre the deployment fits and runs, and the power of its GPUs is known (hasPower())
template <class N>
ServingEnergyT<N> servingEnergy(const Scenario& scenario, std::span<const InputsT<N>> pools,
                                const ServingTotalsT<N>& totals);

/// Whether the catalog gives the power of every pool's GPUs.
bool hasPower(const Scenario& scenario);

} // namespace alidade
