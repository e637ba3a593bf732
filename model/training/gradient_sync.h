// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/overlap.h"
#include "model/schedule/schedule_orders.h"
#include "model/training/training_memory.h"

namespace alidade {

/// Data-parallel traffic of a step: the seconds that compute leaves uncovered, and what is sent.
template <class N>
struct GradientSync {
    N reduceExposed{}, gatherExposed{};
    FixedList<CommCost<N>, 5> sent; ///< per GPU and step
};

namespace detail {

/// One collective of the data-parallel traffic: what it moves, over which ranks.
template <class N>
struct SyncTraffic {
    CollectiveOp op;
    N parameters;
    GroupKind kind;
    const GroupShape& group;
    N bytesPerParameter;
};

/// Seconds of collectives that follow each other.
template <class N>
struct SyncSeconds {
    N alone{};  ///< with the network cards for themselves: once the backward pass is over
    N shared{}; ///< alongside other traffic on the same cards; no less
    SyncSeconds& operator+=(const SyncSeconds& other) {
        alone += other.alone;
        shared += other.shared;
        return *this;
    }
};

/// \returns its seconds, and adds it to what is sent
template <class N>
SyncSeconds<N> syncSeconds(const LayerContext<N>& c, const SyncTraffic<N>& t, GradientSync<N>& out) {
    if (t.group.ranks <= 1 || valueOf(t.parameters) <= 0)
        return {};
    const N bytes = named(t.parameters * t.bytesPerParameter, "sync_bytes", Dimension::bytes,
                          "per rank, before sharding");
    GroupShape alone = t.group;
    alone.sharers = 1;
    const CollectiveCost<N> cost = c.stepCollective(t.op, bytes, alone);
    out.sent.push({.op = collectiveName(t.op),
                   .group = groupWord(GroupKind::data),
                   .kind = t.kind,
                   .phase = t.op == CollectiveOp::allGather ? Phase::forward : Phase::backwardWeight,
                   .fabric = cost.fabric.value_or(Bound::nvlink),
                   .algorithm = cost.algorithm,
                   .bytes = bytes,
                   .wireBytes = cost.wireBytes,
                   .networkBytes = cost.networkBytes,
                   .nvlinkBytes = cost.nvlinkBytes,
                   .seconds = cost.seconds});
    return {cost.seconds,
            t.group.sharers > 1 ? c.stepCollective(t.op, bytes, t.group).seconds : cost.seconds};
}

/// The part of an uncovered time that falls to each of the collectives from the `first` on.
template <class N>
void shareExposed(FixedList<CommCost<N>, 5>& sent, std::size_t first, const N& exposed, const N& seconds) {
    for (std::size_t i = first; i < sent.size(); ++i) {
        sent[i].exposed = named(exposed * sent[i].seconds / seconds, "exposed_communication",
                                Dimension::seconds, "in proportion to their times");
    }
}

} // namespace detail

/// Gradient reduction and parameter gathering of the data-parallel groups that compute leaves uncovered.
/// Gradients are reduced bucket by bucket under the last backward; with an interleaved schedule under those
/// of the last p micro-batches. What is gathered hides under the first forward passes in the same way. What
/// fully sharded layers move is part of the layers (sharded_layer.h).
template <class N>
GradientSync<N> gradientSync(const LayerContext<N>& c, const TotalsT<N>& totals) {
    using std::max;
    const InputsT<N>& in = c.in;
    const TrainingPlan& plan = c.plan;
    const bool inLayers = gathersLayers(plan) && plan.pipelineParallel == 1;
    // The stage that takes longest may be another one where the hardware is a little faster: means over the
    // stages keep what is hidden continuous. Where the backward pass is split, weight gradients fill what
    // would be idle and hide nothing.
    const bool split = splitsBackward(plan.schedule);
    N dense{}, experts{}, forward{}, backward{};
    for (int i = 0; i < totals.stageCount; ++i) {
        const StageCost<N>& stage = totals.stages[static_cast<std::size_t>(i)];
        dense = max(dense, stage.trainable);
        experts = max(experts, stage.trainableExperts);
        forward += stage.forward;
        backward += split ? stage.backwardInput : stage.backwardInput + stage.backwardWeight;
    }
    if (totals.stageCount > 1) {
        // Embedding and head may lengthen a stage that no other stage waits for: gradients of the others hide
        // under layers.
        for (const LayerCost<N>* outer : {&totals.embedding, &totals.head}) {
            forward = forward - outer->forward;
            backward =
                backward - (split ? outer->backwardInput : outer->backwardInput + outer->backwardWeight);
        }
        const N stages = c.count(totals.stageCount, "pipeline_stages");
        forward = named(forward / stages, "mean_stage_forward", Dimension::seconds, "one micro-batch");
        backward = named(backward / stages, "mean_stage_backward", Dimension::seconds, "one micro-batch");
    }
    const N replicated = dense;
    if (inLayers) { // embedding and head remain
        dense = plan.lora ? N{} : outerParameters(c);
        experts = N{};
    }
    const double copies = parameterCopies(plan.schedule); // a device of DualPipe holds two stages
    dense = copies * dense;
    experts = copies * experts;
    dense = named(dense, "largest_stage_parameters", Dimension::number);
    experts = named(experts, "largest_stage_expert_parameters", Dimension::number);
    // With fewer micro-batches than stages the places of the others are idle, but last as long.
    const int spanned = plan.virtualPipeline > 1 ? plan.pipelineParallel : 1;
    const N window = c.count(static_cast<double>(spanned), "overlapping_microbatches",
                             "1, or the stages of an interleaved schedule");
    // Under compute, traffic moves at the pace that it shares with others; what is left behind it, alone.
    const auto exposed = [&](const detail::SyncSeconds<N>& seconds, const N& compute, const char* name) {
        const N tail = named(seconds.alone / in[Input::gradientBuckets], "last_bucket", Dimension::seconds);
        N covered = named(compute * window, "overlap_window", Dimension::seconds);
        if (valueOf(seconds.shared) > valueOf(seconds.alone)) {
            covered = named(covered * seconds.alone / seconds.shared, "overlap_window_at_shared_pace",
                            Dimension::seconds, "other traffic uses the same network cards");
        }
        return named(exposedComm<N>(seconds.alone, covered, in[Input::overlapGradient], tail), name,
                     Dimension::seconds, "tail + max(0, time - tail - overlap x window)");
    };
    const bool sharded = plan.sharding != Sharding::none;
    GradientSync<N> out;
    const CollectiveOp reduce = sharded ? CollectiveOp::reduceScatter : CollectiveOp::allReduce;
    const N& gradient = in[Input::gradientReduceBytes];
    detail::SyncSeconds<N> seconds;
    if (reducesLayers(plan)) { // where they run
        seconds += detail::syncSeconds<N>(
            c, {reduce, plan.lora ? N{} : outerParameters(c), GroupKind::shard, plan.shardGroup, gradient},
            out);
    } else {
        seconds +=
            detail::syncSeconds<N>(c, {reduce, dense, GroupKind::shard, plan.shardGroup, gradient}, out);
        seconds += detail::syncSeconds<N>(
            c, {reduce, experts, GroupKind::expertData, plan.expertDataGroup, gradient}, out);
    }
    if (plan.reducesReplicas) {
        seconds += detail::syncSeconds<N>(c,
                                          {CollectiveOp::allReduce, replicated / in[Input::shardRanks],
                                           GroupKind::replica, plan.replicaGroup, gradient},
                                          out);
    }
    if (valueOf(seconds.alone) > 0) {
        out.reduceExposed = exposed(seconds, backward, "gradient_reduce_exposed");
        detail::shareExposed(out.sent, 0, out.reduceExposed, seconds.alone);
    }
    if (sharded) {
        const std::size_t first = out.sent.size();
        const N& bytes = in[Input::gatherBytes];
        // One after the other: they are kept in the order in which they are computed.
        detail::SyncSeconds<N> gather = detail::syncSeconds<N>(
            c, {CollectiveOp::allGather, dense, GroupKind::shard, plan.shardGroup, bytes}, out);
        gather += detail::syncSeconds<N>(
            c, {CollectiveOp::allGather, experts, GroupKind::expertData, plan.expertDataGroup, bytes}, out);
        if (valueOf(gather.alone) > 0) {
            out.gatherExposed = exposed(gather, forward, "parameter_gather_exposed");
            detail::shareExposed(out.sent, first, out.gatherExposed, gather.alone);
        }
    }
    return out;
}

} // namespace alidade
