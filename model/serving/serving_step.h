// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/serving_attention.h"
#include "model/serving/serving_experts.h"
#include "model/serving/serving_memory.h"

namespace alidade {

/// One decoder layer in one engine step.
template <class N>
void servingLayer(const ServingContext<N>& c, const StepRows<N>& r, const LayerKind& kind,
                  LayerCost<N>& out) {
    ServingLayerBuilder<N> layer(c, r, out);
    if (kind.mixer != Mixer::none) {
        if (kind.mixer == Mixer::mamba2)
            mamba2Serving(c, r, layer);
        else if (kind.mixer == Mixer::gatedDeltaNet)
            gatedDeltaNetServing(c, r, layer);
        else if (c.plan.latentAttention)
            latentServing(c, r, kind, layer);
        else
            groupedQueryServing(c, r, kind, layer);
        layer.tensorAllReduce(r.rank);
        if (c.plan.norms > 2) // Gemma: the output of a block is normalized too
            layer.elementwise("Attention output norm", 4 * r.rank * c.in[Input::hiddenSize]);
    }
    if (kind.feedForward != FeedForward::none) {
        if (c.plan.norms > 1 ||
            kind.mixer == Mixer::none) { // Cohere, Falcon: one norm for attention and MLP in parallel
            layer.elementwise("MLP norm", 8 * r.rank * c.in[Input::hiddenSize],
                              c.plan.fusedReductions && kind.mixer != Mixer::none ? 0 : 1);
        }
        if (kind.feedForward == FeedForward::moe)
            expertServing(c, r, layer);
        else
            mlpServing(c, r, c.in[Input::ffnSize], false, layer);
        layer.tensorAllReduce(r.rank);
        if (c.plan.norms > 3)
            layer.elementwise("MLP output norm", 4 * r.rank * c.in[Input::hiddenSize]);
    }
    layer.finish();
}

/// Output layer and sampling, for the rows that produce a token.
template <class N>
void servingHead(const ServingContext<N>& c, const StepRows<N>& r, ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N rows = named(r.sequences * r.queries + r.prompts, "sampled_rows", Dimension::number,
                         "one for each sequence");
    const N vocabulary = named(in[Input::vocabulary] / c.tensor, "vocabulary_per_gpu", Dimension::number);
    layer.gemm("Logits", rows, vocabulary, in[Input::hiddenSize], c.plain);
    RooflineTime<N> t;
    // Top-p and top-k sampling sorts the logits of each sequence, on each GPU of the tensor-parallel group.
    const N perLogit = named(in[Input::servingSampleBytes] + in[Input::servingSortBytes], "bytes_per_logit",
                             Dimension::bytes, "gathering in FP32, sorting");
    t.bytes = named(rows * in[Input::vocabulary] * perLogit, "sampling_bytes", Dimension::bytes,
                    "logits of each sequence");
    t.memory = named(t.bytes / in[Input::memoryBandwidth], "sampling_time", Dimension::seconds);
    layer.kernel("Sampling", withTotal(t), in[Input::reportingPeak]);
}

/// Guessing one token: the model's own prediction module, or a draft of one layer like its last, with logits.
template <class N>
void draftStep(const ServingContext<N>& c, const StepRows<N>& r, LayerCost<N>& out) {
    StepRows<N> one = r;
    one.queries = N(1);
    one.prefill = N(0);
    one.prompts = N(0);
    one.prefills = false;
    one.rank = r.sequences;
    one.engine = named(r.sequences * c.in[Input::attentionDataParallel], "draft_rows", Dimension::tokens);
    servingLayer(c, one, c.plan.draftModule ? c.plan.prediction : c.plan.kinds.back(), out);
    LayerCost<N> head;
    head.listed = out.listed;
    ServingLayerBuilder<N> layer(c, one, head);
    servingHead(c, one, layer);
    for (const OpCost<N>& op : head.ops)
        out.ops.push(op);
    out.seconds = named(out.seconds + head.seconds, "draft_time", Dimension::seconds, "of one token");
    out.launches += head.launches;
    for (std::size_t i = 0; i < layerPartCount; ++i)
        out.byPart.seconds[i] += head.byPart.seconds[i];
}

/// Time in which a step reads what its GPUs do not hold, s: weights from host memory, and caches of decoding
/// sequences from the second tier. Caches on drives or a file system come to the host alongside that traffic
/// and then share its link.
/// \pre the link to the host is known
template <class N>
N offloadStream(const ServingContext<N>& c, const StepLoad<N>& load) {
    using std::max;
    ServingMemoryT<N> memory;
    servingMemory(c, memory);
    const N sequences = load.decodeSequences / c.in[Input::attentionDataParallel];
    const N resident = named(sequences * sequenceBytes(memory.sequence, load.decodeContext), "resident_kv",
                             Dimension::bytes, "of one GPU");
    const N spilled = named(max(N(0), resident - max(N(0), memory.kvCapacity)), "spilled_kv",
                            Dimension::bytes, "caches that GPU memory does not hold");
    const N bytes = named(c.in[Input::weightsOffload] * weightsPerGpu(c) + spilled, "host_bytes",
                          Dimension::bytes, "weights kept there and caches that spill");
    const N host = named(bytes / (c.in[Input::hostBandwidth] * c.in[Input::servingHostLinkEfficiency]),
                         "host_stream", Dimension::seconds, "weights and KV cache from host memory");
    if (!(valueOf(c.in[Input::kvTierRate]) > 0))
        return host;
    return named(max(host, spilled / c.in[Input::kvTierRate]), "offload_stream", Dimension::seconds,
                 "the longer of the host link and the tier of the KV cache");
}

/// The time of one step of a replica: all layers, output layer, what the host adds, and hand-overs between
/// stages. A step with prefill runs outside CUDA graphs: where launching takes longer than the work, the host
/// sets the pace (smooth maximum, power 6).
template <class N>
void servingStep(const ServingContext<N>& c, const StepLoad<N>& load, ServingStepCost<N>& out) {
    using std::max;
    using std::pow;
    const InputsT<N>& in = c.in;
    const StepRows<N> r = c.rows(load);
    out.parts = {};
    N gpu{};
    double launches = 0;
    const auto add = [&](const LayerCost<N>& cost, const N& times) {
        gpu += times * cost.seconds;
        launches += valueOf(times) * cost.launches;
        for (std::size_t i = 0; i < layerPartCount; ++i)
            out.parts[i] += times * cost.byPart.seconds[i];
    };
    for (std::size_t k = 0; k < c.plan.kinds.size(); ++k) {
        servingLayer(c, r, c.plan.kinds[k], out.layers[k]);
        add(out.layers[k], c.count(c.plan.layersOfKind[k], "layers_of_a_kind", "architecture"));
    }
    ServingLayerBuilder<N> head(c, r, out.head);
    servingHead(c, r, head);
    head.finish();
    add(out.head, N(1));
    out.draft.reset();
    if (valueOf(in[Input::draftTokens]) > 0 && r.decodes) {
        draftStep(c, r, out.draft);
        add(out.draft, in[Input::draftTokens]);
    }
    gpu = named(gpu, "gpu_time", Dimension::seconds, "layers, output layer and sampling");
    const auto charge = [&](StepPart part, const N& seconds) {
        out.parts[static_cast<std::size_t>(part)] += seconds;
        out.seconds += seconds;
    };
    out.seconds = gpu;
    if (r.prefills || !c.plan.cudaGraphs) {
        const N host =
            named(c.count(launches, "launched_kernels", "of a step") * in[Input::servingHostPerKernel],
                  "host_time", Dimension::seconds, "launching each kernel");
        const N ratio = named(host / gpu, "host_ratio", Dimension::number);
        const N waiting = named(gpu * (pow(1 + pow(ratio, N(6)), N(1.0 / 6)) - 1), "waiting_for_host",
                                Dimension::seconds, "smooth maximum of GPU and host time");
        charge(StepPart::launch, waiting);
    }
    if (valueOf(in[Input::hostBandwidth]) > 0 &&
        (valueOf(in[Input::weightsOffload]) > 0 || valueOf(in[Input::kvOffload]) > 0)) {
        const N stream = offloadStream(c, load);
        charge(StepPart::offload, named(max(N(0), stream - out.seconds), "exposed_host_stream",
                                        Dimension::seconds, "what the layers before it do not cover"));
    }
    if (c.plan.pipelineParallel > 1) {
        charge(StepPart::pipelineTransfer,
               named((in[Input::pipelineParallel] - 1) * in[Input::servingStageTime], "stage_hand_overs",
                     Dimension::seconds));
    }
    const N own = named(load.decodeSequences / in[Input::attentionDataParallel], "sequences_of_a_scheduler",
                        Dimension::number, "each attention-data rank has its own");
    charge(StepPart::overhead,
           named(in[Input::servingStepOverhead] + in[Input::servingSequenceOverhead] * own +
                     in[Input::servingPromptOverhead] * load.prompts,
                 "engine_overhead", Dimension::seconds, "scheduling, sampling, output of a step"));
    // Detokenizing and streaming run alongside the steps; where they cannot keep up, they set the pace.
    const N streaming = named(in[Input::servingFrontEndTime] * own, "front_end_time", Dimension::seconds,
                              "tokens of a step, detokenized and streamed");
    charge(StepPart::overhead, named(max(N(0), streaming - out.seconds), "waiting_for_front_end",
                                     Dimension::seconds, "what the step does not cover"));
    out.seconds = named(out.seconds, "step_time", Dimension::seconds, "one engine step");
}

} // namespace alidade
