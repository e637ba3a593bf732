// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/estimate.h"
#include "model/reliability/spares.h"
#include "model/run/checkpoint_curve.h"
#include "model/run/run_calendar.h"
#include "model/run/run_facts.h"
#include "model/run/run_phases.h"
#include "model/run/run_simulation.h"
#include "model/run/spare_costs.h"
#include "model/run/storage_fill.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

namespace tst_run_facts {

using namespace alidade;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-11 * std::max(std::abs(a), std::abs(b)); }

/// Of an interval of 200 s with a stall of 5, failures every 10,000 s and 515 s from one to the end of its
/// write.
Run small() {
    Run run;
    run.mtbf = 10'000;
    run.recovery = 500;
    run.goodput = 0.8;
    run.checkpoint.stall = 5;
    run.checkpoint.drain = 15;
    run.checkpoint.interval = 200;
    run.days = RunDaysT<double>{.p50 = 12};
    return run;
}

/// Daly's ratio.
double ratio(double interval, double mtbf) {
    return interval / (mtbf * std::exp(515 / mtbf) * (std::exp((interval + 5) / mtbf) - 1));
}

} // namespace

/// What is told of a run besides its estimate.
class TestRunFacts : public QObject {
    Q_OBJECT

private slots:
    /// 36 GPUs of 4 a node; an UltraServer at $90 an hour is 3 of 9 nodes.
    void factsOfAScenario() {
        Scenario s;
        s.inputs[Input::gpus] = 36;
        s.inputs[Input::gpusPerHost] = 4;
        s.inputs[Input::failureDetection] = 60;
        s.inputs[Input::timeLogSd] = 0.05;
        s.inputs[Input::failureLogSd] = 0.3;
        s.inputs[Input::elasticReplicas] = 8;
        s.inputs[Input::price] = 90;
        s.inputs[Input::paidItems] = 3;
        s.hosts = 9;
        QCOMPARE(runFacts(s).nodes, 9.0);
        QCOMPARE(runFacts(s).nodeDollarsPerHour, 0.0);
        QCOMPARE(runFacts(s).elasticReplicas, 0.0);
        QCOMPARE(runFacts(s).spread.stepLogSd, 0.05);
        QCOMPARE(runFacts(s).spread.rateLogSd, 0.3);
        s.hasPrice = s.run.elastic = true;
        QCOMPARE(runFacts(s).nodeDollarsPerHour, 30.0);
        QCOMPARE(runFacts(s).elasticReplicas, 8.0);
        s.hosts = 2; // more is paid than is there
        QCOMPARE(runFacts(s).nodeDollarsPerHour, 90.0);
        s.inputs[Input::gpus] = 2;
        QCOMPARE(runFacts(s).nodes, 1.0);
        s.inputs[Input::paidItems] = 0;
        QCOMPARE(runFacts(s).nodeDollarsPerHour, 0.0);
    }

