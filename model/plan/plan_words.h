// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/plan_word.h"
#include "model/hardware/hardware.h"
#include "model/plan/run_plan.h"
#include "model/plan/serving_plan.h"
#include "model/plan/training_plan.h"

#include <array>
#include <string_view>

namespace alidade {

// The words for a plan's choices, in the order of the scenario format. The field table offers them and the
// resolver reads them; there is no other list.

inline constexpr std::array shardingWords{
    PlanWord<Sharding>{"none", Sharding::none},   PlanWord<Sharding>{"zero1", Sharding::zero1},
    PlanWord<Sharding>{"zero2", Sharding::zero2}, PlanWord<Sharding>{"zero3", Sharding::zero3},
    PlanWord<Sharding>{"fsdp2", Sharding::zero3}, PlanWord<Sharding>{"hsdp", Sharding::zero3}};

inline constexpr std::array contextWords{PlanWord<ContextKind>{"ring", ContextKind::ring},
                                         PlanWord<ContextKind>{"all_gather", ContextKind::allGather},
                                         PlanWord<ContextKind>{"ulysses", ContextKind::ulysses}};

inline constexpr std::array precisionWords{PlanWord<Precision>{wordOf(Precision::fp16), Precision::fp16},
                                           PlanWord<Precision>{wordOf(Precision::bf16), Precision::bf16},
                                           PlanWord<Precision>{wordOf(Precision::fp8), Precision::fp8},
                                           PlanWord<Precision>{wordOf(Precision::mxfp8), Precision::mxfp8},
                                           PlanWord<Precision>{wordOf(Precision::nvfp4), Precision::nvfp4}};

inline constexpr std::array scheduleWords{
    PlanWord<PipelineSchedule>{scheduleName(PipelineSchedule::gpipe), PipelineSchedule::gpipe},
    PlanWord<PipelineSchedule>{scheduleName(PipelineSchedule::oneForwardOneBackward),
                               PipelineSchedule::oneForwardOneBackward},
    PlanWord<PipelineSchedule>{scheduleName(PipelineSchedule::interleaved), PipelineSchedule::interleaved},
    PlanWord<PipelineSchedule>{scheduleName(PipelineSchedule::zeroBubbleH1), PipelineSchedule::zeroBubbleH1},
    PlanWord<PipelineSchedule>{scheduleName(PipelineSchedule::zeroBubbleV), PipelineSchedule::zeroBubbleV},
    PlanWord<PipelineSchedule>{scheduleName(PipelineSchedule::dualPipe), PipelineSchedule::dualPipe},
    PlanWord<PipelineSchedule>{scheduleName(PipelineSchedule::dualPipeV), PipelineSchedule::dualPipeV}};

inline constexpr std::array phaseWords{PlanWord<ServingPhase>{"both", ServingPhase::both},
                                       PlanWord<ServingPhase>{"prefill", ServingPhase::prefill},
                                       PlanWord<ServingPhase>{"decode", ServingPhase::decode}};

inline constexpr std::array checkpointModeWords{
    PlanWord<CheckpointMode>{"async", CheckpointMode::async},
    PlanWord<CheckpointMode>{"sync", CheckpointMode::sync},
    PlanWord<CheckpointMode>{"peer", CheckpointMode::peer},
    PlanWord<CheckpointMode>{"checkpointless", CheckpointMode::checkpointless}};

inline constexpr std::array restartReadWords{PlanWord<RestartRead>{"one_replica", RestartRead::oneReplica},
                                             PlanWord<RestartRead>{"all", RestartRead::all}};

inline constexpr std::array<std::string_view, 3> cacheTierWords{"host", "nvme", "file_system"};

} // namespace alidade
