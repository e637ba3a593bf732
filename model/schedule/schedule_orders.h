// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/schedule/pipeline_schedule.h"

#include <vector>

namespace alidade {

/// What a device does with one microbatch. Where an order has no backwardWeight of its own (splitsBackward),
/// backwardInput stands for the full backward; fullBackward is one in an order that has both.
enum class PipelineWork : std::uint8_t { forward, backwardInput, backwardWeight, fullBackward };

/// One operation of one device.
struct PipelineOp {
    PipelineWork work = PipelineWork::forward;
    int microbatch = 0;
    int chunk = 0; ///< 0..chunks-1; for DualPipe 0 or 1, the direction (pipelineStage says which layers)
    bool together = false; ///< a forward and the fullBackward after it in the order run at the same time
};

/// True if the schedule runs weight gradients as operations of their own.
constexpr bool splitsBackward(PipelineSchedule schedule) {
    return schedule != PipelineSchedule::gpipe && schedule != PipelineSchedule::oneForwardOneBackward &&
           schedule != PipelineSchedule::interleaved;
}

/// For each device the operations in their order. Refuses what scheduleRefusal refuses, except that one chunk
/// or one stage may be interleaved.
Result<std::vector<std::vector<PipelineOp>>> scheduleOrders(PipelineSchedule schedule, int stages,
                                                            int microbatches, int chunks = 1);

} // namespace alidade
