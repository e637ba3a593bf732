// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_memo.h"
#include "model/kernels/attention.h"
#include "model/kernels/gemm.h"
#include "model/plan/fabric_inputs.h"
#include "model/plan/training_plan.h"
#include "model/training/step_cost.h"

#include <type_traits>

namespace alidade {

/// What the layers of a model have in common on one GPU: sizes after parallelism and the rates of the
/// machine.
template <class N>
struct LayerContext {
    const TrainingPlan& plan;
    const InputsT<N>& in;
    N tokens;        ///< of one micro-batch on one rank: micro-batch x sequence / CP
    N tensor;        ///< TP degree
    N sequenceShare; ///< what norms and residuals are divided by
    GemmRates<N> gemm;
    GemmRates<N> headGemm; ///< of the output layer and the router, which stay in 16 bits
    GemmRates<N> expertGemm;
    AttentionRates<N> attentionForward, attentionBackward;
    FabricRates<N> fabric;
    CollectiveMemo* memo = nullptr; ///< of one of many plans on the same fabric; used for doubles only

    LayerContext(const TrainingPlan& trainingPlan, const InputsT<N>& inputs, Bound networkKind);

    /// Follows the plan and the inputs where only the layout of the model has changed.
    void setLayout();

    /// A collective outside layers.
    CollectiveCost<N> stepCollective(CollectiveOp op, const N& bytes, const GroupShape& group) const {
        if constexpr (std::is_same_v<N, double>) {
            if (memo != nullptr)
                return memo->cost(op, bytes, group, fabric);
        }
        return collectiveOnGroup(op, bytes, group, fabric);
    }

    /// A count of the plan or the architecture that is not a separate input.
    N count(double value, const char* name, const char* source = "plan") const {
        return derivedLeaf(tokens, value, name, Dimension::number, source);
    }
};

/// Bytes per element of the operands of a GEMM, block scales included.
constexpr double operandBytes(Precision precision) {
    switch (precision) {
    case Precision::fp8:
        return 1;
    case Precision::mxfp8:
        return 1 + 1.0 / 32;
    case Precision::nvfp4:
        return 0.5 + 1.0 / 16;
    case Precision::fp16:
    case Precision::bf16:
        break;
    }
    return 2;
}

/// True where GEMM inputs are quantized on the way.
constexpr bool quantized(Precision precision) {
    return precision != Precision::fp16 && precision != Precision::bf16;
}

template <class N>
LayerContext<N>::LayerContext(const TrainingPlan& trainingPlan, const InputsT<N>& inputs, Bound networkKind)
    : plan(trainingPlan)
    , in(inputs) {
    setLayout();
    const N operand(operandBytes(plan.precision));
    gemm = {.peak = in[Input::peak],
            .bandwidth = in[Input::memoryBandwidth],
            .computeEfficiency = in[Input::gemmComputeEfficiency],
            .memoryEfficiency = in[Input::gemmMemoryEfficiency],
            .launch = in[Input::gemmLaunch],
            .extraK = in[Input::gemmExtraK],
            .quantPasses = quantized(plan.precision) ? in[Input::quantPasses] : N(0),
            .activationBytes = operand,
            .weightBytes = operand};
    headGemm = gemm;
    headGemm.peak = in[Input::reportingPeak];
    headGemm.computeEfficiency = in[Input::headGemmEfficiency];
    headGemm.quantPasses = N(0);
    headGemm.activationBytes = headGemm.weightBytes = N(2);
    expertGemm = gemm;
    expertGemm.computeEfficiency =
        named(in[Input::gemmComputeEfficiency] * in[Input::expertGemmEfficiency],
              "expert_gemm_compute_efficiency", Dimension::ratio, "grouped against single GEMM");
    // Attention runs in 16 bits whatever the precision of the GEMMs.
    attentionForward = {.peak = in[Input::reportingPeak],
                        .bandwidth = in[Input::memoryBandwidth],
                        .computeEfficiency = in[Input::attentionEfficiency],
                        .memoryEfficiency = in[Input::gemmMemoryEfficiency],
                        .launch = in[Input::attentionLaunch],
                        .rampTokens = in[Input::attentionHalfLength]};
    if (plan.unfusedAttention) {
        attentionForward.computeEfficiency =
            named(in[Input::attentionEfficiency] * in[Input::sinkAttentionFactor],
                  "sink_attention_efficiency", Dimension::ratio, "learned sinks, small heads");
    }
    attentionBackward = attentionForward;
    attentionBackward.computeEfficiency =
        named(attentionForward.computeEfficiency * in[Input::attentionBackwardRatio],
              "attention_backward_efficiency", Dimension::ratio);
    fabric = fabricRates<N>(inputs, networkKind);
}

template <class N>
void LayerContext<N>::setLayout() {
    tokens = named(in[Input::microBatch] * in[Input::sequenceLength] / in[Input::contextParallel],
                   "microbatch_tokens", Dimension::tokens, "of one rank");
    tensor = in[Input::tensorParallel];
    sequenceShare = plan.sequenceParallel ? in[Input::tensorParallel] : N(1);
}

} // namespace alidade
