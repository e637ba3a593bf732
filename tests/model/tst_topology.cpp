// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/link_traffic.h"
#include "model/topology/placed_shape.h"
#include "tests/topology_check.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace tst_topology {

using namespace alidade;

namespace {

/// "a b | c" puts hosts a and b below one leaf and c below another; "||" parts two nodes of the layer above,
/// both below one top. "a:x" is in NVLink domain x; "-" is a host whose path is not known.
Topology drawn(const std::string& text) {
    Topology out;
    out.name = "drawn";
    out.nodes = {{"top", 0, -1}};
    int spine = -1, leaf = -1;
    const auto openLeaf = [&](bool newSpine) {
        if (newSpine) {
            spine = static_cast<int>(out.nodes.size());
            out.nodes.push_back({"spine" + std::to_string(spine), 1, 0});
        }
        leaf = static_cast<int>(out.nodes.size());
        out.nodes.push_back({"leaf" + std::to_string(leaf), 2, spine});
    };
    openLeaf(true);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (word == "|" || word == "||") {
            openLeaf(word == "||");
            continue;
        }
        const bool known = word.front() != '-';
        const std::string name = known ? word : word.substr(1);
        const std::size_t colon = name.find(':');
        out.hosts.push_back({.id = name.substr(0, colon),
                             .name = name.substr(0, colon),
                             .domain = colon == std::string::npos ? "" : name.substr(colon + 1),
                             .leaf = known ? leaf : -1});
    }
    return out;
}

FabricShape machine(int hosts, int gpus, int domain, int layers = 3) {
    return {.hosts = hosts,
            .gpusPerHost = gpus,
            .nvlinkDomain = domain,
            .layers = layers,
            .speeds = {.nvlinkBandwidth = 450e9, .networkBandwidth = 50e9}};
}

Placement placedOn(const Fabric& fabric, PlacementRequest request) {
    auto placed = place(fabric, request);
    return placed ? *std::move(placed) : Placement{};
}

RankLayout dense(int tensor, int context, int data, int pipeline, std::string_view order = "tp-cp-ep-dp-pp") {
    return RankLayout(
        {.tensor = tensor, .context = context, .data = data, .pipeline = pipeline, .shard = data * context},
        order);
}

} // namespace

class TopologyTest : public QObject {
    Q_OBJECT

private slots:
    void checksWhatAReaderHandsOn() {
        Topology good = drawn("a b | c");
        QCOMPARE(checkTopology(good), std::string());
        QCOMPARE(good.layers(), 3);
        const auto wrong = [&](auto spoil) {
            Topology bad = good;
            spoil(bad);
            return checkTopology(bad);
        };
        QVERIFY(wrong([](Topology& t) { t.hosts[1].id = "a"; }).find("'a' is listed twice") !=
                std::string::npos);
        QVERIFY(wrong([](Topology& t) { t.hosts[0].leaf = 99; }).find("'a'") != std::string::npos);
        QVERIFY(wrong([](Topology& t) { t.nodes[1].parent = 1; }).find("spine1") != std::string::npos);
        QVERIFY(wrong([](Topology& t) { t.nodes[2].layer = 1; }).find("leaf2") != std::string::npos);
        QVERIFY(wrong([](Topology& t) { t.hosts[2].gpus = -1; }).find("'c'") != std::string::npos);
    }

    /// As for the lists of EC2: 2 (layers not shared) + 1.
    void countsSwitches() {
        const Fabric fabric = importedFabric(drawn("a b | c || d -e"), machine(0, 8, 8));
        QCOMPARE(fabric.switches(0, 0), 0);
        QCOMPARE(fabric.switches(0, 1), 1);
        QCOMPARE(fabric.switches(0, 2), 3);
        QCOMPARE(fabric.switches(0, 3), 5);
        QCOMPARE(fabric.switches(3, 1), 5);
        QCOMPARE(fabric.switches(4, 0), 5); // unknown: as far as hosts below one top
    }

