// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/training/schedule/timeline.h"

#include <cassert>
#include <limits>

namespace alidade {

namespace {

constexpr double pending = std::numeric_limits<double>::infinity();

/// When each operation ended, by kind, virtual stage and microbatch; `pending` until then.
class EndTimes {
public:
    EndTimes(int virtualStages, int microbatches)
        : virtualStages_(static_cast<std::size_t>(virtualStages))
        , microbatches_(static_cast<std::size_t>(microbatches))
        , times_(3 * virtualStages_ * microbatches_, pending) {}

    double& at(PipelineWork work, int virtualStage, int microbatch) {
        return times_[(static_cast<std::size_t>(work) * virtualStages_ +
                       static_cast<std::size_t>(virtualStage)) *
                          microbatches_ +
                      static_cast<std::size_t>(microbatch)];
    }

private:
    std::size_t virtualStages_, microbatches_;
    std::vector<double> times_;
};

/// Plays the orders of all devices against each other.
class Player {
public:
    Player(const PipelinePlan& plan, const std::vector<std::vector<PipelineOp>>& orders)
        : plan_(plan)
        , orders_(orders)
        , last_(plan.stages * plan.chunks - 1)
        , ends_(last_ + 1, plan.microbatches)
        , next_(orders.size())
        , clock_(orders.size()) {}

    PipelineTimeline play() {
        std::size_t left = 0;
        for (const auto& order : orders_) {
            left += order.size();
        }
        timeline_.events.reserve(left);
        while (timeline_.events.size() < left) {
            const std::size_t before = timeline_.events.size();
            for (int stage = 0; stage < plan_.stages; ++stage) {
                advance(stage);
            }
            if (timeline_.events.size() == before) {
                assert(false && "the order of operations waits for itself");
                break;
            }
        }
        timeline_.makespan = *std::max_element(clock_.begin(), clock_.end());
        return std::move(timeline_);
    }

private:
    /// Runs operations of one device until one has to wait for another device that has not come that far.
    void advance(int stage) {
        const auto device = static_cast<std::size_t>(stage);
        for (; next_[device] < orders_[device].size(); ++next_[device]) {
            const PipelineOp& op = orders_[device][next_[device]];
            const int virtualStage = op.chunk * plan_.stages + stage;
            const double start = std::max(clock_[device], ready(op, virtualStage, stage));
            if (start == pending) {
                return;
            }
            clock_[device] = start + duration(op.work, virtualStage);
            ends_.at(op.work, virtualStage, op.microbatch) = clock_[device];
            timeline_.events.push_back({stage, op.work, op.microbatch, op.chunk, start, clock_[device]});
        }
    }

    /// When the input of an operation is on its device; `pending` if it has not been computed.
    double ready(const PipelineOp& op, int virtualStage, int stage) {
        switch (op.work) {
        case PipelineWork::forward:
            return virtualStage == 0 ? 0 : arrival(op.work, virtualStage - 1, op.microbatch, stage);
        case PipelineWork::backwardInput:
            return virtualStage == last_ ? ends_.at(PipelineWork::forward, last_, op.microbatch)
                                         : arrival(op.work, virtualStage + 1, op.microbatch, stage);
        case PipelineWork::backwardWeight:
            return ends_.at(PipelineWork::backwardInput, virtualStage, op.microbatch);
        }
        return pending;
    }

    double arrival(PipelineWork work, int fromStage, int microbatch, int stage) {
        return ends_.at(work, fromStage, microbatch) +
               (fromStage % plan_.stages != stage ? plan_.transfer : 0);
    }

    double duration(PipelineWork work, int virtualStage) const {
        const StageSeconds<double>& t = plan_.virtualStages[static_cast<std::size_t>(virtualStage)];
        switch (work) {
        case PipelineWork::forward:
            return t.forward;
        case PipelineWork::backwardInput:
            return splitsBackward(plan_.schedule) ? t.backwardInput : t.backwardInput + t.backwardWeight;
        case PipelineWork::backwardWeight:
            return t.backwardWeight;
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
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (const auto& t : stages) {
            out.push_back({t.forward / chunks, t.backwardInput / chunks, t.backwardWeight / chunks});
        }
    }
    return out;
}

Result<PipelineTimeline> simulatePipeline(const PipelinePlan& plan) {
    const auto orders = scheduleOrders(plan.schedule, plan.stages, plan.microbatches, plan.chunks);
    if (!orders) {
        return Error{orders.error()};
    }
    if (plan.virtualStages.size() !=
        static_cast<std::size_t>(plan.stages) * static_cast<std::size_t>(plan.chunks)) {
        return Error{"a timeline needs the times of each virtual stage: stages x chunks of them"};
    }
    return Player(plan, *orders).play();
}

PipelineSummary summarize(const PipelineTimeline& timeline, int stages) {
    std::vector<double> busy(static_cast<std::size_t>(stages));
    for (const PipelineEvent& event : timeline.events) {
        busy[static_cast<std::size_t>(event.stage)] += event.end - event.start;
    }
    const double bubble = timeline.makespan - *std::max_element(busy.begin(), busy.end());
    return {timeline.makespan, bubble, timeline.makespan > 0 ? bubble / timeline.makespan : 0};
}

} // namespace alidade
