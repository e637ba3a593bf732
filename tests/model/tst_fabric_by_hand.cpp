// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/fabric.h"
#include "model/topology/group_shape.h"
#include "model/topology/group_walk.h"
#include "model/topology/link_traffic.h"
#include "model/topology/placed_shape.h"
#include "model/topology/placement.h"
#include "model/topology/rank_layout.h"
#include "model/topology/topology.h"
#include "tests/model/three_hosts.h"

#include <QTest>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tst_fabric_by_hand {

using namespace alidade;
using tests::threeHosts;

namespace {

const Placement inOrder{.gpuOfRank = {0, 1, 2}, .rankOfGpu = {0, 1, 2}, .hosts = {0, 1, 2}};

LinkTraffic carried(const Fabric& fabric, GroupTraffic traffic, double stepSeconds = 10) {
    LinkTraffic out(fabric);
    out.add(fabric, inOrder, RankLayout::serving(3, 1, 1, 1), 0, {std::move(traffic)}, stepSeconds);
    return out;
}

} // namespace

/// Trees, domains and the load of links, link by link.
class TestFabricByHand : public QObject {
    Q_OBJECT

private slots:
    /// 16 hosts below a leaf, 16 nodes below a node, one top: the 17th leaf is below the same one.
    void treeOfTheCatalog() {
        const Fabric two = catalogFabric({.hosts = 272, .layers = 2});
        QCOMPARE(two.nodes(), 18);
        QCOMPARE(two.hostLeaf[15], 1);
        QCOMPARE(two.hostLeaf[16], 2);
        QCOMPARE(two.hostLeaf[271], 17);
        QCOMPARE(two.parentOf(17), 0);
        QCOMPARE(two.nodeHosts[0], 272);
        QCOMPARE(two.nodeHosts[17], 16);
        const Fabric three = catalogFabric({.hosts = 300, .layers = 3});
        QCOMPARE(three.nodes(), 1 + 2 + 19);
        QCOMPARE(three.parentOf(3), 1);
        QCOMPARE(three.parentOf(18), 1);
        QCOMPARE(three.parentOf(19), 2);
        QCOMPARE(three.nodeLayer[19], 2);
        QCOMPARE(three.nodeHosts[2], 300 - 256);
        QCOMPARE(three.switches(0, 1), 1);
        QCOMPARE(three.switches(0, 16), 3);
        QCOMPARE(three.switches(0, 299), 5);
    }

