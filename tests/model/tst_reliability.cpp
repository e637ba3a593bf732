// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/data_loading.h"
#include "model/reliability/power.h"
#include "model/reliability/run_core.h"

#include <QTest>

#include <cmath>

namespace tst_reliability {

using namespace alidade;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-11 * std::max(std::abs(a), std::abs(b)); }

/// 16 GPUs on 2 nodes, one failure in 4 GPU-hours: one in 4 x 3,600 / 16 = 900 s. 800 bytes of state reach
/// the hosts at 16 x 10 x 0.5 = 80 bytes/s, in 10 s, and storage at 2 x 50 bytes/s, in 8 s. A GPU reads its
/// 50 bytes from another one at 5 x 0.5 bytes/s, in 20 s.
Inputs smallRun() {
    Inputs in;
    in[Input::gpus] = 16;
    in[Input::gpusPerHost] = 8;
    in[Input::gpuHoursPerFailure] = 4;
    in[Input::hostBandwidth] = 10;
    in[Input::hostEfficiency] = 0.5;
    in[Input::storageClient] = 50;
    in[Input::checkpointWriter] = 20;
    in[Input::networkBandwidth] = 5;
    in[Input::networkEfficiency] = 0.5;
    in[Input::checkpointStall] = 1;
    in[Input::peerStall] = 3;
    in[Input::failureDetection] = 20;
    in[Input::restartTime] = 100;
    in[Input::restartGrowth] = 30;
    in[Input::standbyRestart] = 15;
    in[Input::checkpointlessRestart] = 7;
    in[Input::plannedRatio] = 0.4;
    in[Input::repairTime] = 1800;
    in[Input::spares] = 1;
    in[Input::plannedGoodput] = 0.77;
    return in;
}

RunCore<double> core(const RunPlan& plan, const Inputs& in, double stepTime = 2, bool planned = false) {
    return runCore<double>(plan, in, stepTime, 800, planned);
}

} // namespace

/// Failures, checkpoints, storage, spares and power of a run, against values by hand.
class TestReliability : public QObject {
    Q_OBJECT

private slots:
    /// Young 1974: sqrt(2 delta M) = sqrt(2 x 2 x 100) = 20. Daly 2006, equation 37: with delta / 2 M = 0.01,
    /// 20 (1 + 0.1 / 3 + 0.01 / 9) - 2.
    void publishedIntervals() {
        QCOMPARE(youngInterval<double>(2, 100), 20.0);
        QCOMPARE(dalyInterval<double>(2, 100), 20 * (1 + 0.1 / 3 + 0.01 / 9) - 2);
        QCOMPARE(dalyInterval<double>(200, 100), 100.0);
        QCOMPARE(dalyInterval<double>(300, 100), 100.0);
        QCOMPARE(jobMtbf<double>(16, 4), 900.0);
    }

    /// The optimum is the root of (u - 1) e^u + e^(-delta / M) with tau = M u (Daly 2006, section 3), and no
    /// other interval has a better ratio.
    void exactOptimum() {
        for (const double delta : {0.01, 11.0, 300.0, 2000.0}) {
            const double tau = optimalInterval(delta, 900), u = tau / 900;
            QVERIFY(std::abs((u - 1) * std::exp(u) + std::exp(-delta / 900)) < 1e-12);
            QVERIFY(u > 0);
            for (const double other : {0.9, 1.1})
                QVERIFY(ettr<double>(tau, delta, 900, 50) > ettr<double>(other * tau, delta, 900, 50));
        }
        QCOMPARE(optimalInterval(0, 900), 0.0);
        // 140 s of work and 11 s of stall pass without failure in e^-(151 / 900) of the cases.
        QVERIFY(near(ettr<double>(140, 11, 900, 50),
                     140 / (900 * std::exp(50.0 / 900) * (std::exp(151.0 / 900) - 1))));
        for (const double x : {0.0, 1e-9, 1e-4, 9.9e-4, 1.1e-3, 0.5, 3.0})
            QVERIFY(near(expMinusOne(x), std::expm1(x)));
    }

