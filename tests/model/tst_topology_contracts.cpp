// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/fabric.h"
#include "model/topology/group_shape.h"
#include "model/topology/link_traffic.h"
#include "model/topology/placed_shape.h"
#include "model/topology/placement.h"
#include "model/topology/placement_facts.h"
#include "model/topology/rank_layout.h"
#include "model/topology/topology.h"
#include "tests/model/three_hosts.h"

#include <QTest>

#include <string>
#include <utility>
#include <vector>

namespace tst_topology_contracts {

using namespace alidade;

namespace {

using Hosts = std::vector<int>;

/// Four hosts of so many GPUs below one leaf: a and c are one NVLink domain, b and d another.
Fabric twoDomains(int gpusPerHost) {
    Topology t;
    t.nodes = {{"leaf", 0, -1}};
    t.hosts = {{.id = "a", .domain = "x", .leaf = 0},
               {.id = "b", .domain = "y", .leaf = 0},
               {.id = "c", .domain = "x", .leaf = 0},
               {.id = "d", .domain = "y", .leaf = 0}};
    return importedFabric(t, {.gpusPerHost = gpusPerHost, .nvlinkDomain = 2 * gpusPerHost});
}

Hosts hostsOf(const Fabric& fabric, const PlacementRequest& request) {
    const auto placed = place(fabric, request);
    return placed ? placed->hosts : Hosts{};
}

/// With latencies.
Fabric threeHosts() {
    Fabric out = tests::threeHosts();
    out.speeds.networkLatency = 8;
    out.speeds.hopLatency = 3;
    return out;
}

Placement inOrder(int gpus) {
    Placement out;
    for (int gpu = 0; gpu < gpus; ++gpu) {
        out.gpuOfRank.push_back(gpu);
        out.rankOfGpu.push_back(gpu);
        out.hosts.push_back(gpu);
    }
    return out;
}

LinkTraffic carried(const Fabric& fabric, const RankLayout& layout, GroupTraffic traffic,
                    double stepSeconds = 10) {
    LinkTraffic out(fabric);
    out.add(fabric, inOrder(fabric.gpus()), layout, 0, {std::move(traffic)}, stepSeconds);
    return out;
}

std::vector<double> bytesOf(const LinkTraffic& traffic, LinkKind link, int count, GroupKind kind) {
    std::vector<double> out;
    for (int i = 0; i < count; ++i)
        out.push_back(traffic.bytes({link, i}, kind));
    return out;
}

} // namespace

/// What callers of fabrics, placements and layouts rely on, at its bounds, and what a value means that
/// nothing has been said about.
class TestTopologyContracts : public QObject {
    Q_OBJECT

private slots:
    /// Ranks fill hosts of four GPUs one after the other; the last one may be filled in part.
    void hostsInUse() {
        const Fabric fabric = twoDomains(4);
        QCOMPARE(hostsOf(fabric, {}), (Hosts{0})); // one rank
        QCOMPARE(hostsOf(fabric, {.ranks = 4}), (Hosts{0}));
        QCOMPARE(hostsOf(fabric, {.ranks = 5}), (Hosts{0, 1}));
        QCOMPARE(hostsOf(fabric, {.ranks = 13}), (Hosts{0, 1, 2, 3}));
        QCOMPARE(hostsOf(fabric, {.excluded = {0}, .ranks = 5}), (Hosts{1, 2}));
        const auto placed = place(fabric, {.excluded = {0}, .ranks = 5});
        QCOMPARE(placed->ranks(), 5);
        QCOMPARE(placed->gpuOfRank, (std::vector<int>{4, 5, 6, 7, 8}));
        QCOMPARE(placed->rankOfGpu,
                 (std::vector<int>{-1, -1, -1, -1, 0, 1, 2, 3, 4, -1, -1, -1, -1, -1, -1, -1}));
        const auto refused = place(fabric, {.excluded = {0, 3}, .ranks = 9});
        QVERIFY(!refused);
        QCOMPARE(QString::fromStdString(refused.error()),
                 QStringLiteral("there are 2 hosts to place ranks on; 9 GPUs need 3"));
        QCOMPARE(
            hostsOf(fabric, {.kind = PlacementKind::list, .hosts = {3, 0, 1}, .excluded = {0}, .ranks = 8}),
            (Hosts{3, 1}));
    }

