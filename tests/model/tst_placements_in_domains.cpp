// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/domain_placements.h"

#include <QTest>

#include <string>
#include <vector>

namespace tst_placements_in_domains {

using namespace alidade;

namespace {

using Lines = std::vector<std::string>;

/// Hosts "i-0", "i-1" ... of 4 GPUs, named "gpu-0" ..., below one leaf, in NVLink domains of some numbers of
/// hosts; a job of tensor groups, which straddle.
struct Rig {
    ScenarioSpec spec;
    Scenario scenario;
    ClusterMap map;

    Rig(const std::vector<int>& domains, int tensor, int replicas) {
        Fabric& fabric = map.fabric;
        fabric.gpusPerHost = 4;
        fabric.layers = 1;
        fabric.nodeParent = {-1};
        fabric.nodeLayer = {0};
        for (const int hosts : domains) {
            for (int i = 0; i < hosts; ++i) {
                const std::string number = std::to_string(fabric.hostLeaf.size());
                map.hostIds.push_back("i-" + number);
                map.hostNames.push_back("gpu-" + number);
                fabric.hostLeaf.push_back(0);
                fabric.gpuDomain.insert(fabric.gpuDomain.end(), 4, fabric.domains);
            }
            ++fabric.domains;
        }
        fabric.nodeHosts = {fabric.hosts()};
        map.excluded.assign(map.hostIds.size(), false);
        map.unfit = map.excluded;
        Degrees degrees;
        degrees.tensor = tensor;
        degrees.data = replicas;
        degrees.expertData = tensor * replicas;
        use({RankLayout(degrees, "tp-cp-ep-dp-pp")});
        scenario.plan.tensorParallel = tensor;
        scenario.plan.dataParallel = replicas;
        spec.plan.dataParallel = replicas;
        scenario.spec.workload.globalBatch = 12;
        PlacedGroupFacts groups;
        groups.group = "tp";
        groups.straddling = 1;
        scenario.placement.emplace();
        scenario.placement->groups = {groups};
    }

    void use(const std::vector<RankLayout>& layouts) {
        map.pools.clear();
        int ranks = 0;
        for (const RankLayout& layout : layouts) {
            map.pools.push_back({"", map.pools.size(), ranks, layout});
            ranks += layout.ranks();
        }
        map.placement.gpuOfRank.assign(static_cast<std::size_t>(ranks), 0);
    }

    /// "text: path=value; path=value" of each change.
    Lines found() const {
        Lines out;
        for (const Fix& fix : placementsInDomains(spec, scenario, map)) {
            std::string line = fix.text + ":";
            for (const auto& [path, value] : fix.set)
                line += " " + path + "=" + value + ";";
            out.push_back(line);
        }
        return out;
    }
};

} // namespace

/// Groups of 8 GPUs take two hosts. Where a domain has an odd number of them, one begins a group that ends in
/// the next domain: it is left out.
class TestPlacementsInDomains : public QObject {
    Q_OBJECT

private slots:
    /// 3 groups on 6 of 9 hosts: in the order of the fabric those are left out that come before the last host
    /// in use, in the order of the tree those of the domains in use.
    void allReplicasStay() {
        Rig rig({3, 3, 3}, 8, 3);
        const std::string list = "Place ranks on a list of 6 hosts, NVLink domain by NVLink domain: "
                                 "cluster.placement=i-0, i-1, i-3, i-4, i-6, i-7;";
        QCOMPARE(rig.found(), (Lines{"Leave out gpu-2 and gpu-5: cluster.excluded_hosts=i-2, i-5;",
                                     "Leave out gpu-2, gpu-5 and gpu-8, place ranks sorted: "
                                     "cluster.excluded_hosts=i-2, i-5, i-8; cluster.placement=sorted;",
                                     list}));
        // What is left out already stays so, and is not named again.
        rig.spec.cluster.excludedHosts = {"i-99"};
        rig.spec.cluster.placement = {"sorted"};
        QCOMPARE(rig.found(), (Lines{"Leave out gpu-2 and gpu-5, place ranks packed: "
                                     "cluster.excluded_hosts=i-99, i-2, i-5; cluster.placement=packed;",
                                     "Leave out gpu-2, gpu-5 and gpu-8: "
                                     "cluster.excluded_hosts=i-99, i-2, i-5, i-8;",
                                     list}));
    }

