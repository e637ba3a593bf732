// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/timeline.h"

#include "model/schedule/schedule_rules.h"

#include <cassert>
#include <limits>

namespace alidade {

namespace {

constexpr double pending = std::numeric_limits<double>::infinity();

/// The end of each forward and backward, by virtual stage and micro-batch; `pending` until then.
class EndTimes {
public:
    EndTimes(int virtualStages, int microbatches)
        : virtualStages_(static_cast<std::size_t>(virtualStages))
        , microbatches_(static_cast<std::size_t>(microbatches))
        , times_(2 * virtualStages_ * microbatches_, pending) {}

    double& at(bool forward, int virtualStage, int microbatch) {
        return times_[((forward ? 0 : virtualStages_) + static_cast<std::size_t>(virtualStage)) *
                          microbatches_ +
                      static_cast<std::size_t>(microbatch)];
    }

private:
    std::size_t virtualStages_, microbatches_;
    std::vector<double> times_;
};

/// Simulates the orders of all devices.
class Player {
public:
    Player(const PipelinePlan& plan, const std::vector<std::vector<PipelineOp>>& orders)
        : plan_(plan)
        , orders_(orders)
        , last_(static_cast<int>(plan.virtualStages.size()) - 1)
        , ends_(last_ + 1, plan.microbatches)
        , next_(orders.size())
        , clock_(orders.size()) {}

    PipelineTimeline play() {
        std::size_t left = 0;
        for (const auto& order : orders_)
            left += order.size();
        timeline_.events.reserve(left);
        while (timeline_.events.size() < left) {
            const std::size_t before = timeline_.events.size();
            for (int stage = 0; stage < plan_.stages; ++stage)
                advance(stage);
            if (timeline_.events.size() == before) {
                assert(false && "the order of operations waits for itself");
                break;
            }
        }
        timeline_.makespan = *std::max_element(clock_.begin(), clock_.end());
        return std::move(timeline_);
    }

private:
    /// Runs operations of one device until one depends on a device that is not yet that far.
    void advance(int stage) {
        const auto device = static_cast<std::size_t>(stage);
        const std::vector<PipelineOp>& order = orders_[device];
        while (next_[device] < order.size()) {
            const std::size_t first = next_[device], count = order[first].together ? 2 : 1;
            double start = clock_[device], seconds = 0;
            for (std::size_t i = first; i < first + count; ++i) {
                start = std::max(start, ready(order[i], stage));
                seconds += duration(order[i], stage);
            }
            if (start == pending)
                return;
            clock_[device] = start + (count == 2 ? plan_.combined * seconds : seconds);
            for (std::size_t i = first; i < first + count; ++i)
                finish(order[i], stage, start, clock_[device]);
            next_[device] += count;
        }
    }

    void finish(const PipelineOp& op, int stage, double start, double end) {
        if (op.work != PipelineWork::backwardWeight)
            ends_.at(op.work == PipelineWork::forward, virtualStage(op, stage), op.microbatch) = end;
        timeline_.events.push_back({stage, op.work, op.microbatch, op.chunk, start, end, op.together});
    }

    int virtualStage(const PipelineOp& op, int stage) const {
        return pipelineStage(plan_.schedule, plan_.stages, stage, op.chunk);
    }

    /// Returns when the input of an operation is on its device; `pending` if it is not computed yet.
    double ready(const PipelineOp& op, int stage) {
        const int k = virtualStage(op, stage);
        switch (op.work) {
        case PipelineWork::forward:
            return k == 0 ? 0 : arrival(true, k - 1, op, stage);
        case PipelineWork::backwardInput:
        case PipelineWork::fullBackward:
            return k == last_ ? ends_.at(true, last_, op.microbatch) : arrival(false, k + 1, op, stage);
        case PipelineWork::backwardWeight:
            return 0; // the device has already computed the input gradient
        }
        return pending;
    }

    double arrival(bool forward, int from, const PipelineOp& op, int stage) {
        // In DualPipe, consecutive stages of a direction are never on the same device.
        const bool stays = plan_.schedule != PipelineSchedule::dualPipe &&
                           pipelineDevice(plan_.schedule, plan_.stages, from) == stage;
        return ends_.at(forward, from, op.microbatch) + (stays ? 0 : plan_.transfer);
    }

    double duration(const PipelineOp& op, int stage) const {
        const StageSeconds<double>& t =
            plan_.virtualStages[static_cast<std::size_t>(virtualStage(op, stage))];
        switch (op.work) {
        case PipelineWork::forward:
            return t.forward;
        case PipelineWork::backwardInput:
            return splitsBackward(plan_.schedule) ? t.backwardInput : t.backwardInput + t.backwardWeight;
        case PipelineWork::backwardWeight:
            return t.backwardWeight;
        case PipelineWork::fullBackward:
            return t.backwardInput + t.backwardWeight;
        }
        return 0;
    }

    const PipelinePlan& plan_;
    const std::vector<std::vector<PipelineOp>>& orders_;
    const int last_;
    EndTimes ends_;
    std::vector<std::size_t> next_;
    std::vector<double> clock_;
    PipelineTimeline timeline_;
};

} // namespace

std::vector<StageSeconds<double>> evenChunks(const std::vector<StageSeconds<double>>& stages, int chunks) {
    std::vector<StageSeconds<double>> out;
    for (int chunk = 0; chunk < chunks; ++chunk)
        for (const auto& t : stages)
            out.push_back({t.forward / chunks, t.backwardInput / chunks, t.backwardWeight / chunks});
    return out;
}

Result<PipelineTimeline> simulatePipeline(const PipelinePlan& plan) {
    const auto orders = scheduleOrders(plan.schedule, plan.stages, plan.microbatches, plan.chunks);
    if (!orders)
        return Error{orders.error()};
    if (plan.virtualStages.size() !=
        static_cast<std::size_t>(plan.stages) * static_cast<std::size_t>(plan.chunks)) {
        return Error{"a timeline needs the times of all virtual stages (stages x chunks)"};
    }
    return Player(plan, *orders).play();
}

Result<PipelineTimeline> simulate(const PipelinePlan& plan) {
    if (auto refused = scheduleRefusal(plan.schedule, plan.stages, plan.microbatches, plan.chunks))
        return Error{std::move(*refused)};
    const double operations = 3.0 * plan.stages * plan.chunks * plan.microbatches;
    if (operations > mostTimelineOperations)
        return Error{"The timeline has too many operations to draw; use fewer micro-batches"};
    return simulatePipeline(plan);
}

} // namespace alidade