    /// Below a leaf hosts of one domain follow each other in the order of the tree. Blocks of two hosts for
    /// two domains are dealt where there are 16 ranks; 8 are one block, 6 not whole hosts.
    void hostsOfADomainTogether() {
        for (const int gpus : {1, 4}) {
            const Fabric fabric = twoDomains(gpus);
            const auto hosts = [&](PlacementKind kind, int ranks, bool equal) {
                return hostsOf(fabric, {.kind = kind, .ranks = ranks, .equalBlocks = equal});
            };
            QCOMPARE(hosts(PlacementKind::sorted, 4 * gpus, false), (Hosts{0, 2, 1, 3}));
            QCOMPARE(hosts(PlacementKind::packed, 4 * gpus, false), (Hosts{0, 1, 2, 3}));
            QCOMPARE(hosts(PlacementKind::packed, 4 * gpus, true), (Hosts{0, 2, 1, 3}));
            QCOMPARE(hosts(PlacementKind::packed, 2 * gpus, true), (Hosts{0, 1}));
        }
        QCOMPARE(hostsOf(twoDomains(4), {.ranks = 6}), (Hosts{0, 1}));
    }

    /// Domains of 8 GPUs on 3 hosts of 3: the ninth is alone.
    void domainsOfTheCatalog() {
        const Fabric fabric = catalogFabric({.hosts = 3, .gpusPerHost = 3, .nvlinkDomain = 8});
        QCOMPARE(fabric.gpuDomain, (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1}));
        QCOMPARE(fabric.domains, 2);
        QCOMPARE(catalogFabric({.hosts = 2, .gpusPerHost = 4, .nvlinkDomain = 8}).domains, 1);
        const Fabric one = catalogFabric({});
        QCOMPARE(one.gpus(), 1);
        QCOMPARE(one.hosts(), 1);
        QCOMPARE(one.layers, 3);
        QCOMPARE(one.domains, 1);
        QCOMPARE(one.oversubscription, 1.0);
        QVERIFY(one.assumed);
    }

    /// The latency of the network is half on the way out of one host and half into another; switches beyond
    /// the first add their own. Trunks carry what all hosts below share.
    void links() {
        Fabric fabric = threeHosts();
        fabric.gpusPerHost = 2;
        fabric.gpuDomain = {0, 0, 1, 1, 2, 2};
        QCOMPARE(fabric.latency({LinkKind::nvlink, 0}), 0.0);
        QCOMPARE(fabric.latency({LinkKind::nic, 0}), 4.0);
        QCOMPARE(fabric.latency({LinkKind::uplink, 0}), 4.0);
        QCOMPARE(fabric.latency({LinkKind::trunk, 1}), 3.0);
        QCOMPARE(fabric.sharedBy({LinkKind::nvlink, 1}), 1);
        QCOMPARE(fabric.sharedBy({LinkKind::nic, 1}), 1);
        QCOMPARE(fabric.sharedBy({LinkKind::uplink, 1}), 2);
        QCOMPARE(fabric.sharedBy({LinkKind::trunk, 1}), 4);
        QCOMPARE(fabric.bandwidth({LinkKind::nvlink, 0}), 9.0);
        QCOMPARE(fabric.bandwidth({LinkKind::nic, 0}), 1.5);
        QCOMPARE(fabric.bandwidth({LinkKind::uplink, 0}), 3.0);
        QCOMPARE(fabric.bandwidth({LinkKind::trunk, 0}), 9.0);
        QCOMPARE(fabric.linkCount(LinkKind::nvlink), 6);
        QCOMPARE(fabric.linkCount(LinkKind::nic), 6);
        QCOMPARE(fabric.linkCount(LinkKind::uplink), 3);
        QCOMPARE(fabric.linkCount(LinkKind::trunk), 3);
    }