    /// Three are named, four as well; of more, three.
    void manyHostsAreCounted() {
        const Lines found = Rig({3, 3, 3, 3, 3, 3}, 8, 6).found();
        QCOMPARE(found.size(), std::size_t{3});
        QCOMPARE(found[0], std::string("Leave out gpu-2, gpu-5, gpu-8 and 2 more hosts: "
                                       "cluster.excluded_hosts=i-2, i-5, i-8, i-11, i-14;"));
        QCOMPARE(found[1], std::string("Leave out gpu-2, gpu-5, gpu-8 and 3 more hosts, place ranks sorted: "
                                       "cluster.excluded_hosts=i-2, i-5, i-8, i-11, i-14, i-17; "
                                       "cluster.placement=sorted;"));
    }

    /// 4 of 6 groups lie in one domain; then 3, then 2, all of which divide a batch of 12. A single one is
    /// not tried. With 3, two of the four domains would be filled if only two hosts were left out, and groups
    /// be divided: so all four are.
    void fewerReplicas() {
        Rig rig({3, 3, 3, 3}, 8, 6);
        rig.spec.cluster.gpus = 48;
        const auto with = [](const char* text, const char* number, const char* changes) {
            return std::string(text) + ", with " + number + " instead of 6 replicas: " + changes +
                   " plan.data_parallel=" + number + "; cluster.gpus=;";
        };
        const char* every = "cluster.excluded_hosts=i-2, i-5, i-8, i-11;";
        QCOMPARE(rig.found(),
                 (Lines{
                     with("Leave out gpu-2, gpu-5 and gpu-8", "4", "cluster.excluded_hosts=i-2, i-5, i-8;"),
                     with("Leave out gpu-2, gpu-5, gpu-8 and gpu-11, place ranks sorted", "4",
                          "cluster.excluded_hosts=i-2, i-5, i-8, i-11; cluster.placement=sorted;"),
                     with("Place ranks on a list of 8 hosts, NVLink domain by NVLink domain", "4",
                          "cluster.placement=i-0, i-1, i-3, i-4, i-6, i-7, i-9, i-10;"),
                     with("Leave out gpu-2, gpu-5, gpu-8 and gpu-11", "3", every),
                     with("Leave out gpu-2, gpu-5 and gpu-8, place ranks sorted", "3",
                          "cluster.excluded_hosts=i-2, i-5, i-8; cluster.placement=sorted;"),
                     with("Place ranks on a list of 6 hosts, NVLink domain by NVLink domain", "3",
                          "cluster.placement=i-0, i-1, i-3, i-4, i-6, i-7;"),
                     with("Leave out gpu-2", "2", "cluster.excluded_hosts=i-2;"),
                     with("Leave out gpu-2 and gpu-5, place ranks sorted", "2",
                          "cluster.excluded_hosts=i-2, i-5; cluster.placement=sorted;"),
                     with("Place ranks on a list of 4 hosts, NVLink domain by NVLink domain", "2",
                          "cluster.placement=i-0, i-1, i-3, i-4;"),
                 }));
    }

    /// Two of three groups fill the first domain, and nothing is in their way.
    void fewerReplicasAreEnough() {
        const Lines found = Rig({4, 1, 1}, 8, 3).found();
        QCOMPARE(found.size(), std::size_t{6});
        QCOMPARE(found[0], std::string("Run 2 instead of 3 replicas: plan.data_parallel=2;"));
        QCOMPARE(found[3], std::string("Run 1 instead of 3 replicas: plan.data_parallel=1;"));
    }

