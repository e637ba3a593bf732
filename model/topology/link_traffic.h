// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/fabric.h"
#include "model/topology/placement.h"
#include "model/topology/rank_layout.h"

#include <array>
#include <vector>

namespace alidade {

/// The bytes that one kind of group moves per step.
struct GroupTraffic {
    GroupKind kind = GroupKind::tensor;
    TrafficPattern pattern = TrafficPattern::ring;
    /// Bytes that one GPU sends per step, for each pipeline stage; a single entry applies to all. Of a tree,
    /// what the busiest domain sends per GPU.
    /// TrafficPattern::neighbors: bytes that cross each boundary between stages, in one direction.
    std::vector<double> bytesOnStage;
    double wrapBytes = 0;    ///< the same from the last stage to the first, in one direction
    double networkShare = 0; ///< allToAll, tree: of the bytes, over the network if the group crosses domains
    double seconds = 0;      ///< per step in which the group communicates (exposed or not)
};

/// The load of one link.
struct LinkLoad {
    double bytes = 0;       ///< per step, sent up or out
    double meanShare = 0;   ///< of the link's capacity, averaged over the step
    double activeShare = 0; ///< of its capacity while the group that uses it most is communicating
    GroupKinds groups = 0;  ///< groups that use the link
};

/// Bytes per step on each link of a fabric, by kind of group. Counts the bytes that GPUs send: over their
/// NVLink or network cards, up from their host, and up each trunk to the first node common to sender and
/// receiver; the same amount comes down. Time and memory are linear in GPUs.
class LinkTraffic {
public:
    LinkTraffic() = default;
    explicit LinkTraffic(const Fabric& fabric);

    /// Adds the traffic of the groups of a layout. \param firstRank rank of the placement at which the layout
    /// begins
    void add(const Fabric& fabric, const Placement& placement, const RankLayout& layout, int firstRank,
             const std::vector<GroupTraffic>& groups, double stepSeconds);

    LinkLoad load(LinkId link) const;
    /// Returns the bytes per step of one kind of group on a link.
    double bytes(LinkId link, GroupKind kind) const;
    /// Returns the bytes per step of one kind of group on all links of a kind.
    double totalBytes(LinkKind link, GroupKind kind) const;
    /// Returns the mean share of capacity over the step for each link of a kind, for coloring; empty without
    /// traffic.
    std::vector<float> meanShares(LinkKind kind) const;
    bool empty() const { return carried_.empty(); }

private:
    struct Carried {
        GroupKind kind{};
        double seconds = 0, stepSeconds = 0;
        std::array<std::vector<double>, 4> bytes; ///< by LinkKind
    };
    double capacity(LinkId link) const;

    FabricSpeeds speeds_;
    std::vector<double> trunkCapacity_; ///< bytes/s
    int gpusPerHost_ = 1;
    std::vector<Carried> carried_;
};

} // namespace alidade
