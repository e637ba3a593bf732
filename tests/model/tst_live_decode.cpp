// SPDX-License-Identifier: GPL-3.0-or-later
// Windows of serving engines, and the load regression of decode steps, on numbers that can be followed.
#include "model/calibration/live_decode.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_live_decode {

using namespace alidade;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

/// Pairs of points about y = x at 1 and 3, so far above and below it.
struct Pairs {
    std::vector<double> x{1, 1, 3, 3}, y;
    explicit Pairs(double away)
        : y{1 - away, 1 + away, 3 - away, 3 + away} {}
};

SignalTable table(Signal signal, Statistic statistic, std::vector<double> values) {
    SignalTable out;
    out.signal = signal;
    out.statistic = statistic;
    out.rows = {{"host", -1, "engine"}};
    out.values = std::move(values);
    return out;
}

/// One engine at six instants, whose last one is not used; windows of two.
struct Rig {
    Observation o;
    UsableTime time;

    Rig() {
        o.grid = {100, 10, 6};
        time.used = {true, true, true, true, true, false};
        time.lookback = 20;
        add(Signal::interTokenLatency, {0.01, 0.03, 0.02, 0.02, 0.05, 9}, Statistic::mean);
        add(Signal::generationTokensPerSecond, {100, 200, 300, 400, 500, 9});
    }
    void add(Signal signal, std::vector<double> values, Statistic statistic = Statistic::value) {
        o.tables.push_back(table(signal, statistic, std::move(values)));
    }
    std::vector<DecodeWindow> windows() const { return *decodeWindows(o, time); }
};

DecodeWindow window(double batch, double running) {
    DecodeWindow out;
    out.batch = batch;
    out.running = running;
    return out;
}

/// So many times four windows whose batches err by so much about 10 and 20, and exact ones of 15.
std::vector<DecodeWindow> erring(int times, double error, int exact = 8) {
    std::vector<DecodeWindow> out(static_cast<std::size_t>(exact), window(15, 15));
    for (int i = 0; i < times; ++i) {
        for (const double running : {10.0, 20.0}) {
            out.push_back(window(running - error, running));
            out.push_back(window(running + error, running));
        }
    }
    return out;
}

} // namespace

class TestLiveDecode : public QObject {
    Q_OBJECT

private slots:
    /// Equal weights leave the line of least squares: the variance of the slope is that of y over 4, the sum
    /// of the squared distances of x from its mean.
    void lineThroughPairs() {
        constexpr double d = 0.1;
        const Pairs points(d);
        const double variance = 4 * d * d / 2; // two degrees of freedom
        RobustLine line = robustLine(points.x, points.y);
        QVERIFY(near(line.b, 1) && near(line.a, 0));
        QVERIFY(near(line.residual, 1.4826 * d));
        QVERIFY(near(line.bSd, std::sqrt(variance / 4)));
        QVERIFY(near(line.aSd, std::sqrt(variance / 4 + 4 * variance / 4)));
        QVERIFY(near(line.abCovariance, -2 * variance / 4));
        QVERIFY(near(line.reach, 0.5)); // 1 of 2
        // Half of the scatter of x is error: the slope is twice as steep, about the same middle.
        line = robustLine(points.x, points.y, 0.5);
        QVERIFY(near(line.b, 2) && near(line.a, -2));
        QVERIFY(near(line.bSd, 2 * std::sqrt(variance / 4)));
        QVERIFY(near(line.aSd, std::sqrt(variance / 4 + 4 * 4 * variance / 4)));
        QVERIFY(near(line.abCovariance, -2 * 4 * variance / 4));
    }

    /// A point 4.8 deviations off has no say; one that is 4.5 off still has some.
    void wrongPointsHaveNoSay() {
        const double deviation = 1.4826 * 0.1;
        const auto intercept = [&](double deviations) {
            Pairs points(0.1);
            for (int i = 0; i < 3; ++i) {
                const Pairs more(0.1);
                points.x.insert(points.x.end(), more.x.begin(), more.x.end());
                points.y.insert(points.y.end(), more.y.begin(), more.y.end());
            }
            points.x.push_back(2);
            points.y.push_back(2 + deviations * deviation);
            return robustLine(points.x, points.y).a;
        };
        QVERIFY(std::abs(intercept(100)) < 1e-9);
        QVERIFY(std::abs(intercept(4.8)) < 1e-9);
        QVERIFY(intercept(4.4) > 1e-6 && intercept(4.4) < 0.002);
        QVERIFY(intercept(2) > 0.005); // 0.3 over 17 points
    }

