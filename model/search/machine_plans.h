// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/search.h"

#include <functional>
#include <string>
#include <vector>

namespace alidade {

/// The same job on one machine, with the best plan that the search finds there.
struct MachinePlan {
    std::string id;      ///< "p5en.48xlarge"
    std::string machine; ///< "64 x p5en.48xlarge"
    Edit set;            ///< what the plan changes of the scenario; empty: none was found
    double score = 0;    ///< the figure that was looked for; the smaller the better where less is
    std::string why;     ///< if none was found
    bool found() const { return !set.empty(); }
};

struct MachinePlans {
    const PlanFigure* objective = nullptr;
    std::vector<MachinePlan> plans; ///< best first; then the machines without a plan
    bool complete = true;           ///< false: stopped before all machines were searched
};

/// Searches the usual fields on each machine that the job can be rented on, as many machines as have the
/// GPUs of the scenario.
/// \param words ids of machines separated by commas, or "all"
/// \param progress called now and then, from any thread, with the share that is done, 0..1
/// \returns an error if `words` names no machine, or the scenario cannot be searched
Result<MachinePlans> bestPlanOfEachMachine(const ScenarioSpec& spec, const Catalog& catalog,
                                           const Profile& profile, const std::string& words = "all",
                                           std::stop_token stop = {},
                                           const std::function<void(double)>& progress = {});

} // namespace alidade
