// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "data/topology/reported.h"

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
    /// Labels that name an NVLink domain, the narrowest first.
    static constexpr std::size_t domainLabels = 4;
    struct Node {
        ReportedHost host;
        std::string domains[domainLabels];
    };
    std::vector<Node> nodes_;
    std::size_t leftOut_ = 0, unschedulable_ = 0;
};

} // namespace alidade::data