    void linesWithoutSlope() {
        RobustLine line = robustLine({2, 2, 2}, {1, 2, 3});
        QCOMPARE(line.b, 0.0);
        QVERIFY(near(line.a, 2));
        QCOMPARE(line.bSd, 0.0);
        QCOMPARE(line.reach, 0.0);
        line = robustLine({-1, 1}, {1, 3}); // two points lie on their line
        QVERIFY(near(line.b, 1) && near(line.a, 2));
        QCOMPARE(line.aSd, 0.0);
        QCOMPARE(line.reach, 0.0); // about a mean of zero
        line = robustLine({-3, -1, -2}, {-3, -1, -2});
        QVERIFY(near(line.reach, std::sqrt(2.0 / 3) / 2));
    }

    /// A slope of 1 s/byte at 4 bytes/s is a quarter of the bandwidth; 2 bytes of weights take 2 s, which is
    /// all of the intercept and 2 s more.
    void constantsOfTheLine() {
        constexpr double d = 0.1;
        const Pairs points(d);
        const double variance = 2 * d * d;
        DecodeFit fit = fitDecode(points.x, points.y, 2, 4);
        QVERIFY(near(fit.efficiency, 0.25));
        QVERIFY(near(fit.efficiencySd, std::sqrt(variance / 4)));
        QVERIFY(near(fit.overhead, -2));
        // At 2 bytes below nothing, 4 from the middle: variance / 4 and 4^2 times that of the slope.
        QVERIFY(near(fit.overheadSd, std::sqrt(variance / 4 + 16 * variance / 4)));
        fit = fitDecode(points.x, {3, 3, 1, 1}, 2, 4); // faster with more to read
        QCOMPARE(fit.efficiency, 0.0);
        QCOMPARE(fit.efficiencySd, 0.0);
        fit = fitDecode(points.x, points.y, 2, 4, 0.5);
        QVERIFY(near(fit.efficiency, 0.125));
    }

    /// Of batches that err by 2 about 10 and 20, 4 of 29 of the variance are error, once enough windows show
    /// it: two standard errors of the ratio are sqrt((25/29 - (25/29)^2) / (n - 2)) each.
    void errorOfBatches() {
        QVERIFY(near(errorShareOfBatch(erring(100, 2)), 4.0 / 29));
        QVERIFY(near(errorShareOfBatch(erring(7, 2, 0)), 4.0 / 29)); // 28 windows: 0.997
        QCOMPARE(errorShareOfBatch(erring(6, 2, 0)), 0.0);           // 24: 1.009
        // What is more than half error is none of the batch's alone.
        QVERIFY(near(errorShareOfBatch(erring(100, 4.5)), 1 - 25 / 45.25));
        QCOMPARE(errorShareOfBatch(erring(100, 6)), 0.0);
        QCOMPARE(errorShareOfBatch({}), 0.0);
        QCOMPARE(errorShareOfBatch(std::vector<DecodeWindow>(20, window(15, 15))), 0.0); // no load to tell by
        std::vector<DecodeWindow> some = erring(100, 2);
        for (DecodeWindow& each : some) // the gauge counts twice as many
            each.running *= 2;
        QVERIFY(near(errorShareOfBatch(some), 4.0 / 29));
        some = erring(100, 2);
        some.push_back(window(60, 20));  // a wrong window
        some.push_back(window(1000, 0)); // and one without a gauge
        QVERIFY(near(errorShareOfBatch(some), 4.0 / 29));
    }

    void tenWindowsAtLeast() {
        // Nearly exact at a load that varies: what there is of an error shows in few windows.
        std::vector<DecodeWindow> some;
        for (const double running : {1.0, 1000.0})
            for (const double error : {0.5, 0.5, 0.0, -0.5, -0.5})
                some.push_back(window(running + error * running / 5, running));
        QCOMPARE(some.size(), std::size_t{10});
        const double ofTen = errorShareOfBatch(some);
        some.pop_back();
        QCOMPARE(errorShareOfBatch(some), 0.0);
        QVERIFY(ofTen >= 0 && ofTen < 0.02);
    }

