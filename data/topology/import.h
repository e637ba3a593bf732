// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/gate.h"
#include "model/topology/topology.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Largest file of a topology that is read, bytes.
inline constexpr std::size_t topologyBytes = 256U << 20;

struct TopologyFile {
    std::string name; ///< for messages and the source
    std::string text;
};

struct TopologyImport {
    std::optional<Topology> topology;
    std::vector<std::string> faults; ///< "FILE:/json/pointer" or "FILE:line", what is wrong; how to fix it
    std::vector<std::string> notes;  ///< what a person should know: left out, incomplete, chosen
};

/// Reads what describes one cluster, each file recognized by its content: the reply of `aws ec2
/// describe-instance-topology` (pages in several files, appended to each other or in a list), `kubectl get
/// nodes -o json`, Slurm's topology.conf or topology.yaml, or Alidade's own document. Files about the same
/// hosts are merged by instance id, host name, or host name without its domain.
TopologyImport importTopology(const std::vector<TopologyFile>& files);

/// Whether a text looks like one that importTopology reads; reads only its beginning. For files that are
/// dropped on a window.
bool looksLikeTopology(std::string_view text);

} // namespace alidade::data
