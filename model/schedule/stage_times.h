// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/bubble.h"

#include <span>

namespace alidade {

/// Maximum pipeline stages for the closed form of the idle time, whose scratch space is on the stack.
constexpr int mostPipelineStages = 256;

/// A pipeline and the seconds of one micro-batch on each part of it.
template <class N>
struct PipelineTimes {
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
    int stages = 1;                ///< p, devices; 1..mostPipelineStages
    std::int64_t microbatches = 1; ///< m of the step, >= 1
    int chunks = 1;                ///< v, chunks of layers on each device
    /// Either `stages` entries, each for a whole device with equal chunks; or stages * chunks entries in the
    /// order of the model's layers (virtual stages).
    std::span<const StageSeconds<N>> times{};
    N transfer = 0;      ///< exposed seconds between two devices
    double combined = 1; ///< DualPipe: time of a combined forward and backward / sum of both
};

/// Returns the device that holds a virtual stage. On a V, the second chunks run back up.
constexpr int pipelineDevice(PipelineSchedule schedule, int stages, int virtualStage) {
    const bool v = schedule == PipelineSchedule::zeroBubbleV || schedule == PipelineSchedule::dualPipeV;
    return v && virtualStage >= stages ? 2 * stages - 1 - virtualStage : virtualStage % stages;
}

/// Returns the virtual stage, which defines the layers of a device's operation. For DualPipe, the stage;
/// chunk is the direction.
constexpr int pipelineStage(PipelineSchedule schedule, int stages, int device, int chunk) {
    if (chunk == 1 && schedule == PipelineSchedule::dualPipe)
        return stages - 1 - device;
    const bool v = schedule == PipelineSchedule::zeroBubbleV || schedule == PipelineSchedule::dualPipeV;
    return v && chunk == 1 ? 2 * stages - 1 - device : chunk * stages + device;
}

/// Returns the micro-batches of the step that pass through one entry of `times`: half of them for DualPipe,
/// whose devices hold two stages.
template <class N>
double microbatchesPerStage(const PipelineTimes<N>& pipeline) {
    const bool halved = pipeline.schedule == PipelineSchedule::dualPipe;
    return static_cast<double>(pipeline.microbatches) / (halved ? 2 : 1);
}

/// Returns whether an entry of `times` is work of a device.
template <class N>
bool worksOn(const PipelineTimes<N>& pipeline, int device, int entry) {
    return pipelineDevice(pipeline.schedule, pipeline.stages, entry) == device ||
           (pipeline.schedule == PipelineSchedule::dualPipe && entry == pipeline.stages - 1 - device);
}

/// The times of virtual stages that are given one by one.
template <class N>
class DirectTimes {
public:
    explicit DirectTimes(const PipelineTimes<N>& pipeline)
        : times_(pipeline.times.data()) {}

    N forward(int k) const { return times_[k].forward; }
    N backwardInput(int k) const { return times_[k].backwardInput; }
    N backwardWeight(int k) const { return times_[k].backwardWeight; }
    N backward(int k) const { return times_[k].backwardInput + times_[k].backwardWeight; }
    N total(int k) const { return times_[k].total(); }

private:
    const StageSeconds<N>* times_;
};

/// The times by virtual stage, as the formulas read them, whichever way they were given.
template <class N>
class VirtualTimes {
public:
    explicit VirtualTimes(const PipelineTimes<N>& pipeline)
        : pipeline_(pipeline)
        , whole_(pipeline.times.size() == static_cast<std::size_t>(pipeline.stages))
        , share_(whole_ ? 1.0 / pipeline.chunks : 1) {}

    N forward(int k) const { return scaled(at(k).forward); }
    N backwardInput(int k) const { return scaled(at(k).backwardInput); }
    N backwardWeight(int k) const { return scaled(at(k).backwardWeight); }
    N backward(int k) const { return scaled(at(k).backwardInput + at(k).backwardWeight); }
    N total(int k) const { return scaled(at(k).total()); }

private:
    const StageSeconds<N>& at(int k) const {
        const int entry = whole_ ? pipelineDevice(pipeline_.schedule, pipeline_.stages, k) : k;
        return pipeline_.times[static_cast<std::size_t>(entry)];
    }
    N scaled(const N& seconds) const { return share_ == 1 ? seconds : share_ * seconds; }

    const PipelineTimes<N>& pipeline_;
    bool whole_;
    double share_;
};

} // namespace alidade
