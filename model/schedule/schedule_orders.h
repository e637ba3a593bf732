// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/schedule/pipeline_schedule.h"

#include <vector>

namespace alidade {

/// The work of a device on one micro-batch. In an order without separate backwardWeight operations
/// (splitsBackward), backwardInput is the full backward; fullBackward is one in an order that has both.
enum class PipelineWork : std::uint8_t { forward, backwardInput, backwardWeight, fullBackward };

/// One operation of one device.
struct PipelineOp {
    PipelineWork work = PipelineWork::forward;
    int microbatch = 0;
    int chunk = 0; ///< 0..chunks-1; for DualPipe 0 or 1, the direction (pipelineStage returns the layers)
    bool together = false; ///< a forward and the fullBackward after it in the order run at the same time
};

/// Returns whether the schedule runs weight gradients as separate operations.
constexpr bool splitsBackward(PipelineSchedule schedule) {
    return schedule != PipelineSchedule::gpipe && schedule != PipelineSchedule::oneForwardOneBackward &&
           schedule != PipelineSchedule::interleaved;
}

/// Returns the operations of each device in order. Rejects what scheduleRefusal rejects, but allows one chunk
/// or one stage to be interleaved.
Result<std::vector<std::vector<PipelineOp>>> scheduleOrders(PipelineSchedule schedule, int stages,
                                                            int microbatches, int chunks = 1);

} // namespace alidade