    /// Of four data ranks two share state: 0 and 1, 2 and 3; those at equal places are 0 and 2, 1 and 3. Each
    /// sends 6 bytes.
    void partsOfADataGroup() {
        Fabric fabric;
        fabric.speeds.networkBandwidth = 1;
        fabric.hostLeaf = {-1, -1, -1, -1};
        fabric.gpuDomain = {0, 0, 1, 2};
        fabric.domains = 3;
        const RankLayout layout({.data = 4, .shard = 2}, usualRankOrder);
        const auto nic = [&](GroupKind kind) {
            return bytesOf(carried(fabric, layout, {.kind = kind, .bytesOnStage = {6}}), LinkKind::nic, 4,
                           kind);
        };
        const auto nvlink = [&](GroupKind kind) {
            return bytesOf(carried(fabric, layout, {.kind = kind, .bytesOnStage = {6}}), LinkKind::nvlink, 4,
                           kind);
        };
        QCOMPARE(nvlink(GroupKind::shard), (std::vector<double>{6, 6, 0, 0}));
        QCOMPARE(nic(GroupKind::shard), (std::vector<double>{0, 0, 6, 6}));
        QCOMPARE(nvlink(GroupKind::replica), (std::vector<double>{0, 0, 0, 0}));
        QCOMPARE(nic(GroupKind::replica), (std::vector<double>{6, 6, 6, 6}));
        const Placement placed = inOrder(4);
        GroupCount count = countGroups(GroupKind::shard, layout, placed, fabric);
        QCOMPARE(count.groups, 2);
        QCOMPARE(count.straddling, 1);
        fabric.gpuDomain = {0, 0, 1, 1};
        count = countGroups(GroupKind::shard, layout, placed, fabric);
        QCOMPARE(count.straddling, 0);
        count = countGroups(GroupKind::replica, layout, placed, fabric);
        QCOMPARE(count.groups, 2);
        QCOMPARE(count.straddling, 2);
        count = countGroups(GroupKind::tensor, layout, placed, fabric); // of one rank each
        QCOMPARE(count.groups, 0);
        QCOMPARE(count.straddling, 0);
    }

    /// Half of what a GPU sends to all others stays on NVLink.
    void aShareOverTheNetwork() {
        const LinkTraffic traffic = carried(threeHosts(), RankLayout::serving(3, 1, 1, 1),
                                            {.kind = GroupKind::tensor,
                                             .pattern = TrafficPattern::allToAll,
                                             .bytesOnStage = {6},
                                             .networkShare = 0.5});
        QCOMPARE(bytesOf(traffic, LinkKind::nic, 3, GroupKind::tensor), (std::vector<double>{3, 3, 3}));
        QCOMPARE(bytesOf(traffic, LinkKind::nvlink, 3, GroupKind::tensor), (std::vector<double>{3, 3, 3}));
        // Of 6 bytes of the two below leaf 1 half is for the other leaf.
        QCOMPARE(bytesOf(traffic, LinkKind::trunk, 3, GroupKind::tensor), (std::vector<double>{0, 3, 3}));
    }

    /// Three domains of one GPU: in the first tree 0 is above 2, which is above 1. The second one is shifted
    /// by one: 1 is above 0, which is above 2. Each edge carries a quarter of 8 bytes in each direction: 0
    /// has three edges, 2 as well, 1 has two. Three are between the leaves.
    void treesOfThreeDomains() {
        const LinkTraffic traffic = carried(threeHosts(), RankLayout::serving(3, 1, 1, 1),
                                            {.kind = GroupKind::tensor,
                                             .pattern = TrafficPattern::tree,
                                             .bytesOnStage = {8},
                                             .networkShare = 1});
        QCOMPARE(bytesOf(traffic, LinkKind::nic, 3, GroupKind::tensor), (std::vector<double>{6, 4, 6}));
        QCOMPARE(bytesOf(traffic, LinkKind::uplink, 3, GroupKind::tensor), (std::vector<double>{6, 4, 6}));
        QCOMPARE(bytesOf(traffic, LinkKind::trunk, 3, GroupKind::tensor), (std::vector<double>{0, 6, 6}));
    }

