// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/cluster_map.h"

#include "model/scenario/placed_cluster.h"

#include <algorithm>

namespace alidade {

const PoolLayout* ClusterMap::poolOf(int rank) const {
    for (const PoolLayout& pool : pools)
        if (rank >= pool.firstRank && rank < pool.firstRank + pool.layout.ranks())
            return &pool;
    return nullptr;
}

Coordinates ClusterMap::coordinates(int rank) const {
    const PoolLayout* pool = poolOf(rank);
    return pool ? pool->layout.coordinates(rank - pool->firstRank) : Coordinates{};
}

std::vector<int> ClusterMap::groupOf(GroupKind kind, int rank) const {
    const PoolLayout* pool = poolOf(rank);
    std::vector<int> out = pool ? pool->layout.groupOf(kind, rank - pool->firstRank) : std::vector<int>();
    for (int& member : out)
        member += pool->firstRank;
    return out;
}

std::vector<GroupKind> ClusterMap::kinds() const {
    std::vector<GroupKind> out;
    for (const GroupKind kind : allGroupKinds) {
        if (std::ranges::any_of(pools, [&](const PoolLayout& pool) {
                return std::ranges::count(pool.layout.kinds(), kind) > 0;
            })) {
            out.push_back(kind);
        }
    }
    return out;
}

namespace {

std::string sourceOf(const Topology* topology, const Fabric& fabric) {
    if (topology)
        return topology->source.empty() ? topology->name : topology->source;
    // An NVLink domain lies below one leaf, so a large one makes a larger leaf.
    std::vector<int> below(static_cast<std::size_t>(fabric.nodes()), 0);
    for (const int leaf : fabric.hostLeaf)
        if (leaf >= 0)
            ++below[static_cast<std::size_t>(leaf)];
    const int most = below.empty() ? 0 : *std::ranges::max_element(below);
    return std::to_string(fabric.layers) + " network layers as the catalog says; at most " +
           std::to_string(std::max(most, assumedHostsPerLeaf)) + " instances below a leaf and " +
           std::to_string(assumedHostsPerLeaf) + " nodes below a node are an assumption";
}

void nameParts(ClusterMap& map, const Topology* topology) {
    const auto count = [](int n) { return static_cast<std::size_t>(n); };
    const Fabric& fabric = map.fabric;
    map.hostIds.reserve(count(fabric.hosts()));
    for (int host = 0; host < fabric.hosts(); ++host)
        map.hostIds.push_back(topology ? topology->hosts[count(host)].id : catalogHostName(host));
    map.hostNames = map.hostIds;
    std::vector<int> inLayer(count(std::max(0, fabric.layers)), 0);
    for (int node = 0; node < fabric.nodes(); ++node) {
        const int layer = fabric.nodeLayer[count(node)];
        map.nodeIds.push_back(topology ? topology->nodes[count(node)].id
                                       : "node-" + std::to_string(layer + 1) + "-" +
                                             std::to_string(++inLayer[count(layer)]));
    }
    map.domainIds.assign(count(fabric.domains), {});
    for (int gpu = 0; gpu < fabric.gpus(); ++gpu) {
        std::string& id = map.domainIds[count(fabric.domainOf(gpu))];
        if (id.empty()) {
            const std::size_t host = count(fabric.hostOf(gpu));
            id = topology && !topology->hosts[host].domain.empty()
                     ? topology->hosts[host].domain
                     : "domain-" + std::to_string(fabric.domainOf(gpu) + 1);
        }
    }
    if (!topology)
        return;
    for (std::size_t host = 0; host < topology->hosts.size(); ++host) {
        const Host& each = topology->hosts[host];
        map.hostNames[host] = each.name.empty() ? each.id : each.name;
        map.zones.push_back(each.zone);
    }
}

void addPools(ClusterMap& map, const Scenario& scenario) {
    if (!map.serving) {
        if (auto layout = rankLayout(scenario))
            map.pools.push_back({{}, 0, 0, *std::move(layout)});
        return;
    }
    int first = 0;
    for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
        const ServingPool& pool = scenario.pools[i];
        const ServingPhase phase = pool.plan.phase;
        const bool alone = scenario.pools.size() == 1;
        const DisaggregatedSpec& apart = scenario.spec.plan.disaggregated;
        if (!alone && (phase == ServingPhase::prefill ? apart.prefill : apart.decode).instance)
            continue; // on its own machines, which are not these
        map.pools.push_back({alone                            ? "engine"
                             : phase == ServingPhase::prefill ? "prefill"
                                                              : "decode",
                             i, first, rankLayout(pool.plan)});
        first += map.pools.back().layout.ranks();
    }
}

} // namespace

