// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/document/outcome.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// What one change of how a run recovers is worth, taken alone.
struct RunWorth {
    std::string text;           ///< "One more spare instance"
    double days = 0;            ///< that the run takes longer; below 0: it ends sooner
    std::optional<Cents> total; ///< that the order costs more; below 0: less; absent without a price
};

/// One more spare than the scenario has, or than the number that costs least where it has none, and finding a
/// failure and starting again in half the time: estimates of the changed run against that of the plan. A
/// change that cannot be made is left out.
/// \returns nothing for a run without a length, or with a given goodput
std::vector<RunWorth> runWorths(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                const Scenario& scenario, const Estimate& estimate);

} // namespace alidade
