// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/cluster_map.h"
#include "model/scenario/edit.h"
#include "model/scenario/problem.h"

#include <vector>

namespace alidade {

/// Whether groups of the placement spread over several NVLink domains though the largest domain could hold
/// one.
bool straddlesDomains(const Scenario& scenario);

/// Placements of a plan whose groups straddle NVLink domains (straddlesDomains) that keep them inside: hosts
/// that would begin a group which their domain cannot finish are left out, and where no spare takes their
/// place, the plan has fewer replicas, as many as hosts and batch allow (training only). Those that change
/// least come first; none of them is estimated yet. Empty for a placement without such groups.
/// \param scenario resolved from `spec`, and legal
std::vector<Fix> placementsInDomains(const ScenarioSpec& spec, const Scenario& scenario,
                                     const ClusterMap& map);

} // namespace alidade