    void leavesOfDifferentDepth() { // Slurm trees may be uneven
        Topology t;
        t.nodes = {{"top", 0, -1}, {"deep", 1, 0}, {"leaf", 2, 1}};
        t.hosts = {{.id = "a", .leaf = 2}, {.id = "b", .leaf = 1}, {.id = "c", .leaf = 0}};
        const Fabric fabric = importedFabric(t, machine(0, 1, 1));
        QCOMPARE(fabric.switches(0, 1), 2);
        QCOMPARE(fabric.switches(0, 2), 3);
        QCOMPARE(fabric.switches(1, 2), 2);
        QCOMPARE(path(fabric, 0, 1).size(), std::size_t{5}); // card, uplink, trunk of "leaf", uplink, card
    }

    void domainsOfAnImport() {
        // x holds three hosts where the machine's domain holds two: it is cut; y is smaller than the
        // catalog's.
        const Fabric fabric = importedFabric(drawn("a:x b:x c:x | d:y e"), machine(0, 4, 8));
        const auto domain = [&](int host) { return fabric.domainOf(host * 4); };
        QCOMPARE(domain(0), domain(1));
        QVERIFY(domain(2) != domain(0));
        QCOMPARE(fabric.domains, 4);
        std::set<int> different{domain(0), domain(2), domain(3), domain(4)};
        QCOMPARE(different.size(), std::size_t{4});
        // A machine whose NVLink ends at the host knows no larger domain, whatever a scheduler's block says.
        QCOMPARE(importedFabric(drawn("a:x b:x"), machine(0, 8, 8)).domains, 2);
    }

    void catalogFabrics() {
        const Fabric four = catalogFabric(machine(600, 8, 8, 4));
        QCOMPARE(four.layers, 4);
        QCOMPARE(four.hosts(), 600);
        QCOMPARE(four.domains, 600);
        QCOMPARE(std::ranges::count(four.nodeLayer, 0), 1);
        QCOMPARE(four.nodeHosts.front(), 600);
        QCOMPARE(four.switches(0, assumedHostsPerLeaf), 3);
        QCOMPARE(four.switches(0, 599), 5); // 600 hosts fit below one node of the second layer's children
        // No leaf tears an UltraServer apart.
        const Fabric racks = catalogFabric(machine(72, 4, 72));
        for (int host = 0; host < 72; ++host) {
            QCOMPARE(racks.leafOf(host), racks.leafOf(host / 18 * 18));
            QCOMPARE(racks.domainOf(host * 4), host / 18);
        }
        int below = 0;
        for (int node = 0; node < racks.nodes(); ++node) {
            below += racks.nodeLayer[static_cast<std::size_t>(node)] == 2
                         ? racks.nodeHosts[static_cast<std::size_t>(node)]
                         : 0;
        }
        QCOMPARE(below, 72);
    }

    void pathsHaveTheirLinks() {
        const Fabric fabric = importedFabric(drawn("a b | c || d"), machine(0, 8, 8));
        QVERIFY(path(fabric, 3, 3).empty());
        const std::vector<LinkId> near{{LinkKind::nvlink, 0}, {LinkKind::nvlink, 5}};
        QCOMPARE(path(fabric, 0, 5), near);
        const std::vector<LinkId> leaf{
            {LinkKind::nic, 0}, {LinkKind::uplink, 0}, {LinkKind::uplink, 1}, {LinkKind::nic, 8}};
        QCOMPARE(path(fabric, 0, 8), leaf);
        for (int a = 0; a < fabric.gpus(); a += 3) {
            for (int b = 0; b < fabric.gpus(); b += 5) {
                auto there = path(fabric, a, b), back = path(fabric, b, a);
                std::ranges::reverse(back);
                QCOMPARE(there, back);
                // Every switch but the first joins two trunks (or is the top, between two).
                const auto trunks = std::ranges::count(there, LinkKind::trunk, &LinkId::kind);
                const int switches = fabric.switches(fabric.hostOf(a), fabric.hostOf(b));
                QCOMPARE(trunks, std::max(0, switches - 1));
            }
        }
    }

