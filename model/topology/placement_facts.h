// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace alidade {

/// How the worst group of a kind lies on the hosts.
struct PlacedGroupFacts {
    std::string group; ///< "tp", "dp", "edp": see groupWord
    int ranks = 1, ranksPerNvlinkDomain = 1, nvlinkDomains = 1;
    double furtherSwitches = 0; ///< between neighbors, beyond what the machine's own fabric would have
    double crowding = 1;        ///< what the network can carry / what oversubscribed switches leave of it
};

/// What a placement on a fabric came to: of a scenario with an imported topology, a placement of its own,
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
