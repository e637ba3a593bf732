// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/problem.h"
#include "model/scenario/spec.h"
#include "model/topology/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// The machines that a scenario names, before it is known how many of them it needs.
struct HostMachine {
    std::string type; ///< EC2 instance type; empty: a custom machine
    int gpus = 1;     ///< of one host
    int hosts = 0;    ///< rented; 0: as many as the topology has (only with one)
};

/// Which hosts of a fabric a scenario may use: those of an imported topology in its order, or "host-1",
/// "host-2", ... of a catalog machine.
struct HostChoice {
    PlacementKind kind = PlacementKind::packed;
    std::vector<int> listed;       ///< with a host list, in its order
    std::vector<int> excluded;     ///< left out by the scenario
    std::vector<int> unfit;        ///< of another type, or with another number of GPUs
    int fit = 0;                   ///< hosts of the fabric but those that are unfit
    int usable = 0;                ///< hosts that ranks can be put on
    std::vector<Problem> problems; ///< what is wrong, with its place

    /// A placement request for so many ranks.
    PlacementRequest request(int ranks, bool equalBlocks) const;
};

/// \param topology nullptr: the catalog's own fabric
HostChoice chooseHosts(const ClusterSpec& cluster, const Topology* topology, const HostMachine& machine);

/// "host-17" for host 16 of a catalog fabric.
std::string catalogHostName(int host);

/// The instance type without the prefix that HyperPod writes: "ml.p5.48xlarge" -> "p5.48xlarge".
std::string_view plainType(std::string_view instanceType);

} // namespace alidade
