// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/group_collective.h"
#include "model/kernels/attention.h"
#include "model/kernels/elementwise.h"
#include "model/kernels/gemm.h"
#include "model/scenario/scenario.h"
#include "model/training/step_cost.h"

namespace alidade {

/// What the layers of a dense transformer have in common on one GPU: sizes after tensor parallelism and the
/// rates of the machine.
template <class N>
struct LayerContext {
    const TrainingPlan& plan;
    const InputsT<N>& in;
    N tokens;        ///< of one microbatch
    N tensor;        ///< TP degree
    N sequenceShare; ///< what norms and residuals are divided by
    GemmRates<N> gemm;
    AttentionRates<N> attentionForward, attentionBackward;
    FabricRates<N> fabric;

    LayerContext(const TrainingPlan& trainingPlan, const InputsT<N>& inputs, Bound networkKind);
};

template <class N>
LayerContext<N>::LayerContext(const TrainingPlan& trainingPlan, const InputsT<N>& inputs, Bound networkKind)
    : plan(trainingPlan)
    , in(inputs)
    , tokens(named(in[Input::microBatch] * in[Input::sequenceLength], "microbatch_tokens", Dimension::tokens))
    , tensor(in[Input::tensorParallel])
    , sequenceShare(trainingPlan.sequenceParallel ? in[Input::tensorParallel] : N(1)) {
    const bool fp8 = plan.precision == Precision::fp8;
    gemm = {.peak = in[Input::peak],
            .bandwidth = in[Input::memoryBandwidth],
            .computeEfficiency = in[Input::gemmComputeEfficiency],
            .memoryEfficiency = in[Input::gemmMemoryEfficiency],
            .launch = in[Input::gemmLaunch],
            .extraK = in[Input::gemmExtraK],
            .quantPasses = fp8 ? in[Input::quantPasses] : N(0),
            .activationBytes = fp8 ? N(1) : N(2),
            .weightBytes = fp8 ? N(1) : N(2)};
    // Attention runs in 16 bits whatever the precision of the GEMMs.
    attentionForward = {.peak = in[Input::reportingPeak],
                        .bandwidth = in[Input::memoryBandwidth],
                        .computeEfficiency = in[Input::attentionEfficiency],
                        .memoryEfficiency = in[Input::gemmMemoryEfficiency],
                        .launch = in[Input::attentionLaunch],
                        .rampTokens = in[Input::attentionHalfLength]};
    attentionBackward = attentionForward;
    attentionBackward.computeEfficiency =
        named(in[Input::attentionEfficiency] * in[Input::attentionBackwardRatio],
              "attention_backward_efficiency", Dimension::ratio);
    const auto nvlink = [&](Input latency, Input fill, Input efficiency) {
        return LinkRates<N>{.alpha = in[latency],
                            .gamma = in[fill],
                            .bandwidth = named(in[Input::nvlinkBandwidth] * in[efficiency], "nvlink_rate",
                                               Dimension::bytesPerSecond)};
    };
    NvlinkRates<N>& links = fabric.nvlink;
    links.allReduce = nvlink(Input::allReduceLatency, Input::allReduceFill, Input::allReduceEfficiency);
    links.allGather = nvlink(Input::allGatherLatency, Input::allGatherFill, Input::allGatherEfficiency);
    links.reduceScatter =
        nvlink(Input::reduceScatterLatency, Input::reduceScatterFill, Input::reduceScatterEfficiency);
    links.sendReceive = links.allGather;
    links.stepLatency = in[Input::nvlinkStepLatency];
    fabric.network = {.kind = networkKind,
                      .latency = in[Input::networkLatency],
                      .hopLatency = in[Input::networkHopLatency],
                      .nicBandwidth = in[Input::networkBandwidth],
                      .efficiency = in[Input::networkEfficiency],
                      .speedup = in[Input::networkSpeedup]};
}

/// Collects the operations and collectives of one layer and adds up its time.
template <class N>
class LayerBuilder {
public:
    LayerBuilder(const LayerContext<N>& context, LayerCost<N>& out)
        : c_(context)
        , out_(out) {}

