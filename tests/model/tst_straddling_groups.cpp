// SPDX-License-Identifier: GPL-3.0-or-later
// Groups that spread over NVLink domains though one could hold them: what an estimate says of them, and the
// placement that it offers. The hosts have 4 GPUs of which two make a tensor group of 8.
#include "model/engine/engine.h"
#include "model/engine/placement_changes.h"
#include "model/engine/straddling_groups.h"
#include "model/units/format.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <memory>

namespace tst_straddling_groups {

using namespace alidade;
using namespace alidade::test;

namespace {

/// Hosts "i-0", "i-1", ... below one leaf, in NVLink domains of some numbers of hosts.
/// \param network bytes/s of a host: what leaves a domain takes the longer, the less this is
Catalog withRacks(const std::vector<int>& domains, double network = 10e9) {
    Topology racks;
    racks.name = "racks";
    racks.nodes = {{"leaf", 0, -1}};
    for (std::size_t domain = 0; domain < domains.size(); ++domain) {
        for (int i = 0; i < domains[domain]; ++i) {
            Host host;
            host.id = "i-" + std::to_string(racks.hosts.size());
            host.name = "gpu-" + std::to_string(racks.hosts.size());
            host.instanceType = "b4";
            host.domain = "domain " + std::to_string(domain);
            host.leaf = 0;
            racks.hosts.push_back(std::move(host));
        }
    }
    Catalog out = resolvingCatalog();
    out.topologies = {racks};
    out.instances[3].efaPerDirection = BytesPerSecond::si(network); // "b4"
    return out;
}

constexpr const char* onRacks = "cluster.instance=b4; cluster.topology=racks; plan.tensor_parallel=8; "
                                "workload.global_batch=24; cluster.purchase=custom; "
                                "cluster.dollars_per_instance_hour=10";

ScenarioSpec training(const char* edit) {
    return edited(edited(smallTraining(), editOf(onRacks)), editOf(edit));
}

Estimate run(const ScenarioSpec& spec, const Catalog& catalog, bool fixes = true) {
    auto out = estimate(spec, catalog, catalog.defaultProfile, {.fixes = fixes});
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

/// The warning of an estimate about its placement; empty: there is none.
Problem warningOf(const Estimate& estimate) {
    for (const Problem& each : estimate.problems)
        if (each.place == "/cluster/placement")
            return each;
    return {};
}

QByteArray messageOf(const Estimate& estimate) {
    return QByteArray::fromStdString(warningOf(estimate).message);
}

std::string seconds(double value) { return formatQuantity(value, Dimension::seconds); }

PlacedGroupFacts group(const char* word, std::int64_t straddling, std::int64_t of) {
    PlacedGroupFacts out;
    out.group = word;
    out.straddling = straddling;
    out.groups = of;
    return out;
}

/// What is said of some groups, without a remedy.
QByteArray said(const std::vector<PlacedGroupFacts>& groups, WorkloadKind kind = WorkloadKind::training,
                bool runs = true) {
    const auto scenario = std::make_unique<Scenario>();
    scenario->spec.workload.kind = kind;
    scenario->placement.emplace();
    scenario->placement->groups = groups;
    Estimate out;
    out.runs = runs;
    reportStraddling(*scenario, scenario->spec, sharedCatalog(), sharedCatalog().defaultProfile, false, out);
    QByteArray text;
    for (const Problem& each : out.problems) {
        if (each.severity != Severity::warning || each.place != "/cluster/placement" || each.fix)
            return "not a plain warning";
        text += QByteArray::fromStdString(each.message);
    }
    return text;
}

} // namespace

class TestStraddlingGroups : public QObject {
    Q_OBJECT

private slots:
    void whichGroups() {
        const QByteArray exchange = " straddle NVLink domains: they exchange over the network, and ";
        const QByteArray waits = exchange + "every step waits for them";
        QCOMPARE(said({}), QByteArray());
        QCOMPARE(said({group("tp", 0, 4)}), QByteArray());
        QCOMPARE(said({group("tp", 2, 36)}), "2 of the 36 tensor groups" + waits);
        QCOMPARE(said({group("tp", 2, 36)}, WorkloadKind::training, false),
                 QByteArray()); // it does not run anyway
        QCOMPARE(said({group("cp", 1, 1)}), "1 of the 1 context group" + waits);
        QCOMPARE(said({group("tp", 2, 36), group("dp", 0, 9), group("ep", 1, 4)}),
                 "2 of the 36 tensor groups and 1 of the 4 expert groups" + waits);
        QCOMPARE(said({group("tp", 1, 2), group("dp-shard", 1200, 3000), group("etp", 3, 8)}),
                 "1 of the 2 tensor groups, 1,200 of the 3,000 sharding groups and 3 of the 8 expert tensor "
                 "groups" +
                     waits);
        QCOMPARE(said({group("new", 1, 2)}), "1 of the 2 new groups" + waits); // a word without a label
        QCOMPARE(said({group("tp", 1, 2)}, WorkloadKind::serving),
                 "1 of the 2 tensor groups" + exchange + "their engines are slower");
    }

