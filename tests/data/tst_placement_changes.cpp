// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/advice/edits.h"
#include "model/engine/placement_changes.h"
#include "sample_topology.h"

#include <QTest>

#include <algorithm>

namespace tst_placement_changes {

using namespace alidade;

/// What if a host goes, a spare comes in, a leaf is drained, ranks lie otherwise.
class PlacementChangesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto loaded = data::loadShippedCatalog().catalog;
        QVERIFY(loaded);
        catalog_ = *loaded;
        profile_ = catalog_.defaultProfile;
        const std::string id = "llama-3.1-70b-64xp5.48xlarge";
        sample_ = *data::readScenario(*data::shippedScenario(id), id);
    }
    void init() {
        catalog_.topologies = {
            sampleTopology({.instanceType = "p5.48xlarge", .hosts = 68, .hostsPerLeaf = 17})};
        imported_ = sample_;
        imported_.cluster.topology = "cluster.json";
    }

    void aHostIsRemoved() {
        for (const bool spares : {false, true}) {
            const ScenarioSpec& spec = spares ? imported_ : sample_;
            const ClusterMap map = mapOf(spec);
            const std::array<int, 1> host{5};
            const auto fix = removeHosts(spec, map, host, catalog_, profile_);
            QVERIFY2(fix, fix.error().c_str());
            const auto changed = applyEdit(spec, fix->set);
            QVERIFY(changed);
            const ClusterMap after = mapOf(*changed);
            QVERIFY(after.excluded[5]);
            QVERIFY(std::ranges::find(after.placement.hosts, 5) == after.placement.hosts.end());
            QVERIFY(after.placement.ranks() < map.placement.ranks()); // the plan shrinks
            const PricedChange price = priced(spec, *fix, catalog_, profile_);
            QVERIFY2(price.runs, price.reason.c_str());
            QVERIFY(price.stepTimeDifference > 0); // the same batch on fewer GPUs
            QVERIFY(*price.dollarsPerRunDifference > 0 || spares);
            // With spares a machine less is rented; without, it stays rented.
            QVERIFY(spares ? *price.dollarsPerHourDifference < 0 : *price.dollarsPerHourDifference == 0);
        }
    }

    /// The estimate itself offers a change after which the plan runs again.
    void theEstimateFollowsWithAFix() {
        ScenarioSpec spec = sample_;
        spec.cluster.excludedHosts = std::vector<std::string>{"host-6"};
        const auto e = estimate(spec, catalog_, profile_);
        QVERIFY(e && !e->runs);
        const auto found =
            std::ranges::find_if(e->problems, [](const Problem& p) { return p.fix.has_value(); });
        QVERIFY(found != e->problems.end());
        const auto mended = applyEdit(spec, found->fix->set);
        QVERIFY(mended && estimate(*mended, catalog_, profile_)->runs);
    }

    void aSpareComesIn() {
        const ClusterMap map = mapOf(imported_);
        const auto fix = swapInSpare(imported_, map, 5);
        QVERIFY2(fix, fix.error().c_str());
        const auto changed = applyEdit(imported_, fix->set);
        const ClusterMap after = mapOf(*changed);
        QCOMPARE(after.placement.ranks(), map.placement.ranks());
        QVERIFY(std::ranges::find(after.placement.hosts, 5) == after.placement.hosts.end());
        QVERIFY(priced(imported_, *fix, catalog_, profile_).runs);
        // Of a host list the entry alone changes, for the nearest idle host.
        ScenarioSpec listed = imported_;
        listed.cluster.placement.emplace();
        for (const int host : map.placement.hosts)
            listed.cluster.placement->push_back(map.hostIds[static_cast<std::size_t>(host + 2)]);
        const ClusterMap before = mapOf(listed);
        const auto swapped = swapInSpare(listed, before, 2);
        QVERIFY2(swapped, swapped.error().c_str());
        const ClusterMap then = mapOf(*applyEdit(listed, swapped->set));
        QVERIFY(then.placement.hosts.front() == 0 || then.placement.hosts.front() == 1); // both in its leaf
        QVERIFY(std::equal(then.placement.hosts.begin() + 1, then.placement.hosts.end(),
                           before.placement.hosts.begin() + 1));
        const auto none = swapInSpare(sample_, mapOf(sample_), 5);
        QVERIFY(!none);
        QVERIFY(none.error().find("no spare") != std::string::npos);
        QVERIFY(!swapInSpare(imported_, map, 66)); // idle itself
    }

    void aLeafIsDrained() {
        const ClusterMap map = mapOf(imported_);
        const int leaf = map.fabric.leafOf(20);
        const auto fix = drainNode(imported_, map, leaf, catalog_, profile_);
        QVERIFY2(fix, fix.error().c_str());
        const ClusterMap after = mapOf(*applyEdit(imported_, fix->set));
        QVERIFY(after.placement.ranks() > 0);
        for (const int host : after.placement.hosts)
            QVERIFY(after.fabric.leafOf(host) != leaf);
        const auto all = drainNode(imported_, map, 0, catalog_, profile_);
        QVERIFY(!all);
        QVERIFY(all.error().find("every host") != std::string::npos);
    }

    void placementImproves() {
        ScenarioSpec spec = imported_;
        spec.cluster.oversubscription = 4;
        spec.cluster.placement.emplace();
        for (int i = 0; i < 64; ++i)
            spec.cluster.placement->push_back("i-" + std::to_string(i * 29 % 64));
        const auto better = improvePlacement(spec, catalog_, profile_);
        QVERIFY(better);
        QVERIFY(better->stepTimeDifference < 0);
        const auto changed = applyEdit(spec, better->change.set);
        QVERIFY(changed->cluster.placement->size() == 1); // packed or sorted
        QVERIFY(!improvePlacement(*changed, catalog_, profile_) ||
                improvePlacement(*changed, catalog_, profile_)->stepTime < better->stepTime);
    }

private:
    ClusterMap mapOf(const ScenarioSpec& spec) const {
        const auto scenario = resolve(spec, catalog_, profile_);
        return scenario ? clusterMap(*scenario, catalog_) : ClusterMap{};
    }

    Catalog catalog_;
    Profile profile_;
    ScenarioSpec sample_, imported_;
};

QTEST_GUILESS_MAIN(PlacementChangesTest)

} // namespace tst_placement_changes

#include "tst_placement_changes.moc"
