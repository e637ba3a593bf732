// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace alidade {

/// How the worst group of a kind is placed on the hosts.
struct PlacedGroupFacts {
    std::string group; ///< "tp", "dp", "edp": see groupWord
    int ranks = 1, ranksPerNvlinkDomain = 1, nvlinkDomains = 1;
    double furtherSwitches = 0; ///< between neighbors, in addition to those of the machine's own fabric
    double crowding = 1;        ///< network capacity / capacity left by oversubscribed switches
    /// If some groups spread over several domains though the largest could hold one: all groups of the kind,
    /// and those that do. Otherwise 0. Only of kinds that are meant to stay in a domain (staysInDomain).
    std::int64_t groups = 0, straddling = 0;
};

/// The result of a placement on a fabric, for scenarios with an imported topology, a custom placement,
/// excluded hosts or an oversubscribed network.
struct PlacementFacts {
    std::string source; ///< where the fabric comes from
    int networkLayers = 0;
    int hosts = 0; ///< of the fabric
    int hostsInUse = 0, spareHosts = 0, excludedHosts = 0;
    int leavesInUse = 0;
    int nvlinkDomain = 1; ///< GPUs of the largest
    double oversubscription = 1;
    std::vector<PlacedGroupFacts> groups; ///< of more than one rank
};

} // namespace alidade