    /// Pairs of hosts 0-1, 2-3, 4-5 and 6-7 in domains 0-2, 3-5 and 6-7: one of them straddles. Without hosts
    /// 2 and 5 three pairs are left, and three replicas of the four.
    void trainingIsOfferedFewerReplicas() {
        const Catalog catalog = withRacks({3, 3, 2});
        const ScenarioSpec spec = training("cluster.instances=8");
        const Estimate now = run(spec, catalog);
        QVERIFY(now.runs && now.fits);
        const auto best = improvePlacement(spec, catalog, catalog.defaultProfile);
        QVERIFY(best);
        QVERIFY(best->stepTime < now.training->stepTime);
        QCOMPARE(best->stepTime - best->stepTimeDifference, now.training->stepTime);
        const Problem warning = warningOf(now);
        QCOMPARE(warning.message,
                 "1 of the 4 tensor groups straddle NVLink domains: they exchange over the network, and "
                 "every step waits for them. A step takes " +
                     seconds(now.training->stepTime) + "; " + seconds(best->stepTime) +
                     " with the remedy, which leaves 2 more of 8 hosts idle");
        QVERIFY(warning.severity == Severity::warning && warning.fix);
        QVERIFY(
            (warning.fix->set == Edit{{"cluster.excluded_hosts", "i-2, i-5"}, {"plan.data_parallel", "3"}}));
        const Estimate plain = run(spec, catalog, false);
        QCOMPARE(messageOf(plain),
                 QByteArray("1 of the 4 tensor groups straddle NVLink domains: they exchange over the "
                            "network, and every step waits for them"));
        QVERIFY(!warningOf(plain).fix);
    }

    /// Three pairs need no replica less: hosts 6 and 7 take the place of 2 and 5. As many hosts are at work.
    void sparesTakeTheirPlace() {
        const Catalog catalog = withRacks({3, 3, 2});
        const ScenarioSpec spec = training("cluster.instances=6");
        const Estimate now = run(spec, catalog);
        const Problem warning = warningOf(now);
        QVERIFY(warning.fix);
        QVERIFY((warning.fix->set == Edit{{"cluster.excluded_hosts", "i-2, i-5"}}));
        const Estimate then = run(edited(spec, warning.fix->set), catalog);
        QCOMPARE(warning.message,
                 "1 of the 3 tensor groups straddle NVLink domains: they exchange over the network, and "
                 "every step waits for them. A step takes " +
                     seconds(now.training->stepTime) + "; " + seconds(then.training->stepTime) +
                     " with the remedy");
        QVERIFY(then.training->stepTime < now.training->stepTime);
        QCOMPARE(messageOf(then), QByteArray());
    }

    /// Where the network is fast, a replica less costs more than the group that straddles.
    void whereNothingHelps() {
        const Catalog catalog = withRacks({3, 3, 2}, 200e9);
        const ScenarioSpec spec = training("cluster.instances=8");
        QVERIFY(!improvePlacement(spec, catalog, catalog.defaultProfile));
        const Estimate now = run(spec, catalog);
        QCOMPARE(messageOf(now),
                 QByteArray("1 of the 4 tensor groups straddle NVLink domains: they exchange over the "
                            "network, and every step waits for them. No other placement of this plan is "
                            "faster"));
        QVERIFY(!warningOf(now).fix);
        // Domains of one host could not hold a group, and of two each holds one.
        QCOMPARE(messageOf(run(training("cluster.instances=4"), withRacks({1, 1, 1, 1}))), QByteArray());
        QCOMPARE(messageOf(run(training("cluster.instances=4"), withRacks({2, 2}))), QByteArray());
    }

    /// Engines of a model with experts, which all GPUs of an engine hold between them.
    void servicesHaveSlowerEngines() {
        const Catalog catalog = withRacks({3, 3});
        const ScenarioSpec spec = edited(edited(smallServing(), editOf(onRacks)),
                                         editOf("cluster.instances=4; workload.model=experts"));
        const Estimate now = run(spec, catalog);
        const Problem warning = warningOf(now);
        QVERIFY(warning.fix);
        const Estimate then = run(edited(spec, warning.fix->set), catalog);
        QVERIFY(then.serving->stepTime < now.serving->stepTime);
        QCOMPARE(warning.message,
                 "1 of the 2 tensor groups and 1 of the 2 expert groups straddle NVLink domains: they "
                 "exchange over the network, and their engines are slower. A step takes " +
                     seconds(now.serving->stepTime) + "; " + seconds(then.serving->stepTime) +
                     " with the remedy");
        QCOMPARE(messageOf(then), QByteArray());
        // A dense model has no expert groups to place.
        const ScenarioSpec dense =
            edited(edited(smallServing(), editOf(onRacks)), editOf("cluster.instances=4"));
        QVERIFY(
            messageOf(run(dense, catalog)).startsWith("1 of the 2 tensor groups straddle NVLink domains"));
    }
};

QTEST_APPLESS_MAIN(TestStraddlingGroups)

} // namespace tst_straddling_groups

#include "tst_straddling_groups.moc"
