// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/handoff.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alidade::data {

/// A search whose parts run side by side on a cluster.
struct SearchJob {
    std::string title;                  ///< of the scenario, for headings
    std::string name;                   ///< of the job, before it is made one that schedulers accept
    std::vector<std::string> arguments; ///< of `alidade search` for each part, without --shard and -o
    std::vector<std::string> common;    ///< that the last step needs, too: --catalog and the like
    std::vector<HandoffFile> files;     ///< that the arguments name
    std::uint64_t plans = 0;
    std::uint64_t shards = 1;
    int threads = 1;     ///< of one part
    std::string program; ///< "Alidade 0.1.0"
};

/// Ids of what runs such a search: "slurm-array", "kubernetes-job".
const std::vector<std::string>& searchTargets();

/// Writes the parts, the step that merges them, and a script that starts both. The same job gives the same
/// bytes. \returns an error for an unknown target, and for files that do not fit into a ConfigMap
Result<Handoff> writeSearchJob(const SearchJob& job, const std::string& target);

} // namespace alidade::data
