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
    GemmRates<N> headGemm; ///< of the output layer, which stays in 16 bits
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
    headGemm = gemm;
    headGemm.peak = in[Input::reportingPeak];
    headGemm.quantPasses = N(0);
    headGemm.activationBytes = headGemm.weightBytes = N(2);
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
    void gemm(const char* name, const N& n, const N& k) { gemm(name, n, k, c_.gemm); }
    void gemm(const char* name, const N& n, const N& k, const GemmRates<N>& rates) {
        const N& m = c_.tokens;
        kernel(name, Phase::forward, gemmTime<N>({m, n, k}, rates), rates.peak);
        kernel(name, Phase::backwardInput, gemmTime<N>({m, k, n}, rates), rates.peak);
        kernel(name, Phase::backwardWeight, gemmTime<N>({n, k, m}, rates), rates.peak);
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

/// Sizes of one decoder layer on one GPU.
template <class N>
struct DecoderShape {
    N hidden, heads, kvHeads, headDim, qkvWidth, ffn, upWidth;
    N normBytes, ropeBytes, productBytes; ///< HBM bytes per token of the elementwise kernels
    AttentionShape<N> attention;
    bool rotary;
    const char *upName, *productName;

    explicit DecoderShape(const LayerContext<N>& c);
};

template <class N>
DecoderShape<N>::DecoderShape(const LayerContext<N>& c) {
    const InputsT<N>& in = c.in;
    const bool gated = c.plan.gatedFfn;
    hidden = in[Input::hiddenSize];
    headDim = in[Input::headDim];
    heads = named(in[Input::attentionHeads] / c.tensor, "heads_per_gpu", Dimension::number);
    kvHeads = named(in[Input::kvHeads] / c.tensor, "kv_heads_per_gpu", Dimension::number);
    qkvWidth = named((heads + 2 * kvHeads) * headDim, "qkv_width", Dimension::number);
    ffn = named(in[Input::ffnSize] / c.tensor, "ffn_per_gpu", Dimension::number);
    upWidth = gated ? named(2 * ffn, "gate_up_width", Dimension::number) : ffn;
    upName = gated ? "MLP gate and up" : "MLP up";
    productName = gated ? "GLU product" : "Activation";
    const auto bytes = elementwiseBytes<N>({.hidden = hidden,
                                            .queryHeads = in[Input::attentionHeads],
                                            .kvHeads = in[Input::kvHeads],
                                            .headSize = headDim,
                                            .intermediate = in[Input::ffnSize],
                                            .tensorParallel = c.tensor,
                                            .sequenceParallel = c.sequenceShare});
    normBytes =
        named(bytes.norms / 2, "norm_bytes_per_token", Dimension::bytes, "read x and residual, write both");
    ropeBytes = bytes.rope;
    productBytes = gated ? bytes.glu : bytes.glu * (2.0 / 3); // one input less
    attention = causalAttention<N>(in[Input::microBatch], in[Input::sequenceLength], heads, kvHeads, headDim);
    rotary = valueOf(in[Input::learnedPositions]) == 0;
}

/// The collectives around attention and MLP: each gathers before and scatters after. Korthikanti et al. 2022
/// (arXiv 2205.05198), section 4.2.2.
template <class N>
void blockCollectives(const LayerContext<N>& c, LayerBuilder<N>& layer, Phase phase) {
    const N bytes = named(c.tokens * c.in[Input::hiddenSize] * c.in[Input::activationBytes], "boundary_bytes",
                          Dimension::bytes, "activations of a microbatch at a layer boundary");
    const N hidden = c.in[Input::overlapTensor];
    for (int block = 0; block < 2; ++block) {
        if (!c.plan.sequenceParallel) {
            layer.collective(CollectiveOp::allReduce, phase, bytes, hidden);
            continue;
        }
        layer.collective(CollectiveOp::allGather, phase, bytes, hidden);
        if (phase != Phase::backwardWeight) { // for the weights, inputs are only gathered again
            layer.collective(CollectiveOp::reduceScatter, phase, bytes, hidden);
        }
    }
}

/// What the plan computes again before the backward pass.
template <class N>
void recomputation(const LayerContext<N>& c, const DecoderShape<N>& s, LayerBuilder<N>& layer) {
    const TrainingPlan& plan = c.plan;
    const N passes = c.in[Input::elementwisePasses];
    if (plan.recomputeFull || plan.recomputeNorms) {
        layer.stream("Attention norm", Phase::recompute, s.normBytes * c.tokens, passes);
        layer.stream("MLP norm", Phase::recompute, s.normBytes * c.tokens, passes);
    }
    if (plan.recomputeFull || plan.recomputeCore) {
        layer.kernel("Core attention", Phase::recompute, attentionTime(s.attention, c.attentionForward),
                     c.in[Input::reportingPeak]);
    }
    if (plan.recomputeFull || plan.recomputeGlu) {
        layer.stream(s.productName, Phase::recompute, s.productBytes * c.tokens, passes);
    }
    if (!plan.recomputeFull) {
        return;
    }
    layer.recomputeGemm("QKV projection", s.qkvWidth, s.hidden);
    if (s.rotary) {
        layer.stream("Rotary embedding", Phase::recompute, s.ropeBytes * c.tokens, passes);
    }
    layer.recomputeGemm("Output projection", s.hidden, s.heads * s.headDim);
    layer.recomputeGemm(s.upName, s.upWidth, s.hidden);
    layer.recomputeGemm("MLP down", s.hidden, s.ffn);
    blockCollectives(c, layer, Phase::recompute);
}

/// A decoder layer: attention and MLP with their tensor-parallel collectives, forward, backward and what is
/// recomputed.
template <class N>
void transformerLayer(const LayerContext<N>& c, LayerCost<N>& out) {
    const DecoderShape<N> s(c);
    const N peak = c.in[Input::reportingPeak];
    LayerBuilder<N> layer(c, out);
    layer.elementwise("Attention norm", s.normBytes);
    layer.gemm("QKV projection", s.qkvWidth, s.hidden);
    if (s.rotary) {
        layer.elementwise("Rotary embedding", s.ropeBytes);
    }
    layer.kernel("Core attention", Phase::forward, attentionTime(s.attention, c.attentionForward), peak);
    layer.kernel("Core attention", Phase::backwardInput,
                 attentionTime(s.attention, c.attentionBackward, AttentionPass::backward), peak);
    layer.gemm("Output projection", s.hidden, s.heads * s.headDim);
    layer.elementwise("MLP norm", s.normBytes);
    layer.gemm(s.upName, s.upWidth, s.hidden);
    layer.elementwise(s.productName, s.productBytes);
    layer.gemm("MLP down", s.hidden, s.ffn);
    blockCollectives(c, layer, Phase::forward);
    blockCollectives(c, layer, Phase::backwardInput);
    if (c.plan.sequenceParallel) {
        blockCollectives(c, layer, Phase::backwardWeight);
    }
    recomputation(c, s, layer);
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
    layer.gemm("Logits", vocabulary, h, c.headGemm);
    // 14 bytes a logit in all: 16-bit logits written and read, FP32 softmax, gradient.
    layer.stream("Cross-entropy", Phase::forward, 8 * vocabulary * c.tokens, N(1));
    layer.stream("Cross-entropy", Phase::backwardInput, 6 * vocabulary * c.tokens, N(1));
    const N boundary = named(c.tokens * h * c.in[Input::activationBytes], "boundary_bytes", Dimension::bytes);
    if (c.plan.sequenceParallel) {
        layer.collective(CollectiveOp::allGather, Phase::forward, boundary, N(0));
        layer.collective(CollectiveOp::reduceScatter, Phase::backwardInput, boundary, N(0));
        layer.collective(CollectiveOp::allGather, Phase::backwardWeight, boundary, N(0));
    } else {
        layer.collective(CollectiveOp::allReduce, Phase::backwardInput, boundary, N(0));
    }
    layer.finish(false);
}

} // namespace alidade
