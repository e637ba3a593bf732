// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/words.h"

#include "model/catalog/catalog.h"
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
    Common{"workload.model", EditorGroup::workload},
    Common{"workload.sequence_length", EditorGroup::workload},
    Common{"workload.global_batch", EditorGroup::workload},
    Common{"workload.tokens", EditorGroup::workload},
    Common{"workload.input_tokens", EditorGroup::workload},
    Common{"workload.output_tokens", EditorGroup::workload},
    Common{"workload.concurrency", EditorGroup::workload},
    Common{"workload.request_rate_per_s", EditorGroup::workload},
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
    Common{"plan.context_parallel", EditorGroup::plan},
    Common{"plan.expert_parallel", EditorGroup::plan},
    Common{"plan.attention_data_parallel", EditorGroup::plan},
    Common{"plan.data_parallel", EditorGroup::plan},
    Common{"plan.sharding", EditorGroup::plan},
    Common{"plan.micro_batch", EditorGroup::plan},
    Common{"plan.precision", EditorGroup::plan},
    Common{"plan.weights", EditorGroup::plan},
    Common{"plan.kv_cache", EditorGroup::plan},
    Common{"plan.max_batch", EditorGroup::plan},
    Common{"plan.optimizer", EditorGroup::plan},
    Common{"plan.recompute", EditorGroup::plan},
    Common{"plan.overlap.tensor", EditorGroup::plan},
    Common{"plan.framework", EditorGroup::machine},
    Common{"plan.engine", EditorGroup::machine},
    Common{"calibration", EditorGroup::machine},
    Common{"plan.goodput", EditorGroup::machine},
};

constexpr int moreRank = 1000;

struct Word {
    std::string_view word;
    const char* text;
};

constexpr std::array words = {
    Word{"training", QT_TRANSLATE_NOOP("ScenarioView", "Training")},
    Word{"serving", QT_TRANSLATE_NOOP("ScenarioView", "Serving")},
    Word{"none", QT_TRANSLATE_NOOP("ScenarioView", "None")},
    Word{"selective", QT_TRANSLATE_NOOP("ScenarioView", "Selective")},
    Word{"full", QT_TRANSLATE_NOOP("ScenarioView", "Full")},
    Word{"lora", "LoRA"},
    Word{"core_attention", QT_TRANSLATE_NOOP("ScenarioView", "Core attention")},
    Word{"norms", QT_TRANSLATE_NOOP("ScenarioView", "Norms")},
    Word{"glu", QT_TRANSLATE_NOOP("ScenarioView", "GLU product")},
    Word{"zero1", "ZeRO-1"},
    Word{"zero2", "ZeRO-2"},
    Word{"zero3", "ZeRO-3"},
    Word{"fsdp2", "FSDP2"},
    Word{"hsdp", "HSDP"},
    Word{"fp16", "FP16"},
    Word{"bf16", "BF16"},
    Word{"fp8", "FP8"},
    Word{"fp8_block", QT_TRANSLATE_NOOP("ScenarioView", "FP8, blocks")},
    Word{"mxfp8", "MXFP8"},
    Word{"mxfp4", "MXFP4"},
    Word{"nvfp4", "NVFP4"},
    Word{"int4", "INT4"},
    Word{"on_demand", QT_TRANSLATE_NOOP("ScenarioView", "On demand")},
    Word{"capacity_block", QT_TRANSLATE_NOOP("ScenarioView", "Capacity Block")},
    Word{"reserved", QT_TRANSLATE_NOOP("ScenarioView", "Reserved")},
    Word{"custom", QT_TRANSLATE_NOOP("ScenarioView", "Own price")},
    Word{"gpipe", "GPipe"},
    Word{"1f1b", "1F1B"},
    Word{"interleaved", QT_TRANSLATE_NOOP("ScenarioView", "Interleaved 1F1B")},
    Word{"zb-h1", "ZB-H1"},
    Word{"zb-v", "ZB-V"},
    Word{"dualpipe", "DualPipe"},
    Word{"dualpipe-v", "DualPipe-V"},
    Word{"ring", QT_TRANSLATE_NOOP("ScenarioView", "Ring")},
    Word{"all_gather", QT_TRANSLATE_NOOP("ScenarioView", "All-gather")},
    Word{"ulysses", "Ulysses"},
    Word{"efa2", "EFA v2"},
    Word{"efa3", "EFA v3"},
    Word{"efa4", "EFA v4"},
    Word{"efa", "EFA"},
    Word{"nvlink", "NVLink"},
    Word{"infiniband", "InfiniBand"},
    Word{"ethernet", "Ethernet"},
    Word{"packed", QT_TRANSLATE_NOOP("ScenarioView", "Packed")},
    Word{"sorted", QT_TRANSLATE_NOOP("ScenarioView", "Sorted")},
    Word{"adam", "Adam"},
    Word{"true", QT_TRANSLATE_NOOP("ScenarioView", "On")},
    Word{"false", QT_TRANSLATE_NOOP("ScenarioView", "Off")},
};

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
    Unit{"plan.shard_size", QT_TRANSLATE_NOOP("ScenarioView", "GPUs")},
    Unit{"plan.max_batch", QT_TRANSLATE_NOOP("ScenarioView", "requests")},
    Unit{"plan.chunk_tokens", QT_TRANSLATE_NOOP("ScenarioView", "tokens")},
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
    if (field.path == "name" || field.path.starts_with("workload."))
        return {EditorGroup::workload, moreRank, false};
    if (field.path.starts_with("cluster."))
        return {EditorGroup::cluster, moreRank, false};
    return {EditorGroup::plan, moreRank, false};
}

bool appliesNow(const Field& field, const ScenarioSpec& spec, const Catalog& catalog) {
    if (hasValue(field, spec))
        return true;
    const bool serving = spec.workload.kind == "serving";
    if (field.appliesTo == (serving ? AppliesTo::training : AppliesTo::serving))
        return false;
    const std::string_view path = field.path;
    const bool custom = isCustom(spec.cluster.custom);
    const auto inGroup = [path](std::string_view prefix) { return path.starts_with(prefix); };
    if (path == "workload.finetune.rank" || path == "workload.finetune.targets")
        return spec.workload.finetune.kind == "lora";
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
    if (path == "plan.shard_size")
        return spec.plan.sharding == "hsdp";
    if (path == "plan.fp8_recipe")
        return spec.plan.precision == "fp8" || spec.plan.precision == "mxfp8";
    if (path == "plan.context_parallel_kind")
        return spec.plan.contextParallel.value_or(1) > 1;
    if (inGroup("plan.expert_") || path == "plan.overlap.expert" || path == "plan.capacity_factor" ||
        path == "plan.node_limit")
        return hasExperts(spec, catalog);
    return true;
}

QString choiceText(std::string_view word) {
    const auto found = std::ranges::find(words, word, &Word::word);
    return found == words.end() ? text(word) : EditorTexts::tr(found->text);
}

QString unitOf(const Field& field) {
    const auto found = std::ranges::find(units, field.path, &Unit::path);
    return found == units.end() ? QString() : EditorTexts::tr(found->text);
}

} // namespace alidade::views
