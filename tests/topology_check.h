// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/topology.h"

#include <string>
#include <string_view>
#include <unordered_set>

namespace alidade {

/// The invariants of a topology, which every reader of a file has to keep: parents and leaves in range, a
/// parent above its child, no two hosts of one ID. \returns an empty text, or what is wrong and where
inline std::string checkTopology(const Topology& topology) {
    const int nodes = static_cast<int>(topology.nodes.size());
    for (const NetworkNode& node : topology.nodes) {
        if (node.layer < 0 || node.parent < -1 || node.parent >= nodes)
            return "network node '" + node.id + "' has a layer or a parent that does not exist";
        if (node.parent >= 0 && topology.nodes[static_cast<std::size_t>(node.parent)].layer >= node.layer) {
            return "network node '" + node.id + "' is not below its parent '" +
                   topology.nodes[static_cast<std::size_t>(node.parent)].id + "'";
        }
    }
    std::unordered_set<std::string_view> ids;
    ids.reserve(topology.hosts.size());
    for (const Host& host : topology.hosts) {
        if (host.id.empty())
            return "a host has no id";
        if (!ids.insert(host.id).second)
            return "host '" + host.id + "' is listed twice";
        if (host.leaf < -1 || host.leaf >= nodes)
            return "host '" + host.id + "' is under a network node that does not exist";
        if (host.gpus < 0)
            return "host '" + host.id + "' has a negative number of GPUs";
    }
    return {};
}

} // namespace alidade
