// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/words.h"

#include "model/catalog/catalog.h"
#include "model/scenario/choice_names.h"
#include "views/document/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace alidade::views {

namespace {

struct EditorTexts {
    Q_DECLARE_TR_FUNCTIONS(ScenarioView)
};

/// Fields that most people set, in the order in which they think of them.
struct Common {
    std::string_view path;
    EditorGroup group;
};

constexpr std::array commonFields = {
    Common{"workload.kind", EditorGroup::workload},
    Common{"workload.model", EditorGroup::workload},
    Common{"workload.sequence_length", EditorGroup::workload},
    Common{"workload.global_batch", EditorGroup::workload},
    Common{"workload.tokens", EditorGroup::workload},
    Common{"workload.finetune.rank", EditorGroup::workload},
    Common{"workload.finetune.targets", EditorGroup::workload},
    Common{"workload.input_tokens", EditorGroup::workload},
    Common{"workload.output_tokens", EditorGroup::workload},
    Common{"workload.concurrency", EditorGroup::workload},
    Common{"workload.request_rate_per_s", EditorGroup::workload},
    Common{"workload.ttft_slo_s", EditorGroup::workload},
    Common{"workload.itl_slo_s", EditorGroup::workload},
    Common{"cluster.instance", EditorGroup::cluster},
    Common{"cluster.ultraserver", EditorGroup::cluster},
    Common{"cluster.instances", EditorGroup::cluster},
    Common{"cluster.ultraservers", EditorGroup::cluster},
    Common{"cluster.region", EditorGroup::cluster},
    Common{"cluster.purchase", EditorGroup::cluster},
    Common{"cluster.dollars_per_instance_hour", EditorGroup::cluster},
    Common{"plan.tensor_parallel", EditorGroup::plan},
    Common{"plan.pipeline_parallel", EditorGroup::plan},
    Common{"plan.virtual_pipeline", EditorGroup::plan},
    Common{"plan.schedule", EditorGroup::plan},
    Common{"plan.context_parallel", EditorGroup::plan},
    Common{"plan.context_parallel_kind", EditorGroup::plan},
    Common{"plan.expert_parallel", EditorGroup::plan},
    Common{"plan.node_limit", EditorGroup::plan},
    Common{"plan.attention_data_parallel", EditorGroup::plan},
    Common{"plan.data_parallel", EditorGroup::plan},
    Common{"plan.sharding", EditorGroup::plan},
    Common{"plan.shard_size", EditorGroup::plan},
    Common{"plan.micro_batch", EditorGroup::plan},
    Common{"plan.precision", EditorGroup::plan},
    Common{"plan.fp8_recipe", EditorGroup::plan},
    Common{"plan.weights", EditorGroup::plan},
    Common{"plan.kv_cache", EditorGroup::plan},
    Common{"plan.max_batch", EditorGroup::plan},
    Common{"plan.optimizer", EditorGroup::plan},
    Common{"plan.recompute", EditorGroup::plan},
    Common{"plan.overlap.tensor", EditorGroup::plan},
    Common{"plan.overlap.expert", EditorGroup::plan},
    Common{"plan.framework", EditorGroup::machine},
    Common{"plan.engine", EditorGroup::machine},
    Common{"calibration", EditorGroup::machine},
    Common{"plan.goodput", EditorGroup::machine},
};

constexpr int moreRank = 1000;

struct Unit {
    std::string_view path;
    const char* text;
};

constexpr std::array units = {
    Unit{"workload.sequence_length", QT_TRANSLATE_NOOP("ScenarioView", "tokens")},
    Unit{"workload.global_batch", QT_TRANSLATE_NOOP("ScenarioView", "sequences")},
    Unit{"workload.concurrency", QT_TRANSLATE_NOOP("ScenarioView", "requests")},
    Unit{"workload.request_rate_per_s", QT_TRANSLATE_NOOP("ScenarioView", "per second")},
    Unit{"cluster.instances", QT_TRANSLATE_NOOP("ScenarioView", "instances")},
    Unit{"cluster.ultraservers", QT_TRANSLATE_NOOP("ScenarioView", "UltraServers")},
    Unit{"cluster.gpus", QT_TRANSLATE_NOOP("ScenarioView", "GPUs")},
    Unit{"cluster.custom.gpus_per_node", QT_TRANSLATE_NOOP("ScenarioView", "GPUs")},
    Unit{"cluster.custom.nvlink_domain", QT_TRANSLATE_NOOP("ScenarioView", "GPUs")},
    Unit{"plan.node_limit", QT_TRANSLATE_NOOP("ScenarioView", "domains")},
    Unit{"plan.shard_size", QT_TRANSLATE_NOOP("ScenarioView", "GPUs")},
    Unit{"workload.slo_percentile", QT_TRANSLATE_NOOP("ScenarioView", "%")},
    Unit{"plan.speculative.draft_tokens", QT_TRANSLATE_NOOP("ScenarioView", "tokens")},
    Unit{"plan.kv_block", QT_TRANSLATE_NOOP("ScenarioView", "tokens")},
    Unit{"plan.disaggregated.prefill.workers", QT_TRANSLATE_NOOP("ScenarioView", "replicas")},
    Unit{"plan.disaggregated.decode.workers", QT_TRANSLATE_NOOP("ScenarioView", "replicas")},
    Unit{"plan.disaggregated.prefill.max_batch", QT_TRANSLATE_NOOP("ScenarioView", "requests")},
    Unit{"plan.disaggregated.decode.max_batch", QT_TRANSLATE_NOOP("ScenarioView", "requests")},
    Unit{"plan.max_batch", QT_TRANSLATE_NOOP("ScenarioView", "requests")},
    Unit{"plan.chunk_tokens", QT_TRANSLATE_NOOP("ScenarioView", "tokens")},
    Unit{"plan.kv_block", QT_TRANSLATE_NOOP("ScenarioView", "tokens")},
};

bool hasValue(const Field& field, const ScenarioSpec& spec) {
    return !std::holds_alternative<std::monostate>(field.get(spec));
}

const Architecture* architectureOf(const ScenarioSpec& spec, const Catalog& catalog) {
    if (spec.workload.architecture)
        return &*spec.workload.architecture;
    return spec.workload.model ? catalog.model(*spec.workload.model) : nullptr;
}

bool hasExperts(const ScenarioSpec& spec, const Catalog& catalog) {
    const Architecture* architecture = architectureOf(spec, catalog);
    return architecture != nullptr && architecture->moe.has_value();
}

/// Fields that mean something only beside others of a plan; the value of others is no answer.
bool planFieldApplies(std::string_view path, const ScenarioSpec& spec, const Catalog& catalog) {
    const PlanSpec& plan = spec.plan;
    const auto isOneOf = [path](std::initializer_list<std::string_view> paths) {
        return std::ranges::find(paths, path) != paths.end();
    };
    if (isOneOf({"plan.sequence_parallel", "plan.overlap.tensor"}))
        return plan.tensorParallel.value_or(1) > 1;
    if (isOneOf({"plan.virtual_pipeline", "plan.schedule", "plan.pipeline_split", "plan.overlap.pipeline"}))
        return plan.pipelineParallel.value_or(1) > 1;
    // Where prefill and decode are apart, each pool has degrees of its own.
    const DisaggregatedSpec& apart = plan.disaggregated;
    if ((apart.prefill.workers || apart.decode.workers) &&
        isOneOf({"plan.tensor_parallel", "plan.pipeline_parallel", "plan.expert_parallel",
                 "plan.attention_data_parallel"}))
        return false;
    if (isOneOf({"plan.expert_parallel", "plan.expert_tensor_parallel", "plan.expert_imbalance",
                 "plan.overlap.expert", "plan.capacity_factor", "plan.node_limit"}))
        return hasExperts(spec, catalog);
    if (path == "plan.speculative.acceptance")
        return plan.speculative.draftTokens.has_value();
    if (path == "plan.shard_size")
        return plan.sharding == "hsdp";
    if (path == "plan.fp8_recipe")
        return plan.precision == "fp8";
    if (path == "plan.context_parallel_kind")
        return plan.contextParallel.value_or(1) > 1;
    return true;
}

bool isCustom(const CustomClusterSpec& custom) {
    return custom.gpu || custom.gpusPerNode || custom.nvlinkDomain || custom.network ||
           custom.memoryBytesPerGpu || custom.nvlinkBytesPerSPerGpuPerDirection ||
           custom.networkBytesPerSPerGpuPerDirection;
}

} // namespace

