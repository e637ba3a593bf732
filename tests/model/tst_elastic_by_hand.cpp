// SPDX-License-Identifier: GPL-3.0-or-later
// Elastic runs, restarts and drawn runs where all but a few of their terms are out of the way.
#include "model/reliability/data_loading.h"
#include "model/reliability/failure_causes.h"
#include "model/reliability/run_core.h"
#include "model/reliability/spares.h"
#include "model/run/run_calendar.h"
#include "model/run/run_simulation.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_elastic_by_hand {

using namespace alidade;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1e-3, std::abs(b)); }

/// 800 bytes of state, 200 of them weights of which there are 4 copies, the rest in 2 copies; storage reads
/// 100 bytes/s and writes all of it in 8 s. A GPU of 16 is sent 2.5 bytes/s.
struct Restart {
    Inputs in;
    RunPlan plan;
    RunCore<double> run;

    Restart() {
        in[Input::gpus] = 16;
        in[Input::modelParameters] = 100;
        in[Input::weightBytes] = 2;
        in[Input::weightCopies] = 4;
        in[Input::stateCopies] = 2;
        in[Input::networkBandwidth] = 5;
        in[Input::networkEfficiency] = 0.5;
        run.checkpointBytes = 800;
        run.write = 8;
        run.storage.rate = 100;
    }
    double read(RestartRead how) {
        plan.restartRead = how;
        return readState(plan, in, run);
    }
};

} // namespace

class TestElasticByHand : public QObject {
    Q_OBJECT

private slots:
    /// All ranks: 4 x 200 of weights and 2 x 600 of the rest. Once: 4 x 200 / 16 bytes are sent to each GPU.
    void readingTheStateBack() {
        Restart r;
        QVERIFY(near(r.read(RestartRead::all), 20));
        QVERIFY(near(r.read(RestartRead::oneReplica), 20));
        r.in[Input::weightCopies] = 2;
        QVERIFY(near(r.read(RestartRead::all), 16));
        QVERIFY(near(r.read(RestartRead::oneReplica), 10));
        r.run.write = 11; // longer than sending takes
        QVERIFY(near(r.read(RestartRead::oneReplica), 11));
        r.in[Input::modelParameters] = 1000; // weights are no more than all of the state
        QVERIFY(near(r.read(RestartRead::all), 16));
        QVERIFY(near(r.read(RestartRead::oneReplica), 2 * 800 / 16.0 / 2.5));
        r.in[Input::weightCopies] = 1; // nobody to send to
        QVERIFY(near(r.read(RestartRead::oneReplica), 11));
        r.in[Input::weightCopies] = 2;
        r.in[Input::networkBandwidth] = 0; // or no network to send over
        QVERIFY(near(r.read(RestartRead::oneReplica), 11));
    }

    /// Half a node is in repair in the mean: none with probability e^-0.5. Of two replicas of 50 nodes one is
    /// idle as soon as a node is missing, and only the failure that finds none missing makes it idle.
    void replicasWithoutTheirNodes() {
        const double none = std::exp(-0.5);
        const ElasticLoss two = elasticLoss(0.5, 0, 100, 2);
        QVERIFY(near(two.idleShare, 0.5 * (1 - none)) && near(two.growths, none));
        const ElasticLoss spare = elasticLoss(0.5, 1, 100, 2); // one missing node has a spare one
        QVERIFY(near(spare.idleShare, 0.5 * (1 - 1.5 * none)) && near(spare.growths, 0.5 * none));
        const ElasticLoss one = elasticLoss(0.5, 0, 100, 0.5); // no less than one replica: all of it is idle
        QVERIFY(near(one.idleShare, 1 - none) && near(one.growths, none));
        for (const ElasticLoss& nothing : {elasticLoss(0, 0, 100, 2), elasticLoss(0.5, 0, 0, 2)})
            QVERIFY(nothing.idleShare == 0 && nothing.growths == 0);
    }

    /// Its stop to take a replica back: 1 + 7 + 120 s, once for each failure that takes a node and finds no
    /// spare one.
    void shareOfAnElasticRun() {
        Inputs in;
        in[Input::elasticReplicas] = 2;
        RunCore<double> run;
        run.storage.hosts = 100;
        run.stall = 1;
        run.drain = 7;
        run.plannedStop = 120;
        QCOMPARE(growthStop(run), 128.0);
        const auto share = [&](double mtbf) {
            run.mtbf = mtbf;
            in[Input::repairTime] = 0.5 * mtbf / nodeLossShare();
            return elasticShare(in, run);
        };
        const double none = std::exp(-0.5), idle = 0.5 * (1 - none);
        QVERIFY(near(share(900), idle + none * nodeLossShare() * 128 / 900));
        QVERIFY(near(share(9000), idle + none * nodeLossShare() * 128 / 9000));
        QCOMPARE(share(1), 0.99); // it never stands still altogether
    }

