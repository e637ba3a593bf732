// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_look.h"

#include "views/document/text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_live.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double quietShare = 0.2;       // of its color that a dimmed part keeps
constexpr double leastCoordinate = 0.14; // place on the ramp of the first of several: not nothing
constexpr double poolGap = 0.25;         // of the ramp, between the replicas of two pools

QRgb mixed(QRgb from, QRgb to, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return qRgb(mix(qRed(from), qRed(to)), mix(qGreen(from), qGreen(to)), mix(qBlue(from), qBlue(to)));
}

/// The ramp in 256 steps: a cluster asks a hundred thousand times.
class Ramp {
public:
    explicit Ramp(const Theme& look) {
        for (std::size_t i = 0; i < steps_.size(); ++i)
            steps_[i] = look.sequential(static_cast<double>(i) / 255).rgb();
    }
    QRgb operator()(double t) const {
        return steps_[static_cast<std::size_t>(
            std::lround(std::clamp(std::isfinite(t) ? t : 0.0, 0.0, 1.0) * 255))];
    }

private:
    std::array<QRgb, 256> steps_;
};

constexpr int mostOfLegend = 8; // coordinates or replicas

double placeOfCoordinate(int coordinate, int degree) {
    return degree <= 1 ? 0.5 : leastCoordinate + (1 - leastCoordinate) * coordinate / (degree - 1);
}

/// Replicas of several pools: each pool has a stretch of the ramp, with a gap to the next one's.
double placeOfReplica(const TopologyData& data, int replica) {
    const auto pools = static_cast<int>(data.map.pools.size());
    if (pools <= 1)
        return placeOfCoordinate(replica, data.degrees.data);
    const double each = (1 - leastCoordinate + poolGap) / pools;
    const auto [pool, index, count] = data.placeOf(replica);
    const double within = count > 1 ? 1.0 * index / (count - 1) : 0.5;
    return leastCoordinate + each * pool + (each - poolGap) * within;
}

struct LookDimension {
    int (*of)(const Coordinates&);
    int degree;
    const char* name;
};

LookDimension dimensionOf(TopologyColor color, const TopologyData& data) {
    const Degrees& degrees = data.degrees;
    switch (color) {
    case TopologyColor::tensor:
        return {[](const Coordinates& c) { return c.tensor; }, degrees.tensor, QT_TR_NOOP("Tensor rank")};
    case TopologyColor::context:
        return {[](const Coordinates& c) { return c.context; }, degrees.context, QT_TR_NOOP("Context rank")};
    case TopologyColor::expert:
        return {[](const Coordinates& c) { return c.expert; }, degrees.expert, QT_TR_NOOP("Expert rank")};
    case TopologyColor::data:
        return {[](const Coordinates& c) { return c.data; }, degrees.data,
                data.map.serving ? QT_TR_NOOP("Replica") : QT_TR_NOOP("Data rank")};
    default:
        return {[](const Coordinates& c) { return c.pipeline; }, degrees.pipeline,
                QT_TR_NOOP("Pipeline stage")};
    }
}

/// Groups of nothing chosen: the dimension that tells most.
TopologyColor standIn(const TopologyData& data) {
    const Degrees& degrees = data.degrees;
    return data.map.pools.size() > 1 ? TopologyColor::data
           : degrees.pipeline > 1    ? TopologyColor::pipeline
           : degrees.data > 1        ? TopologyColor::data
           : degrees.tensor > 1      ? TopologyColor::tensor
                                     : TopologyColor::load;
}

/// Around which groups are drawn: the chosen GPU, else with a chosen group that of rank 0.
int anchorOf(const TopologyData& data, const TopologyFocus& focus) {
    if (focus.gpu >= 0 || !focus.group || data.map.placement.ranks() == 0)
        return focus.gpu;
    return data.gpuOf(0);
}

TopologyColor effective(const TopologyData& data, const TopologyFocus& focus) {
    if (focus.color == TopologyColor::groups && anchorOf(data, focus) < 0)
        return standIn(data);
    if (isLive(focus.color) && (!focus.live || !focus.live->figure(focus.color).missing.isEmpty()))
        return TopologyColor::load;
    return focus.color == TopologyColor::hops && focus.gpu < 0 ? TopologyColor::load : focus.color;
}

