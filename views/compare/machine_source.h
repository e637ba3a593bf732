// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/machine_plans.h"
#include "views/explore/explore_task.h"

namespace alidade::views {

/// The best plan of each machine, or how far the search for them is.
struct MachineAnswer {
    ExploreContextPtr context; ///< that was searched
    Result<MachinePlans> plans = Error{};
    double done = 0; ///< 0..1
};

/// Searches the best plan of each machine; parts of the answer tell the progress alone.
ExploreTask<MachineAnswer>::Job machineJob(const ExploreContextPtr& context);

} // namespace alidade::views
