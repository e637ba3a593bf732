// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/scenario/resolve_parts.h"
#include "model/topology/rank_layout.h"
#include "model/training/step_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alidade::resolving {

namespace {

constexpr LayoutFields scheduleFields = layoutFieldBit("plan.schedule") |
                                        layoutFieldBit("plan.virtual_pipeline") |
                                        layoutFieldBit("plan.pipeline_parallel");

/// Evenly distributed layers of each virtual stage, in the order of the model.
struct Deal {
    std::vector<int> virtualStages;
    bool placeholders = false;
};

Deal dealEvenly(int layers, int slots, int predictions) {
    Deal out;
    out.virtualStages.assign(static_cast<std::size_t>(slots), layers / slots);
    if (layers % slots == 0)
        return out;
    // Embedding, head and prediction modules each take the place of a layer (Llama 3 paper, section 3.3.2;
    // Megatron-Core's account-for-embedding and account-for-loss options, DeepSeek-V3's layouts).
    const int placed = layers + 2 + predictions, each = placed / slots;
    if (placed % slots == 0 && slots > 1 && each > predictions) {
        out.placeholders = true;
        std::fill(out.virtualStages.begin(), out.virtualStages.end(), each);
        out.virtualStages.front() -= 1;
        out.virtualStages.back() -= 1 + predictions;
        return out;
    }
    for (int i = 0; i < slots; ++i) {
        const auto boundary = [&](int k) {
            return static_cast<int>(std::nearbyint(1.0 * k * layers / slots));
        };
        out.virtualStages[static_cast<std::size_t>(i)] = boundary(i + 1) - boundary(i);
    }
    return out;
}

/// Returns the virtual stages of an explicit split: the layers of each stage spread as evenly as possible
/// over its chunks.
std::vector<int> virtualStagesOf(const TrainingPlan& plan, const std::vector<int>& stages, const Deal& even) {
    const int p = plan.pipelineParallel, chunks = chunksPerStage(plan), slots = p * chunks;
    std::vector<int> byDevice(static_cast<std::size_t>(p), 0);
    for (int i = 0; i < slots; ++i) {
        byDevice[static_cast<std::size_t>(pipelineDevice(plan.schedule, p, i))] +=
            even.virtualStages[static_cast<std::size_t>(i)];
    }
    if (byDevice == stages)
        return even.virtualStages; // an explicit even split means the same
    std::vector<int> out(static_cast<std::size_t>(slots), 0), given(static_cast<std::size_t>(p), 0);
    for (int i = 0; i < slots; ++i) {
        const auto device = static_cast<std::size_t>(pipelineDevice(plan.schedule, p, i));
        const int chunk = given[device]++;
        out[static_cast<std::size_t>(i)] =
            stages[device] * (chunk + 1) / chunks - stages[device] * chunk / chunks;
    }
    return out;
}

void countKinds(TrainingPlan& plan, const LayerKinds& kinds, const std::vector<int>& virtualStages) {
    const auto p = static_cast<std::size_t>(plan.pipelineParallel);
    plan.stageLayers.assign(p, 0);
    plan.stageKinds.assign(p, {});
    plan.virtualStageKinds.assign(virtualStages.size(), {});
    std::size_t layer = 0;
    for (std::size_t i = 0; i < virtualStages.size(); ++i) {
        const auto device = static_cast<std::size_t>(
            pipelineDevice(plan.schedule, plan.pipelineParallel, static_cast<int>(i)));
        for (int n = 0; n < virtualStages[i] && layer < kinds.ofLayer.size(); ++n, ++layer) {
            const std::uint8_t kind = kinds.ofLayer[layer];
            ++plan.virtualStageKinds[i][kind];
            ++plan.stageKinds[device][kind];
            ++plan.stageLayers[device];
        }
    }
}

bool isOf(const StageKey& key, const TrainingPlan& plan, const PlanSpec& filled) {
    return key.stages == plan.pipelineParallel && key.chunks == chunksPerStage(plan) &&
           key.schedule == plan.schedule && key.split == filled.pipelineSplit;
}

void resolveStages(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    TrainingPlan& plan = context.out.plan;
    const Architecture& model = context.out.model;
    const int p = plan.pipelineParallel;
    if (!context.layerKinds) {
        context.layerKinds =
            layerKinds(model, static_cast<std::int64_t>(context.out.inputs[Input::sequenceLength]));
    }
    const LayerKinds& kinds = *context.layerKinds;
    if (!context.layoutOnly) {
        plan.kinds = kinds.kinds;
        plan.prediction = kinds.prediction;
    }
    if (plan.kinds.size() > mostLayerKinds) {
        notModeled(context, "workload.model",
                   context.out.modelName + " has more than " + std::to_string(mostLayerKinds) +
                       " kinds of decoder layers");
        return;
    }
    if (p > static_cast<int>(mostStages) || p * chunksPerStage(plan) > 65'536) {
        plan.stageLayers.clear();
        context.stagesOf.reset();
        return;
    }
    if (context.layoutOnly && context.stagesOf && isOf(*context.stagesOf, plan, filled))
        return;
    context.stagesOf = StageKey{p, chunksPerStage(plan), plan.schedule, filled.pipelineSplit};
    const Deal even = dealEvenly(model.layers, p * chunksPerStage(plan), model.mtpLayers);
    std::vector<int> virtualStages = even.virtualStages;
    if (filled.pipelineSplit) {
        std::vector<int> written(filled.pipelineSplit->begin(), filled.pipelineSplit->end());
        if (static_cast<int>(written.size()) != p ||
            std::accumulate(written.begin(), written.end(), 0) != model.layers ||
            std::ranges::any_of(written, [](int n) { return n < 0; })) {
            plan.stageLayers.clear(); // the legality rules report the problem
            return;
        }
        virtualStages = virtualStagesOf(plan, written, even);
    }
    plan.placeholders = even.placeholders && virtualStages == even.virtualStages;
    countKinds(plan, kinds, virtualStages);
    if (!context.layoutOnly && (p > 1 || plan.virtualPipeline > 1))
        filled.pipelineSplit = std::vector<std::int64_t>(plan.stageLayers.begin(), plan.stageLayers.end());
}

} // namespace