Bound fabricOf(const TopologyData& data, const std::vector<int>& gpus) {
    return data.crossesDomains(gpus) ? Bound::efa : Bound::nvlink;
}

std::vector<GroupKind> kindsShown(const TopologyData& data, const TopologyFocus& focus) {
    if (focus.group)
        return {*focus.group};
    // Parts of the data group would only cover it.
    std::vector<GroupKind> kinds;
    for (const GroupKind kind :
         {GroupKind::data, GroupKind::expert, GroupKind::pipeline, GroupKind::context, GroupKind::tensor})
        if (std::ranges::find(data.kinds, kind) != data.kinds.end())
            kinds.push_back(kind);
    return kinds;
}

/// Color of each GPU by a value of it, not dimmed.
void fillColors(TopologyLook& made, const TopologyData& data, const TopologyFocus& focus, const Theme& look) {
    const Ramp ramp(look);
    const TopologyColor color = effective(data, focus);
    const int gpus = data.gpus();
    if (isLive(color)) {
        // A spare and a host that is left out are measured too.
        fillLive(made, *focus.live, color, look);
        return;
    }
    switch (color) {
    case TopologyColor::groups:
        std::ranges::fill(made.gpus, look.color(Role::sunken).rgb());
        break;
    case TopologyColor::load:
        for (int gpu = 0; gpu < gpus; ++gpu)
            made.gpus[ix(gpu)] = ramp(std::max(made.nvlink[ix(gpu)], made.nic[ix(gpu)]));
        break;
    case TopologyColor::memory:
        for (int gpu = 0; gpu < gpus; ++gpu)
            made.gpus[ix(gpu)] =
                ramp(data.memoryCapacity > 0 ? data.memory[ix(gpu)] / data.memoryCapacity : 0);
        break;
    case TopologyColor::hops: {
        const std::vector<int> hops = hopDistances(data.map.fabric, focus.gpu);
        const double most = std::max(1, 2 * data.map.fabric.layers - 1);
        for (int gpu = 0; gpu < gpus; ++gpu)
            made.gpus[ix(gpu)] = ramp(hops[ix(gpu)] / most);
        break;
    }
    case TopologyColor::data:
        if (data.map.pools.size() > 1) {
            for (int gpu = 0; gpu < gpus; ++gpu)
                if (const int rank = data.rankOf(gpu); rank >= 0)
                    made.gpus[ix(gpu)] = ramp(placeOfReplica(data, data.replicaOf(rank)));
            break;
        }
        [[fallthrough]];
    default: {
        const LookDimension dimension = dimensionOf(color, data);
        for (int gpu = 0; gpu < gpus; ++gpu)
            if (const int rank = data.rankOf(gpu); rank >= 0)
                made.gpus[ix(gpu)] =
                    ramp(placeOfCoordinate(dimension.of(data.map.coordinates(rank)), dimension.degree));
        break;
    }
    }
    const QRgb nothing = look.color(Role::base).rgb();
    for (int gpu = 0; gpu < gpus; ++gpu)
        if (made.marks[ix(gpu)] & (TopologyLook::idle | TopologyLook::excluded | TopologyLook::unfit))
            made.gpus[ix(gpu)] = nothing;
}

/// How strong the color of a fabric is for a kind of group, so that several kinds over one fabric differ.
double strengthOf(GroupKind kind, const TopologyFocus& focus) {
    if (focus.group || kind == GroupKind::tensor || kind == GroupKind::pipeline)
        return 1;
    return kind == GroupKind::data ? 0.42 : 0.7;
}

QRgb peerColor(const TopologyData& data, const TopologyFocus& focus, GroupKind kind,
               const std::vector<int>& group, const Theme& look) {
    return mixed(look.color(Role::base).rgb(), look.classStyle(fabricOf(data, group)).color.rgb(),
                 strengthOf(kind, focus));
}

