// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/sent_bytes.h"

#include <QTest>

#include <cmath>

namespace tst_link_traffic {

using namespace alidade;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }

Fabric fabricOf(int hosts, int gpus, int domain, double oversubscription = 1) {
    return catalogFabric({.hosts = hosts,
                          .gpusPerHost = gpus,
                          .nvlinkDomain = domain,
                          .speeds = {.nvlinkBandwidth = 450e9, .networkBandwidth = 50e9},
                          .oversubscription = oversubscription});
}

Placement placedOn(const Fabric& fabric, PlacementRequest request) {
    auto placed = place(fabric, request);
    return placed ? *std::move(placed) : Placement{};
}

constexpr std::array kinds{LinkKind::nvlink, LinkKind::nic, LinkKind::uplink, LinkKind::trunk};

} // namespace

class LinkTrafficTest : public QObject {
    Q_OBJECT

private slots:
    /// What GPUs send is what lies on their links: nothing is lost, nothing counted twice.
    void conservesBytes_data() {
        QTest::addColumn<bool>("shuffled");
        QTest::addColumn<int>("domain");
        QTest::newRow("packed") << false << 8;
        QTest::newRow("shuffled") << true << 8;
        QTest::newRow("domains of four hosts") << false << 32;
        QTest::newRow("shuffled domains of four hosts") << true << 32;
    }
    void conservesBytes() {
        QFETCH(bool, shuffled);
        QFETCH(int, domain);
        const Fabric fabric = fabricOf(40, 8, domain);
        PlacementRequest request{.ranks = 256};
        if (shuffled) {
            request.kind = PlacementKind::list;
            for (int i = 0; i < 40; ++i)
                request.hosts.push_back(i * 7 % 40);
        }
        const Placement placement = placedOn(fabric, request);
        const RankLayout layout({.tensor = 4,
                                 .context = 2,
                                 .data = 8,
                                 .pipeline = 4,
                                 .expert = 32,
                                 .expertData = 2,
                                 .shard = 8,
                                 .expertShard = 2},
                                "tp-cp-ep-dp-pp");
        const std::vector<GroupTraffic> groups{
            {GroupKind::tensor, TrafficPattern::ring, {1e9, 2e9, 3e9, 5e9}, 0, 0, 0.5},
            {GroupKind::context, TrafficPattern::ring, {7e8}, 0, 0, 0.2},
            {GroupKind::shard, TrafficPattern::ring, {2e9}, 0, 0, 0.2},
            {GroupKind::replica, TrafficPattern::ring, {5e8}, 0, 0, 0.2},
            {GroupKind::expert, TrafficPattern::allToAll, {4e9}, 0, 0.6, 0.3},
            {GroupKind::expertData, TrafficPattern::ring, {1e9}, 0, 0, 0.1},
            {GroupKind::pipeline, TrafficPattern::neighbors, {3e8}, 1e8, 0, 0.1}};
        LinkTraffic traffic(fabric);
        traffic.add(fabric, placement, layout, 0, groups, 2.0);
        for (const GroupTraffic& each : groups) {
            const double sent = sentBytes(each, layout);
            const double nvlink = traffic.totalBytes(LinkKind::nvlink, each.kind);
            const double network = traffic.totalBytes(LinkKind::nic, each.kind);
            QVERIFY2(sent > 0 && near(nvlink + network, sent), groupWord(each.kind).data());
            QVERIFY(near(traffic.totalBytes(LinkKind::uplink, each.kind), network));
        }
        // By hand: 4 stages of 64 ranks, with 1 + 2 + 3 + 5 GB.
        QVERIFY(near(sentBytes(groups[0], layout), 64 * 11e9));
        QVERIFY(near(sentBytes(groups[6], layout), 64 * 2 * (3 * 3e8 + 1e8)));
        // A link's bytes are the sum of those of its groups.
        for (const LinkKind kind : kinds) {
            for (int i = 0; i < fabric.linkCount(kind); i += 3) {
                double sum = 0;
                for (const GroupKind group : allGroupKinds)
                    sum += traffic.bytes({kind, i}, group);
                const LinkLoad load = traffic.load({kind, i});
                QVERIFY(near(load.bytes, sum));
                QVERIFY((load.groups != 0) == (sum > 0));
                QVERIFY(load.meanShare <= load.activeShare * 10 + 1e-12);
            }
        }
    }

