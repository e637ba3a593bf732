// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/memory/activations.h"
#include "model/memory/state_bytes.h"
#include "model/memory/weights_and_kv.h"
#include "model/training/dense_layer.h"

namespace alidade {

/// Parameters of one decoder layer that are split over the tensor-parallel group.
template <class N>
N splitLayerParameters(const InputsT<N>& in) {
    const N h = in[Input::hiddenSize], d = in[Input::headDim];
    const N attention = 2 * h * d * (in[Input::attentionHeads] + in[Input::kvHeads]);
    return named(attention + in[Input::ffnMatrices] * h * in[Input::ffnSize], "layer_gemm_parameters",
                 Dimension::number, "attention 2 h d (a + g), MLP 2 or 3 h f");
}

/// Parameters that one rank of a stage holds.
template <class N>
N stageParameters(const LayerContext<N>& c, int stage) {
    const InputsT<N>& in = c.in;
    const int last = c.plan.pipelineParallel - 1;
    const N layers = derivedLeaf(in[Input::layers], c.plan.stageLayers[static_cast<std::size_t>(stage)],
                                 "stage_layers", Dimension::number, "layers dealt to the stage");
    const N vocabulary = in[Input::vocabulary] * in[Input::hiddenSize] / c.tensor;
    N out = layers * (splitLayerParameters(in) / c.tensor + in[Input::otherLayerParameters]);
    if (stage == 0) {
        out += vocabulary + in[Input::learnedPositions] * in[Input::hiddenSize];
    }
    if (stage == last) {
        out += in[Input::finalNormParameters];
        // A tied head needs a copy of its own on the last stage of a pipeline.
        if (!c.plan.tiedEmbeddings || last > 0) {
            out += vocabulary;
        }
    }
    return named(out, "stage_parameters", Dimension::number, "parameters on one rank of the stage");
}

/// Bytes of one decoder layer that one microbatch leaves for its backward pass.
/// \param whole as if nothing but the plan's modules were recomputed: a layer while it runs again
template <class N>
N layerActivationBytes(const LayerContext<N>& c, bool whole = false) {
    const InputsT<N>& in = c.in;
    const N h = in[Input::hiddenSize], element = in[Input::activationBytes];
    if (c.plan.recomputeFull && !whole) {
        return named(checkpointBytes(h, element) * c.tokens / c.sequenceShare, "layer_activation_bytes",
                     Dimension::bytes, "full recomputation keeps the input of the layer");
    }
    const auto kept = activationBytes<N>(
        {.hidden = h,
         .queryHeads = in[Input::attentionHeads],
         .qkvWidth = gqaQkvWidth(in[Input::attentionHeads], in[Input::kvHeads], in[Input::headDim]),
         .outputWidth = in[Input::attentionHeads] * in[Input::headDim],
         .intermediate = in[Input::ffnSize],
         .elementBytes = element});
    // FP8 GEMMs keep their inputs quantised: outputs of the norms and of attention, and the GLU product.
    const N gemmInput = N(c.plan.precision == Precision::fp8 ? 0.5 : 1);
    // Norms and residuals are whole on each tensor-parallel rank unless the sequence is split too.
    N replicated = kept.residuals;
    if (!c.plan.recomputeNorms) {
        replicated += kept.normOutputs * gemmInput;
    }
    N split = kept.qkv + kept.attentionOutput * gemmInput;
    if (!c.plan.recomputeCore) {
        split += kept.softmaxStatistics;
    }
    split += c.plan.gatedFfn ? kept.gateUp : kept.gateUp / 2;
    if (!c.plan.recomputeGlu) {
        split += kept.gluProduct * gemmInput;
    }
    const N perToken = replicated / c.sequenceShare + split / c.tensor;
    return named(perToken * c.tokens, "layer_activation_bytes", Dimension::bytes,
                 "what autograd keeps of a layer and microbatch");
}

/// Memory of one GPU of a stage at its peak, by kind.
template <class N>
void stageMemory(const LayerContext<N>& c, int stage, StageCost<N>& out) {
    const InputsT<N>& in = c.in;
    const int stages = c.plan.pipelineParallel;
    const auto put = [&](MemoryKind kind, const N& bytes, const char* name) {
        out.memory[static_cast<std::size_t>(kind)] = named(bytes, name, Dimension::bytes);
    };
    const N parameters = out.parameters;
    const bool sharded = c.plan.sharding == Sharding::zero1;
    const auto perParameter = stateBytesPerParam<N>(
        {in[Input::weightBytes], in[Input::gradientBytes], in[Input::optimizerBytes]},
        sharded ? ShardedState::optimizer : ShardedState::none, in[Input::dataParallel]);
    put(MemoryKind::weights, parameters * perParameter.parameters, "weights_memory");
    put(MemoryKind::gradients, parameters * perParameter.gradients, "gradients_memory");
    put(MemoryKind::optimizer, parameters * perParameter.optimizer, "optimizer_memory");

    const N inFlight =
        derivedLeaf(in[Input::layers],
                    inflight(c.plan.schedule, stages, stage,
                             static_cast<int>(std::min<std::int64_t>(c.plan.microbatches, 1 << 20)),
                             c.plan.virtualPipeline),
                    "microbatches_in_flight", Dimension::number,
                    "peak of the schedule on this stage, in units of the whole stage");
    const N layers = derivedLeaf(in[Input::layers], out.layers, "stage_layers", Dimension::number,
                                 "layers dealt to the stage");
    const N perLayer = layerActivationBytes(c);
    N activations = inFlight * layers * perLayer;
    if (c.plan.recomputeFull) {
        activations += layerActivationBytes(c, true); // one layer is whole while it runs again
    }
    put(MemoryKind::activations, activations, "activations_memory");

    N logits{};
    if (stage == stages - 1) {
        logits = logitsBytes<N>(c.tokens, in[Input::vocabulary] / c.tensor, in[Input::logitsBytes]) +
                 4 * in[Input::hiddenSize] * c.tokens / c.sequenceShare;
    }
    put(MemoryKind::logits, logits, "logits_memory");
    const bool alone = valueOf(in[Input::gpus]) <= 1;
    put(MemoryKind::communication, alone ? N(0) : in[Input::communicationMemory], "communication_buffers");
    put(MemoryKind::context, in[Input::contextMemory], "cuda_context");
    const auto of = [&](MemoryKind kind) { return out.memory[static_cast<std::size_t>(kind)]; };
    const N allocated = of(MemoryKind::weights) + of(MemoryKind::gradients) + of(MemoryKind::optimizer) +
                        of(MemoryKind::activations) + of(MemoryKind::logits);
    put(MemoryKind::fragmentation, allocated * (in[Input::fragmentation] - 1), "fragmentation_memory");
    N total =
        allocated + of(MemoryKind::communication) + of(MemoryKind::context) + of(MemoryKind::fragmentation);
    out.memoryTotal = named(total, "stage_memory", Dimension::bytes, "sum of the parts");
}

} // namespace alidade
