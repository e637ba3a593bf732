// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/scenario/fields.h"
#include "model/scenario/resolve_parts.h"
#include "model/training/step_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alidade::resolving {

namespace {

/// Fills the fields that the scenario leaves out with the framework's defaults.
std::string applyFramework(Context& context) {
    ScenarioSpec& filled = context.out.spec;
    filled.plan.framework = context.spec.plan.framework.value_or("megatron-core");
    context.framework = context.catalog.framework(*filled.plan.framework);
    if (!context.framework) {
        std::vector<std::string> ids;
        for (const Framework& framework : context.catalog.frameworks) {
            ids.push_back(framework.id);
        }
        const std::string near = nearestName(*filled.plan.framework, ids);
        return "/plan/framework: there is no framework '" + *filled.plan.framework + "' in the catalog" +
               (near.empty() ? "" : "; the nearest is '" + near + "'");
    }
    for (const auto& [path, text] : context.framework->defaults) {
        const Field* field = findField(path);
        if (!field || !std::holds_alternative<std::monostate>(field->get(filled))) {
            continue;
        }
        if (const auto value = parseField(*field, text)) {
            field->set(filled, *value);
        }
    }
    return {};
}

std::string originOf(const Context& context, bool written) {
    return written ? "scenario" : "default of " + context.framework->name;
}

void resolveDegrees(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    const PlanSpec& written = context.spec.plan;
    TrainingPlan& plan = context.out.plan;
    const auto degree = [&](std::optional<std::int64_t>& field, std::int64_t fallback) {
        field = field.value_or(fallback);
        return static_cast<int>(*field);
    };
    plan.tensorParallel = degree(filled.tensorParallel, 1);
    plan.pipelineParallel = degree(filled.pipelineParallel, 1);
    plan.virtualPipeline = degree(filled.virtualPipeline, 1);
    plan.microBatch = degree(filled.microBatch, 1);
    const std::int64_t replica = std::int64_t{plan.tensorParallel} * plan.pipelineParallel;
    const std::int64_t gpus = context.gpusAvailable;
    plan.dataParallel = degree(filled.dataParallel, std::max<std::int64_t>(1, gpus / replica));
    const std::int64_t used = replica * plan.dataParallel;
    const auto user = [&](bool isWritten) { return isWritten ? SourceKind::user : SourceKind::assumed; };
    const auto put = [&](Input input, double value, bool isWritten) {
        set(context, input, value, originOf(context, isWritten), user(isWritten));
    };
    put(Input::tensorParallel, plan.tensorParallel, written.tensorParallel.has_value());
    put(Input::pipelineParallel, plan.pipelineParallel, written.pipelineParallel.has_value());
    put(Input::virtualPipeline, plan.virtualPipeline, written.virtualPipeline.has_value());
    put(Input::microBatch, plan.microBatch, written.microBatch.has_value());
    set(context, Input::dataParallel, plan.dataParallel,
        written.dataParallel ? "scenario" : "GPUs / (tensor x pipeline)", SourceKind::derived);
    set(context, Input::gpus, static_cast<double>(std::min(used, gpus)), "tensor x pipeline x data",
        SourceKind::derived);
    if (replica > gpus) {
        illegal(context, "plan.tensor_parallel",
                "Tensor " + std::to_string(plan.tensorParallel) + " x pipeline " +
                    std::to_string(plan.pipelineParallel) + " needs " + formatCount(replica) +
                    " GPUs for one replica; the cluster has " + formatCount(gpus));
    } else if (used > gpus) {
        illegal(context, "plan.data_parallel",
                "The degrees multiply to " + formatCount(used) + " GPUs; the cluster has " +
                    formatCount(gpus));
    } else if (!written.dataParallel && used != gpus) {
        illegal(context, "plan.tensor_parallel",
                "Tensor " + std::to_string(plan.tensorParallel) + " x pipeline " +
                    std::to_string(plan.pipelineParallel) + " does not divide the " + formatCount(gpus) +
                    " GPUs; set the degrees so that it does, or give data_parallel and leave GPUs idle");
    } else if (used < gpus) {
        warn(context, "plan.data_parallel", formatCount(gpus - used) + " GPUs are idle, but paid for");
    }
    context.out.spec.cluster.gpus = used <= gpus ? used : gpus;
}

/// Decoder layers of each stage, dealt evenly; empty where they cannot be dealt out.
std::vector<int> dealEvenly(const Context& context, bool& embeddingsAsLayers) {
    const TrainingPlan& plan = context.out.plan;
    const int p = plan.pipelineParallel, slots = p * plan.virtualPipeline, layers = context.out.model.layers;
    embeddingsAsLayers = false;
    if (p > static_cast<int>(mostStages)) {
        return {};
    }
    std::vector<int> out(static_cast<std::size_t>(p), layers / p);
    if (layers % slots == 0) {
        return out;
    }
    if ((layers + 2) % slots == 0 && p > 1) {
        // Embedding and head each take the place of a layer (Llama 3 paper, section 3.3.2; Megatron-Core's
        // account-for-embedding and account-for-loss options).
        embeddingsAsLayers = true;
        std::fill(out.begin(), out.end(), (layers + 2) / p);
        --out.front();
        --out.back();
        return out;
    }
    if (plan.virtualPipeline > 1) {
        return {};
    }
    for (int i = 0; i < p; ++i) {
        const auto boundary = [&](int k) { return static_cast<int>(std::nearbyint(1.0 * k * layers / p)); };
        out[static_cast<std::size_t>(i)] = boundary(i + 1) - boundary(i);
    }
    return out;
}

/// Decoder layers of each stage as the plan says, else dealt evenly. An even deal that is written out is
/// still one, so that a scenario with everything filled in means the same.
std::vector<int> dealLayers(const Context& context, bool& embeddingsAsLayers) {
    std::vector<int> even = dealEvenly(context, embeddingsAsLayers);
    const auto& split = context.out.spec.plan.pipelineSplit;
    if (!split) {
        return even;
    }
    std::vector<int> written(split->begin(), split->end());
    embeddingsAsLayers = embeddingsAsLayers && written == even;
    return written;
}

void resolveSchedule(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    TrainingPlan& plan = context.out.plan;
    const std::string word = filled.schedule.value_or(plan.virtualPipeline > 1 ? "interleaved" : "1f1b");
    filled.schedule = word;
    if (word == "gpipe") {
        plan.schedule = PipelineSchedule::gpipe;
    } else if (word == "1f1b") {
        plan.schedule = PipelineSchedule::oneForwardOneBackward;
    } else if (word == "interleaved") {
        plan.schedule = plan.virtualPipeline > 1 ? PipelineSchedule::interleaved
                                                 : PipelineSchedule::oneForwardOneBackward;
    } else {
        notModelled(context, "plan.schedule",
                    "The schedule " + word + " is not modelled yet; set it to 1f1b or interleaved");
    }
    if (plan.virtualPipeline > 1 && word != "interleaved") {
        illegal(context, "plan.virtual_pipeline",
                "Virtual chunks need the interleaved schedule, not " + word);
    }
    if (plan.virtualPipeline > 1 && plan.pipelineParallel == 1) {
        illegal(context, "plan.virtual_pipeline", "Virtual chunks need a pipeline of at least two stages");
    }
    plan.stageLayers = dealLayers(context, plan.embeddingsAsLayers);
    if (plan.pipelineParallel > 1 || plan.virtualPipeline > 1) {
        filled.pipelineSplit = std::vector<std::int64_t>(plan.stageLayers.begin(), plan.stageLayers.end());
    }
}

void resolveSharding(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    const std::string word = filled.sharding.value_or("zero1");
    filled.sharding = word;
    if (word == "none" || word == "zero1") {
        context.out.plan.sharding = word == "none" ? Sharding::none : Sharding::zero1;
    } else {
        notModelled(context, "plan.sharding",
                    "The sharding " + word + " is not modelled yet; set it to zero1 or none");
    }
}

void resolvePrecision(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    const Gpu& gpu = *context.gpu;
    const std::string word = filled.precision.value_or(gpu.bf16 ? "bf16" : "fp16");
    filled.precision = word;
    if (word == "mxfp8" || word == "nvfp4") {
        notModelled(context, "plan.precision",
                    "The precision " + word + " is not modelled yet; set it to bf16 or fp8");
        return;
    }
    context.out.plan.precision = word == "fp16"  ? Precision::fp16
                                 : word == "fp8" ? Precision::fp8
                                                 : Precision::bf16;
    const auto peak = gpu.peak(context.out.plan.precision);
    if (!peak) {
        illegal(context, "plan.precision", gpu.name + " has no " + word + " matrix units");
        return;
    }
    set(context, Input::peak, peak->si(),
        gpu.id + ": " + citation(gpu.provenance, "dense_" + word + "_tflops"), SourceKind::catalog);
}

void resolveRecompute(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    TrainingPlan& plan = context.out.plan;
    filled.recompute = filled.recompute.value_or(std::vector<std::string>{"none"});
    for (const std::string& word : *filled.recompute) {
        plan.recomputeFull |= word == "full";
        plan.recomputeCore |= word == "selective" || word == "core_attention";
        plan.recomputeNorms |= word == "norms";
        plan.recomputeGlu |= word == "glu";
    }
    if (plan.recomputeGlu && !plan.gatedFfn) {
        warn(context, "plan.recompute",
             context.out.modelName + " has no gated MLP: recomputing its product saves nothing");
        plan.recomputeGlu = false;
    }
}

void resolveOverlap(Context& context) {
    OverlapSpec& filled = context.out.spec.plan.overlap;
    const OverlapSpec& written = context.spec.plan.overlap;
    filled.tensor = filled.tensor.value_or(0);
    filled.gradient = filled.gradient.value_or(0);
    const auto put = [&](Input input, double value, bool isWritten) {
        set(context, input, value,
            isWritten ? "scenario" : context.framework->name + " " + context.framework->version,
            isWritten   ? SourceKind::user
            : value > 0 ? SourceKind::fitted
                        : SourceKind::assumed);
    };
    put(Input::overlapTensor, *filled.tensor, written.tensor.has_value());
    put(Input::overlapGradient, *filled.gradient, written.gradient.has_value());
    if (const auto goodput = context.spec.plan.goodput) {
        set(context, Input::plannedGoodput, *goodput, "scenario", SourceKind::user);
        context.out.hasGoodput = true;
    }
}

/// Parts of the contract that later floors of the model will cover.
void refuseUnmodelled(Context& context) {
    const PlanSpec& plan = context.spec.plan;
    const auto above = [&](const std::optional<std::int64_t>& degree, std::string_view path,
                           std::string_view what) {
        if (degree.value_or(1) > 1) {
            notModelled(context, path, std::string(what) + " parallelism is not modelled yet; set it to 1");
        }
    };
    above(plan.contextParallel, "plan.context_parallel", "Context");
    above(plan.expertParallel, "plan.expert_parallel", "Expert");
    above(plan.expertTensorParallel, "plan.expert_tensor_parallel", "Expert tensor");
    if (plan.optimizer && *plan.optimizer != "adam") {
        notModelled(context, "plan.optimizer",
                    "The optimizer " + *plan.optimizer + " is not modelled yet; set it to adam");
    }
    if (plan.offload.optimizer.value_or(0) > 0 || plan.offload.activations.value_or(0) > 0) {
        notModelled(context, "plan.offload", "Offloading to host memory is not modelled yet; leave it out");
    }
    const auto noEffect = [&](bool written, std::string_view path) {
        if (written) {
            warn(context, path, "This field has no effect on a dense model yet; leave it out");
        }
    };
    noEffect(plan.overlap.pipeline.value_or(0) > 0, "plan.overlap.pipeline");
    noEffect(plan.overlap.expert.value_or(0) > 0, "plan.overlap.expert");
    noEffect(plan.fp8Recipe.has_value(), "plan.fp8_recipe");
    noEffect(plan.shardSize.has_value(), "plan.shard_size");
    noEffect(plan.capacityFactor.has_value(), "plan.capacity_factor");
    noEffect(plan.expertImbalance.has_value(), "plan.expert_imbalance");
    noEffect(plan.nodeLimit.has_value(), "plan.node_limit");
    context.out.spec.plan.optimizer = plan.optimizer.value_or("adam");
    context.out.spec.plan.contextParallel = plan.contextParallel.value_or(1);
}

} // namespace

