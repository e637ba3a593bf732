// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/normal.h"
#include "model/schedule/pipeline_idle.h"
#include "model/training/decoder_layer.h"
#include "model/training/gradient_sync.h"

namespace alidade {

/// Calls `visit(layer cost, how many)` for everything that a stage executes for a micro-batch.
template <class N, class F>
void forEachOfStage(const LayerContext<N>& c, const TotalsT<N>& totals, int stage, F visit) {
    for (std::size_t k = 0; k < c.plan.kinds.size(); ++k)
        if (c.plan.stageKinds[static_cast<std::size_t>(stage)][k] > 0)
            visit(totals.layers[k], kindCount(c, stage, k));
    const N one(1);
    if (stage == 0)
        visit(totals.embedding, one);
    if (stage == headStage(c.plan)) {
        visit(totals.head, one);
        if (valueOf(c.in[Input::mtpDepth]) > 0)
            visit(totals.prediction, c.in[Input::mtpDepth]);
    }
}

/// A device of DualPipe holds a stage of each direction, d and p - 1 - d: what each counted twice for itself
/// is the mean of both, and logits are on both ends.
template <class N>
void shareMirrored(StageCost<N>& front, StageCost<N>& back) {
    using std::max;
    N total{};
    for (std::size_t k = 0; k < memoryKindNames.size(); ++k) {
        const bool logits = static_cast<MemoryKind>(k) == MemoryKind::logits;
        N shared = logits ? max(front.memory[k], back.memory[k]) : (front.memory[k] + back.memory[k]) / 2;
        shared =
            named(shared, "mirrored_stages_memory", Dimension::bytes, "stages d and p - 1 - d on one device");
        front.memory[k] = back.memory[k] = shared;
        total += shared;
    }
    front.memoryTotal = back.memoryTotal = named(total, "stage_memory", Dimension::bytes, "sum of the parts");
}

/// Whether two stages or chunks have as many layers of each kind. (The arrays have room for more kinds than
/// most models have, and this is asked for each of them in each plan of a search.)
inline bool sameLayers(const TrainingPlan& plan, const KindCounts& a, const KindCounts& b) {
    for (std::size_t k = 0; k < plan.kinds.size(); ++k)
        if (a[k] != b[k])
            return false;
    return true;
}

/// Whether a stage executes and holds the same as the one before it: only the micro-batches in flight differ.
inline bool isLikeBefore(const TrainingPlan& plan, int stage) {
    const int head = headStage(plan);
    const auto isInner = [&](int i) { return i > 0 && i != head; };
    const auto at = static_cast<std::size_t>(stage);
    return isInner(stage) && isInner(stage - 1) &&
           sameLayers(plan, plan.stageKinds[at], plan.stageKinds[at - 1]);
}

/// A stage but for its micro-batches in flight.
template <class N>
StageCost<N> ownStageCost(const LayerContext<N>& c, const TotalsT<N>& totals, int stage) {
    StageCost<N> s;
    s.layers = c.plan.stageLayers[static_cast<std::size_t>(stage)];
    forEachOfStage(c, totals, stage, [&s](const LayerTotals<N>& layer, const N& count) {
        s.forward += count * layer.forward;
        s.backwardInput += count * layer.backwardInput;
        s.backwardWeight += count * layer.backwardWeight;
    });
    s.forward = named(s.forward, "stage_forward", Dimension::seconds);
    s.backwardInput = named(s.backwardInput, "stage_backward_input", Dimension::seconds);
    s.backwardWeight = named(s.backwardWeight, "stage_backward_weight", Dimension::seconds);
    s.seconds = named(s.forward + s.backwardInput + s.backwardWeight, "stage_time", Dimension::seconds,
                      "one micro-batch through the stage");
    stageParameters(c, totals, stage, s);
    stateMemory(c, s);
    fixedMemory(c, totals, stage, s);
    return s;
}

enum class StagesOf : std::uint8_t {
    all,
    extremes, ///< those only that may be the slowest or need most memory; the others are left as they are
};

/// Times and memory of every stage; finds the slowest one and the one that needs most memory.
template <class N>
void stageCosts(const LayerContext<N>& c, TotalsT<N>& out, StagesOf wanted = StagesOf::all) {
    const int stages = c.plan.pipelineParallel;
    const bool mirrors = c.plan.schedule == PipelineSchedule::dualPipe;
    out.stageCount = stages;
    out.slowestStage = out.worstStage = 0;
    StageCost<N> own;
    int last = 0; // computed of the stages that are like this one
    const auto isWorse = [&out](int a, int b) {
        return valueOf(out.stages[static_cast<std::size_t>(a)].memoryTotal) >
               valueOf(out.stages[static_cast<std::size_t>(b)].memoryTotal);
    };
    for (int i = 0; i < stages; ++i) {
        if (!isLikeBefore(c.plan, i)) {
            own = ownStageCost(c, out, i);
        } else if (wanted == StagesOf::extremes && !mirrors &&
                   microbatchesInFlight(c.plan, i) <= microbatchesInFlight(c.plan, last)) {
            continue; // as slow as that one, and no more memory
        }
        last = i;
        StageCost<N>& s = out.stages[static_cast<std::size_t>(i)];
        s = own;
        peakMemory(c, out, i, s);
        if (valueOf(s.seconds) > valueOf(out.stages[static_cast<std::size_t>(out.slowestStage)].seconds))
            out.slowestStage = i;
        if (mirrors && 2 * i >= stages)
            shareMirrored(out.stages[static_cast<std::size_t>(stages - 1 - i)], s);
        else if (!mirrors && isWorse(i, out.worstStage))
            out.worstStage = i;
    }
    for (int i = 0; mirrors && i < stages; ++i) // each changes with its mirrored stage
        if (isWorse(i, out.worstStage))
            out.worstStage = i;
}

/// After stageCosts() of the extremes: gives the other stages what they have in common with the one before
/// them, which is all but the memory of activations.
template <class N>
void copyLikeStages(const TrainingPlan& plan, TotalsT<N>& out) {
    if (plan.schedule == PipelineSchedule::dualPipe)
        return; // they are there
    for (int i = 1; i < out.stageCount; ++i)
        if (isLikeBefore(plan, i))
            out.stages[static_cast<std::size_t>(i)] = out.stages[static_cast<std::size_t>(i) - 1];
}

/// Seconds of each virtual stage, in the order of the model's layers: what schedules and timelines work with.
/// \returns how many; the stages alone where there are too many chunks to keep apart
template <class N>
int virtualStageTimes(const LayerContext<N>& c, TotalsT<N>& out) {
    const TrainingPlan& plan = c.plan;
    const std::size_t count = plan.virtualStageKinds.size();
    if (count > out.virtualStages.size()) {
        for (int i = 0; i < out.stageCount; ++i) {
            const StageCost<N>& s = out.stages[static_cast<std::size_t>(i)];
            out.virtualStages[static_cast<std::size_t>(i)] = {s.forward, s.backwardInput, s.backwardWeight};
        }
        return out.stageCount;
    }
    for (std::size_t i = 0; i < count; ++i) {
        StageSeconds<N>& t = out.virtualStages[i];
        if (i > 1 && i + 1 < count &&
            sameLayers(plan, plan.virtualStageKinds[i], plan.virtualStageKinds[i - 1])) {
            t = out.virtualStages[i - 1];
            continue;
        }
        t = {};
        const auto add = [&t](const LayerTotals<N>& layer, const N& times) {
            t.forward += times * layer.forward;
            t.backwardInput += times * layer.backwardInput;
            t.backwardWeight += times * layer.backwardWeight;
        };
        for (std::size_t k = 0; k < plan.kinds.size(); ++k) {
            if (plan.virtualStageKinds[i][k] > 0) {
                add(out.layers[k],
                    c.count(plan.virtualStageKinds[i][k], "chunk_layers", "layers of the chunk"));
            }
        }
        if (i == 0)
            add(out.embedding, N(1));
        if (i + 1 == count) {
            add(out.head, N(1));
            if (valueOf(c.in[Input::mtpDepth]) > 0)
                add(out.prediction, c.in[Input::mtpDepth]);
        }
        t.forward = named(t.forward, "chunk_forward", Dimension::seconds, "one micro-batch");
        t.backwardInput =
            named(t.backwardInput, "chunk_backward_input", Dimension::seconds, "one micro-batch");
        t.backwardWeight =
            named(t.backwardWeight, "chunk_backward_weight", Dimension::seconds, "one micro-batch");
    }
    return static_cast<int>(count);
}

/// Waiting of the busiest stage while the pipeline fills and drains, and the transfers that nothing hides
/// then.
template <class N>
void pipelineParts(const LayerContext<N>& c, TotalsT<N>& out) {
    out.virtualStageCount = 0;
    if (c.plan.pipelineParallel <= 1)
        return;
    const InputsT<N>& in = c.in;
    const auto part = [&out](StepPart p) -> N& { return out.parts[static_cast<std::size_t>(p)]; };
    const N bytes = named(c.tokens * in[Input::hiddenSize] * in[Input::activationBytes] / c.tensor,
                          "transfer_bytes", Dimension::bytes, "activations between stages, one slice a rank");
    const CollectiveCost<N> hop = c.stepCollective(CollectiveOp::sendReceive, bytes, c.plan.pipelineGroup);
    out.pipelineFabric = hop.fabric.value_or(Bound::nvlink);
    out.pipelineHop = named(hop.seconds * (1 - in[Input::overlapPipeline]), "exposed_hop_time",
                            Dimension::seconds, "one transfer between stages");
    const int chunks = chunksPerStage(c.plan);
    const N sends = c.count(2.0 * static_cast<double>(c.plan.microbatches) * chunks, "stage_transfers",
                            "forward and backward, micro-batches x chunks");
    CommCost<N> sent{.op = collectiveName(CollectiveOp::sendReceive),
                     .group = groupWord(GroupKind::pipeline),
                     .kind = GroupKind::pipeline,
                     .phase = Phase::forward,
                     .fabric = out.pipelineFabric,
                     .bytes = bytes};
    sent.wireBytes = named(bytes * sends, "stage_transfer_bytes", Dimension::bytes, "of an inner stage");
    (c.plan.pipelineGroup.insideOneDomain() ? sent.nvlinkBytes : sent.networkBytes) = sent.wireBytes;
    sent.seconds = named(hop.seconds * sends, "stage_transfer_time", Dimension::seconds);
    out.virtualStageCount = virtualStageTimes(c, out);
    const PipelineTimes<N> times{
        c.plan.schedule,
        c.plan.pipelineParallel,
        c.plan.microbatches,
        chunks,
        std::span(out.virtualStages).first(static_cast<std::size_t>(out.virtualStageCount)),
        out.pipelineHop};
    const PipelineIdle<N> idle = pipelineIdle(times);
    out.slowestStage = idle.busiest;
    part(StepPart::bubble) = named(idle.bubble, "bubble_time", Dimension::seconds);
    part(StepPart::pipelineTransfer) =
        named(idle.transfer, "pipeline_transfer_time", Dimension::seconds, "hops that lengthen the step");
    sent.exposed = part(StepPart::pipelineTransfer);
    out.stepCommunication.push(sent);
}

/// Parameters that one rank of a stage updates.
template <class N>
N optimizerParameters(const LayerContext<N>& c, const StageCost<N>& stage) {
    const InputsT<N>& in = c.in;
    const bool sharded = c.plan.sharding != Sharding::none;
    return stage.trainable / (sharded ? in[Input::shardRanks] : N(1)) +
           stage.trainableExperts / (sharded ? in[Input::expertShardRanks] : N(1));
}

/// Seconds of the weight update, which the step waits for on the stage with most parameters. (Were it the
/// stage that is slowest, a faster GPU could make another one the slowest, and the step longer.)
template <class N>
N optimizerSeconds(const LayerContext<N>& c, const TotalsT<N>& totals) {
    const InputsT<N>& in = c.in;
    N largest{};
    for (int i = 0; i < totals.stageCount; ++i) {
        const N each = optimizerParameters(c, totals.stages[static_cast<std::size_t>(i)]);
        if (valueOf(each) > valueOf(largest))
            largest = each;
    }
    const N local = named(largest, "optimizer_parameters", Dimension::number, "of one rank");
    const N& offloaded = in[Input::offloadOptimizer];
    N seconds = named(optimizerTime<N>(local * (1 - offloaded), in[Input::memoryBandwidth],
                                       in[Input::gemmMemoryEfficiency], in[Input::optimizerTraffic]),
                      "optimizer_update_time", Dimension::seconds,
                      "bytes read and written per parameter / HBM bandwidth");
    if (valueOf(in[Input::optimizerFlops]) > 0) {
        seconds += named(local * in[Input::optimizerFlops] /
                             (in[Input::reportingPeak] * in[Input::gemmComputeEfficiency]),
                         "orthogonalisation_time", Dimension::seconds, "Newton-Schulz iterations of Muon");
    }
    if (valueOf(offloaded) > 0) {
        // 16 bytes a parameter travel (gradient, master weight, moments) and the host updates them.
        seconds += named(16 * local * offloaded / in[Input::hostOptimizerBandwidth], "host_optimizer_time",
                         Dimension::seconds, "16 bytes a parameter / host bandwidth");
    }
    return named(seconds, "optimizer_time", Dimension::seconds);
}

/// Composes a step from its stages: the busiest one works through every micro-batch; while the pipeline fills
/// and drains it waits for the others. \pre stageCosts()
template <class N>
void trainingStep(const LayerContext<N>& c, TotalsT<N>& out) {
    const InputsT<N>& in = c.in;
    const auto part = [&out](StepPart p) -> N& { return out.parts[static_cast<std::size_t>(p)]; };
    out.microbatches = named(in[Input::globalBatch] / (in[Input::dataParallel] * in[Input::microBatch]),
                             "microbatches", Dimension::number, "global batch / (data x micro-batch)");
    constexpr std::array<const char*, layerPartCount> names{"compute_time",         "hbm_time",
                                                            "launch_time",          "tensor_nvlink_time",
                                                            "tensor_network_time",  "context_nvlink_time",
                                                            "context_network_time", "expert_nvlink_time",
                                                            "expert_network_time",  "sharded_gather_time",
                                                            "sharded_reduce_time",  "offload_exposed_time"};
    out.stepCommunication.clear();
    pipelineParts(c, out);
    // DualPipe runs half of the micro-batches through each of the two stages that a device holds.
    const int mirrored = c.plan.pipelineParallel - 1 - out.slowestStage;
    const bool both = c.plan.schedule == PipelineSchedule::dualPipe && mirrored != out.slowestStage;
    std::array<N, layerPartCount> perMicrobatch{};
    const auto add = [&](const LayerTotals<N>& layer, const N& count) {
        for (std::size_t i = 0; i < layerPartCount; ++i)
            if (valueOf(layer.byPart.seconds[i]) != 0)
                perMicrobatch[i] += count * named(layer.byPart.seconds[i], "layer_share", Dimension::seconds);
    };
    forEachOfStage(c, out, out.slowestStage, add);
    if (both)
        forEachOfStage(c, out, mirrored, add);
    for (std::size_t i = 0; i < layerPartCount; ++i) {
        if (valueOf(perMicrobatch[i]) != 0) {
            out.parts[i] = named(out.microbatches * (both ? perMicrobatch[i] / 2 : perMicrobatch[i]),
                                 names[i], Dimension::seconds, "busiest stage, all micro-batches");
        }
    }
    const GradientSync<N> sync = gradientSync(c, out);
    part(StepPart::gradientReduce) = sync.reduceExposed;
    part(StepPart::parameterGather) = sync.gatherExposed;
    for (const CommCost<N>& each : sync.sent)
        out.stepCommunication.push(each);
    part(StepPart::optimizer) = optimizerSeconds(c, out);
    part(StepPart::overhead) = in[Input::stepOverhead];
    if (c.plan.referencePass) {
        part(StepPart::reference) =
            named(out.microbatches * out.stages[static_cast<std::size_t>(out.slowestStage)].forward,
                  "reference_time", Dimension::seconds, "a forward pass of every micro-batch");
    }

    N busy{};
    for (std::size_t i = 0; i < stepParts.size(); ++i)
        if (static_cast<StepPart>(i) != StepPart::straggler)
            busy += out.parts[i];
    busy = named(busy, "step_without_stragglers", Dimension::seconds, "sum of the parts");
    const N slowestGpu = expectedMaxNormal<N>(N(1), in[Input::stragglerSpread], valueOf(in[Input::gpus]));
    part(StepPart::straggler) = named(busy * (slowestGpu - 1), "straggler_time", Dimension::seconds,
                                      "expected maximum of synchronized ranks, Blom");
    N step{};
    for (const N& each : out.parts)
        step += each;
    out.stepTime = named(step, "step_time", Dimension::seconds, "sum of the exclusive parts");
}

} // namespace alidade
