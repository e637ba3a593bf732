// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_data.h"

#include "model/catalog/catalog.h"
#include "model/scenario/scenario.h"
#include "views/document/text.h"
#include "views/topology/topology_base.h"

#include <algorithm>
#include <array>
#include <exception>

namespace alidade::views {
namespace {

constexpr std::array allLinkKinds{LinkKind::nvlink, LinkKind::nic, LinkKind::uplink, LinkKind::trunk};

void fillShares(TopologyData& data) {
    for (const LinkKind kind : allLinkKinds) {
        const auto index = static_cast<std::size_t>(kind);
        const int count = data.map.fabric.linkCount(kind);
        data.mean[index].assign(static_cast<std::size_t>(count), 0.0F);
        data.active[index].assign(static_cast<std::size_t>(count), 0.0F);
        if (!data.hasTraffic)
            continue;
        for (int i = 0; i < count; ++i) {
            const LinkLoad load = data.traffic.load({kind, i});
            data.mean[index][static_cast<std::size_t>(i)] = static_cast<float>(load.meanShare);
            data.active[index][static_cast<std::size_t>(i)] = static_cast<float>(load.activeShare);
        }
    }
}

/// The larger of each degree where there are several pools.
Degrees largestDegrees(const ClusterMap& map) {
    Degrees most;
    for (const PoolLayout& pool : map.pools) {
        const Degrees& own = pool.layout.degrees();
        for (int Degrees::* degree : {&Degrees::tensor, &Degrees::context, &Degrees::data, &Degrees::pipeline,
                                      &Degrees::expertTensor, &Degrees::expert, &Degrees::expertData})
            most.*degree = std::max(most.*degree, own.*degree);
    }
    return most;
}

} // namespace

std::shared_ptr<const TopologyData> topologyData(ClusterMap map, LinkTraffic traffic,
                                                 std::shared_ptr<const Estimate> estimate) {
    auto data = std::make_shared<TopologyData>();
    data->estimate = std::move(estimate);
    data->map = std::move(map);
    data->traffic = std::move(traffic);
    const Estimate& of = *data->estimate;
    data->hasTraffic = of.training || of.serving;
    data->stepSeconds = of.training ? of.training->stepTime : of.serving ? of.serving->stepTime : 0;
    data->scene = TopologyScene(data->map.fabric);
    data->kinds = data->map.kinds();
    data->degrees = largestDegrees(data->map);
    data->memory = memoryOfGpus(data->map, of);
    data->memory.resize(ix(data->gpus()), 0);
    data->memoryCapacity = of.memory ? of.memory->capacityBytes : 0;
    fillShares(*data);
    return data;
}

int TopologyData::replicas() const {
    int count = 0;
    for (const PoolLayout& pool : map.pools)
        count += pool.layout.degrees().data;
    return count;
}

int TopologyData::replicaOf(int rank) const {
    const PoolLayout* of = map.poolOf(rank);
    if (of == nullptr)
        return -1;
    int before = 0;
    for (const PoolLayout* pool = map.pools.data(); pool != of; ++pool)
        before += pool->layout.degrees().data;
    return before + map.coordinates(rank).data;
}

TopologyData::ReplicaPlace TopologyData::placeOf(int replica) const {
    ReplicaPlace place{.pool = 0, .index = replica, .count = 0};
    for (const PoolLayout& pool : map.pools) {
        place.count = pool.layout.degrees().data;
        if (place.index < place.count)
            break;
        place.index -= place.count;
        ++place.pool;
    }
    Q_ASSERT(place.pool < static_cast<int>(map.pools.size()));
    return place;
}

QString TopologyData::replicaName(int replica) const {
    if (map.pools.size() <= 1)
        return TopologyText::tr("replica %1").arg(replica);
    const ReplicaPlace place = placeOf(replica);
    return TopologyText::tr("%1 %2").arg(text(map.pools[ix(place.pool)].name)).arg(place.index);
}

Result<std::shared_ptr<const TopologyData>> makeTopologyData(const ScenarioSpec& spec, const Catalog& catalog,
                                                             std::shared_ptr<const Estimate> estimate,
                                                             const std::stop_token& superseded) {
    try {
        const Result<Scenario> scenario = resolve(spec, catalog, catalog.profileOrDefault(spec.calibration));
        if (!scenario)
            return Error{scenario.error()};
        ClusterMap map = clusterMap(*scenario, catalog);
        if (map.fabric.gpus() == 0)
            return Error{TopologyText::tr("The scenario has no cluster to draw.").toStdString()};
        if (superseded.stop_requested())
            return Error{"superseded"};
        LinkTraffic traffic(map.fabric);
        if (estimate->training || estimate->serving)
            traffic = linkTraffic(map, *estimate, *scenario);
        return topologyData(std::move(map), std::move(traffic), std::move(estimate));
    } catch (const std::exception& e) {
        return Error{std::string("the cluster could not be laid out: ") + e.what()};
    }
}

std::vector<int> TopologyData::members(GroupKind kind, int gpu) const {
    const int rank = gpu < 0 || gpu >= gpus() ? -1 : rankOf(gpu);
    if (rank < 0)
        return {};
    std::vector<int> found = map.groupOf(kind, rank);
    for (int& each : found)
        each = gpuOf(each);
    return found;
}

std::vector<int> TopologyData::peers(GroupKind kind, int gpu) const {
    const std::vector<int> ring = members(kind, gpu);
    const auto own = std::ranges::find(ring, gpu);
    std::vector<int> others;
    if (own == ring.end())
        return others;
    if (kind == GroupKind::pipeline) {
        if (own != ring.begin())
            others.push_back(*std::prev(own));
        if (std::next(own) != ring.end())
            others.push_back(*std::next(own));
        return others;
    }
    std::ranges::copy_if(ring, std::back_inserter(others), [gpu](int each) { return each != gpu; });
    return others;
}

bool TopologyData::crossesDomains(const std::vector<int>& gpus) const {
    return std::ranges::any_of(
        gpus, [&](int gpu) { return map.fabric.domainOf(gpu) != map.fabric.domainOf(gpus.front()); });
}

void TopologyData::markWays(int gpu, const std::vector<int>& others, std::vector<char>& uplinks,
                            std::vector<char>& trunks) const {
    const Fabric& fabric = map.fabric;
    const int host = fabric.hostOf(gpu);
    for (const int other : others) {
        const int far = fabric.hostOf(other);
        if (far == host || fabric.domainOf(other) == fabric.domainOf(gpu))
            continue;
        uplinks[ix(host)] = uplinks[ix(far)] = 1;
        int a = fabric.leafOf(host), b = fabric.leafOf(far);
        while (a >= 0 && b >= 0 && a != b) {
            const int layerA = fabric.nodeLayer[ix(a)], layerB = fabric.nodeLayer[ix(b)];
            if (layerA >= layerB) {
                trunks[ix(a)] = 1;
                a = fabric.parentOf(a);
            }
            if (layerB >= layerA) {
                trunks[ix(b)] = 1;
                b = fabric.parentOf(b);
            }
        }
    }
}

QString TopologyData::gpuName(int gpu) const {
    const int rank = rankOf(gpu);
    return rank >= 0 ? TopologyText::tr("Rank %L1").arg(rank) : TopologyText::tr("GPU %L1, idle").arg(gpu);
}

QString TopologyData::hostName(int host) const {
    const auto index = static_cast<std::size_t>(host);
    const std::string& name = map.hostNames[index];
    return text(name.empty() ? map.hostIds[index] : name);
}

QString TopologyData::nodeName(int node) const { return text(map.nodeIds[static_cast<std::size_t>(node)]); }

QString TopologyData::cardName(int card) const {
    const TopologyScene::Card& shown = scene.cards()[static_cast<std::size_t>(card)];
    if (shown.domain >= 0)
        return text(map.domainIds[static_cast<std::size_t>(shown.domain)]);
    if (shown.node >= 0)
        return nodeName(shown.node);
    return map.fabric.nodes() > 0 ? TopologyText::tr("Leaf unknown") : TopologyText::tr("Hosts");
}

QString TopologyData::linkName(LinkId link) const {
    switch (link.kind) {
    case LinkKind::nvlink:
        return TopologyText::tr("NVLink of %1").arg(gpuName(link.index));
    case LinkKind::nic:
        return TopologyText::tr("Network cards of %1").arg(gpuName(link.index));
    case LinkKind::uplink:
        return TopologyText::tr("Uplink of %1").arg(hostName(link.index));
    case LinkKind::trunk:
        break;
    }
    return TopologyText::tr("Trunk of %1").arg(nodeName(link.index));
}

QString shortName(const QString& name, qsizetype most) {
    if (name.size() <= most || most < 5)
        return name;
    const qsizetype tail = (most - 1) * 3 / 5;
    return name.left(most - 1 - tail) + QStringLiteral("…") + name.right(tail);
}

QString fittingName(const QString& name, const QFontMetricsF& metrics, double width) {
    const double whole = metrics.horizontalAdvance(name);
    if (whole <= width)
        return name;
    for (auto most = static_cast<qsizetype>(static_cast<double>(name.size()) * width / whole); most >= 4;
         --most) {
        const QString shortened = shortName(name, std::max<qsizetype>(most, 5));
        if (metrics.horizontalAdvance(shortened) <= width)
            return shortened;
    }
    return {};
}

} // namespace alidade::views