    /// Taking replicas back stops a run for stall, write and the restart, 500 s without the 60 s in which a
    /// failure is found: 314 of 419 failures lead to it.
    void shortage() {
        Run run = small();
        run.nodesInRepair = 0.7;
        const NodeShortage s =
            shortageOf({.spread = {}, .detection = 60, .nodes = 16, .elasticReplicas = 4}, run);
        QCOMPARE(s.nodes, 16.0);
        QCOMPARE(s.meanInRepair, 0.7);
        QCOMPARE(s.elasticReplicas, 4.0);
        QVERIFY(near(s.growthShare, 314.0 / 419 * (5 + 15 + 500 - 60) / 10'000));
        const std::vector<SpareCost> costs = spareCosts(s, 100, 3);
        QCOMPARE(costs.size(), std::size_t{4});
        QCOMPARE(costs[3].rent, 300.0);
        const double lost = shortageShare(s, 2);
        QVERIFY(near(costs[2].waiting, 18 * lost / (1 - lost) * 100));
    }

    void outcomes() {
        QCOMPARE(outcomesToDraw(1000, 0), 1000);
        QCOMPARE(outcomesToDraw(1000, 3e4), 1000); // 30 million failures
        QCOMPARE(outcomesToDraw(1000, 6e4), 500);
        QCOMPARE(outcomesToDraw(1000, 1.5e5), 200);
        QCOMPARE(outcomesToDraw(1000, 1.6e5), 0);
        QCOMPARE(shareWithin({}, 3), 0.0);
        QCOMPARE(shareWithin({1, 2, 3, 4}, 3), 0.75);
        QCOMPARE(shareWithin({1, 2, 3, 4}, 0.5), 0.0);
    }

    /// What another interval makes of a goodput of 0.8.
    void otherIntervals() {
        const Run run = small();
        QVERIFY(near(goodputAt(run, 200), 0.8));
        QVERIFY(near(goodputAt(run, 400), 0.8 * ratio(400, 10'000) / ratio(200, 10'000)));
        QVERIFY(near(goodputAtRate(run, 2), 0.8 * ratio(200, 5000) / ratio(200, 10'000)));
        QVERIFY(near(daysAt(run, 400), 12 * ratio(200, 10'000) / ratio(400, 10'000)));
        QCOMPARE(shortestInterval(run), 10.0);
        const auto curve = checkpointCurve(run, 100, 400, 3);
        QCOMPARE(curve.size(), std::size_t{3});
        QVERIFY(near(curve[1].interval, 200) && near(curve[1].goodput, 0.8));
        QVERIFY(near(curve[2].interval, 400));
        Run other = run;
        other.days.reset();
        QCOMPARE(daysAt(other, 400), 0.0);
        other.checkpoint.interval = 0; // there is no present ratio to go by
        QCOMPARE(goodputAt(other, 400), 0.0);
        QVERIFY(!hasInterval(other) && hasInterval(run));
        other = run;
        other.mode = CheckpointMode::peer;
        QVERIFY(!hasInterval(other));
        for (const CheckpointMode stored : {CheckpointMode::sync, CheckpointMode::async}) {
            other.mode = stored;
            QVERIFY(hasInterval(other));
        }
        other = run;
        other.mtbf = 0;
        QVERIFY(!hasInterval(other));
        other = run;
        other.checkpoint.stall = 20;
        QCOMPARE(shortestInterval(other), 0.0);
    }

    /// A file system without data to read, and a run whose length is not known.
    void fillOfAStorage() {
        StorageFill fill{.capacity = 100, .days = 10, .checkpoint = 30, .period = 2};
        QCOMPARE(fill.dataAt(5), 0.0);
        QCOMPARE(fill.checkpointsAt(5), 60.0);
        QCOMPARE(fill.checkpointsAt(0), 0.0);
        QCOMPARE(fill.at(9), 90.0);
        QVERIFY(!fill.fullAfter());
        QCOMPARE(fill.fullAfter(4).value(), 8.0); // the fourth one finds no room
        QCOMPARE(StorageFill{}.dataAt(5), 0.0);
        QVERIFY(!StorageFill{.capacity = 1}.fullAfter());
        fill.data = 50; // 60 + 30 right before the third checkpoint, 90 + 30 with it
        QCOMPARE(fill.fullAfter().value(), 6.0);
        QCOMPARE(fill.dataAt(20), 50.0);
        Estimate e;
        e.run = small();
        e.run->storageBytes = 1e12;
        e.run->days->p50 = std::numeric_limits<double>::infinity();
        QVERIFY(!storageFill(e));
        e.run->days->p50 = 0;
        QVERIFY(!storageFill(e));
        e.run->days->p50 = 10;
        e.run->dataRate = 1e6;
        e.run->dataEpochs = 2;
        e.run->checkpoint.bytes = 7;
        QVERIFY(near(storageFill(e)->data, 1e6 * 864'000 * 0.8 / 2));
        QVERIFY(near(storageFill(e)->period, 250 / 86'400.0)); // 200 s of training at 0.8
        e.run->checkpoint.count = 40;
        QCOMPARE(storageFill(e)->period, 0.25);
        e.run->mode = CheckpointMode::peer;
        QCOMPARE(storageFill(e)->checkpoint, 0.0);
    }

    /// 182 days are the longest block; one that ends with the run has no unused rest.
    void blocksOfARun() {
        const auto estimate = std::make_unique<Estimate>();
        Estimate& e = *estimate;
        e.scenario.cluster.purchase = "capacity_block";
        const auto three = runPhases(e, 370);
        QCOMPARE(three.size(), std::size_t{4});
        QCOMPARE(three[0].to, 182.0);
        QCOMPARE(three[1].from, 182.0);
        QCOMPARE(three[2].from, 364.0);
        QCOMPARE(three[2].to, 370.0);
        QCOMPARE(three[2].number, 3);
        QCOMPARE(three[0].count, 3);
        QCOMPARE(three[3].from, 370.0);
        QVERIFY(three[3].kind == RunPhaseKind::unused && three[3].to > 370);
        const auto one = runPhases(e, 1.5);
        QCOMPARE(one.size(), std::size_t{2});
        QCOMPARE(one[0].count, 1);
        QCOMPARE(one[1].to, 2.0);
        QVERIFY(runPhases(e, 0).empty());
    }

    /// A failure right after the stop of another one is not alone.
    void failureToShow() {
        const RunProcess process{.useful = 1000, .interval = 10, .stall = 0};
        DrawnRun run{.seconds = 1000, .stalls = 0, .planned = 0, .failures = {}};
        // 45 s after the first one, but 15 s after its stop of 30 s.
        run.failures = {{300, 1, 30, 0}, {345, 9, 1, 0}, {600, 3, 1, 0}};
        QCOMPARE(tellingFailure(process, run, 40), 2);
        run.failures[0].stop = 1;
        QCOMPARE(tellingFailure(process, run, 40), 1);
    }
};

QTEST_APPLESS_MAIN(TestRunFacts)

} // namespace tst_run_facts

#include "tst_run_facts.moc"
