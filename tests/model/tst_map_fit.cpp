// SPDX-License-Identifier: GPL-3.0-or-later
// The fit of constants on laws whose optimum, steps and uncertainty follow from a line of algebra.
#include "model/calibration/map_fit.h"
#include "model/calibration/positive_fit.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_map_fit {

using namespace alidade;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool near(double a, double b, double to = 1e-9) { return std::abs(a - b) <= to * std::max(1.0, std::abs(b)); }

/// One parameter that is measured directly, of which nothing else is known.
MapProblem direct(const std::vector<FitPoint>& points, FitPrior prior = {0, infinite}) {
    MapProblem out;
    out.priors = {prior};
    out.points = points;
    out.predict = [](std::size_t, const std::vector<double>& t) { return t[0]; };
    return out;
}

/// The sum of two parameters.
MapProblem sum(double priorSd, double sd) {
    MapProblem out;
    out.priors = {{0, priorSd}, {0, priorSd}};
    out.points = {{.measured = 0, .sd = sd}};
    out.predict = [](std::size_t, const std::vector<double>& t) { return t[0] + t[1]; };
    return out;
}

} // namespace

class TestMapFit : public QObject {
    Q_OBJECT

private slots:
    /// Squares up to 1.5 sd, beyond it lines: 2 x 1.5 u - 1.5^2; each with its weight, and the prior.
    void costOfParameters() {
        const MapProblem problem = direct({{.measured = 1, .sd = 0.5, .weight = 3},   // u = 0
                                           {.measured = 1.5, .sd = 0.5, .weight = 3}, // 1
                                           {.measured = 0, .sd = 0.5, .weight = 2},   // 2
                                           {.measured = 9, .sd = 0.1, .weight = 0}},
                                          {3, 4}); // half a deviation
        QVERIFY(near(mapCost(problem, 1.5, {1}), 3 + 2 * (2 * 1.5 * 2 - 2.25) + 0.25));
        QVERIFY(near(mapCost(problem, 2, {1}), 3 + 2 * 4 + 0.25));
        QVERIFY(near(mapCost(problem, infinite, {1}), 3 + 2 * 4 + 0.25));
    }

    /// Measurements and prior by their precisions: 2/0.25 and 1/4 of two points, 1/4 of the prior.
    void meanByPrecision() {
        const MapProblem problem =
            direct({{.measured = 1, .sd = 0.5, .weight = 2}, {.measured = 3, .sd = 2, .weight = 1}}, {-1, 2});
        const MapFit fit = fitMap(problem, {.huber = infinite});
        const double precision = 8 + 0.25 + 0.25;
        QVERIFY(fit.converged);
        QVERIFY(near(fit.parameters[0], (8 * 1 + 0.25 * 3 - 0.25) / precision));
        QVERIFY(near(fit.sd[0], 1 / std::sqrt(precision)));
        QVERIFY(near(fit.covariance[0], 1 / precision));
        QVERIFY(near(fit.dataShare[0], 1 - 0.25 / precision));
        QVERIFY(near(fit.cost, mapCost(problem, infinite, fit.parameters)));
        QVERIFY(near(fit.predicted[0], fit.parameters[0]) && near(fit.predicted[1], fit.parameters[0]));
        QVERIFY(near(fit.slopes[0], 1) && near(fit.slopes[1], 1));
        QCOMPARE(fit.slopes.size(), std::size_t{2});
    }

    /// Five at 0 pull with their distance, one far away with 1.5 sd: 5 x = 1.5. It counts as 1.5 over its
    /// distance.
    void farPointsPullAlike() {
        std::vector<FitPoint> points(5, {.measured = 0, .sd = 2});
        points.push_back({.measured = 200, .sd = 2});
        const MapFit fit = fitMap(direct(points));
        QVERIFY(near(fit.parameters[0], 0.3 * 2));
        QVERIFY(near(fit.sd[0], 2 / std::sqrt(5 + 1.5 / 99.7), 1e-6));
    }

