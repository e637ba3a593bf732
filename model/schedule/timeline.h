// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/schedule_orders.h"
#include "model/schedule/stage_times.h"

// The events of a step for the timeline view and for tests.
//
// simulate() takes the order of each device from schedule_orders.h and starts every operation as soon as its
// device is free and its inputs have arrived; it makes no choices itself. The estimate does not use it:
// its cost grows with stages x micro-batches, while criticalPath() gives the makespan at a cost that does not
// depend on the micro-batches. The simulation is what criticalPath() is held to, and what a person sees.
//
// Invariants: events of a device do not overlap; no operation starts before what it needs has ended, transfer
// included; every device does each of its operations once.
// Threads: pure functions of any thread. A large step takes seconds, so the window calls them on a worker.
namespace alidade {

/// One timed operation; seconds from the start of the step.
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
    double makespan = 0;               ///< seconds until the last device is done
    std::vector<PipelineEvent> events; ///< in chronological order within each stage
};

/// A pipeline with the seconds of each virtual stage: the forward, input gradient and weight gradient of one
/// micro-batch through its layers, in the order of the model's layers. pipelineDevice returns the device of
/// each.
struct PipelinePlan {
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
    int stages = 1;
    int microbatches = 1;
    int chunks = 1;
    std::vector<StageSeconds<double>> virtualStages{}; ///< stages * chunks of them
    double transfer = 0;                               ///< exposed seconds between two devices
    double combined = 1; ///< DualPipe: time of a combined forward and backward / sum of both
};

/// Splits the time of each stage evenly over its chunks.
std::vector<StageSeconds<double>> evenChunks(const std::vector<StageSeconds<double>>& stages, int chunks);

/// Maximum forwards, input and weight gradients of a step that simulate accepts: about 200 MB of events.
constexpr double mostTimelineOperations = 4e6;

/// Returns the timeline of a step for any schedule: each operation starts when its device is free and its
/// inputs have arrived. Rejects what scheduleRefusal rejects, more than mostTimelineOperations, and
/// virtualStages that do not match the counts.
Result<PipelineTimeline> simulate(const PipelinePlan& plan);

/// The same for everything that scheduleOrders accepts, without a limit.
Result<PipelineTimeline> simulatePipeline(const PipelinePlan& plan);

} // namespace alidade
