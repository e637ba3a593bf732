// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run/spare_costs.h"

namespace alidade {

std::vector<SpareCost> spareCosts(const NodeShortage& run, double nodeRent, int most) {
    std::vector<SpareCost> out;
    for (int spares = 0; spares <= most; ++spares) {
        // A share P of the time is lost, so that a run of length 1 takes 1 / (1 - P).
        const double lost = shortageShare(run, spares);
        const double longer = lost < 1 ? lost / (1 - lost) : 1e300;
        out.push_back({spares, spares * nodeRent, (run.nodes + spares) * longer * nodeRent});
    }
    return out;
}

} // namespace alidade
