// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/estimate/cluster_map.h"
#include "model/scenario/fields.h"
#include "sample_topology.h"
#include "tests/sent_bytes.h"
#include "tests/topology_check.h"

#include <QTest>

#include <cmath>
#include <numeric>
#include <random>

namespace tst_placed_scenarios {

using namespace alidade;

/// Scenarios whose ranks are placed on a fabric: imported, by a host list, with hosts left out.
class PlacedScenariosTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto loaded = data::loadShippedCatalog().catalog;
        QVERIFY(loaded);
        catalog_ = *loaded;
    }
    void init() { catalog_.topologies.clear(); }

    /// On the machine's own fabric a placement that is written out costs what the default costs.
    void sortedHostsOfTheOwnFabricCostTheSame_data() {
        QTest::addColumn<QString>("sample");
        for (const char* id : {"llama-3.1-70b-64xp5.48xlarge", "deepseek-v3-256xp5en.48xlarge",
                               "llama-3.1-405b-4xu-p6e-gb200x72", "qwen3-235b-a22b-32xp6-b300.48xlarge",
                               "mixtral-8x22b-16xp5.48xlarge", "deepseek-v3-8xu-p6e-gb200x72"}) {
            QTest::newRow(id) << id;
        }
    }
    void sortedHostsOfTheOwnFabricCostTheSame() {
        QFETCH(QString, sample);
        const ScenarioSpec spec = shipped(sample.toStdString());
        const Estimate usual = run(spec), sorted = run(with(spec, "cluster.placement", "sorted"));
        QVERIFY(!usual.topology && sorted.topology);
        QCOMPARE(sorted.training->stepTime, usual.training->stepTime);
        const Estimate open = run(with(spec, "cluster.oversubscription", "1"));
        QVERIFY(!open.topology);
        QCOMPARE(open.training->stepTime, usual.training->stepTime);
    }

    /// Neither does a real cluster of the same form, with its own names.
    void anImportOfTheSameFormCostsTheSame() {
        const ScenarioSpec spec = sample();
        add({.instanceType = "p5.48xlarge", .hosts = 64, .leavesPerNode = 16});
        const Estimate imported = run(with(spec, "cluster.topology", "cluster.json"));
        QCOMPARE(imported.training->stepTime, run(spec).training->stepTime);
        QCOMPARE(imported.topology->networkLayers, 3);
        QCOMPARE(imported.topology->leavesInUse, 4);
        QCOMPARE(imported.topology->spareHosts, 0);
        QVERIFY(!imported.topology->groups.empty());
        // HyperPod writes types with a prefix.
        for (Host& host : catalog_.topologies.front().hosts)
            host.instanceType = "ml.p5.48xlarge";
        QCOMPARE(run(with(spec, "cluster.topology", "cluster.json")).training->stepTime,
                 imported.training->stepTime);
    }

    void dataFastestCostsMoreThanTensorFastest() {
        add({.instanceType = "p5.48xlarge", .hosts = 64});
        for (const char* topology : {"", "cluster.json"}) {
            const ScenarioSpec spec = with(sample(), "cluster.topology", topology);
            const Estimate tensor = run(spec), data = run(with(spec, "cluster.rank_order", "dp-tp-cp-ep-pp"));
            QVERIFY(data.training->stepTime > 1.5 * tensor.training->stepTime);
        }
        const Estimate data = run(
            with(with(sample(), "cluster.topology", "cluster.json"), "cluster.rank_order", "dp-tp-cp-ep-pp"));
        QCOMPARE(group(data, "tp").nvlinkDomains, 4); // every tensor group lies on four hosts
        QCOMPARE(group(data, "tp").ranksPerNvlinkDomain, 1);
    }

    void aGroupOverTwoLeavesCostsMore() {
        // Four replicas on four hosts: below one leaf, or two and two below leaves of different spines.
        ScenarioSpec spec = with(sample(), "cluster.instances", "4");
        spec = with(with(spec, "plan.pipeline_parallel", "1"), "plan.virtual_pipeline", "");
        spec = with(spec, "plan.tensor_parallel", "8");
        spec = with(spec, "plan.sharding", "fsdp2");
        add({.instanceType = "p5.48xlarge", .hosts = 32, .leavesPerNode = 1});
        spec = with(spec, "cluster.topology", "cluster.json");
        const Estimate one = run(with(spec, "cluster.placement", "i-0, i-1, i-2, i-3"));
        const Estimate two = run(with(spec, "cluster.placement", "i-0, i-16, i-1, i-17"));
        QCOMPARE(one.topology->leavesInUse, 1);
        QCOMPARE(two.topology->leavesInUse, 2);
        QVERIFY(std::abs(group(two, "dp").furtherSwitches - 4) < 1e-9); // five switches at each step, not one
        QVERIFY(two.training->stepTime > one.training->stepTime);
        const Estimate crowded = run(
            with(with(spec, "cluster.placement", "i-0, i-16, i-1, i-17"), "cluster.oversubscription", "32"));
        QVERIFY(group(crowded, "dp").crowding > 1);
        QVERIFY(crowded.training->stepTime > two.training->stepTime);
    }

    void aShuffledHostListCostsMore() {
        add({.instanceType = "p5.48xlarge", .hosts = 64, .hostsPerLeaf = 8});
        const ScenarioSpec spec = with(sample(), "cluster.topology", "cluster.json");
        const std::string shuffled = hostList(64, true), inOrder = hostList(64, false);
        const double own = run(spec).training->stepTime;
        const double listed = run(with(spec, "cluster.placement", inOrder)).training->stepTime;
        const double mixed = run(with(spec, "cluster.placement", shuffled)).training->stepTime;
        QCOMPARE(listed, own);
        QVERIFY(mixed > listed);
        const ScenarioSpec narrow = with(spec, "cluster.oversubscription", "4");
        const Estimate sorted = run(with(narrow, "cluster.placement", "sorted"));
        const Estimate crowded = run(with(narrow, "cluster.placement", shuffled));
        QVERIFY(group(crowded, "dp").crowding > 2);
        QVERIFY(crowded.training->stepTime > mixed);
        QVERIFY(crowded.training->stepTime > sorted.training->stepTime);
        // Sorting mends a cluster that is reported out of order.
        std::shuffle(catalog_.topologies.front().hosts.begin(), catalog_.topologies.front().hosts.end(),
                     std::mt19937(4));
        const double asReported = run(narrow).training->stepTime;
        const double mended = run(with(narrow, "cluster.placement", "sorted")).training->stepTime;
        QVERIFY(mended < asReported);
        QCOMPARE(mended, sorted.training->stepTime);
    }

    void fourLayersOfTheP6() {
        const ScenarioSpec spec = shipped("qwen3-235b-a22b-32xp6-b300.48xlarge");
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        const ClusterMap own = clusterMap(*scenario, catalog_);
        QCOMPARE(own.fabric.layers, 4);
        QVERIFY(own.fabric.assumed);
        add({.instanceType = "p6-b300.48xlarge",
             .hosts = 32,
             .hostsPerLeaf = 4,
             .leavesPerNode = 2,
             .layers = 4});
        // Two far ends of the tree: seven switches between leaves that share only the top.
        Topology& t = catalog_.topologies.front();
        const int top = static_cast<int>(t.nodes.size());
        t.nodes.push_back({"other-2", 1, 0});
        for (NetworkNode& node : t.nodes)
            if (node.layer == 2 && &node != &t.nodes[2])
                node.parent = top;
        QCOMPARE(checkTopology(t), std::string());
        const ScenarioSpec placed = with(spec, "cluster.topology", "cluster.json");
        const auto resolved = resolve(placed, catalog_, catalog_.defaultProfile);
        const ClusterMap map = clusterMap(*resolved, catalog_);
        QCOMPARE(map.fabric.layers, 4);
        QCOMPARE(map.fabric.switches(0, 31), 7);
        QCOMPARE(hopDistances(map.fabric, 0)[31 * 8], 7);
        QCOMPARE(hopDistances(map.fabric, 0)[7], 0);
        const double apart = run(with(placed, "cluster.placement", hostList(32, true))).training->stepTime;
        QVERIFY(apart > run(with(placed, "cluster.placement", "sorted")).training->stepTime);
    }

    void domainsOfUltraServers() {
        // Two racks as reported, one with 17 of its 18 instances; tensor x data groups of 16 fit neither
        // evenly.
        add({.instanceType = "p6e-gb200.36xlarge", .hosts = 35, .hostsPerLeaf = 18, .hostsPerDomain = 18});
        ScenarioSpec spec = shipped("llama-3.1-405b-4xu-p6e-gb200x72");
        spec = with(with(spec, "cluster.ultraservers", "2"), "cluster.topology", "cluster.json");
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(scenario);
        QCOMPARE(scenario->nvlinkDomain, 72);
        QVERIFY(said(scenario->problems, Severity::warning, "/cluster/ultraservers", "35 such hosts"));
        const ClusterMap map = clusterMap(*scenario, catalog_);
        QCOMPARE(map.fabric.domains, 2);
        QCOMPARE(map.fabric.gpus(), 140);
        // Instances by themselves know their domain from the topology too.
        ScenarioSpec bare = spec;
        bare.cluster.ultraserver.reset();
        bare.cluster.ultraservers.reset();
        bare.cluster.instance = "p6e-gb200.36xlarge";
        bare.cluster.instances = 35;
        const auto alone = resolve(bare, catalog_, catalog_.defaultProfile);
        QVERIFY(alone);
        QCOMPARE(alone->nvlinkDomain, 72);
        // Domains that are smaller than the catalog's: four hosts.
        catalog_.topologies.clear();
        add({.instanceType = "p6e-gb200.36xlarge", .hosts = 36, .hostsPerLeaf = 18, .hostsPerDomain = 4});
        QCOMPARE(resolve(spec, catalog_, catalog_.defaultProfile)->nvlinkDomain, 16);
    }

    void eightyGpusOnTwoRacks() {
        add({.instanceType = "p6e-gb200.36xlarge", .hosts = 36, .hostsPerLeaf = 18, .hostsPerDomain = 18});
        ScenarioSpec spec = shipped("deepseek-v3-8xu-p6e-gb200x72");
        spec = with(with(spec, "cluster.ultraservers", "2"), "cluster.gpus", "80");
        spec = with(with(spec, "plan.pipeline_parallel", "1"), "plan.expert_parallel", "16");
        spec = with(with(spec, "plan.virtual_pipeline", ""), "plan.schedule", "");
        spec.workload.globalBatch = 8000;
        const auto own = resolve(spec, catalog_, catalog_.defaultProfile);
        const auto placed =
            resolve(with(spec, "cluster.topology", "cluster.json"), catalog_, catalog_.defaultProfile);
        QVERIFY(own && placed && own->legal && placed->legal);
        QCOMPARE(own->plan.dataGroup.ranksPerNvlinkDomain, 40); // dealt 40 and 40
        QCOMPARE(placed->plan.dataGroup.ranksPerNvlinkDomain, 40);
        QCOMPARE(placed->plan.expertGroup.domains(), own->plan.expertGroup.domains());
        // By a list that fills the first rack only eight cards leave the second.
        std::string hosts = "i-0";
        for (int i = 1; i < 20; ++i)
            hosts += ", gpu-" + std::to_string(i);
        const auto filled =
            resolve(with(with(spec, "cluster.topology", "cluster.json"), "cluster.placement", hosts),
                    catalog_, catalog_.defaultProfile);
        QVERIFY(filled && filled->legal);
        QCOMPARE(filled->plan.dataGroup.ranksPerNvlinkDomain, 8);
        QCOMPARE(filled->plan.dataGroup.domains(), 2);
    }

    void aReplicaOverTwoDomainsAnswersLater() {
        add({.instanceType = "p6e-gb200.36xlarge", .hosts = 18, .hostsPerLeaf = 18, .hostsPerDomain = 9});
        ScenarioSpec spec = shipped("serve-deepseek-r1-1xu-p6e-gb200x72");
        const auto own = resolve(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(own && own->legal);
        spec.plan.disaggregated = {};
        spec.plan.tensorParallel = 1;
        spec.plan.attentionDataParallel = 32;
        spec.plan.expertParallel = 32;
        spec.plan.dataParallel = 2;
        spec.cluster.gpus.reset();
        spec.workload.requestRatePerS = 2;
        const Estimate whole = run(spec);
        QVERIFY(whole.serving);
        const Estimate halves = run(with(spec, "cluster.topology", "cluster.json"));
        QVERIFY(halves.serving);
        // 32 + 32 GPUs on domains of 36: the second engine has four GPUs in the first.
        QCOMPARE(group(halves, "ep").nvlinkDomains, 2);
        QCOMPARE(group(halves, "ep").ranksPerNvlinkDomain, 4);
        QVERIFY(halves.serving->stepTime > 1.05 * whole.serving->stepTime);
        QVERIFY(halves.serving->itl > whole.serving->itl);
    }

    void poolsStandBehindEachOther() {
        const ScenarioSpec spec =
            with(shipped("serve-deepseek-r1-24xp5en.48xlarge"), "cluster.placement", "sorted");
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(scenario && scenario->legal);
        const ClusterMap map = clusterMap(*scenario, catalog_);
        QCOMPARE(map.pools.size(), std::size_t{2});
        QCOMPARE(map.pools[1].firstRank, 64);
        QCOMPARE(map.placement.ranks(), 192);
        QCOMPARE(scenario->placement->hostsInUse, 24);
        QCOMPARE(map.groupOf(GroupKind::expert, 70).front(), 64);
        QCOMPARE(map.groupOf(GroupKind::expert, 70).size(), std::size_t{8});
        const Estimate e = run(spec);
        const LinkTraffic traffic = linkTraffic(map, e, *scenario);
        QVERIFY(!traffic.empty());
        // Engines of eight stay inside their host, those of sixteen do not.
        QCOMPARE(traffic.load({LinkKind::nic, 100}).bytes, 0.0);
        QVERIFY(traffic.load({LinkKind::nvlink, 100}).bytes > 0);
        QVERIFY(traffic.load({LinkKind::nic, 10}).bytes > 0);
    }

    void excludedHostsLeaveTheirPlaceToSpares() {
        add({.instanceType = "p5.48xlarge", .hosts = 66});
        const ScenarioSpec spec = with(sample(), "cluster.topology", "cluster.json");
        const Estimate all = run(spec), without = run(with(spec, "cluster.excluded_hosts", "i-3, gpu-40"));
        QCOMPARE(all.topology->spareHosts, 2);
        QCOMPARE(without.topology->spareHosts, 0);
        QCOMPARE(without.topology->excludedHosts, 2);
        QCOMPARE(without.gpus, all.gpus);
        const auto scenario =
            resolve(with(spec, "cluster.excluded_hosts", "i-3"), catalog_, catalog_.defaultProfile);
        const ClusterMap map = clusterMap(*scenario, catalog_);
        QVERIFY(map.excluded[3]);
        for (int gpu = 24; gpu < 32; ++gpu)
            QCOMPARE(map.placement.rankOfGpu[static_cast<std::size_t>(gpu)], -1);
    }

    void withoutSparesThereAreFewerGpus() {
        ScenarioSpec spec = with(sample(), "cluster.excluded_hosts", "host-7, host-9");
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(scenario);
        QCOMPARE(scenario->plan.dataParallel, 31); // 62 hosts, 16 GPUs a replica
        QVERIFY(said(scenario->problems, Severity::error, "/workload/global_batch", "is not divisible by"));
        spec = with(with(spec, "plan.data_parallel", "16"), "cluster.gpus", "");
        const Estimate e = run(spec);
        QVERIFY(e.runs);
        QCOMPARE(e.gpus, 256);
        QCOMPARE(e.cost->dollarsPerHour, run(sample()).cost->dollarsPerHour); // they stay rented
        // One host less does not divide by the plan.
        const Estimate odd = run(with(sample(), "cluster.excluded_hosts", "host-7"));
        QVERIFY(!odd.runs);
        QVERIFY(said(odd.problems, Severity::error, "/plan/tensor_parallel", "does not divide the 504 GPUs"));
    }

    void saysWhatIsWrongAndWhere() {
        add({.instanceType = "p5.48xlarge", .hosts = 16});
        const ScenarioSpec spec =
            with(with(sample(), "cluster.instances", "16"), "cluster.topology", "cluster.json");
        const auto problems = [&](const ScenarioSpec& s) {
            const auto scenario = resolve(s, catalog_, catalog_.defaultProfile);
            return scenario ? scenario->problems : std::vector<Problem>{};
        };
        const auto unknown =
            resolve(with(sample(), "cluster.topology", "clusters.json"), catalog_, catalog_.defaultProfile);
        QVERIFY(!unknown);
        QVERIFY(unknown.error().starts_with("/cluster/topology: "));
        QVERIFY(unknown.error().find("the nearest is 'cluster.json'") != std::string::npos);
        QVERIFY(said(problems(with(spec, "cluster.placement", "i-0, gpu_3")), Severity::error,
                     "/cluster/placement", "the nearest is 'gpu-3'"));
        QVERIFY(said(problems(with(spec, "cluster.placement", "i-0, gpu-0")), Severity::error,
                     "/cluster/placement", "listed twice"));
        QVERIFY(said(problems(with(spec, "cluster.excluded_hosts", "i-99")), Severity::error,
                     "/cluster/excluded_hosts", "no host 'i-99'"));
        QVERIFY(said(problems(with(sample(), "cluster.excluded_hosts", "host-65")), Severity::error,
                     "/cluster/excluded_hosts", "host-1 to host-64"));
        QVERIFY(said(problems(with(spec, "cluster.instances", "17")), Severity::error, "/cluster/instances",
                     "has 16 such hosts, not 17"));
        QVERIFY(said(problems(with(spec, "cluster.instance", "p5en.48xlarge")), Severity::error,
                     "/cluster/topology", "16 x p5.48xlarge"));
        // That is one error and not the first of many: the plan itself is judged by the machines it names.
        ScenarioSpec other = with(with(spec, "cluster.instance", "p5en.48xlarge"), "cluster.instances", "64");
        other = with(with(other, "cluster.placement", "i-0, i-1"), "cluster.excluded_hosts", "i-3");
        const std::vector<Problem> only = problems(other);
        QCOMPARE(std::ranges::count(only, Severity::error, &Problem::severity), 1);
        QVERIFY(said(only, Severity::error, "/cluster/topology", "16 x p5.48xlarge"));
        // A list that is too short for what the scenario asks for.
        QVERIFY(said(problems(with(with(spec, "cluster.placement", "i-0, i-1"), "cluster.gpus", "128")),
                     Severity::error, "/cluster/gpus", "has 16"));
        // Other machines of the cluster are left out, and it is said.
        catalog_.topologies.front().hosts[5].instanceType = "c7i.large";
        catalog_.topologies.front().hosts[6].gpus = 7;
        const ScenarioSpec fewer = with(spec, "cluster.instances", "8");
        QVERIFY(said(problems(fewer), Severity::warning, "/cluster/topology", "2 of the 16 hosts"));
        QVERIFY(said(problems(with(fewer, "cluster.placement", "i-5")), Severity::error, "/cluster/placement",
                     "not of this scenario's machine type"));
        const auto scenario = resolve(fewer, catalog_, catalog_.defaultProfile);
        const ClusterMap map = clusterMap(*scenario, catalog_);
        QVERIFY(map.unfit[5] && map.unfit[6] && !map.unfit[7]);
        QCOMPARE(map.placement.hosts, (std::vector<int>{0, 1, 2, 3, 4, 7, 8, 9}));
    }

    /// As many machines as the topology has, where the scenario does not say.
    void countsTheHostsOfATopology() {
        add({.instanceType = "p5.48xlarge", .hosts = 24});
        ScenarioSpec spec = sample();
        spec.cluster.instances.reset();
        spec.cluster.topology = "cluster.json";
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(scenario);
        QCOMPARE(scenario->spec.cluster.instances, std::optional<std::int64_t>(24));
        QCOMPARE(scenario->plan.dataParallel, 12);
    }

    /// The scenario that an estimate returns means the same again.
    void theFilledScenarioMeansTheSame() {
        add({.instanceType = "p5.48xlarge", .hosts = 66, .hostsPerLeaf = 5});
        ScenarioSpec spec = with(sample(), "cluster.topology", "cluster.json");
        spec = with(with(spec, "cluster.excluded_hosts", "i-3"), "cluster.oversubscription", "3");
        const Estimate first = run(spec);
        QVERIFY(first.runs);
        const Estimate again = run(first.scenario);
        QCOMPARE(again.training->stepTime, first.training->stepTime);
        QCOMPARE(again.topology->hostsInUse, first.topology->hostsInUse);
    }

    /// Bytes on links are those of the collectives of the estimate, each as often as it happens.
    void trafficIsThatOfTheEstimate_data() {
        QTest::addColumn<QString>("id");
        for (const char* id :
             {"llama-3.1-70b-64xp5.48xlarge", "deepseek-v3-256xp5en.48xlarge", "mixtral-8x22b-16xp5.48xlarge",
              "llama-3.1-8b-8xp5.48xlarge", "llama-3.1-405b-4xu-p6e-gb200x72"}) {
            QTest::newRow(id) << id;
        }
    }
    void trafficIsThatOfTheEstimate() {
        QFETCH(QString, id);
        const ScenarioSpec spec = shipped(id.toStdString());
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        const Estimate e = run(spec);
        const ClusterMap map = clusterMap(*scenario, catalog_);
        const LinkTraffic traffic = linkTraffic(map, e, *scenario);
        const TrainingPlan& plan = scenario->plan;
        // Tensor groups: every layer of the model is on one stage, whose GPUs run it for every micro-batch.
        double tensor = 0;
        for (std::size_t i = 0; i < e.training->layers.size(); ++i) {
            const Layer& layer = e.training->layers[i];
            for (const Communication& each : layer.communication) {
                const bool halved = plan.recompute.everyOther && each.phase == Phase::recompute;
                tensor +=
                    each.kind == GroupKind::tensor ? each.wireBytes * layer.count * (halved ? 0.5 : 1) : 0;
            }
        }
        const double perStage = e.gpus / static_cast<double>(plan.pipelineParallel);
        const double carried = traffic.totalBytes(LinkKind::nvlink, GroupKind::tensor) +
                               traffic.totalBytes(LinkKind::nic, GroupKind::tensor);
        const double wanted = tensor * perStage * e.training->microbatches;
        QVERIFY(std::abs(carried - wanted) <= 1e-9 * wanted);
        QVERIFY((plan.tensorParallel > 1) == (carried > 0));
        for (const GroupTraffic& each : groupTraffic(e, *scenario)) {
            const double sent = sentBytes(each, map.pools.front().layout);
            const double lies = traffic.totalBytes(LinkKind::nvlink, each.kind) +
                                traffic.totalBytes(LinkKind::nic, each.kind);
            QVERIFY2(std::abs(sent - lies) <= 1e-9 * sent, groupWord(each.kind).data());
            QVERIFY(each.seconds > 0 || sent == 0);
        }
        // No link is asked for more than it can carry.
        for (const LinkKind kind : {LinkKind::nvlink, LinkKind::nic, LinkKind::uplink, LinkKind::trunk})
            for (int i = 0; i < map.fabric.linkCount(kind); ++i)
                QVERIFY2(traffic.load({kind, i}).meanShare <= 1.0, qPrintable(QString::number(i)));
        const GroupKind replicas =
            plan.expertDataParallel > 1 && plan.expertParallel > 1 ? GroupKind::expertData : GroupKind::data;
        QVERIFY(traffic.totalBytes(LinkKind::nic, replicas) + traffic.totalBytes(LinkKind::nvlink, replicas) >
                0);
    }

    void gpusShowTheMemoryOfTheirStage() {
        const auto scenario = resolve(sample(), catalog_, catalog_.defaultProfile);
        const Estimate e = run(sample());
        const ClusterMap map = clusterMap(*scenario, catalog_);
        const std::vector<double> memory = memoryOfGpus(map, e);
        QCOMPARE(memory.size(), std::size_t{512});
        QCOMPARE(*std::ranges::max_element(memory), e.memory->totalBytes);
        QCOMPARE(memory.front(), e.memory->stages.front().totalBytes);
        QCOMPARE(memory.back(), e.memory->stages.back().totalBytes);
    }

    /// A scenario with an error has a cluster to look at, with no ranks on it.
    void illegalPlansLeaveTheClusterIdle() {
        const auto scenario =
            resolve(with(sample(), "plan.tensor_parallel", "7"), catalog_, catalog_.defaultProfile);
        QVERIFY(scenario && !scenario->legal);
        const ClusterMap map = clusterMap(*scenario, catalog_);
        QCOMPARE(map.fabric.hosts(), 64);
        QCOMPARE(map.hostIds.back(), std::string("host-64"));
        QCOMPARE(map.placement.ranks(), 0);
        QVERIFY(std::ranges::all_of(map.placement.rankOfGpu, [](int rank) { return rank == -1; }));
    }

private:
    static ScenarioSpec shipped(const std::string& id) {
        return *data::readScenario(*data::shippedScenario(id), id);
    }
    static ScenarioSpec sample() { return shipped("llama-3.1-70b-64xp5.48xlarge"); }
    void add(const SampleTopology& sample) {
        catalog_.topologies.push_back(sampleTopology(sample));
        QCOMPARE(checkTopology(catalog_.topologies.back()), std::string());
    }
    static ScenarioSpec with(const ScenarioSpec& spec, std::string_view path, const std::string& text) {
        const auto changed = withField(spec, path, text);
        if (!changed)
            qFatal("%s", changed.error().c_str());
        return *changed;
    }
    Estimate run(const ScenarioSpec& spec) const {
        const auto e = estimate(spec, catalog_, catalog_.defaultProfile);
        if (!e)
            qFatal("%s", e.error().c_str());
        return *e;
    }
    static PlacedGroupFacts group(const Estimate& e, std::string_view word) {
        for (const PlacedGroupFacts& each : e.topology->groups)
            if (each.group == word)
                return each;
        return {};
    }
    static std::string hostList(int hosts, bool shuffled) {
        std::vector<int> order(static_cast<std::size_t>(hosts));
        std::iota(order.begin(), order.end(), 0);
        if (shuffled)
            std::shuffle(order.begin(), order.end(), std::mt19937(1));
        std::string out;
        for (const int host : order)
            out += (out.empty() ? "i-" : ", i-") + std::to_string(host);
        return out;
    }
    static bool said(const std::vector<Problem>& problems, Severity severity, std::string_view place,
                     std::string_view part) {
        const bool found = std::ranges::any_of(problems, [&](const Problem& p) {
            return p.severity == severity && p.place == place && p.message.find(part) != std::string::npos;
        });
        for (const Problem& p : found ? std::vector<Problem>{} : problems)
            qWarning("%s: %s", p.place.c_str(), p.message.c_str());
        return found;
    }

    Catalog catalog_;
};

QTEST_GUILESS_MAIN(PlacedScenariosTest)

} // namespace tst_placed_scenarios

#include "tst_placed_scenarios.moc"
