// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

#include <string_view>

// Pipeline schedules: the order in which the devices of a pipeline work on the micro-batches of a step, and
// what each order keeps in memory. The room has three views of the same schedules: the order of operations
// (schedule_orders.h), the time of a step without playing it (critical_path.h, pipeline_idle.h), and the
// events for the timeline (timeline.h). All three start from the enumeration here, and scheduleRefusal()
// decides for all what cannot run, so that no two of them disagree on what a schedule is.
//
// Invariants: scheduleName() is the word of scenario files and never changes; inflight() equals the peak that
// the order of operations has (tests compare them); a schedule that no framework offers (zeroBubbleH2) has no
// order, and the resolver does not accept it.
// Threads: constants and pure functions only.
namespace alidade {

/// Order of work in a pipeline. F, B, W below: seconds of forward, input-gradient and weight-gradient of one
/// micro-batch on one device.
enum class PipelineSchedule : std::uint8_t {
    gpipe,                 ///< Huang et al. 2019
    oneForwardOneBackward, ///< "1f1b", Narayanan et al. 2021
    interleaved,           ///< 1F1B over v chunks of layers per device
    zeroBubbleH1,          ///< Qi et al. 2024, arXiv 2401.10241
    zeroBubbleH2,          ///< same; needs the optimizer's post-validation
    zeroBubbleV,           ///< Qi et al. 2024, arXiv 2405.15362
    dualPipe,              ///< deepseek-ai/DualPipe; two copies of the parameters
    dualPipeV,
};

/// Returns the word used in scenario files.
constexpr std::string_view scheduleName(PipelineSchedule schedule) {
    switch (schedule) {
    case PipelineSchedule::gpipe:
        return "gpipe";
    case PipelineSchedule::oneForwardOneBackward:
        return "1f1b";
    case PipelineSchedule::interleaved:
        return "interleaved";
    case PipelineSchedule::zeroBubbleH1:
        return "zb-h1";
    case PipelineSchedule::zeroBubbleH2:
        return "zb-h2";
    case PipelineSchedule::zeroBubbleV:
        return "zb-v";
    case PipelineSchedule::dualPipe:
        return "dualpipe";
    case PipelineSchedule::dualPipeV:
        return "dualpipe-v";
    }
    return {};
}

/// Returns the micro-batches that an interleaved schedule takes through a chunk before switching to the next:
/// the number of stages, or the next larger number that leaves no incomplete group (Megatron-Core's
/// micro-batch-group-size-per-virtual-pipeline-stage; a last group smaller than the stages would deadlock).
constexpr int interleavedGroup(int stages, std::int64_t microbatches) {
    int group = stages;
    while (microbatches > stages && microbatches % group != 0 && microbatches % group < stages)
        ++group;
    return group;
}

/// Returns the peak number of live micro-batch activations on a stage, in units of one full stage (layers /
/// stages). An activation lives until both gradients of its micro-batch and chunk are done. Agrees with
/// `simulate`.
/// \param stages p; \param stage 0..p-1, the device; \param micro-batches m; \param chunks v, interleaved
/// only
constexpr double inflight(PipelineSchedule schedule, int stages, int stage, int microbatches,
                          int chunks = 1) {
    const auto atMost = [microbatches](int cap) { return static_cast<double>(std::min(microbatches, cap)); };
    switch (schedule) {
    case PipelineSchedule::gpipe:
        return microbatches;
    case PipelineSchedule::oneForwardOneBackward:
        return atMost(stages - stage);
    case PipelineSchedule::interleaved:
        return static_cast<double>(
                   std::min(microbatches * chunks, (chunks - 1) * interleavedGroup(stages, microbatches) +
                                                       2 * (stages - stage - 1) + 1)) /
               chunks;
    case PipelineSchedule::zeroBubbleH1:
        return atMost(stages);
    case PipelineSchedule::zeroBubbleV: // both chunks of each micro-batch until the first gradients return
        return std::min(atMost(stages), (microbatches + stage + 1) / 2.0);
    case PipelineSchedule::zeroBubbleH2:
        return atMost(2 * stages - 1);
    case PipelineSchedule::dualPipe:
        return atMost(stages + 1);
    case PipelineSchedule::dualPipeV: // twice the stages at half the size, plus one, as in DualPipe
        return atMost(stages) + 0.5;
    }
    return microbatches;
}

} // namespace alidade
