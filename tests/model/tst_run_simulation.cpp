// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
#include "model/reliability/failure_causes.h"
#include "model/reliability/goodput.h"
#include "model/reliability/run_core.h"
#include "model/reliability/spares.h"
#include "model/run/run_simulation.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace tst_run_simulation {

using namespace alidade;

namespace {

double meanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double drawn(std::mt19937_64& random, double low, double high) { // log-uniform
    return low * std::exp(std::uniform_real_distribution<double>(0, std::log(high / low))(random));
}

/// A run with a few hundred failures, of a random fleet and random checkpoints.
RunProcess randomProcess(std::mt19937_64& random) {
    RunProcess p;
    p.mtbf = drawn(random, 1'800, 400'000);
    p.stall = drawn(random, 0.02, 120);
    p.interval = std::max(10.0, optimalInterval(p.stall, p.mtbf) * drawn(random, 0.3, 4));
    p.interval = std::min(p.interval, p.mtbf / 4);
    p.drain = (p.interval + p.stall) * std::uniform_real_distribution<double>(0, 1)(random);
    p.recovery = std::min(p.mtbf / 4, drawn(random, 30, 3'000));
    p.useful = 200 * p.mtbf;
    p.plannedRate = 0.1 / p.mtbf;
    p.plannedStop = p.recovery;
    return p;
}

double closedForm(const RunProcess& p) {
    const double ratio = ettr(p.interval, p.stall, p.mtbf, p.recovery + p.drain);
    return p.useful / ratio / (1 - p.plannedRate * p.plannedStop);
}

} // namespace

class TestRunSimulation : public QObject {
    Q_OBJECT
private slots:
    /// The closed form of the mean against the played run, within 1 % in each of 300 random settings.
    void closedFormAgrees() {
        std::mt19937_64 random(20261124);
        double worst = 0, sum = 0;
        for (int i = 0; i < 300; ++i) {
            const RunProcess p = randomProcess(random);
            const double played = meanOf(drawLengths(p, 300, static_cast<std::uint64_t>(i) + 1));
            const double error = played / closedForm(p) - 1;
            worst = std::max(worst, std::abs(error));
            sum += error;
            QVERIFY2(std::abs(error) < 0.01,
                     qPrintable(QStringLiteral("setting %1: %2 %").arg(i).arg(100 * error)));
        }
        QVERIFY2(std::abs(sum / 300) < 0.002, qPrintable(QString::number(sum / 300)));
        qInfo("largest difference %.2f %%, mean %.3f %%", 100 * worst, 100 * sum / 300);
    }

    /// Without failures a run takes its steps and one stall after each interval but the last.
    void noFailures() {
        RunProcess p{.useful = 1000, .interval = 100, .stall = 2, .mtbf = 1e15, .recovery = 50};
        QCOMPARE(drawLengths(p, 1, 7).front(), 1000 + 9 * 2.0);
        p.useful = 1050;
        QCOMPARE(drawLengths(p, 1, 7).front(), 1050 + 10 * 2.0);
    }

    void sameSeedSameRun() {
        std::mt19937_64 random(3);
        const RunProcess p = randomProcess(random);
        QCOMPARE(drawLengths(p, 20, 5), drawLengths(p, 20, 5));
        QVERIFY(drawLengths(p, 20, 5) != drawLengths(p, 20, 6));
        const DrawnRun run = drawRun(p, 9);
        QVERIFY(std::ranges::is_sorted(run.failures, {}, &DrawnFailure::at));
        double sum = p.useful + run.stalls + run.planned;
        for (const DrawnFailure& failure : run.failures) {
            sum += failure.lost + failure.stop;
            QVERIFY(failure.lost >= 0 && failure.stop >= p.recovery);
        }
        QVERIFY(std::abs(sum / run.seconds - 1) < 1e-9);
    }

    /// The spread of the lengths: a log-normal step time dominates a long run with many failures.
    void spreadOfTheStepTime() {
        RunProcess p{.useful = 1e6, .interval = 200, .stall = 1, .mtbf = 11'000, .recovery = 600};
        const auto lengths = drawLengths(p, 4000, 11, {.stepLogSd = 0.07, .rateLogSd = 0});
        const double ratio = std::log(lengths[3600] / lengths[400]) / 2 / 1.2815515655446004;
        QVERIFY2(std::abs(ratio - 0.07) < 0.006, qPrintable(QString::number(ratio)));
    }

    /// e^x - 1 without cancellation: the goodput of one GPU that saves every step is below 1 by 1e-9 or so.
    void smallIntervals() {
        const double mtbf = 1.8e8;
        const double ratio = ettr(0.5, 0.0, mtbf, 0.0);
        QVERIFY(ratio <= 1 && 1 - ratio < 1e-8);
        QVERIFY(std::abs(ratio - (1 - 0.5 / mtbf / 2)) < 1e-15);
        for (const double x : {1e-12, 1e-6, 9.99e-4, 1.001e-3, 0.3})
            QVERIFY2(std::abs(expMinusOne(x) / std::expm1(x) - 1) < 1e-12, qPrintable(QString::number(x)));
    }

    void causesAreComplete() {
        double sum = 0;
        for (const FailureCause& cause : failureCauses)
            sum += cause.share;
        QVERIFY(std::abs(sum - 1) < 1e-12);
    }

    /// Capacity is sold in steps: 4,800 GiB and more of them.
    void capacityInSteps() {
        constexpr double gib = 1073741824.0;
        const double rate = 1e9 / (1024 * gib); // 1,000 MB/s per TiB
        const double step = 4800 * gib;
        QCOMPARE(usualCapacity(1e9, rate, step, step), step);
        const double large = usualCapacity(5.68e12, rate, step, step); // 94.7 GB/s within a minute: 94.7 TiB
        QVERIFY(std::abs(large / step - std::round(large / step)) < 1e-9);
        QVERIFY(large >= 5.68e12 / 60 / rate && large < 5.68e12 / 60 / rate + step);
        // Without EFA: 1,200 GiB, 2,400 GiB and multiples of that, and nothing between.
        QCOMPARE(soldCapacity(1100 * gib, 1200 * gib, 2400 * gib), 1200 * gib);
        QCOMPARE(soldCapacity(1911 * gib, 1200 * gib, 2400 * gib), 2400 * gib);
        QCOMPARE(soldCapacity(2400 * gib, 1200 * gib, 2400 * gib), 2400 * gib);
        QCOMPARE(soldCapacity(2401 * gib, 1200 * gib, 2400 * gib), 4800 * gib);
        QCOMPARE(usualCapacity(5.68e12, rate, 0, 0), 0.0); // S3: nothing is provisioned
        QCOMPARE(soldCapacity(1911 * gib, 0, 0), 1911 * gib);
    }

    /// A given capacity counts as what is sold for it, in its throughput too.
    void givenCapacityInSteps() {
        constexpr double gib = 1073741824.0;
        Inputs in;
        in[Input::gpus] = 8;
        in[Input::gpusPerHost] = 8;
        in[Input::storageClient] = 1e12;
        in[Input::checkpointWriter] = 1e12;
        in[Input::storageRate] = 1e9 / (1024 * gib);
        in[Input::storageLeast] = 1200 * gib;
        in[Input::storageStep] = 2400 * gib;
        for (const auto& [given, sold] : {std::pair(100, 1200), std::pair(1200, 1200), std::pair(1201, 2400),
                                          std::pair(4800, 4800), std::pair(4801, 7200)}) {
            in[Input::storageBytes] = given * gib;
            const RunStorage<double> storage = runStorage(in, 1e9);
            QCOMPARE(storage.capacity, sold * gib);
            QCOMPARE(storage.rate, sold * gib * in[Input::storageRate]);
        }
        in[Input::storageLeast] = in[Input::storageStep] = 0; // sold in any size
        QCOMPARE(runStorage(in, 1e9).capacity, 4801 * gib);
    }

    /// One more spare than the cheapest number costs more, and so does one less.
    void cheapestNumberOfSpares() {
        for (const double mean : {0.01, 0.5, 5.8, 40.0, 300.0}) {
            const double nodes = 2048;
            const int best = cheapestSpares(nodes, mean);
            const auto cost = [&](int spares) { return (nodes + spares) / (1 - outOfSpares(mean, spares)); };
            QVERIFY(cost(best) <= cost(best + 1));
            QVERIFY(best == 0 || cost(best) <= cost(best - 1));
        }
        // P(N > 1) of a Poisson number with mean 0.5: 1 - e^-0.5 (1 + 0.5)
        QVERIFY(std::abs(outOfSpares(0.5, 1) - (1 - 1.5 * std::exp(-0.5))) < 1e-14);
    }
};

QTEST_APPLESS_MAIN(TestRunSimulation)

} // namespace tst_run_simulation

#include "tst_run_simulation.moc"
