// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/edits.h"

#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/fields.h"

#include <algorithm>

namespace alidade {

std::optional<ScenarioSpec> applyEdit(const ScenarioSpec& spec, const Edit& edit) {
    ScenarioSpec out = spec;
    for (const auto& [path, text] : edit) {
        const Field* field = findField(path);
        const auto value = field ? parseField(*field, text) : Result<FieldValue>(Error{"unknown field"});
        if (!value || !checkField(*field, *value).empty()) {
            return std::nullopt;
        }
        field->set(out, *value);
    }
    return out;
}

Edit changesOf(const ScenarioSpec& spec, const Edit& edit) {
    Edit out;
    for (const auto& [path, text] : edit) {
        const Field* field = findField(path);
        if (field && fieldText(*field, field->get(spec)) != text) {
            out.emplace_back(path, text);
        }
    }
    return out;
}

std::string describeEdit(const Edit& whole) {
    Edit edit = whole; // fields to set first, then fields to clear
    std::ranges::stable_partition(edit, [](const auto& each) { return !each.second.empty(); });
    std::string out;
    for (std::size_t i = 0; i < edit.size(); ++i) {
        const auto& [path, text] = edit[i];
        const Field* field = findField(path);
        const std::string label(field ? field->label : std::string_view(path));
        out += i == 0 ? "" : i + 1 == edit.size() ? " and " : ", ";
        out += text.empty() ? (i == 0 ? "Clear " : "clear ") + label
                            : (i == 0 ? "Set " : "") + label + " to " +
                                  (field ? fieldTextInWords(*field, text) : text);
    }
    return out;
}

const Totals* Evaluator::runsAndFits(const ScenarioSpec& spec) {
    ++tried_;
    auto scenario = resolve(spec, catalog_, profile_);
    if (!scenario || !scenario->runs() || !canEvaluate(*scenario)) {
        return nullptr;
    }
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
        if (outcome(shorter) == whole) {
            edit = std::move(shorter);
        } else {
            ++i;
        }
    }
    return edit;
}

std::vector<Edit> batchEdits(const ScenarioSpec& spec, const Scenario& resolved) {
    std::vector<Edit> out;
    if (!spec.workload.globalBatch) {
        return out;
    }
    const std::int64_t batch = *spec.workload.globalBatch;
    const std::int64_t unit = std::int64_t{resolved.plan.dataParallel} * resolved.plan.microBatch;
    for (const std::int64_t multiple : {batch / unit * unit, (batch / unit + 1) * unit}) {
        if (multiple > 0 && multiple != batch) {
            out.push_back({{"workload.global_batch", std::to_string(multiple)}});
        }
    }
    return out;
}

std::vector<std::string> trainingInstances(const Catalog& catalog) {
    std::vector<std::string> out;
    for (const Instance& instance : catalog.instances) {
        const Gpu* gpu = catalog.gpu(instance.gpu);
        if (gpu && gpu->bf16 && instance.gpus >= 8 && instance.nvlinkDomain >= 8 &&
            instance.efaPerDirection && !instance.ultraserverOnly) {
            out.push_back(instance.id);
        }
    }
    return out;
}

} // namespace alidade
