// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/advice/domain_placements.h"
#include "model/advice/edits.h"
#include "model/engine/placement_changes.h"
#include "tests/topology_check.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

namespace tst_domain_placements {

using namespace alidade;

/// UltraServers of unequal sizes: groups that straddle two are warned of, and a placement that leaves hosts
/// out where that pays is offered.
class DomainPlacementsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto loaded = data::loadShippedCatalog().catalog;
        QVERIFY(loaded);
        catalog_ = *loaded;
        // Tensor groups of 8 on 2 hosts of 4 GPUs, 4 stages, so that a replica has 8 hosts.
        sample_ = *data::readScenario(*data::shippedScenario(id), id);
        sample_.cluster.topology = "cluster.json";
        sample_.cluster.ultraservers = 5;
    }
    void init() {
        catalog_.topologies.clear();
        add({18, 17, 16, 15, 6});
    }

    /// Hosts 0-17, 18-34, 35-50, 51-65 and 66-71: pairs (34, 35) and (50, 51) lie in two domains.
    void groupsThatStraddleAreWarnedOf() {
        const Estimate now = run(sample_);
        QCOMPARE(tensor(now).groups, 36);
        QCOMPARE(tensor(now).straddling, 2);
        QCOMPARE(tensor(now).ranksPerNvlinkDomain, 4);
        const Problem* warning = warningOf(now);
        QVERIFY(warning);
        const std::string& said = warning->message;
        QVERIFY2(said.starts_with("2 of the 36 tensor groups straddle NVLink domains"), said.c_str());
        QVERIFY2(said.find("leaves 8 more of 72 hosts idle") != std::string::npos, said.c_str());
        QVERIFY(warning->fix);
        // Without fixes, the groups are counted and no other placement is looked for.
        const auto plain = estimate(sample_, catalog_, catalog_.defaultProfile, {.fixes = false});
        QVERIFY(plain && warningOf(*plain) && !warningOf(*plain)->fix);
        // Whole racks have none.
        catalog_.topologies.clear();
        add({18, 18, 18, 18});
        QVERIFY(!warningOf(run(sample_)));
        QCOMPARE(tensor(run(sample_)).straddling, 0);
    }

    /// 35 pairs lie in one domain: 8 replicas of 4 pairs. Without host 34 the first 64 hosts are whole pairs.
    void leavingHostsOutPays() {
        const Estimate now = run(sample_);
        const auto best = improvePlacement(sample_, catalog_, catalog_.defaultProfile);
        QVERIFY(best);
        QCOMPARE(best->change.set, (Edit{{"cluster.excluded_hosts", "i-34"}, {"plan.data_parallel", "8"}}));
        QCOMPARE(best->change.set, warningOf(now)->fix->set);
        QCOMPARE(best->change.text, std::string("Leave out gpu-34, with 8 instead of 9 replicas"));
        QCOMPARE(best->hostsInUse, 64);
        QCOMPARE(best->hostsInUseDifference, -8);
        const Estimate then = run(*applyEdit(sample_, best->change.set));
        QVERIFY(then.runs && then.fits);
        QCOMPARE(then.topology->hostsInUse, 64);
        QCOMPARE(tensor(then).straddling, 0);
        QCOMPARE(tensor(then).ranksPerNvlinkDomain, 8);
        QVERIFY(!warningOf(then));
        QCOMPARE(then.training->stepTime, best->stepTime);
        QVERIFY(then.training->stepTime < 0.8 * now.training->stepTime);
        QVERIFY(then.training->tokensPerSecond > now.training->tokensPerSecond);
        QVERIFY(*then.training->runTime < *now.training->runTime);
        // It costs what nine replicas would on their own hosts: 9 / 8 of the step on whole racks.
        catalog_.topologies.clear();
        add({18, 18, 18, 18});
        const double whole = run(sample_).training->stepTime;
        QVERIFY(std::abs(then.training->stepTime / whole - 9.0 / 8) < 0.02);
    }

    /// A job that does not need all hosts keeps its replicas: the hosts to leave out are chosen.
    void hostsToLeaveOutAreChosen() {
        ScenarioSpec spec = sample_;
        spec.cluster.ultraserver.reset();
        spec.cluster.ultraservers.reset();
        spec.cluster.instance = "p6e-gb200.36xlarge";
        spec.cluster.instances = 64;
        const Estimate now = run(spec);
        QCOMPARE(tensor(now).straddling, 2);
        const auto best = improvePlacement(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(best);
        QCOMPARE(best->change.set, (Edit{{"cluster.excluded_hosts", "i-34"}}));
        QCOMPARE(best->hostsInUseDifference, 0);
        const Estimate then = run(*applyEdit(spec, best->change.set));
        QCOMPARE(tensor(then).straddling, 0);
        QCOMPARE(then.gpus, now.gpus);
        QCOMPARE(then.topology->spareHosts, 7);
        QVERIFY(then.training->stepTime < 0.8 * now.training->stepTime);
        // What is excluded already stays so; hosts 2 to 65 would end with a pair of 65 and 66.
        spec.cluster.excludedHosts = std::vector<std::string>{"i-0", "i-1"};
        const auto again = improvePlacement(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(again);
        QCOMPARE(again->change.set.front().second, std::string("i-0, i-1, i-34, i-65"));
    }

    /// Domains of 14 and 18 hosts below two leaves each, odd numbers of each: neither order, hosts 9, 7, 5
    /// and 11 nor 11, 9, 7 and 5, keeps pairs together.
    void domainsOverSeveralLeavesNeedAList() {
        catalog_.topologies.clear();
        add({9, 7, 5, 11}, {"a", "b", "a", "b"});
        ScenarioSpec spec = sample_;
        spec.cluster.ultraservers = 2;
        const Estimate now = run(spec);
        QCOMPARE(tensor(now).groups, 16);
        QCOMPARE(tensor(now).straddling, 2);
        const auto best = improvePlacement(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(best);
        QCOMPARE(best->hostsInUseDifference, 0);
        const auto changed = applyEdit(spec, best->change.set);
        QCOMPARE(changed->cluster.placement->size(), std::size_t{32});
        QCOMPARE(tensor(run(*changed)).straddling, 0);
    }

    /// A job that gains nothing is told so, and is not made smaller.
    void fewerReplicasMustPay() {
        // One pair of 36 straddles; of 8 replicas each takes an eighth more.
        ScenarioSpec spec = sample_;
        spec.plan.tensorParallel = 4; // one host: nothing straddles
        spec.plan.pipelineParallel = 8;
        spec.plan.virtualPipeline = 1;
        const Estimate now = run(spec);
        QVERIFY(now.topology);
        QVERIFY(!warningOf(now));
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(scenario && !straddlesDomains(*scenario));
        QVERIFY(placementsInDomains(spec, *scenario, clusterMap(*scenario, catalog_)).empty());
        const auto best = improvePlacement(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(!best || best->hostsInUseDifference == 0);
    }

    /// A batch that smaller numbers of replicas do not divide leaves none to offer.
    void theBatchDecidesHowMany() {
        ScenarioSpec spec = sample_;
        spec.workload.globalBatch = 9 * 121; // 1089 = 9 x 11 x 11: 3 and 1 replicas remain
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(scenario && straddlesDomains(*scenario));
        for (const Fix& fix : placementsInDomains(spec, *scenario, clusterMap(*scenario, catalog_))) {
            const auto found =
                std::ranges::find(fix.set, "plan.data_parallel", [](const auto& each) { return each.first; });
            QVERIFY(found != fix.set.end());
            QVERIFY2(found->second == "3" || found->second == "1", found->second.c_str());
        }
        const auto best = improvePlacement(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(!best || best->hostsInUseDifference == 0); // three replicas take three times as long
        QVERIFY(warningOf(run(spec))->message.find("No other placement of this plan is faster") !=
                std::string::npos);
    }

    /// The batch is one of micro-batches: of 360 sequences in pairs, 6, 5 and 4 replicas are the largest
    /// numbers below 9 that have equal parts of the 180. Eight would have equal parts of the 360 alone.
    void theBatchIsDividedIntoMicroBatches() {
        ScenarioSpec spec = sample_;
        spec.workload.globalBatch = 360;
        spec.plan.microBatch = 2;
        const auto scenario = resolve(spec, catalog_, catalog_.defaultProfile);
        QVERIFY(scenario && straddlesDomains(*scenario));
        std::set<std::string> counts;
        for (const Fix& fix : placementsInDomains(spec, *scenario, clusterMap(*scenario, catalog_)))
            for (const auto& [path, text] : fix.set)
                if (path == "plan.data_parallel")
                    counts.insert(text);
        QCOMPARE(counts, (std::set<std::string>{"4", "5", "6"}));
    }

    /// An engine that lies in two racks is warned of too, and moved where there are hosts to spare.
    void enginesStraddle() {
        catalog_.topologies.clear();
        add({9, 11});
        ScenarioSpec spec = *data::readScenario(*data::shippedScenario(service), service);
        spec.plan.disaggregated = {};
        spec.plan.tensorParallel = 1;
        spec.plan.attentionDataParallel = 32;
        spec.plan.expertParallel = 32;
        spec.plan.dataParallel = 2;
        spec.cluster.ultraserver.reset();
        spec.cluster.ultraservers.reset();
        spec.cluster.gpus.reset();
        spec.cluster.instance = "p6e-gb200.36xlarge";
        spec.cluster.instances = 16;
        spec.cluster.topology = "cluster.json";
        spec.workload.requestRatePerS = 2;
        // Engines of 8 hosts: the second has host 8 in the first rack.
        const Estimate now = run(spec);
        QVERIFY(now.serving);
        const Problem* warning = warningOf(now);
        QVERIFY(warning);
        QVERIFY2(warning->message.starts_with("1 of the 2 expert groups straddle"), warning->message.c_str());
        QVERIFY(warning->fix);
        const Estimate then = run(*applyEdit(spec, warning->fix->set));
        QVERIFY(!warningOf(then));
        QVERIFY(then.serving->stepTime < now.serving->stepTime);
        QCOMPARE(then.gpus, now.gpus);
    }

private:
    static constexpr const char* id = "llama-3.1-405b-4xu-p6e-gb200x72";
    static constexpr const char* service = "serve-deepseek-r1-1xu-p6e-gb200x72";

    /// One leaf for each size, and a domain for each unless they have names.
    void add(const std::vector<int>& sizes, const std::vector<std::string>& domains = {}) {
        Topology out;
        out.name = "cluster.json";
        out.source = "test";
        out.nodes = {{"top", 0, -1}, {"middle", 1, 0}};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            out.nodes.push_back({"leaf-" + std::to_string(i), 2, 1});
            for (int n = 0; n < sizes[i]; ++n) {
                const std::string number = std::to_string(out.hosts.size());
                out.hosts.push_back({.id = "i-" + number,
                                     .name = "gpu-" + number,
                                     .instanceType = "p6e-gb200.36xlarge",
                                     .domain = domains.empty() ? "rack-" + std::to_string(i) : domains[i],
                                     .leaf = static_cast<int>(i) + 2});
            }
        }
        QCOMPARE(checkTopology(out), std::string());
        catalog_.topologies.push_back(std::move(out));
    }
    Estimate run(const ScenarioSpec& spec) const {
        const auto e = estimate(spec, catalog_, catalog_.defaultProfile);
        if (!e)
            qFatal("%s", e.error().c_str());
        return *e;
    }
    static const Problem* warningOf(const Estimate& e) {
        const auto found = std::ranges::find_if(e.problems, [](const Problem& p) {
            return p.place == "/cluster/placement" && p.severity == Severity::warning;
        });
        return found == e.problems.end() ? nullptr : &*found;
    }
    static PlacedGroupFacts tensor(const Estimate& e) {
        for (const PlacedGroupFacts& each : e.topology->groups)
            if (each.group == "tp")
                return each;
        return {};
    }

    Catalog catalog_;
    ScenarioSpec sample_;
};

QTEST_GUILESS_MAIN(DomainPlacementsTest)

} // namespace tst_domain_placements

#include "tst_domain_placements.moc"
