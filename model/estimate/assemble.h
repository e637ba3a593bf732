// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"
#include "model/training/step_cost.h"

namespace alidade {

/// Turns what an evaluation found into the estimate that people and programs read.
/// \param totals of an evaluation of this scenario with these inputs; null where nothing could be evaluated
template <class N>
EstimateT<N> assemble(const Scenario& scenario, const InputsT<N>& inputs, const TotalsT<N>* totals);

extern template EstimateT<double> assemble(const Scenario&, const InputsT<double>&, const TotalsT<double>*);
extern template EstimateT<Traced> assemble(const Scenario&, const InputsT<Traced>&, const TotalsT<Traced>*);

/// Can this scenario be evaluated at all? (Memory is known for illegal plans too, if their layers can be
/// dealt out.)
bool canEvaluate(const Scenario& scenario);

} // namespace alidade
