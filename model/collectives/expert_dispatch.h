// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_time.h"
#include "model/explain/normal.h"

#include <algorithm>

namespace alidade {

/// Ranks that share an expert: several where there are more of them than experts.
inline double sharesOfExpert(double experts, double ranks) { return std::max(1.0, ranks / experts); }

/// Expected number of expert groups (nodes or GPUs) that a uniform choice of `chosen` out of `experts` hits.
/// \param groups equal groups that the experts lie in, or that share each expert where they are more; \param
/// limit most groups a token may use (0: no limit)
double expectedGroups(int experts, int chosen, int groups, int limit = 0);

/// The largest of `bins` random loads of the given mean, over that mean (Poisson-like loads).
double maxLoadFactor(double mean, double bins);

} // namespace alidade