    /// One parameter moves by 1 at most in an iteration, by a thousandth less than to the optimum in the
    /// first, by a ten-thousandth less in the second.
    void steps() {
        const auto after = [](int iterations, double measured, bool curved) {
            return fitMap(direct({{.measured = measured, .sd = 1}}, {0, 1e9}),
                          {.huber = infinite, .mostIterations = iterations, .curved = curved});
        };
        QVERIFY(near(after(1, 5, false).parameters[0], 1));
        QVERIFY(near(after(1, -5, false).parameters[0], -1));
        QVERIFY(near(after(2, 5, false).parameters[0], 2));
        for (const bool curved : {false, true}) {
            QVERIFY(near(after(1, 0.5, curved).parameters[0], 0.5 / 1.001, 1e-12));
            const double left = 0.5 - 0.5 / 1.001;
            QVERIFY(near(after(2, 0.5, curved).parameters[0], 0.5 - left * (1 - 1 / 1.0001), 1e-12));
            QCOMPARE(after(1, 0.5, curved).iterations, 1);
            QVERIFY(!after(1, 0.5, curved).converged);
        }
        const MapFit unmoved = after(0, 0.5, false);
        QCOMPARE(unmoved.parameters[0], 0.0);
        QCOMPARE(unmoved.iterations, 0);
        QVERIFY(near(unmoved.cost, 0.25) && near(unmoved.sd[0], 1) && !unmoved.converged);
    }

    /// Half of the promised decrease: the damping stays as it is; a tenth of it: four times as much.
    void dampingOfCurvedLaws() {
        // ln of nothing: a law that bends, so that a step brings less than its slope says.
        const auto second = [](double bend) {
            MapProblem problem;
            problem.priors = {{0, infinite}};
            problem.start = {0.5};
            problem.points = {{.measured = 0, .sd = 1}, {.measured = 0, .sd = 1}};
            problem.predict = [bend](std::size_t i, const std::vector<double>& t) {
                return i == 0 ? t[0] : 5 + bend * t[0] * t[0];
            };
            MapOptions options{.huber = infinite, .mostIterations = 2, .tolerance = 0, .curved = true};
            const double two = fitMap(problem, options).parameters[0];
            options.mostIterations = 1;
            const double one = fitMap(problem, options).parameters[0];
            // The second step's normal equation tells the damping: N (1 + damping) step = gradient.
            const double slope = 2 * bend * one, normal = 1 + slope * slope;
            const double gradient = -one - slope * (5 + bend * one * one);
            return gradient / (normal * (two - one)) - 1;
        };
        QVERIFY(near(second(0), 1e-4, 1e-7)); // as promised: a tenth
        // From 0.5 a bend of 0.05 brings 0.283 of the promised 0.562, one of 0.098 0.035 of 0.975.
        QVERIFY(near(second(0.05), 1e-3, 1e-6));
        QVERIFY(near(second(0.098), 4e-3, 1e-6));
    }

    void endsWhenNothingIsGained() {
        MapOptions options{.huber = infinite, .leastGain = 1};
        const MapProblem problem = direct({{.measured = 0.5, .sd = 1}}, {0, 1e9}); // at most 0.25 to gain
        MapFit fit = fitMap(problem, options);
        QVERIFY(fit.converged);
        QCOMPARE(fit.iterations, 1);
        options.leastGain = 0.2;
        QCOMPARE(fitMap(problem, options).iterations, 2);
        options.leastGain = 0;
        options.tolerance = 1; // moved by less than that
        QCOMPARE(fitMap(problem, options).iterations, 1);
        options.tolerance = 0.4; // of a parameter whose prior is wide, absolute
        QCOMPARE(fitMap(problem, options).iterations, 2);
        // Of one whose prior is narrow, of its sd: 0.0005 x 0.5 / 1.001 / 0.001 sd.
        const MapProblem narrow = direct({{.measured = 0.001, .sd = 0.001}}, {0, 0.001});
        QCOMPARE(fitMap(narrow, {.huber = infinite, .tolerance = 0.51}).iterations, 1);
        QCOMPARE(fitMap(narrow, {.huber = infinite, .tolerance = 0.49}).iterations, 2);
    }

