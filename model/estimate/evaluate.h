// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/scenario.h"
#include "model/training/step_cost.h"

namespace alidade {

/// The constant that the band of the step time follows from: plans whose experts talk over the network are
/// predicted least well, dense models best.
inline Input stepTimeSpread(const Scenario& scenario) {
    if (!scenario.model.moe)
        return Input::timeLogSd;
    return scenario.plan.expertGroup.insideOneDomain() ? Input::timeLogSdMoe : Input::timeLogSdExpertsNetwork;
}

/// The one cost path: what a resolved scenario takes in time, memory and money. Pure, no allocation for
/// doubles. Everything else (search, sensitivity, calibration, the estimate and its explanation) calls this.
/// \param inputs those of the scenario, or changed ones
/// \param out overwritten
/// \pre scenario.plan.stageLayers is not empty. Memory is meaningful for illegal plans too, times only if
/// scenario.runs().
template <class N>
void evaluate(const Scenario& scenario, const InputsT<N>& inputs, TotalsT<N>& out);

class LayerMemo;

/// The same for one of many plans that differ in their layout only: layers that the memo has are taken from
/// it. The kernels and collectives of layers are not listed then; all other figures are equal to the last
/// bit. Of a plan that does not fit only the memory is computed.
/// \param memo of plans with the same model, machines, software and constants
void evaluateIfFits(const Scenario& scenario, LayerMemo& memo, Totals& out);

extern template void evaluate(const Scenario&, const InputsT<double>&, TotalsT<double>&);
extern template void evaluate(const Scenario&, const InputsT<Traced>&, TotalsT<Traced>&);

} // namespace alidade