void markPeers(TopologyLook& made, const TopologyData& data, const TopologyFocus& focus, const Theme& look) {
    const int anchor = anchorOf(data, focus);
    if (anchor < 0)
        return;
    const bool byGroup = focus.color == TopologyColor::groups;
    for (const GroupKind kind : kindsShown(data, focus)) {
        const std::vector<int> peers = data.peers(kind, anchor);
        if (peers.empty())
            continue;
        std::vector<int> group = peers;
        group.push_back(anchor);
        const QRgb color = peerColor(data, focus, kind, group, look);
        const bool ring = kind == GroupKind::pipeline && !focus.group;
        for (const int gpu : group) {
            std::uint8_t& marks = made.marks[ix(gpu)];
            marks = static_cast<std::uint8_t>(marks | TopologyLook::peer);
            if (gpu != anchor && ring)
                marks = static_cast<std::uint8_t>(marks | TopologyLook::ringed);
            if (gpu != anchor) {
                made.peers.push_back(gpu);
                made.peerColors.push_back(color);
            }
            if (byGroup && !ring)
                made.gpus[ix(gpu)] = color;
        }
        data.markWays(anchor, peers, made.litHosts, made.litNodes);
    }
    made.marks[ix(anchor)] = static_cast<std::uint8_t>(made.marks[ix(anchor)] | TopologyLook::peer);
}

bool isBelow(const Fabric& fabric, int host, int node) {
    for (int above = fabric.leafOf(host); above >= 0; above = fabric.parentOf(above))
        if (above == node)
            return true;
    return false;
}

void keepHost(TopologyLook& made, const TopologyData& data, int host) {
    const int perHost = data.map.fabric.gpusPerHost;
    for (int gpu = host * perHost; gpu < (host + 1) * perHost; ++gpu)
        made.marks[ix(gpu)] = static_cast<std::uint8_t>(made.marks[ix(gpu)] | TopologyLook::peer);
}

/// The GPUs that a chosen host, node or link concerns.
void markChosen(TopologyLook& made, const TopologyData& data, const TopologyFocus& focus) {
    const Fabric& fabric = data.map.fabric;
    int node = focus.node, host = focus.host;
    if (focus.link && focus.link->kind == LinkKind::trunk) {
        node = focus.link->index;
        made.litNodes[ix(node)] = 1;
    }
    if (focus.link && focus.link->kind == LinkKind::uplink) {
        host = focus.link->index;
        made.litHosts[ix(host)] = 1;
    }
    if (focus.link && (focus.link->kind == LinkKind::nvlink || focus.link->kind == LinkKind::nic))
        host = fabric.hostOf(focus.link->index);
    if (host >= 0)
        keepHost(made, data, host);
    if (node >= 0)
        for (int each = 0; each < fabric.hosts(); ++each)
            if (isBelow(fabric, each, node))
                keepHost(made, data, each);
}

void lightPath(TopologyLook& made, const TopologyData& data, const TopologyFocus& focus) {
    if (focus.gpu < 0 || focus.pathTo < 0)
        return;
    std::ranges::fill(made.litHosts, char{0});
    std::ranges::fill(made.litNodes, char{0});
    data.markWays(focus.gpu, {focus.pathTo}, made.litHosts, made.litNodes);
}

void dimTheRest(TopologyLook& made, const TopologyFocus& focus, const Theme& look) {
    if (!made.selected || focus.color == TopologyColor::hops)
        return;
    const QRgb ground = look.color(Role::base).rgb();
    for (std::size_t gpu = 0; gpu < made.gpus.size(); ++gpu) {
        if (made.marks[gpu] & TopologyLook::peer)
            continue;
        made.marks[gpu] = static_cast<std::uint8_t>(made.marks[gpu] | TopologyLook::quiet);
        made.gpus[gpu] =
            mixed(ground, made.gpus[gpu], focus.color == TopologyColor::groups ? 0.6 : quietShare);
    }
}

/// The i-th of `shown` numbers that are spread over 0 to count - 1.
int sampled(int count, int shown, int i) {
    return shown <= 1 ? 0 : static_cast<int>(std::lround(1.0 * i * (count - 1) / (shown - 1)));
}