    void ordersOfHosts() {
        // Leaf 1 has one usable host, leaf 2 three: sorted takes the fuller leaf first.
        const Fabric fabric = importedFabric(drawn("a b | c d e || f"), machine(0, 8, 8));
        const auto hosts = [&](PlacementRequest request) { return placedOn(fabric, request).hosts; };
        QCOMPARE(hosts({.ranks = 24}), (std::vector<int>{0, 1, 2}));
        QCOMPARE(hosts({.kind = PlacementKind::sorted, .ranks = 24}), (std::vector<int>{2, 3, 4}));
        QCOMPARE(hosts({.kind = PlacementKind::sorted, .excluded = {2, 3}, .ranks = 24}),
                 (std::vector<int>{0, 1, 4}));
        QCOMPARE(hosts({.kind = PlacementKind::list, .hosts = {5, 0, 3}, .ranks = 24}),
                 (std::vector<int>{5, 0, 3}));
        QCOMPARE(hosts({.kind = PlacementKind::list, .hosts = {5, 0, 3}, .excluded = {0}, .ranks = 16}),
                 (std::vector<int>{5, 3}));
        QCOMPARE(hosts({.excluded = {1}, .ranks = 20}), (std::vector<int>{0, 2, 3}));
        const auto few = place(fabric, {.excluded = {0, 1}, .ranks = 40});
        QVERIFY(!few);
        QVERIFY(few.error().find("4 hosts") != std::string::npos);
        QVERIFY(few.error().find("40 GPUs need 5") != std::string::npos);
    }

    void ranksAndGpusAreInverse() {
        const Fabric fabric = importedFabric(drawn("a b | c d e || f"), machine(0, 8, 8));
        const Placement p = placedOn(fabric, {.kind = PlacementKind::sorted, .excluded = {4}, .ranks = 27});
        QCOMPARE(p.ranks(), 27);
        int used = 0;
        for (int gpu = 0; gpu < fabric.gpus(); ++gpu) {
            const int rank = p.rankOfGpu[static_cast<std::size_t>(gpu)];
            if (rank >= 0) {
                QCOMPARE(p.gpuOfRank[static_cast<std::size_t>(rank)], gpu);
                QVERIFY(fabric.hostOf(gpu) != 4);
                ++used;
            }
        }
        QCOMPARE(used, 27);
    }

    /// 64 GPUs of each rack of 72 where a job has 256: groups do not straddle racks.
    void dealsEqualBlocksToDomains() {
        const Fabric racks = catalogFabric(machine(72, 4, 72));
        const Placement p = placedOn(racks, {.ranks = 256});
        std::map<int, int> ranks;
        for (const int gpu : p.gpuOfRank)
            ++ranks[racks.domainOf(gpu)];
        QCOMPARE(ranks, (std::map<int, int>{{0, 64}, {1, 64}, {2, 64}, {3, 64}}));
        // A rack with a broken host still holds such a block.
        const Placement without = placedOn(racks, {.excluded = {20}, .ranks = 256});
        QCOMPARE(without.ranks(), 256);
        for (int rank = 0; rank < 256; rank += 64) {
            const auto domain = [&](int r) {
                return racks.domainOf(without.gpuOfRank[static_cast<std::size_t>(r)]);
            };
            QCOMPARE(domain(rank), domain(rank + 63));
        }
    }

