// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/plan_words.h"
#include "model/plan/training_plan.h"

#include <array>
#include <string_view>
#include <vector>

namespace alidade {

/// What a word of plan.recompute recomputes; nullptr: nothing.
using RecomputedPart = bool Recompute::*;

/// Words that exclude all others come first, then modules, some of them under the name of Megatron-Core too.
inline constexpr std::array recomputeWords{
    PlanWord<RecomputedPart>{"none", nullptr},
    PlanWord<RecomputedPart>{"selective", &Recompute::core},
    PlanWord<RecomputedPart>{"full", &Recompute::full},
    PlanWord<RecomputedPart>{"every_other_layer", &Recompute::everyOther},
    PlanWord<RecomputedPart>{"per_op", &Recompute::perOp},
    PlanWord<RecomputedPart>{"core_attention", &Recompute::core},
    PlanWord<RecomputedPart>{"core_attn", &Recompute::core},
    PlanWord<RecomputedPart>{"norms", &Recompute::norms},
    PlanWord<RecomputedPart>{"layernorm", &Recompute::norms},
    PlanWord<RecomputedPart>{"glu", &Recompute::product},
    PlanWord<RecomputedPart>{"mlp", &Recompute::mlp},
    PlanWord<RecomputedPart>{"moe", &Recompute::experts},
    PlanWord<RecomputedPart>{"moe_act", &Recompute::product},
    PlanWord<RecomputedPart>{"shared_experts", &Recompute::sharedExperts},
    PlanWord<RecomputedPart>{"mla_up_proj", &Recompute::mlaUp}};

/// How many of them exclude all others.
inline constexpr std::size_t recomputeAlone = 5;

} // namespace alidade
