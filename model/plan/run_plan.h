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

/// Who reads the state back from storage.
enum class RestartRead : std::uint8_t {
    oneReplica, ///< each byte is read once and sent to the other replicas over the network
    all         ///< every rank reads all that it holds
};

/// The non-numeric choices of how a run is operated.
struct RunPlan {
    CheckpointMode mode = CheckpointMode::async;
    bool standby = false;      ///< failed nodes are replaced by nodes that already run the job's image
    bool countsSpares = false; ///< spares are given: a run without one left waits for the repair
    bool elastic = false; ///< without a spare left it continues with fewer data-parallel replicas instead
    RestartRead restartRead = RestartRead::oneReplica;
    bool shuffle = true;           ///< training sequences are read in random order, one request each
    bool linkedRepository = false; ///< the first read of the data comes from a linked S3 bucket
    bool nvmeCache = false;        ///< what was read once stays on the local drives of the nodes
};

} // namespace alidade
