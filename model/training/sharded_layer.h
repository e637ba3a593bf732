// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/layer_builder.h"
#include "model/training/layer_memory.h"
#include "model/training/layer_parameters.h"

namespace alidade {

/// True where the weights of a layer exist whole only while it runs (ZeRO-3, FSDP). With a pipeline they stay
/// gathered for the whole step: a stage runs its layers for every micro-batch.
inline bool gathersLayers(const TrainingPlan& plan) { return plan.sharding == Sharding::zero3; }

/// True where ZeRO-2 reduces the gradients of a layer as soon as they exist and keeps its shard alone. With a
/// pipeline they stay whole and are reduced once, behind the last micro-batch: what PyTorch's pipeline stages
/// do with FSDP2 (torch.distributed.pipelining, stage.py: backward_maybe_with_nosync). Reducing in each
/// micro-batch would save their memory for as many times the traffic.
inline bool reducesLayers(const TrainingPlan& plan) {
    return plan.sharding == Sharding::zero2 && plan.pipelineParallel == 1;
}

/// Weights gathered for each pass of a layer, gradients scattered behind it: per layer the traffic hides
/// under a share of the layer's own compute (prefetching one layer ahead; Zhao et al. 2023, arXiv
/// 2304.11277).
template <class N>
void shardedLayerTraffic(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    const bool gather = gathersLayers(c.plan) && c.plan.pipelineParallel == 1;
    const bool scatter = gather || reducesLayers(c.plan);
    if (!scatter)
        return;
    using std::max;
    const InputsT<N>& in = c.in;
    const HeldParameters<N> held = layerParameters(c, kind);
    const HeldParameters<N> trained = c.plan.lora ? adapterParameters(c, kind) : held;
    struct Transfer {
        CollectiveOp op;
        Phase phase;
        bool gradients;
    };
    const auto pass = [&](Phase phase, const N& compute, std::initializer_list<Transfer> transfers) {
        N window = named(compute * in[Input::overlapGradient], "overlap_window", Dimension::seconds);
        for (const Transfer& t : transfers) {
            const auto send = [&](GroupKind kind, const GroupShape& group, const N& parameters) {
                if (group.ranks <= 1 || valueOf(parameters) <= 0)
                    return;
                const N bytes =
                    named(parameters * in[t.gradients ? Input::gradientReduceBytes : Input::gatherBytes],
                          "layer_sync_bytes", Dimension::bytes);
                CollectiveCost<N> cost = collectiveOnGroup(t.op, bytes, group, c.fabric);
                if (!group.insideOneDomain()) { // parameter by parameter, through buffers that are copied
                    cost.seconds =
                        named(cost.seconds / in[Input::layerGatherEfficiency], "layer_transfer_time",
                              Dimension::seconds, "time of one collective / efficiency");
                }
                const N exposed = named(max(N(0), cost.seconds - window), "uncovered_transfer",
                                        Dimension::seconds, "max(0, time - window that is left)");
                window = max(N(0), window - cost.seconds);
                LayerGroup traffic = t.gradients ? reduceTraffic : gatherTraffic;
                traffic.kind = kind;
                layer.communication(traffic, collectiveName(t.op), phase, bytes, cost, exposed);
            };
            send(GroupKind::shard, c.plan.shardGroup, t.gradients ? trained.dense : held.dense);
            send(GroupKind::expertData, c.plan.expertDataGroup, t.gradients ? trained.experts : held.experts);
        }
    };
    const Transfer gatherForward{CollectiveOp::allGather, Phase::forward, false};
    const Transfer gatherBackward{CollectiveOp::allGather, Phase::backwardInput, false};
    const Transfer reduce{CollectiveOp::reduceScatter, Phase::backwardInput, true};
    const N forward = layer.elapsed(Phase::forward),
            backward = layer.elapsedBackward() + layer.elapsed(Phase::recompute);
    if (gather) {
        pass(Phase::forward, forward, {gatherForward});
        pass(Phase::backwardInput, backward, {gatherBackward, reduce});
    } else {
        pass(Phase::backwardInput, backward, {reduce});
    }
}

/// Activations that are moved to the host behind the forward pass and fetched before the backward pass; the
/// layer's own compute hides them.
template <class N>
void offloadTraffic(const LayerContext<N>& c, const LayerKind& kind, LayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    if (valueOf(in[Input::offloadActivations]) <= 0)
        return;
    const N seconds = named(layerActivationBytes(c, kind) * in[Input::offloadActivations] /
                                (in[Input::hostBandwidth] * in[Input::hostEfficiency]),
                            "offload_time", Dimension::seconds, "one way over the link to the host");
    layer.offload(Phase::forward, exposedComm(seconds, layer.elapsed(Phase::forward)));
    layer.offload(Phase::backwardInput,
                  exposedComm(seconds, layer.elapsedBackward() + layer.elapsed(Phase::recompute)));
}

} // namespace alidade
