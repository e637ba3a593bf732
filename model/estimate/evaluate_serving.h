// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/scenario.h"
#include "model/serving/serving_totals.h"

#include <span>
#include <vector>

namespace alidade {

/// The inputs of each of scenario.pools: what evaluateServing() takes of an unchanged scenario.
/// \param memory overwritten; kept from call to call, it saves the allocation
std::vector<Inputs> poolInputs(const Scenario& scenario, std::vector<Inputs> memory = {});

/// The one cost path of serving: latency, throughput, memory and money of a resolved scenario. Pure, no
/// allocation for doubles. The equilibrium is solved in plain numbers (steadyState); what it finds enters the
/// formulas as leaves.
/// \param pools inputs of each of scenario.pools: those of the scenario, or changed ones
/// \param out overwritten
/// \param played states of the workers by simulation, one for each pool, that replace the closed form;
/// null: the closed form
/// \param detail without percentiles an evaluation takes a fraction of the time; all other figures are the
/// same
/// \pre scenario.pools is not empty. Memory is meaningful for illegal plans too, the rest only if
/// scenario.runs(); no latency is finite where the load is more than the plan carries (infinite, or NaN where
/// one is the difference of two).
template <class N>
void evaluateServing(const Scenario& scenario, std::span<const InputsT<N>> pools, ServingTotalsT<N>& out,
                     const ServingState* played = nullptr, ServingDetail detail = ServingDetail::percentiles);

extern template void evaluateServing(const Scenario&, std::span<const InputsT<double>>,
                                     ServingTotalsT<double>&, const ServingState*, ServingDetail);
extern template void evaluateServing(const Scenario&, std::span<const InputsT<Traced>>,
                                     ServingTotalsT<Traced>&, const ServingState*, ServingDetail);

/// The same for its own load: what curves and searches over the load call.
/// \param requestsPerSecond, concurrency of the whole deployment; one of them is 0
void evaluateServingAt(const Scenario& scenario, double requestsPerSecond, double concurrency,
                       ServingTotals& out, ServingDetail detail = ServingDetail::percentiles,
                       const ServingState* played = nullptr);

} // namespace alidade
