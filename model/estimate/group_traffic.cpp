// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/group_traffic.h"

#include "model/collectives/collective_op.h"
#include "model/serving/pool_model.h"
#include "model/training/step_cost.h"

#include <algorithm>
#include <string_view>

namespace alidade {

namespace {

TrafficPattern patternOf(const Communication& each) {
    if (each.kind == GroupKind::pipeline)
        return TrafficPattern::neighbors;
    const auto op = collectiveOf(each.op); // none: dispatch and combine of experts
    if (!op || op == CollectiveOp::allToAll)
        return TrafficPattern::allToAll;
    switch (each.algorithm) {
    case CollectiveAlgorithm::tree:
    case CollectiveAlgorithm::hierarchical:
        return TrafficPattern::tree;
    case CollectiveAlgorithm::pat:
        return TrafficPattern::pat;
    case CollectiveAlgorithm::lowLatency:
        return op == CollectiveOp::allReduce ? TrafficPattern::tree : TrafficPattern::ring;
    default:
        return TrafficPattern::ring;
    }
}

/// Adds up the collectives of each kind of group that take the same way.
class TrafficSum {
public:
    /// \param plan null: of a service
    TrafficSum(int stages, const TrainingPlan* plan)
        : stages_(stages)
        , plan_(plan) {}

    /// \param times that one GPU of the stage does it in a step
    void add(const Communication& each, int stage, double times) {
        Entry& entry = entryOf(each);
        const double sent = times * (each.networkBytes + each.nvlinkBytes);
        entry.traffic.bytesOnStage[static_cast<std::size_t>(stage)] += sent;
        entry.seconds[static_cast<std::size_t>(stage)] += times * each.seconds;
        entry.network += times * each.networkBytes;
        entry.sent += sent;
    }
    void addBoundary(const Communication& each, double bytes, double wrapBytes) {
        Entry& entry = entryOf(each);
        entry.traffic.bytesOnStage = {bytes};
        entry.traffic.wrapBytes = wrapBytes;
        entry.seconds[0] += each.seconds;
    }

    std::vector<GroupTraffic> take() {
        std::vector<GroupTraffic> out;
        for (Entry& entry : entries_) {
            entry.traffic.networkShare = entry.sent > 0 ? std::min(1.0, entry.network / entry.sent) : 0;
            entry.traffic.seconds = *std::ranges::max_element(entry.seconds);
            out.push_back(std::move(entry.traffic));
        }
        return out;
    }

private:
    struct Entry {
        GroupTraffic traffic;
        std::vector<double> seconds; ///< on each stage
        double network = 0, sent = 0;
    };

    Entry& entryOf(const Communication& each) {
        const GroupKind kind = toldAs(each.kind);
        const TrafficPattern pattern = patternOf(each);
        const auto found = std::ranges::find_if(
            entries_, [&](const Entry& e) { return e.traffic.kind == kind && e.traffic.pattern == pattern; });
        if (found != entries_.end())
            return *found;
        Entry& entry = entries_.emplace_back();
        entry.traffic.kind = kind;
        entry.traffic.pattern = pattern;
        entry.traffic.bytesOnStage.assign(static_cast<std::size_t>(stages_), 0);
        entry.seconds.assign(static_cast<std::size_t>(stages_), 0);
        return entry;
    }

    /// A part of the data group that is all of it goes by its name.
    GroupKind toldAs(GroupKind kind) const {
        const auto whole = [this](const GroupShape& part) { return part.ranks == plan_->dataGroup.ranks; };
        const bool all = plan_ && ((kind == GroupKind::shard && whole(plan_->shardGroup)) ||
                                   (kind == GroupKind::replica && whole(plan_->replicaGroup)));
        return all ? GroupKind::data : kind;
    }

    int stages_;
    const TrainingPlan* plan_;
    std::vector<Entry> entries_;
};

/// How often a stage runs each layer of the estimate for a micro-batch.
class LayerTimes {
public:
    LayerTimes(const Training& training, const Scenario& scenario)
        : scenario_(scenario)
        , kinds_(scenario.plan.kinds.size())
        , last_(training.layers.size() - 1) {}

    double operator()(std::size_t layer, int stage) const {
        const TrainingPlan& plan = scenario_.plan;
        if (plan.schedule != PipelineSchedule::dualPipe || plan.pipelineParallel == 1)
            return onStage(layer, stage);
        // Half of the micro-batches run through each of the two stages of a device.
        return (onStage(layer, stage) + onStage(layer, plan.pipelineParallel - 1 - stage)) / 2;
    }

private:
    double onStage(std::size_t layer, int stage) const {
        if (layer == 0)
            return stage == 0 ? 1 : 0;
        if (layer <= kinds_)
            return scenario_.plan.stageKinds[static_cast<std::size_t>(stage)][layer - 1];
        const int times = layer == last_ ? 1 : scenario_.model.mtpLayers;
        return stage == headStage(scenario_.plan) ? times : 0;
    }

