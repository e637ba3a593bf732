// SPDX-License-Identifier: GPL-3.0-or-later
// What an estimate says besides its figures: prices that are old or end, storage that fills up, phases of a
// rent, and changes of the placement.
#include "model/cost/capacity_block.h"
#include "model/engine/engine.h"
#include "model/engine/placement_changes.h"
#include "model/engine/price_report.h"
#include "model/engine/storage_overflow.h"
#include "model/estimate/cluster_map.h"
#include "model/run/run_phases.h"
#include "model/run/storage_fill.h"
#include "model/units/format.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <array>
#include <cmath>

namespace tst_estimate_reports {

using namespace alidade;
using namespace alidade::test;

namespace {

QByteArray problemsIn(const Estimate& estimate) {
    Scenario scenario;
    scenario.problems = estimate.problems;
    return problemsOf(scenario);
}

Estimate runOf(double days) {
    Estimate out;
    out.cost.emplace();
    out.run.emplace();
    out.run->days.emplace();
    out.run->days->p50 = days;
    out.run->goodput = 1;
    return out;
}

ScenarioSpec with(const char* edit) { return edited(smallTraining(), editOf(edit)); }

} // namespace

class TestEstimateReports : public QObject {
    Q_OBJECT

private slots:
    void oldPrices() {
        Scenario scenario;
        scenario.priceDate = "2026-01-01";
        const auto report = [&](const char* today, bool priced = true) {
            Estimate estimate;
            if (priced)
                estimate.cost.emplace();
            reportPrice(scenario, {}, today, estimate);
            return problemsIn(estimate);
        };
        QCOMPARE(report("2026-04-01"), QByteArray()); // 90 days
        QCOMPARE(report("2026-04-02"),
                 QByteArray("info /cluster/purchase: The price is from 2026-01-01, more than 90 days "
                            "before 2026-04-02; look it up again"));
        QCOMPARE(report("2026-04-02", false), QByteArray());
        QCOMPARE(report(""), QByteArray());
    }

    void pricesThatEnd() {
        Catalog catalog = resolvingCatalog();
        Scenario scenario;
        scenario.priceValidUntil = "2027-03-31";
        const auto report = [&](Estimate estimate, const char* today = "2027-01-01") {
            reportPrice(scenario, catalog, today, estimate);
            return problemsIn(estimate);
        };
        Estimate plain;
        plain.cost.emplace();
        QCOMPARE(report(plain, "2027-03-31"), QByteArray());
        QCOMPARE(report(plain, ""), QByteArray());
        QCOMPARE(report(plain, "2027-04-01"),
                 QByteArray("warning /cluster/purchase: The price was valid until 2027-03-31; "
                            "set the start, so that the price of that day is taken"));
        scenario.spec.run.start = "2027-03-01";
        const QByteArray beyond =
            "info /cluster/purchase: The price is valid until 2027-03-31 and the machines are paid "
            "until 2027-04-01, all of it at the price of the first day";
        Estimate run = runOf(31);
        run.run->start = "2027-03-01";
        QCOMPARE(report(run, "2027-04-01"), QByteArray()); // the last of 31 days is the last one of the price
        run.run->days->p50 = 31.1;
        QCOMPARE(report(run), beyond + "; no later price is known");
        Estimate ordered = plain;
        ordered.cost->order.emplace();
        ordered.cost->order->end = "2027-04-01"; // the day after the last one
        QCOMPARE(report(ordered), QByteArray());
        ordered.cost->order->end = "2027-04-02";
        QCOMPARE(report(ordered), beyond + "; no later price is known");
        Estimate openEnd = run; // an order without an end lasts as long as the run
        openEnd.cost->order.emplace();
        QCOMPARE(report(openEnd), beyond + "; no later price is known");

        Price& price = catalog.prices[0];
        price.validUntil = "2027-03-31";
        Price next = price;
        next.validFrom = "2027-04-01";
        next.validUntil.clear();
        next.rate = DollarsPerHour::si(42);
        scenario.priceId = price.id;
        catalog.prices.push_back(next);
        QCOMPARE(report(ordered), beyond + "; the next one in the catalog is $42.00/h (+5.00 %)");
        catalog.prices.back().rate = DollarsPerHour::si(36);
        QVERIFY(report(ordered).contains("$36.00/h (") && report(ordered).endsWith("10.0 %)") &&
                !report(ordered).contains('+'));
    }

