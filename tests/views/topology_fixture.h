// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/topology/topology_data.h"

#include <memory>
#include <string>

/// Clusters by hand: everything about them can be counted by eye.
namespace alidade::sample_cluster {

struct Shape {
    int hosts = 32, gpusPerHost = 8, nvlinkDomain = 8, layers = 3;
    Degrees degrees{};
    std::vector<int> excluded{};
    int ranks = 0; ///< 0: what the degrees say
};

/// 64 hosts of 8 GPUs below four leaves: TP inside a host, 4 stages, 16 replicas.
inline Shape plain() {
    return {.hosts = 64, .degrees = {.tensor = 8, .data = 16, .pipeline = 4, .expertData = 128}};
}

inline ClusterMap map(const Shape& shape) {
    ClusterMap out;
    out.machine = "p5.48xlarge";
    out.source = "by hand";
    out.fabric = catalogFabric({.hosts = shape.hosts,
                                .gpusPerHost = shape.gpusPerHost,
                                .nvlinkDomain = shape.nvlinkDomain,
                                .layers = shape.layers,
                                .speeds = {.nvlinkBandwidth = 450e9,
                                           .networkBandwidth = 50e9,
                                           .networkLatency = 15e-6,
                                           .hopLatency = 1e-6,
                                           .networkCards = 32}});
    out.pools.push_back({.layout = RankLayout(shape.degrees, "tp-cp-ep-dp-pp")});
    for (int host = 0; host < shape.hosts; ++host) {
        out.hostIds.push_back("i-" + std::to_string(1000 + host));
        out.hostNames.push_back("node" + std::to_string(host));
    }
    for (int node = 0; node < out.fabric.nodes(); ++node)
        out.nodeIds.push_back("nn-" + std::to_string(node));
    for (int domain = 0; domain < out.fabric.domains; ++domain)
        out.domainIds.push_back("domain-" + std::to_string(domain));
    out.excluded.assign(static_cast<std::size_t>(shape.hosts), false);
    out.unfit = out.excluded;
    for (const int host : shape.excluded)
        out.excluded[static_cast<std::size_t>(host)] = true;
    const int ranks = shape.ranks > 0 ? shape.ranks : out.pools.front().layout.ranks();
    if (auto placed = place(out.fabric, {.excluded = shape.excluded, .ranks = ranks}))
        out.placement = *std::move(placed);
    else
        out.placement.rankOfGpu.assign(static_cast<std::size_t>(out.fabric.gpus()), -1);
    return out;
}

/// TP moves 1 GB a GPU over NVLink and DP 2 GB over the network, in a step of 1 s.
inline std::shared_ptr<const views::TopologyData> data(const Shape& shape) {
    auto estimate = std::make_shared<Estimate>();
    estimate->runs = estimate->fits = true;
    estimate->gpus = shape.hosts * shape.gpusPerHost;
    Training training;
    training.stepTime = 1;
    for (int stage = 0; stage < shape.degrees.pipeline; ++stage)
        training.stages.push_back({.stage = stage, .layers = 4, .memoryBytes = 40e9});
    estimate->training = training;
    Memory memory;
    memory.capacityBytes = 80e9;
    memory.totalBytes = 60e9;
    for (int stage = 0; stage < shape.degrees.pipeline; ++stage)
        memory.stages.push_back({.stage = stage, .totalBytes = 40e9 + 1e9 * stage, .parts = {}});
    estimate->memory = memory;
    ClusterMap made = map(shape);
    LinkTraffic traffic(made.fabric);
    traffic.add(made.fabric, made.placement, made.pools.front().layout, 0,
                {{.kind = GroupKind::tensor, .bytesOnStage = {1e9}, .seconds = 0.2},
                 {.kind = GroupKind::data, .bytesOnStage = {2e9}, .networkShare = 1, .seconds = 0.4}},
                training.stepTime);
    return views::topologyData(std::move(made), std::move(traffic), std::move(estimate));
}

/// A cluster as a cloud reports it: 16 leaves below a node, all nodes below one.
struct Reported {
    int hosts = 10'000, hostsPerLeaf = 4;
    int hostsPerDomain = 1; ///< in one NVLink domain
    int stride = 1;         ///< 1: neighbors below one leaf; else a prime: they lie far apart
};

inline std::shared_ptr<const views::TopologyData> reported(const Reported& wanted) {
    const int perHost = 8;
    Topology topology{.name = "reported", .source = {}, .nodes = {{"core", 0, -1}}, .hosts = {}};
    const int leaves = (wanted.hosts + wanted.hostsPerLeaf - 1) / wanted.hostsPerLeaf;
    std::vector<int> leafNodes;
    int node = -1;
    for (int leaf = 0; leaf < leaves; ++leaf) {
        if (leaf % 16 == 0) {
            node = static_cast<int>(topology.nodes.size());
            topology.nodes.push_back({"node-" + std::to_string(node), 1, 0});
        }
        leafNodes.push_back(static_cast<int>(topology.nodes.size()));
        topology.nodes.push_back({"leaf-" + std::to_string(leafNodes.back()), 2, node});
    }
    for (int host = 0; host < wanted.hosts; ++host) {
        const auto place = static_cast<long long>(host) * wanted.stride % wanted.hosts;
        topology.hosts.push_back(
            {.id = "i-" + std::to_string(host),
             .domain = wanted.hostsPerDomain > 1 ? "u-" + std::to_string(host / wanted.hostsPerDomain) : "",
             .leaf = leafNodes[static_cast<std::size_t>(place / wanted.hostsPerLeaf)]});
    }
    auto data = std::make_shared<views::TopologyData>(
        *sample_cluster::data({.hosts = wanted.hosts, .degrees = {.tensor = 8, .data = wanted.hosts}}));
    data->map.fabric = importedFabric(
        topology,
        {.hosts = wanted.hosts, .gpusPerHost = perHost, .nvlinkDomain = perHost * wanted.hostsPerDomain});
    data->map.nodeIds.clear();
    for (const NetworkNode& each : topology.nodes)
        data->map.nodeIds.push_back(each.id);
    data->map.domainIds.clear();
    for (int domain = 0; domain < data->map.fabric.domains; ++domain)
        data->map.domainIds.push_back("domain-" + std::to_string(domain));
    for (auto* shares : {&data->mean, &data->active})
        (*shares)[static_cast<std::size_t>(LinkKind::trunk)].assign(topology.nodes.size(), 0.2F);
    data->scene = views::TopologyScene(data->map.fabric);
    return data;
}

} // namespace alidade::sample_cluster