void resolveSchedule(Context& context) {
    context.decidedBy |= scheduleFields;
    PlanSpec& filled = context.out.spec.plan;
    TrainingPlan& plan = context.out.plan;
    if (!filled.schedule)
        filled.schedule = plan.virtualPipeline > 1 ? "interleaved" : "1f1b";
    const std::string_view word = *filled.schedule;
    plan.schedule = read(context, scheduleWords, "plan.schedule", word, plan.schedule);
    if (plan.pipelineParallel == 1 && plan.schedule != PipelineSchedule::gpipe)
        plan.schedule = PipelineSchedule::oneForwardOneBackward; // a single stage needs no schedule
    if (plan.schedule == PipelineSchedule::interleaved && plan.virtualPipeline == 1)
        plan.schedule = PipelineSchedule::oneForwardOneBackward;
    if (plan.virtualPipeline > 1 && word != "interleaved") {
        illegal(context, "plan.virtual_pipeline",
                "Virtual chunks need the interleaved schedule, not " + std::string(word));
    }
    if (plan.virtualPipeline > 1 && plan.pipelineParallel == 1)
        illegal(context, "plan.virtual_pipeline", "Virtual chunks need a pipeline of at least two stages");
}

namespace {

/// Returns the GPUs of a job in each NVLink domain. Launchers assign equal blocks of whole nodes, so that
/// groups do not straddle domains (64 of the 72 GPUs of a rack for a job of 256). This is the largest block
/// that divides the job evenly.
int gpusPerDomain(const Context& context, std::int64_t gpus) {
    const int domain = context.out.nvlinkDomain, node = context.gpusPerNode;
    const auto domains = context.out.spec.cluster.ultraserver
                             ? static_cast<std::int64_t>(context.out.inputs[Input::paidItems])
                             : gpus;
    for (int block = domain; gpus > domain && block >= node; --block)
        if (gpus % block == 0 && block % node == 0 && gpus / block <= domains)
            return block;
    return domain;
}

GroupKey groupKey(const Context& context) {
    const TrainingPlan& plan = context.out.plan;
    const auto of = [&](Input input) { return static_cast<std::int64_t>(context.out.inputs[input]); };
    return {plan.tensorParallel,
            plan.contextParallel,
            plan.pipelineParallel,
            plan.dataParallel,
            plan.expertParallel,
            plan.expertTensorParallel,
            plan.expertDataParallel,
            of(Input::gpus),
            of(Input::shardRanks),
            of(Input::expertShardRanks),
            static_cast<int>(plan.contextKind)};
}

void resolveGroups(Context& context) {
    TrainingPlan& plan = context.out.plan;
    const bool keeps = context.layoutOnly && !context.fabric; // placing them has facts to tell
    if (keeps && context.groupsOf == groupKey(context))
        return;
    context.groupsOf = groupKey(context);
    const auto gpus = static_cast<std::int64_t>(context.out.inputs[Input::gpus]);
    const int domain = gpusPerDomain(context, gpus);
    const RankStrides strides = rankStrides({.tensor = plan.tensorParallel,
                                             .context = plan.contextParallel,
                                             .data = plan.dataParallel,
                                             .pipeline = plan.pipelineParallel,
                                             .expertTensor = plan.expertTensorParallel,
                                             .expert = plan.expertParallel,
                                             .expertData = plan.expertDataParallel},
                                            *context.out.spec.cluster.rankOrder);
    const auto group = [&](std::int64_t ranks, std::int64_t stride) {
        return stridedGroup(static_cast<int>(ranks), stride, context.gpusPerNode, domain, gpus);
    };
    // Gradients of dense layers are reduced over context and data ranks together.
    const std::int64_t replicas = std::int64_t{plan.dataParallel} * plan.contextParallel;
    const std::int64_t stride =
        plan.contextParallel > 1 ? std::min(strides.context, strides.data) : strides.data;
    const auto shard = static_cast<std::int64_t>(context.out.inputs[Input::shardRanks]);
    plan.tensorGroup = group(plan.tensorParallel, strides.tensor);
    plan.contextGroup = group(plan.contextParallel, strides.context);
    plan.dataGroup = group(replicas, stride);
    plan.shardGroup = group(shard, stride);
    plan.replicaGroup = group(replicas / std::max<std::int64_t>(1, shard), stride * shard);
    plan.pipelineGroup = group(plan.pipelineParallel, strides.pipeline);
    plan.expertGroup = group(plan.expertParallel, strides.expert);
    plan.expertTensorGroup = group(plan.expertTensorParallel, strides.expertTensor);
    plan.expertDataGroup =
        group(static_cast<std::int64_t>(context.out.inputs[Input::expertShardRanks]), strides.expertData);
    placeTraining(context);
    // If gradients are reduced while the backward pass still exchanges tokens, each gets half the rate of the
    // network cards that both use (gradient_sync.h).
    const bool exchanges = plan.expertParallel > 1 && !plan.expertGroup.insideOneDomain();
    if (exchanges) {
        for (GroupShape* each :
             {&plan.dataGroup, &plan.shardGroup, &plan.replicaGroup, &plan.expertDataGroup}) {
            each->sharers = each->insideOneDomain() ? 1 : 2;
        }
    }
}

} // namespace

void resolveLayout(Context& context) {
    resolveStages(context);
    resolveGroups(context);
}

} // namespace alidade::resolving
