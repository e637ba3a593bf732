// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/bubble.h"

namespace alidade::reference {

/// Idle seconds per device of a pipeline with equal stages, as the schedules' papers state them; pipelineIdle
/// tells those of a step. For zeroBubbleV and DualPipe the two agree where F = B = W.
/// \param stages p; \param chunks v, used by the interleaved schedule
/// \param combined seconds of a forward and a full backward that run together (DualPipe); by default their
/// sum
template <class N>
N bubbleTime(PipelineSchedule schedule, const N& stages, const StageSeconds<N>& t, const N& chunks = N(1),
             const std::optional<N>& combined = {}) {
    using std::max;
    const N between = stages - 1;
    switch (schedule) {
    case PipelineSchedule::gpipe:
    case PipelineSchedule::oneForwardOneBackward:
        return between * t.total();
    case PipelineSchedule::interleaved:
        return between * t.total() / chunks;
    case PipelineSchedule::zeroBubbleH1:
        return between * (t.forward + t.backwardInput - t.backwardWeight);
    case PipelineSchedule::zeroBubbleH2:
        return between * max(N(0), t.forward + t.backwardInput - 2 * t.backwardWeight);
    case PipelineSchedule::zeroBubbleV:
        return between * t.forward / 2;
    case PipelineSchedule::dualPipe:
    case PipelineSchedule::dualPipeV:
        break;
    }
    const N together = combined ? *combined : t.total();
    const N fullBackward = t.backwardInput + t.backwardWeight;
    return (stages / 2 - 1) * (together + fullBackward - 3 * t.backwardWeight);
}

} // namespace alidade::reference
