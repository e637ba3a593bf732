// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/base/index.h"
#include "model/base/text.h"
#include "model/scenario/scenario.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <set>

namespace alidade::data {
namespace {

/// "1 host", "2,048 hosts".
std::string hostText(std::int64_t count) { return formatCount(count) + (count == 1 ? " host" : " hosts"); }

/// "16", or "12 – 16".
std::string spanText(int low, int high) {
    return low == high ? formatCount(low) : formatCount(low) + " – " + formatCount(high);
}

/// Hosts with a rank below each network node.
std::vector<int> usedBelow(const ClusterMap& map) {
    std::vector<int> used(at(map.fabric.nodes()), 0);
    for (const int host : map.placement.hosts)
        for (int node = map.fabric.leafOf(host); node >= 0; node = map.fabric.parentOf(node))
            ++used[at(node)];
    return used;
}

/// How far the members of the groups of one kind are apart: the worst of them.
struct GroupReach {
    int ranks = 0;
    std::int64_t groups = 0;
    int hosts = 1, domains = 1; ///< most that one group lies in
    int switches = 0;           ///< most between neighbors of a ring
};

GroupReach reachOf(const ClusterMap& map, const PoolLayout& pool, GroupKind kind) {
    GroupReach out;
    const int ranks = pool.layout.ranks();
    out.ranks = pool.layout.pattern(kind).ranks;
    std::vector<bool> seen(at(ranks), false);
    for (int rank = 0; rank < ranks; ++rank) {
        if (seen[at(rank)])
            continue;
        ++out.groups;
        std::set<int> hosts, domains;
        int before = -1;
        for (const int member : pool.layout.groupOf(kind, rank)) {
            seen[at(member)] = true;
            const int gpu = map.placement.gpuOfRank[at(pool.firstRank + member)];
            const int host = map.fabric.hostOf(gpu);
            hosts.insert(host);
            domains.insert(map.fabric.domainOf(gpu));
            if (before >= 0 && map.fabric.domainOf(before) != map.fabric.domainOf(gpu))
                out.switches = std::max(out.switches, map.fabric.switches(map.fabric.hostOf(before), host));
            before = gpu;
        }
        out.hosts = std::max(out.hosts, static_cast<int>(hosts.size()));
        out.domains = std::max(out.domains, static_cast<int>(domains.size()));
    }
    return out;
}

/// "NVLink", "one leaf", "3 switches": the furthest that its bytes go.
std::string crossedText(const GroupReach& reach) {
    if (reach.domains == 1)
        return "NVLink";
    if (reach.switches <= 1)
        return reach.switches == 0 ? "network cards" : "one leaf";
    return std::to_string(reach.switches) + " switches";
}

std::string poolTitle(const PoolLayout& pool, std::string label) {
    return pool.name.empty() || pool.name == "engine"
               ? label
               : capitalized(pool.name) + ", " + startLower(std::move(label));
}

Table groupTable(const ReportCluster& cluster) {
    Table table{
        .id = "topology.groups",
        .title = "Communication groups",
        .columns = {textColumn("Group"), quantityColumn("Ranks", Dimension::number),
                    quantityColumn("Groups", Dimension::number), quantityColumn("Hosts", Dimension::number),
                    quantityColumn("NVLink domains", Dimension::number), textColumn("Crosses at most"),
                    quantityColumn("Sent per GPU and step", Dimension::bytes)},
        .note = "Hosts, domains and switches are those of the widest group; switches are those between "
                "neighbors in its ring."};
    for (std::size_t i = 0; i < cluster.map.pools.size(); ++i) {
        const PoolLayout& pool = cluster.map.pools[i];
        for (const GroupKind kind : pool.layout.kinds()) {
            const GroupReach reach = reachOf(cluster.map, pool, kind);
            Cell sent = noCell();
            for (const GroupTraffic& each : cluster.moved[i])
                if (each.kind == kind && !each.bytesOnStage.empty())
                    sent = valueCell(*std::ranges::max_element(each.bytesOnStage), Dimension::bytes);
            table.rows.push_back({textCell(poolTitle(pool, std::string(groupLabel(kind)))),
                                  valueCell(reach.ranks, Dimension::number),
                                  valueCell(static_cast<double>(reach.groups), Dimension::number),
                                  valueCell(reach.hosts, Dimension::number),
                                  valueCell(reach.domains, Dimension::number), textCell(crossedText(reach)),
                                  std::move(sent)});
        }
    }
    const bool known =
        std::ranges::any_of(table.rows, [](const auto& row) { return row.back().value.has_value(); });
    if (!known) {
        table.columns.pop_back();
        for (auto& row : table.rows)
            row.pop_back();
    }
    unifyUnits(table);
    return table;
}

Table layerTable(const ReportCluster& cluster) {
    const Fabric& fabric = cluster.map.fabric;
    const std::vector<int> used = usedBelow(cluster.map);
    Table table{.id = "topology.layers",
                .title = "Network layers",
                .columns = {textColumn("Layer"), quantityColumn("Nodes", Dimension::number),
                            quantityColumn("In use", Dimension::number), textColumn("Hosts per node"),
                            quantityColumn("Link up, one direction", Dimension::bytesPerSecond),
                            quantityColumn("Fullest link, mean", Dimension::ratio)}};
    for (int layer = 0; layer < fabric.layers; ++layer) {
        int nodes = 0, inUse = 0, low = fabric.hosts(), high = 0;
        double bandwidth = 0, share = 0;
        for (int node = 0; node < fabric.nodes(); ++node) {
            if (fabric.nodeLayer[at(node)] != layer)
                continue;
            ++nodes;
            inUse += used[at(node)] > 0 ? 1 : 0;
            low = std::min(low, fabric.nodeHosts[at(node)]);
            high = std::max(high, fabric.nodeHosts[at(node)]);
            bandwidth = std::max(bandwidth, fabric.bandwidth({LinkKind::trunk, node}));
            share = std::max(share, cluster.traffic.load({LinkKind::trunk, node}).meanShare);
        }
        const bool top = layer == 0, leaf = layer + 1 == fabric.layers;
        const bool carried = !top && !cluster.traffic.empty();
        table.rows.push_back(
            {textCell(std::to_string(layer + 1) + (top ? ", top" : "") + (leaf ? ", leaves" : "")),
             valueCell(nodes, Dimension::number), valueCell(inUse, Dimension::number),
             textCell(nodes == 0 ? "–" : spanText(low, high)),
             top || bandwidth <= 0 ? noCell() : valueCell(bandwidth, Dimension::bytesPerSecond),
             carried ? valueCell(share, Dimension::ratio) : noCell()});
    }
    unifyUnits(table);
    return table;
}

std::string linkName(const ClusterMap& map, LinkId link) {
    const auto gpuName = [&] {
        return "GPU " + std::to_string(link.index % map.fabric.gpusPerHost) + " of " +
               map.hostNames[at(map.fabric.hostOf(link.index))];
    };
    switch (link.kind) {
    case LinkKind::nvlink:
    case LinkKind::nic:
        return gpuName();
    case LinkKind::uplink:
        return map.hostNames[at(link.index)];
    case LinkKind::trunk:
        break;
    }
    return map.nodeIds[at(link.index)];
}

std::string groupsText(GroupKinds groups) {
    std::string out;
    for (const GroupKind kind : allGroupKinds)
        if ((groups & bitOf(kind)) != 0)
            out += (out.empty() ? "" : ", ") + std::string(groupLabel(kind));
    return out.empty() ? "–" : out;
}

Table linkTable(const ReportCluster& cluster) {
    Table table{.id = "topology.links",
                .title = "The most loaded links",
                .columns = {textColumn("Link"), textColumn("The fullest"),
                            quantityColumn("Bytes per step", Dimension::bytes),
                            quantityColumn("Mean load", Dimension::ratio),
                            quantityColumn("While in use", Dimension::ratio), textColumn("Groups")},
                .note =
                    "Load is the share of the link's bandwidth in the busier direction: over the whole step, "
                    "and while the groups that use it communicate."};
    constexpr std::array<std::pair<LinkKind, const char*>, 4> kinds{
        {{LinkKind::nvlink, "NVLink per GPU"},
         {LinkKind::nic, "Network cards per GPU"},
         {LinkKind::uplink, "Host to its leaf"},
         {LinkKind::trunk, "Node to the one above"}}};
    for (const auto& [kind, name] : kinds) {
        const std::vector<float> shares = cluster.traffic.meanShares(kind);
        const auto most = std::ranges::max_element(shares);
        if (most == shares.end() || !(*most > 0))
            continue;
        const LinkId link{kind, static_cast<int>(most - shares.begin())};
        const LinkLoad load = cluster.traffic.load(link);
        const auto alike =
            std::ranges::count_if(shares, [limit = *most * 0.99F](float share) { return share >= limit; });
        table.rows.push_back(
            {textCell(name),
             textCell(linkName(cluster.map, link) +
                      (alike > 1 ? " and " + formatCount(alike - 1) + " more" : std::string())),
             valueCell(load.bytes, Dimension::bytes), valueCell(load.meanShare, Dimension::ratio),
             valueCell(load.activeShare, Dimension::ratio), textCell(groupsText(load.groups))});
    }
    unifyUnits(table);
    return table;
}

std::string placementText(const Estimate& e, const ClusterMap& map) {
    const auto& cluster = e.scenario.cluster;
    std::string how = "packed: host after host in the order of the cluster";
    if (cluster.placement && !cluster.placement->empty()) {
        const std::string& word = cluster.placement->front();
        how = word == "sorted"   ? "sorted: hosts of one leaf together, full leaves first"
              : word == "packed" ? how
                                 : "in the order of the scenario's list of hosts";
    }
    const auto inUse = static_cast<int>(map.placement.hosts.size());
    std::string text = formatCount(map.placement.ranks()) + " ranks run on " +
                       (inUse == map.fabric.hosts() ? std::string() : formatCount(inUse) + " of ") +
                       hostText(map.fabric.hosts()) + ", " + how + ".";
    if (!map.serving)
        text += " The order of ranks is " + cluster.rankOrder.value_or("tp-cp-ep-dp-pp") + ", fastest first.";
    const auto out = std::ranges::count(map.excluded, true);
    return out == 0 ? text
                    : text + " " + hostText(out) + (out == 1 ? " is" : " are") + " left out by the scenario.";
}

} // namespace

std::shared_ptr<const ReportCluster> reportCluster(const Estimate& estimate, const Catalog& catalog,
                                                   const Profile& profile) {
    const Result<Scenario> scenario = resolve(estimate.scenario, catalog, profile);
    if (!scenario)
        return nullptr;
    auto out = std::make_shared<ReportCluster>();
    out->map = clusterMap(*scenario, catalog);
    if (out->map.placement.ranks() == 0)
        return nullptr;
    for (const PoolLayout& pool : out->map.pools)
        out->moved.push_back(groupTraffic(estimate, *scenario, pool.pool));
    out->traffic = linkTraffic(out->map, estimate, *scenario);
    return out;
}

ReportSection topologySection(const Estimate& e, const ReportCluster& cluster) {
    const ClusterMap& map = cluster.map;
    ReportSection section{.id = "topology", .title = "Topology and placement"};
    section.text.push_back(placementText(e, map));
    const bool network = map.fabric.layers > 0 && map.fabric.hosts() > 1;
    if (!map.source.empty() && network)
        section.text.push_back(withStop("Network: " + map.source));
    if (map.fabric.assumed && network)
        section.text.emplace_back("No topology was imported: names of hosts and nodes are placeholders.");
    if (network)
        section.plots.push_back(fabricPlot(cluster));
    Table groups = groupTable(cluster);
    if (!groups.rows.empty())
        section.tables.push_back(std::move(groups));
    if (network)
        section.tables.push_back(layerTable(cluster));
    Table links = linkTable(cluster);
    if (!links.rows.empty())
        section.tables.push_back(std::move(links));
    return section;
}

} // namespace alidade::data
