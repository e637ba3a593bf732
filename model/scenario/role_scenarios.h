// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/plan_words.h"
#include "model/posttraining/rl_step.h"
#include "model/scenario/scenario.h"

#include <array>
#include <optional>
#include <string>

namespace alidade {

/// What leaves the GPUs while the engines use them.
enum class PhaseOffload : std::uint8_t { automatic, none, optimizer, all };

inline constexpr std::array phaseOffloadWords{PlanWord<PhaseOffload>{"none", PhaseOffload::none},
                                              PlanWord<PhaseOffload>{"optimizer", PhaseOffload::optimizer},
                                              PlanWord<PhaseOffload>{"all", PhaseOffload::all}};

/// The two sides of a reinforcement-learning scenario, each a separate scenario, and how they meet.
/// Contains values only.
struct RoleScenarios {
    RlAlgorithm algorithm = RlAlgorithm::grpo;
    RolePlacement placement = RolePlacement::colocated;
    PhaseOffload offload = PhaseOffload::automatic;
    bool reference = true;      ///< a frozen copy of the model scores the responses
    bool critic = false;        ///< values, and an update of the critic
    bool rewardModel = false;   ///< else a rule or a sandbox
    bool partialRollout = true; ///< responses go on over a synchronization
    /// FLOP of a token of the critic and of the reward model, and their parameters, relative to the trained
    /// model's: they share its plan.
    double criticWork = 0, criticSize = 0, rewardWork = 0;
    double responseCv = 0;   ///< before the cut
    double runaway = 0;      ///< share of responses that reach the limit besides; see runawayShare
    double updateTokens = 0; ///< of one update, all ranks
    /// Tokens of an update / tokens of the training scenario's step, whose micro-batches are all full.
    double updateShare = 1;
    double parameters = 0, activeParameters = 0; ///< of the trained model; active: in a GEMM for each token
    Scenario train;                              ///< one update
    Scenario rollout;                            ///< every response of a step in flight at once
    std::string weightPath;
    Bound weightLink = Bound::nvlink; ///< what the weights cross
    int idleGpus = 0;                 ///< paid for, in neither pool
};

} // namespace alidade
