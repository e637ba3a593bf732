// SPDX-License-Identifier: GPL-3.0-or-later
// What if hosts go, a spare comes in or a switch is drained, and what such changes bring: four hosts of 8
// GPUs below two leaves, on which the dense model of resolving_catalog.h trains or answers.
#include "model/engine/placement_changes.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>

namespace tst_placement_what_ifs {

using namespace alidade;
using namespace alidade::test;

namespace {

/// Hosts "i-1" to "i-4", called "n1" to "n4": two below each of "leaf-1" and "leaf-2", those below "spine";
/// and the leaf "bare" below it without hosts.
Catalog siteCatalog() {
    Topology site;
    site.name = "site";
    site.nodes = {{"spine", 0, -1}, {"leaf-1", 1, 0}, {"leaf-2", 1, 0}, {"bare", 1, 0}};
    for (int i = 1; i <= 4; ++i) {
        Host host;
        host.id = "i-" + std::to_string(i);
        host.name = "n" + std::to_string(i);
        host.instanceType = "h8";
        host.leaf = i <= 2 ? 1 : 2;
        site.hosts.push_back(std::move(host));
    }
    Catalog out = resolvingCatalog();
    out.topologies = {site};
    return out;
}

const Catalog& catalog() {
    static const Catalog out = siteCatalog();
    return out;
}

ScenarioSpec training(const char* edit) {
    return edited(edited(smallTraining(), editOf("cluster.topology=site")), editOf(edit));
}

ScenarioSpec serving(const char* edit) {
    return edited(edited(smallServing(), editOf("cluster.topology=site")), editOf(edit));
}

ClusterMap mapOf(const ScenarioSpec& spec) { return clusterMap(resolved(spec, catalog()), catalog()); }

/// "text: path=value; path=value", or "error: why not".
QByteArray told(const Result<Fix>& fix) {
    if (!fix)
        return "error: " + QByteArray::fromStdString(fix.error());
    QByteArray out = QByteArray::fromStdString(fix->text) + ":";
    for (const auto& [path, value] : fix->set)
        out += " " + QByteArray::fromStdString(path + "=" + value) + ";";
    return out;
}

std::vector<int> hostsOf(const QByteArray& text) {
    std::vector<int> out;
    for (const QByteArray& each : text.split(' '))
        out.push_back(each.toInt());
    return out;
}

Estimate run(const ScenarioSpec& spec) {
    auto out = estimate(spec, catalog(), catalog().defaultProfile, {.fixes = false});
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

PricedChange price(const ScenarioSpec& spec, const char* edit) {
    return priced(spec, {"a change", editOf(edit)}, catalog(), catalog().defaultProfile);
}

} // namespace

class TestPlacementWhatIfs : public QObject {
    Q_OBJECT

private slots:
    void removed_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<QByteArray>("hosts");
        QTest::addColumn<QByteArray>("removal");
        QTest::addColumn<QByteArray>("exclusion");
        const auto row = [](const char* edit, const char* hosts, const char* removal, const char* exclusion) {
            QTest::addRow("%s without %s", edit, hosts)
                << QByteArray(edit) << QByteArray(hosts) << QByteArray(removal) << QByteArray(exclusion);
        };
        // All hosts work. 16 of 32 sequences' replicas are left on three of them, the most that divide them.
        row("", "1", "Remove n2: cluster.excluded_hosts=i-2; plan.data_parallel=16;",
            "Exclude n2: cluster.excluded_hosts=i-2; plan.data_parallel=16;");
        row("cluster.gpus=32", "1",
            "Remove n2: cluster.excluded_hosts=i-2; plan.data_parallel=16; cluster.gpus=;",
            "Exclude n2: cluster.excluded_hosts=i-2; plan.data_parallel=16; cluster.gpus=;");
        row("", "0 3", "Remove 2 hosts: cluster.excluded_hosts=i-1, i-4;",
            "Exclude 2 hosts: cluster.excluded_hosts=i-1, i-4;"); // 16 replicas on two hosts, without more
        // Two of four work: the others would stand in, so a machine less is rented.
        row("cluster.instances=2", "0", "Remove n1: cluster.excluded_hosts=i-1; cluster.instances=1;",
            "Exclude n1: cluster.excluded_hosts=i-1;");
        row("cluster.instances=2", "2", "error: no rank runs on n3",
            "Exclude n3: cluster.excluded_hosts=i-3;");
        row("cluster.instances=2", "2 3", "error: no rank runs on 2 hosts",
            "Exclude 2 hosts: cluster.excluded_hosts=i-3, i-4;");
        // What is excluded stays so, and is named once.
        row("cluster.instances=2; cluster.excluded_hosts=i-4", "0",
            "Remove n1: cluster.excluded_hosts=i-4, i-1; cluster.instances=1;",
            "Exclude n1: cluster.excluded_hosts=i-4, i-1;");
        // Of a list no spare takes the place.
        row("cluster.instances=4; cluster.placement=i-2, i-4; cluster.gpus=16; plan.data_parallel=16", "1",
            "Remove n2: cluster.excluded_hosts=i-2; plan.data_parallel=8; cluster.gpus=;",
            "Exclude n2: cluster.excluded_hosts=i-2; plan.data_parallel=8; cluster.gpus=;");
        row("cluster.instances=2; cluster.placement=sorted", "0",
            "Remove n1: cluster.excluded_hosts=i-1; cluster.instances=1;",
            "Exclude n1: cluster.excluded_hosts=i-1;");
        // A replica of all hosts cannot lose one.
        row("plan.tensor_parallel=8; plan.pipeline_parallel=4", "0",
            "error: no replica of the plan fits the hosts that are left",
            "error: no replica of the plan fits the hosts that are left");
    }
    void removed() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, hosts);
        QFETCH(QByteArray, removal);
        QFETCH(QByteArray, exclusion);
        const ScenarioSpec spec = training(edit.constData());
        const ClusterMap map = mapOf(spec);
        const std::vector<int> out = hostsOf(hosts);
        const Profile& profile = catalog().defaultProfile;
        QCOMPARE(told(removeHosts(spec, map, out, catalog(), profile)), removal);
        QCOMPARE(told(excludeHosts(spec, map, out, catalog(), profile)), exclusion);
    }

    /// Idle hosts among them do not make fewer machines work.
    void idleHostsAreRemovedAlong() {
        const ScenarioSpec spec = training("cluster.instances=2");
        const std::vector<int> one{0, 3}, more{0, 2, 3};
        const Profile& profile = catalog().defaultProfile;
        QCOMPARE(told(removeHosts(spec, mapOf(spec), one, catalog(), profile)),
                 QByteArray("Remove 2 hosts: cluster.excluded_hosts=i-1, i-4; cluster.instances=1;"));
        QCOMPARE(told(removeHosts(spec, mapOf(spec), more, catalog(), profile)),
                 QByteArray("Remove 3 hosts: cluster.excluded_hosts=i-1, i-3, i-4; cluster.instances=1;"));
    }

    void servicesLoseEngines() {
        const ScenarioSpec spec =
            serving("cluster.instances=4; plan.tensor_parallel=8; plan.data_parallel=4");
        const std::vector<int> one{2}, three{0, 1, 3};
        const Profile& profile = catalog().defaultProfile;
        QCOMPARE(told(excludeHosts(spec, mapOf(spec), one, catalog(), profile)),
                 QByteArray("Exclude n3: cluster.excluded_hosts=i-3; plan.data_parallel=3;"));
        QCOMPARE(told(excludeHosts(spec, mapOf(spec), three, catalog(), profile)),
                 QByteArray("Exclude 3 hosts: cluster.excluded_hosts=i-1, i-2, i-4; plan.data_parallel=1;"));
    }

    /// Without a topology machines are numbered as they are rented: of those before the last one that is
    /// still needed, the removed and the excluded ones are left out.
    void machinesAreNumberedAsTheyAreRented() {
        const ScenarioSpec spec =
            edited(smallTraining(), editOf("cluster.instances=5; cluster.excluded_hosts=host-2; "
                                           "plan.data_parallel=16; cluster.oversubscription=2"));
        const ClusterMap map = mapOf(spec); // host-1 and host-3 work; host-4 and host-5 are idle
        const std::vector<int> first{0}, third{2};
        const Profile& profile = catalog().defaultProfile;
        QCOMPARE(told(removeHosts(spec, map, first, catalog(), profile)),
                 QByteArray("Remove host-1: cluster.excluded_hosts=host-1, host-2; cluster.instances=3; "
                            "plan.data_parallel=8;"));
        QCOMPARE(told(removeHosts(spec, map, third, catalog(), profile)),
                 QByteArray("Remove host-3: cluster.excluded_hosts=; cluster.instances=1; "
                            "plan.data_parallel=8;")); // host-1 is enough
    }

    void swapped_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<int>("host");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* edit, int host, const char* expected) {
            QTest::addRow("%s, host %d", edit, host) << QByteArray(edit) << host << QByteArray(expected);
        };
        row("", 0, "error: all hosts are in use: there is no spare");
        row("cluster.instances=2", 2, "error: no rank runs on n3");
        row("cluster.instances=2", 1, "Swap a spare in for n2: cluster.excluded_hosts=i-2;");
        row("cluster.instances=2; cluster.placement=sorted", 0,
            "Swap a spare in for n1: cluster.excluded_hosts=i-1;");
        // The spare below the same leaf is nearer.
        const char* list = "cluster.instances=4; cluster.placement=i-2, i-4; plan.data_parallel=16";
        row(list, 1, "Swap n1 in for n2: cluster.placement=i-1, i-4;");
        row(list, 3, "Swap n3 in for n4: cluster.placement=i-2, i-3;");
        row("cluster.instances=4; cluster.placement=i-2, i-4; plan.data_parallel=16; "
            "cluster.excluded_hosts=i-1",
            1, "Swap n3 in for n2: cluster.placement=i-3, i-4;"); // but not one that is excluded
    }
    void swapped() {
        QFETCH(QByteArray, edit);
        QFETCH(int, host);
        QFETCH(QByteArray, expected);
        const ScenarioSpec spec = training(edit.constData());
        QCOMPARE(told(swapInSpare(spec, mapOf(spec), host)), expected);
    }

    void drained_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<int>("node");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* edit, int node, const char* expected) {
            QTest::addRow("%s, node %d", edit, node) << QByteArray(edit) << node << QByteArray(expected);
        };
        row("", 0, "error: every host lies below spine");
        row("", 1, "Drain leaf-1: cluster.excluded_hosts=i-1, i-2;");
        row("", 2, "Drain leaf-2: cluster.excluded_hosts=i-3, i-4;");
        row("", 3, "error: no rank runs below bare");
        row("plan.data_parallel=32", 2,
            "Drain leaf-2: cluster.excluded_hosts=i-3, i-4; plan.data_parallel=16;");
        row("cluster.instances=2", 2, "error: no rank runs below leaf-2");
        row("cluster.instances=2", 1, "Drain leaf-1: cluster.excluded_hosts=i-1, i-2;"); // spares come in
        row("cluster.instances=2; cluster.excluded_hosts=i-2", 1,
            "Drain leaf-1: cluster.excluded_hosts=i-2, i-1;");
    }
    void drained() {
        QFETCH(QByteArray, edit);
        QFETCH(int, node);
        QFETCH(QByteArray, expected);
        const ScenarioSpec spec = training(edit.constData());
        QCOMPARE(told(drainNode(spec, mapOf(spec), node, catalog(), catalog().defaultProfile)), expected);
    }

    /// The differences are those of the two estimates.
    void changesArePriced() {
        const ScenarioSpec spec = training("workload.tokens=1e9");
        const PricedChange change = price(spec, "cluster.excluded_hosts=i-3, i-4");
        const Estimate before = run(spec), after = run(edited(spec, change.change.set));
        QVERIFY2(change.runs, change.reason.c_str());
        QCOMPARE(change.reason, std::string());
        QCOMPARE(change.stepTime, after.training->stepTime);
        QCOMPARE(change.stepTimeDifference, after.training->stepTime - before.training->stepTime);
        QVERIFY(change.stepTimeDifference > 0); // the same batch on half the GPUs
        QCOMPARE(change.tokensPerSecond, after.training->tokensPerSecond);
        QCOMPARE(change.tokensPerSecondDifference,
                 after.training->tokensPerSecond - before.training->tokensPerSecond);
        QCOMPARE(change.dollarsPerHour.value_or(0), 160.0); // four machines stay rented
        QCOMPARE(change.dollarsPerHourDifference.value_or(-1), 0.0);
        QVERIFY(change.dollarsPerRun && before.cost->dollarsPerRun);
        QCOMPARE(change.dollarsPerRunDifference.value_or(0),
                 *change.dollarsPerRun - *before.cost->dollarsPerRun);
        QVERIFY(*change.dollarsPerRunDifference > 0);
        QCOMPARE(change.hostsInUse, 2);
        QCOMPARE(change.hostsInUseDifference, -2);
        const PricedChange smaller = price(spec, "cluster.instances=2");
        QCOMPARE(smaller.dollarsPerHour.value_or(0), 80.0);
        QCOMPARE(smaller.dollarsPerHourDifference.value_or(0), -80.0);
        // Without a run there is nothing to pay for as a whole; without a topology no host is counted.
        const PricedChange noRun = price(training(""), "cluster.instances=2");
        QVERIFY(noRun.runs && !noRun.dollarsPerRun && !noRun.dollarsPerRunDifference);
        const PricedChange plain = price(smallTraining(), "plan.tensor_parallel=2");
        QVERIFY(plain.runs && plain.dollarsPerHourDifference);
        QCOMPARE(plain.hostsInUse, 0);
        QCOMPARE(plain.hostsInUseDifference, 0);
        const PricedChange placed = price(smallTraining(), "cluster.excluded_hosts=host-1, host-2");
        QVERIFY(placed.runs);
        QCOMPARE(placed.hostsInUse, 0); // not placed before
    }

    void changesOfServicesArePriced() {
        const ScenarioSpec spec = serving("cluster.instances=2; plan.tensor_parallel=8");
        const PricedChange change = price(spec, "cluster.excluded_hosts=i-1, i-2, i-3");
        const Estimate before = run(spec), after = run(edited(spec, change.change.set));
        QVERIFY2(change.runs, change.reason.c_str());
        QCOMPARE(change.stepTime, after.serving->stepTime);
        QVERIFY(change.stepTime > 0);
        QCOMPARE(change.stepTimeDifference, after.serving->stepTime - before.serving->stepTime);
        QVERIFY(change.stepTimeDifference > 0); // two engines' requests in one
        QCOMPARE(change.tokensPerSecond, after.serving->outputTokensPerSecond);
        QVERIFY(std::abs(change.tokensPerSecond - 200) < 1e-6); // 2 requests/s of 100
        QVERIFY(std::abs(change.tokensPerSecondDifference) < 1e-6);
    }

    void changesThatDoNotRunSayWhy() {
        const PricedChange illegal = price(training(""), "plan.tensor_parallel=3");
        QVERIFY(!illegal.runs);
        std::string first;
        for (const Problem& each : run(edited(training(""), illegal.change.set)).problems)
            if (first.empty() && each.severity == Severity::error)
                first = each.message;
        QVERIFY(!first.empty());
        QCOMPARE(illegal.reason, first);
        QCOMPARE(illegal.stepTime, 0.0);
        QVERIFY(!illegal.dollarsPerHour);
        QCOMPARE(price(training(""), "workload.model=dance").reason,
                 std::string("/workload/model: there is no model 'dance' in the catalog; the nearest is "
                             "'dense'"));
        QCOMPARE(price(training(""), "plan.tensor_parallel=many").reason,
                 std::string("this change is not valid for the scenario"));
        // Weights for a GPU that has no room for them.
        Catalog tiny = siteCatalog();
        tiny.instances[0].gpuMemory = gigabytes(4);
        const PricedChange full = priced(training("plan.tensor_parallel=3"),
                                         {"", editOf("plan.tensor_parallel=")}, tiny, tiny.defaultProfile);
        QVERIFY(!full.runs);
        QVERIFY2(full.reason.starts_with("Does not fit: "), full.reason.c_str());
    }

    /// Against what does not run there is no difference.
    void changesOfWhatDoesNotRun() {
        const PricedChange change =
            price(training("plan.tensor_parallel=3; workload.tokens=1e9"), "plan.tensor_parallel=2");
        QVERIFY(change.runs && change.stepTime > 0 && change.tokensPerSecond > 0);
        QCOMPARE(change.stepTimeDifference, 0.0);
        QCOMPARE(change.tokensPerSecondDifference, 0.0);
        QVERIFY(change.dollarsPerHour && change.dollarsPerRun);
        QVERIFY(!change.dollarsPerHourDifference && !change.dollarsPerRunDifference);
        QCOMPARE(change.hostsInUse, 0);
        QCOMPARE(change.hostsInUseDifference, 0);
        const PricedChange none{};
        QVERIFY(!none.runs && !none.dollarsPerHour && !none.dollarsPerRun);
        QCOMPARE(none.stepTime + none.stepTimeDifference + none.tokensPerSecond +
                     none.tokensPerSecondDifference,
                 0.0);
        QCOMPARE(none.hostsInUse, 0);
        QCOMPARE(none.hostsInUseDifference, 0);
    }

    /// A list and fewer replicas must gain a hundredth of a step; others a billionth.
    void whichPlacementIsBetter_data() {
        QTest::addColumn<QByteArray>("placement");
        QTest::addColumn<int>("hosts"); // more in use than before
        QTest::addColumn<double>("stepTime");
        QTest::addColumn<bool>("better"); // than "packed", whose step takes 2 s
        const auto row = [](const char* name, const char* placement, int hosts, double stepTime,
                            bool better) {
            QTest::newRow(name) << QByteArray(placement) << hosts << stepTime << better;
        };
        row("the same", "sorted", 0, 2, false);
        row("faster by less than a billionth", "sorted", 0, 2 - 1.5e-9, false);
        row("faster", "sorted", 0, 2 - 2.5e-9, true);
        row("slower", "sorted", 0, 2.1, false);
        row("a list, faster by too little", "i-1, i-2", 0, 1.981, false); // by 0.019 of 0.01981
        row("a list, faster by enough", "i-1, i-2", 0, 1.98, true);       // by 0.02 of 0.0198
        row("fewer replicas, faster by too little", "packed", -1, 1.981, false);
        row("fewer replicas, faster by enough", "sorted", -1, 1.98, true);
        row("more hosts in use", "sorted", 1, 2 - 2.5e-9, true);
    }
    void whichPlacementIsBetter() {
        QFETCH(QByteArray, placement);
        QFETCH(int, hosts);
        QFETCH(double, stepTime);
        QFETCH(bool, better);
        PricedChange packed, other;
        packed.runs = other.runs = true;
        packed.stepTime = 2;
        packed.change.set = {{"cluster.placement", "packed"}, {"cluster.rank_order", "tp-cp-ep-pp-dp"}};
        other.stepTime = stepTime;
        other.hostsInUseDifference = hosts;
        other.change.set = {{"cluster.placement", placement.toStdString()}};
        QCOMPARE(isBetterPlacement(other, packed), better);
        // Where neither is better by enough, the one that gives up less is.
        const bool same = std::abs(stepTime - 2) < 2e-9;
        QCOMPARE(isBetterPlacement(packed, other), !better && !same);
        other.runs = false;
        QVERIFY(!isBetterPlacement(other, packed) && isBetterPlacement(packed, other));
        packed.runs = false;
        QVERIFY(!isBetterPlacement(other, packed) && !isBetterPlacement(packed, other));
    }

    /// A list that spreads neighbors over the leaves of an oversubscribed network is put in order.
    void placementsImprove() {
        const ScenarioSpec spec =
            training("cluster.oversubscription=8; cluster.placement=i-1, i-3, i-2, i-4; "
                     "plan.tensor_parallel=8; plan.pipeline_parallel=2");
        const Profile& profile = catalog().defaultProfile;
        const auto best = improvePlacement(spec, catalog(), profile);
        const Estimate before = run(spec);
        double shortest = before.training->stepTime;
        for (const Fix& each : otherPlacements(spec))
            shortest = std::min(shortest, run(edited(spec, each.set)).training->stepTime);
        QVERIFY(best);
        QCOMPARE(best->stepTime, shortest);
        QVERIFY(std::abs(best->stepTimeDifference - (shortest - before.training->stepTime)) < 1e-15);
        QVERIFY(best->stepTimeDifference < 0);
        const ScenarioSpec better = edited(spec, best->change.set);
        QVERIFY(!improvePlacement(better, catalog(), profile)); // nothing beats the best
    }
};

QTEST_APPLESS_MAIN(TestPlacementWhatIfs)

} // namespace tst_placement_what_ifs

#include "tst_placement_what_ifs.moc"
