// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/layer_memo.h"

#include "model/base/random.h"
#include "model/schedule/schedule_orders.h"
#include "model/training/sharded_layer.h"

#include <algorithm>
#include <bit>

namespace alidade {

namespace {

constexpr std::uint64_t pair(int a, int b) {
    return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
}

/// The choices of a plan that have no number.
std::uint64_t flagsOf(const TrainingPlan& plan) {
    std::uint64_t out = 0;
    const auto add = [&out](bool flag) { out = out << 1 | (flag ? 1 : 0); };
    const Recompute& r = plan.recompute;
    for (const bool flag : {r.full, r.everyOther, r.perOp, r.core, r.norms, r.product, r.mlp, r.experts,
                            r.sharedExperts, r.mlaUp}) {
        add(flag);
    }
    add(plan.sequenceParallel);
    add(splitsBackward(plan.schedule));
    add(gathersLayers(plan));
    add(reducesLayers(plan));
    add(plan.pipelineParallel == 1);
    add(plan.keepsGatheredInputs);
    return out << 8 | static_cast<std::uint64_t>(plan.contextKind);
}

} // namespace

void LayerMemo::Key::add(const GroupShape& group) {
    add(pair(group.ranks, group.ranksPerNvlinkDomain));
    add(pair(group.ranksPerNode, group.spannedDomains));
    for (const double each : {group.nicsPerRank, group.hops, group.sharers, group.crowding})
        add(std::bit_cast<std::uint64_t>(each));
}

LayerMemo::LayerMemo()
    : slots_(2 * most, 0) {}

LayerContext<double>& LayerMemo::contextOf(const TrainingPlan& plan, const Inputs& inputs,
                                           Bound networkKind) {
    if (context_ && &context_->plan == &plan && &context_->in == &inputs) {
        context_->setLayout();
    } else {
        context_.emplace(plan, inputs, networkKind);
        context_->memo = &collectives_;
    }
    return *context_;
}

LayerMemo::Key LayerMemo::keyOf(const LayerContext<double>& context) {
    const TrainingPlan& plan = context.plan;
    Key out;
    out.add(pair(plan.tensorParallel, plan.microBatch));
    out.add(pair(plan.contextParallel, plan.expertTensorParallel));
    out.add(pair(plan.expertParallel, 0));
    out.add(flagsOf(plan));
    out.add(std::bit_cast<std::uint64_t>(context.in[Input::expertImbalance]));
    // The shape of a group of one rank does not matter.
    if (plan.tensorParallel > 1)
        out.add(plan.tensorGroup);
    if (plan.contextParallel > 1)
        out.add(plan.contextGroup);
    if (plan.expertParallel > 1)
        out.add(plan.expertGroup);
    if (plan.expertTensorParallel > 1)
        out.add(plan.expertTensorGroup);
    if (plan.pipelineParallel == 1 && (gathersLayers(plan) || reducesLayers(plan))) {
        out.add(plan.shardGroup);
        out.add(plan.expertDataGroup);
    }
    return out;
}

std::size_t LayerMemo::slotOf(const Key& key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < 4; ++i) // the rest mostly follows from these
        hash = splitMix64(hash ^ key.words[i]);
    static_assert(std::has_single_bit(2 * most));
    constexpr std::size_t mask = 2 * most - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask)
        if (slots_[at] == 0 || keys_[slots_[at] - 1] == key)
            return at;
}

bool LayerMemo::recall(const LayerContext<double>& context, Totals& out) const {
    const std::uint32_t entry = slots_[slotOf(keyOf(context))];
    if (entry == 0)
        return false;
    const Layers& known = layers_[entry - 1];
    out.embedding.setTotals(known.embedding);
    out.head.setTotals(known.head);
    for (std::size_t k = 0; k < context.plan.kinds.size(); ++k) {
        out.layers[k].setTotals(known.layers[k]);
        out.holds[k] = known.holds[k];
    }
    if (context.in[Input::mtpDepth] > 0) {
        out.prediction.setTotals(known.prediction);
        out.predictionHolds = known.predictionHolds;
    }
    return true;
}

void LayerMemo::keep(const LayerContext<double>& context, const Totals& out) {
    if (keys_.size() == most)
        clearLayers();
    keys_.push_back(keyOf(context));
    Layers& known = layers_.emplace_back();
    known.embedding = out.embedding;
    known.head = out.head;
    for (std::size_t k = 0; k < context.plan.kinds.size(); ++k) {
        known.layers[k] = out.layers[k];
        known.holds[k] = out.holds[k];
    }
    known.prediction = out.prediction;
    known.predictionHolds = out.predictionHolds;
    slots_[slotOf(keys_.back())] = static_cast<std::uint32_t>(keys_.size());
}

void LayerMemo::clear() {
    context_.reset();
    clearLayers();
}

void LayerMemo::clearLayers() {
    if (keys_.empty())
        return;
    std::ranges::fill(slots_, 0);
    keys_.clear();
    layers_.clear();
    collectives_.clear();
}

} // namespace alidade
