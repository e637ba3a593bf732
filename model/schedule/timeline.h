// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/schedule_orders.h"
#include "model/schedule/stage_times.h"

namespace alidade {

/// One operation on the clock; seconds from the start of the step.
struct PipelineEvent {
    int stage = 0;
    PipelineWork work = PipelineWork::forward;
    int microbatch = 0;
    int chunk = 0;
    double start = 0, end = 0;
    bool together =
        false; ///< a forward and a full backward that share their device and these times (DualPipe)
};

struct PipelineTimeline {
    double makespan = 0;               ///< s, until the last device is done
    std::vector<PipelineEvent> events; ///< those of one stage are in order of time
};

/// A pipeline with the seconds of each virtual stage: the forward, input-gradient and weight-gradient of one
/// microbatch through its layers, in the order of the model's layers; pipelineDevice says where each stands.
struct PipelinePlan {
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
    int stages = 1;
    int microbatches = 1;
    int chunks = 1;
    std::vector<StageSeconds<double>> virtualStages{}; ///< stages * chunks of them
    double transfer = 0;                               ///< s between two devices, exposed
    double combined = 1; ///< DualPipe: of a forward and a full backward that run together, / their sum
};

/// Splits the time of each stage evenly over its chunks.
std::vector<StageSeconds<double>> evenChunks(const std::vector<StageSeconds<double>>& stages, int chunks);

/// Forwards, input and weight gradients of a step beyond which simulate refuses: about 200 MB of events.
constexpr double mostTimelineOperations = 4e6;

/// The timeline of a step, for any schedule: each operation starts when its device is free and what it needs
/// is there. Refuses what scheduleRefusal refuses, more than mostTimelineOperations, and virtualStages that
/// do not match the counts.
Result<PipelineTimeline> simulate(const PipelinePlan& plan);

/// The same for whatever scheduleOrders orders, without a limit.
Result<PipelineTimeline> simulatePipeline(const PipelinePlan& plan);

/// V placement (the drawings of ZB-V and DualPipeV): device d holds virtual stages d and 2 stages - 1 - d. A
/// free device takes the first that is ready of backward, forward, weight gradient, the later virtual stage
/// first. `plan.schedule` and `plan.chunks` are not read. An upper bound for the published schedules.
/// \param liveChunks most chunk activations on a device, >= 2; 0: twice the stages
Result<PipelineTimeline> simulateV(const PipelinePlan& plan, int liveChunks = 0);

} // namespace alidade
