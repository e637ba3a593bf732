// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/placed_cluster.h"
#include "model/scenario/resolve_parts.h"
#include "model/topology/placed_shape.h"

#include <algorithm>

namespace alidade::resolving {

namespace {

/// Returns facts about the placement to show to the user.
PlacementFacts factsOf(const Context& context, const Placement& placement) {
    const Fabric& fabric = *context.fabric;
    PlacementFacts out;
    const Topology* topology =
        context.spec.cluster.topology ? context.catalog.topology(*context.spec.cluster.topology) : nullptr;
    out.source = topology ? topology->name + (topology->source.empty() ? "" : ", " + topology->source)
                          : "catalog network, assuming " + std::to_string(assumedHostsPerLeaf) +
                                " instances per leaf switch";
    out.networkLayers = fabric.layers;
    out.hosts = fabric.hosts();
    out.hostsInUse = static_cast<int>(placement.hosts.size());
    out.excludedHosts = static_cast<int>(context.hosts.excluded.size());
    out.spareHosts = std::max(0, context.hosts.usable - out.hostsInUse);
    out.nvlinkDomain = context.out.nvlinkDomain;
    out.oversubscription = fabric.oversubscription;
    std::vector<bool> seen(static_cast<std::size_t>(fabric.nodes()), false);
    for (const int host : placement.hosts) {
        if (const int leaf = fabric.leafOf(host); leaf >= 0 && !seen[static_cast<std::size_t>(leaf)]) {
            seen[static_cast<std::size_t>(leaf)] = true;
            ++out.leavesInUse;
        }
    }
    return out;
}

/// Group shapes at the ranks' actual places. The network constants are fitted to whole clusters with unknown
/// layers, so they already include the switches that the same plan would cross on the machine's own fabric.
class PlacedGroups {
public:
    PlacedGroups(Context& context, const RankLayout& layout, bool equalBlocks)
        : context_(context)
        , layout_(layout)
        , fabric_(*context.fabric) {
        const int ranks = context.firstRank + layout.ranks();
        auto placed = place(fabric_, context.hosts.request(ranks, equalBlocks));
        if (placed)
            placement_ = *std::move(placed);
        FabricShape own = fabricShape(context.out);
        own.hosts = std::max(own.hosts, (ranks + own.gpusPerHost - 1) / own.gpusPerHost);
        own.oversubscription = 1;
        if (fabric_.layers > 0) {
            own_ = catalogFabric(own);
            auto packed = place(own_, {.ranks = ranks, .equalBlocks = equalBlocks});
            if (packed)
                packed_ = *std::move(packed);
        }
    }
    bool placed() const { return placement_.ranks() > 0; }
    PlacementFacts facts() const { return factsOf(context_, placement_); }

    /// \param facts receives an entry for the group
    GroupShape shape(GroupKind kind, TrafficPattern pattern, const GroupShape& closedForm,
                     PlacementFacts& facts) const {
        if (closedForm.ranks <= 1)
            return closedForm;
        GroupShape out = shapeOf(kind, pattern, layout_, placement_, fabric_, context_.firstRank);
        const double usual = packed_.ranks() > 0
                                 ? shapeOf(kind, pattern, layout_, packed_, own_, context_.firstRank).hops
                                 : out.hops;
        out.hops = 1 + std::max(0.0, out.hops - usual);
        out.sharers = closedForm.sharers;
        GroupCount count;
        if (out.domains() > 1 && staysInDomain(kind) && blockOf(kind, layout_) <= facts.nvlinkDomain)
            count = countGroups(kind, layout_, placement_, fabric_, context_.firstRank);
        facts.groups.push_back({std::string(groupWord(kind)), out.ranks, out.ranksPerNvlinkDomain,
                                out.domains(), out.hops - 1, out.crowding, count.groups, count.straddling});
        return out;
    }

private:
    Context& context_;
    const RankLayout& layout_;
    const Fabric& fabric_;
    Fabric own_;
    Placement placement_, packed_;
};

} // namespace

void placeTraining(Context& context) {
    if (!context.fabric || !context.out.legal)
        return;
    TrainingPlan& plan = context.out.plan;
    const std::optional<RankLayout> layout = rankLayout(context.out);
    if (!layout)
        return; // the legality rules report the problem
    const PlacedGroups groups(context, *layout, true);
    if (!groups.placed())
        return;
    using enum TrafficPattern;
    PlacementFacts facts = groups.facts();
    const auto put = [&](GroupShape& shape, GroupKind kind, TrafficPattern pattern = ring) {
        shape = groups.shape(kind, pattern, shape, facts);
    };
    put(plan.tensorGroup, GroupKind::tensor);
    put(plan.contextGroup, GroupKind::context, plan.contextKind == ContextKind::ulysses ? allToAll : ring);
    put(plan.dataGroup, GroupKind::data);
    const bool whole = plan.shardGroup.ranks == plan.dataGroup.ranks;
    if (whole)
        plan.shardGroup = plan.dataGroup;
    else
        put(plan.shardGroup, GroupKind::shard);
    put(plan.replicaGroup, GroupKind::replica);
    put(plan.pipelineGroup, GroupKind::pipeline, neighbors);
    put(plan.expertGroup, GroupKind::expert, allToAll);
    put(plan.expertTensorGroup, GroupKind::expertTensor);
    put(plan.expertDataGroup, GroupKind::expertData);
    context.out.placement = std::move(facts);
}

void placeServing(Context& context) {
    if (!context.fabric || !context.out.legal)
        return;
    ServingPlan& plan = context.out.pools.front().plan;
    const RankLayout layout = rankLayout(plan);
    const PlacedGroups groups(context, layout, false);
    if (!groups.placed())
        return;
    PlacementFacts facts = groups.facts();
    plan.tensorGroup = groups.shape(GroupKind::tensor, TrafficPattern::ring, plan.tensorGroup, facts);
    if (context.out.model.moe)
        plan.expertGroup = groups.shape(GroupKind::expert, TrafficPattern::allToAll, plan.expertGroup, facts);
    plan.pipelineGroup =
        groups.shape(GroupKind::pipeline, TrafficPattern::neighbors, plan.pipelineGroup, facts);
    context.out.placement = std::move(facts);
}

} // namespace alidade::resolving
