// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_activity.h"
#include "model/calibration/live_decode.h"

#include <QTest>

#include <cmath>
#include <random>

namespace tst_live_calibration {

using namespace alidade;

class TestLiveCalibration : public QObject {
    Q_OBJECT

private slots:
    void aLineIsFoundAmongWrongPoints() {
        std::mt19937 random(1);
        std::normal_distribution<double> noise(0, 0.02);
        std::vector<double> x, y;
        for (int i = 0; i < 60; ++i) {
            x.push_back(5 + 0.4 * i);
            y.push_back(3 + 0.5 * x.back() + noise(random));
        }
        for (const std::size_t wrong : {4U, 17U, 33U, 50U})
            y[wrong] += 8;
        const RobustLine line = robustLine(x, y);
        QVERIFY(std::abs(line.b - 0.5) < 3 * line.bSd && line.bSd < 0.002);
        QVERIFY(std::abs(line.a - 3) < 3 * line.aSd);
    }

    /// Errors of the batch flatten the slope; the gauge shows how much.
    void errorInTheBatchIsTakenOut() {
        std::mt19937 random(2);
        std::normal_distribution<double> normal;
        std::vector<DecodeWindow> windows;
        std::vector<double> x, y;
        for (int i = 0; i < 4000; ++i) {
            const double truth = 16 + 4 * std::sin(0.1 * i);
            DecodeWindow w;
            w.batch = truth + 2 * normal(random);
            w.running = truth + normal(random);
            windows.push_back(w);
            x.push_back(w.batch);
            y.push_back(1 + 0.2 * truth);
        }
        const double share = errorShareOfBatch(windows);
        QVERIFY(std::abs(share - 4.0 / (4 + 8)) < 0.05); // variance of the error / of error and sine
        QVERIFY(robustLine(x, y).b < 0.15);
        QVERIFY(std::abs(robustLine(x, y, share).b - 0.2) < 0.02);
        for (DecodeWindow& w : windows) // exact batches have none
            w.batch = w.running;
        QCOMPARE(errorShareOfBatch(windows), 0.0);
    }

    void decodeConstantsFollowFromTheLine() {
        constexpr double weights = 17.6e9, bandwidth = 3.35e12, efficiency = 0.78, fixed = 2.9e-3;
        std::vector<double> bytes, seconds;
        for (int i = 0; i < 12; ++i) {
            bytes.push_back(1e8 * (4 + i));
            seconds.push_back((weights + bytes.back()) / (bandwidth * efficiency) + fixed);
        }
        const DecodeFit fit = fitDecode(bytes, seconds, weights, bandwidth);
        QVERIFY(std::abs(fit.efficiency / efficiency - 1) < 1e-6);
        QVERIFY(std::abs(fit.overhead / fixed - 1) < 1e-6);
    }

    /// The data sheet's clock, not the maximum.
    void clockOfTheDataSheet() {
        Gpu gpu;
        gpu.architecture = "Hopper";
        gpu.bf16 = FlopPerSecond::si(989.5e12);
        gpu.streamingMultiprocessors = 132;
        QVERIFY(std::abs(*sheetClock(gpu) / 1830e6 - 1) < 1e-3);
        gpu.architecture = "Unheard of";
        QVERIFY(!sheetClock(gpu));
    }

    void eventsHaveAPoissonInterval() {
        const PoissonInterval none = poissonInterval(0, 100);
        QCOMPARE(none.low, 0.0);
        QVERIFY(std::abs(none.high - 0.023026) < 1e-5);
        // Chi-squared quantiles: 10 % of 2n = 6 degrees is 2.204, 90 % of 8 is 13.362.
        const PoissonInterval three = poissonInterval(3, 1);
        QVERIFY(std::abs(three.low - 1.102) < 0.01);
        QVERIFY(std::abs(three.high - 6.681) < 0.02);
    }

    void lookbackIsTheLongestWindow() {
        Observation o;
        o.grid = {0, 15, 4};
        QCOMPARE(lookbackOf(o), 15.0);
        SignalTable table;
        table.expression = "sum(rate(a[90s])) / sum(rate(b[1m]))";
        o.tables.push_back(table);
        QCOMPARE(lookbackOf(o), 90.0);
        o.tables.front().window = 240;
        QCOMPARE(lookbackOf(o), 240.0);
    }
};

QTEST_GUILESS_MAIN(TestLiveCalibration)

} // namespace tst_live_calibration

#include "tst_live_calibration.moc"
