// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/pipeline_schedule.h"

#include <optional>
#include <string>

namespace alidade {

/// Chunks of layers on each device that a schedule is made for; 0: any number from 2 on.
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

/// Copies of the model's parameters that a pipeline keeps. DualPipe feeds it from both ends, so that each
/// device holds stage d of one direction and p - 1 - d of the other. (DualPipeV folds these into one model on
/// p devices.)
constexpr int parameterCopies(PipelineSchedule schedule) {
    return schedule == PipelineSchedule::dualPipe ? 2 : 1;
}

/// Why a schedule cannot run a pipeline, with what would be right; nothing if it can.
/// \param stages p; \param microbatches m; \param chunks v, of each device
std::optional<std::string> scheduleRefusal(PipelineSchedule schedule, int stages, std::int64_t microbatches,
                                           int chunks);

} // namespace alidade
