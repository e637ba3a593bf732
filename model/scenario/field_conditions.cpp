// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/field_conditions.h"

#include "model/catalog/catalog.h"
#include "model/hardware/purchase.h"
#include "model/plan/recompute_words.h"
#include "model/scenario/fields.h"

#include <algorithm>

namespace alidade {

namespace {

const Architecture* architectureOf(const ScenarioSpec& spec, const Catalog& catalog) {
    if (spec.workload.architecture)
        return &*spec.workload.architecture;
    return spec.workload.model ? catalog.model(*spec.workload.model) : nullptr;
}

} // namespace

namespace fields {

bool trainsLora(const ScenarioSpec& spec, const Catalog&) {
    return spec.workload.finetune.kind == "lora" || spec.workload.finetune.kind == "qlora";
}

bool hasExamples(const ScenarioSpec& spec, const Catalog&) {
    return spec.workload.finetune.examples.has_value();
}

bool hasExampleLength(const ScenarioSpec& spec, const Catalog&) {
    return spec.workload.finetune.exampleTokens.has_value();
}

bool scoresByModel(const ScenarioSpec& spec, const Catalog&) {
    return spec.workload.reinforcement.reward.kind == "model";
}

bool scoresByRule(const ScenarioSpec& spec, const Catalog& catalog) { return !scoresByModel(spec, catalog); }

bool hasCritic(const ScenarioSpec& spec, const Catalog&) {
    return spec.workload.reinforcement.algorithm == "ppo";
}

bool hasTwoPools(const ScenarioSpec& spec, const Catalog&) {
    return spec.roles.read().placement.value_or("colocated") != "colocated";
}

bool isAsynchronous(const ScenarioSpec& spec, const Catalog&) {
    return spec.roles.read().placement == "async";
}

bool takesTurns(const ScenarioSpec& spec, const Catalog& catalog) { return !hasTwoPools(spec, catalog); }

bool isClosedLoop(const ScenarioSpec& spec, const Catalog&) { return !spec.workload.requestRatePerS; }

bool isOpenLoop(const ScenarioSpec& spec, const Catalog&) {
    return spec.workload.requestRatePerS.has_value();
}

bool selectsAnswers(const ScenarioSpec& spec, const Catalog&) {
    const auto& selection = spec.workload.testTime.selection;
    return selection && *selection != "none";
}

bool searchesBeams(const ScenarioSpec& spec, const Catalog&) {
    return spec.workload.testTime.selection == "beam_search";
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

bool hasCustomPrice(const ScenarioSpec& spec, const Catalog&) {
    return takesTypedRate(spec.cluster.purchase.value_or(""));
}

bool hasBase(const ScenarioSpec& spec, const Catalog&) { return spec.order.base.instances.value_or(0) > 0; }

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

bool belongsTo(AppliesTo which, const WorkloadSpec& workload) {
    if (which == AppliesTo::all)
        return true;
    if (workload.isReinforcement())
        return which == AppliesTo::reinforcement || which == AppliesTo::learning;
    return which == AppliesTo::both || (which == AppliesTo::learning && !workload.isServing()) ||
           which == (workload.isServing() ? AppliesTo::serving : AppliesTo::training);
}

std::string_view kindName(AppliesTo which) {
    switch (which) {
    case AppliesTo::both:
        return "training and serving";
    case AppliesTo::training:
        return "training";
    case AppliesTo::serving:
        return "serving";
    case AppliesTo::reinforcement:
        return "reinforcement learning";
    case AppliesTo::learning:
        return "training and reinforcement learning";
    case AppliesTo::all:
        break;
    }
    return "every workload";
}

std::string_view kindName(const WorkloadSpec& workload) {
    return kindName(workload.isReinforcement() ? AppliesTo::reinforcement
                    : workload.isServing()     ? AppliesTo::serving
                                               : AppliesTo::training);
}

bool fieldApplies(const Field& field, const ScenarioSpec& spec, const Catalog& catalog) {
    if (!belongsTo(field.appliesTo, spec.workload))
        return false;
    return field.when == nullptr || !std::holds_alternative<std::monostate>(field.get(spec)) ||
           field.when(spec, catalog);
}

bool choiceApplies(const Field& field, std::string_view word, const ScenarioSpec& spec,
                   const Catalog& catalog) {
    const Architecture* architecture = architectureOf(spec, catalog);
    if (field.path != "plan.recompute" || architecture == nullptr)
        return true;
    const RecomputeWord* known = findRecomputeWord(word);
    return known == nullptr || known->exists == nullptr || known->exists(*architecture);
}

} // namespace alidade