    /// File systems are sold in steps above a least capacity.
    void capacityThatIsSold() {
        QCOMPARE(soldCapacity(100, 120, 24), 120.0);
        QCOMPARE(soldCapacity(120, 120, 24), 120.0);
        QCOMPARE(soldCapacity(121, 120, 24), 144.0);
        QCOMPARE(soldCapacity(144, 120, 24), 144.0);
        QCOMPARE(soldCapacity(121, 120, 0), 121.0);
        // Room for three checkpoints of 10, or a minute to write one: 10 / 60 / rate.
        QCOMPARE(usualCapacity(10, 0.01, 1, 0), 30.0);
        QCOMPARE(usualCapacity(10, 0.001, 1, 0), 10 / 60.0 / 0.001);
        QCOMPARE(usualCapacity(10, 0, 1, 0), 30.0);
        QCOMPARE(usualCapacity(10, 0.01, 0, 0), 0.0);
        QCOMPARE(usualCapacity(10, 0.01, 8, 8), 32.0);
        Inputs in;
        in[Input::storageLeast] = 120;
        in[Input::storageStep] = 24;
        in[Input::storageBytes] = 121; // a capacity that is given
        QCOMPARE(provisionedCapacity<double>(in, 10), 144.0);
        in[Input::storageBytes] = 168;
        QCOMPARE(provisionedCapacity<double>(in, 10), 168.0);
        in[Input::storageBytes] = 0;
        QCOMPARE(provisionedCapacity<double>(in, 50), 168.0); // 150, rounded up
    }

    /// A node's client takes 50 bytes/s, or as many as its 8 processes write.
    void rateOfStorage() {
        Inputs in = smallRun();
        RunStorage<double> s = runStorage<double>(in, 800);
        QCOMPARE(s.hosts, 2.0);
        QCOMPARE(s.clients, 100.0);
        QCOMPARE(s.rate, 100.0);
        QVERIFY(s.clientsLimit);
        in[Input::checkpointWriter] = 4;
        QCOMPARE(runStorage<double>(in, 800).rate, 64.0);
        in[Input::checkpointWriter] = 20;
        in[Input::storageLeast] = 100;
        in[Input::storageRate] = 0.03; // 2,400 bytes are provisioned: 72 bytes/s
        s = runStorage<double>(in, 800);
        QCOMPARE(s.capacity, 2400.0);
        QCOMPARE(s.system, 72.0);
        QCOMPARE(s.rate, 72.0);
        QVERIFY(!s.clientsLimit);
        in[Input::storageRate] = 0.05;
        s = runStorage<double>(in, 800);
        QCOMPARE(s.rate, 100.0);
        QVERIFY(s.clientsLimit);
        in[Input::gpus] = 4; // half of a node is a node
        QCOMPARE(runStorage<double>(in, 800).clients, 50.0);
    }

    /// How long a checkpoint stops training, how long it is on its way after that, and how long its state
    /// takes to come back.
    void checkpointModes_data() {
        QTest::addColumn<int>("mode");
        QTest::addColumn<double>("stall");
        QTest::addColumn<double>("drain");
        QTest::addColumn<double>("restore");
        QTest::addColumn<double>("recovery");
        QTest::newRow("asynchronous") << int(CheckpointMode::async) << 11.0 << 8.0 << 8.0 << 128.0;
        QTest::newRow("synchronous") << int(CheckpointMode::sync) << 19.0 << 0.0 << 8.0 << 128.0;
        QTest::newRow("on another node") << int(CheckpointMode::peer) << 3.0 << 0.0 << 20.0 << 140.0;
        QTest::newRow("none") << int(CheckpointMode::checkpointless) << 0.0 << 0.0 << 20.0 << 47.0;
    }
    void checkpointModes() {
        QFETCH(int, mode);
        QFETCH(double, stall);
        QFETCH(double, drain);
        QFETCH(double, restore);
        QFETCH(double, recovery);
        RunPlan plan;
        plan.mode = static_cast<CheckpointMode>(mode);
        plan.standby = plan.countsSpares = false;
        const Inputs in = smallRun();
        const RunCore<double> run = core(plan, in);
        QCOMPARE(run.mtbf, 900.0);
        QCOMPARE(run.copy, 10.0);
        QCOMPARE(run.write, 8.0);
        QCOMPARE(run.stall, stall);
        QCOMPARE(run.drain, drain);
        QCOMPARE(run.restore, restore);
        QCOMPARE(run.recovery, recovery);
        QCOMPARE(run.plannedStop, recovery - 20);
        const bool everyStep =
            plan.mode == CheckpointMode::peer || plan.mode == CheckpointMode::checkpointless;
        QCOMPARE(run.interval, everyStep ? 2 : optimalInterval(stall, 900));
        QVERIFY(near(run.effective, run.interval / (900 * std::exp((recovery + drain) / 900) *
                                                    std::expm1((run.interval + stall) / 900))));
        const double planned = 0.4 * (recovery - 20) / 900;
        QCOMPARE(run.plannedShare, planned);
        QVERIFY(near(run.goodput, run.effective * (1 - planned)));
        QCOMPARE(core(plan, in, 2, true).goodput, 0.77);
    }