    /// Nothing is sent unless somebody says so, and no share of a step of no time.
    void nothingIsSent() {
        const Fabric fabric = threeHosts();
        const RankLayout layout = RankLayout::serving(3, 1, 1, 1);
        for (const TrafficPattern pattern : {TrafficPattern::ring, TrafficPattern::tree, TrafficPattern::pat,
                                             TrafficPattern::allToAll, TrafficPattern::neighbors}) {
            const LinkTraffic silent =
                carried(fabric, layout, {.kind = GroupKind::tensor, .pattern = pattern});
            QCOMPARE(silent.totalBytes(LinkKind::nic, GroupKind::tensor), 0.0);
            QCOMPARE(silent.totalBytes(LinkKind::nvlink, GroupKind::tensor), 0.0);
            QCOMPARE(silent.totalBytes(LinkKind::trunk, GroupKind::tensor), 0.0);
        }
        const GroupTraffic ring{.kind = GroupKind::tensor, .bytesOnStage = {6}};
        QCOMPARE(carried(fabric, layout, ring, 0).meanShares(LinkKind::nic), (std::vector<float>{0, 0, 0}));
        QVERIFY(LinkTraffic().empty());
        QVERIFY(LinkTraffic().meanShares(LinkKind::nic).empty());
        QCOMPARE(LinkTraffic().totalBytes(LinkKind::nic, GroupKind::tensor), 0.0);
    }

    /// A host whose switch is not known sends nothing over trunks that are; what goes to it leaves them all.
    /// Of two GPUs below the leaf and the top one sends at a time, over a sixth of what they have.
    void unknownLeaves() {
        Fabric fabric = threeHosts();
        fabric.hostLeaf = {1, 1, -1};
        fabric.nodeHosts = {2, 2, 0};
        fabric.oversubscription = 6;
        const RankLayout layout = RankLayout::serving(3, 1, 1, 1);
        const GroupShape shape = shapeOf(GroupKind::tensor, TrafficPattern::ring, layout, inOrder(3), fabric);
        QCOMPARE(shape.crowding, 3.0);
        QCOMPARE(shape.hops, (1 + 3 + 3) / 3.0);
        const LinkTraffic traffic = carried(fabric, layout, {.kind = GroupKind::tensor, .bytesOnStage = {6}});
        QCOMPARE(bytesOf(traffic, LinkKind::trunk, 3, GroupKind::tensor), (std::vector<double>{6, 6, 0}));
    }

    /// A word that an order does not name leaves a dimension as it is.
    void ordersOfWords() {
        const Degrees degrees{.tensor = 2,
                              .context = 3,
                              .data = 5,
                              .pipeline = 7,
                              .expertTensor = 2,
                              .expert = 5,
                              .expertData = 3};
        RankStrides strides = rankStrides(degrees, "tp-cp-ep-dp-pp");
        QCOMPARE(strides.tensor, std::int64_t(1));
        QCOMPARE(strides.context, std::int64_t(2));
        QCOMPARE(strides.data, std::int64_t(6));
        QCOMPARE(strides.pipeline, std::int64_t(30));
        QCOMPARE(strides.expertTensor, std::int64_t(1));
        QCOMPARE(strides.expert, std::int64_t(2));
        QCOMPARE(strides.expertData, std::int64_t(10));
        QCOMPARE(strides.ranks, std::int64_t(210));
        strides = rankStrides(degrees, "");
        for (const std::int64_t each :
             {strides.tensor, strides.context, strides.data, strides.pipeline, strides.expertTensor,
              strides.expert, strides.expertData, strides.ranks})
            QCOMPARE(each, std::int64_t(1));
    }

