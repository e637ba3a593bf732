// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/stage_times.h"

#include <type_traits>
#include <vector>

namespace alidade {

/// Returns the seconds from the first forward to the last operation of a step: the longest chain of dependent
/// operations. This is the makespan of `simulate`: exactly for equal stages (nearly, with transfers on a V)
/// and for GPipe and 1F1B with any times; within 1 % for uneven stages of equal chunks with an embedding and
/// a head (in thousands of random plans, one interleaved plan in a thousand exceeds this, by 0.3 %). It may
/// be too short if the chunks of one stage differ a lot. Does not allocate; the run time does not depend on
/// the number of micro-batches.
double criticalPath(const PipelineTimes<double>& pipeline);

/// The same without and with transfers between the stages.
struct CriticalPaths {
    double without = 0, with = 0;
};
CriticalPaths criticalPaths(const PipelineTimes<double>& pipeline);

/// How often that chain contains each entry of `PipelineTimes::times`.
struct PathShare {
    double forward = 0, backwardInput = 0, backwardWeight = 0;
};
std::vector<PathShare> criticalPathShares(const PipelineTimes<double>& pipeline);

struct BusiestDevice {
    int device = 0;
    double seconds = 0; ///< of work per step
};
BusiestDevice busiestDevice(const PipelineTimes<double>& pipeline);

/// Seconds of a step beyond the work of its busiest device. The step takes that work - overlapped + bubble +
/// transfer.
template <class N>
struct PipelineIdle {
    N bubble = 0;     ///< wait of the busiest device while the pipeline fills and drains, without transfers
    N transfer = 0;   ///< added by transfers between stages
    N overlapped = 0; ///< saved by running forwards and backwards together (DualPipe with combined < 1)
    int busiest = 0;  ///< device with the most work
};

/// Returns what a device of DualPipe or DualPipe-V saves by running forwards and backwards together; 0 for
/// other schedules.
template <class N>
N overlappedWork(const PipelineTimes<N>& pipeline, int device) {
    const bool bothWays = pipeline.schedule == PipelineSchedule::dualPipe;
    if (pipeline.combined == 1 || !(bothWays || pipeline.schedule == PipelineSchedule::dualPipeV))
        return 0;
    const int folded = bothWays ? pipeline.stages / 2 : pipeline.stages;
    const int early = bothWays ? std::min(device, pipeline.stages - 1 - device) : device;
    const int late = 2 * folded - 1 - early;
    const double n = microbatchesPerStage(pipeline);
    const double downs = n - 2 * folded + early + (early == folded - 1 ? 0 : 1), ups = n - folded;
    const VirtualTimes<N> t(pipeline);
    return (1 - pipeline.combined) *
           (downs * (t.forward(early) + t.backward(late)) + ups * (t.forward(late) + t.backward(early)));
}

namespace detail {

/// Returns the bubble as a sum over the stages: the work of each in the longest chain, minus the busiest
/// device's work.
inline Traced tracedBubble(const PipelineTimes<Traced>& pipeline, const PipelineTimes<double>& plain,
                           int busiest) {
    const std::vector<PathShare> shares = criticalPathShares(plain);
    const double all = microbatchesPerStage(plain);
    Traced others, own;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        const bool busy = worksOn(plain, busiest, static_cast<int>(k));
        Traced& sum = busy ? own : others;
        const auto add = [&](double times, const Traced& seconds) {
            const double more = busy ? times - all : times;
            if (std::abs(more) > 1e-9)
                sum += std::abs(more - 1) < 1e-9 ? seconds : more * seconds;
        };
        add(shares[k].forward, pipeline.times[k].forward);
        add(shares[k].backwardInput, pipeline.times[k].backwardInput);
        add(shares[k].backwardWeight, pipeline.times[k].backwardWeight);
    }
    return named(others, "other_stages_time", Dimension::seconds,
                 "work of the other stages in the longest chain of dependent operations") +
           named(own, "busiest_stage_rest", Dimension::seconds,
                 "work of the busiest stage in that chain, minus all its work");
}

} // namespace detail

/// Returns the idle time of the busiest device of a pipeline that scheduleRefusal accepts. If N is Traced,
/// the bubble is the sum along the longest chain; for equal stages this is the closed form of the schedule's
/// paper, for 1F1B (p - 1)(F + B) of Narayanan et al. 2021 (arXiv 2104.04473).
template <class N>
PipelineIdle<N> pipelineIdle(const PipelineTimes<N>& pipeline) {
    PipelineIdle<N> out;
    if constexpr (std::is_same_v<N, double>) {
        const BusiestDevice busiest = busiestDevice(pipeline);
        const auto [path, withTransfers] = criticalPaths(pipeline);
        out.overlapped = overlappedWork(pipeline, busiest.device);
        const double idle = path - (busiest.seconds - out.overlapped);
        constexpr double rounding = 1e-12; // a schedule without a bubble has none, not -1e-16 s
        out.bubble = idle > rounding * path ? idle : 0;
        out.transfer = withTransfers - path;
        out.busiest = busiest.device;
    } else {
        std::vector<StageSeconds<double>> times;
        for (const StageSeconds<N>& t : pipeline.times)
            times.push_back({valueOf(t.forward), valueOf(t.backwardInput), valueOf(t.backwardWeight)});
        PipelineTimes<double> plain{pipeline.schedule, pipeline.stages, pipeline.microbatches,
                                    pipeline.chunks,   times,           valueOf(pipeline.transfer),
                                    pipeline.combined};
        const PipelineIdle<double> values = pipelineIdle(plain);
        plain.transfer = 0;
        out.busiest = values.busiest;
        out.overlapped = overlappedWork(pipeline, values.busiest);
        if (values.bubble > 0)
            out.bubble = detail::tracedBubble(pipeline, plain, values.busiest) + out.overlapped;
        if (values.transfer > 0) {
            out.transfer = derivedLeaf(pipeline.transfer, values.transfer / valueOf(pipeline.transfer),
                                       "exposed_transfers", Dimension::number,
                                       "hops between stages that lengthen the step") *
                           pipeline.transfer;
        }
    }
    return out;
}

} // namespace alidade
