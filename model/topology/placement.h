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

/// What a placement has to obey. Hosts are indices into the fabric.
struct PlacementRequest {
    PlacementKind kind = PlacementKind::packed;
    std::vector<int> hosts{};    ///< with `list`, in rank order
    std::vector<int> excluded{}; ///< hosts that are left out
    int ranks = 1;
    /// Deal equal blocks of whole hosts to NVLink domains, so that no group straddles two of them needlessly
    /// (64 GPUs of each rack of 72 where the job has 256). Not with `list`.
    bool equalBlocks = true;
};

/// Which GPU each rank runs on.
struct Placement {
    std::vector<int> gpuOfRank;
    std::vector<int> rankOfGpu; ///< -1: idle
    std::vector<int> hosts;     ///< in use, in rank order

    int ranks() const { return static_cast<int>(gpuOfRank.size()); }
};

/// \returns an error if there are fewer hosts than the ranks need
Result<Placement> place(const Fabric& fabric, const PlacementRequest& request);

} // namespace alidade