    /// Every transfer of a pipeline or a ring of single members climbs exactly the trunks of its path.
    void trunksCarryWhatCrossesThem() {
        const Fabric fabric = fabricOf(48, 8, 8);
        PlacementRequest request{.kind = PlacementKind::list, .hosts = {}, .ranks = 384};
        for (int i = 0; i < 48; ++i)
            request.hosts.push_back(i * 17 % 48);
        const Placement placement = placedOn(fabric, request);
        const RankLayout layout({.tensor = 8, .data = 12, .pipeline = 4, .shard = 12}, "tp-cp-ep-dp-pp");
        const std::vector<GroupTraffic> groups{
            {GroupKind::shard, TrafficPattern::ring, {2e9}, 0, 0, 0.2},
            {GroupKind::pipeline, TrafficPattern::neighbors, {3e8}, 0, 0, 0.1}};
        LinkTraffic traffic(fabric);
        traffic.add(fabric, placement, layout, 0, groups, 2.0);
        std::vector<double> rings(static_cast<std::size_t>(fabric.nodes()), 0), stages = rings;
        const auto upTo = [&](int from, int to, double bytes, std::vector<double>& sum) {
            const auto links = path(fabric, from, to);
            for (std::size_t i = 0; i < links.size() / 2; ++i)
                if (links[i].kind == LinkKind::trunk)
                    sum[static_cast<std::size_t>(links[i].index)] += bytes;
        };
        for (int rank = 0; rank < layout.ranks(); ++rank) {
            const auto gpu = [&](int r) { return placement.gpuOfRank[static_cast<std::size_t>(r)]; };
            const auto ring = layout.groupOf(GroupKind::shard, rank);
            const auto own = static_cast<std::size_t>(std::ranges::find(ring, rank) - ring.begin());
            upTo(gpu(rank), gpu(ring[(own + 1) % ring.size()]), 2e9, rings);
            const auto line = layout.groupOf(GroupKind::pipeline, rank);
            const auto stage = static_cast<std::size_t>(std::ranges::find(line, rank) - line.begin());
            if (stage + 1 < line.size()) {
                upTo(gpu(rank), gpu(line[stage + 1]), 3e8, stages);
                upTo(gpu(line[stage + 1]), gpu(rank), 3e8, stages);
            }
        }
        for (int node = 0; node < fabric.nodes(); ++node) {
            QVERIFY(near(traffic.bytes({LinkKind::trunk, node}, GroupKind::shard),
                         rings[static_cast<std::size_t>(node)]));
            QVERIFY(near(traffic.bytes({LinkKind::trunk, node}, GroupKind::pipeline),
                         stages[static_cast<std::size_t>(node)]));
        }
        QCOMPARE(traffic.bytes({LinkKind::trunk, 0}, GroupKind::shard), 0.0); // nothing is above the top
    }