    /// Unless something is said, everything is one GPU without a network.
    void nothingSaid() {
        const Degrees degrees;
        for (const int each :
             {degrees.tensor, degrees.context, degrees.data, degrees.pipeline, degrees.expertTensor,
              degrees.expert, degrees.expertData, degrees.shard, degrees.expertShard})
            QCOMPARE(each, 1);
        const Coordinates first;
        for (const int each : {first.tensor, first.context, first.data, first.pipeline, first.expertTensor,
                               first.expert, first.expertData})
            QCOMPARE(each, 0);
        QCOMPARE(RankLayout().ranks(), 1);
        QCOMPARE(RankLayout().groupOf(GroupKind::tensor, 0), (std::vector<int>{0}));
        const RankStrides strides;
        for (const std::int64_t each :
             {strides.tensor, strides.context, strides.data, strides.pipeline, strides.expertTensor,
              strides.expert, strides.expertData, strides.ranks})
            QCOMPARE(each, std::int64_t(1));
        const GroupPattern pattern;
        QCOMPARE(pattern.ranks, 1);
        QCOMPARE(pattern.inner, 1);
        QCOMPARE(pattern.outer, 1);
        QCOMPARE(pattern.innerStride, std::int64_t(1));
        QCOMPARE(pattern.outerStride, std::int64_t(1));
        QCOMPARE(pattern.step, 1);
        const Fabric fabric;
        QCOMPARE(fabric.gpusPerHost, 1);
        QCOMPARE(fabric.layers, 0);
        QCOMPARE(fabric.domains, 0);
        QCOMPARE(fabric.oversubscription, 1.0);
        QVERIFY(!fabric.assumed);
        QCOMPARE(fabric.speeds.hopLatency, 0.0);
        QCOMPARE(fabric.speeds.networkCards, 0);
        QCOMPARE(LinkId().index, 0);
        const NetworkNode node;
        QCOMPARE(node.layer, 0);
        QCOMPARE(node.parent, -1);
        const Host host;
        QCOMPARE(host.leaf, -1);
        QCOMPARE(host.gpus, 0);
        QVERIFY(!Topology().incomplete);
        QCOMPARE(Topology().layers(), 0);
        QVERIFY((GroupShape() == GroupShape{.ranks = 1,
                                            .ranksPerNvlinkDomain = 1,
                                            .ranksPerNode = 1,
                                            .nicsPerRank = 1,
                                            .hops = 1,
                                            .sharers = 1,
                                            .crowding = 1,
                                            .spannedDomains = 0}));
        const LinkLoad load;
        QCOMPARE(load.bytes + load.meanShare + load.activeShare, 0.0);
        QCOMPARE(load.groups, GroupKinds(0));
    }

    /// What is said of a placement before anything is placed.
    void nothingPlaced() {
        const PlacedGroupFacts group;
        QCOMPARE(group.ranks, 1);
        QCOMPARE(group.ranksPerNvlinkDomain, 1);
        QCOMPARE(group.nvlinkDomains, 1);
        QCOMPARE(group.furtherSwitches, 0.0);
        QCOMPARE(group.crowding, 1.0);
        QCOMPARE(group.groups, 0);
        QCOMPARE(group.straddling, 0);
        const PlacementFacts facts;
        for (const int each : {facts.networkLayers, facts.hosts, facts.hostsInUse, facts.spareHosts,
                               facts.excludedHosts, facts.leavesInUse})
            QCOMPARE(each, 0);
        QCOMPARE(facts.nvlinkDomain, 1);
        QCOMPARE(facts.oversubscription, 1.0);
    }
};

QTEST_APPLESS_MAIN(TestTopologyContracts)

} // namespace tst_topology_contracts

#include "tst_topology_contracts.moc"
