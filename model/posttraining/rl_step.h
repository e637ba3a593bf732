// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/plan_words.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace alidade {

/// Where rollout and training run.
enum class RolePlacement : std::uint8_t {
    colocated,  ///< the same GPUs take turns
    split,      ///< two pools take turns
    oneStepOff, ///< two pools; the rollout works on the next step while training works on this one
    async       ///< two pools; sequences stream, at most `staleness` steps ahead
};

enum class RlAlgorithm : std::uint8_t { ppo, grpo, dapo, reinforcePlusPlus, rloo };

inline constexpr std::array placementWords{PlanWord<RolePlacement>{"colocated", RolePlacement::colocated},
                                           PlanWord<RolePlacement>{"split", RolePlacement::split},
                                           PlanWord<RolePlacement>{"one_step_off", RolePlacement::oneStepOff},
                                           PlanWord<RolePlacement>{"async", RolePlacement::async}};

inline constexpr std::array algorithmWords{
    PlanWord<RlAlgorithm>{"ppo", RlAlgorithm::ppo}, PlanWord<RlAlgorithm>{"grpo", RlAlgorithm::grpo},
    PlanWord<RlAlgorithm>{"dapo", RlAlgorithm::dapo},
    PlanWord<RlAlgorithm>{"reinforce++", RlAlgorithm::reinforcePlusPlus},
    PlanWord<RlAlgorithm>{"rloo", RlAlgorithm::rloo}};

/// Seconds of one step from those of its sides. Serial where the sides take turns; else the slower side and
/// the synchronization of the weights.
/// \param score rewards and, where the rollout side does them, log-probabilities
template <class N>
N rlStepTime(RolePlacement placement, const N& rollout, const N& score, const N& train, const N& sync) {
    using std::max;
    const bool turns = placement == RolePlacement::colocated || placement == RolePlacement::split;
    return turns ? rollout + score + train + sync : max(rollout + score, train) + sync;
}

/// FLOP of a generated token of a model of `active` parameters in all phases: generation 2N, old and
/// reference log-probabilities 2N each, update 6N an epoch; PPO adds the critic's 2N + 6N and the reward
/// model's 2N.
template <class N>
N rlFlopsPerToken(const N& active, RlAlgorithm algorithm, const N& epochs) {
    N factor = 2 + 4 + 6 * epochs;
    if (algorithm == RlAlgorithm::ppo)
        factor = factor + 2 + 6 * epochs + 2;
    return active * factor;
}

/// Seconds in which trained weights reach the engines: what the software takes per synchronization and byte,
/// not less than the wire takes.
template <class N>
N weightSyncTime(const N& bytes, const N& fixed, const N& rate, const N& wireRate) {
    using std::max;
    return max(fixed + bytes / rate, bytes / wireRate);
}

} // namespace alidade