    void sharesAreOfTheCapacity() {
        const Fabric fabric = fabricOf(2, 8, 8);
        const Placement placement = placedOn(fabric, {.ranks = 16});
        const RankLayout layout({.tensor = 8, .data = 2, .shard = 2}, "tp-cp-ep-dp-pp");
        LinkTraffic traffic(fabric);
        traffic.add(fabric, placement, layout, 0,
                    {{GroupKind::tensor, TrafficPattern::ring, {90e9}, 0, 0, 0.5},
                     {GroupKind::shard, TrafficPattern::ring, {10e9}, 0, 0, 0.25}},
                    2.0);
        const LinkLoad nvlink = traffic.load({LinkKind::nvlink, 3});
        QVERIFY(near(nvlink.meanShare, 90e9 / (450e9 * 2)));
        QVERIFY(near(nvlink.activeShare, 90e9 / (450e9 * 0.5)));
        QCOMPARE(nvlink.groups, bitOf(GroupKind::tensor));
        const LinkLoad card = traffic.load({LinkKind::nic, 3});
        QVERIFY(near(card.bytes, 10e9)); // one member a host: its ring leaves over its own card
        QVERIFY(near(card.meanShare, 10e9 / (50e9 * 2)));
        const LinkLoad host = traffic.load({LinkKind::uplink, 1});
        QVERIFY(near(host.bytes, 80e9));
        QVERIFY(near(host.meanShare, card.meanShare));
        const auto colors = traffic.meanShares(LinkKind::nic);
        QCOMPARE(colors.size(), std::size_t{16});
        QVERIFY(std::abs(colors[5] - static_cast<float>(card.meanShare)) < 1e-6F);
    }

    /// A ring leaves a domain over the cards of all of its members there.
    void ringsShareTheCardsOfADomain() {
        const Fabric fabric = fabricOf(2, 8, 8);
        const Placement placement = placedOn(fabric, {.ranks = 16});
        const RankLayout layout({.data = 16, .shard = 16}, "tp-cp-ep-dp-pp");
        LinkTraffic traffic(fabric);
        traffic.add(fabric, placement, layout, 0, {{GroupKind::shard, TrafficPattern::ring, {8e9}, 0, 0, 1}},
                    1);
        QVERIFY(near(traffic.bytes({LinkKind::nic, 9}, GroupKind::shard), 1e9));
        QVERIFY(near(traffic.bytes({LinkKind::nvlink, 9}, GroupKind::shard), 7e9));
    }

    /// An all-reduce of 8 GB over four domains of eight GPUs, reduced in their switches. By hand: in the
    /// first tree 0 is above 2, which is above 1 and 3; the second is its mirror image, 3 above 1, 1 above 0
    /// and 2. Every edge carries 4 GB up and 4 GB down.
    void treesLoadTheirInnerDomainsMost() {
        const Fabric fabric = fabricOf(4, 8, 8);
        const Placement placement = placedOn(fabric, {.ranks = 32});
        const RankLayout layout({.data = 32, .shard = 32}, "tp-cp-ep-dp-pp");
        LinkTraffic traffic(fabric);
        traffic.add(fabric, placement, layout, 0,
                    {{GroupKind::shard, TrafficPattern::tree, {11e9}, 0, 2.0 / 11, 1}}, 1);
        constexpr std::array sent{8e9, 16e9, 16e9, 8e9};
        for (int host = 0; host < 4; ++host) {
            QVERIFY(near(traffic.bytes({LinkKind::uplink, host}, GroupKind::shard),
                         sent[static_cast<std::size_t>(host)]));
            QVERIFY(near(traffic.bytes({LinkKind::nic, 8 * host + 3}, GroupKind::shard),
                         sent[static_cast<std::size_t>(host)] / 8));
            QVERIFY(near(traffic.bytes({LinkKind::nvlink, 8 * host + 3}, GroupKind::shard), 9e9));
        }
    }

    /// Each of two domains is the root of one half: the buffer of 8 GB leaves it once.
    void twoDomainsSwapHalves() {
        const Fabric fabric = fabricOf(2, 8, 8);
        const Placement placement = placedOn(fabric, {.ranks = 16});
        const RankLayout layout({.data = 16, .shard = 16}, "tp-cp-ep-dp-pp");
        LinkTraffic traffic(fabric);
        traffic.add(fabric, placement, layout, 0,
                    {{GroupKind::shard, TrafficPattern::tree, {10e9}, 0, 0.1, 1}}, 1);
        QVERIFY(near(traffic.bytes({LinkKind::uplink, 0}, GroupKind::shard), 8e9));
        QVERIFY(near(traffic.bytes({LinkKind::uplink, 1}, GroupKind::shard), 8e9));
        QVERIFY(near(traffic.bytes({LinkKind::nvlink, 5}, GroupKind::shard), 9e9));
    }

