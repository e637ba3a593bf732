// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"
#include "model/serving/serving_totals.h"

#include <span>

namespace alidade {

/// The constant that the band of a serving headline follows from.
Input servingSpread(const Scenario& scenario);

/// Turns what an evaluation of serving found into the estimate that people and programs read.
/// \param pools inputs of the pools, as evaluated
/// \param totals null where nothing could be evaluated
template <class N>
EstimateT<N> assembleServing(const Scenario& scenario, std::span<const InputsT<N>> pools,
                             const ServingTotalsT<N>* totals);

extern template EstimateT<double> assembleServing(const Scenario&, std::span<const InputsT<double>>,
                                                  const ServingTotalsT<double>*);
extern template EstimateT<Traced> assembleServing(const Scenario&, std::span<const InputsT<Traced>>,
                                                  const ServingTotalsT<Traced>*);

} // namespace alidade
