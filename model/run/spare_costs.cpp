// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run/spare_costs.h"

#include "model/reliability/spares.h"

namespace alidade {

std::vector<SpareCost> spareCosts(double nodes, double meanInRepair, double nodeRent, int most) {
    std::vector<SpareCost> out;
    for (int spares = 0; spares <= most; ++spares) {
        // The run waits a share P of the time, so that a run of length 1 takes 1 / (1 - P).
        const double waits = outOfSpares(meanInRepair, spares);
        const double longer = waits < 1 ? waits / (1 - waits) : 1e300;
        out.push_back({spares, spares * nodeRent, (nodes + spares) * longer * nodeRent});
    }
    return out;
}

} // namespace alidade
