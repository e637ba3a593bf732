// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/field_conditions.h"

#include "model/catalog/catalog.h"
#include "model/scenario/fields.h"

#include <algorithm>

namespace alidade {

namespace {

const Architecture* architectureOf(const ScenarioSpec& spec, const Catalog& catalog) {
    if (spec.workload.architecture) {
        return &*spec.workload.architecture;
    }
    return spec.workload.model ? catalog.model(*spec.workload.model) : nullptr;
}

} // namespace

namespace fields {

bool trainsLora(const ScenarioSpec& spec, const Catalog&) { return spec.workload.finetune.kind == "lora"; }

bool isClosedLoop(const ScenarioSpec& spec, const Catalog&) { return !spec.workload.requestRatePerS; }

bool isOpenLoop(const ScenarioSpec& spec, const Catalog&) {
    return spec.workload.requestRatePerS.has_value();
}

bool rentsInstances(const ScenarioSpec& spec, const Catalog& catalog) {
    return !spec.cluster.ultraserver && !describesMachine(spec, catalog);
}

bool countsInstances(const ScenarioSpec& spec, const Catalog&) { return !spec.cluster.ultraserver; }

bool rentsUltraservers(const ScenarioSpec& spec, const Catalog&) {
    return spec.cluster.ultraserver.has_value();
}

bool describesMachine(const ScenarioSpec& spec, const Catalog&) {
    const CustomClusterSpec& custom = spec.cluster.custom;
    return custom.gpu || custom.gpusPerNode || custom.nvlinkDomain || custom.network ||
           custom.memoryBytesPerGpu || custom.nvlinkBytesPerSPerGpuPerDirection ||
           custom.networkBytesPerSPerGpuPerDirection;
}

bool hasCustomPrice(const ScenarioSpec& spec, const Catalog&) { return spec.cluster.purchase == "custom"; }

bool isSplitByTensor(const ScenarioSpec& spec, const Catalog&) {
    return spec.plan.tensorParallel.value_or(1) > 1;
}

bool splitsSequences(const ScenarioSpec& spec, const Catalog&) {
    return spec.plan.contextParallel.value_or(1) > 1;
}

bool hasStages(const ScenarioSpec& spec, const Catalog&) {
    return spec.plan.pipelineParallel.value_or(1) > 1;
}

bool hasExperts(const ScenarioSpec& spec, const Catalog& catalog) {
    const Architecture* architecture = architectureOf(spec, catalog);
    return architecture != nullptr && architecture->moe.has_value();
}

bool isOneFleet(const ScenarioSpec& spec, const Catalog&) {
    return !spec.plan.disaggregated.prefill.workers && !spec.plan.disaggregated.decode.workers;
}

bool isOneFleetWithExperts(const ScenarioSpec& spec, const Catalog& catalog) {
    return isOneFleet(spec, catalog) && hasExperts(spec, catalog);
}

bool speculates(const ScenarioSpec& spec, const Catalog&) {
    return spec.plan.speculative.draftTokens.has_value();
}

bool shardsInGroups(const ScenarioSpec& spec, const Catalog&) { return spec.plan.sharding == "hsdp"; }

bool computesInFp8(const ScenarioSpec& spec, const Catalog&) { return spec.plan.precision == "fp8"; }

} // namespace fields

bool fieldApplies(const Field& field, const ScenarioSpec& spec, const Catalog& catalog) {
    if (field.appliesTo == (spec.workload.isServing() ? AppliesTo::training : AppliesTo::serving)) {
        return false;
    }
    return field.when == nullptr || !std::holds_alternative<std::monostate>(field.get(spec)) ||
           field.when(spec, catalog);
}

bool choiceApplies(const Field& field, std::string_view word, const ScenarioSpec& spec,
                   const Catalog& catalog) {
    const Architecture* architecture = architectureOf(spec, catalog);
    if (field.path != "plan.recompute" || architecture == nullptr) {
        return true;
    }
    if (word == "moe" || word == "moe_act") {
        return architecture->moe.has_value();
    }
    if (word == "shared_experts") {
        return architecture->moe && architecture->moe->sharedExperts > 0;
    }
    if (word == "mla_up_proj") {
        return architecture->mla.has_value();
    }
    if (word == "glu") {
        return architecture->ffnGated && architecture->ffnIntermediateSize > 0;
    }
    return word != "mlp" || architecture->ffnIntermediateSize > 0;
}

} // namespace alidade
