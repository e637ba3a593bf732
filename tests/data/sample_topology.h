// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/topology.h"

#include <string>

namespace alidade {

/// What a sample cluster is made of.
struct SampleTopology {
    std::string name = "cluster.json", instanceType{};
    int hosts = 0, hostsPerLeaf = 16, leavesPerNode = 4;
    int layers = 3;
    int hostsPerDomain = 1; ///< in one NVLink domain; 1: the host by itself
};

/// A regular tree: host i below leaf i / hostsPerLeaf; ids "i-0", "i-1", ...; names "gpu-0", "gpu-1", ...
inline Topology sampleTopology(const SampleTopology& sample) {
    Topology out;
    out.name = sample.name;
    out.source = "test";
    const auto add = [&](int layer, int parent) {
        out.nodes.push_back({"nn-" + std::to_string(out.nodes.size()), layer, parent});
        return static_cast<int>(out.nodes.size()) - 1;
    };
    int above = add(0, -1);
    for (int layer = 1; layer + 2 < sample.layers; ++layer)
        above = add(layer, above);
    int node = above, leaf = -1;
    for (int host = 0; host < sample.hosts; ++host) {
        if (host % sample.hostsPerLeaf == 0) {
            if (sample.layers > 2 && host / sample.hostsPerLeaf % sample.leavesPerNode == 0)
                node = add(sample.layers - 2, above);
            leaf = add(sample.layers - 1, node);
        }
        const std::string number = std::to_string(host);
        out.hosts.push_back({.id = "i-" + number,
                             .name = "gpu-" + number,
                             .instanceType = sample.instanceType,
                             .domain = sample.hostsPerDomain > 1
                                           ? "domain-" + std::to_string(host / sample.hostsPerDomain)
                                           : "",
                             .leaf = leaf});
    }
    return out;
}

} // namespace alidade
