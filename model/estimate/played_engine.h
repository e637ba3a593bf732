// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/scenario.h"
#include "model/serving/engine_simulation.h"
#include "model/serving/serving_totals.h"

namespace alidade {

constexpr std::uint64_t playedSeed = 1;

/// What the whole deployment is asked for; one of them is 0.
struct PlayedLoad {
    double requestsPerSecond = 0, concurrency = 0;
};
PlayedLoad presentLoad(const Scenario& scenario);

/// One engine played step by step.
struct Played {
    ServingState state;
    SimulationResult result;
};

/// Plays some thousand requests, always the same ones.
/// \param closed the evaluation of the same load in closed form
/// \pre one pool, which fits and is stable
Played play(const Scenario& scenario, const ServingTotals& closed, const PlayedLoad& load);

/// Whether there is an engine to play: one pool, which runs, fits and is stable in closed form.
bool canPlay(const Scenario& scenario, const ServingTotals& closed);

/// Is the closed form not to be trusted with this load? Pools apart are not played.
bool wantsPlaying(const Scenario& scenario, const ServingTotals& closed, const PlayedLoad& load);

} // namespace alidade