FieldPlace placeOf(const Field& field) {
    const auto common = std::ranges::find(commonFields, field.path, &Common::path);
    if (common != commonFields.end())
        return {common->group, static_cast<int>(common - commonFields.begin()), true};
    if (field.path == "workload.finetune.kind") { // behind "More", but above its rank and targets
        const auto rank = std::ranges::find(commonFields, "workload.finetune.rank", &Common::path);
        return {EditorGroup::workload, static_cast<int>(rank - commonFields.begin()), false};
    }
    if (field.path.starts_with("plan.speculative."))
        return {EditorGroup::speculation, moreRank, false};
    if (field.path.starts_with("plan.disaggregated.prefill."))
        return {EditorGroup::prefillPool, moreRank, false};
    if (field.path.starts_with("plan.disaggregated."))
        return {EditorGroup::decodePool, moreRank, false};
    if (field.path == "name" || field.path.starts_with("workload."))
        return {EditorGroup::workload, moreRank, false};
    if (field.path.starts_with("cluster."))
        return {EditorGroup::cluster, moreRank, false};
    return {EditorGroup::plan, moreRank, false};
}

bool appliesNow(const Field& field, const ScenarioSpec& spec, const Catalog& catalog) {
    const bool serving = spec.workload.kind == "serving";
    if (field.appliesTo == (serving ? AppliesTo::training : AppliesTo::serving))
        return false;
    if (hasValue(field, spec))
        return true;
    const std::string_view path = field.path;
    const bool custom = isCustom(spec.cluster.custom);
    const auto inGroup = [path](std::string_view prefix) { return path.starts_with(prefix); };
    if (path == "workload.finetune.rank" || path == "workload.finetune.targets")
        return spec.workload.finetune.kind == "lora";
    if (path == "workload.concurrency")
        return !spec.workload.requestRatePerS;
    if (path == "workload.request_rate_per_s" || path == "workload.arrival_cv")
        return spec.workload.requestRatePerS.has_value();
    if (path == "cluster.instance")
        return !spec.cluster.ultraserver && !custom;
    if (path == "cluster.instances")
        return !spec.cluster.ultraserver;
    if (path == "cluster.ultraserver" || path == "cluster.ultraservers")
        return spec.cluster.ultraserver.has_value();
    if (inGroup("cluster.custom."))
        return custom;
    if (path == "cluster.dollars_per_instance_hour")
        return spec.cluster.purchase == "custom";
    return planFieldApplies(path, spec, catalog);
}

bool choiceApplies(const Field& field, std::string_view word, const ScenarioSpec& spec,
                   const Catalog& catalog) {
    const Architecture* architecture = architectureOf(spec, catalog);
    if (field.path != "plan.recompute" || architecture == nullptr)
        return true;
    const auto isOneOf = [word](std::initializer_list<std::string_view> known) {
        return std::ranges::find(known, word) != known.end();
    };
    if (isOneOf({"moe", "moe_act"}))
        return architecture->moe.has_value();
    if (word == "shared_experts")
        return architecture->moe && architecture->moe->sharedExperts > 0;
    if (word == "mla_up_proj")
        return architecture->mla.has_value();
    if (word == "glu")
        return architecture->ffnGated && architecture->ffnIntermediateSize > 0;
    return word != "mlp" || architecture->ffnIntermediateSize > 0;
}

QString choiceText(std::string_view word) {
    const char* name = choiceName(word);
    return name == nullptr ? text(word) : EditorTexts::tr(name);
}

QString unitOf(const Field& field) {
    const auto found = std::ranges::find(units, field.path, &Unit::path);
    return found == units.end() ? QString() : EditorTexts::tr(found->text);
}

} // namespace alidade::views
