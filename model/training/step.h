// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/normal.h"
#include "model/collectives/overlap.h"
#include "model/kernels/elementwise.h"
#include "model/training/training_memory.h"

namespace alidade {

/// Seconds that one step spends outside the layers, and what hides.
template <class N>
struct GradientSync {
    N reduceExposed{}, gatherExposed{};
};

/// Times and memory of every stage; finds the slowest one and the one that needs most memory.
template <class N>
void stageCosts(const LayerContext<N>& c, TotalsT<N>& out) {
    const int stages = c.plan.pipelineParallel;
    out.stageCount = stages;
    out.slowestStage = out.worstStage = 0;
    for (int i = 0; i < stages; ++i) {
        StageCost<N>& s = out.stages[static_cast<std::size_t>(i)];
        s = {};
        s.layers = c.plan.stageLayers[static_cast<std::size_t>(i)];
        const N layers =
            derivedLeaf(c.tokens, s.layers, "stage_layers", Dimension::number, "layers dealt to the stage");
        s.forward = layers * out.transformer.forward;
        s.backwardInput = layers * out.transformer.backwardInput;
        s.backwardWeight = layers * out.transformer.backwardWeight;
        const auto add = [&s](const LayerCost<N>& layer) {
            s.forward += layer.forward;
            s.backwardInput += layer.backwardInput;
            s.backwardWeight += layer.backwardWeight;
        };
        if (i == 0) {
            add(out.embedding);
        }
        if (i == stages - 1) {
            add(out.head);
        }
        s.forward = named(s.forward, "stage_forward", Dimension::seconds);
        s.backwardInput = named(s.backwardInput, "stage_backward_input", Dimension::seconds);
        s.backwardWeight = named(s.backwardWeight, "stage_backward_weight", Dimension::seconds);
        s.seconds = named(s.forward + s.backwardInput + s.backwardWeight, "stage_time", Dimension::seconds,
                          "one microbatch through the stage");
        s.parameters = stageParameters(c, i);
        stageMemory(c, i, s);
        if (valueOf(s.seconds) > valueOf(out.stages[static_cast<std::size_t>(out.slowestStage)].seconds)) {
            out.slowestStage = i;
        }
        if (valueOf(s.memoryTotal) >
            valueOf(out.stages[static_cast<std::size_t>(out.worstStage)].memoryTotal)) {
            out.worstStage = i;
        }
    }
}

/// Gradient reduction and parameter gathering of the data-parallel group that compute leaves uncovered.
/// Gradients are reduced bucket by bucket under the last backward; with an interleaved schedule under those
/// of the last p microbatches. What is gathered hides under the first forward passes in the same way.
template <class N>
GradientSync<N> gradientSync(const LayerContext<N>& c, const TotalsT<N>& totals) {
    GradientSync<N> out;
    if (c.plan.dataParallel <= 1) {
        return out;
    }
    const InputsT<N>& in = c.in;
    N parameters = totals.stages[0].parameters;
    for (int i = 1; i < totals.stageCount; ++i) {
        using std::max;
        parameters = max(parameters, totals.stages[static_cast<std::size_t>(i)].parameters);
    }
    parameters = named(parameters, "largest_stage_parameters", Dimension::number);
    const StageCost<N>& slowest = totals.stages[static_cast<std::size_t>(totals.slowestStage)];
    const std::int64_t spanned =
        c.plan.virtualPipeline > 1 ? std::min<std::int64_t>(c.plan.microbatches, c.plan.pipelineParallel) : 1;
    const N window = derivedLeaf(c.tokens, static_cast<double>(spanned), "overlapping_microbatches",
                                 Dimension::number, "1, or the stages of an interleaved schedule");
    const auto exposed = [&](CollectiveOp op, const N& bytesPerParameter, const N& compute,
                             const char* name) {
        const N bytes = named(parameters * bytesPerParameter, "sync_bytes", Dimension::bytes,
                              "per rank, before sharding");
        const CollectiveCost<N> cost = collectiveOnGroup(op, bytes, c.plan.dataGroup, c.fabric);
        const N tail = named(cost.seconds / in[Input::gradientBuckets], "last_bucket", Dimension::seconds);
        return named(exposedComm<N>(cost.seconds,
                                    named(compute * window, "overlap_window", Dimension::seconds),
                                    in[Input::overlapGradient], tail),
                     name, Dimension::seconds, "tail + max(0, time - tail - overlap x window)");
    };
    const N backward = slowest.backwardInput + slowest.backwardWeight;
    if (c.plan.sharding == Sharding::none) {
        out.reduceExposed = exposed(CollectiveOp::allReduce, in[Input::gradientReduceBytes], backward,
                                    "gradient_reduce_exposed");
    } else {
        out.reduceExposed = exposed(CollectiveOp::reduceScatter, in[Input::gradientReduceBytes], backward,
                                    "gradient_reduce_exposed");
        out.gatherExposed = exposed(CollectiveOp::allGather, in[Input::weightBytes], slowest.forward,
                                    "parameter_gather_exposed");
    }
    return out;
}

/// Composes a step from its layers: the slowest stage works through every microbatch; while the pipeline
/// fills and drains it waits for the others. Equal stages give the closed forms of Narayanan et al. 2021
/// (arXiv 2104.04473).
template <class N>
void trainingStep(const LayerContext<N>& c, TotalsT<N>& out) {
    const InputsT<N>& in = c.in;
    stageCosts(c, out);
    const auto part = [&out](StepPart p) -> N& { return out.parts[static_cast<std::size_t>(p)]; };
    out.microbatches = named(in[Input::globalBatch] / (in[Input::dataParallel] * in[Input::microBatch]),
                             "microbatches", Dimension::number, "global batch / (data x micro-batch)");
    const StageCost<N>& slowest = out.stages[static_cast<std::size_t>(out.slowestStage)];
    const N layers = derivedLeaf(c.tokens, slowest.layers, "slowest_stage_layers", Dimension::number,
                                 "layers dealt to the slowest stage");
    const bool first = out.slowestStage == 0, last = out.slowestStage == out.stageCount - 1;
    const auto work = [&](Bound bound, const char* name) {
        N perMicrobatch = layers * named(out.transformer.byBound[bound], "layer_share", Dimension::seconds);
        if (first) {
            perMicrobatch += named(out.embedding.byBound[bound], "embedding_share", Dimension::seconds);
        }
        if (last) {
            perMicrobatch += named(out.head.byBound[bound], "head_share", Dimension::seconds);
        }
        return named(out.microbatches * perMicrobatch, name, Dimension::seconds,
                     "slowest stage, all microbatches");
    };
    part(StepPart::compute) = work(Bound::compute, "compute_time");
    part(StepPart::hbm) = work(Bound::hbm, "hbm_time");
    part(StepPart::launch) = work(Bound::latency, "launch_time");
    part(StepPart::tensorNvlink) = work(Bound::nvlink, "tensor_nvlink_time");
    part(StepPart::tensorNetwork) = work(c.fabric.network.kind, "tensor_network_time");

    if (c.plan.pipelineParallel > 1) {
        N others{};
        for (int i = 0; i < out.stageCount; ++i) {
            if (i != out.slowestStage) {
                others += out.stages[static_cast<std::size_t>(i)].seconds;
            }
        }
        N bubble = named(named(others, "other_stages_time", Dimension::seconds) / in[Input::virtualPipeline],
                         "fill_and_drain_time", Dimension::seconds, "(p - 1)(F + B)/v for equal stages");
        // With fewer microbatches than stages an interleaved schedule waits after every chunk but the last:
        // the first microbatch must come back from the last stage (exact: the simulated schedule gives the
        // same).
        if (const std::int64_t missing = c.plan.pipelineParallel - c.plan.microbatches;
            c.plan.virtualPipeline > 1 && missing > 0) {
            bubble += derivedLeaf(c.tokens, static_cast<double>(missing), "missing_microbatches",
                                  Dimension::number, "stages - microbatches") *
                      slowest.seconds * (in[Input::virtualPipeline] - 1) / in[Input::virtualPipeline];
        }
        part(StepPart::bubble) = named(bubble, "bubble_time", Dimension::seconds);
        const N bytes =
            named(c.tokens * in[Input::hiddenSize] * in[Input::activationBytes] / c.tensor, "transfer_bytes",
                  Dimension::bytes, "activations between stages, one slice a rank");
        const CollectiveCost<N> hop =
            collectiveOnGroup(CollectiveOp::sendReceive, bytes, c.plan.pipelineGroup, c.fabric);
        out.pipelineFabric = hop.fabric.value_or(Bound::nvlink);
        part(StepPart::pipelineTransfer) =
            named(2 * (in[Input::pipelineParallel] * in[Input::virtualPipeline] - 1) * hop.seconds,
                  "pipeline_transfer_time", Dimension::seconds,
                  "2 (p v - 1) hops while the pipeline fills and drains");
    }
    const GradientSync<N> sync = gradientSync(c, out);
    part(StepPart::gradientReduce) = sync.reduceExposed;
    part(StepPart::parameterGather) = sync.gatherExposed;
    const N sharedBy = c.plan.sharding == Sharding::zero1 ? in[Input::dataParallel] : N(1);
    part(StepPart::optimizer) =
        named(optimizerTime<N>(
                  named(slowest.parameters / sharedBy, "optimizer_parameters", Dimension::number),
                  in[Input::memoryBandwidth], in[Input::gemmMemoryEfficiency], in[Input::optimizerTraffic]),
              "optimizer_time", Dimension::seconds, "bytes read and written per parameter / HBM bandwidth");
    part(StepPart::overhead) = in[Input::stepOverhead];

    N busy{};
    for (std::size_t i = 0; i < stepParts.size(); ++i) {
        if (static_cast<StepPart>(i) != StepPart::straggler) {
            busy += out.parts[i];
        }
    }
    busy = named(busy, "step_without_stragglers", Dimension::seconds, "sum of the parts");
    const N slowestGpu = expectedMaxNormal<N>(N(1), in[Input::stragglerSpread], valueOf(in[Input::gpus]));
    part(StepPart::straggler) = named(busy * (slowestGpu - 1), "straggler_time", Dimension::seconds,
                                      "expected maximum of synchronised ranks, Blom");
    N step{};
    for (const N& each : out.parts) {
        step += each;
    }
    out.stepTime = named(step, "step_time", Dimension::seconds, "sum of the exclusive parts");
}

} // namespace alidade