    void groupsPartitionTheRanks_data() {
        QTest::addColumn<QString>("order");
        for (const char* order : {"tp-cp-ep-dp-pp", "dp-tp-cp-ep-pp", "pp-dp-tp-cp-ep", "cp-tp-ep-dp-pp"})
            QTest::newRow(order) << order;
    }
    void groupsPartitionTheRanks() {
        QFETCH(QString, order);
        const RankLayout layout({.tensor = 2,
                                 .context = 2,
                                 .data = 6,
                                 .pipeline = 3,
                                 .expertTensor = 1,
                                 .expert = 4,
                                 .expertData = 6,
                                 .shard = 4,
                                 .expertShard = 3},
                                order.toStdString());
        QCOMPARE(layout.ranks(), 72);
        for (const GroupKind kind : layout.kinds()) {
            std::map<std::vector<int>, int> seen;
            for (int rank = 0; rank < layout.ranks(); ++rank) {
                const std::vector<int> group = layout.groupOf(kind, rank);
                QCOMPARE(static_cast<int>(group.size()), layout.pattern(kind).ranks);
                QVERIFY(std::ranges::count(group, rank) == 1);
                ++seen[group];
            }
            for (const auto& [group, members] : seen) // every member names the same group, in the same order
                QCOMPARE(members, static_cast<int>(group.size()));
        }
        // A member differs from the others of its group in that dimension alone.
        for (int rank = 0; rank < layout.ranks(); ++rank) {
            const Coordinates own = layout.coordinates(rank);
            for (const int peer : layout.groupOf(GroupKind::tensor, rank)) {
                const Coordinates other = layout.coordinates(peer);
                QVERIFY(other.context == own.context && other.data == own.data &&
                        other.pipeline == own.pipeline);
            }
            for (const int peer : layout.groupOf(GroupKind::data, rank)) {
                const Coordinates other = layout.coordinates(peer);
                QVERIFY(other.tensor == own.tensor && other.pipeline == own.pipeline);
            }
            for (const int peer : layout.groupOf(GroupKind::expert, rank)) {
                const Coordinates other = layout.coordinates(peer);
                QVERIFY(other.expertData == own.expertData && other.pipeline == own.pipeline);
            }
        }
        QCOMPARE(layout.pattern(GroupKind::replica).ranks, 3);
    }

    /// The closed form and the walk over a packed catalog fabric say the same of every plan that fills hosts.
    void agreesWithTheClosedForm() {
        std::mt19937 random(5);
        const auto pick = [&](std::initializer_list<int> of) {
            return of.begin()[std::uniform_int_distribution<std::size_t>(0, of.size() - 1)(random)];
        };
        int compared = 0;
        for (int draw = 0; draw < 400; ++draw) {
            const bool rack = draw % 3 == 0;
            const int perHost = rack ? 4 : 8, domain = rack ? pick({36, 72}) : 8;
            const std::string order =
                std::array{"tp-cp-ep-dp-pp", "dp-tp-cp-ep-pp", "tp-dp-cp-ep-pp",
                           "pp-tp-cp-ep-dp"}[static_cast<std::size_t>(pick({0, 1, 2, 3}))];
            const RankLayout layout =
                dense(pick({1, 2, 4, 8}), pick({1, 2}), pick({4, 8, 16}), pick({1, 2, 4}), order);
            const int ranks = layout.ranks();
            if (ranks % perHost != 0)
                continue;
            // As resolve does: jobs are dealt in equal blocks of whole hosts.
            int unit = domain;
            for (int block = domain; ranks > domain && block >= perHost; --block) {
                if (ranks % block == 0 && block % perHost == 0) {
                    unit = block;
                    break;
                }
            }
            const int hosts = ranks > domain ? ranks / unit * domain / perHost : domain / perHost;
            const Fabric fabric = catalogFabric(machine(hosts, perHost, domain));
            const Placement placement = placedOn(fabric, {.ranks = ranks});
            for (const GroupKind kind : layout.kinds()) {
                const GroupPattern& p = layout.pattern(kind);
                if (p.outer > 1)
                    continue;
                const GroupShape closed = stridedGroup(p.ranks, p.innerStride * p.step, perHost, unit, ranks);
                const GroupShape walked = shapeOf(kind, TrafficPattern::ring, layout, placement, fabric);
                const std::string where = std::string(groupWord(kind)) + " of " + std::to_string(p.ranks) +
                                          " stride " + std::to_string(p.innerStride) + " on " +
                                          std::to_string(ranks) + ", domain " + std::to_string(domain);
                QVERIFY2(walked.ranksPerNvlinkDomain == closed.ranksPerNvlinkDomain, where.c_str());
                QVERIFY2(walked.ranksPerNode == closed.ranksPerNode, where.c_str());
                QVERIFY2(walked.domains() == closed.domains(), where.c_str());
                QCOMPARE(walked.crowding, 1.0);
                ++compared;
            }
        }
        QVERIFY(compared > 500);
    }