    const Scenario& scenario_;
    std::size_t kinds_, last_;
};

/// Share of the fullest stage's gradients that each stage has.
std::vector<double> gradientShares(const Estimate& estimate, std::size_t stages) {
    std::vector<double> out(stages, 0);
    double most = 0;
    for (std::size_t i = 0; estimate.memory && i < std::min(stages, estimate.memory->stages.size()); ++i) {
        for (const auto& part : estimate.memory->stages[i].parts) {
            if (part.name == memoryKindNames[static_cast<std::size_t>(MemoryKind::gradients)]) {
                out[i] = part.bytes;
                most = std::max(most, part.bytes);
            }
        }
    }
    for (double& share : out)
        share = most > 0 ? share / most : 1;
    return out;
}

std::vector<GroupTraffic> trainingTraffic(const Estimate& estimate, const Scenario& scenario) {
    const Training& training = *estimate.training;
    const TrainingPlan& plan = scenario.plan;
    const int stages = plan.pipelineParallel;
    TrafficSum sum(stages, &plan);
    const LayerTimes times(training, scenario);
    for (int stage = 0; stage < stages; ++stage) {
        for (std::size_t layer = 0; layer < training.layers.size(); ++layer) {
            const double runs = times(layer, stage) * training.microbatches;
            for (const Communication& each : training.layers[layer].communication) {
                const bool halved = plan.recompute.everyOther && each.phase == Phase::recompute;
                if (runs > 0)
                    sum.add(each, stage, halved ? runs / 2 : runs);
            }
        }
    }
    const std::vector<double> shares = gradientShares(estimate, static_cast<std::size_t>(stages));
    const int chunks = chunksPerStage(plan);
    for (const Communication& each : training.communication) {
        if (each.kind == GroupKind::pipeline) {
            const double once = each.bytes * training.microbatches;
            const bool wraps = plan.schedule == PipelineSchedule::interleaved;
            sum.addBoundary(each, once * chunks, wraps ? once * (chunks - 1) : 0);
            continue;
        }
        for (int stage = 0; stage < stages; ++stage)
            sum.add(each, stage, shares[static_cast<std::size_t>(stage)]);
    }
    return sum.take();
}

std::vector<GroupTraffic> servingTraffic(const Estimate& estimate, const Scenario& scenario,
                                         std::size_t pool) {
    const Serving& serving = *estimate.serving;
    const ServingPlan& plan = scenario.pools[pool].plan;
    const bool decoding = decodes(plan, scenario.pools[pool].inputs);
    const auto& layers = decoding ? serving.layers : serving.prefillLayers;
    const double stages = plan.pipelineParallel;
    TrafficSum sum(1, nullptr);
    for (const Layer& layer : layers)
        for (const Communication& each : layer.communication)
            sum.add(each, 0, layer.count / stages); // a stage has its part of the layers
    if (plan.pipelineParallel > 1) {
        const Inputs& in = scenario.pools[pool].inputs;
        const double rows =
            decoding ? serving.pools[pool].batch * (1 + in[Input::draftTokens]) : in[Input::chunkTokens];
        constexpr double activation = 2; // bytes: 16 bits between stages
        Communication between;
        between.kind = GroupKind::pipeline;
        // Tokens travel one way only; each boundary counts both ways.
        sum.addBoundary(between,
                        rows / plan.attentionDataParallel * in[Input::hiddenSize] * activation /
                            plan.tensorParallel / 2,
                        0);
    }
    return sum.take();
}

} // namespace

std::vector<GroupTraffic> groupTraffic(const Estimate& estimate, const Scenario& scenario, std::size_t pool) {
    if (estimate.training && pool == 0)
        return trainingTraffic(estimate, scenario);
    if (estimate.serving && pool < scenario.pools.size() && pool < estimate.serving->pools.size())
        return servingTraffic(estimate, scenario, pool);
    return {};
}

double trafficStepSeconds(const Estimate& estimate, std::size_t pool) {
    if (estimate.training)
        return estimate.training->stepTime;
    return estimate.serving && pool < estimate.serving->pools.size() ? estimate.serving->pools[pool].stepTime
                                                                     : 0;
}

} // namespace alidade
