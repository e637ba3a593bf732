// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/pipeline_schedule.h"

#include <optional>
#include <string>

namespace alidade {

/// Returns the chunks of layers per device that a schedule requires; 0: any number from 2 on.
constexpr int scheduleChunks(PipelineSchedule schedule) {
    switch (schedule) {
    case PipelineSchedule::interleaved:
        return 0;
    case PipelineSchedule::zeroBubbleV:
    case PipelineSchedule::dualPipeV:
        return 2;
    default:
        return 1;
    }
}

/// Returns the copies of the model's parameters in a pipeline. DualPipe feeds it from both ends, so that each
/// device holds stage d of one direction and p - 1 - d of the other. (DualPipe-V folds these into one model
/// on p devices.)
constexpr int parameterCopies(PipelineSchedule schedule) {
    return schedule == PipelineSchedule::dualPipe ? 2 : 1;
}

/// Returns why a schedule cannot run a pipeline, with a remedy; nullopt if it can.
/// \param stages p; \param micro-batches m; \param chunks v, of each device
std::optional<std::string> scheduleRefusal(PipelineSchedule schedule, int stages, std::int64_t microbatches,
                                           int chunks);

} // namespace alidade
