// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/problem.h"
#include "model/scenario/spec.h"
#include "model/topology/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// The machines that a scenario names, before the required number is known.
struct HostMachine {
    std::string type; ///< EC2 instance type; empty: a custom machine
    int gpus = 1;     ///< per host
    int hosts = 0;    ///< rented; 0: as many as the topology has (only with one)
};

/// The hosts of a fabric that a scenario may use: those of an imported topology in its order, or "host-1",
/// "host-2", ... of a catalog machine.
struct HostChoice {
    PlacementKind kind = PlacementKind::packed;
    std::vector<int> listed;       ///< in the order of a host list; empty without one
    std::vector<int> excluded;     ///< excluded by the scenario
    std::vector<int> unfit;        ///< of another type or with another number of GPUs
    int fit = 0;                   ///< hosts of the fabric that are not unfit
    int usable = 0;                ///< hosts that ranks can be placed on
    std::vector<Problem> problems; ///< with their places

    /// Returns a placement request for `ranks` ranks.
    PlacementRequest request(int ranks, bool equalBlocks) const;
};

/// \param topology nullptr: the catalog's own fabric
HostChoice chooseHosts(const ClusterSpec& cluster, const Topology* topology, const HostMachine& machine);

/// Returns the name of a host of a catalog fabric: "host-17" for host 16.
std::string catalogHostName(int host);

/// Returns the instance type without the HyperPod prefix: "ml.p5.48xlarge" -> "p5.48xlarge".
std::string_view plainType(std::string_view instanceType);

} // namespace alidade
