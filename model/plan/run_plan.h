// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace alidade {

/// How a run protects its training state against failures.
enum class CheckpointMode : std::uint8_t {
    async,         ///< copy to host memory blocks the step; the write to storage does not
    sync,          ///< training stops until storage has the checkpoint
    peer,          ///< every step in the host memory of other nodes
    checkpointless ///< state of a failed node is rebuilt from its replicas over the network
};

/// The non-numeric choices of how a run is operated.
struct RunPlan {
    CheckpointMode mode = CheckpointMode::async;
    bool standby = false;      ///< failed nodes are replaced by nodes that already run the job's image
    bool countsSpares = false; ///< spares are given: a run without one left waits for the repair
};

} // namespace alidade
