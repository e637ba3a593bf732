// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/training/schedule/pipeline_schedule.h"

#include <vector>

namespace alidade {

/// What a device does with one microbatch. Where an order has no backwardWeight of its own, backwardInput
/// stands for the full backward.
enum class PipelineWork : std::uint8_t { forward, backwardInput, backwardWeight };

/// One operation of one device.
struct PipelineOp {
    PipelineWork work = PipelineWork::forward;
    int microbatch = 0;
    int chunk = 0; ///< 0..chunks-1; the layers of virtual stage chunk * stages + stage
};

/// True if the schedule runs weight gradients as operations of their own.
constexpr bool splitsBackward(PipelineSchedule schedule) {
    return schedule != PipelineSchedule::gpipe && schedule != PipelineSchedule::oneForwardOneBackward &&
           schedule != PipelineSchedule::interleaved;
}

/// For each device the operations in their order. stages, microbatches, chunks >= 1. Refuses chunks
/// without interleaving, and schedules that are not a fixed order (zb-h2, zb-v, DualPipe).
Result<std::vector<std::vector<PipelineOp>>> scheduleOrders(PipelineSchedule schedule, int stages,
                                                            int microbatches, int chunks = 1);

} // namespace alidade