TopologyLegend coordinateLegend(const LookDimension& dimension, const Ramp& ramp) {
    TopologyLegend legend{.title = TopologyText::tr(dimension.name), .ramp = true};
    const int shown = std::min(dimension.degree, mostOfLegend);
    for (int i = 0; i < shown; ++i) {
        const int coordinate = sampled(dimension.degree, shown, i);
        legend.steps.push_back({.fill = ramp(placeOfCoordinate(coordinate, dimension.degree)),
                                .text = QString::number(coordinate)});
    }
    return legend;
}

/// Of several pools: some replicas of each, by their names.
TopologyLegend replicaLegend(const TopologyData& data, const Ramp& ramp) {
    TopologyLegend legend{.title = TopologyText::tr("Replica"), .ramp = true};
    const int share = data.replicas() <= mostOfLegend
                          ? mostOfLegend
                          : std::max(2, mostOfLegend / static_cast<int>(data.map.pools.size()));
    int before = 0;
    for (const PoolLayout& pool : data.map.pools) {
        const int count = pool.layout.degrees().data;
        const int shown = std::min(count, share);
        for (int i = 0; i < shown; ++i) {
            const int replica = before + sampled(count, shown, i);
            legend.steps.push_back(
                {.fill = ramp(placeOfReplica(data, replica)), .text = data.replicaName(replica)});
        }
        before += count;
    }
    return legend;
}

TopologyLegend groupLegend(const TopologyData& data, const TopologyFocus& focus, const Theme& look) {
    TopologyLegend legend;
    const int anchor = anchorOf(data, focus);
    legend.title = focus.gpu >= 0 ? QString() : TopologyText::tr("Groups of rank 0");
    if (focus.gpu >= 0)
        legend.steps.push_back(
            {.fill = look.color(Role::text).rgb(), .text = TopologyText::tr("chosen"), .outline = true});
    std::vector<GroupKind> kinds = kindsShown(data, focus);
    std::ranges::reverse(kinds);
    for (const GroupKind kind : kinds) {
        std::vector<int> group = data.peers(kind, anchor);
        if (group.empty())
            continue;
        group.push_back(anchor);
        const ClassStyle style = look.classStyle(fabricOf(data, group));
        const bool ring = kind == GroupKind::pipeline && !focus.group;
        legend.steps.push_back(
            {.fill = peerColor(data, focus, kind, group, look),
             .text = (ring ? TopologyText::tr("%1 neighbors, %2") : TopologyText::tr("%1 peers, %2"))
                         .arg(text(groupWord(kind)).toUpper(), style.name),
             .outline = ring});
    }
    return legend;
}

TopologyLegend planLegend(const TopologyData& data, const TopologyFocus& focus, TopologyColor color,
                          const Theme& look) {
    const Ramp ramp(look);
    TopologyLegend legend;
    switch (color) {
    case TopologyColor::groups:
        legend = groupLegend(data, focus, look);
        break;
    case TopologyColor::load:
        legend = {.title = focus.load == TopologyLoad::active
                               ? TopologyText::tr("Busiest link, while groups communicate")
                               : TopologyText::tr("Busiest link, mean over the step"),
                  .ramp = true};
        for (const int percent : {0, 25, 50, 75, 100})
            legend.steps.push_back(
                {.fill = ramp(percent / 100.0), .text = TopologyText::tr("%1 %").arg(percent)});
        break;
    case TopologyColor::memory:
        legend = {.title = TopologyText::tr("Memory"), .ramp = true};
        for (const int percent : {0, 25, 50, 75, 100})
            legend.steps.push_back(
                {.fill = ramp(percent / 100.0),
                 .text = data.memoryCapacity > 0
                             ? quantity(data.memoryCapacity * percent / 100, Dimension::bytes,
                                        {.significant = 3, .trimZeros = true})
                             : TopologyText::tr("%1 %").arg(percent)});
        break;
    case TopologyColor::hops: {
        legend = {.title = TopologyText::tr("Switch hops from the selected GPU"), .ramp = true};
        const int most = std::max(1, 2 * data.map.fabric.layers - 1);
        legend.steps.push_back({.fill = ramp(0), .text = QStringLiteral("0")});
        for (int hops = 1; hops <= most; hops += 2)
            legend.steps.push_back({.fill = ramp(1.0 * hops / most), .text = QString::number(hops)});
        break;
    }
    case TopologyColor::data:
        legend = data.map.pools.size() > 1 ? replicaLegend(data, ramp)
                                           : coordinateLegend(dimensionOf(color, data), ramp);
        break;
    default:
        legend = coordinateLegend(dimensionOf(color, data), ramp);
    }
    return legend;
}

