// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/run_worth.h"

#include "model/estimate/assemble.h"
#include "model/estimate/assemble_parts.h"
#include "model/estimate/evaluate.h"
#include "model/units/format.h"

#include <cmath>
#include <memory>

namespace alidade {

namespace {

PlanResult withHalfTheRecovery(const Scenario& scenario) {
    Scenario faster = scenario;
    for (const Input each : {Input::failureDetection, Input::restartTime})
        faster.inputs[each] /= 2;
    const auto totals = std::make_unique<Totals>();
    evaluate(faster, faster.inputs, *totals);
    return planResult(faster, assemble(faster, faster.inputs, totals.get()));
}

} // namespace

std::vector<RunWorth> runWorths(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                const Scenario& scenario, const Estimate& estimate) {
    std::vector<RunWorth> out;
    const PlanResult base = planResult(scenario, estimate);
    if (!base.carries || !base.days || !estimate.run || spec.plan.goodput)
        return out;
    const auto add = [&out](std::string text, const PlanResult& from, const PlanResult& to) {
        if (!from.carries || !from.days || !to.carries || !to.days)
            return;
        out.push_back({std::move(text), *to.days - *from.days, {}});
        if (to.total && from.total)
            out.back().total = *to.total - *from.total;
    };
    const Run& run = *estimate.run;
    const auto withSpares = [&](std::int64_t count) {
        return resultWith(spec, catalog, profile, {{"run.spares", std::to_string(count)}});
    };
    // Without a number of spares there is always a node to replace one: then of the number that costs least.
    const std::int64_t spares = spec.run.spares.value_or(run.bestSpares);
    const auto before = withSpares(spares), after = withSpares(spares + 1);
    if (before && after) {
        add("One more spare instance than " + formatCount(spares) +
                (spec.run.spares ? "" : ", which cost least"),
            *before, *after);
    }
    if (run.recovery > 0)
        add("Finding failures and restarting in half the time", base, withHalfTheRecovery(scenario));
    return out;
}

} // namespace alidade
