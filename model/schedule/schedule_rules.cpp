// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/schedule_rules.h"

#include "model/schedule/stage_times.h"

namespace alidade {

namespace {

std::string counted(std::int64_t n, const char* what) {
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

std::optional<std::string> refusedChunks(PipelineSchedule schedule, int chunks) {
    const std::string name(scheduleName(schedule));
    const int wanted = scheduleChunks(schedule);
    if (wanted == 0 && chunks < 2) {
        return "The " + name + " schedule needs at least 2 chunks of layers per stage, not " +
               std::to_string(chunks) + "; with 1 it is the 1f1b schedule";
    }
    if (wanted == 1 && chunks != 1) {
        return "The " + name + " schedule has 1 chunk of layers per stage, not " + std::to_string(chunks) +
               "; chunks need the interleaved schedule, or 2 of them zb-v or dualpipe-v";
    }
    if (wanted == 2 && chunks != 2) {
        return "The " + name + " schedule has 2 chunks of layers per stage, one on each arm of a V, not " +
               std::to_string(chunks);
    }
    return std::nullopt;
}

/// Both need enough micro-batches to fill the pipeline from both ends (asserted in deepseek-ai/DualPipe).
/// PyTorch's ScheduleDualPipeV has the same bound; its ScheduleZBVZeroBubble accepts any number and omits the
/// missing ones.
std::optional<std::string> refusedDualPipe(PipelineSchedule schedule, int stages, std::int64_t microbatches) {
    const bool bothWays = schedule == PipelineSchedule::dualPipe;
    const std::string name(scheduleName(schedule));
    if (bothWays && stages % 2 != 0) {
        return "The dualpipe schedule needs an even number of stages, not " + std::to_string(stages) +
               "; each device holds one stage of each direction";
    }
    if (microbatches < 2 * std::int64_t{stages}) {
        return "The " + name + " schedule needs at least " + std::to_string(2 * stages) +
               " micro-batches (twice the stages), not " + std::to_string(microbatches);
    }
    if (bothWays && microbatches % 2 != 0) {
        return "The dualpipe schedule needs an even number of micro-batches, half for each direction, not " +
               std::to_string(microbatches);
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> scheduleRefusal(PipelineSchedule schedule, int stages, std::int64_t microbatches,
                                           int chunks) {
    const std::string name(scheduleName(schedule));
    if (stages < 1 || microbatches < 1 || chunks < 1)
        return "A pipeline needs at least one stage, one micro-batch and one chunk of layers";
    if (stages > mostPipelineStages) {
        return "A pipeline may have at most " + counted(mostPipelineStages, "stage") + ", not " +
               std::to_string(stages);
    }
    if (schedule == PipelineSchedule::zeroBubbleH2) {
        return "The zb-h2 schedule lets each stage step its optimizer before the others are done; use zb-h1 "
               "or zb-v";
    }
    if (auto refused = refusedChunks(schedule, chunks))
        return refused;
    if (chunks > 1 && stages < 2)
        return "The " + name + " schedule needs at least 2 stages";
    // Interleaving: Megatron-Core requires at least as many micro-batches as stages (and, before its
    // micro-batch-group-size, a multiple of them), PyTorch's ScheduleInterleaved1F1B a multiple of the
    // rounds. The order of work exists for any number; the Llama 3 paper (section 3.3.2) uses such numbers.
    if (schedule == PipelineSchedule::dualPipe || schedule == PipelineSchedule::dualPipeV)
        return refusedDualPipe(schedule, stages, microbatches);
    return std::nullopt;
}

} // namespace alidade
