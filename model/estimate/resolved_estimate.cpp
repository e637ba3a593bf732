// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/resolved_estimate.h"

#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/reinforcement_estimate.h"
#include "model/estimate/serving_estimate.h"

#include <memory>

namespace alidade {

Estimate estimateResolved(const Scenario& scenario, const EstimateOptions& options) {
    if (scenario.isServing())
        return servingEstimate(scenario, options);
    if (scenario.isReinforcement())
        return reinforcementEstimate(scenario);
    std::unique_ptr<Totals> totals;
    if (canEvaluate(scenario)) {
        totals = std::make_unique<Totals>();
        evaluate(scenario, scenario.inputs, *totals);
    }
    return assemble(scenario, scenario.inputs, totals.get());
}

} // namespace alidade