    /// Restarts grow by 30 s with each doubling beyond 512 GPUs; a standby node is there at once.
    void restarts() {
        RunPlan plan;
        Inputs in = smallRun();
        in[Input::gpus] = 2048;
        QCOMPARE(restartSeconds<double>(plan, in), 160.0);
        in[Input::gpus] = 512;
        QCOMPARE(restartSeconds<double>(plan, in), 100.0);
        plan.standby = true;
        QCOMPARE(restartSeconds<double>(plan, in), 15.0);
        plan.mode = CheckpointMode::checkpointless;
        QCOMPARE(restartSeconds<double>(plan, in), 7.0);
    }

    /// No checkpoint starts before storage has the one before, and none within a step.
    void intervalsThatArePossible() {
        const RunPlan plan;
        Inputs in = smallRun();
        QCOMPARE(core(plan, in, 500).interval, 500.0);
        in[Input::checkpointInterval] = 60;
        QCOMPARE(core(plan, in).interval, 60.0);
        QCOMPARE(core(plan, in).bestInterval, optimalInterval(11, 900));
        RunPlan other;
        other.mode = CheckpointMode::sync; // nothing is on its way after the stall
        in[Input::checkpointInterval] = 0.5;
        QCOMPARE(core(other, in).interval, 0.5);
        for (const CheckpointMode everyStep : {CheckpointMode::peer, CheckpointMode::checkpointless}) {
            other.mode = everyStep;
            QCOMPARE(core(other, in).interval, 2.0);
        }
        in[Input::checkpointInterval] = 60;
        in[Input::storageClient] = 1; // 400 s to write
        QCOMPARE(core(plan, in).interval, 400.0 - 11);
        in[Input::checkpointInterval] = 0;
        QCOMPARE(core(plan, in).interval, 400.0 - 11);
    }

    /// Without a link to the host the state goes to storage directly; without a network it is on no other
    /// node.
    void missingLinks() {
        RunPlan plan;
        Inputs in = smallRun();
        in[Input::hostBandwidth] = 0;
        QCOMPARE(core(plan, in).copy, 8.0);
        plan.mode = CheckpointMode::peer;
        in[Input::networkBandwidth] = 0;
        QCOMPARE(core(plan, in).restore, 0.0);
    }

    /// Planned stops take no more than half of the time. 314 of 419 failures take a node (Llama 3, arXiv
    /// 2407.21783, table 5), for 1,800 s each: 2 x 314 / 419 nodes are in repair on average, more than one
    /// spare with probability 1 - (1 + m) e^-m.
    void plannedStopsAndSpares() {
        RunPlan plan;
        plan.countsSpares = true;
        Inputs in = smallRun();
        const double m = 2 * 314 / 419.0, waiting = 1 - (1 + m) * std::exp(-m);
        QVERIFY(near(nodesInRepair<double>(in, 900), m));
        const RunCore<double> run = core(plan, in);
        QVERIFY(near(run.waitingShare, waiting));
        QVERIFY(near(run.goodput, run.effective * (1 - 0.4 * 108 / 900) * (1 - waiting)));
        in[Input::plannedRatio] = 400;
        QCOMPARE(core(plan, in).plannedShare, 0.5);
        plan.countsSpares = false;
        QCOMPARE(core(plan, in).waitingShare, 0.0);
    }

    /// Poisson with mean 2: more than 0, 1, 2 nodes with 1 - e^-2 (1, 1 + 2, 1 + 2 + 2).
    void outOfSparesByHand() {
        QVERIFY(near(outOfSpares(2, 0), 1 - std::exp(-2)));
        QVERIFY(near(outOfSpares(2, 1), 1 - 3 * std::exp(-2)));
        QVERIFY(near(outOfSpares(2, 2), 1 - 5 * std::exp(-2)));
        QVERIFY(near(outOfSpares(2, 3), 1 - (5 + 4 / 3.0) * std::exp(-2)));
        QCOMPARE(outOfSpares(0, 0), 0.0);
        QVERIFY(outOfSpares(2, 100) < 1e-15);
        QVERIFY(outOfSpares(2000, 1000) > 0.999); // e^-2000 is 0 as a double
        QVERIFY(std::abs(outOfSpares(2000, 2000) - 0.494) <
                1e-3); // 1/2 less 2/3 of the density 1 / sqrt(2 pi m)
    }

