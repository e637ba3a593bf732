// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/catalog.h"
#include "model/estimate/cluster_map.h"
#include "model/estimate/estimate.h"
#include "model/estimate/figure_path.h"
#include "model/estimate/figures.h"
#include "model/estimate/scenario_origin.h"
#include "model/topology/topology.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tst_estimate_figures {

using namespace alidade;

/// Figures by their path, and the cluster of a scenario by its parts.
class TestEstimateFigures : public QObject {
    Q_OBJECT

private slots:
    /// Elements of an array are counted from 0, whatever else they consist of.
    void paths() {
        const auto estimate = std::make_unique<Estimate>();
        estimate->memory.emplace().parts = {{"Weights", 3}, {"KV cache", 5}};
        const auto weights = findFigure(*estimate, "memory.parts.0.bytes");
        const auto cache = findFigure(*estimate, "memory.parts.1.bytes");
        QVERIFY(weights && cache && weights->computed);
        QCOMPARE(weights->value, 3.0);
        QCOMPARE(cache->value, 5.0);
        QVERIFY(cache->dimension == Dimension::bytes);
        QVERIFY(!findFigure(*estimate, "memory.parts.2.bytes"));
        int found = 0;
        forEachFigure(*estimate, [&](const FigureT<double>& f) { found += f.value == 5.0 ? 1 : 0; });
        QCOMPARE(found, 1);
    }

    /// Elements are called by their name or kind; what has a name but is not an element keeps its path.
    void namesOfElements() {
        const auto estimate = std::make_unique<Estimate>();
        estimate->headline.emplace().name = "throughput";
        estimate->memory.emplace().parts = {{"Weights", 3}, {"KV cache", 5}};
        estimate->training.emplace().timeline = {{.kind = 'F'}, {.kind = 'W'}, {.kind = 'B'}};
        const auto path = [&](const char* written) { return *figurePath(*estimate, written); };
        QCOMPARE(path("memory.parts[kv cache].bytes"), std::string("memory.parts.1.bytes"));
        QCOMPARE(path("throughput.value"), std::string("throughput.value"));
        QCOMPARE(path("training.timeline[forward].start_s"), std::string("training.timeline.0.start_s"));
        QCOMPARE(path("training.timeline[backward].start_s"), std::string("training.timeline.2.start_s"));
        QCOMPARE(path("training.timeline[backward_weight].end_s"), std::string("training.timeline.1.end_s"));
    }