ClusterMap clusterMap(const Scenario& scenario, const Catalog& catalog) {
    ClusterMap out;
    const ClusterSpec& cluster = scenario.spec.cluster;
    const Topology* topology = cluster.topology ? catalog.topology(*cluster.topology) : nullptr;
    out.machine = scenario.priceItem;
    out.serving = scenario.isServing();
    const FabricShape shape = fabricShape(scenario);
    out.fabric = topology ? importedFabric(*topology, shape) : catalogFabric(shape);
    out.source = sourceOf(topology, out.fabric);
    nameParts(out, topology);
    const HostChoice hosts = hostsOf(scenario, topology);
    out.excluded.assign(static_cast<std::size_t>(out.fabric.hosts()), false);
    out.unfit = out.excluded;
    for (const int host : hosts.excluded)
        out.excluded[static_cast<std::size_t>(host)] = true;
    for (const int host : hosts.unfit)
        out.unfit[static_cast<std::size_t>(host)] = true;
    out.placement.rankOfGpu.assign(static_cast<std::size_t>(out.fabric.gpus()), -1);
    if (!scenario.legal || scenario.isReinforcement()) // whose sides lay out the same hosts twice
        return out;
    addPools(out, scenario);
    int ranks = 0;
    for (const PoolLayout& pool : out.pools)
        ranks += pool.layout.ranks();
    auto placed = place(out.fabric, hosts.request(ranks, !out.serving));
    if (placed)
        out.placement = *std::move(placed);
    else
        out.pools.clear();
    return out;
}

LinkTraffic linkTraffic(const ClusterMap& map, const Estimate& estimate, const Scenario& scenario) {
    LinkTraffic out(map.fabric);
    for (const PoolLayout& each : map.pools) {
        out.add(map.fabric, map.placement, each.layout, each.firstRank,
                groupTraffic(estimate, scenario, each.pool), trafficStepSeconds(estimate, each.pool));
    }
    return out;
}

std::vector<int> hopDistances(const Fabric& fabric, int gpu) {
    std::vector<int> out;
    out.reserve(static_cast<std::size_t>(fabric.gpus()));
    const int host = fabric.hostOf(gpu), domain = fabric.domainOf(gpu);
    for (int other = 0; other < fabric.gpus(); ++other) {
        out.push_back(
            fabric.domainOf(other) == domain ? 0 : std::max(1, fabric.switches(host, fabric.hostOf(other))));
    }
    return out;
}

std::vector<double> memoryOfGpus(const ClusterMap& map, const Estimate& estimate) {
    std::vector<double> out(static_cast<std::size_t>(map.fabric.gpus()), 0);
    for (const PoolLayout& each : map.pools) {
        const Memory* memory = estimate.memory ? &*estimate.memory : nullptr;
        if (estimate.serving && each.pool < estimate.serving->pools.size())
            memory = &estimate.serving->pools[each.pool].memory;
        for (int rank = 0; memory && rank < each.layout.ranks(); ++rank) {
            const auto stage = static_cast<std::size_t>(each.layout.coordinates(rank).pipeline);
            const int gpu = map.placement.gpuOfRank[static_cast<std::size_t>(each.firstRank + rank)];
            out[static_cast<std::size_t>(gpu)] =
                stage < memory->stages.size() ? memory->stages[stage].totalBytes : memory->totalBytes;
        }
    }
    return out;
}

} // namespace alidade