    /// Two that only their sum is known of: a correlation of -1 / (1 + variance / prior variance).
    void whatCannotBeToldApart() {
        const MapFit fit = fitMap(sum(1, 0.5), {.huber = infinite});
        QVERIFY(near(fit.correlation(0, 1), -1 / 1.25) && near(fit.correlation(1, 0), -1 / 1.25));
        QVERIFY(near(fit.sd[0] * fit.sd[0], (1 + 4) / (25.0 - 16))); // of the inverse of (5 4; 4 5)
        QVERIFY(near(fit.covariance[1], -4 / 9.0) && near(fit.covariance[2], -4 / 9.0));
        QVERIFY(fit.confounded.empty());
        QVERIFY(fitMap(sum(1, std::sqrt(0.054)), {.huber = infinite}).confounded.empty()); // 0.949
        const MapFit close = fitMap(sum(1, std::sqrt(0.051)), {.huber = infinite});        // 0.951
        QCOMPARE(close.confounded.size(), std::size_t{1});
        QCOMPARE(close.confounded[0].first, std::size_t{0});
        QCOMPARE(close.confounded[0].second, std::size_t{1});
        QVERIFY(near(close.confounded[0].correlation, -1 / 1.051));
    }

    /// Slopes from both sides, or from above while they are kept: of t^2 at 3, 6 and 6.1.
    void slopes() {
        MapProblem problem = direct({{.measured = 9, .sd = 1}}, {3, 1});
        problem.predict = [](std::size_t, const std::vector<double>& t) { return t[0] * t[0]; };
        const auto slope = [&](int keep) {
            return fitMap(problem, {.mostIterations = 0, .differenceStep = 0.1, .keepSlopes = keep})
                .slopes[0];
        };
        QVERIFY(near(slope(0), 6) && near(slope(1), 6.1));
        // Where a law is nothing on one side, that of the other holds; nothing on both is no slope.
        const auto withoutSide = [&](bool above, bool below) {
            problem.predict = [=](std::size_t, const std::vector<double>& t) {
                return (above && t[0] > 3.05) || (below && t[0] < 2.95) ? none : t[0] * t[0];
            };
            return slope(0);
        };
        QVERIFY(near(withoutSide(true, false), 5.9));
        QVERIFY(near(withoutSide(false, true), 6.1));
        QCOMPARE(withoutSide(true, true), 0.0);
    }

    /// A kept slope of a line is as good as a new one: fewer predictions, the same end.
    void keptSlopes() {
        int calls = 0;
        const auto run = [&](int keep) {
            MapProblem problem;
            problem.priors.assign(4, {0, 1e9});
            for (int i = 0; i < 4; ++i)
                problem.points.push_back({.measured = 0.3 * (i + 1), .sd = 1});
            problem.predict = [&calls](std::size_t i, const std::vector<double>& t) {
                ++calls;
                return t[i] + 0.1 * t[(i + 1) % 4];
            };
            calls = 0;
            return fitMap(problem, {.huber = infinite, .tolerance = 1e-6, .keepSlopes = keep});
        };
        const MapFit fresh = run(0);
        const int without = calls;
        const MapFit kept = run(6);
        QVERIFY(calls < without);
        QVERIFY(fresh.converged && kept.converged);
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(near(kept.parameters[i], fresh.parameters[i], 1e-6));
    }

    void pointsWithoutWeightAreNotAsked() {
        MapProblem problem =
            direct({{.measured = 1, .sd = 1}, {.measured = 50, .sd = 1, .weight = 0}}, {0, 1});
        problem.predict = [](std::size_t i, const std::vector<double>& t) { return i == 0 ? t[0] : none; };
        const MapFit fit = fitMap(problem, {.huber = infinite});
        QVERIFY(near(fit.parameters[0], 0.5));
        QCOMPARE(fit.predicted[1], 0.0);
        QCOMPARE(fit.slopes[1], 0.0);
    }