std::string resolvePlan(Context& context) {
    if (std::string wrong = applyFramework(context); !wrong.empty()) {
        return wrong;
    }
    if (context.out.spec.workload.kind == "serving") {
        return {};
    }
    resolveDegrees(context);
    resolveSchedule(context);
    resolveSharding(context);
    resolvePrecision(context);
    resolveRecompute(context);
    resolveOverlap(context);
    refuseUnmodelled(context);

    TrainingPlan& plan = context.out.plan;
    context.out.spec.plan.sequenceParallel =
        context.out.spec.plan.sequenceParallel.value_or(plan.tensorParallel > 1);
    plan.sequenceParallel = *context.out.spec.plan.sequenceParallel && plan.tensorParallel > 1;
    context.out.spec.plan.sequenceParallel = plan.sequenceParallel;
    plan.nvlinkSharp = context.gpu->nvlinkSharp;
    const std::int64_t perReplica = std::int64_t{plan.dataParallel} * plan.microBatch;
    const auto batch = static_cast<std::int64_t>(context.out.inputs[Input::globalBatch]);
    plan.microbatches = std::max<std::int64_t>(1, batch / perReplica);
    const auto gpus = static_cast<std::int64_t>(context.out.inputs[Input::gpus]);
    const auto group = [&](int ranks, std::int64_t stride) {
        return stridedGroup(ranks, stride, context.gpusPerNode, context.out.nvlinkDomain, gpus);
    };
    plan.tensorGroup = group(plan.tensorParallel, 1);
    plan.dataGroup = group(plan.dataParallel, plan.tensorParallel);
    plan.pipelineGroup = group(plan.pipelineParallel, std::int64_t{plan.tensorParallel} * plan.dataParallel);
    return {};
}

} // namespace alidade::resolving
