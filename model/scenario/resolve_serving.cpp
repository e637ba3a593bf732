// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/plan/serving_weights.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/resolve_parts.h"
#include "model/serving/number_format.h"

#include <algorithm>
#include <cmath>

namespace alidade::resolving {

namespace {

ServingPlan& planOf(Context& context) { return context.out.pools.front().plan; }

/// Sets the architecture flags that training plans also have.
void setTraits(Context& context) {
    const Architecture& m = context.out.model;
    ServingPlan& plan = planOf(context);
    plan.gatedFfn = m.ffnGated;
    plan.latentAttention = m.mla.has_value();
    plan.queryCompressed = m.mla && m.mla->qLoraRank > 0;
    plan.attentionGate = m.attentionOutputGate;
    plan.fullHeadNorms = m.qkNorm == QkNorm::full;
    plan.norms = m.normsPerLayer;
    plan.latentExperts = m.moe && m.moe->latentSize > 0;
    plan.draftModule = m.mtpLayers > 0;
    plan.smallSinkHeads = m.attentionSinks && m.headDim <= 64;
    if (m.sparseIndexer) {
        plan.sparseTokens = m.sparseIndexer->topk;
        plan.sparseIndexHeads = m.sparseIndexer->heads;
        plan.sparseIndexDim = m.sparseIndexer->headDim;
    }
    const double longest = context.out.inputs[Input::inputTokens] + context.out.inputs[Input::outputTokens];
    plan.reducesInSwitch = context.framework && context.framework->reducesInSwitch;
    plan.cacheReadByQueryHead = context.framework && context.framework->decodesByQueryHead;
    Architecture seen;
    if (context.framework && context.framework->ignoresWindows && (m.slidingWindow || m.attentionChunk)) {
        seen = m;
        seen.slidingWindow = seen.attentionChunk = 0;
    }
    const LayerKinds kinds =
        layerKinds(seen.layers ? seen : m, static_cast<std::int64_t>(std::ceil(longest)));
    if (kinds.kinds.size() > mostLayerKinds) {
        notModeled(context, "workload.model",
                   context.out.modelName + " has more than " + std::to_string(mostLayerKinds) +
                       " kinds of decoder layers");
        return;
    }
    plan.kinds = kinds.kinds;
    plan.prediction = kinds.prediction;
    for (const std::uint8_t kind : kinds.ofLayer)
        ++plan.layersOfKind[kind];
}

void resolveServingDegrees(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    const PlanSpec& written = context.spec.plan;
    ServingPlan& plan = planOf(context);
    plan.tensorParallel = degree(filled.tensorParallel, 1);
    plan.pipelineParallel = degree(filled.pipelineParallel, 1);
    plan.attentionDataParallel = degree(filled.attentionDataParallel, 1);
    const std::int64_t replica = plan.replicaGpus(), gpus = context.gpusAvailable;
    const std::int64_t stage = replica / plan.pipelineParallel;
    if (context.out.model.moe) {
        // With attention data parallelism each expert is whole on one GPU; otherwise experts are split like
        // the MLP.
        plan.expertParallel = degree(filled.expertParallel, plan.attentionDataParallel > 1 ? stage : 1);
        plan.expertTensorParallel =
            static_cast<int>(std::max<std::int64_t>(1, stage / std::max(1, plan.expertParallel)));
    }
    plan.workers = degree(filled.dataParallel, std::max<std::int64_t>(1, gpus / replica));
    const std::int64_t used = replica * plan.workers;
    const auto put = [&](Input input, double value, const std::optional<std::int64_t>& field) {
        set(context, input, value, originOf(context, field.has_value()),
            field ? SourceKind::user : SourceKind::assumed);
    };
    put(Input::tensorParallel, plan.tensorParallel, written.tensorParallel);
    put(Input::pipelineParallel, plan.pipelineParallel, written.pipelineParallel);
    put(Input::attentionDataParallel, plan.attentionDataParallel, written.attentionDataParallel);
    put(Input::expertParallel, plan.expertParallel, written.expertParallel);
    set(context, Input::expertTensorParallel, plan.expertTensorParallel, "GPUs of a stage / expert parallel",
        SourceKind::derived);
    set(context, Input::workers, plan.workers,
        originOr(written.dataParallel.has_value(), "GPUs / (tensor x pipeline x attention data)"),
        SourceKind::derived);
    set(context, Input::gpus, static_cast<double>(std::min(used, gpus)), "GPUs of a replica x replicas",
        SourceKind::derived);
    const std::string degrees =
        "Tensor " + std::to_string(plan.tensorParallel) +
        (plan.pipelineParallel > 1 ? " x pipeline " + std::to_string(plan.pipelineParallel) : "") +
        (plan.attentionDataParallel > 1 ? " x attention data " + std::to_string(plan.attentionDataParallel)
                                        : "");
    if (replica > gpus) {
        illegal(context, "plan.tensor_parallel",
                degrees + " needs " + formatCount(replica) + " GPUs for one replica; the cluster has " +
                    formatCount(gpus));
    } else if (used > gpus) {
        illegal(context, "plan.data_parallel",
                "The degrees multiply to " + formatCount(used) + " GPUs; the cluster has " +
                    formatCount(gpus));
    } else if (used < gpus) {
        warn(context, "plan.data_parallel", formatCount(gpus - used) + " GPUs are idle but billed");
    }
    context.out.spec.cluster.gpus = used <= gpus ? used : gpus;
}

void resolveServingGroups(Context& context) {
    ServingPlan& plan = planOf(context);
    const std::int64_t gpus = std::int64_t{plan.replicaGpus()} * plan.workers;
    const auto group = [&](int ranks, std::int64_t stride) {
        return stridedGroup(ranks, stride, context.gpusPerNode, context.out.nvlinkDomain, gpus);
    };
    const int stage = plan.tensorParallel * plan.attentionDataParallel;
    plan.tensorGroup = group(plan.tensorParallel, 1);
    plan.expertGroup = group(stage, 1); // tokens come from all GPUs of the stage
    plan.pipelineGroup = group(plan.pipelineParallel, stage);
    placeServing(context);
    const Gpu& gpu = *context.gpu;
    const auto& families = context.framework->fusedReductions;
    plan.fusedReductions =
        context.out.model.moe && plan.attentionDataParallel == 1 && plan.tensorGroup.insideOneDomain() &&
        (gpu.architecture.starts_with("Hopper") || gpu.architecture.starts_with("Blackwell")) &&
        std::ranges::find(families, context.out.model.family) != families.end();
}

void resolveServingLimits(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    const PlanSpec& written = context.spec.plan;
    ServingPlan& plan = planOf(context);
    const auto put = [&](Input input, double value, bool own) {
        set(context, input, value, originOf(context, own), own ? SourceKind::user : SourceKind::assumed);
    };
    plan.mixedPrefill = *(filled.mixedPrefill = filled.mixedPrefill.value_or(true));
    plan.cudaGraphs = *(filled.cudaGraphs = filled.cudaGraphs.value_or(true));
    filled.tuning = filled.tuning.value_or("as_run");
    WorkloadSpec& workload = context.out.spec.workload;
    workload.sampling = workload.sampling.value_or(*filled.tuning == "vendor" ? "plain" : "top_p");
    plan.memoryShare = memoryShare(context.framework->memoryShare).value_or(MemoryShare::all);
    plan.reservesRequests = context.framework->cacheOfRequest == "whole";
    filled.memoryUtilization = filled.memoryUtilization.value_or(0.9);
    filled.chunkTokens = filled.chunkTokens.value_or(8192);
    filled.kvBlock = filled.kvBlock.value_or(16);
    put(Input::memoryUtilization, *filled.memoryUtilization, written.memoryUtilization.has_value());
    put(Input::chunkTokens, static_cast<double>(*filled.chunkTokens), written.chunkTokens.has_value());
    put(Input::kvBlock, static_cast<double>(*filled.kvBlock), written.kvBlock.has_value());
    put(Input::largestBatch, static_cast<double>(filled.maxBatch.value_or(0)), written.maxBatch.has_value());
    if (filled.kvOffloadBytes)
        put(Input::kvOffload, *filled.kvOffloadBytes, true);
    if (filled.weightsOffload)
        put(Input::weightsOffload, *filled.weightsOffload, true);
    if ((filled.kvOffloadBytes.value_or(0) > 0 || filled.weightsOffload.value_or(0) > 0) &&
        context.out.inputs[Input::hostBandwidth] <= 0) {
        illegal(context, "plan.weights_offload",
                "The catalog has no host link for this GPU; keep everything in GPU memory");
    }
    if (filled.speculative.draftTokens) {
        put(Input::draftTokens, static_cast<double>(*filled.speculative.draftTokens), true);
        put(Input::acceptance, filled.speculative.acceptance.value_or(0), true);
        if (!filled.speculative.acceptance) {
            illegal(context, "plan.speculative.acceptance",
                    "Speculative decoding needs an acceptance rate, for example 0.8");
        }
    }
}

/// What decode attention over latents multiplies in. Blackwell's kernels multiply an FP8 cache in FP8
/// (trtllm-gen in TensorRT-LLM, FlashInfer); on Hopper FlashMLA widens it to 16 bits.
void resolveLatentPeak(Context& context, NumberFormat cache) {
    if (!context.out.model.mla)
        return;
    const Gpu& gpu = *context.gpu;
    if (bitsOf(cache) == 8 && gpu.fp8 && gpu.fp4) {
        set(context, Input::latentPeak, gpu.fp8->si(), gpu.id + ": dense FP8 peak, the format of the cache",
            SourceKind::derived);
        return;
    }
    const InputOrigin plain = context.out.origins[static_cast<std::size_t>(Input::reportingPeak)];
    set(context, Input::latentPeak, context.out.inputs[Input::reportingPeak], plain.source, plain.kind);
}

/// Formats of weights, cache and arithmetic.
void resolveFormats(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    const PlanSpec& written = context.spec.plan;
    const Architecture& model = context.out.model;
    ServingPlan& plan = planOf(context);
    filled.weights = filled.weights.value_or(std::string(wordOf(nativeFormat(model))));
    filled.kvCache = filled.kvCache.value_or("bf16");
    const NumberFormat checkpoint = numberFormat(*filled.weights).value_or(NumberFormat::bf16);
    const auto cache = numberFormat(*filled.kvCache).value_or(NumberFormat::bf16);
    const auto activations =
        written.activations ? numberFormat(*written.activations) : std::optional<NumberFormat>();
    const WeightFormats formats = weightFormats(model, checkpoint);
    plan.denseFormat = wordOf(formats.dense);
    plan.expertFormat = wordOf(formats.experts);
    plan.narrowMlp = formats.mlp != formats.dense;
    plan.narrowOutput = formats.output != formats.dense;
    const SharedText source = originOr(written.weights.has_value(), "the model's published checkpoint");
    const auto put = [&](Input input, double value, const SharedText& from) {
        set(context, input, value, from, SourceKind::derived);
    };
    put(Input::denseWeightBytes, bytesPerWeight(formats.dense), source);
    put(Input::expertWeightBytes, bytesPerWeight(formats.experts), source);
    put(Input::kvElementBytes, elementBytes(cache), originOf(context, written.kvCache.has_value()));
    const auto arithmetic = [&](NumberFormat format, Input peak, Input operand) {
        const auto found = gemmArithmetic(format, activations, *context.gpu);
        if (!found) {
            notModeled(context, "cluster", "The catalog has no 16-bit peak for this GPU");
            return;
        }
        put(peak, found->peak.si(),
            context.gpu->id + ": dense peak in the compute format of the GEMMs (" +
                std::string(wordOf(found->format)) + ")");
        put(operand, found->operandBytes, "activation format for these weights");
    };
    const auto needsUnits = [&](NumberFormat format) {
        const auto found = gemmArithmetic(format, {}, *context.gpu);
        const auto& native = context.framework->nativeWeights;
        return found && found->weightOnly && std::ranges::find(native, wordOf(format)) != native.end();
    };
    if (needsUnits(checkpoint)) {
        illegal(context, "plan.weights",
                context.framework->name + " supports " + nameOfChoice("plan.weights", *filled.weights) +
                    " weights only on GPUs that multiply in that format, which " + context.gpu->name +
                    " does not; use BF16 or INT4, or an engine that converts them");
    }
    arithmetic(formats.dense, Input::peak, Input::denseOperandBytes);
    arithmetic(formats.experts, Input::expertPeak, Input::expertOperandBytes);
    plan.fusedExperts = model.moe && context.gpu->fp4 && context.out.inputs[Input::expertWeightBytes] < 1 &&
                        context.out.inputs[Input::expertOperandBytes] < 2;
    resolveLatentPeak(context, cache);
    const LayerKinds kinds = layerKinds(model, 1);
    const WeightPlacement<double> placement{.tensorParallel = 1.0 * plan.tensorParallel,
                                            .expertGpus =
                                                1.0 * plan.expertParallel * plan.expertTensorParallel,
                                            .denseBytes = bytesPerWeight(formats.dense),
                                            .expertBytes = bytesPerWeight(formats.experts)};
    plan.heaviest = heaviestStage(model, kinds, plan.pipelineParallel, placement,
                                  filled.speculative.draftTokens.value_or(0) > 0 ? model.mtpLayers : 0,
                                  expertPadding(model, formats.experts, plan.expertTensorParallel),
                                  {.mlp = plan.narrowMlp, .output = plan.narrowOutput});
}

} // namespace

std::string resolveServingWorkload(Context& context) {
    const WorkloadSpec& w = context.spec.workload;
    WorkloadSpec& filled = context.out.spec.workload;
    if (!w.inputTokens || !w.outputTokens) {
        return std::string("/workload/") + (w.inputTokens ? "output_tokens" : "input_tokens") +
               ": the request length is missing; set the mean, for example " +
               (w.inputTokens ? "300" : "2000");
    }
    if (w.concurrency.has_value() == w.requestRatePerS.has_value()) {
        return w.concurrency
                   ? "/workload/concurrency: both a concurrency and a request rate are set; keep one"
                   : "/workload/request_rate_per_s: the load is missing; set a request rate, or a "
                     "concurrency for a closed loop";
    }
    const auto put = [&](Input input, double value) {
        set(context, input, value, "scenario", SourceKind::user);
    };
    const auto orDefault = [&](Input input, std::optional<double>& field, double fallback) {
        set(context, input, field.value_or(fallback), originOr(field.has_value(), "default"),
            field ? SourceKind::user : SourceKind::assumed);
        field = field.value_or(fallback);
    };
    put(Input::inputTokens, *w.inputTokens);
    put(Input::outputTokens, *w.outputTokens);
    orDefault(Input::inputTokensCv, filled.inputTokensCv, 0);
    orDefault(Input::outputTokensCv, filled.outputTokensCv, 0);
    orDefault(Input::prefixCacheHit, filled.prefixCacheHit, 0);
    if (w.requestRatePerS) {
        put(Input::requestRate, *w.requestRatePerS);
        orDefault(Input::arrivalCv, filled.arrivalCv, 1);
    } else {
        put(Input::concurrency, *w.concurrency);
        // Detokenization, the server's event loop and the client take slightly different times per request,
        // so that equal requests do not stay in step. The model is insensitive to the value: from .003 to .03
        // the TTFT of published closed loops of equal lengths hardly changes.
        set(context, Input::loopJitter, 0.01, "assumed: server and client", SourceKind::assumed);
        // Arrivals at the second of two pools are random.
        set(context, Input::arrivalCv, 1, "closed loop", SourceKind::derived);
    }
    resolveSamples(context);
    if (w.ttftSloS || w.itlSloS)
        filled.sloPercentile = w.sloPercentile.value_or(90);
    filled.phase = w.phase.value_or("both");
    const double longest = *w.inputTokens + *w.outputTokens;
    if (context.out.model.maxContextTokens > 0 && longest > context.out.model.maxContextTokens) {
        warn(context, "workload.input_tokens",
             "Input and output exceed the " + formatCount(context.out.model.maxContextTokens) +
                 "-token context of " + context.out.modelName);
    }
    return {};
}

void resolveServingPlan(Context& context) {
    context.out.pools.assign(1, {});
    ServingPlan& plan = planOf(context);
    plan.phase =
        read(context, phaseWords, "workload.phase", *context.out.spec.workload.phase, ServingPhase::both);
    setTraits(context);
    resolveServingDegrees(context);
    resolveServingGroups(context);
    resolveServingLimits(context);
    resolveFormats(context);
    set(context, Input::expertImbalance, context.spec.plan.expertImbalance.value_or(1),
        originOf(context, context.spec.plan.expertImbalance.has_value()),
        context.spec.plan.expertImbalance ? SourceKind::user : SourceKind::assumed);
}

void checkServingLegality(Context& context) {
    const ServingPlan& plan = planOf(context);
    const Architecture& m = context.out.model;
    const int t = plan.tensorParallel;
    const auto divides = [&](std::int64_t size, std::string_view what) {
        if (size % t != 0) {
            illegal(context, "plan.tensor_parallel",
                    "Tensor " + std::to_string(t) + " does not divide the " + formatCount(size) + " " +
                        std::string(what) + " of " + context.out.modelName);
        }
    };
    if (plan.phase == ServingPhase::decode && !makesTokens(context.out.spec.workload)) {
        illegal(context, "workload.output_tokens",
                "The first token comes from prefill, so a single output token leaves nothing to decode; use "
                "2 or more");
    }
    if (m.attentionHeads % t != 0) {
        divides(m.attentionHeads, "attention heads");
    } else if (m.kvHeads > 0 && !m.mla && m.kvHeads % t != 0 && t % m.kvHeads != 0) {
        illegal(context, "plan.tensor_parallel",
                "Tensor " + std::to_string(t) + " neither divides the " + std::to_string(m.kvHeads) +
                    " KV heads of " + context.out.modelName + " nor is a multiple of them");
    } else {
        divides(m.ffnIntermediateSize, "columns of the MLP");
    }
    if (plan.pipelineParallel > m.layers) {
        illegal(context, "plan.pipeline_parallel",
                std::to_string(plan.pipelineParallel) + " stages are more than the " +
                    std::to_string(m.layers) + " layers of " + context.out.modelName);
    }
    if (!m.moe) {
        if (context.spec.plan.expertParallel.value_or(1) > 1)
            illegal(context, "plan.expert_parallel", context.out.modelName + " has no experts; set it to 1");
    } else {
        const std::int64_t stage = std::int64_t{t} * plan.attentionDataParallel;
        if (stage % plan.expertParallel != 0) {
            illegal(context, "plan.expert_parallel",
                    "Expert " + std::to_string(plan.expertParallel) + " does not divide the " +
                        formatCount(stage) + " GPUs of a stage (tensor x attention data)");
        } else if (m.moe->routedExperts < plan.expertParallel) {
            illegal(context, "plan.expert_parallel",
                    context.out.modelName + " has only " + std::to_string(m.moe->routedExperts) +
                        " routed experts");
        } else if (m.moe->expertIntermediateSize % plan.expertTensorParallel != 0) {
            illegal(context, "plan.expert_parallel",
                    std::to_string(plan.expertTensorParallel) + " GPUs do not divide the " +
                        std::to_string(m.moe->expertIntermediateSize) +
                        " columns of an expert; raise expert_parallel");
        } else if (constexpr int block = 128;
                   plan.expertFormat == "fp8_block" &&
                   m.moe->expertIntermediateSize / plan.expertTensorParallel % block != 0) {
            warn(context, "plan.expert_parallel",
                 "Each GPU holds " +
                     std::to_string(m.moe->expertIntermediateSize / plan.expertTensorParallel) +
                     " columns of an expert, which is not a multiple of " + std::to_string(block) +
                     ": engines reject such weights in block-scaled FP8; raise expert_parallel");
        }
    }
    if (t > context.out.nvlinkDomain) {
        warn(context, "plan.tensor_parallel",
             "Tensor " + std::to_string(t) + " is wider than the NVLink domain of " +
                 std::to_string(context.out.nvlinkDomain) + " GPUs: its traffic crosses the network");
    }
}

} // namespace alidade::resolving