    void groupOverTwoLeaves() {
        const Fabric fabric = importedFabric(drawn("a b | c d"), machine(0, 8, 8));
        const RankLayout layout = dense(8, 1, 4, 1);
        const auto hops = [&](std::vector<int> hosts) {
            const Placement p = placedOn(fabric, {.kind = PlacementKind::list, .hosts = hosts, .ranks = 32});
            return shapeOf(GroupKind::data, TrafficPattern::ring, layout, p, fabric).hops;
        };
        QCOMPARE(hops({0, 1, 2, 3}), 2.0); // 1, 3, 1 and 3 back
        QCOMPARE(hops({0, 2, 1, 3}), 3.0); // every step leaves its leaf
        const Placement inside = placedOn(fabric, {.ranks = 16});
        QCOMPARE(shapeOf(GroupKind::data, TrafficPattern::ring, dense(8, 1, 2, 1), inside, fabric).hops, 1.0);
        // An all-to-all pays for its farthest pair.
        const RankLayout experts({.data = 32, .expert = 32}, "tp-cp-ep-dp-pp");
        const Placement sorted = placedOn(fabric, {.ranks = 32});
        QCOMPARE(shapeOf(GroupKind::expert, TrafficPattern::allToAll, experts, sorted, fabric).hops, 3.0);
    }

    void eightyGpusOnDomainsOf72() {
        const Fabric fabric = catalogFabric(machine(36, 4, 72));
        const RankLayout layout = dense(1, 1, 80, 1);
        const Placement even = placedOn(fabric, {.ranks = 80});
        const GroupShape halves = shapeOf(GroupKind::data, TrafficPattern::ring, layout, even, fabric);
        QCOMPARE(halves.ranksPerNvlinkDomain, 40);
        QCOMPARE(halves.domains(), 2);
        const Placement filled = placedOn(fabric, {.ranks = 80, .equalBlocks = false});
        const GroupShape rest = shapeOf(GroupKind::data, TrafficPattern::ring, layout, filled, fabric);
        QCOMPARE(rest.ranksPerNvlinkDomain, 8); // 72 and 8: the eight cards of the rest are the way out
        QCOMPARE(rest.domains(), 2);
    }

    /// Hosts of 4 GPUs, filled one after the other with groups of 3: the second group has one rank on the
    /// first host, on which the first group lies whole, and two on the next.
    void theWorstGroupCounts() {
        const Fabric fabric = catalogFabric(machine(2, 4, 4));
        const Placement filled = placedOn(fabric, {.ranks = 6, .equalBlocks = false});
        const GroupShape shape =
            shapeOf(GroupKind::tensor, TrafficPattern::ring, dense(3, 1, 2, 1), filled, fabric);
        QCOMPARE(shape.ranksPerNode, 1);
        QCOMPARE(shape.ranksPerNvlinkDomain, 1);
        QCOMPARE(shape.domains(), 2);
    }

