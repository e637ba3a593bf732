// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "data/topology/domain_labels.h"
#include "data/topology/reported.h"

#include <array>

namespace alidade::data {

/// Collects the nodes of `kubectl get nodes -o json`: switches from the labels of AWS (top first) or of
/// Topograph (closest first), NVLink domains from the cliques, UltraServers or capacity blocks, ids of
/// instances from the provider's id. Nodes with neither GPUs nor switches (the control plane) are left out.
class KubernetesReader {
public:
    /// One node object. Faults have their JSON pointer.
    void node(const nlohmann::json& node, const std::string& file, const std::string& pointer,
              std::vector<JsonFault>& faults);
    /// The nodes with their NVLink domains. Faults are whole lines.
    TopologyReport finish(std::vector<std::string>& faults);

private:
    struct Node {
        ReportedHost host;
        std::array<std::string, labelsOfDomains.size()> domains;
    };
    std::vector<Node> nodes_;
    std::size_t leftOut_ = 0, unschedulable_ = 0;
};

} // namespace alidade::data