    void kernel(const char* name, Phase phase, const RooflineTime<N>& t, const N& peak) {
        OpCost<N> op{.name = name, .phase = phase, .flops = t.flops, .bytes = t.bytes, .bound = boundOf(t)};
        op.seconds =
            named(t.total, "kernel_time", Dimension::seconds, "launch + max(compute, HBM) + quantisation");
        op.intensity = named(t.flops / t.bytes, "intensity", Dimension::flopPerByte, "FLOP / HBM bytes");
        const bool compute = valueOf(t.compute) >= valueOf(t.memory);
        op.efficiency =
            named(compute ? t.flops / (peak * t.total) : t.bytes / (c_.in[Input::memoryBandwidth] * t.total),
                  "share_of_roof", Dimension::ratio, "achieved / roof that bounds it");
        out_.ops.push(op);
        out_.byBound[compute ? Bound::compute : Bound::hbm] += compute ? t.compute : t.memory;
        out_.byBound[Bound::latency] += t.launch;
        out_.byBound[Bound::hbm] += t.quantisation;
        out_.executedFlops += t.flops;
        phaseSeconds(phase) += op.seconds;
    }

    /// A matrix multiplication of the forward pass and its two gradients. \param n, k of this rank
    void gemm(const char* name, const N& n, const N& k) {
        const N& m = c_.tokens;
        kernel(name, Phase::forward, gemmTime<N>({m, n, k}, c_.gemm), c_.in[Input::peak]);
        kernel(name, Phase::backwardInput, gemmTime<N>({m, k, n}, c_.gemm), c_.in[Input::peak]);
        kernel(name, Phase::backwardWeight, gemmTime<N>({n, k, m}, c_.gemm), c_.in[Input::peak]);
    }

    /// Only the forward multiplication again.
    void recomputeGemm(const char* name, const N& n, const N& k) {
        kernel(name, Phase::recompute, gemmTime<N>({c_.tokens, n, k}, c_.gemm), c_.in[Input::peak]);
    }

    void stream(const char* name, Phase phase, const N& bytes, const N& passes) {
        kernel(
            name, phase,
            streamingTime(bytes, c_.in[Input::memoryBandwidth], c_.in[Input::gemmMemoryEfficiency], passes),
            c_.in[Input::peak]);
    }

    /// A kernel that only moves bytes: forward, and twice as many in the backward pass.
    void elementwise(const char* name, const N& bytesPerToken) {
        const N bytes = bytesPerToken * c_.tokens;
        stream(name, Phase::forward, bytes, c_.in[Input::elementwisePasses]);
        stream(name, Phase::backwardInput, 2 * bytes, c_.in[Input::elementwisePasses]);
    }

    /// A collective of the tensor-parallel group. \param hidden 0..1 of it runs behind GEMMs
    void collective(CollectiveOp op, Phase phase, const N& bytes, const N& hidden) {
        if (c_.plan.tensorParallel <= 1) {
            return;
        }
        const CollectiveCost<N> cost = collectiveOnGroup(op, bytes, c_.plan.tensorGroup, c_.fabric);
        CommCost<N> entry{.op = collectiveName(op), .group = "tp", .phase = phase, .bytes = bytes};
        entry.fabric = cost.fabric.value_or(Bound::nvlink);
        entry.wireBytes = cost.wireBytes;
        entry.seconds = cost.seconds;
        entry.exposed = named(cost.seconds * (1 - hidden), "exposed_communication", Dimension::seconds,
                              "what compute does not hide");
        out_.communication.push(entry);
        out_.byBound[entry.fabric] += entry.exposed;
        phaseSeconds(phase) += entry.exposed;
    }

