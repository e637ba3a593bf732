// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/plan_word.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace alidade {

enum class WorkloadKind : std::uint8_t { training, serving, reinforcementLearning };

/// The word in files and reports.
constexpr std::string_view wordOf(WorkloadKind kind) {
    switch (kind) {
    case WorkloadKind::training:
        return "training";
    case WorkloadKind::serving:
        return "serving";
    case WorkloadKind::reinforcementLearning:
        return "reinforcement_learning";
    }
    return {};
}

inline constexpr std::array workloadKindWords{
    PlanWord<WorkloadKind>{wordOf(WorkloadKind::training), WorkloadKind::training},
    PlanWord<WorkloadKind>{wordOf(WorkloadKind::serving), WorkloadKind::serving},
    PlanWord<WorkloadKind>{wordOf(WorkloadKind::reinforcementLearning), WorkloadKind::reinforcementLearning}};

} // namespace alidade