    /// UltraServers of 18, 17, 16, 15 and 6 hosts of 4 GPUs: domains begin at hosts 18, 35, 51 and 66.
    void countsGroupsThatStraddle() {
        Topology topology;
        topology.name = "racks";
        const std::vector<int> sizes{18, 17, 16, 15, 6};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            for (int n = 0; n < sizes[i]; ++n) {
                topology.hosts.push_back({.id = "h" + std::to_string(topology.hosts.size()),
                                          .domain = "rack" + std::to_string(i)});
            }
        }
        const Fabric fabric = importedFabric(topology, machine(72, 4, 72));
        QCOMPARE(fabric.domains, 5);
        const auto count = [&](const Degrees& degrees, const char* order, GroupKind kind) {
            const RankLayout layout(degrees, order);
            const Placement placement = placedOn(fabric, {.ranks = layout.ranks()});
            const GroupCount out = countGroups(kind, layout, placement, fabric);
            return std::pair(out.groups, out.straddling);
        };
        using Count = std::pair<std::int64_t, std::int64_t>;
        const Degrees tensor{.tensor = 8, .data = 9, .pipeline = 4, .expertData = 72};
        // Pairs (34, 35) and (50, 51); 18 and 66 are even.
        QCOMPARE(count(tensor, "tp-cp-ep-dp-pp", GroupKind::tensor), (Count{36, 2}));
        // A replica of 8 hosts in order has hosts 18, 35, 51 and 66 inside: four of nine.
        QCOMPARE(count(tensor, "tp-cp-ep-pp-dp", GroupKind::pipeline).first, std::int64_t{72});
        QCOMPARE(count(tensor, "tp-cp-ep-pp-dp", GroupKind::pipeline).second, std::int64_t{4 * 8});
        // Expert groups of 16 on 4 hosts: none of 18, 35, 51 and 66 is a multiple of 4.
        const Degrees experts{.tensor = 1, .data = 288, .expert = 16, .expertData = 18};
        QCOMPARE(count(experts, "tp-cp-ep-dp-pp", GroupKind::expert), (Count{18, 4}));
        QCOMPARE(count(experts, "tp-cp-ep-dp-pp", GroupKind::tensor), (Count{0, 0}));
        // Context groups join two pairs of hosts. At 18 and 66 the pairs are apart, all 8 groups of them; at
        // 35 and 51 the second host of each pair alone.
        const Degrees context{.tensor = 8, .context = 2, .data = 18, .expertData = 288};
        QCOMPARE(count(context, "tp-cp-ep-dp-pp", GroupKind::context), (Count{8 * 18, 8 + 4 + 4 + 8}));
        const RankLayout layout(context, "tp-cp-ep-dp-pp");
        QCOMPARE(blockOf(GroupKind::tensor, layout), std::int64_t{8});
        QCOMPARE(blockOf(GroupKind::context, layout), std::int64_t{16});
        QCOMPARE(blockOf(GroupKind::expert, layout), std::int64_t{1});
        QCOMPARE(blockOf(GroupKind::data, layout), std::int64_t{288});
        QCOMPARE(blockOf(GroupKind::context, RankLayout(context, "cp-tp-ep-dp-pp")), std::int64_t{2});
    }

    void crowdsOversubscribedTrunks() {
        Topology t = drawn("a b c d | e f g h");
        FabricShape shape = machine(0, 8, 8);
        shape.oversubscription = 4;
        const Fabric fabric = importedFabric(t, shape);
        const RankLayout layout = dense(8, 1, 8, 1);
        const auto crowding = [&](std::vector<int> hosts, TrafficPattern pattern = TrafficPattern::ring) {
            const Placement p = placedOn(fabric, {.kind = PlacementKind::list, .hosts = hosts, .ranks = 64});
            return shapeOf(GroupKind::data, pattern, layout, p, fabric).crowding;
        };
        // In order eight rings (one a rail) leave a leaf of 32 cards once: a quarter of them, which 1:4
        // carries.
        QCOMPARE(crowding({0, 1, 2, 3, 4, 5, 6, 7}), 1.0);
        // In turns all 32 want to leave.
        QCOMPARE(crowding({0, 4, 1, 5, 2, 6, 3, 7}), 4.0);
        // Of an all-to-all four of seven peers are in the other leaf.
        const double scattered = crowding({0, 1, 2, 3, 4, 5, 6, 7}, TrafficPattern::allToAll);
        QVERIFY(std::abs(scattered - 4 * 4.0 / 7) < 1e-12);
        shape.oversubscription = 1;
        const Fabric open = importedFabric(t, shape);
        const Placement p =
            placedOn(open, {.kind = PlacementKind::list, .hosts = {0, 4, 1, 5, 2, 6, 3, 7}, .ranks = 64});
        QCOMPARE(shapeOf(GroupKind::data, TrafficPattern::ring, layout, p, open).crowding, 1.0);
    }

    /// What switches and hosts are called, and in which order nodes are listed, changes nothing.
    void renamingChangesNothing() {
        Topology t = drawn("a b | c d e || f g | h");
        Topology other = t;
        std::vector<int> place(t.nodes.size());
        std::iota(place.begin(), place.end(), 0);
        std::shuffle(place.begin(), place.end(), std::mt19937(3));
        for (std::size_t i = 0; i < t.nodes.size(); ++i) {
            NetworkNode& node = other.nodes[static_cast<std::size_t>(place[i])];
            node = t.nodes[i];
            node.id = "x" + std::to_string(place[i]);
            node.parent = node.parent < 0 ? -1 : place[static_cast<std::size_t>(node.parent)];
        }
        for (Host& host : other.hosts) {
            host.leaf = place[static_cast<std::size_t>(host.leaf)];
            host.id = "y" + host.id;
        }
        QCOMPARE(checkTopology(other), std::string());
        FabricShape shape = machine(0, 8, 8);
        shape.oversubscription = 3;
        const Fabric first = importedFabric(t, shape), second = importedFabric(other, shape);
        for (const PlacementKind kind : {PlacementKind::packed, PlacementKind::sorted}) {
            const Placement p = placedOn(first, {.kind = kind, .excluded = {1}, .ranks = 48});
            const Placement q = placedOn(second, {.kind = kind, .excluded = {1}, .ranks = 48});
            QCOMPARE(p.gpuOfRank, q.gpuOfRank);
            const RankLayout layout = dense(4, 1, 12, 1);
            for (const auto pattern : {TrafficPattern::ring, TrafficPattern::allToAll}) {
                const GroupShape a = shapeOf(GroupKind::data, pattern, layout, p, first);
                const GroupShape b = shapeOf(GroupKind::data, pattern, layout, q, second);
                QCOMPARE(a.hops, b.hops);
                QCOMPARE(a.crowding, b.crowding);
                QVERIFY(a.hops > 1);
            }
        }
    }

    /// Skipping groups that lie alike changes nothing: all ranks one by one give the same shape.
    void alikeGroupsAreCountedOnce() {
        Topology t = drawn("a b | c d e || f g | h");
        FabricShape shape = machine(0, 8, 8);
        shape.oversubscription = 5;
        const Fabric fabric = importedFabric(t, shape);
        const Placement p =
            placedOn(fabric, {.kind = PlacementKind::list, .hosts = {3, 0, 7, 1, 5, 2, 6, 4}, .ranks = 64});
        for (const auto& layout : {dense(4, 2, 8, 1), dense(8, 1, 4, 2), dense(2, 1, 32, 1),
                                   dense(4, 2, 8, 1, "dp-tp-cp-ep-pp")}) {
            for (const GroupKind kind : layout.kinds()) {
                const GroupShape quick = shapeOf(kind, TrafficPattern::ring, layout, p, fabric);
                GroupShape slow{.ranksPerNvlinkDomain = 1000, .ranksPerNode = 1000};
                for (int rank = 0; rank < layout.ranks(); ++rank) {
                    std::map<int, int> domains, hosts;
                    for (const int member : layout.groupOf(kind, rank)) {
                        const int gpu = p.gpuOfRank[static_cast<std::size_t>(member)];
                        ++domains[fabric.domainOf(gpu)];
                        ++hosts[fabric.hostOf(gpu)];
                    }
                    for (const auto& [domain, members] : domains)
                        slow.ranksPerNvlinkDomain = std::min(slow.ranksPerNvlinkDomain, members);
                    for (const auto& [host, members] : hosts)
                        slow.ranksPerNode = std::min(slow.ranksPerNode, members);
                    slow.spannedDomains = std::max(slow.spannedDomains, static_cast<int>(domains.size()));
                }
                QCOMPARE(quick.ranksPerNvlinkDomain, slow.ranksPerNvlinkDomain);
                QCOMPARE(quick.ranksPerNode, slow.ranksPerNode);
                QCOMPARE(quick.domains(), slow.spannedDomains);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TopologyTest)

} // namespace tst_topology

#include "tst_topology.moc"