    /// Closes the layer: the host may be slower at launching than the GPU at working (smooth maximum, power
    /// 6).
    void finish(bool hostBound) {
        using std::pow;
        out_.forward = named(out_.forward, "forward_time", Dimension::seconds);
        out_.backwardInput = named(out_.backwardInput + recompute_, "backward_input_time", Dimension::seconds,
                                   "input gradients, recomputation included");
        out_.backwardWeight = named(out_.backwardWeight, "backward_weight_time", Dimension::seconds);
        const N gpu =
            named(out_.forward + out_.backwardInput + out_.backwardWeight, "gpu_time", Dimension::seconds);
        out_.seconds = gpu;
        if (!hostBound || valueOf(c_.in[Input::hostTimePerLayer]) <= 0) {
            return;
        }
        const N ratio = named(c_.in[Input::hostTimePerLayer] / gpu, "host_ratio", Dimension::number);
        const N factor = named(pow(1 + pow(ratio, N(6)), N(1.0 / 6)), "host_factor", Dimension::number,
                               "smooth maximum of GPU and host time");
        out_.seconds = named(gpu * factor, "layer_time", Dimension::seconds, "one layer and microbatch");
        out_.forward = named(out_.forward * factor, "layer_forward_time", Dimension::seconds);
        out_.backwardInput =
            named(out_.backwardInput * factor, "layer_backward_input_time", Dimension::seconds);
        out_.backwardWeight =
            named(out_.backwardWeight * factor, "layer_backward_weight_time", Dimension::seconds);
        out_.byBound[Bound::latency] += gpu * (factor - 1);
    }

private:
    N& phaseSeconds(Phase phase) {
        switch (phase) {
        case Phase::backwardInput:
            return out_.backwardInput;
        case Phase::backwardWeight:
            return out_.backwardWeight;
        case Phase::recompute:
            return recompute_;
        default:
            return out_.forward;
        }
    }

