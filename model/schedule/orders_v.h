// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/schedule_orders.h"

namespace alidade {

/// ZB-V in the order for F = B = W (Qi et al. 2024, arXiv 2401.10241 section 6, as PyTorch's
/// ScheduleZBVZeroBubble runs it): each weight gradient follows its input gradient, but for the drain. Chunk
/// 0 of a device is virtual stage `device`, chunk 1 is 2 stages - 1 - device.
std::vector<PipelineOp> zeroBubbleVOrder(int stages, int device, int microbatches);

/// DualPipe and DualPipeV (deepseek-ai/DualPipe): forwards and full backwards of the two chunks run together,
/// except where the pipeline fills and drains. For DualPipe `half` is half of the stages and a device stands
/// `position` from the nearer end; chunk 0 is the direction that enters there, with `microbatches` half of
/// the step's. For DualPipeV, which cuts that in half, `half` is the number of devices and `position` the
/// device.
std::vector<PipelineOp> dualPipeOrder(int half, int position, int microbatches);

} // namespace alidade
