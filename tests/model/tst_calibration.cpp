// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/map_fit.h"
#include "model/calibration/positive_fit.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_calibration {

using namespace alidade;

namespace {

/// Times of a law with two terms, exp(a) x + exp(b), at sizes 1, 2, 4, ...: the shape of every cost law here.
MapProblem twoTerms(double a, double b, std::size_t points) {
    MapProblem out;
    out.priors = {{a + 0.5, 1}, {b - 0.5, 1}};
    out.predict = [](std::size_t point, const std::vector<double>& theta) {
        return std::log(std::exp(theta[0]) * std::exp2(static_cast<double>(point)) + std::exp(theta[1]));
    };
    for (std::size_t i = 0; i < points; ++i)
        out.points.push_back({.measured = out.predict(i, {a, b}), .sd = 0.02});
    return out;
}

} // namespace

class TestCalibration : public QObject {
    Q_OBJECT

private slots:
    void findsTheTruth() {
        const MapFit fit = fitMap(twoTerms(-3, -1, 8));
        QVERIFY(fit.converged);
        QVERIFY(std::abs(fit.parameters[0] + 3) < 1e-3);
        QVERIFY(std::abs(fit.parameters[1] + 1) < 1e-3);
        QVERIFY(fit.dataShare[0] > 0.99 && fit.dataShare[1] > 0.99);
        QVERIFY(fit.confounded.empty());
    }

    /// A law whose curvature doubles that of its slopes: whole steps lead to the other side of the minimum,
    /// and down by next to nothing.
    void doesNotGoToAndFroInACurvedValley() {
        MapProblem problem;
        problem.priors = {{0, 1e3}};
        problem.start = {1};
        problem.points = {{.measured = 0, .sd = 1}, {.measured = 0, .sd = 1}};
        problem.predict = [](std::size_t point, const std::vector<double>& theta) {
            return point == 0 ? theta[0] : 5 + 0.098 * theta[0] * theta[0];
        };
        const MapFit fit = fitMap(problem, {.huber = std::numeric_limits<double>::infinity(),
                                            .mostIterations = 60,
                                            .tolerance = 1e-5,
                                            .curved = true});
        QVERIFY(fit.converged);
        QVERIFY2(std::abs(fit.parameters[0]) < 1e-4, QByteArray::number(fit.parameters[0]));
    }

    void sameInputSameResult() {
        const MapFit a = fitMap(twoTerms(-3, -1, 8)), b = fitMap(twoTerms(-3, -1, 8));
        QCOMPARE(a.parameters, b.parameters);
        QCOMPARE(a.covariance, b.covariance);
    }

    /// Where no measurement depends on a parameter, the prior stays as it is.
    void priorStaysWithoutData() {
        MapProblem problem = twoTerms(-3, -1, 8);
        problem.priors.push_back({0.7, 0.3});
        const MapFit fit = fitMap(problem);
        QCOMPARE(fit.parameters[2], 0.7);
        QVERIFY(std::abs(fit.sd[2] - 0.3) < 1e-9);
        QVERIFY(fit.dataShare[2] < 1e-9);
    }

    /// One measurement in eight is wrong by a factor of five: robust weights keep it from moving the rest.
    void outliersHaveLittleSay() {
        MapProblem problem = twoTerms(-3, -1, 8);
        problem.points[7].measured += std::log(5);
        const double squares = std::abs(fitMap(problem, {.huber = 1e9}).parameters[0] + 3);
        const double huber = std::abs(fitMap(problem).parameters[0] + 3);
        const double nearlyAbsolute = std::abs(fitMap(problem, {.huber = 0.3}).parameters[0] + 3);
        QVERIFY(squares > 0.2);
        QVERIFY(huber < squares / 5);
        QVERIFY(nearlyAbsolute < huber);
        problem.points[7].weight = 0;
        QVERIFY(std::abs(fitMap(problem).parameters[0] + 3) < 1e-3);
    }

    /// Only their product can be seen: reported, and shared between the two as the priors say.
    void confoundedPairIsNamed() {
        MapProblem problem;
        problem.priors = {{0, 0.1}, {0, 0.2}};
        problem.points = {{.measured = 0.1, .sd = 0.001}};
        problem.predict = [](std::size_t, const std::vector<double>& t) { return t[0] + t[1]; };
        const MapFit fit = fitMap(problem);
        QCOMPARE(fit.confounded.size(), std::size_t(1));
        QVERIFY(fit.confounded[0].correlation < -0.95);
        QVERIFY(std::abs(fit.parameters[0] - 0.02) < 1e-4);
        QVERIFY(std::abs(fit.parameters[1] - 0.08) < 1e-4);
    }

    /// A list of dependents saves evaluations and changes nothing else.
    void dependentsSaveEvaluations() {
        MapProblem problem;
        problem.priors = {{0, 1}, {0, 1}, {0, 1}};
        problem.points = {{.measured = 0.1}, {.measured = 0.4}, {.measured = -0.2}};
        int calls = 0;
        problem.predict = [&calls](std::size_t i, const std::vector<double>& t) {
            ++calls;
            return t[i];
        };
        const MapFit all = fitMap(problem);
        const int without = std::exchange(calls, 0);
        problem.dependents = {{0}, {1}, {2}};
        const MapFit sparse = fitMap(problem);
        QCOMPARE(sparse.parameters, all.parameters);
        QVERIFY(calls < without);
    }

    void stopsWhenAsked() {
        std::stop_source source;
        source.request_stop();
        const MapFit fit = fitMap(twoTerms(-3, -1, 8), {.stop = source.get_token()});
        QCOMPARE(fit.iterations, 0);
        QVERIFY(!fit.converged);
    }

    /// 20 us + w / 300 GB/s, exactly: the fill term vanishes.
    void collectiveLawIsRecovered() {
        std::vector<double> bytes, seconds;
        for (double size = 1 << 20; size <= 1 << 30; size *= 2) {
            bytes.push_back(size);
            seconds.push_back(20e-6 + size * 7 / 8 / 300e9);
        }
        const CollectiveLaw two = fitCollective(CollectiveOp::allGather, 8, bytes, seconds, false);
        QVERIFY(std::abs(two.alpha / 20e-6 - 1) < 1e-6);
        QVERIFY(std::abs(two.bandwidth / 300e9 - 1) < 1e-6);
        const CollectiveLaw three = fitCollective(CollectiveOp::allGather, 8, bytes, seconds);
        QVERIFY(three.meanAbsError < 1e-3);
        QVERIFY(std::abs(three.bandwidth / 300e9 - 1) < 1e-2);
    }
};

QTEST_APPLESS_MAIN(TestCalibration)

} // namespace tst_calibration

#include "tst_calibration.moc"