    const LayerContext<N>& c_;
    LayerCost<N>& out_;
    N recompute_{};
};

/// A decoder layer: attention and MLP with their tensor-parallel collectives, forward, backward and what is
/// recomputed. Collectives: Korthikanti et al. 2022 (arXiv 2205.05198), section 4.2.2.
template <class N>
void transformerLayer(const LayerContext<N>& c, LayerCost<N>& out) {
    const InputsT<N>& in = c.in;
    const TrainingPlan& plan = c.plan;
    const N h = in[Input::hiddenSize], t = c.tensor, d = in[Input::headDim];
    const N heads = named(in[Input::attentionHeads] / t, "heads_per_gpu", Dimension::number);
    const N kvHeads = named(in[Input::kvHeads] / t, "kv_heads_per_gpu", Dimension::number);
    const N qkvWidth = named((heads + 2 * kvHeads) * d, "qkv_width", Dimension::number);
    const N ffn = named(in[Input::ffnSize] / t, "ffn_per_gpu", Dimension::number);
    const N upWidth = plan.gatedFfn ? named(2 * ffn, "gate_up_width", Dimension::number) : ffn;
    const char* upName = plan.gatedFfn ? "MLP gate and up" : "MLP up";
    const char* productName = plan.gatedFfn ? "GLU product" : "Activation";
    const auto widths = elementwiseBytes<N>({.hidden = h,
                                             .queryHeads = in[Input::attentionHeads],
                                             .kvHeads = in[Input::kvHeads],
                                             .headSize = d,
                                             .intermediate = in[Input::ffnSize],
                                             .tensorParallel = t,
                                             .sequenceParallel = c.sequenceShare});
    const N normBytes =
        named(widths.norms / 2, "norm_bytes_per_token", Dimension::bytes, "read x and residual, write both");
    const auto attention =
        causalAttention<N>(in[Input::microBatch], in[Input::sequenceLength], heads, kvHeads, d);
    const N peak = in[Input::reportingPeak];
    LayerBuilder<N> layer(c, out);

    layer.elementwise("Attention norm", normBytes);
    layer.gemm("QKV projection", qkvWidth, h);
    if (valueOf(in[Input::learnedPositions]) == 0) {
        layer.elementwise("Rotary embedding", widths.rope);
    }
    layer.kernel("Core attention", Phase::forward, attentionTime(attention, c.attentionForward), peak);
    layer.kernel("Core attention", Phase::backwardInput,
                 attentionTime(attention, c.attentionBackward, AttentionPass::backward), peak);
    layer.gemm("Output projection", h, heads * d);
    layer.elementwise("MLP norm", normBytes);
    layer.gemm(upName, upWidth, h);
    layer.elementwise(productName, plan.gatedFfn ? widths.glu : widths.glu * (2.0 / 3));
    layer.gemm("MLP down", h, ffn);

    const N boundary = named(c.tokens * h * in[Input::activationBytes], "boundary_bytes", Dimension::bytes,
                             "activations of a microbatch at a layer boundary");
    const N hidden = in[Input::overlapTensor];
    const auto collectives = [&](Phase phase) { // attention and MLP each gather before and scatter after
        for (int block = 0; block < 2; ++block) {
            if (plan.sequenceParallel) {
                layer.collective(CollectiveOp::allGather, phase, boundary, hidden);
                layer.collective(CollectiveOp::reduceScatter, phase, boundary, hidden);
            } else {
                layer.collective(CollectiveOp::allReduce, phase, boundary, hidden);
            }
        }
    };
    collectives(Phase::forward);
    collectives(Phase::backwardInput);
    if (plan.sequenceParallel) { // inputs of the two column-parallel GEMMs are gathered again for their
                                 // weights
        layer.collective(CollectiveOp::allGather, Phase::backwardWeight, boundary, hidden);
        layer.collective(CollectiveOp::allGather, Phase::backwardWeight, boundary, hidden);
    }

    const N passes = in[Input::elementwisePasses];
    if (plan.recomputeFull || plan.recomputeNorms) {
        layer.stream("Attention norm", Phase::recompute, normBytes * c.tokens, passes);
        layer.stream("MLP norm", Phase::recompute, normBytes * c.tokens, passes);
    }
    if (plan.recomputeFull || plan.recomputeCore) {
        layer.kernel("Core attention", Phase::recompute, attentionTime(attention, c.attentionForward), peak);
    }
    if (plan.recomputeFull || plan.recomputeGlu) {
        layer.stream(productName, Phase::recompute, widths.glu * c.tokens, passes);
    }
    if (plan.recomputeFull) {
        layer.recomputeGemm("QKV projection", qkvWidth, h);
        if (valueOf(in[Input::learnedPositions]) == 0) {
            layer.stream("Rotary embedding", Phase::recompute, widths.rope * c.tokens, passes);
        }
        layer.recomputeGemm("Output projection", h, heads * d);
        layer.recomputeGemm(upName, upWidth, h);
        collectives(Phase::recompute);
    }
    layer.finish(true);
}

/// Token embedding on the first stage: a look-up, and a reduction over the vocabulary shards.
template <class N>
void embeddingLayer(const LayerContext<N>& c, LayerCost<N>& out) {
    LayerBuilder<N> layer(c, out);
    layer.elementwise("Token embedding", 4 * c.in[Input::hiddenSize]);
    const N boundary = named(c.tokens * c.in[Input::hiddenSize] * c.in[Input::activationBytes],
                             "boundary_bytes", Dimension::bytes);
    layer.collective(c.plan.sequenceParallel ? CollectiveOp::reduceScatter : CollectiveOp::allReduce,
                     Phase::forward, boundary, N(0));
    if (c.plan.sequenceParallel) {
        layer.collective(CollectiveOp::allGather, Phase::backwardWeight, boundary, N(0));
    }
    layer.finish(false);
}

/// Final norm, logits and loss on the last stage, for every microbatch.
template <class N>
void headLayer(const LayerContext<N>& c, LayerCost<N>& out) {
    const N h = c.in[Input::hiddenSize];
    const N vocabulary = named(c.in[Input::vocabulary] / c.tensor, "vocabulary_per_gpu", Dimension::number);
    LayerBuilder<N> layer(c, out);
    layer.elementwise("Final norm", 8 * h / c.sequenceShare);
    layer.gemm("Logits", vocabulary, h);
    // 14 bytes a logit in all: 16-bit logits written and read, FP32 softmax, gradient.
    layer.stream("Cross-entropy", Phase::forward, 8 * vocabulary * c.tokens, N(1));
    layer.stream("Cross-entropy", Phase::backwardInput, 6 * vocabulary * c.tokens, N(1));
    if (c.plan.sequenceParallel) {
        const N boundary =
            named(c.tokens * h * c.in[Input::activationBytes], "boundary_bytes", Dimension::bytes);
        layer.collective(CollectiveOp::allGather, Phase::forward, boundary, N(0));
        layer.collective(CollectiveOp::reduceScatter, Phase::backwardInput, boundary, N(0));
    }
    layer.finish(false);
}

} // namespace alidade
