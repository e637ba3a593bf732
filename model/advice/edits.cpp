// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/edits.h"

#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"

#include <algorithm>

namespace alidade {

const Totals* Evaluator::runsAndFits(const ScenarioSpec& spec) {
    ++tried_;
    auto scenario = resolve(spec, catalog_, profile_);
    if (!scenario || !scenario->runs() || !canEvaluate(*scenario))
        return nullptr;
    scenario_ = *std::move(scenario);
    evaluate(*scenario_, scenario_->inputs, *totals_);
    return totals_->fits ? totals_.get() : nullptr;
}

Edit withoutNeedless(const ScenarioSpec& spec, Edit edit, Evaluator& evaluator) {
    const auto outcome = [&](const Edit& each) -> std::optional<std::pair<double, double>> {
        const auto changed = applyEdit(spec, each);
        const Totals* totals = changed ? evaluator.runsAndFits(*changed) : nullptr;
        return totals ? std::optional(std::pair(totals->stepTime, totals->dollarsPerHour)) : std::nullopt;
    };
    const auto whole = outcome(edit);
    for (std::size_t i = 0; i < edit.size() && edit.size() > 1;) {
        Edit shorter = edit;
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
        if (outcome(shorter) == whole)
            edit = std::move(shorter);
        else
            ++i;
    }
    return edit;
}

Edit changesOfRules(const Scenario& resolved) {
    Edit out;
    for (const Problem& problem : resolved.problems)
        if (problem.severity == Severity::error && problem.fix)
            out = joined(std::move(out), problem.fix->set);
    return out;
}

Edit joined(Edit first, const Edit& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

std::vector<Edit> batchEdits(const ScenarioSpec& spec, const Scenario& resolved) {
    std::vector<Edit> out;
    if (!spec.workload.globalBatch)
        return out;
    const std::int64_t batch = *spec.workload.globalBatch;
    const std::int64_t unit = std::int64_t{resolved.plan.dataParallel} * resolved.plan.microBatch;
    for (const std::int64_t multiple : {batch / unit * unit, (batch / unit + 1) * unit})
        if (multiple > 0 && multiple != batch)
            out.push_back({{"workload.global_batch", std::to_string(multiple)}});
    return out;
}

} // namespace alidade
