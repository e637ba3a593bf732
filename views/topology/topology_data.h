// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/estimate/cluster_map.h"
#include "views/topology/topology_scene.h"

#include <QFontMetricsF>
#include <QString>

#include <memory>
#include <stop_token>
#include <vector>

namespace alidade::views {

/// The cluster of one estimate with all that the explorer draws of it. Made on a worker; 100,000 GPUs are
/// some megabytes.
struct TopologyData {
    std::shared_ptr<const Estimate> estimate;
    ClusterMap map;
    LinkTraffic traffic;
    bool hasTraffic = false; ///< the plan runs, so that it is known who moves what
    double stepSeconds = 0;
    TopologyScene scene;
    std::vector<GroupKind> kinds; ///< of groups with more than one member
    Degrees degrees;              ///< of the plan; where there are several pools the larger of each
    std::vector<double> memory;   ///< bytes of each GPU; 0: idle
    double memoryCapacity = 0;    ///< bytes; 0: unknown
    std::vector<float> mean[4];   ///< share of capacity over the step, by LinkKind and index
    std::vector<float> active[4]; ///< the same while groups communicate

    int gpus() const { return map.fabric.gpus(); }
    int hosts() const { return map.fabric.hosts(); }
    int rankOf(int gpu) const { return map.placement.rankOfGpu[static_cast<std::size_t>(gpu)]; }
    int gpuOf(int rank) const { return map.placement.gpuOfRank[static_cast<std::size_t>(rank)]; }
    bool isExcluded(int host) const { return map.excluded[static_cast<std::size_t>(host)]; }
    /// Is the host no machine of the plan's kind?
    bool isUnfit(int host) const { return map.unfit[static_cast<std::size_t>(host)]; }
    /// GPUs of the group that a GPU is in, in ring order; empty for an idle one.
    std::vector<int> members(GroupKind kind, int gpu) const;
    /// Those of the members that it talks to: of the pipeline its two neighbors, else all others.
    std::vector<int> peers(GroupKind kind, int gpu) const;
    /// Whether members lie in several NVLink domains.
    bool crossesDomains(const std::vector<int>& gpus) const;
    /// Sets the marks of uplinks (by host) and trunks (by node) on the ways from a GPU to others.
    void markWays(int gpu, const std::vector<int>& others, std::vector<char>& uplinks,
                  std::vector<char>& trunks) const;

    /// Replicas of all pools, one after the other, and the one that a rank is of; -1: no rank.
    int replicas() const;
    int replicaOf(int rank) const;
    struct ReplicaPlace {
        int pool, index, count; ///< the pool that it is in, which one of it, and of how many
    };
    ReplicaPlace placeOf(int replica) const;

    // Names for a person
    QString replicaName(int replica) const; ///< "replica 3"; of several pools "prefill 3", "decode 0"
    QString gpuName(int gpu) const;         ///< "GPU 36"
    QString hostName(int host) const;       ///< "i-0a9…" in full
    QString nodeName(int node) const;
    QString cardName(int card) const; ///< of the leaf or NVLink domain
    QString linkName(LinkId link) const;
};

/// Lays out a cluster; the estimate must not be null.
std::shared_ptr<const TopologyData> topologyData(ClusterMap map, LinkTraffic traffic,
                                                 std::shared_ptr<const Estimate> estimate);

/// The cluster of a scenario. An error says why it cannot be drawn.
Result<std::shared_ptr<const TopologyData>> makeTopologyData(const ScenarioSpec& spec, const Catalog& catalog,
                                                             std::shared_ptr<const Estimate> estimate,
                                                             const std::stop_token& superseded);

/// "instance i-0123456789abcdef0" shortened in the middle: "i-0123…ef0".
QString shortName(const QString& name, qsizetype most);
/// The same to a width in pixels; empty where not even four signs fit.
QString fittingName(const QString& name, const QFontMetricsF& metrics, double width);

} // namespace alidade::views
