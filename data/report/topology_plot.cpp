// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/sections.h"
#include "model/base/index.h"
#include "model/base/text.h"

#include <algorithm>
#include <numeric>

namespace alidade::data {
namespace {

constexpr std::size_t mostBoxes = 160; // of a row: narrower ones cannot be told apart on paper

/// Nodes above each host, top first.
std::vector<std::vector<int>> waysToHosts(const Fabric& fabric) {
    std::vector<std::vector<int>> ways(at(fabric.hosts()));
    for (int host = 0; host < fabric.hosts(); ++host) {
        for (int node = fabric.leafOf(host); node >= 0; node = fabric.parentOf(node))
            ways[at(host)].push_back(node);
        std::ranges::reverse(ways[at(host)]);
    }
    return ways;
}

/// Joins neighbors until a row has few enough; a joined box has the largest load of its parts.
void join(FabricRow& row) {
    if (row.boxes.size() <= mostBoxes)
        return;
    const std::size_t each = (row.boxes.size() + mostBoxes - 1) / mostBoxes;
    std::vector<FabricBox> out;
    for (std::size_t i = 0; i < row.boxes.size(); i += each) {
        FabricBox box = row.boxes[i];
        double used = box.used * (box.end - box.begin);
        for (std::size_t j = i + 1; j < std::min(i + each, row.boxes.size()); ++j) {
            const FabricBox& next = row.boxes[j];
            used += next.used * (next.end - next.begin);
            box.end = next.end;
            if (next.share)
                box.share = std::max(box.share.value_or(0), *next.share);
        }
        box.used = used / (box.end - box.begin);
        box.label.clear();
        box.detail.clear();
        out.push_back(std::move(box));
    }
    row.name += ", " + std::to_string(each) + " to a box";
    row.boxes = std::move(out);
}

class TreePlot {
public:
    explicit TreePlot(const ReportCluster& cluster)
        : cluster_(cluster)
        , map_(cluster.map)
        , ways_(waysToHosts(map_.fabric))
        , order_(at(map_.fabric.hosts()))
        , inUse_(at(map_.fabric.hosts()), false) {
        std::iota(order_.begin(), order_.end(), 0);
        std::ranges::stable_sort(order_, std::less(),
                                 [this](int host) -> const std::vector<int>& { return ways_[at(host)]; });
        for (const int host : map_.placement.hosts)
            inUse_[at(host)] = true;
    }

    FabricTree tree() const {
        FabricTree out{.hosts = static_cast<double>(map_.fabric.hosts()), .rows = {}};
        for (int layer = 0; layer < map_.fabric.layers; ++layer)
            out.rows.push_back(layerRow(layer));
        out.rows.push_back(hostRow());
        if (map_.fabric.domains < map_.fabric.hosts())
            out.rows.push_back(domainRow());
        for (FabricRow& row : out.rows)
            join(row);
        return out;
    }

private:
    /// A box for each run of hosts that `keyOf` gives one key; negative keys have none.
    template <class KeyOf>
    std::vector<FabricBox> boxes(KeyOf keyOf, std::vector<int>& keys) const {
        std::vector<FabricBox> out;
        for (std::size_t i = 0; i < order_.size();) {
            const int key = keyOf(order_[i]);
            std::size_t end = i;
            double used = 0;
            for (; end < order_.size() && keyOf(order_[end]) == key; ++end)
                used += inUse_[at(order_[end])] ? 1 : 0;
            if (key >= 0) {
                FabricBox box;
                box.begin = static_cast<double>(i);
                box.end = static_cast<double>(end);
                box.used = used / static_cast<double>(end - i);
                box.detail =
                    formatCount(static_cast<std::int64_t>(end - i)) + (end - i == 1 ? " host" : " hosts");
                out.push_back(std::move(box));
                keys.push_back(key);
            }
            i = end;
        }
        return out;
    }

    void load(FabricBox& box, LinkId link) const {
        if (!cluster_.traffic.empty())
            box.share = cluster_.traffic.load(link).meanShare;
    }

    FabricRow layerRow(int layer) const {
        std::vector<int> nodes;
        FabricRow row{"Layer " + std::to_string(layer + 1) +
                          (layer == 0                        ? ", top"
                           : layer + 1 == map_.fabric.layers ? ", leaves"
                                                             : ""),
                      boxes(
                          [this, layer](int host) {
                              for (const int node : ways_[at(host)])
                                  if (map_.fabric.nodeLayer[at(node)] == layer)
                                      return node;
                              return -1;
                          },
                          nodes)};
        for (std::size_t i = 0; i < row.boxes.size(); ++i) {
            row.boxes[i].label = map_.nodeIds[at(nodes[i])];
            if (map_.fabric.parentOf(nodes[i]) >= 0)
                load(row.boxes[i], {LinkKind::trunk, nodes[i]});
        }
        return row;
    }

    FabricRow hostRow() const {
        std::vector<int> hosts;
        FabricRow row{"Hosts", boxes([](int host) { return host; }, hosts)};
        for (std::size_t i = 0; i < row.boxes.size(); ++i) {
            row.boxes[i].label = map_.hostNames[at(hosts[i])];
            row.boxes[i].detail.clear();
            load(row.boxes[i], {LinkKind::uplink, hosts[i]});
        }
        return row;
    }

    FabricRow domainRow() const {
        std::vector<int> domains;
        FabricRow row{"NVLink domains",
                      boxes([this](int host) { return map_.fabric.domainOf(host * map_.fabric.gpusPerHost); },
                            domains)};
        for (std::size_t i = 0; i < row.boxes.size(); ++i)
            row.boxes[i].label = map_.domainIds[at(domains[i])];
        return row;
    }

    const ReportCluster& cluster_;
    const ClusterMap& map_;
    std::vector<std::vector<int>> ways_;
    std::vector<int> order_; ///< hosts from left to right
    std::vector<bool> inUse_;
};

} // namespace

Plot fabricPlot(const ReportCluster& cluster) {
    const Fabric& fabric = cluster.map.fabric;
    double most = 0;
    for (const LinkKind kind : {LinkKind::uplink, LinkKind::trunk})
        for (const float share : cluster.traffic.meanShares(kind))
            most = std::max(most, static_cast<double>(share));
    std::string words =
        formatCount(fabric.hosts()) + (fabric.hosts() == 1 ? " host" : " hosts") + " below " +
        formatCount(fabric.nodes()) + " network nodes in " + std::to_string(fabric.layers) + " layers; " +
        formatCount(static_cast<std::int64_t>(cluster.map.placement.hosts.size())) + " have ranks.";
    if (!cluster.traffic.empty()) {
        words +=
            " The fullest link of the network carries " + shareText(most) + " of its bandwidth on average.";
    }
    const std::string title = "Network from the top layer down";
    return {"topology",
            cluster.traffic.empty() ? title : title + "; a box is filled to the mean load of its link up",
            words, TreePlot(cluster).tree()};
}

} // namespace alidade::data