    void windowsOfAnEngine() {
        Rig rig;
        const std::vector<DecodeWindow> plain = rig.windows();
        QCOMPARE(plain.size(), std::size_t{3});
        QCOMPARE(plain[0].start, 100.0);
        QCOMPARE(plain[0].end, 110.0);
        QCOMPARE(plain[2].end, 150.0);
        QVERIFY(near(plain[0].itl, 0.02));
        QVERIFY(near(plain[0].batch, (1 + 6) / 2.0)); // tokens/s x gap
        QVERIFY(near(plain[1].batch, (6 + 8) / 2.0));
        QVERIFY(near(plain[2].batch, 25));
        QCOMPARE(plain[0].prefillShare, 0.0);
        QCOMPARE(plain[0].hitShare, 0.0);
        for (const double each : {plain[0].running, plain[0].requestRate, plain[0].prompt, plain[0].output,
                                  plain[0].prefillTime, plain[0].ttft}) {
            QVERIFY(std::isnan(each));
        }
        rig.add(Signal::outputTokens, {10, 20, 30, 40, 50, 60}, Statistic::mean);
        QVERIFY(near(rig.windows()[0].requestRate, 150 / 15.0)); // tokens/s over tokens of a request
        rig.add(Signal::prefillShare, {0.1, 0.2, none, 0.4, none, 0});
        rig.add(Signal::requestsRunning, {3, 4, 5, 6, 7, 8});
        rig.add(Signal::requestsPerSecond, {1, 2, 3, 4, 5, 6});
        rig.add(Signal::promptTokens, {100, 300, 5, 5, 5, 5}, Statistic::mean);
        rig.add(Signal::prefixHitShare, {0.5, 0.7, 0, 0, 0, 0});
        rig.add(Signal::prefillTime, {0.2, 0.4, 1, 1, 1, 1}, Statistic::mean);
        rig.add(Signal::timeToFirstToken, {0.3, 0.5, 1, 1, 1, 1}, Statistic::mean);
        const std::vector<DecodeWindow> all = rig.windows();
        QCOMPARE(all.size(), std::size_t{2}); // the share of the last one is not measured
        QVERIFY(near(all[0].prefillShare, 0.15));
        QVERIFY(near(all[0].running, 3.5));
        QVERIFY(near(all[0].requestRate, 1.5));
        QVERIFY(near(all[0].prompt, 200));
        QVERIFY(near(all[0].output, 15));
        QVERIFY(near(all[0].hitShare, 0.6));
        QVERIFY(near(all[0].prefillTime, 0.3));
        QVERIFY(near(all[0].ttft, 0.4));
        QVERIFY(near(all[1].prefillShare, 0.4));
        QVERIFY(near(all[1].itl, 0.02));
    }

    /// Instants without a gap or without tokens say nothing, nor do engines that are idle throughout.
    void idleInstants() {
        Rig rig;
        rig.o.tables[0].values = {0, 0.03, none, 0.02, 0.05, 9};
        rig.o.tables[1].values = {100, 200, 300, 0, 500, 9};
        const std::vector<DecodeWindow> found = rig.windows();
        QCOMPARE(found.size(), std::size_t{2});
        QVERIFY(near(found[0].itl, 0.03) && near(found[0].batch, 6));
        QCOMPARE(found[1].start, 140.0);
        rig.o.tables[1].rows = {{"other", -1, "engine"}};
        QVERIFY(rig.windows().empty());
    }

    void missingSignals() {
        Rig rig;
        rig.o.tables.pop_back();
        QCOMPARE(decodeWindows(rig.o, rig.time).error(),
                 std::string("no engine reports generated tokens; use a mapping that names the counter"));
        const std::string gaps = "no engine reports inter-token latency; select a job with vLLM or SGLang "
                                 "histograms, or a mapping that names them";
        rig.o.tables[0].rows.clear();
        QCOMPARE(decodeWindows(rig.o, rig.time).error(), gaps);
        rig.o.tables.clear();
        QCOMPARE(decodeWindows(rig.o, rig.time).error(), gaps);
        rig.add(Signal::interTokenLatency, {0.01, 0.03, 0.02, 0.02, 0.05, 9}); // as a value
        rig.add(Signal::generationTokensPerSecond, {100, 200, 300, 400, 500, 9});
        QCOMPARE(rig.windows().size(), std::size_t{3});
    }
};

QTEST_APPLESS_MAIN(TestLiveDecode)

} // namespace tst_live_decode

#include "tst_live_decode.moc"