    void replicasDivideTheBatch_data() {
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("microBatch");
        QTest::addColumn<int>("experts");
        QTest::addColumn<int>("expertTensor");
        QTest::addColumn<QByteArray>("expected"); // numbers of replicas
        QTest::addRow("each of four") << 12 << 1 << 1 << 1 << QByteArray("4 3 2");
        QTest::addRow("not three") << 8 << 1 << 1 << 1 << QByteArray("4 2 1");
        QTest::addRow("none but one") << 7 << 1 << 1 << 1 << QByteArray("1");
        QTest::addRow("micro-batches of two") << 12 << 2 << 1 << 1 << QByteArray("3 2 1");
        QTest::addRow("micro-batches of four") << 12 << 4 << 1 << 1 << QByteArray("3 1");
        // 8 ranks of a replica, and experts on 16 or 24 of them
        QTest::addRow("16 ranks of experts") << 12 << 1 << 2 << 8 << QByteArray("4 2");
        QTest::addRow("24 ranks of experts") << 12 << 1 << 24 << 1 << QByteArray("3");
        QTest::addRow("7 ranks of experts") << 12 << 1 << 7 << 1 << QByteArray("");
    }
    void replicasDivideTheBatch() {
        QFETCH(int, batch);
        QFETCH(int, microBatch);
        QFETCH(int, experts);
        QFETCH(int, expertTensor);
        QFETCH(QByteArray, expected);
        Rig rig({3, 3, 3, 3}, 8, 6);
        rig.scenario.spec.workload.globalBatch = batch;
        rig.scenario.plan.microBatch = microBatch;
        rig.scenario.plan.expertParallel = experts;
        rig.scenario.plan.expertTensorParallel = expertTensor;
        std::string numbers, last;
        for (const Fix& fix : placementsInDomains(rig.spec, rig.scenario, rig.map)) {
            const std::string number = fix.set.back().second;
            QCOMPARE(fix.set.back().first, std::string("plan.data_parallel"));
            if (number != last)
                numbers += (numbers.empty() ? "" : " ") + number;
            last = number;
        }
        QCOMPARE(QByteArray::fromStdString(numbers), expected);
    }

    /// Context ranks are part of the dense ranks that experts are spread over: 8 x 2 x 3 of 48.
    void contextRanksCount() {
        Rig rig({3, 3, 3, 3}, 8, 6);
        rig.scenario.plan.contextParallel = 2;
        rig.scenario.plan.expertParallel = 48;
        const auto fixes = placementsInDomains(rig.spec, rig.scenario, rig.map);
        QCOMPARE(fixes.size(), std::size_t{3});
        QCOMPARE(fixes[0].set.back().second, std::string("3"));
    }

    /// Of hosts that are excluded or other machines, nothing is to be left out: pairs are 1 and 2, 4 and 5, 6
    /// and 7. Packed, that is what there is already.
    void hostsThatAreNotUsable() {
        Rig rig({3, 3, 3}, 8, 3);
        rig.map.excluded[0] = true;
        rig.map.unfit[3] = true;
        QCOMPARE(rig.found(), (Lines{"Leave out gpu-8, place ranks sorted: cluster.excluded_hosts=i-8; "
                                     "cluster.placement=sorted;",
                                     "Place ranks on a list of 6 hosts, NVLink domain by NVLink domain: "
                                     "cluster.placement=i-1, i-2, i-4, i-5, i-6, i-7;"}));
    }

    /// A list begins with the domain that holds most groups: two of them in 5 hosts.
    void theLargestDomainFirst() {
        QCOMPARE(Rig({3, 5}, 8, 3).found(),
                 (Lines{"Leave out gpu-2: cluster.excluded_hosts=i-2;",
                        "Leave out gpu-2 and gpu-7, place ranks sorted: cluster.excluded_hosts=i-2, i-7; "
                        "cluster.placement=sorted;",
                        "Place ranks on a list of 6 hosts, NVLink domain by NVLink domain: "
                        "cluster.placement=i-3, i-4, i-5, i-6, i-0, i-1;"}));
    }

    /// Groups of 6 GPUs fill whole hosts by twos: three hosts.
    void groupsThatDivideHosts() {
        QCOMPARE(Rig({4, 4}, 6, 4).found(),
                 (Lines{"Leave out gpu-3: cluster.excluded_hosts=i-3;",
                        "Leave out gpu-3 and gpu-7, place ranks sorted: cluster.excluded_hosts=i-3, i-7; "
                        "cluster.placement=sorted;",
                        "Place ranks on a list of 6 hosts, NVLink domain by NVLink domain: "
                        "cluster.placement=i-0, i-1, i-2, i-4, i-5, i-6;"}));
    }

    /// An engine keeps all of its replicas, or nothing is offered.
    void replicasOfAnEngineStay() {
        Rig rig({3, 3, 2}, 8, 3);
        rig.map.serving = true;
        rig.use({RankLayout::serving(8, 1, 1, 3)});
        QCOMPARE(rig.found(), (Lines{"Leave out gpu-2 and gpu-5: cluster.excluded_hosts=i-2, i-5;",
                                     "Leave out gpu-2 and gpu-5, place ranks sorted: "
                                     "cluster.excluded_hosts=i-2, i-5; cluster.placement=sorted;",
                                     "Place ranks on a list of 6 hosts, NVLink domain by NVLink domain: "
                                     "cluster.placement=i-0, i-1, i-3, i-4, i-6, i-7;"}));
        Rig small({3, 3, 1}, 8, 3); // pairs of only 4 hosts
        small.map.serving = true;
        small.use({RankLayout::serving(8, 1, 1, 3)});
        QVERIFY(small.found().empty());
    }

