// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/fabric.h"

#include "model/base/index.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace alidade {

namespace {

void countHosts(Fabric& fabric) {
    fabric.nodeHosts.assign(fabric.nodeParent.size(), 0);
    for (const int leaf : fabric.hostLeaf)
        for (int node = leaf; node >= 0; node = fabric.parentOf(node))
            ++fabric.nodeHosts[at(node)];
}

/// Adds the network layers of a catalog fabric from the top. Each node has equal shares of what is below.
void growTree(Fabric& fabric, int hosts, int hostsPerLeaf) {
    std::vector<int> counts(at(fabric.layers)); // nodes of each layer
    int below = hosts, each = hostsPerLeaf;
    for (int layer = fabric.layers - 1; layer >= 0; --layer) {
        below = layer == 0 ? 1 : (below + each - 1) / each;
        counts[at(layer)] = below;
        each = assumedNodesPerNode;
    }
    int first = 0; // node of the layer above
    for (int layer = 0; layer < fabric.layers; ++layer) {
        const int start = fabric.nodes();
        for (int n = 0; n < counts[at(layer)]; ++n) {
            const int parent =
                layer == 0 ? -1 : first + std::min(n / assumedNodesPerNode, counts[at(layer - 1)] - 1);
            fabric.nodeParent.push_back(parent);
            fabric.nodeLayer.push_back(layer);
        }
        first = start;
    }
    fabric.hostLeaf.resize(at(hosts), -1);
    for (int host = 0; fabric.layers > 0 && host < hosts; ++host)
        fabric.hostLeaf[at(host)] = first + host / hostsPerLeaf;
}

} // namespace

int Fabric::linkCount(LinkKind kind) const {
    switch (kind) {
    case LinkKind::nvlink:
    case LinkKind::nic:
        return gpus();
    case LinkKind::uplink:
        return hosts();
    case LinkKind::trunk:
        break;
    }
    return nodes();
}

int Fabric::sharedBy(LinkId link) const {
    switch (link.kind) {
    case LinkKind::nvlink:
    case LinkKind::nic:
        return 1;
    case LinkKind::uplink:
        return gpusPerHost;
    case LinkKind::trunk:
        break;
    }
    return nodeHosts[at(link.index)] * gpusPerHost;
}

double Fabric::bandwidth(LinkId link) const {
    if (link.kind == LinkKind::nvlink)
        return speeds.nvlinkBandwidth;
    const double below = speeds.networkBandwidth * sharedBy(link);
    return link.kind == LinkKind::trunk ? below / oversubscription : below;
}

double Fabric::latency(LinkId link) const {
    switch (link.kind) {
    case LinkKind::nvlink:
        return 0;
    case LinkKind::nic:
    case LinkKind::uplink:
        return speeds.networkLatency / 2; // half out of one host, half into another
    case LinkKind::trunk:
        break;
    }
    return speeds.hopLatency;
}

int Fabric::switches(int hostA, int hostB) const {
    if (hostA == hostB)
        return 0;
    int a = leafOf(hostA), b = leafOf(hostB), out = 1;
    if (a < 0 || b < 0)
        return 2 * std::max(1, layers) - 1; // unknown: the maximum distance of hosts below one top node
    while (a != b) {
        if (a < 0 || b < 0)
            return 2 * layers + 1; // nothing in common
        const int layerA = nodeLayer[at(a)], layerB = nodeLayer[at(b)];
        out += layerA == layerB ? 2 : 1;
        a = layerA >= layerB ? parentOf(a) : a;
        b = layerB >= layerA ? parentOf(b) : b;
    }
    return out;
}

Fabric catalogFabric(const FabricShape& shape) {
    Fabric out;
    out.speeds = shape.speeds;
    out.gpusPerHost = std::max(1, shape.gpusPerHost);
    out.layers = std::max(0, shape.layers);
    out.oversubscription = shape.oversubscription;
    out.assumed = true;
    const int domain = std::max(1, shape.nvlinkDomain);
    const int hostsPerDomain = std::max(1, domain / out.gpusPerHost);
    growTree(out, shape.hosts, std::max(1, assumedHostsPerLeaf / hostsPerDomain) * hostsPerDomain);
    countHosts(out);
    out.gpuDomain.resize(at(shape.hosts) * at(out.gpusPerHost));
    for (int gpu = 0; gpu < out.gpus(); ++gpu)
        out.gpuDomain[at(gpu)] = gpu / domain;
    out.domains = (out.gpus() + domain - 1) / domain;
    return out;
}

Fabric importedFabric(const Topology& topology, const FabricShape& shape) {
    Fabric out;
    out.speeds = shape.speeds;
    out.gpusPerHost = std::max(1, shape.gpusPerHost);
    out.layers = topology.layers();
    out.oversubscription = shape.oversubscription;
    out.nodeParent.reserve(topology.nodes.size());
    out.nodeLayer.reserve(topology.nodes.size());
    for (const NetworkNode& node : topology.nodes) {
        out.nodeParent.push_back(node.parent);
        out.nodeLayer.push_back(node.layer);
    }
    out.hostLeaf.reserve(topology.hosts.size());
    out.gpuDomain.reserve(topology.hosts.size() * at(out.gpusPerHost));
    const int within = std::clamp(shape.nvlinkDomain, 1, out.gpusPerHost); // of a single host
    const int mostHosts = shape.nvlinkDomain / out.gpusPerHost;            // of one domain
    struct Open {
        int domain = -1, hosts = 0;
    };
    std::unordered_map<std::string_view, Open> domains;
    for (const Host& host : topology.hosts) {
        out.hostLeaf.push_back(host.leaf);
        int shared = -1;
        if (!host.domain.empty() && mostHosts > 1) {
            Open& open = domains[host.domain];
            if (open.hosts % mostHosts == 0) // first host, or the previous domain is full
                open.domain = out.domains++;
            ++open.hosts;
            shared = open.domain;
        }
        for (int gpu = 0; gpu < out.gpusPerHost; ++gpu)
            out.gpuDomain.push_back(shared >= 0 ? shared : out.domains + gpu / within);
        out.domains += shared >= 0 ? 0 : (out.gpusPerHost + within - 1) / within;
    }
    countHosts(out);
    return out;
}

} // namespace alidade
