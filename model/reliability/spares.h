// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

// Spare nodes of a fleet whose nodes fail independently: the number in repair at a time is Poisson with mean
// failures per hour x hours of a repair.

/// Probability that more nodes are in repair than there are spares, 0..1.
double outOfSpares(double meanInRepair, int spares);

/// The number of spares at which rent of spares + rent of a fleet that waits for a repair is lowest.
/// \param nodes of the fleet, at the same rent as a spare
int cheapestSpares(double nodes, double meanInRepair);

} // namespace alidade
