// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"
#include "model/serving/serving_totals.h"

#include <span>

namespace alidade {

/// Answered questions, from what the evaluation says of their sequences:
///
///     latency    = TTFT + (E[longest of n samples] - 1) x TPOT + scoring
///     tokens     = n x E[sample]
///     cost       = (rent / questions per second) + scorings of a question x rent of a verifier / its most
///                  scorings per second
///     KV cache   = prompt + n x E[sample]
///
/// Quantiles of the latency are those of the longest sample at the mean TPOT and of TTFT, taken as
/// independent: their deviations from the mean add as squares. All samples of a question start together. In
/// beam search steps have a fixed number of tokens, so that no beam waits for another; what beams share of
/// their history besides the prompt is not counted as saved.
/// \pre scenario.testTime, and the scenario runs and fits
template <class N>
TestTimeT<N> testTimeOf(const Scenario& scenario, std::span<const InputsT<N>> pools,
                        const ServingTotalsT<N>& totals);

extern template TestTimeT<double> testTimeOf(const Scenario&, std::span<const InputsT<double>>,
                                             const ServingTotalsT<double>&);
extern template TestTimeT<Traced> testTimeOf(const Scenario&, std::span<const InputsT<Traced>>,
                                             const ServingTotalsT<Traced>&);

} // namespace alidade
