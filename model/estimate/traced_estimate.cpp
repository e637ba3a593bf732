// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/traced_estimate.h"

#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/reinforcement_estimate.h"
#include "model/estimate/serving_estimate.h"

#include <memory>

namespace alidade {

EstimateT<Traced> tracedEstimate(const Scenario& scenario, Trace& trace) {
    if (scenario.isServing())
        return tracedServingEstimate(scenario, trace);
    if (scenario.isReinforcement())
        return tracedReinforcementEstimate(scenario, trace);
    const InputsT<Traced> inputs = tracedInputs(trace, scenario.inputs, scenario.origins);
    std::unique_ptr<TotalsT<Traced>> totals;
    if (canEvaluate(scenario)) {
        totals = std::make_unique<TotalsT<Traced>>();
        evaluate(scenario, inputs, *totals);
    }
    return assemble(scenario, inputs, totals.get());
}

} // namespace alidade
