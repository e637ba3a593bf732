// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/job.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace alidade::data::handoff {

/// The storage that a plan counts on, and where its jobs find it.
struct Storage {
    const StorageTier* shared = nullptr; ///< FSx for Lustre or S3; nullptr: the plan has none
    double bytes = 0;                    ///< provisioned; 0: S3
    bool efa = false;                    ///< the instances reach it over EFA
    std::string folder;                  ///< where it is mounted
    double localBytes = 0;               ///< of the drives of one instance
    std::string localFolder;
    std::string region;

    bool isLustre() const { return shared != nullptr && shared->service == "fsx_lustre"; }
    /// Whether the API for file systems has words for it: Intelligent-Tiering has its own throughput.
    bool isProvisioned() const { return isLustre() && shared->throughputPerTib.has_value(); }
    long long gib() const;             ///< capacity, rounded up to what can be provisioned
    long long megabytesPerTib() const; ///< baseline throughput
};

Storage storageOf(const HandoffSource& source);

/// "FSx for Lustre Persistent 2, 1000 MB/s per TiB, 28,800 GiB, at /fsx"; empty: none.
std::string storageLine(const Storage& storage);

/// Claim "SLUG-storage" for pods, with the class or the volume behind it.
std::vector<nlohmann::ordered_json> storageObjects(const Storage& storage, const std::string& slug);

/// Names the written fields of `run` that are not settings of a job, and its storage where the cluster target
/// has no words for it; says what storage costs that the target makes.
/// \param cluster empty: scripts alone
void tellRun(const HandoffSource& source, const std::string& cluster, Job& job);

} // namespace alidade::data::handoff
