// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/timeline.h"
#include "tests/data/sample_estimate.h"
#include "views/timeline/timeline_data.h"

namespace alidade::sample_timeline {

struct Shape {
    int stages = 4, chunks = 1, microbatches = 8;
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
};

inline char kindOf(PipelineWork work) {
    return work == PipelineWork::forward ? 'F' : work == PipelineWork::backwardWeight ? 'W' : 'B';
}

/// The sample with a timeline that was really played: forward 1 ms, backward 2 ms a stage.
inline Estimate played(const Shape& shape) {
    Estimate estimate = sample::estimate();
    PipelinePlan plan{.schedule = shape.schedule,
                      .stages = shape.stages,
                      .microbatches = shape.microbatches,
                      .chunks = shape.chunks,
                      .virtualStages = {},
                      .transfer = 0};
    plan.virtualStages = evenChunks(
        std::vector<StageSeconds<double>>(static_cast<std::size_t>(shape.stages), {1e-3, 1e-3, 1e-3}),
        shape.chunks);
    const PipelineTimeline timeline = *simulatePipeline(plan);
    Training& training = *estimate.training;
    for (const PipelineEvent& e : timeline.events)
        training.timeline.push_back({e.stage, e.microbatch, e.chunk, kindOf(e.work), e.start, e.end});
    training.stages.resize(static_cast<std::size_t>(shape.stages), training.stages.front());
    for (int i = 0; i < shape.stages; ++i)
        training.stages[static_cast<std::size_t>(i)].stage = i;
    training.timelineMakespan = timeline.makespan;
    training.timelineClosedForm = timeline.makespan * 1.001;
    training.stepTime = training.timelineClosedForm;
    estimate.scenario.plan.schedule = std::string(scheduleName(shape.schedule));
    return estimate;
}

inline constexpr Shape large{16, 8, 512, PipelineSchedule::interleaved};

inline int indexOf(const views::TimelineData& data, int stage, int microbatch, char kind, int chunk = 0) {
    for (int i = data.first(stage); i < data.first(stage + 1); ++i) {
        const TimelineEvent& e = data.events()[static_cast<std::size_t>(i)];
        if (e.microbatch == microbatch && e.kind == kind && e.chunk == chunk)
            return i;
    }
    return -1;
}

inline const TimelineEvent& at(const views::TimelineData& data, int event) {
    return data.events()[static_cast<std::size_t>(event)];
}

} // namespace alidade::sample_timeline
