// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/published_source.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

// Published figures of whole runs: goodput, restarts, checkpoints, storage, power and energy. SI units; what
// a source does not say is absent.

/// Of one failure model.
struct PublishedReliability {
    std::string method; ///< "async" (or empty), "sync", "every_step", "checkpointless", "replicas", "restart"
    std::optional<double> mtbf, failuresPerNodeDay, wallInterval; ///< s; the last from failure to failure
    std::optional<double> interval, stall, recovery, step;        ///< s
    bool standby = false;
};

/// Of one storage system or checkpoint.
struct PublishedStorage {
    std::optional<double> parameters, bytesPerParameter, bytes;
    std::optional<double> rate; ///< bytes/s of the whole file system
    std::optional<int> drives, processes, servers;
    std::string drive; ///< class of the constants: "server", "desktop"
    std::string tier;  ///< "nvme", "lustre_tcp"
    bool write = false;
    bool singleFile = false; ///< one process writes one file (torch.save)
    std::optional<double> serverRate, ioBytes, capacity, ratePerTib;
    std::optional<double> accelerators, batchBytes, compute, utilization; ///< of a reading workload
};

/// Of one measurement of power or energy.
struct PublishedPower {
    std::string boundary; ///< "gpu", "node_wall_ac", "facility", ...
    std::string method;   ///< "measured...", "tdp_estimate"
    std::string cooling, task;
    std::optional<double> parameters, activeParameters, batch, outputTokensPerS, seconds;
    std::string weights;  ///< "bfloat16", "fp8", "mxfp4"
    bool serving = false; ///< tokens are made, with the batch and the rate that are published
    bool capped = false;  ///< power limit lowered
    bool highest = false; ///< the highest reading, not a mean
};

struct PublishedFigure {
    std::string quantity; ///< as in validation_report.h
    double value = 0;
    bool atLeast = false; ///< the source gives a lower bound
};

/// One row of a file of published runs.
struct PublishedRun {
    enum class Kind { reliability, storage, power } kind = Kind::reliability;
    std::string id, rowKind, group;
    PublishedSource source;
    std::string gpu; ///< part in words
    std::optional<int> gpus, nodes;
    std::string instance, model, software;
    std::string quality; ///< "high", "medium", "low", or "A", "B", "C"
    std::string notes;
    PublishedReliability reliability;
    PublishedStorage storage;
    PublishedPower power;
    std::vector<PublishedFigure> figures;
};

} // namespace alidade
