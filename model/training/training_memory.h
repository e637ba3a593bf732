// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/memory/weights_and_kv.h"
#include "model/training/layer_memory.h"
#include "model/training/sharded_layer.h"

namespace alidade {

/// Layers of each kind on a stage, as numbers of the trace.
template <class N>
N kindCount(const LayerContext<N>& c, int stage, std::size_t kind) {
    return c.count(c.plan.stageKinds[static_cast<std::size_t>(stage)][kind], "stage_layers",
                   "layers dealt to the stage");
}

/// What a layer of a kind takes of the memory of a rank.
template <class N>
LayerHolds<N> layerHolds(const LayerContext<N>& c, const LayerKind& kind) {
    return {.parameters = layerParameters(c, kind),
            .adapters = c.plan.lora ? adapterParameters(c, kind) : HeldParameters<N>{},
            .kept = layerActivationBytes(c, kind),
            .whole = c.plan.recompute.whole() ? layerActivationBytes(c, kind, true) : N{},
            .gradients = layerGradientBytes(c, kind)};
}

/// The layers of all kinds, for the memory of stages.
template <class N>
void holdLayers(const LayerContext<N>& c, TotalsT<N>& out) {
    for (std::size_t k = 0; k < c.plan.kinds.size(); ++k)
        out.holds[k] = layerHolds(c, c.plan.kinds[k]);
    out.predictionHolds =
        valueOf(c.in[Input::mtpDepth]) > 0 ? layerHolds(c, c.plan.prediction) : LayerHolds<N>{};
}

/// Parameters that one rank of a stage holds, and those of them that are trained.
/// \param totals of which the layers are held
template <class N>
void stageParameters(const LayerContext<N>& c, const TotalsT<N>& totals, int stage, StageCost<N>& out) {
    const InputsT<N>& in = c.in;
    const int head = headStage(c.plan);
    HeldParameters<N> held, adapters;
    for (std::size_t k = 0; k < c.plan.kinds.size(); ++k) {
        if (c.plan.stageKinds[static_cast<std::size_t>(stage)][k] == 0)
            continue;
        const N layers = kindCount(c, stage, k);
        const HeldParameters<N>& one = totals.holds[k].parameters;
        held += {layers * one.dense, layers * one.experts};
        if (c.plan.lora)
            adapters += {layers * totals.holds[k].adapters.dense, layers * totals.holds[k].adapters.experts};
    }
    const N vocabulary = vocabularyParameters(c);
    if (stage == 0)
        held.dense += vocabulary + in[Input::learnedPositions] * in[Input::hiddenSize];
    if (stage == head) {
        held.dense += in[Input::finalNormParameters];
        // A tied head needs its own copy where the embedding lies on another stage.
        if (!c.plan.tiedEmbeddings || head > 0)
            held.dense += vocabulary;
        if (valueOf(in[Input::mtpDepth]) > 0) {
            const HeldParameters<N>& one = totals.predictionHolds.parameters;
            const N projection = 2 * in[Input::hiddenSize] * in[Input::hiddenSize] / c.tensor;
            held += {in[Input::mtpDepth] * (one.dense + projection), in[Input::mtpDepth] * one.experts};
            // Its input is the embedding of the next token, of which its stage needs a copy, unless the tied
            // head is one or the device also holds the first stage.
            if (head > 0 && !c.plan.tiedEmbeddings && c.plan.schedule != PipelineSchedule::dualPipe)
                held.dense += vocabulary;
        }
    }
    out.parameters =
        named(held.dense, "stage_parameters", Dimension::number, "dense, on one rank of the stage");
    out.expertParameters = named(held.experts, "stage_expert_parameters", Dimension::number,
                                 "of experts, on one rank of the stage");
    out.trainable = c.plan.lora ? named(adapters.dense, "stage_trainable", Dimension::number, "adapters")
                                : out.parameters;
    out.trainableExperts = c.plan.lora ? named(adapters.experts, "stage_trainable_experts", Dimension::number,
                                               "adapters of experts")
                                       : out.expertParameters;
}

/// Bytes of weights, gradients and optimizer state; each is divided by the sharding group from its stage on
/// (Rajbhandari et al. 2020, arXiv 1910.02054).
template <class N>
void stateMemory(const LayerContext<N>& c, StageCost<N>& out) {
    const InputsT<N>& in = c.in;
    const auto of = [&out](MemoryKind kind) -> N& { return out.memory[static_cast<std::size_t>(kind)]; };
    const Sharding sharding = c.plan.sharding;
    const N one(1);
    const auto share = [&](Sharding from, Input group) -> const N& {
        return sharding >= from ? in[group] : one;
    };
    const auto both = [&](const N& dense, const N& experts, Sharding from) {
        return dense / share(from, Input::shardRanks) + experts / share(from, Input::expertShardRanks);
    };
    using std::max;
    using std::min;
    const double copies = parameterCopies(c.plan.schedule);
    // Where FP32 shards are the parameters (FSDP2), the 16-bit copy exists only gathered.
    const N held = both(out.parameters, out.expertParameters, Sharding::zero3);
    N weights = c.plan.masterIsParameter ? N{} : in[Input::weightBytes] * held;
    if (c.plan.lora && c.plan.masterIsParameter)
        weights = 4 * held; // the frozen base is FP32 too; the adapters' weights count as optimizer state
    else if (c.plan.lora)
        weights += in[Input::weightBytes] * (out.trainable + out.trainableExperts);
    if (c.plan.quantizedBase) { // embedding and output layer stay in 16 bits
        const N narrow = named(max(N(0), out.parameters - outerParameters(c)), "quantized_parameters",
                               Dimension::number, "of the layers, dense");
        weights = weights - (in[Input::weightBytes] - in[Input::frozenWeightBytes]) *
                                both(narrow, out.expertParameters, Sharding::zero3);
    }
    if (c.plan.referencePass && !c.plan.lora) // adapters are switched off for the reference instead
        weights += 2 * both(out.parameters, out.expertParameters, Sharding::zero3);
    of(MemoryKind::weights) = named(copies * weights, "weights_memory", Dimension::bytes);
    // What offloading moves to the host: the moments (Megatron-Core's hybrid device optimizer keeps the
    // master weights), or all of it and the gradients too (DeepSpeed).
    const N moved = named(in[Input::offloadOptimizer] * in[Input::offloadedBytes],
                          "offloaded_bytes_per_parameter", Dimension::bytes);
    const N state =
        named(max(N(0), in[Input::optimizerBytes] - moved), "optimizer_bytes_on_gpu", Dimension::bytes);
    const N gradient = named(in[Input::gradientBytes] -
                                 min(in[Input::gradientBytes], max(N(0), moved - in[Input::optimizerBytes])),
                             "gradient_bytes_on_gpu", Dimension::bytes);
    // See reducesLayers: with a pipeline ZeRO-2 keeps them whole until the last micro-batch.
    const bool whole = sharding == Sharding::zero2 && !reducesLayers(c.plan);
    of(MemoryKind::gradients) =
        named(copies * gradient *
                  (whole ? N(out.trainable + out.trainableExperts)
                         : both(out.trainable, out.trainableExperts, Sharding::zero2)),
              "gradients_memory", Dimension::bytes);
    of(MemoryKind::optimizer) = named(state * both(out.trainable, out.trainableExperts, Sharding::zero1),
                                      "optimizer_memory", Dimension::bytes, "master weights and moments");
}

/// Parameters of the embedding and the output layer that FSDP2 gathers together.
template <class N>
N outerGroupParameters(const LayerContext<N>& c) {
    const N vocabulary = vocabularyParameters(c);
    return c.plan.tiedEmbeddings ? vocabulary : N(c.in[Input::gatheredVocabularies] * vocabulary);
}

/// What fully sharded training holds whole at the peak: a few layers, embedding and head, and their
/// gradients.
template <class N>
N gatheredMemory(const LayerContext<N>& c, const TotalsT<N>& totals, int stage, const StageCost<N>& out) {
    using std::max;
    if (!gathersLayers(c.plan))
        return {};
    const InputsT<N>& in = c.in;
    N largest{};
    for (std::size_t k = 0; k < c.plan.kinds.size(); ++k) {
        if (c.plan.stageKinds[static_cast<std::size_t>(stage)][k] > 0) {
            const HeldParameters<N>& one = totals.holds[k].parameters;
            largest = max(largest, one.dense + one.experts);
        }
    }
    N buffer{};
    if (c.plan.streamPools) {
        buffer = named(in[Input::gatherBytes] *
                           max(outerGroupParameters(c), (in[Input::gatheredLayers] - 1) * largest),
                       "gather_buffer", Dimension::bytes, "of the largest gather, in the pool of its stream");
    }
    if (c.plan.pipelineParallel > 1) { // gathered once and reduced once for all micro-batches
        N bytes = buffer + in[Input::gatherBytes] * (out.parameters + out.expertParameters);
        if (!c.plan.lora)
            bytes += in[Input::gradientReduceBytes] * (out.parameters + out.expertParameters);
        return named(bytes, "gathered_stage_memory", Dimension::bytes,
                     "weights and gradients of the stage, whole between first and last micro-batch");
    }
    if (c.plan.streamPools) {
        return named(in[Input::gatherBytes] * largest + buffer, "gathered_layers_memory", Dimension::bytes,
                     "the layer in use, and the buffer of a gather");
    }
    // At the peak, when the backward pass begins, the head is whole; the embedding was dropped after its
    // look-up.
    const N gathered =
        named(max(in[Input::gatheredLayers] * largest, in[Input::gatheredParameters]),
              "gathered_parameters_at_once", Dimension::number, "layers, or what is kept gathered");
    const N perParameter =
        named(in[Input::gatherBytes] + (c.plan.lora ? N(0) : in[Input::gradientReduceBytes]),
              "gathered_bytes", Dimension::bytes, "weight and gradient of a gathered parameter");
    return named(perParameter * (gathered + vocabularyParameters(c)), "gathered_layers_memory",
                 Dimension::bytes, "layers in use and prefetched, and the head");
}

/// Micro-batches whose activations a stage holds at the peak of the schedule, in units of the whole stage.
inline double microbatchesInFlight(const TrainingPlan& plan, int stage) {
    return inflight(plan.schedule, plan.pipelineParallel, stage,
                    static_cast<int>(std::min<std::int64_t>(plan.microbatches, 1 << 20)),
                    plan.virtualPipeline);
}

/// \param logits bytes that the head takes before
template <class N>
N activationMemory(const LayerContext<N>& c, const TotalsT<N>& totals, int stage, const N& logits) {
    const auto inFlight = c.count(microbatchesInFlight(c.plan, stage), "microbatches_in_flight",
                                  "peak of the schedule on this stage, in units of the whole stage");
    using std::max;
    const bool ofShards = c.plan.streamPools && c.plan.pipelineParallel == 1;
    N perMicrobatch{}, largest{}, gradients{};
    for (std::size_t k = 0; k < c.plan.kinds.size(); ++k) {
        if (c.plan.stageKinds[static_cast<std::size_t>(stage)][k] == 0)
            continue;
        const LayerHolds<N>& layer = totals.holds[k];
        perMicrobatch += kindCount(c, stage, k) * layer.kept;
        largest = max(largest, layer.whole);
        N ofLayer = layer.gradients;
        // Gradients of its weights in 16 bits, and FP32 copies of them and of those of the layer before,
        // which are being reduced.
        if (ofShards && !c.plan.lora)
            ofLayer += (c.in[Input::gatherBytes] + 2 * c.in[Input::gradientReduceBytes]) *
                       (layer.parameters.dense + layer.parameters.experts);
        gradients = max(gradients, ofLayer);
    }
    if (ofShards) // gathered again once the gradient of the logits is there
        gradients += c.in[Input::gatherBytes] * outerGroupParameters(c);
    if (stage == headStage(c.plan) && valueOf(c.in[Input::mtpDepth]) > 0)
        perMicrobatch += c.in[Input::mtpDepth] * totals.predictionHolds.kept;
    N bytes = inFlight * perMicrobatch;
    if (valueOf(c.in[Input::offloadActivations]) > 0)
        bytes = bytes * (1 - c.in[Input::offloadActivations]);
    if (c.plan.recompute.whole())
        gradients += largest; // one layer is whole while it runs again
    // All that finds room where the logits were, which are freed when the backward pass of a layer begins.
    return bytes + max(N(0), gradients - logits);
}

/// What a stage holds besides its state and its activations, by kind. \pre stateMemory()
template <class N>
void fixedMemory(const LayerContext<N>& c, const TotalsT<N>& totals, int stage, StageCost<N>& out) {
    const InputsT<N>& in = c.in;
    const auto of = [&out](MemoryKind kind) -> N& { return out.memory[static_cast<std::size_t>(kind)]; };
    N logits{};
    if (stage == headStage(c.plan)) {
        N each = in[Input::logitsBytes];
        if (c.plan.tensorParallel > 1)
            each += in[Input::lossParallelBytes];
        logits = logitsBytes<N>(c.tokens, in[Input::vocabulary] / c.tensor, each);
        if (valueOf(in[Input::mtpDepth]) > 0) // modules have their own logits, until their backward pass
            logits = logits * (1 + in[Input::mtpDepth]);
        logits += 4 * in[Input::hiddenSize] * c.tokens / c.sequenceShare;
        if (c.plan.sequenceParallel && c.plan.keepsGatheredInputs)
            logits += 2 * in[Input::hiddenSize] * c.tokens; // gathered, for the gradient of the head
    }
    of(MemoryKind::logits) = named(logits, "logits_memory", Dimension::bytes);
    of(MemoryKind::gathered) = gatheredMemory(c, totals, stage, out);
    const bool alone = valueOf(in[Input::gpus]) <= 1;
    of(MemoryKind::communication) =
        named(alone ? N(0) : in[Input::communicationMemory], "communication_buffers", Dimension::bytes);
    of(MemoryKind::context) = named(in[Input::contextMemory], "cuda_context", Dimension::bytes);
}

/// Memory of one GPU of a stage at its peak, by kind. \pre fixedMemory()
template <class N>
void peakMemory(const LayerContext<N>& c, const TotalsT<N>& totals, int stage, StageCost<N>& out) {
    const auto of = [&out](MemoryKind kind) -> N& { return out.memory[static_cast<std::size_t>(kind)]; };
    of(MemoryKind::activations) = named(activationMemory(c, totals, stage, of(MemoryKind::logits)),
                                        "activations_memory", Dimension::bytes);
    if (c.plan.freshGradients && !c.plan.streamPools) {
        using std::min;
        const N freed = of(MemoryKind::activations) + of(MemoryKind::logits);
        of(MemoryKind::gradients) =
            named(of(MemoryKind::gradients) - min(of(MemoryKind::gradients), freed), "gradients_at_peak",
                  Dimension::bytes, "take the place of the activations and logits that are freed before");
    }
    const N allocated = of(MemoryKind::weights) + of(MemoryKind::gradients) + of(MemoryKind::optimizer) +
                        of(MemoryKind::activations) + of(MemoryKind::logits) + of(MemoryKind::gathered);
    using std::max;
    // Layers that run again leave holes beside the state, or fill the hole that the loss leaves.
    N holes{};
    if (stage == headStage(c.plan))
        holes = logitsBytes<N>(c.tokens, c.in[Input::vocabulary] / c.tensor, c.in[Input::lossHoleBytes]);
    if (c.plan.recompute.full) {
        const N passing = of(MemoryKind::activations) + of(MemoryKind::logits) + of(MemoryKind::gathered);
        holes = max(holes, passing * (c.in[Input::recomputeFragmentation] - 1));
    }
    of(MemoryKind::fragmentation) =
        named(allocated * (c.in[Input::fragmentation] - 1) + holes, "fragmentation_memory", Dimension::bytes);
    const N total =
        allocated + of(MemoryKind::communication) + of(MemoryKind::context) + of(MemoryKind::fragmentation);
    out.memoryTotal = named(total, "stage_memory", Dimension::bytes, "sum of the parts");
}

} // namespace alidade