    /// (100 + spares) / (share of the time that counts): with 0 to 3 spares the run of two replicas counts
    /// 1 - P(more in repair) / 2 = 0.803, 0.955, 0.9928, 0.9991 of it, and one that waits 0.607, 0.910,
    /// 0.9856, 0.9982 and, with 4, 0.9998.
    void sparesOfAnElasticRun() {
        NodeShortage run{.nodes = 100, .meanInRepair = 0.5, .elasticReplicas = 2};
        QVERIFY(near(shortageShare(run, 1), 0.5 * (1 - 1.5 * std::exp(-0.5))));
        QCOMPARE(cheapestSpares(run), 2); // 102 / 0.9928 = 102.7, before 105.8, then 103.1
        run.growthShare = 0.1;            // a tenth of P(no more than that are in repair) besides
        QVERIFY(near(shortageShare(run, 0), 0.5 * (1 - std::exp(-0.5)) + 0.1 * std::exp(-0.5)));
        run.elasticReplicas = 0;
        QVERIFY(near(shortageShare(run, 1), 1 - 1.5 * std::exp(-0.5)));
        QCOMPARE(cheapestSpares(run), 3); // 103 / 0.9982 = 103.18, before 103.49, then 104.02
        // Rarely one is missing, and all of the run waits: 1,000 / 0.99005 = 1,010 against 1,001 / 0.99995.
        QCOMPARE(cheapestSpares({.nodes = 1000, .meanInRepair = 0.01, .elasticReplicas = 1}), 1);
        run.meanInRepair = 0;
        QCOMPARE(cheapestSpares(run), 0);
        QCOMPARE(shortageShare(run, 0), 0.0);
    }

    /// Of drives that have room for more than the data set all reads are hits: two nodes of 40 bytes/s.
    void drivesWithRoomForAll() {
        Inputs in;
        in[Input::tokens] = 3000;
        in[Input::datasetTokens] = 1000;
        in[Input::bytesPerToken] = 2;
        in[Input::nvmeCapacity] = 1500;
        in[Input::nvmeRead] = 40;
        RunPlan plan;
        plan.shuffle = false;
        RunStorage<double> storage;
        storage.hosts = 2;
        storage.rate = 100;
        const DataLoading<double> data = dataLoading(plan, in, storage);
        QCOMPARE(data.cacheHit, 1.0);
        QVERIFY(near(data.cachedRate, 80));
        in[Input::tokens] = 1000; // one pass reads nothing again
        const DataLoading<double> once = dataLoading(plan, in, storage);
        QVERIFY(once.epochs == 1 && once.cacheHit == 0 && once.cachedRate == 100);
    }

    /// Storage whose throughput follows its capacity has none where none is provisioned.
    void storageWithoutCapacity() {
        Inputs in;
        in[Input::gpus] = 16;
        in[Input::gpusPerHost] = 8;
        in[Input::storageClient] = 50;
        in[Input::checkpointWriter] = 20;
        in[Input::storageRate] = 1;
        const RunStorage<double> storage = runStorage<double>(in, 800);
        QVERIFY(storage.capacity == 0 && storage.system == 0);
        QVERIFY(storage.clientsLimit && storage.rate == 100);
    }

    /// A failure while the run starts again loses no more than what came after that start, 150 - 120 s.
    void lossAfterAStop() {
        const RunProcess process{.useful = 1000, .interval = 1000};
        const DrawnRun run{
            .seconds = 1100, .stalls = 0, .planned = 0, .failures = {{100, 10, 20, 0}, {150, 60, 20, 0}}};
        const auto spans = drawnSpans(process, run, 20, 0, 170);
        const std::vector<std::tuple<RunPiece, double, double>> wanted{{RunPiece::work, 0, 90},
                                                                       {RunPiece::redone, 90, 100},
                                                                       {RunPiece::stopped, 100, 120},
                                                                       {RunPiece::redone, 120, 150},
                                                                       {RunPiece::stopped, 150, 170}};
        QCOMPARE(spans.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            QVERIFY(wanted[i] == std::tuple(spans[i].piece, spans[i].from, spans[i].to));
    }

    /// A stop that is shorter than it takes to find a failure is nothing but finding it.
    void stopsThatAreOnlyNoticed() {
        Run run;
        run.days = RunDaysT<double>{1, 1, 1, 1};
        run.recovery = 100;
        run.lost = {{"GPU and HBM", 5, 300, 1000, 1300, {}}};
        const RunShares shares = expectedShares(run, 200);
        QVERIFY(near(shares.stopped, 300) && shares.starting == 0 && near(shares.redone, 1000));
        QVERIFY(near(shares.work, 86'400 - 1300));
        run.recovery = 0; // none is known
        QVERIFY(near(expectedShares(run, 200).starting, 300));
    }

    /// Of a hundred failures hardly any falls into a recovery of a microsecond: stops are not longer.
    void stopsOfDrawnRuns() {
        const RunProcess process{.useful = 10'000, .interval = 10, .mtbf = 100, .recovery = 1e-6};
        const DrawnRun run = drawRun(process, 3);
        QVERIFY(run.failures.size() > 50);
        for (const DrawnFailure& each : run.failures)
            QVERIFY(each.stop >= 1e-6 && each.stop < 1e-3);
    }

    /// Failures and planned stops come more or less often together: in the calmest of 200 runs neither takes
    /// much of the 150 s that each of them takes in the mean.
    void oneRateOfAllStops() {
        const RunProcess process{
            .useful = 1000, .interval = 1, .mtbf = 10, .recovery = 1, .plannedRate = 0.15, .plannedStop = 1};
        const auto lengths = drawLengths(process, 200, 5, {.rateLogSd = 0.5});
        QVERIFY(std::ranges::is_sorted(lengths));
        QVERIFY2(lengths.front() > 1000 && lengths.front() < 1200,
                 qPrintable(QString::number(lengths.front())));
        QVERIFY2(lengths.back() > 1600, qPrintable(QString::number(lengths.back())));
    }
};

QTEST_APPLESS_MAIN(TestElasticByHand)

} // namespace tst_elastic_by_hand

#include "tst_elastic_by_hand.moc"
