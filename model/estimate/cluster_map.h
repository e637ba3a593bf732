// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/estimate/group_traffic.h"

#include <string>
#include <vector>

namespace alidade {

/// Ranks that work as one: a training job, or the replicas of an engine.
struct PoolLayout {
    std::string name;     ///< "", "engine", "prefill", "decode"
    std::size_t pool = 0; ///< of Scenario::pools
    int firstRank = 0;
    RankLayout layout;
};

/// The cluster of a scenario as a thing to walk: its fabric with names, which rank runs where, who talks to
/// whom. Built where it is looked at; a value that lives by itself.
struct ClusterMap {
    std::string machine; ///< "p5en.48xlarge"
    std::string source;  ///< where the fabric comes from; says what is assumed
    Fabric fabric;
    std::vector<PoolLayout> pools; ///< one in training and of a single engine; prefill and decode apart: two
    Placement placement;
    std::vector<std::string> hostIds, hostNames; ///< of each host of the fabric
    std::vector<std::string> nodeIds;            ///< of each network node
    std::vector<std::string> domainIds;          ///< of each NVLink domain
    std::vector<std::string> zones;              ///< of each host; empty if not known
    std::vector<bool> excluded;                  ///< hosts that the scenario leaves out
    std::vector<bool> unfit;                     ///< hosts that are not machines of the scenario's kind
    bool serving = false;

    const PoolLayout* poolOf(int rank) const; ///< nullptr: a rank that is not there
    Coordinates coordinates(int rank) const;
    /// Members of the group that a rank is in, in ring order.
    std::vector<int> groupOf(GroupKind kind, int rank) const;
    std::vector<GroupKind> kinds() const; ///< of groups with more than one rank
};

/// \param scenario resolved; with an error in it that concerns the placement, every GPU is idle
ClusterMap clusterMap(const Scenario& scenario, const Catalog& catalog);

/// The traffic of an estimate on the links of its cluster.
LinkTraffic linkTraffic(const ClusterMap& map, const Estimate& estimate, const Scenario& scenario);

/// Switches from one GPU to each other, for colors: 0 itself and its NVLink domain, else as
/// Fabric::switches.
std::vector<int> hopDistances(const Fabric& fabric, int gpu);

/// Bytes of memory that each GPU holds under the plan; 0: idle, or not known.
std::vector<double> memoryOfGpus(const ClusterMap& map, const Estimate& estimate);

} // namespace alidade