    /// 50 bytes of data in 10 days, and a checkpoint of 10 bytes in every second one, of which so many are
    /// kept.
    void whenStorageIsFull_data() {
        QTest::addColumn<double>("capacity");
        QTest::addColumn<double>("data");
        QTest::addColumn<int>("kept");
        QTest::addColumn<double>("full"); // -1: never
        const auto row = [](const char* name, double capacity, double data, int kept, double full) {
            QTest::newRow(name) << capacity << data << kept << full;
        };
        row("never", 100, 50, 3, -1);
        row("just not", 80, 50, 3, -1);
        row("at the end", 79, 50, 3, 9.8);    // 30 of checkpoints leave 49
        row("at a checkpoint", 60, 50, 3, 6); // 30 + 30, when the third one comes
        row("between two", 25, 50, 3, 3);     // 10 + 15
        row("at the first one", 15, 50, 3, 2);
        row("before the first one", 5, 50, 3, 1);
        row("without data", 15, 0, 3, 4);
        row("none kept", 45, 50, 0, 9);
        row("nothing", 10, 0, 1, -1);
    }
    void whenStorageIsFull() {
        QFETCH(double, capacity);
        QFETCH(double, data);
        QFETCH(int, kept);
        QFETCH(double, full);
        StorageFill fill;
        fill.capacity = capacity;
        fill.days = 10;
        fill.data = data;
        fill.checkpoint = 10;
        fill.period = 2;
        const auto found = fill.fullAfter(kept);
        QVERIFY(std::abs(found.value_or(-1) - full) < 1e-12);
        QCOMPARE(fill.dataAt(-1), 0.0);
        QCOMPARE(fill.dataAt(5), data / 2);
        QCOMPARE(fill.dataAt(11), data);
        QCOMPARE(fill.checkpointsAt(1.9, 3), 0.0);
        QCOMPARE(fill.checkpointsAt(2, 3), 10.0);
        QCOMPARE(fill.checkpointsAt(5, 3), 20.0);
        QCOMPARE(fill.checkpointsAt(99, 3), 30.0);
        QCOMPARE(fill.checkpointsAt(99, 9), 50.0); // none after the end
        QCOMPARE(fill.at(4, 3), data * 0.4 + 20);
        QCOMPARE(fill.most(), data + 30); // three are kept
        fill.period = 0;
        QCOMPARE(fill.checkpointsAt(5, 3), 0.0);
        fill.days = 0;
        QCOMPARE(fill.dataAt(5), 0.0);
    }