/// Why GPUs have no color of the ramp.
void addStateSteps(TopologyLegend& legend, const TopologyData& data, const Theme& look) {
    const ClusterMap& map = data.map;
    bool anyIdle = false;
    for (int gpu = 0; gpu < data.gpus() && !anyIdle; ++gpu) {
        const int host = map.fabric.hostOf(gpu);
        anyIdle = data.rankOf(gpu) < 0 && !data.isExcluded(host) && !data.isUnfit(host);
    }
    if (anyIdle)
        legend.steps.push_back(
            {.fill = look.color(Role::line2).rgb(), .text = TopologyText::tr("idle"), .outline = true});
    if (std::ranges::find(map.excluded, true) != map.excluded.end())
        legend.steps.push_back(
            {.fill = look.color(Role::text3).rgb(), .text = TopologyText::tr("left out"), .hatched = true});
    bool anyUnfit = false;
    for (int host = 0; host < data.hosts(); ++host)
        anyUnfit = anyUnfit || (data.isUnfit(host) && !data.isExcluded(host));
    if (anyUnfit)
        legend.steps.push_back({.fill = look.color(Role::text3).rgb(),
                                .text = TopologyText::tr("another machine"),
                                .crossed = true});
}

} // namespace

QRgb topologyDimmed(QRgb color, const Theme& look) {
    return mixed(look.color(Role::base).rgb(), color, quietShare);
}

TopologyLook topologyLook(const TopologyData& data, const TopologyFocus& focus, const Theme& look) {
    TopologyLook made;
    const auto shares = [&](LinkKind kind) {
        return (focus.load == TopologyLoad::active ? data.active : data.mean)[static_cast<std::size_t>(kind)];
    };
    made.nvlink = shares(LinkKind::nvlink);
    made.nic = shares(LinkKind::nic);
    made.uplink = shares(LinkKind::uplink);
    made.trunk = shares(LinkKind::trunk);
    made.gpus.assign(ix(data.gpus()), look.color(Role::base).rgb());
    made.marks.assign(ix(data.gpus()), 0);
    made.litHosts.assign(ix(data.hosts()), 0);
    made.litNodes.assign(ix(data.map.fabric.nodes()), 0);
    for (int gpu = 0; gpu < data.gpus(); ++gpu) {
        const int host = data.map.fabric.hostOf(gpu);
        made.marks[ix(gpu)] = static_cast<std::uint8_t>((data.rankOf(gpu) < 0 ? TopologyLook::idle : 0) |
                                                        (data.isExcluded(host) ? TopologyLook::excluded : 0) |
                                                        (data.isUnfit(host) ? TopologyLook::unfit : 0));
    }
    for (const TopologyScene::Card& card : data.scene.cards()) {
        float most = 0;
        for (int n = 0; n < card.count; ++n)
            most = std::max(most, made.uplink[ix(data.scene.order()[ix(card.first + n)])]);
        made.cards.push_back(most);
    }
    made.gpu = focus.gpu;
    made.host = focus.host;
    made.node = focus.node;
    made.link = focus.link;
    made.selected =
        anchorOf(data, focus) >= 0 || focus.host >= 0 || focus.node >= 0 || focus.link.has_value();
    fillColors(made, data, focus, look);
    markPeers(made, data, focus, look);
    markChosen(made, data, focus);
    lightPath(made, data, focus);
    dimTheRest(made, focus, look);
    return made;
}

TopologyLegend topologyLegend(const TopologyData& data, const TopologyFocus& focus, const Theme& look) {
    const TopologyColor color = effective(data, focus);
    TopologyLegend legend;
    if (isLive(color))
        legend = liveLegend(*focus.live, color, look);
    else
        legend = planLegend(data, focus, color, look);
    addStateSteps(legend, data, look);
    return legend;
}

} // namespace alidade::views