    /// Hosts of 4 GPUs in NVLink domains of 2; hosts that name a domain of 8 share it.
    void domainsOfATopology() {
        Topology t;
        t.nodes = {{"top", 0, -1}};
        t.hosts = {{.id = "a", .leaf = 0}, {.id = "b", .leaf = 0}};
        Fabric fabric = importedFabric(t, {.gpusPerHost = 4, .nvlinkDomain = 2});
        QCOMPARE(fabric.gpuDomain, (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
        QCOMPARE(fabric.domains, 4);
        t.hosts = {{.id = "a", .domain = "x", .leaf = 0},
                   {.id = "b", .domain = "x", .leaf = 0},
                   {.id = "c", .leaf = 0},
                   {.id = "d", .domain = "x", .leaf = 0}};
        fabric = importedFabric(t, {.gpusPerHost = 2, .nvlinkDomain = 4});
        QCOMPARE(fabric.gpuDomain, (std::vector<int>{0, 0, 0, 0, 1, 1, 2, 2})); // x is full with two
        QCOMPARE(fabric.domains, 3);
        QCOMPARE(fabric.nodeHosts, (std::vector<int>{4}));
    }

    /// Two ranks 3 apart, and the same 12 further.
    void offsetsOfAPattern() {
        const GroupPattern p{.ranks = 4, .inner = 2, .outer = 2, .innerStride = 3, .outerStride = 12};
        const std::array<std::int64_t, 4> expected{0, 3, 12, 15};
        for (std::size_t k = 0; k < expected.size(); ++k)
            QCOMPARE(patternOffset(p, static_cast<std::int64_t>(k)), expected[k]);
        QCOMPARE(patternOffset({.ranks = 4, .inner = 4, .innerStride = 3}, 2), std::int64_t{6});
    }

    /// Each of three GPUs sends 3 bytes to each other one: of 12 that leave the hosts below leaf 1, half is
    /// for leaf 2. Nothing leaves the top.
    void allToAllOverATree() {
        const Fabric fabric = threeHosts();
        const LinkTraffic traffic = carried(fabric, {.kind = GroupKind::tensor,
                                                     .pattern = TrafficPattern::allToAll,
                                                     .bytesOnStage = {6},
                                                     .networkShare = 1,
                                                     .seconds = 2});
        QCOMPARE(traffic.bytes({LinkKind::nic, 1}, GroupKind::tensor), 6.0);
        QCOMPARE(traffic.bytes({LinkKind::uplink, 2}, GroupKind::tensor), 6.0);
        QCOMPARE(traffic.bytes({LinkKind::trunk, 1}, GroupKind::tensor), 6.0);
        QCOMPARE(traffic.bytes({LinkKind::trunk, 2}, GroupKind::tensor), 6.0);
        QCOMPARE(traffic.bytes({LinkKind::trunk, 0}, GroupKind::tensor), 0.0);
        QCOMPARE(traffic.bytes({LinkKind::nvlink, 0}, GroupKind::tensor), 0.0);
        QCOMPARE(traffic.totalBytes(LinkKind::nic, GroupKind::tensor), 18.0);
        QCOMPARE(traffic.totalBytes(LinkKind::nic, GroupKind::data), 0.0);
    }

    /// 6 bytes over 1.5 bytes/s in 2 s of a step of 10 s.
    void sharesOfALink() {
        const Fabric fabric = threeHosts();
        GroupTraffic ring{.kind = GroupKind::tensor, .bytesOnStage = {6}, .seconds = 2};
        LinkLoad load = carried(fabric, ring).load({LinkKind::nic, 0});
        QCOMPARE(load.bytes, 6.0);
        QCOMPARE(load.meanShare, 0.4);
        QCOMPARE(load.activeShare, 2.0);
        QCOMPARE(load.groups, bitOf(GroupKind::tensor));
        QCOMPARE(carried(fabric, ring).meanShares(LinkKind::nic), (std::vector<float>{0.4F, 0.4F, 0.4F}));
        ring.seconds = 0; // how long it communicates is not known
        load = carried(fabric, ring).load({LinkKind::nic, 0});
        QCOMPARE(load.activeShare, 0.0);
        QCOMPARE(load.meanShare, 0.4);
        load = carried(fabric, ring, 0).load({LinkKind::nic, 0});
        QCOMPARE(load.meanShare, 0.0);
        // Between the leaves the ring goes up once on each side.
        QCOMPARE(carried(fabric, ring).bytes({LinkKind::trunk, 1}, GroupKind::tensor), 6.0);
        QCOMPARE(carried(fabric, ring).bytes({LinkKind::trunk, 2}, GroupKind::tensor), 6.0);
        QCOMPARE(Fabric{}.speeds.networkBandwidth, 0.0); // no network unless one is given
        QCOMPARE(Fabric{}.speeds.networkLatency, 0.0);
        QCOMPARE(Fabric{}.speeds.nvlinkBandwidth, 0.0);
    }

    /// Trunks with half of the bandwidth below them. A ring goes up once on each side: of the 2 GPUs below
    /// leaf 1 one sends at a time, of leaf 2 its only one. To all, 2 x 1 / 2 and 1 x 2 / 2 of what they send.
    void crowdedTrunks() {
        Fabric fabric = threeHosts();
        fabric.oversubscription = 2;
        const RankLayout layout = RankLayout::serving(3, 1, 1, 1);
        const auto shape = [&](TrafficPattern pattern) {
            return shapeOf(GroupKind::tensor, pattern, layout, inOrder, fabric);
        };
        QCOMPARE(shape(TrafficPattern::ring).crowding, 2.0);
        QCOMPARE(shape(TrafficPattern::ring).hops, (1 + 3 + 3) / 3.0);
        QCOMPARE(shape(TrafficPattern::allToAll).crowding, 2.0);
        QCOMPARE(shape(TrafficPattern::allToAll).hops, 3.0);
        QCOMPARE(shape(TrafficPattern::ring).ranksPerNvlinkDomain, 1);
        QCOMPARE(shape(TrafficPattern::ring).domains(), 3);
        // A pipeline does not return to its first stage.
        const Placement farEnds{.gpuOfRank = {0, 2, 1}, .rankOfGpu = {0, 2, 1}, .hosts = {0, 1, 2}};
        QCOMPARE(shapeOf(GroupKind::tensor, TrafficPattern::neighbors, layout, farEnds, fabric).hops, 3.0);
        QCOMPARE(shape(TrafficPattern::neighbors).hops, (1 + 3) / 2.0);
        QCOMPARE(fabric.bandwidth({LinkKind::trunk, 1}), 2 * 1.5 / 2);
        QCOMPARE(fabric.bandwidth({LinkKind::uplink, 1}), 1.5);
        // Two leaves without a common node, one host below the first one.
        fabric.hostLeaf = {0, 1, 1};
        fabric.nodeParent = {-1, -1};
        fabric.nodeLayer = {0, 0};
        fabric.nodeHosts = {1, 2};
        fabric.oversubscription = 4;
        QCOMPARE(shape(TrafficPattern::ring).crowding, 4.0);
    }

    /// Leaves of two layers without a common node are 2 x 2 + 1 switches apart, farther than hosts below one
    /// top can be, which is taken where a leaf is unknown.
    void nothingInCommon() {
        Fabric fabric = threeHosts();
        fabric.hostLeaf = {0, 1, -1};
        fabric.nodeParent = {-1, -1};
        fabric.nodeLayer = {0, 1};
        fabric.nodeHosts = {1, 1};
        QCOMPARE(fabric.switches(0, 1), 5);
        QCOMPARE(fabric.switches(0, 2), 3);
    }

    /// Two ranks 8 GPUs apart touch the first and the ninth: fewer GPUs are not a place for them, and a unit
    /// that holds all is the only one.
    void unitsOfTwoRanks() {
        QCOMPARE(membersPerUnit(2, 8, 4, 8), 2);
        QCOMPARE(unitsOfGroup(2, 8, 4, 8), 1);
        QCOMPARE(membersPerUnit(2, 8, 4, 9), 1);
        QCOMPARE(unitsOfGroup(2, 8, 4, 9), 2);
        QCOMPARE(membersPerUnit(2, 8, 16, 16), 2);
        QCOMPARE(unitsOfGroup(2, 8, 16, 16), 1);
        QCOMPARE(unitsOfGroup(2, 8, 16, 32), 1);
    }

    /// Replicas of 2 context ranks side by side and 5 data ranks every 2 x 3 ranks lie in 30 of them;
    /// the first rank of a group is visited once.
    void groupsInTwoStrides() {
        const RankLayout layout({.tensor = 3, .context = 2, .data = 5}, "cp-tp-ep-dp-pp");
        QCOMPARE(blockOf(GroupKind::data, layout), std::int64_t{30});
        std::vector<std::int64_t> bases;
        const auto visit = [&](std::int64_t base, std::int64_t) { bases.push_back(base); };
        forEachGroup(layout.pattern(GroupKind::data), 60, 1, visit);
        QCOMPARE(bases, (std::vector<std::int64_t>{0, 2, 4, 30, 32, 34}));
        QCOMPARE(patternOffset(layout.pattern(GroupKind::data), 5), std::int64_t{1 + 2 * 6});
    }

    /// In one NVLink domain nothing reaches the network; of a domain of two, half of what a ring sends goes
    /// over each GPU's cards.
    void domainsInARing() {
        Fabric fabric = threeHosts();
        fabric.gpuDomain = {0, 0, 1};
        fabric.domains = 2;
        const GroupTraffic ring{.kind = GroupKind::tensor, .bytesOnStage = {6}, .seconds = 2};
        const LinkTraffic two = carried(fabric, ring);
        QCOMPARE(two.bytes({LinkKind::nic, 0}, GroupKind::tensor), 3.0);
        QCOMPARE(two.bytes({LinkKind::nvlink, 1}, GroupKind::tensor), 3.0);
        QCOMPARE(two.bytes({LinkKind::nic, 2}, GroupKind::tensor), 6.0);
        fabric.gpuDomain = {0, 0, 0};
        fabric.domains = 1;
        const LinkTraffic one = carried(fabric, ring);
        QCOMPARE(one.bytes({LinkKind::nvlink, 2}, GroupKind::tensor), 6.0);
        QCOMPARE(one.bytes({LinkKind::nic, 2}, GroupKind::tensor), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestFabricByHand)

} // namespace tst_fabric_by_hand

#include "tst_fabric_by_hand.moc"
