// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/topology/fabric.h"

#include <cstdint>
#include <vector>

namespace alidade {

enum class PlacementKind : std::uint8_t {
    packed, ///< hosts in the order of the fabric
    sorted, ///< hosts in the order of the tree, fullest parts first
    list,   ///< hosts as given
};

/// The constraints on a placement. Hosts are indices into the fabric.
struct PlacementRequest {
    PlacementKind kind = PlacementKind::packed;
    std::vector<int> hosts{}; ///< with `list`, in rank order
    std::vector<int> excluded{};
    int ranks = 1;
    /// Assign equal blocks of whole hosts to NVLink domains, so that no group straddles two domains
    /// needlessly (64 GPUs of each rack of 72 for a job of 256). Not with `list`.
    bool equalBlocks = true;
};

/// The GPU that each rank runs on.
struct Placement {
    std::vector<int> gpuOfRank;
    std::vector<int> rankOfGpu; ///< -1: idle
    std::vector<int> hosts;     ///< in use, in rank order

    int ranks() const { return static_cast<int>(gpuOfRank.size()); }
};

/// \returns an error if there are too few hosts for the ranks
Result<Placement> place(const Fabric& fabric, const PlacementRequest& request);

} // namespace alidade