    /// Prompts on groups of two hosts, answers on one of four: blocks of two leave nothing out, blocks of
    /// four leave two hosts of each domain. Prompts take hosts 0 and 1, answers 2 to 5; or 2, 3, 6 and 7.
    void poolsOfTwoSizes() {
        Rig rig({6, 6}, 8, 3);
        rig.map.serving = true;
        rig.use({RankLayout::serving(8, 1, 1, 1), RankLayout::serving(16, 1, 1, 1)});
        const std::string list = "Place ranks on a list of 6 hosts, NVLink domain by NVLink domain: ";
        QCOMPARE(rig.found(), (Lines{"Place ranks sorted: cluster.placement=sorted;",
                                     list + "cluster.placement=i-0, i-1, i-2, i-3, i-4, i-5;",
                                     "Leave out gpu-4 and gpu-5: cluster.excluded_hosts=i-4, i-5;",
                                     "Leave out gpu-4, gpu-5, gpu-10 and gpu-11, place ranks sorted: "
                                     "cluster.excluded_hosts=i-4, i-5, i-10, i-11; cluster.placement=sorted;",
                                     list + "cluster.placement=i-0, i-1, i-2, i-3, i-6, i-7;"}));
        // 8 and 12 GPUs have no common block but all of their 20: 5 hosts.
        Rig odd({6, 7}, 8, 3);
        odd.map.serving = true;
        odd.use({RankLayout::serving(8, 1, 1, 1), RankLayout::serving(12, 1, 1, 1)});
        QCOMPARE(odd.found(), (Lines{"Place ranks sorted: cluster.placement=sorted;",
                                     "Place ranks on a list of 5 hosts, NVLink domain by NVLink domain: "
                                     "cluster.placement=i-0, i-1, i-2, i-3, i-4;",
                                     "Leave out gpu-5, place ranks sorted: cluster.excluded_hosts=i-5; "
                                     "cluster.placement=sorted;"}));
    }

    /// Only kinds that straddle are to be kept inside: the data group of 24 GPUs, 6 hosts, if it does.
    void kindsThatStraddle() {
        Rig rig({8, 8}, 8, 3);
        PlacedGroupFacts& data = rig.scenario.placement->groups.emplace_back();
        data.group = "dp";
        const Lines pairs{"Place ranks sorted: cluster.placement=sorted;",
                          "Place ranks on a list of 6 hosts, NVLink domain by NVLink domain: "
                          "cluster.placement=i-0, i-1, i-2, i-3, i-4, i-5;"};
        QCOMPARE(rig.found(), pairs);
        data.straddling = 1;
        Lines all = pairs;
        all.push_back("Leave out gpu-6 and gpu-7, place ranks sorted: cluster.excluded_hosts=i-6, i-7; "
                      "cluster.placement=sorted;");
        QCOMPARE(rig.found(), all);
    }

    void nothingToMove() {
        QVERIFY(Rig({3, 3}, 4, 6).found().empty());  // a host each
        QVERIFY(Rig({3, 3}, 16, 1).found().empty()); // four hosts, in none of the domains
        QCOMPARE(Rig({4, 3}, 16, 1).found().size(), std::size_t{2});
        Rig rig({3, 3, 3}, 8, 3);
        QVERIFY(straddlesDomains(rig.scenario));
        rig.scenario.placement->groups.front().group = "pp"; // of one rank
        QVERIFY(rig.found().empty());
        rig.scenario.placement->groups.front().group = "tp";
        rig.map.placement.gpuOfRank.clear(); // no placement
        QVERIFY(rig.found().empty());
        Rig whole({3, 3, 3}, 8, 3);
        whole.scenario.placement->groups.front().straddling = 0;
        QVERIFY(!straddlesDomains(whole.scenario) && whole.found().empty());
        whole.scenario.placement->groups.emplace_back().straddling = 2;
        QVERIFY(straddlesDomains(whole.scenario));
        whole.scenario.placement.reset();
        QVERIFY(!straddlesDomains(whole.scenario) && whole.found().empty());
    }
};

QTEST_GUILESS_MAIN(TestPlacementsInDomains)

} // namespace tst_placements_in_domains

#include "tst_placements_in_domains.moc"