    /// The order of a cost: quantities and hours in thousandths, prices in billionths, amounts in cents.
    void orderOfACost() {
        const auto estimate = std::make_unique<Estimate>();
        Order& order = estimate->cost.emplace().order.emplace();
        order.lines = {
            {.text = "energy", .unit = "kWh", .quantity = 2500, .price = 120'000'000, .amount = 30},
            {.text = "tax", .unit = "%", .quantity = 19'000, .amount = 6}};
        order.months = {{.name = "2027-01", .paid = 36}};
        order.beforeTax = 30;
        order.total = 36;
        order.bookedHours = 1500;
        order.idleHours = 250;
        const auto value = [&](const char* path) {
            const auto found = findFigure(*estimate, path);
            return found ? found->value : -1;
        };
        QCOMPARE(value("cost.order.lines.0.quantity"), 2.5);
        QCOMPARE(value("cost.order.lines.0.dollars_per_unit"), 0.12);
        QCOMPARE(value("cost.order.lines.0.dollars"), 0.3);
        QCOMPARE(value("cost.order.lines.1.dollars_per_unit"), -1.0); // a part of other lines
        QCOMPARE(value("cost.order.before_tax_dollars"), 0.3);
        QCOMPARE(value("cost.order.total_dollars"), 0.36);
        QCOMPARE(value("cost.order.booked_hours"), 1.5);
        QCOMPARE(value("cost.order.idle_hours"), 0.25);
        QCOMPARE(value("cost.months.0.dollars"), 0.36);
    }

    /// A question of one sequence is not part of the document, but compares with others.
    void questionsOfOneSequence() {
        const auto estimate = std::make_unique<Estimate>();
        const auto told = [&] {
            int times = 0;
            forEachFigureOfQuestions(*estimate, [&](const FigureT<double>& f) {
                times += f.path == "serving.test_time.latency_s" ? 1 : 0;
            });
            return times;
        };
        const auto documented = [&] {
            bool out = false;
            forEachFigure(*estimate, [&](const FigureT<double>& f) {
                out = out || f.path == "serving.test_time.latency_s";
            });
            return out;
        };
        QCOMPARE(told(), 0);
        estimate->serving.emplace();
        QCOMPARE(told(), 0);
        estimate->serving->testTime.emplace().latency = 7;
        QCOMPARE(told(), 1);
        QVERIFY(!documented());
        QCOMPARE(findFigure(*estimate, "serving.test_time.latency_s")->value, 7.0);
        QCOMPARE(findFigure(*estimate, "serving.test_time.samples")->value, 1.0);
        estimate->serving->testTime->asked = true;
        QCOMPARE(told(), 1);
        QVERIFY(documented());
    }

    /// Where a number of the scenario comes from.
    void originOfAField() {
        ScenarioSpec written;
        written.plan.tensorParallel = 4;
        QCOMPARE(scenarioOrigin(written, "scenario.plan.tensor_parallel"),
                 std::string("written in the scenario"));
        QVERIFY(
            scenarioOrigin(written, "scenario.plan.pipeline_parallel").starts_with("filled in, default: "));
        written.plan.pipelineSplit = std::vector<std::int64_t>{1, 2};
        QCOMPARE(scenarioOrigin(written, "scenario.plan.pipeline_split.1"),
                 std::string("written in the scenario"));
        QVERIFY(scenarioOrigin(written, "memory.total_bytes").empty());
        QVERIFY(scenarioOrigin(written, "scenario.nothing").empty());
    }

    /// 20 hosts of 2 GPUs below two layers: the top, and leaves of 16 and 4 hosts.
    void clusterOfAMachine() {
        Scenario scenario = twentyHosts();
        const Catalog catalog;
        const ClusterMap map = clusterMap(scenario, catalog);
        QCOMPARE(map.nodeIds, (std::vector<std::string>{"node-1-1", "node-2-1", "node-2-2"}));
        QCOMPARE(map.hostIds.size(), std::size_t{20});
        QCOMPARE(map.domainIds.size(), std::size_t{20});
        QCOMPARE(map.domainIds[0], std::string("domain-1"));
        QCOMPARE(map.domainIds[19], std::string("domain-20"));
        QCOMPARE(map.source,
                 std::string("2 network layers as the catalog says; at most 16 instances below a leaf "
                             "and 16 nodes below a node are an assumption"));
        QVERIFY(std::ranges::count(map.excluded, true) == 0 && std::ranges::count(map.unfit, true) == 0);
        QVERIFY(map.zones.empty());
        // 2 x 3 ranks of 40 GPUs.
        QCOMPARE(map.pools.size(), std::size_t{1});
        QCOMPARE(map.placement.ranks(), 6);
        QCOMPARE(std::ranges::count(map.placement.rankOfGpu, -1), std::ptrdiff_t{34});
        scenario.legal = false; // who runs where is not known
        QVERIFY(clusterMap(scenario, catalog).pools.empty());
        scenario.legal = true;
        scenario.plan.dataParallel = 21; // 42 ranks do not fit
        const ClusterMap full = clusterMap(scenario, catalog);
        QVERIFY(full.pools.empty());
        QCOMPARE(std::ranges::count(full.placement.rankOfGpu, -1), std::ptrdiff_t{40});
        // An NVLink domain lies below one leaf: 40 hosts in domains of 20.
        scenario.hosts = 40;
        scenario.nvlinkDomain = 40;
        QVERIFY(clusterMap(scenario, catalog).source.find("at most 20 instances below a leaf") !=
                std::string::npos);
    }

    /// Pools of a service one after the other; one on other machines is not among these.
    void poolsOfAService() {
        Scenario scenario = twentyHosts();
        scenario.spec.workload.kind = WorkloadKind::serving;
        ServingPool pool;
        pool.plan.tensorParallel = 2;
        pool.plan.workers = 3;
        scenario.pools = {pool};
        const Catalog catalog;
        QCOMPARE(clusterMap(scenario, catalog).pools[0].name, std::string("engine"));
        pool.plan.phase = ServingPhase::decode;
        scenario.pools.push_back(pool);
        scenario.pools[0].plan.phase = ServingPhase::prefill;
        const ClusterMap two = clusterMap(scenario, catalog);
        QCOMPARE(two.pools.size(), std::size_t{2});
        QCOMPARE(two.pools[0].name, std::string("prefill"));
        QCOMPARE(two.pools[1].name, std::string("decode"));
        QCOMPARE(two.pools[1].firstRank, 6);
        QCOMPARE(two.placement.ranks(), 12);
        scenario.spec.plan.disaggregated.prefill.instance = "other";
        const ClusterMap decode = clusterMap(scenario, catalog);
        QCOMPARE(decode.pools.size(), std::size_t{1});
        QCOMPARE(decode.pools[0].name, std::string("decode"));
        QCOMPARE(decode.pools[0].pool, std::size_t{1});
        QCOMPARE(decode.pools[0].firstRank, 0);
    }

    /// Names of an imported topology.
    void importedCluster() {
        Topology t;
        t.name = "mine";
        t.nodes = {{"switch", 0, -1}};
        t.hosts = {{.id = "i-1", .name = "first", .zone = "a", .domain = "rack", .leaf = 0},
                   {.id = "i-2", .zone = "b", .leaf = 0}};
        Catalog catalog;
        catalog.topologies = {t};
        Scenario scenario = twentyHosts();
        scenario.plan.dataParallel = 2;
        scenario.spec.cluster.topology = "mine";
        const ClusterMap map = clusterMap(scenario, catalog);
        QCOMPARE(map.source, std::string("mine"));
        QCOMPARE(map.hostIds, (std::vector<std::string>{"i-1", "i-2"}));
        QCOMPARE(map.hostNames, (std::vector<std::string>{"first", "i-2"}));
        QCOMPARE(map.zones, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(map.nodeIds, (std::vector<std::string>{"switch"}));
        QCOMPARE(map.domainIds, (std::vector<std::string>{"rack", "domain-2"}));
        catalog.topologies[0].source = "a file";
        QCOMPARE(clusterMap(scenario, catalog).source, std::string("a file"));
    }

private:
    static Scenario twentyHosts() {
        Scenario out;
        out.hosts = 20;
        out.gpusPerNode = out.nvlinkDomain = 2;
        out.networkLayers = 2;
        out.plan.tensorParallel = 2;
        out.plan.dataParallel = 3;
        out.inputs[Input::shardRanks] = out.inputs[Input::expertShardRanks] = 1;
        return out;
    }
};

QTEST_APPLESS_MAIN(TestEstimateFigures)

} // namespace tst_estimate_figures

#include "tst_estimate_figures.moc"
