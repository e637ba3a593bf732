// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/outcome.h"

#include "model/base/calendar.h"
#include "model/document/bill.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/resolved_estimate.h"
#include "model/estimate/run_order.h"
#include "model/explore/comparison.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>

namespace alidade {

namespace {

std::string whyNot(const PlanResult& result, const Estimate& estimate) {
    if (result.runs && !result.fits && estimate.memory) {
        return "does not fit: " + formatQuantity(result.memory - result.usableMemory, Dimension::bytes) +
               " too much";
    }
    if (result.runs && result.fits)
        return "more requests arrive than it can serve";
    const auto error = std::ranges::find(estimate.problems, Severity::error, &Problem::severity);
    return error == estimate.problems.end() ? "cannot run" : "cannot run: " + error->message;
}

} // namespace

PlanResult planResult(const Scenario& scenario, const Estimate& estimate) {
    PlanResult out;
    out.runs = estimate.runs;
    out.fits = estimate.fits;
    out.carries = isUsable(estimate);
    out.machines = estimate.clusterName;
    if (estimate.memory) {
        out.memory = estimate.memory->totalBytes;
        out.memoryHigh = estimate.memory->highBytes;
        out.usableMemory = estimate.memory->capacityBytes - estimate.memory->reserveBytes;
    }
    if (!out.carries)
        out.why = whyNot(out, estimate);
    if (!out.runs)
        return out;
    if (const auto seconds = runSeconds(estimate)) {
        out.days = *seconds / secondsPerDay;
        if (const auto band = durationBand(estimate)) {
            out.lowDays = *out.days * band->low;
            out.highDays = *out.days * band->high;
        }
        const auto start = dayOfDate(scenario.spec.run.start.value_or(""));
        const auto deadline = dayOfDate(scenario.spec.run.deadline.value_or(""));
        if (start && deadline)
            out.deadlineDays = *deadline + 1 - *start;
    }
    if (estimate.serving && out.carries) {
        const Serving& s = *estimate.serving;
        if (s.prompts)
            out.firstToken = quantileOf(s.ttftPercentiles, s.targetPercentile);
        if (s.answers)
            out.gap = quantileOf(s.itlPercentiles, s.targetPercentile);
        out.meetsTargets = s.meetsTargets;
    }
    if (const auto bill = billOf(scenario, estimate)) {
        out.total = bill->expected.beforeTax;
        out.low = bill->low ? std::optional(bill->low->beforeTax) : std::nullopt;
        out.high = bill->high ? std::optional(bill->high->beforeTax) : std::nullopt;
    }
    return out;
}

Result<PlanResult> resultWith(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                              const Edit& set, const VariableSettings& numbers) {
    const auto changed = applyEdit(spec, set);
    if (!changed)
        return Error{"a changed field has an invalid value"};
    const Explorer explorer(*changed, catalog, profile);
    const Result<Scenario> scenario = explorer.scenarioWith(numbers);
    if (!scenario)
        return Error{scenario.error()};
    return planResult(*scenario, estimateResolved(*scenario, {.loadLimit = false, .fixes = false}));
}

} // namespace alidade
