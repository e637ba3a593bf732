// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

// Spare nodes of a fleet whose nodes fail independently: the number in repair at a time is Poisson with mean
// failures per hour x hours of a repair.

/// Probability that more nodes are in repair than there are spares, 0..1.
double outOfSpares(double meanInRepair, int spares);

/// What an elastic run loses to nodes in repair that no spare replaces.
struct ElasticLoss {
    double idleShare = 0; ///< of the GPUs, mean over time, 0..1
    double growths = 0;   ///< times that a replica comes back, per failure that takes a node, 0..1
};

/// A run that continues with fewer data-parallel replicas while nodes are missing. The other nodes of a
/// replica that lost one replace further failures, so that as few replicas as possible are idle.
/// \param nodes of the run, \param replicas that it can shrink by, >= 1; their nodes may be a fraction
ElasticLoss elasticLoss(double meanInRepair, int spares, double nodes, double replicas);

/// The number of spares at which rent of spares + rent of a fleet that waits for a repair is lowest.
/// \param nodes of the fleet, at the same rent as a spare
int cheapestSpares(double nodes, double meanInRepair);

/// A run whose failed nodes are repaired while it continues, waits, or shrinks.
struct NodeShortage {
    double nodes = 1, meanInRepair = 0;
    double elasticReplicas = 0; ///< by which an elastic run can shrink; 0: it waits instead
    double growthShare = 0;     ///< time to take a replica back / time between failures that take a node
};

/// Share of the time that the shortage costs with so many spares: waiting, or idle replicas and their return.
double shortageShare(const NodeShortage& run, int spares);
/// The number of spares at which nodes x time is lowest.
int cheapestSpares(const NodeShortage& run);

} // namespace alidade