    /// Six domains of one GPU each gather 6 chunks of 1 GB. By hand: offsets 1 to 5 have the lowest bits 1,
    /// 2, 1, 4, 1, so that each sends three chunks to its neighbor, one two and one four further on.
    void aggregatedTreesReachFar() {
        const Fabric fabric = fabricOf(48, 8, 8);
        PlacementRequest request{.kind = PlacementKind::list, .hosts = {}, .ranks = 48};
        for (int i = 0; i < 6; ++i)
            request.hosts.push_back(i * 17 % 48);
        const Placement placement = placedOn(fabric, request);
        const RankLayout layout({.tensor = 8, .data = 6, .shard = 6}, "tp-cp-ep-dp-pp");
        LinkTraffic traffic(fabric);
        traffic.add(fabric, placement, layout, 0, {{GroupKind::shard, TrafficPattern::pat, {5e9}, 0, 0, 1}},
                    1);
        std::vector<double> trunks(static_cast<std::size_t>(fabric.nodes()), 0);
        for (int rank = 0; rank < layout.ranks(); ++rank) {
            const auto group = layout.groupOf(GroupKind::shard, rank);
            const auto own = static_cast<std::size_t>(std::ranges::find(group, rank) - group.begin());
            const auto gpu = [&](int r) { return placement.gpuOfRank[static_cast<std::size_t>(r)]; };
            QVERIFY(near(traffic.bytes({LinkKind::nic, gpu(rank)}, GroupKind::shard), 5e9));
            for (const auto& [distance, bytes] :
                 {std::pair<std::size_t, double>(1, 3e9), {2, 1e9}, {4, 1e9}}) {
                const auto links = path(fabric, gpu(rank), gpu(group[(own + distance) % 6]));
                for (std::size_t i = 0; i < links.size() / 2; ++i)
                    if (links[i].kind == LinkKind::trunk)
                        trunks[static_cast<std::size_t>(links[i].index)] += bytes;
            }
        }
        double most = 0;
        for (int node = 0; node < fabric.nodes(); ++node) {
            QVERIFY(near(traffic.bytes({LinkKind::trunk, node}, GroupKind::shard),
                         trunks[static_cast<std::size_t>(node)]));
            most = std::max(most, trunks[static_cast<std::size_t>(node)]);
        }
        QVERIFY(most > 0);
    }

    void twoPoolsShareAFabric() {
        const Fabric fabric = fabricOf(4, 8, 8);
        const Placement placement = placedOn(fabric, {.ranks = 32, .equalBlocks = false});
        LinkTraffic traffic(fabric);
        const RankLayout prefill = RankLayout::serving(4, 1, 1, 2), decode = RankLayout::serving(8, 1, 1, 3);
        traffic.add(fabric, placement, prefill, 0,
                    {{GroupKind::tensor, TrafficPattern::ring, {4e9}, 0, 0, 1}}, 2);
        traffic.add(fabric, placement, decode, 8, {{GroupKind::tensor, TrafficPattern::ring, {1e9}, 0, 0, 1}},
                    1);
        QVERIFY(near(traffic.load({LinkKind::nvlink, 7}).meanShare, 4e9 / (450e9 * 2)));
        QVERIFY(near(traffic.load({LinkKind::nvlink, 8}).meanShare, 1e9 / 450e9));
        QVERIFY(near(traffic.totalBytes(LinkKind::nvlink, GroupKind::tensor), 8 * 4e9 + 24 * 1e9));
    }
};

QTEST_APPLESS_MAIN(LinkTrafficTest)

} // namespace tst_link_traffic

#include "tst_link_traffic.moc"
