// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/document/outcome.h"
#include "model/estimate/run_estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// A change that makes a run end sooner, on top of the steps before it.
struct DeadlineStep {
    std::string text;           ///< "Checkpoint every 2.1 min"
    Edit set{};                 ///< of the scenario: this change and those before it
    double days = 0;            ///< that the run takes longer than as planned; below 0
    std::optional<Cents> total; ///< that it costs more than as planned; below 0: less
    double chance = 0;          ///< of keeping the deadline, 0..1
};

/// The chance of keeping a deadline that is looked for.
inline constexpr double inTimeWanted = 0.9;

/// The chance that a run ends within so many days, 0..1; the days are those of a result with a band.
double chanceOfDeadline(const PlanResult& result, double deadlineDays);

/// What keeps a deadline in so many of the outcomes, the cheap changes first: the best checkpoint interval,
/// checkpoints in the background, standby nodes, enough spares, then more machines. Each step is an estimate
/// of the changed scenario; a change that gains nothing is left out. The last step is the first that reaches
/// `wanted`; none does if the chance of the last step is below it.
/// \param wanted chance, 0..1
/// \returns nothing where the scenario has no deadline, keeps it often enough, or does not run
std::vector<DeadlineStep> deadlineSteps(const ScenarioSpec& spec, const Catalog& catalog,
                                        const Profile& profile, const Scenario& scenario,
                                        const Estimate& estimate, double wanted);

} // namespace alidade
