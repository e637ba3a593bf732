// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/reliability/spares.h"

#include <vector>

namespace alidade {

/// What a number of spare nodes costs over a run: their rent, and that of the nodes for as much longer as the
/// run takes because no spare is left.
struct SpareCost {
    int spares = 0;
    double rent = 0, waiting = 0; ///< in the unit of the rent of a node
    double total() const { return rent + waiting; }
};

/// For 0 to `most` spares. The total is lowest at cheapestSpares().
/// \param nodeRent of a node, over the time that the run takes without waiting
std::vector<SpareCost> spareCosts(const NodeShortage& run, double nodeRent, int most);

} // namespace alidade
