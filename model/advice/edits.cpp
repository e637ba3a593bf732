// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/edits.h"

#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/scenario/fields.h"

namespace alidade {

namespace {

const std::vector<std::string> recomputeChoices{"none", "norms", "norms, glu", "full"};

std::vector<int> powersOfTwo(int most) {
    std::vector<int> out;
    for (int n = 1; n <= most; n *= 2) {
        out.push_back(n);
    }
    return out;
}

/// Pipeline degrees worth trying: powers of two, and the divisors of the layer count (with and without
/// embedding and head counted).
std::vector<int> pipelineDegrees(int gpus, int layers) {
    std::vector<int> out;
    for (int p = 1; p <= std::min({gpus, layers, 64}); ++p) {
        if ((p & (p - 1)) == 0 || layers % p == 0) {
            out.push_back(p);
        }
    }
    return out;
}

} // namespace

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

std::string describeEdit(const Edit& edit) {
    std::string out;
    for (std::size_t i = 0; i < edit.size(); ++i) {
        const auto& [path, text] = edit[i];
        const Field* field = findField(path);
        const std::string label(field ? field->label : std::string_view(path));
        out += i == 0 ? "" : i + 1 == edit.size() ? " and " : ", ";
        out += text.empty() ? (i == 0 ? "Leave out " : "leave out ") + label
                            : (i == 0 ? "Set " : "") + label + " to " + text;
    }
    return out;
}

const Totals* Evaluator::runsAndFits(const ScenarioSpec& spec) {
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

std::vector<Edit> singleEdits(const ScenarioSpec& spec, const Catalog& catalog) {
    std::vector<Edit> out;
    const auto one = [&](std::string path, std::string text) {
        Edit edit = changesOf(spec, {{std::move(path), std::move(text)}});
        if (!edit.empty()) {
            out.push_back(std::move(edit));
        }
    };
    // What is written but not modelled, or contradicts the rest, can be left out.
    for (const char* path :
         {"plan.data_parallel", "plan.pipeline_split", "plan.schedule", "cluster.topology",
          "cluster.rank_order", "cluster.placement", "plan.offload.optimizer", "plan.offload.activations",
          "plan.context_parallel", "plan.context_parallel_kind", "plan.expert_parallel",
          "plan.expert_tensor_parallel", "plan.shard_size", "plan.node_limit", "cluster.gpus",
          "plan.optimizer", "plan.framework"}) {
        one(path, "");
    }
    for (const std::string& words : recomputeChoices) {
        one("plan.recompute", words);
    }
    one("plan.sharding", "zero1");
    one("plan.precision", "bf16");
    one("plan.precision", "fp16");
    one("plan.sequence_parallel", "true");
    one("plan.sequence_parallel", "false");
    one("workload.finetune.kind", "full");
    one("plan.virtual_pipeline", "");
    for (const int n : powersOfTwo(64)) {
        one("plan.tensor_parallel", std::to_string(n));
        one("plan.micro_batch", std::to_string(n));
    }
    const Architecture* model = spec.workload.architecture ? &*spec.workload.architecture
                                : spec.workload.model      ? catalog.model(*spec.workload.model)
                                                           : nullptr;
    const int layers = model ? model->layers : 128;
    for (const int p : pipelineDegrees(1 << 20, layers)) {
        one("plan.pipeline_parallel", std::to_string(p));
    }
    for (int v = 1; v <= 16; ++v) {
        one("plan.virtual_pipeline", std::to_string(v));
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

std::vector<Edit> layoutEdits(int gpus, int layers) {
    std::vector<Edit> out;
    for (const int t : powersOfTwo(64)) {
        for (const int p : pipelineDegrees(gpus, layers)) {
            if (gpus % (t * p) != 0) {
                continue;
            }
            for (int v = 1; v <= (p > 1 ? 16 : 1); ++v) {
                if (layers % (p * v) != 0 && (layers + 2) % (p * v) != 0 && v > 1) {
                    continue;
                }
                for (const std::string& words : recomputeChoices) {
                    out.push_back({{"plan.tensor_parallel", std::to_string(t)},
                                   {"plan.pipeline_parallel", std::to_string(p)},
                                   {"plan.virtual_pipeline", v == 1 ? "" : std::to_string(v)},
                                   {"plan.micro_batch", "1"},
                                   {"plan.recompute", words},
                                   {"plan.data_parallel", ""},
                                   {"plan.pipeline_split", ""},
                                   {"plan.schedule", ""}});
                }
            }
        }
    }
    return out;
}

} // namespace alidade