    void whatARunStores() {
        Estimate e = runOf(10);
        Run& run = *e.run;
        run.storageBytes = 60e9;
        run.storage = "fsx";
        run.goodput = 0.5;
        run.dataRate = 2;
        run.dataEpochs = 4;
        run.checkpoint.bytes = 7;
        run.checkpoint.interval = 43'200;
        auto fill = storageFill(e);
        QVERIFY(fill);
        QCOMPARE(fill->capacity, 60e9);
        QCOMPARE(fill->data, 216'000.0); // 2 x 864,000 s, half of which count, read four times
        QCOMPARE(fill->checkpoint, 7.0);
        QCOMPARE(fill->period, 1.0); // half a day of training takes a day
        run.checkpoint.count = 5;
        QCOMPARE(storageFill(e)->period, 2.0);
        run.dataEpochs = 0.5;
        QCOMPARE(storageFill(e)->data, 864'000.0);
        run.mode = CheckpointMode::peer;
        QCOMPARE(storageFill(e)->checkpoint, 0.0);
        run.mode = CheckpointMode::sync;
        QCOMPARE(storageFill(e)->checkpoint, 7.0);
        run.checkpoint.interval = 0;
        QCOMPARE(storageFill(e)->checkpoint, 0.0);
        run.storage = "s3-standard";
        QVERIFY(!storageFill(e));
        run.storage = "fsx";
        run.storageBytes = 0;
        QVERIFY(!storageFill(e));
        run.storageBytes = 1;
        run.days->p50 = HUGE_VAL;
        QVERIFY(!storageFill(e));
        run.days->p50 = 0;
        QVERIFY(!storageFill(e));
        run.days.reset();
        QVERIFY(!storageFill(e) && !storageFill({}));
    }

    void storageThatOverflows() {
        Estimate e = runOf(10);
        e.run->storageBytes = 60e9;
        e.run->dataRate = 50e9 / 864'000;
        e.run->checkpoint.bytes = 10e9;
        e.run->checkpoint.interval = 1;
        e.run->checkpoint.count = 5;
        Scenario scenario;
        scenario.inputs[Input::storageLeast] = 64e9;
        scenario.inputs[Input::storageStep] = 24e9;
        const auto bytes = [](double value) { return formatQuantity(value, Dimension::bytes); };
        const auto days = [](double value) { return formatQuantity(value * 86'400, Dimension::seconds); };
        const std::string tail = "after " + days(6) + " of " + days(10) + ": the run puts " + bytes(50e9) +
                                 " of training data and 3 checkpoints of " + bytes(10e9) +
                                 " there. Release data that has been read, or provision more";
        const std::string head = "The file system of " + bytes(60e9) + " is full ";
        reportStorageOverflow(scenario, e);
        QCOMPARE(e.problems.size(), std::size_t{1});
        QCOMPARE(e.problems[0].message, head + tail);
        QCOMPARE(e.problems[0].place, std::string("/run/storage_bytes"));
        QVERIFY(e.problems[0].severity == Severity::warning);
        QCOMPARE(QByteArray::fromStdString(e.problems[0].fix->text),
                 QByteArray::fromStdString("Provision " + bytes(96e9))); // 80, sold in steps of 24
        QVERIFY((e.problems[0].fix->set == Edit{{"run.storage_bytes", editText(96e9, Dimension::bytes)}}));
        e.run->start = "2027-03-01";
        e.run->mode = CheckpointMode::peer;
        e.run->storageBytes = 40e9;
        e.problems.clear();
        reportStorageOverflow(scenario, e);
        QCOMPARE(e.problems[0].message,
                 "The file system of " + bytes(40e9) + " is full on 2027-03-09, after " + days(8) + " of " +
                     days(10) + ": the run puts " + bytes(50e9) +
                     " of training data there. Release data that has been read, or provision more");
        e.run->storageBytes = 51e9;
        e.problems.clear();
        reportStorageOverflow(scenario, e);
        QVERIFY(e.problems.empty());
    }

    void phasesOfARent() {
        Estimate e;
        const auto text = [&](double days) {
            QByteArray out;
            for (const RunPhase& each : runPhases(e, days)) {
                const char* kinds[] = {"block", "plan", "rented", "unused"};
                out += (out.isEmpty() ? "" : ", ") + QByteArray(kinds[static_cast<int>(each.kind)]) + ' ' +
                       QByteArray::number(each.from) + '-' + QByteArray::number(each.to) + " #" +
                       QByteArray::number(each.number) + '/' + QByteArray::number(each.count);
            }
            return out;
        };
        QCOMPARE(text(10), QByteArray("rented 0-10 #1/1"));
        QCOMPARE(text(0), QByteArray());
        QCOMPARE(text(HUGE_VAL), QByteArray());
        e.scenario.cluster.purchase = "capacity_block";
        // Half an hour before its end a block is over: 11 days for 10; beyond 14 whole weeks; beyond 182
        // another one.
        QCOMPARE(text(10), QByteArray("block 0-10 #1/1, unused 10-11 #1/1"));
        QCOMPARE(text(15), QByteArray("block 0-15 #1/1, unused 15-21 #1/1"));
        QCOMPARE(text(200), QByteArray("block 0-182 #1/2, block 182-200 #2/2, unused 200-203 #1/1"));
        QCOMPARE(text(9.96875), QByteArray("block 0-9.96875 #1/1, unused 9.96875-10 #1/1")); // 23:15
        e.scenario.cluster.ultraserver = "rack";                                             // an hour before
        QCOMPARE(text(9.96875), QByteArray("block 0-9.96875 #1/1, unused 9.96875-11 #1/1"));
        e.scenario.cluster.purchase = "training_plan";
        QCOMPARE(text(15), QByteArray("plan 0-15 #1/1, unused 15-16 #1/1")); // by the day
        e.scenario.order.base.instances = 1;
        e.scenario.order.base.purchase = "training_plan";
        QCOMPARE(text(15), QByteArray("plan 0-15 #1/1, unused 15-16 #1/1"));
        e.scenario.order.base.purchase = "on_demand";
        QCOMPARE(text(15), QByteArray("rented 0-15 #1/1"));
    }

    void betterPlacements() {
        PricedChange plain, list, fewer;
        plain.runs = list.runs = fewer.runs = true;
        plain.stepTime = 1;
        plain.change.set = {{"cluster.placement", "sorted"}};
        list.change.set = {{"cluster.placement", "host-1, host-2"}};
        fewer.hostsInUseDifference = -1;
        list.stepTime = 0.985;
        QVERIFY(isBetterPlacement(list, plain) && !isBetterPlacement(plain, list));
        list.stepTime = 0.995; // gains less than a hundredth
        QVERIFY(!isBetterPlacement(list, plain) && isBetterPlacement(plain, list));
        fewer.stepTime = 0.98;
        QVERIFY(!isBetterPlacement(fewer, PricedChange(list)) ==
                (list.stepTime - fewer.stepTime <= 0.01 * 0.98));
        fewer.stepTime = 0.99;
        QVERIFY(!isBetterPlacement(fewer, list) && isBetterPlacement(list, fewer));
        PricedChange faster = plain;
        faster.stepTime = 0.999;
        QVERIFY(isBetterPlacement(faster, plain) && !isBetterPlacement(plain, faster));
        QVERIFY(!isBetterPlacement(plain, plain));
        faster.runs = false;
        QVERIFY(!isBetterPlacement(faster, plain) && isBetterPlacement(plain, faster));
        QVERIFY(!isBetterPlacement(faster, faster));
    }

    void otherPlacementsAreChanges() {
        const auto edits = [](const ScenarioSpec& spec) {
            QByteArray out;
            for (const Fix& fix : otherPlacements(spec)) {
                for (const auto& [path, value] : fix.set)
                    out += QByteArray::fromStdString(path + "=" + value + ";");
                out += ' ';
            }
            return out.trimmed();
        };
        QCOMPARE(edits(with("cluster.placement=packed; cluster.rank_order=tp-cp-ep-dp-pp")),
                 QByteArray("cluster.rank_order=tp-cp-ep-pp-dp; cluster.placement=sorted; "
                            "cluster.placement=sorted;cluster.rank_order=tp-cp-ep-pp-dp;"));
        QCOMPARE(edits(edited(smallServing(), editOf("cluster.placement=packed"))),
                 QByteArray("cluster.placement=sorted;"));
    }

    /// 4 hosts of 8 GPUs; 32 sequences for as many replicas. Without a host the most replicas that divide
    /// them are 16.
    void hostsThatAreTakenAway() {
        const Catalog& catalog = sharedCatalog();
        const Profile& profile = catalog.defaultProfile;
        const ScenarioSpec spec = with("cluster.placement=packed; cluster.oversubscription=2");
        const ClusterMap map = clusterMap(resolved(spec), catalog);
        const std::array<int, 1> first{0};
        const std::array<int, 2> two{0, 2};
        const auto removed = removeHosts(spec, map, first, catalog, profile);
        QVERIFY2(removed, removed.error().c_str());
        QCOMPARE(removed->text, std::string("Remove host-1"));
        QVERIFY((removed->set == Edit{{"cluster.excluded_hosts", "host-1"}, {"plan.data_parallel", "16"}}));
        const auto excluded = excludeHosts(spec, map, two, catalog, profile);
        QVERIFY2(excluded, excluded.error().c_str());
        QCOMPARE(excluded->text, std::string("Exclude 2 hosts"));
        QVERIFY((excluded->set == Edit{{"cluster.excluded_hosts", "host-1, host-3"}}));
        QCOMPARE(swapInSpare(spec, map, 0).error(), std::string("all hosts are in use: there is no spare"));

        const ScenarioSpec half =
            with("cluster.placement=packed; cluster.oversubscription=2; plan.data_parallel=16");
        const ClusterMap halfMap = clusterMap(resolved(half), catalog);
        const std::array<int, 1> idle{3};
        QCOMPARE(removeHosts(half, halfMap, idle, catalog, profile).error(),
                 std::string("no rank runs on host-4"));
        QCOMPARE(swapInSpare(half, halfMap, 3).error(), std::string("no rank runs on host-4"));
        const auto swapped = swapInSpare(half, halfMap, 0);
        QVERIFY(swapped);
        QCOMPARE(swapped->text, std::string("Swap a spare in for host-1"));
        QVERIFY((swapped->set == Edit{{"cluster.excluded_hosts", "host-1"}}));
        const auto without = removeHosts(half, halfMap, first, catalog, profile);
        QVERIFY2(without, without.error().c_str());
        const PricedChange price = priced(half, *without, catalog, profile);
        QVERIFY2(price.runs, price.reason.c_str());
        // Machines are numbered as they are rented: of two the first one is left out.
        QVERIFY((without->set == Edit{{"cluster.excluded_hosts", "host-1"},
                                      {"cluster.instances", "2"},
                                      {"plan.data_parallel", "8"}}));
        QCOMPARE(price.hostsInUse, 1);
        QCOMPARE(price.hostsInUseDifference, -1);

        const ScenarioSpec list =
            with("cluster.placement=host-3, host-1; plan.data_parallel=16; cluster.instances=4");
        const auto inList = swapInSpare(list, clusterMap(resolved(list), catalog), 2);
        QVERIFY2(inList, inList.error().c_str());
        QCOMPARE(inList->set.front().first, std::string("cluster.placement"));
        QVERIFY(inList->set.front().second == "host-2, host-1" ||
                inList->set.front().second == "host-4, host-1");
    }

    void whatAnEstimateSays() {
        const Catalog& catalog = sharedCatalog();
        const auto plain = estimate(smallTraining(), catalog, catalog.defaultProfile, {.fixes = false});
        QVERIFY(plain && plain->runs && plain->fits);
        QCOMPARE(problemsIn(*plain), QByteArray());
        QCOMPARE(plain->gpus, 32);
        QVERIFY(std::abs(plain->cost->dollarsPerHour - 160) < 1e-9);
        Catalog full = resolvingCatalog();
        full.instances[0].gpuMemory = gigabytes(4); // half a GB for each GPU
        const auto tight = estimate(smallTraining(), full, full.defaultProfile, {.fixes = false});
        QVERIFY(tight && tight->runs && !tight->fits);
        const std::string message = tight->problems.front().message;
        QVERIFY2(message.starts_with("Does not fit: ") && message.find(" per GPU, ") != std::string::npos,
                 message.c_str());
        const auto staged =
            estimate(with("plan.pipeline_parallel=2"), full, full.defaultProfile, {.fixes = false});
        QVERIFY2(staged->problems.front().message.find(" per GPU on stage ") != std::string::npos,
                 staged->problems.front().message.c_str());
        const auto illegal =
            estimate(with("plan.tensor_parallel=3"), full, full.defaultProfile, {.fixes = false});
        QVERIFY(illegal && !illegal->runs);
        for (const Problem& each : illegal->problems) // what is in the way is not the memory
            QVERIFY(!each.message.starts_with("Does not fit"));
        const auto drawn = estimate(with("plan.pipeline_parallel=2"), catalog, catalog.defaultProfile,
                                    {.timeline = true, .fixes = false});
        QVERIFY(drawn->training && drawn->training->timelineMakespan > 0);
        // 2 micro-batches of each stage, forward and backward.
        QCOMPARE(drawn->training->timeline.size(), std::size_t{8});
        QVERIFY(plain->training->timeline.empty());
        QCOMPARE(drawn->training->timeline.front().kind, 'F');
        QVERIFY(std::abs(drawn->training->timelineMakespan / drawn->training->timelineClosedForm - 1) < 0.05);
    }
};

QTEST_APPLESS_MAIN(TestEstimateReports)

} // namespace tst_estimate_reports

#include "tst_estimate_reports.moc"
