// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/fabric.h"
#include "model/topology/placement.h"
#include "model/topology/rank_layout.h"

#include <array>
#include <vector>

namespace alidade {

/// What one kind of group moves in a step.
struct GroupTraffic {
    GroupKind kind = GroupKind::tensor;
    TrafficPattern pattern = TrafficPattern::ring;
    /// Bytes that one GPU sends in a step, on each pipeline stage; one entry: the same on all. Neighbors:
    /// bytes that cross each boundary between stages, in one direction.
    std::vector<double> bytesOnStage;
    double wrapBytes = 0;    ///< neighbors: bytes from the last stage to the first, in one direction
    double networkShare = 0; ///< allToAll: of the bytes, over the network, where the group crosses domains
    double seconds = 0;      ///< of a step in which the group communicates (exposed or not)
};

/// Bytes that all groups of a kind send in a step.
double sentBytes(const GroupTraffic& traffic, const RankLayout& layout);

/// What one link carries.
struct LinkLoad {
    double bytes = 0;       ///< a step, sent up or out
    double meanShare = 0;   ///< of the link's capacity, over the whole step
    double activeShare = 0; ///< of its capacity while the group that uses it most communicates
    GroupKinds groups = 0;  ///< that use it
};

/// Bytes of a step on each link of a fabric, by kind of group. Bytes are those that GPUs send: over their
/// NVLink or their network cards, up from their host, and up each trunk to the first node that sender and
/// receiver share; what comes down is as much. Time and memory are linear in GPUs.
class LinkTraffic {
public:
    LinkTraffic() = default;
    explicit LinkTraffic(const Fabric& fabric);

    /// Adds what the groups of a layout move. \param firstRank of the placement, that the layout begins with
    void add(const Fabric& fabric, const Placement& placement, const RankLayout& layout, int firstRank,
             const std::vector<GroupTraffic>& groups, double stepSeconds);

    LinkLoad load(LinkId link) const;
    /// Bytes a step of one kind of group on a link.
    double bytes(LinkId link, GroupKind kind) const;
    /// Bytes a step of one kind of group on all links of a kind.
    double totalBytes(LinkKind link, GroupKind kind) const;
    /// Mean share of capacity over the step of each link of a kind, for colors; empty without traffic.
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
