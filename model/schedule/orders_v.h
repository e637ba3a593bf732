// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/schedule_orders.h"

namespace alidade {

/// Returns the ZB-V order for F = B = W (Qi et al. 2024, arXiv 2401.10241 section 6, as run by PyTorch's
/// ScheduleZBVZeroBubble): each weight gradient follows its input gradient, except in the drain. Chunk 0 of a
/// device is virtual stage `device`, chunk 1 is 2 stages - 1 - device.
std::vector<PipelineOp> zeroBubbleVOrder(int stages, int device, int microbatches);

/// Returns the order of DualPipe and DualPipe-V (deepseek-ai/DualPipe): forwards and full backwards of the
/// two chunks run together, except while the pipeline fills and drains. For DualPipe, `half` is half of the
/// stages and `position` is the device's distance from the nearer end; chunk 0 is the direction that enters
/// there, and `microbatches` is half of the step's. For DualPipe-V, which cuts the model in half, `half` is
/// the number of devices and `position` the device.
std::vector<PipelineOp> dualPipeOrder(int half, int position, int microbatches);

} // namespace alidade
