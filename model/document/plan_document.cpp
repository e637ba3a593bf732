// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/plan_document.h"

#include "model/cost/rental.h"
#include "model/document/used_inputs.h"
#include "model/estimate/assemble_order.h"
#include "model/estimate/run_order.h"
#include "model/scenario/scenario.h"
#include "model/units/constants.h"

#include <algorithm>

namespace alidade {

namespace {

double orderHoursOf(const Scenario& scenario, const Estimate& estimate, double timeFactor) {
    const double needed = scenario.isServing()
                              ? serviceHours(scenario)
                              : runSeconds(estimate).value_or(0) / secondsPerHour * timeFactor;
    const double paid = paidHours(needed, scenario.rental);
    return scenario.hasBase() ? std::max(paid, paidHours(needed, scenario.baseRental)) : paid;
}

} // namespace

Result<PlanDocument> planDocument(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                  const Estimate& estimate, const DocumentParts& parts) {
    const Result<Scenario> scenario = resolve(spec, catalog, profile);
    if (!scenario)
        return Error{scenario.error()};
    PlanDocument out;
    out.result = planResult(*scenario, estimate);
    out.usedAssumptions = usedAssumptions(*scenario, estimate);
    if (!out.result.carries)
        return out; // it is not ordered, and nothing more is known of its time and money
    out.bill = billOf(*scenario, estimate);
    if (out.bill) {
        out.orderHours = orderHoursOf(*scenario, estimate, 1);
        if (const auto band = durationBand(estimate); band && out.bill->low && out.bill->high) {
            out.lowHours = orderHoursOf(*scenario, estimate, band->low);
            out.highHours = orderHoursOf(*scenario, estimate, band->high);
        }
        out.cash = cashFlow(*out.bill);
    }
    if (const auto errors = figureErrors(spec, catalog, profile))
        out.errors = *errors;
    if (parts.options)
        out.options = optionsConsidered(spec, catalog, profile, out.result);
    if (parts.risks) {
        out.risks = risksOf(spec, catalog, profile, *scenario, estimate, out.result);
        out.deadlineSteps = deadlineSteps(spec, catalog, profile, *scenario, estimate, inTimeWanted);
    }
    if (parts.assumptions)
        out.assumptions = keyAssumptions(spec, catalog, profile, *scenario, estimate, out.result);
    return out;
}

} // namespace alidade