    /// (10 + k) / P(at most k) of mean 0.5: 16.49, 12.09, 12.18. Of 1,000 nodes a spare costs 0.1 %: a fourth
    /// one pays, which shortens the wait by 0.16 %, a fifth one, 0.016 %, does not.
    void sparesThatPay() {
        QCOMPARE(cheapestSpares(10, 0.5), 1);
        QCOMPARE(cheapestSpares(1000, 0.5), 4);
        QCOMPARE(cheapestSpares(10, 0), 0);
        QCOMPARE(cheapestSpares(1, 1e-6), 0);
        for (const double mean : {0.3, 2.0, 7.0}) {
            int best = 0;
            double lowest = 1e300;
            for (int k = 0; k < 60; ++k) {
                const double cost = (100 + k) / (1 - outOfSpares(mean, k));
                if (cost < lowest) {
                    lowest = cost;
                    best = k;
                }
            }
            QCOMPARE(cheapestSpares(100, mean), best);
        }
    }

    /// A GPU of 1,000 W: 800 at work, 200 idle, 200 + 600 / 4 while it waits; 10 % of fans, 50 W of host, 1.5
    /// for the building.
    void powerOfARun() {
        Inputs in;
        in[Input::gpus] = 4;
        in[Input::gpuPower] = 1000;
        in[Input::powerUtilization] = 0.8;
        in[Input::idlePower] = 0.2;
        in[Input::waitingPower] = 0.25;
        in[Input::fanPower] = 0.1;
        in[Input::hostPowerPerGpu] = 50;
        in[Input::pue] = 1.5;
        const RunPower<double> power = runPower<double>(in, 0.6, 0.9);
        const double step = 0.6 * 800 + 0.4 * 350;
        QCOMPARE(power.stepping, 4 * (1.1 * step + 50) * 1.5);
        QCOMPARE(power.stopped, 4 * (1.1 * 200 + 50) * 1.5);
        QCOMPARE(power.peak, 4 * (1.1 * 800 + 50) * 1.5);
        QCOMPARE(power.mean, 0.9 * power.stepping + 0.1 * power.stopped);
        QCOMPARE(kilowattHours<double>(2000, 3), 6.0);
        // Serving: between idle and TDP, less the share e^-(2 c + m) that is not in use.
        in[Input::servingPowerCompute] = 2;
        in[Input::servingPowerMemory] = 1;
        in[Input::servingPowerFloor] = 0.1;
        QVERIFY(near(servingGpuPower<double>(in, 0, 0), 1000 * (0.2 + 0.8 * 0.1)));
        QVERIFY(near(servingGpuPower<double>(in, 0.3, 0.5), 1000 * (0.2 + 0.8 * (1 - 0.9 * std::exp(-1.1)))));
    }

    /// 3,000 tokens of 2 bytes are three passes over 1,000; sequences of 10 tokens have 20 bytes. Five nodes
    /// read at most 100 bytes/s from storage, at most 4 x 20 in random order, and 5 x 6 through S3. Their
    /// drives hold 500 or 200 bytes each and read 40 bytes/s.
    void trainingDataFromBucketStorageAndDrives() {
        Inputs in;
        in[Input::sequenceLength] = 10;
        in[Input::bytesPerToken] = 2;
        in[Input::globalBatch] = 8;
        in[Input::tokens] = 3000;
        in[Input::datasetTokens] = 1000;
        in[Input::storageRequests] = 4;
        in[Input::objectClient] = 6;
        in[Input::nvmeCapacity] = 500;
        in[Input::nvmeRead] = 40;
        RunPlan plan;
        plan.linkedRepository = true;
        RunStorage<double> storage;
        storage.hosts = 5;
        storage.rate = 100;
        const DataLoading<double> shuffled = dataLoading(plan, in, storage);
        QCOMPARE(shuffled.stepBytes, 160.0);
        QCOMPARE(shuffled.epochs, 3.0);
        QCOMPARE(shuffled.laterRate, 80.0);
        QCOMPARE(shuffled.firstRate, 30.0);
        QCOMPARE(shuffled.cacheHit, 0.25); // 500 of the 2,000 bytes that each node comes to read
        QVERIFY(near(shuffled.cachedRate, 1 / (0.25 / 200 + 0.75 / 80)));
        plan.shuffle = false; // a node reads always the same part
        in[Input::nvmeCapacity] = 200;
        const DataLoading<double> inOrder = dataLoading(plan, in, storage);
        QCOMPARE(inOrder.laterRate, 100.0);
        QCOMPARE(inOrder.cacheHit, 0.5); // 5 x 200 of 2,000
        QVERIFY(near(inOrder.cachedRate, 1 / (0.5 / 200 + 0.5 / 100)));
    }
};

QTEST_APPLESS_MAIN(TestReliability)

} // namespace tst_reliability

#include "tst_reliability.moc"
