// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/collectives/expert_dispatch.h"
#include "model/plan/recompute_words.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/optimizers.h"
#include "model/scenario/resolve_parts.h"

#include <algorithm>

namespace alidade::resolving {

namespace {

/// Recovery without checkpoints rebuilds the state of a failed node from a copy elsewhere: HyperPod asks for
/// two instances of a sharded optimizer.
/// \returns the GPUs that share one of the copies
std::int64_t keepTwice(Context& context, std::int64_t replicas, std::int64_t shard) {
    TrainingPlan& plan = context.out.plan;
    if (replicas < 2 || (plan.sharding != Sharding::none && shard == replicas && replicas % 2 != 0)) {
        illegal(context, "run.checkpoint_mode",
                "Checkpointless recovery needs the training state twice: " + formatCount(replicas) +
                    " ranks of data x context cannot hold two copies; use an even number of them, or other "
                    "checkpoints");
        return shard;
    }
    if (plan.sharding == Sharding::none || shard < replicas)
        return shard; // there are several copies already
    plan.reducesReplicas = true;
    return shard / 2;
}

/// Fully sharded training and tensor parallelism of PyTorch itself.
bool isPyTorchFsdp(const Context& context) {
    return context.framework && context.framework->stack.starts_with("fsdp");
}

} // namespace

void resolveSharding(Context& context) {
    context.decidedBy |= layoutFieldBit("plan.sharding") | layoutFieldBit("plan.shard_size");
    PlanSpec& filled = context.out.spec.plan;
    TrainingPlan& plan = context.out.plan;
    if (!filled.sharding)
        filled.sharding = "zero1";
    const std::string_view word = *filled.sharding;
    plan.sharding = read(context, shardingWords, "plan.sharding", word, plan.sharding);
    // Without master weights the shards are the 16-bit weights.
    plan.masterIsParameter = (word == "fsdp2" || word == "hsdp") && filled.masterWeights.value_or(true);
    // The frozen base of LoRA needs no master weights; it has them only where they are asked for.
    plan.masterIsParameter &=
        !plan.lora || (context.spec.plan.masterWeights.value_or(false) && !plan.quantizedBase);
    plan.reducesReplicas = false;
    const std::int64_t replicas = std::int64_t{plan.dataParallel} * plan.contextParallel;
    std::int64_t shard = replicas;
    if (word == "hsdp") {
        shard = std::min<std::int64_t>(replicas, filled.shardSize.value_or(context.gpusPerNode));
        filled.shardSize = shard;
        plan.reducesReplicas = shard < replicas;
        if (replicas % std::max<std::int64_t>(1, shard) != 0) {
            illegal(context, "plan.shard_size",
                    "A sharding group of " + formatCount(shard) + " does not divide the " +
                        formatCount(replicas) + " ranks of data x context");
            shard = 1;
        }
    } else if (filled.shardSize) {
        warn(context, "plan.shard_size", "A shard size applies only to hsdp; leave it out");
    }
    if (context.spec.run.checkpointMode == "checkpointless")
        shard = keepTwice(context, replicas, shard);
    plan.streamPools = plan.masterIsParameter && shard > 1 && isPyTorchFsdp(context);
    set(context, Input::shardRanks, static_cast<double>(shard), "data x context, or plan.shard_size",
        SourceKind::derived);
    set(context, Input::expertShardRanks,
        static_cast<double>(shard < replicas ? std::min<std::int64_t>(plan.expertDataParallel, shard)
                                             : plan.expertDataParallel),
        "replicas of each expert", SourceKind::derived);
}

namespace {

void resolvePrecision(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    const Gpu& gpu = *context.gpu;
    const std::string word = filled.precision.value_or(gpu.bf16 ? "bf16" : "fp16");
    filled.precision = word;
    context.out.plan.precision = read(context, precisionWords, "plan.precision", word, Precision::bf16);
    if (filled.fp8Recipe && word != "fp8")
        warn(context, "plan.fp8_recipe", "A recipe applies only to FP8; leave it out");
    if (filled.fp8Recipe == "row" && context.framework && !context.framework->stack.starts_with("fsdp")) {
        warn(context, "plan.fp8_recipe",
             context.framework->name +
                 " has no row-wise scaling (a recipe of torchao); calculated with current "
                 "scaling");
    }
    const auto peak = gpu.peak(context.out.plan.precision);
    // Block-scaled formats need the tensor cores of Blackwell.
    const bool blockScaled = word == "mxfp8" || word == "nvfp4";
    if (!peak || (blockScaled && !gpu.fp4)) {
        illegal(context, "plan.precision",
                gpu.name + " has no " + nameOfChoice("plan.precision", word) + " matrix units");
        return;
    }
    const std::string key = word == "mxfp8"   ? "dense_fp8_tflops"
                            : word == "nvfp4" ? "dense_fp4_tflops"
                                              : "dense_" + word + "_tflops";
    set(context, Input::peak, peak->si(), citation(gpu.id, ": ", gpu.provenance, key),
        catalogKind(gpu.provenance, key));
}

void resolveRecompute(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    TrainingPlan& plan = context.out.plan;
    Recompute& r = plan.recompute;
    r = {};
    if (!filled.recompute)
        filled.recompute = std::vector<std::string>{"none"};
    const std::size_t problems = context.out.problems.size();
    for (const std::string& word : *filled.recompute) {
        const RecomputedPart part =
            read(context, recomputeWords, "plan.recompute", word, RecomputedPart(nullptr));
        if (part != nullptr)
            r.*part = true;
    }
    if (context.out.problems.size() > problems) // only then does the layout not run because of it
        context.decidedBy |= layoutFieldBit("plan.recompute");
    const auto without = [&](bool& flag, bool present, std::string_view what) {
        if (flag && !present) {
            warn(context, "plan.recompute", [&] {
                return context.out.modelName + " has no " + std::string(what) +
                       ": recomputing it saves nothing";
            });
            flag = false;
        }
    };
    without(r.product, plan.gatedFfn || context.out.model.moe, "gated MLP");
    without(r.experts, context.out.model.moe.has_value(), "experts");
    without(r.sharedExperts, context.out.model.moe && context.out.model.moe->sharedExperts > 0,
            "shared experts");
    without(r.mlaUp, context.out.model.mla.has_value(), "latent attention");
}

void resolveOptimizer(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    filled.optimizer = filled.optimizer.value_or("adam");
    const auto share = [&](Input input, std::optional<double>& field, bool written) {
        field = field.value_or(0);
        set(context, input, *field, originOf(context, written),
            written ? SourceKind::user : SourceKind::assumed);
    };
    share(Input::offloadOptimizer, filled.offload.optimizer, context.spec.plan.offload.optimizer.has_value());
    share(Input::offloadActivations, filled.offload.activations,
          context.spec.plan.offload.activations.has_value());
    const bool offloads = *filled.offload.optimizer > 0 || *filled.offload.activations > 0;
    if (offloads && context.out.inputs[Input::hostBandwidth] <= 0) {
        illegal(context, "plan.offload",
                "The catalog has no host link for " + context.gpu->name + "; turn offloading off");
    }
}

void resolveOverlap(Context& context) {
    OverlapSpec& filled = context.out.spec.plan.overlap;
    const OverlapSpec& written = context.spec.plan.overlap;
    const std::string& version = context.framework->version;
    const SharedText software = context.framework->name + (version.empty() ? "" : " " + version);
    const auto put = [&](Input input, std::optional<double>& value, bool isWritten) {
        value = value.value_or(0);
        set(context, input, *value, originOr(isWritten, software),
            isWritten    ? SourceKind::user
            : *value > 0 ? SourceKind::fitted
                         : SourceKind::assumed);
    };
    put(Input::overlapTensor, filled.tensor, written.tensor.has_value());
    // PyTorch's asynchronous tensor parallelism multiplies what has arrived and keeps no gathered input.
    context.out.plan.keepsGatheredInputs = isPyTorchFsdp(context) && *filled.tensor <= 0;
    put(Input::overlapGradient, filled.gradient, written.gradient.has_value());
    put(Input::overlapPipeline, filled.pipeline, written.pipeline.has_value());
    if (context.out.model.moe)
        put(Input::overlapExpert, filled.expert, written.expert.has_value());
    else if (written.expert.value_or(0) > 0)
        warn(context, "plan.overlap.expert", context.out.modelName + " has no experts; leave this field out");
    if (const auto goodput = context.spec.plan.goodput) {
        set(context, Input::plannedGoodput, *goodput, "scenario", SourceKind::user);
        context.out.hasGoodput = true;
    }
}

void resolveFinetune(Context& context) {
    const FinetuneSpec& finetune = context.spec.workload.finetune;
    TrainingPlan& plan = context.out.plan;
    const std::string& kind = *context.out.spec.workload.finetune.kind;
    plan.quantizedBase = kind == "qlora";
    plan.lora = kind == "lora" || plan.quantizedBase;
    plan.referencePass = finetune.method == "dpo";
    if (plan.quantizedBase) {
        // 4-bit NormalFloat with double quantization: 4.127 bits (Dettmers et al. 2023, arXiv 2305.14314).
        set(context, Input::frozenWeightBytes, 4.127 / 8, "QLoRA: 4-bit NormalFloat, scales quantized too",
            SourceKind::derived);
    }
    if (!plan.lora)
        return;
    const auto rank = static_cast<double>(finetune.rank.value_or(16));
    context.out.spec.workload.finetune.rank = static_cast<std::int64_t>(rank);
    set(context, Input::loraRank, rank, originOr(finetune.rank.has_value(), "default: 16"),
        finetune.rank ? SourceKind::user : SourceKind::assumed);
    plan.loraAttention = plan.loraMlp = !finetune.targets;
    for (const std::string& word : finetune.targets.value_or(std::vector<std::string>{})) {
        const auto isOne = [&word](std::initializer_list<std::string_view> words) {
            return std::ranges::find(words, word) != words.end();
        };
        if (isOne({"attention", "linear_qkv", "linear_proj", "q_proj", "k_proj", "v_proj", "o_proj"})) {
            plan.loraAttention = true;
        } else if (isOne({"mlp", "linear_fc1", "linear_fc2", "gate_proj", "up_proj", "down_proj"})) {
            plan.loraMlp = true;
        } else {
            illegal(
                context, "workload.finetune.targets",
                "'" + word +
                    "' is not a projection that accepts an adapter; use attention, mlp, or names such as " +
                    "linear_qkv, linear_proj, linear_fc1, linear_fc2, q_proj, down_proj");
        }
    }
    plan.sharedExpertAdapters = context.framework && context.framework->sharedExpertAdapters;
}

} // namespace

void resolveSoftware(Context& context) {
    resolvePrecision(context);
    resolveOptimizer(context);
    resolveOverlap(context);
    resolveFinetune(context);
}

void resolveModules(Context& context) {
    context.decidedBy |= layoutFieldBit("plan.context_parallel_kind");
    resolveRecompute(context);
    std::optional<std::string>& kind = context.out.spec.plan.contextParallelKind;
    context.out.plan.contextKind = read(context, contextWords, "plan.context_parallel_kind",
                                        kind ? std::string_view(*kind) : "ring", ContextKind::ring);
    if (context.out.plan.contextParallel > 1 && !kind)
        kind = "ring";
}

namespace {

/// torch._grouped_mm needs compute capability 9.0; on older parts PyTorch multiplies expert by expert
/// (pytorch/pytorch pull 161407 and issue 186620). Frameworks with their own kernels are not concerned.
bool loopsOverExperts(const Context& context) {
    const std::string_view stack = context.framework ? std::string_view(context.framework->stack) : "*";
    const bool ofPyTorch = stack == "fsdp" || stack == "fsdp/2024" || stack == "fsdp-eager" ||
                           stack == "fsdp-eager/transformers";
    const std::string& part = context.gpu->architecture;
    return ofPyTorch && (part == "Turing" || part == "Ampere" || part == "Ada Lovelace");
}

} // namespace

void resolveExperts(Context& context) {
    const PlanSpec& written = context.spec.plan;
    PlanSpec& filled = context.out.spec.plan;
    TrainingPlan& plan = context.out.plan;
    if (!context.out.model.moe) {
        const auto noEffect = [&](bool given, std::string_view path) {
            if (given)
                warn(context, path, context.out.modelName + " has no experts: this field has no effect");
        };
        noEffect(written.capacityFactor.has_value(), "plan.capacity_factor");
        noEffect(written.expertImbalance.has_value(), "plan.expert_imbalance");
        noEffect(written.nodeLimit.has_value(), "plan.node_limit");
        noEffect(written.expertExchange.has_value(), "plan.expert_exchange");
        noEffect(written.dispatcher.has_value(), "plan.dispatcher");
        noEffect(written.expertKernels.has_value(), "plan.expert_kernels");
        if (!written.dispatcher)
            filled.dispatcher.reset();
        return;
    }
    // The exchange as written decides; a default of the dispatcher gives way to it.
    if (written.expertExchange && !written.dispatcher) {
        const bool library = *written.expertExchange == "all_to_all";
        if (library || filled.dispatcher == "nccl")
            filled.dispatcher = library ? "nccl" : "deepep";
    }
    filled.expertExchange =
        filled.expertExchange.value_or(filled.dispatcher == "nccl" ? "all_to_all" : "fused");
    plan.fusedDispatch = *filled.expertExchange == "fused";
    filled.expertKernels = filled.expertKernels.value_or(loopsOverExperts(context) ? "loop" : "grouped");
    plan.expertLoop = *filled.expertKernels == "loop";
    plan.nodeLimit = static_cast<int>(filled.nodeLimit.value_or(0));
    const double rows = filled.capacityFactor.value_or(1);
    set(context, Input::expertRows, rows,
        filled.capacityFactor ? SharedText("scenario: capacity factor, dropped or padded")
                              : SharedText("dropless: every routed token"),
        filled.capacityFactor ? SourceKind::user : SourceKind::assumed);
}

void resolveExpertLoad(Context& context) {
    if (!context.out.model.moe)
        return;
    const PlanSpec& written = context.spec.plan;
    const PlanSpec& filled = context.out.spec.plan;
    const TrainingPlan& plan = context.out.plan;
    // Random routing: the load of the busiest rank is the expected maximum of Poisson-like loads.
    const Inputs& in = context.out.inputs;
    const double tokens = in[Input::microBatch] * in[Input::sequenceLength] / plan.contextParallel /
                          (plan.sequenceParallel ? plan.tensorParallel : 1);
    const double mean = tokens * plan.expertTensorParallel * in[Input::expertsPerToken];
    const double random = plan.expertParallel > 1 ? maxLoadFactor(mean, plan.expertParallel) : 1;
    const double imbalance = filled.capacityFactor ? 1 : filled.expertImbalance.value_or(random);
    set(context, Input::expertImbalance, imbalance,
        originOr(written.expertImbalance.has_value(), "random routing: expected maximum over the ranks"),
        written.expertImbalance ? SourceKind::user : SourceKind::derived);
}

namespace {

/// Weights, gradients and moments in 16 bits, as torchtune and a Hugging Face model loaded in BF16 train.
void setPureState(Context& context, const OptimizerKind& kind) {
    const SharedText source = "plan.master_weights = false: all of the state in 16 bits";
    const double moments = kind.word == "adam" ? kind.momentBytes / 2 : kind.momentBytes;
    const double each = 2; // bytes
    set(context, Input::weightBytes, each, source, SourceKind::derived);
    set(context, Input::gradientBytes, each, source, SourceKind::derived);
    set(context, Input::gradientReduceBytes, each, source, SourceKind::derived);
    set(context, Input::optimizerBytes, moments, source, SourceKind::derived);
    // Reads weight, gradient and moments; writes weight and moments.
    set(context, Input::optimizerTraffic, 3 * each + 2 * moments, source, SourceKind::derived);
}

} // namespace

/// Sets optimizer bytes and traffic once the constants of the software are known.
void resolveOptimizerState(Context& context) {
    if (context.out.spec.workload.isServing())
        return;
    const std::string word = context.out.spec.plan.optimizer.value_or("adam");
    const auto kind = std::ranges::find(optimizers, word, &OptimizerKind::word);
    const bool pure = !context.out.spec.plan.masterWeights.value_or(true);
    if (kind == optimizers.end() || (word == "adam" && !pure))
        return;
    Inputs& in = context.out.inputs;
    if (pure) {
        setPureState(context, *kind);
    } else {
        const double saved = 8 - kind->momentBytes; // per parameter, of Adam's two FP32 moments
        const SharedText source = "optimizer " + word + ", against FP32 Adam";
        set(context, Input::optimizerBytes, in[Input::optimizerBytes] - saved, source, SourceKind::derived);
        set(context, Input::optimizerTraffic, in[Input::optimizerTraffic] - 2 * saved, source,
            SourceKind::derived);
    }
    if (kind->flopsPerSize > 0) {
        set(context, Input::optimizerFlops, kind->flopsPerSize * in[Input::hiddenSize],
            "five Newton-Schulz iterations, 6 h FLOP per parameter each", SourceKind::derived);
    }
}

} // namespace alidade::resolving
