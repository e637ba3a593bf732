// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/schedule_rules.h"
#include "model/schedule/stage_times.h"
#include "model/topology/group_shape.h"
#include "model/workload/layer_kinds.h"

#include <array>
#include <cstdint>
#include <vector>

namespace alidade {

/// Training state that a sharding group divides (ZeRO stages; fsdp2 and hsdp divide everything).
enum class Sharding : std::uint8_t { none, zero1, zero2, zero3 };

/// How a context-parallel group exchanges keys and values.
enum class ContextKind : std::uint8_t { ring, allGather, ulysses };

/// What the backward pass recomputes instead of storing. Module names are those of Megatron-Core.
struct Recompute {
    bool full = false;       ///< the whole layer
    bool everyOther = false; ///< the whole layer, in every second layer
    bool perOp = false;      ///< torchtitan: keeps attention and every second matrix multiplication
    bool core = false;       ///< core attention
    bool norms = false;
    bool product = false; ///< product of the gated MLP (in experts: moe_act)
    bool mlp = false;     ///< dense MLP
    bool experts = false; ///< the whole MoE part, its exchange included
    bool sharedExperts = false;
    bool mlaUp = false; ///< up-projections of latent attention
    bool whole() const { return full || everyOther; }
};

/// Layers of each kind; indexed like LayerKinds::kinds.
using KindCounts = std::array<int, mostLayerKinds>;

/// The non-numeric choices of a training plan, and the degrees as integers.
struct TrainingPlan {
    int tensorParallel = 1, contextParallel = 1, pipelineParallel = 1, virtualPipeline = 1, dataParallel = 1;
    int expertParallel = 1, expertTensorParallel = 1, expertDataParallel = 1;
    int microBatch = 1;
    int nodeLimit = 0;             ///< maximum NVLink domains that a token's experts may span; 0: no limit
    std::int64_t microbatches = 1; ///< per step and replica
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
    Sharding sharding = Sharding::zero1;
    ContextKind contextKind = ContextKind::ring;
    Precision precision = Precision::bf16;
    Recompute recompute;
    bool sequenceParallel = false;
    bool gatedFfn = true;
    bool latentAttention = false, queryCompressed = false;
    bool attentionGate = false;
    bool headNorms = false;        ///< norms of queries and keys
    bool latentExperts = false;    ///< experts work on a projection of the hidden state
    bool unfusedAttention = false; ///< learned sinks with small heads: no fused kernel
    int norms = 2;                 ///< of a decoder layer
    bool unfusedProduct = false;   ///< biases and a clamp between the matrices of an expert: no fused kernel
    bool tiedEmbeddings = false;
    bool nvlinkSharp = false;
    bool masterIsParameter =
        false; ///< FSDP2: the sharded parameters are FP32; 16-bit copies exist only while gathered
    /// One micro-batch in PyTorch: gradients are allocated while the backward pass frees activations.
    bool freshGradients = false;
    /// FSDP2 of PyTorch: its communication streams allocate from pools of their own, which no other stream
    /// can use: of shards of gradients and of the buffer of a gather.
    bool streamPools = false;
    /// Tensor parallelism of PyTorch (DTensor): the gathered input of a projection is kept for the gradient
    /// of its weight. Megatron-Core keeps the shard and gathers it again.
    bool keepsGatheredInputs = false;
    bool lora = false;
    bool quantizedBase = false;                ///< QLoRA: frozen weights in 4 bits, widened for each use
    bool referencePass = false;                ///< DPO: a frozen model scores the same batch
    bool loraAttention = true, loraMlp = true; ///< which projections have adapters
    bool sharedExpertAdapters = false;         ///< one adapter for the experts of a rank, not one for each
    bool expertLoop = false;                   ///< the host launches the kernels of each expert on its own
    bool fusedDispatch = true;    ///< one copy of a token per destination domain (DeepEP, HybridEP)
    bool placeholders = false;    ///< embedding, head and prediction modules each take the place of a layer
    bool reducesReplicas = false; ///< hsdp: gradients are also reduced over the sharding groups
    std::vector<LayerKind> kinds;
    LayerKind prediction;         ///< decoder layer of a multi-token-prediction module
    std::vector<int> stageLayers; ///< decoder layers of each stage; empty if the plan is illegal
    std::vector<KindCounts> stageKinds;
    std::vector<KindCounts> virtualStageKinds; ///< by virtual stage, chunk x stages + stage, in layer order
    GroupShape tensorGroup, contextGroup, dataGroup, shardGroup, replicaGroup, pipelineGroup;
    GroupShape expertGroup, expertTensorGroup, expertDataGroup;
};

/// Returns the chunks of layers on each device: the plan's, or the number that its schedule requires.
constexpr int chunksPerStage(PipelineSchedule schedule, int virtualPipeline) {
    return scheduleChunks(schedule) == 0 ? virtualPipeline : scheduleChunks(schedule);
}
inline int chunksPerStage(const TrainingPlan& plan) {
    return chunksPerStage(plan.schedule, plan.virtualPipeline);
}

/// Returns the stage with the output layer: the last one, or the first for V-shaped schedules.
inline int headStage(const TrainingPlan& plan) {
    const int p = plan.pipelineParallel;
    return pipelineDevice(plan.schedule, p, p * chunksPerStage(plan) - 1);
}

} // namespace alidade
