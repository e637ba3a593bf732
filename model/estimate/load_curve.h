// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"
#include "model/serving/serving_totals.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace alidade {

/// Latency targets of a scenario; nothing where none is set.
struct ServingTargets {
    std::optional<double> ttft, itl; ///< s
    double percentile = 90;
    bool any() const { return ttft || itl; }
};
ServingTargets servingTargets(const Scenario& scenario);

/// A quantile between those that are known: linear in -ln(1 - q), as of an exponential tail.
double quantileOf(const Percentiles& percentiles, double percentile);

/// True if an evaluation meets the targets; false for a load that is not stable.
bool meets(const ServingTargets& targets, const ServingTotals& totals);

/// Whether a played engine contradicts the closed form where the targets ask: another verdict, or a latency
/// at their percentile that is off by more than a fifth. The estimate then shows what was played.
bool contradicts(const ServingTargets& targets, const ServingTotals& closed, const ServingTotals& played);

/// Evaluates a load as its estimate shows it: played where the closed form does not hold or a played engine
/// contradicts it.
/// \param load requests/s of the whole deployment; of a scenario with a concurrency, requests in flight
void evaluateShown(const Scenario& scenario, double load, const ServingTargets& targets, ServingTotals& out);

/// Which loads of a curve are played instead of computed in closed form.
enum class CurvePlaying : std::uint8_t {
    never,
    whereNeeded, ///< where the closed form does not hold (wantsPlaying)
    always       ///< the present load is shown as it was played, and so are the others
};

/// Latency and money over the load: request rates up to the largest stable one, or in a closed loop
/// concurrencies up to what the deployment holds. Latencies never fall with the load. About 40 evaluations.
/// \param present an evaluation of the scenario itself
std::vector<LoadPoint> loadCurve(const Scenario& scenario, const ServingTotals& present,
                                 CurvePlaying playing);

/// The largest rate, requests/s, that meets the targets; 0 if none does. Found in closed form to a millionth
/// of the largest load, played to a hundredth of it: between two loads that are played the sample decides.
/// \param now the present load as it is shown: what meets the targets is within the limit, what misses is not
/// \param simulate where the closed form does not hold at the limit, or contradicts what is shown or played
///        there
double requestRateWithin(const Scenario& scenario, const ServingTargets& targets, const ServingTotals& now,
                         bool simulate);

} // namespace alidade