    /// From a start of which the law says nothing there is no way on.
    void startsWithoutAPrediction() {
        MapProblem problem = sum(1, 1);
        problem.predict = [](std::size_t, const std::vector<double>&) { return none; };
        const MapFit fit = fitMap(problem, {.mostIterations = 7});
        QCOMPARE(fit.iterations, 7);
        QVERIFY(!fit.converged);
        QCOMPARE(fit.parameters[0], 0.0);
    }

    /// A step into a region without predictions is taken back, and shortened.
    void stepsIntoNothing() {
        MapProblem problem = direct({{.measured = 1, .sd = 1}}, {0, 1e9});
        problem.predict = [](std::size_t, const std::vector<double>& t) { return t[0] > 0.5 ? none : t[0]; };
        const MapFit fit = fitMap(problem, {.huber = infinite, .mostIterations = 100});
        QVERIFY2(fit.parameters[0] > 0.4 && fit.parameters[0] <= 0.5,
                 qPrintable(QString::number(fit.parameters[0])));
    }

    void startOfItsOwn() {
        MapProblem problem = direct({{.measured = 1, .sd = 1}}, {0, 1});
        problem.start = {7};
        QCOMPARE(fitMap(problem, {.mostIterations = 0}).parameters[0], 7.0);
        QVERIFY(near(fitMap(problem, {.huber = infinite}).parameters[0], 0.5));
        QVERIFY(near(fitMap(problem, {.huber = infinite, .threads = 3}).parameters[0], 0.5));
    }

    /// 1 and 4 s of one term: 2 s, which are off by 100 and 50 %.
    void positiveFits() {
        const PositiveFit fit = fitPositive({{1}, {1}}, {1, 4}, {10});
        QVERIFY(near(fit.theta[0], 2, 1e-6));
        QVERIFY(near(fit.meanAbsError, 0.75, 1e-6));
        // Two terms of two measurements are exact: 3 + 5 x, in steps of an e-fold from far away.
        const PositiveFit two = fitPositive({{1, 1}, {1, 100}}, {8, 503}, {1e-3, 1e3});
        QVERIFY(near(two.theta[0], 3, 1e-6) && near(two.theta[1], 5, 1e-6));
        QVERIFY(two.meanAbsError < 1e-9);
    }

    /// 30 us and (n - 1)/n of the bytes at 200 GB/s; 1e-8 s of each root of a byte.
    void lawsOfCollectives() {
        std::vector<double> bytes, seconds, filled;
        for (double size = 1 << 16; size <= 1 << 30; size *= 4) {
            const double wire = 2 * size * 3 / 4;
            bytes.push_back(size);
            seconds.push_back(3e-5 + wire / 2e11);
            filled.push_back(3e-5 + 1e-8 * std::sqrt(wire) + wire / 2e11);
        }
        const CollectiveLaw two = fitCollective(CollectiveOp::allReduce, 4, bytes, seconds, false);
        QVERIFY(near(two.alpha / 3e-5, 1, 1e-6) && near(two.bandwidth / 2e11, 1, 1e-6));
        QCOMPARE(two.gamma, 0.0);
        QVERIFY(two.meanAbsError < 1e-6);
        const CollectiveLaw three = fitCollective(CollectiveOp::allReduce, 4, bytes, filled);
        QVERIFY(near(three.alpha / 3e-5, 1, 1e-4) && near(three.bandwidth / 2e11, 1, 1e-4));
        QVERIFY(near(three.gamma / 1e-8, 1, 1e-4));
    }
};

QTEST_APPLESS_MAIN(TestMapFit)

} // namespace tst_map_fit

#include "tst_map_fit.moc"
