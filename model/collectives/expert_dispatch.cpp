// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/collectives/expert_dispatch.h"

#include <algorithm>
#include <cassert>

namespace alidade {

double expectedGroups(int experts, int chosen, int groups, int limit) {
    assert(groups > 0 && experts > 0 && chosen >= 0);
    const int usable = limit > 0 && limit < groups ? limit : groups;
    if (experts < groups) // each is split over several of them
        return std::min<double>(usable, chosen * sharesOfExpert(experts, groups));
    const int perGroup = experts / groups;
    const int pool = perGroup * usable;
    // C(pool - perGroup, chosen) / C(pool, chosen), factor by factor, so no binomial overflows
    double missed = pool - perGroup >= chosen ? 1 : 0;
    for (int i = 0; missed > 0 && i < chosen; ++i)
        missed *= static_cast<double>(pool - perGroup - i) / (pool - i);
    return usable * (1 - missed);
}

double maxLoadFactor(double mean, double bins) { return expectedMaxNormal(1.0, 1 / std::sqrt(mean), bins); }

} // namespace alidade
