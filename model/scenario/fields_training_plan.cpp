// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/plan/plan_words.h"
#include "model/plan/recompute_words.h"
#include "model/scenario/fields_builder.h"
#include "model/scenario/optimizers.h"

namespace alidade::fields {

namespace {

constexpr std::string_view frameworkDefault = "the framework's default";

void appendDegrees(Lines& lines) {
    lines.push_back(Line(
                        "plan.tensor_parallel", "Tensor",
                        [](auto& s) -> auto& { return s.plan.tensorParallel; }, "GPUs that share each matrix")
                        .common(FieldGroup::plan, 210)
                        .when(isOneFleet)
                        .degree()
                        .absent("1"));
    lines.push_back(Line(
                        "plan.sequence_parallel", "Sequence parallel",
                        [](auto& s) -> auto& { return s.plan.sequenceParallel; },
                        "also split norms and residuals over the tensor group")
                        .when(isSplitByTensor)
                        .training()
                        .absent(frameworkDefault));
    lines.push_back(Line(
                        "plan.context_parallel", "Context",
                        [](auto& s) -> auto& { return s.plan.contextParallel; },
                        "GPUs that share each sequence")
                        .common(FieldGroup::plan, 250)
                        .degree()
                        .training()
                        .absent("1"));
    lines.push_back(Line(
                        "plan.context_parallel_kind", "Context kind",
                        [](auto& s) -> auto& { return s.plan.contextParallelKind; },
                        "how the context group exchanges keys and values")
                        .common(FieldGroup::plan, 260)
                        .when(splitsSequences)
                        .oneOf(wordsOf(contextWords))
                        .training()
                        .absent(frameworkDefault));
    lines.push_back(Line(
                        "plan.pipeline_parallel", "Pipeline",
                        [](auto& s) -> auto& { return s.plan.pipelineParallel; }, "stages of the pipeline")
                        .common(FieldGroup::plan, 220)
                        .when(isOneFleet)
                        .degree()
                        .absent("1"));
    lines.push_back(Line(
                        "plan.virtual_pipeline", "Virtual pipeline",
                        [](auto& s) -> auto& { return s.plan.virtualPipeline; },
                        "layer chunks per stage, for the interleaved schedule")
                        .common(FieldGroup::plan, 230)
                        .when(hasStages)
                        .degree()
                        .training()
                        .absent("1"));
    lines.push_back(Line(
                        "plan.pipeline_split", "Layers per stage",
                        [](auto& s) -> auto& { return s.plan.pipelineSplit; }, "decoder layers of each stage")
                        .when(hasStages)
                        .range(0, 10'000)
                        .training()
                        .absent("even"));
    lines.push_back(Line(
                        "plan.schedule", "Schedule", [](auto& s) -> auto& { return s.plan.schedule; },
                        "order of micro-batches in the pipeline")
                        .common(FieldGroup::plan, 240)
                        .when(hasStages)
                        .oneOf(wordsOf(scheduleWords))
                        .training()
                        .absent("1f1b, or interleaved with a virtual pipeline"));
    lines.push_back(Line(
                        "plan.expert_parallel", "Expert",
                        [](auto& s) -> auto& { return s.plan.expertParallel; },
                        "GPUs that share the experts of a layer")
                        .common(FieldGroup::plan, 270)
                        .when(isOneFleetWithExperts)
                        .degree()
                        .absent("1"));
    lines.push_back(Line(
                        "plan.expert_tensor_parallel", "Expert tensor",
                        [](auto& s) -> auto& { return s.plan.expertTensorParallel; },
                        "GPUs that share each matrix of an expert")
                        .when(hasExperts)
                        .degree()
                        .training()
                        .absent(frameworkDefault));
    lines.push_back(Line(
                        "plan.data_parallel", "Data", [](auto& s) -> auto& { return s.plan.dataParallel; },
                        "replicas of the model")
                        .common(FieldGroup::plan, 300)
                        .degree()
                        .range(1, 1e6)
                        .when(isOneFleet)
                        .absent("GPUs / (tensor x context x pipeline)"));
}

std::vector<std::string_view> optimizerWords() {
    std::vector<std::string_view> out;
    for (const OptimizerKind& each : optimizers)
        out.push_back(each.word);
    return out;
}

void appendState(Lines& lines) {
    lines.push_back(Line(
                        "plan.sharding", "Sharding", [](auto& s) -> auto& { return s.plan.sharding; },
                        "training state that is sharded across the replicas")
                        .common(FieldGroup::plan, 310)
                        .oneOf(wordsOf(shardingWords))
                        .training()
                        .absent(frameworkDefault));
    lines.push_back(Line(
                        "plan.shard_size", "Shard size", [](auto& s) -> auto& { return s.plan.shardSize; },
                        "GPUs of one sharding group, for hsdp")
                        .common(FieldGroup::plan, 320)
                        .unit("GPUs")
                        .when(shardsInGroups)
                        .range(1, 1e6)
                        .training()
                        .absent("the GPUs of an instance"));
    lines.push_back(Line(
                        "plan.micro_batch", "Micro-batch", [](auto& s) -> auto& { return s.plan.microBatch; },
                        "sequences per pass through a stage")
                        .common(FieldGroup::plan, 330)
                        .degree()
                        .training()
                        .absent("1"));
    lines.push_back(Line(
                        "plan.precision", "Precision", [](auto& s) -> auto& { return s.plan.precision; },
                        "number format of the matrix multiplications")
                        .common(FieldGroup::plan, 340)
                        .oneOf(wordsOf(precisionWords))
                        .training()
                        .absent(frameworkDefault));
    lines.push_back(Line(
                        "plan.fp8_recipe", "FP8 recipe", [](auto& s) -> auto& { return s.plan.fp8Recipe; },
                        "how FP8 values are scaled")
                        .common(FieldGroup::plan, 350)
                        .when(computesInFp8)
                        .oneOf({"delayed", "current", "row", "block"})
                        .training()
                        .absent(frameworkDefault));
    std::vector<std::string_view> alone;
    for (const RecomputeWord& each : recomputeWords)
        if (each.alone)
            alone.push_back(each.word);
    lines.push_back(Line(
                        "plan.recompute", "Recompute", [](auto& s) -> auto& { return s.plan.recompute; },
                        "activations that are recomputed instead of stored")
                        .common(FieldGroup::plan, 400)
                        .oneOf(wordsOf(recomputeWords))
                        .alone(alone)
                        .training()
                        .absent("none"));
    lines.push_back(Line(
                        "plan.optimizer", "Optimizer", [](auto& s) -> auto& { return s.plan.optimizer; },
                        "optimizer; determines the state per parameter")
                        .common(FieldGroup::plan, 390)
                        .oneOf(optimizerWords())
                        .training()
                        .absent("adam"));
    lines.push_back(Line(
                        "plan.offload.optimizer", "Optimizer offload",
                        [](auto& s) -> auto& { return s.plan.offload.optimizer; },
                        "share of the optimizer state stored in host memory")
                        .share()
                        .training()
                        .absent("0"));
    lines.push_back(Line(
                        "plan.offload.activations", "Activation offload",
                        [](auto& s) -> auto& { return s.plan.offload.activations; },
                        "share of the activations stored in host memory")
                        .share()
                        .training()
                        .absent("0"));
}

void appendTraffic(Lines& lines) {
    lines.push_back(Line(
                        "plan.capacity_factor", "Expert capacity",
                        [](auto& s) -> auto& { return s.plan.capacityFactor; },
                        "maximum tokens per expert / mean; excess tokens are dropped")
                        .when(hasExperts)
                        .range(0.01, 1e4)
                        .training()
                        .absent("no tokens are dropped"));
    lines.push_back(Line(
                        "plan.expert_imbalance", "Expert imbalance",
                        [](auto& s) -> auto& { return s.plan.expertImbalance; },
                        "load of the busiest expert rank / mean")
                        .when(hasExperts)
                        .range(1, 1e4)
                        .training()
                        .absent("the expected value for random routing"));
    lines.push_back(Line(
                        "plan.node_limit", "Node limit", [](auto& s) -> auto& { return s.plan.nodeLimit; },
                        "maximum NVLink domains (nodes) that a token's experts may span")
                        .common(FieldGroup::plan, 280)
                        .unit("domains")
                        .when(hasExperts)
                        .range(1, 65'536)
                        .training()
                        .absent("no limit"));
    lines.push_back(Line(
                        "plan.expert_exchange", "Expert exchange",
                        [](auto& s) -> auto& { return s.plan.expertExchange; },
                        "how tokens are exchanged: fused kernels (DeepEP, HybridEP) or NCCL's all-to-all")
                        .oneOf({"fused", "all_to_all"})
                        .training()
                        .absent("fused, or all_to_all with the dispatcher nccl"));
    lines.push_back(Line(
                        "plan.dispatcher", "Dispatcher", [](auto& s) -> auto& { return s.plan.dispatcher; },
                        "library that sorts tokens by expert and sends them")
                        .when(hasExperts)
                        .oneOf({"nccl", "deepep", "hybridep", "uccl"})
                        .training()
                        .absent(frameworkDefault));
    lines.push_back(
        Line(
            "plan.expert_kernels", "Expert kernels", [](auto& s) -> auto& { return s.plan.expertKernels; },
            "one grouped matrix multiplication over the experts of a GPU, or a loop that the host "
            "launches expert by expert (Transformers 4, PyTorch before Hopper)")
            .when(hasExperts)
            .oneOf({"grouped", "loop"})
            .training()
            .absent("grouped; a loop with PyTorch's kernels on GPUs before Hopper"));
    lines.push_back(Line(
                        "plan.attention_kernel", "Attention kernel",
                        [](auto& s) -> auto& { return s.plan.attentionKernel; },
                        "generation of the attention kernels: scores through memory (unfused), "
                        "FlashAttention-1 to -4, cuDNN, or what PyTorch chooses for the GPU (sdpa)")
                        .oneOf({"unfused", "fa1", "fa2", "fa3", "fa4", "cudnn", "sdpa"})
                        .training()
                        .absent(frameworkDefault));
    lines.push_back(Line(
                        "plan.cuda_graph_scope", "CUDA graph scope",
                        [](auto& s) -> auto& { return s.plan.cudaGraphScope; },
                        "what CUDA graphs record, where they are on: parts of a layer or the whole iteration")
                        .oneOf({"partial", "full"})
                        .training()
                        .absent(frameworkDefault));
    lines.push_back(
        Line(
            "plan.loss", "Loss", [](auto& s) -> auto& { return s.plan.loss; },
            "how the cross-entropy holds logits: FP32 copies of all (unfused), one kernel over 16-bit "
            "logits (fused), or some tokens at a time together with the output layer (chunked)")
            .oneOf({"unfused", "fused", "chunked"})
            .training()
            .absent(frameworkDefault));
    lines.push_back(
        Line(
            "plan.master_weights", "Master weights", [](auto& s) -> auto& { return s.plan.masterWeights; },
            "keep FP32 master weights and gradients; without them everything, with the optimizer's "
            "moments, is in 16 bits (pure BF16 training)")
            .training()
            .absent("true"));
    const auto overlap = [](std::string_view path, std::string_view label, auto member,
                            std::string_view doc) {
        return Line(path, label, member, doc).share().training().absent(frameworkDefault);
    };
    lines.push_back(overlap(
                        "plan.overlap.tensor", "Tensor overlap",
                        [](auto& s) -> auto& { return s.plan.overlap.tensor; },
                        "share of the tensor-parallel traffic that compute can hide")
                        .common(FieldGroup::plan, 410)
                        .when(isSplitByTensor));
    lines.push_back(overlap(
        "plan.overlap.gradient", "Gradient overlap", [](auto& s) -> auto& { return s.plan.overlap.gradient; },
        "share of the gradient traffic that compute can hide"));
    lines.push_back(overlap(
                        "plan.overlap.expert", "Expert overlap",
                        [](auto& s) -> auto& { return s.plan.overlap.expert; },
                        "share of the expert traffic that compute can hide")
                        .common(FieldGroup::plan, 420)
                        .when(hasExperts));
    lines.push_back(overlap(
                        "plan.overlap.pipeline", "Pipeline overlap",
                        [](auto& s) -> auto& { return s.plan.overlap.pipeline; },
                        "share of the traffic between stages that compute can hide")
                        .when(hasStages));
    lines.push_back(Line(
                        "plan.goodput", "Goodput", [](auto& s) -> auto& { return s.plan.goodput; },
                        "share of the run time spent on useful steps")
                        .common(FieldGroup::machine, 460)
                        .measures(Dimension::ratio)
                        .range(0.01, 1)
                        .training()
                        .absent("derived from the hardware failure rate"));
}

} // namespace

void appendTrainingPlan(Lines& lines) {
    lines.push_back(Line(
                        "plan.framework", "Framework", [](auto& s) -> auto& { return s.plan.framework; },
                        "training framework; sets defaults and overheads")
                        .common(FieldGroup::machine, 430)
                        .idOf("frameworks")
                        .training()
                        .absent("megatron-core"));
    appendDegrees(lines);
    appendState(lines);
    appendTraffic(lines);
}

} // namespace alidade::fields
