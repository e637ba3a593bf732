// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_time.h"
#include "model/explain/normal.h"

#include <algorithm>

namespace alidade {

/// Ranks that share an expert: several if there are more ranks than experts.
inline double sharesOfExpert(double experts, double ranks) { return std::max(1.0, ranks / experts); }

/// Expected number of expert groups (nodes or GPUs) hit by a uniform choice of `chosen` out of `experts`.
/// \param groups equal groups of experts, or groups that share each expert if there are more groups than
/// experts
/// \param limit maximum groups per token (0: no limit)
double expectedGroups(int experts, int chosen, int groups, int limit = 0);

/// The largest of `bins` random loads of the given mean, divided by that mean (Poisson-like loads).
double maxLoadFactor(double mean, double bins);

} // namespace alidade
