// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/resolved_estimate.h"
#include "model/explore/comparison.h"
#include "model/explore/figure_errors.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tst_figure_errors {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

std::size_t placeOf(const char* path) {
    return static_cast<std::size_t>(findPlanFigure(path) - planFigures().data());
}

/// Errors of which each figure has the same, without any constant.
FigureErrors errorsOf(double logSd, const char* machine, std::vector<double> parts = {}) {
    FigureErrors out;
    out.machine = machine;
    out.logSd.assign(planFigures().size(), logSd);
    out.timeParts = std::move(parts);
    return out;
}

FigureErrors::Constant constant(double logSd, double slope, double value = 1, const char* name = "x",
                                const char* source = "s") {
    FigureErrors::Constant out{.name = name, .source = source, .value = value, .logSd = logSd, .slopes = {}};
    out.slopes.assign(planFigures().size(), slope);
    return out;
}

} // namespace

/// The error of a difference between two plans.
class TestFigureErrors : public QObject {
    Q_OBJECT

private slots:
    void independentErrorsAddUp() {
        const std::size_t time = placeOf("training.step_time_s");
        QVERIFY(near(ratioLogSd(errorsOf(0.3, "a"), errorsOf(0.4, "b"), time), 0.5));
        // On one machine half of the product is common: 0.09 + 0.16 - 0.12.
        QVERIFY(near(ratioLogSd(errorsOf(0.3, "a"), errorsOf(0.4, "a"), time), std::sqrt(0.13)));
    }

    /// What both have of a constant cancels, as far as both follow it.
    void sharedConstants() {
        const std::size_t time = placeOf("training.step_time_s");
        FigureErrors a = errorsOf(0.3, "a"), b = errorsOf(0.4, "b");
        a.constants = {constant(0.2, 0.5)};
        b.constants = {constant(0.1, 2, 7, "other"), constant(0.2, 1)};
        // Covariance 0.5 x 1 x 0.2 x 0.2 = 0.02.
        QVERIFY(near(ratioLogSd(a, b, time), std::sqrt(0.25 - 0.04)));
        a.constants.push_back(constant(0.1, 0.5, 7, "other")); // and 0.5 x 2 x 0.1 x 0.1 = 0.01
        QVERIFY(near(ratioLogSd(a, b, time), std::sqrt(0.25 - 0.06)));
        // A constant of another value or source is another one.
        for (FigureErrors::Constant& each : a.constants)
            each.value += 1;
        QVERIFY(near(ratioLogSd(a, b, time), 0.5));
        a.constants = {constant(0.2, 0.5, 1, "x", "t")};
        QVERIFY(near(ratioLogSd(a, b, time), 0.5));
        a.constants = {constant(0.2, 0.5, 1, "y")};
        QVERIFY(near(ratioLogSd(a, b, time), 0.5));
        a.constants = {constant(0.2, std::nan(""))};
        QVERIFY(near(ratioLogSd(a, b, time), 0.5));
        // Never more than all of it, and never less than nothing.
        a.constants = {constant(0.2, 50)};
        QVERIFY(near(ratioLogSd(a, b, time), std::sqrt(0.25 - 0.24)));
        a.constants = {constant(0.2, -50)};
        QVERIFY(near(ratioLogSd(a, b, time), 0.5));
        // On one machine the larger of both counts: 0.02 is less than the half of 0.12.
        a = errorsOf(0.3, "b");
        a.constants = {constant(0.2, 0.5)};
        QVERIFY(near(ratioLogSd(a, b, time), std::sqrt(0.13)));
        a.constants = {constant(0.2, 2.5)}; // 0.1
        QVERIFY(near(ratioLogSd(a, b, time), std::sqrt(0.05)));
    }

    /// The very same step has the very same error, but not the same memory.
    void theSameStep() {
        const std::size_t time = placeOf("training.step_time_s"), memory = placeOf("memory.total_bytes");
        const FigureErrors a = errorsOf(0.3, "a", {1, 2});
        QVERIFY(std::abs(ratioLogSd(a, a, time)) < 1e-9);
        QVERIFY(near(ratioLogSd(a, a, memory), 0.3)); // 0.09 + 0.09 - 0.09
        QVERIFY(std::abs(ratioLogSd(a, errorsOf(0.3, "a", {1, 2 + 1e-9}), time)) < 1e-9);
        QVERIFY(near(ratioLogSd(a, errorsOf(0.3, "a", {1, 2 + 1e-8}), time), 0.3));
        QVERIFY(near(ratioLogSd(a, errorsOf(0.3, "a", {1}), time), 0.3));
        QVERIFY(near(ratioLogSd(errorsOf(0.3, "a"), errorsOf(0.3, "a"), time), 0.3)); // not known
        QVERIFY(near(ratioLogSd(a, errorsOf(0.3, "b", {1, 2}), time), std::sqrt(0.18)));
    }

    /// 80 % of the ratios lie within exp(1.2816 x 0.5) = 1.898.
    void whatIsCertain() {
        const std::size_t time = placeOf("training.step_time_s");
        const FigureErrors a = errorsOf(0.3, "a"), b = errorsOf(0.4, "b");
        const auto change = [&](double before, double after) {
            return figureChange(a, b, time, before, after);
        };
        QVERIFY(!change(10, 18.9).certain && change(10, 19.1).certain);
        QVERIFY(!change(19.1, 10.1).certain && change(19.1, 10).certain);
        QVERIFY(!change(10, 10).certain);
        QVERIFY(change(0, 10).certain && change(-1, 1).certain && change(10, 0).certain);
        const FigureChange ten = change(10, 12);
        QCOMPARE(ten.before, 10.0);
        QCOMPARE(ten.after, 12.0);
        QCOMPARE(ten.difference(), 2.0);
        QVERIFY(near(ten.ratio(), 0.2));
        QVERIFY(near(ten.logSd, 0.5));
        QVERIFY(!change(-5, -5).certain);
    }

    /// Slopes by a step of the profile instead, and the parts of a step.
    void errorsOfAScenario() {
        const Catalog& catalog = smallCatalog();
        const auto errors = figureErrors(trainingSpec(), catalog, catalog.defaultProfile);
        QVERIFY2(errors, errors.error().c_str());
        QCOMPARE(errors->machine, std::string("a.8"));
        QCOMPARE(errors->logSd.size(), planFigures().size());
        QVERIFY(near(errors->logSd[placeOf("training.step_time_s")], 0.094));
        QVERIFY(near(errors->logSd[placeOf("memory.total_bytes")], 0.092));
        QCOMPARE(errors->logSd[placeOf("serving.ttft_s")], 0.0);
        QCOMPARE(errors->logSd[placeOf("gpus")], 0.0);
        const auto gemm =
            std::ranges::find(errors->constants, "gemm_compute_efficiency", &FigureErrors::Constant::name);
        QVERIFY(gemm != errors->constants.end());
        QCOMPARE(gemm->value, 0.7);
        QCOMPARE(gemm->logSd, 0.058);
        QCOMPARE(gemm->source, std::string("measured: gemm_compute_efficiency"));
        QVERIFY(std::isnan(gemm->slopes[placeOf("serving.ttft_s")]));
        const auto step = [&catalog](double factor) {
            Profile other = catalog.defaultProfile;
            for (Parameter& each : other.parameters)
                each.value *= each.name == "gemm_compute_efficiency" ? factor : 1;
            const auto scenario = resolve(trainingSpec(), catalog, other);
            return estimateResolved(*scenario, {.loadLimit = false, .fixes = false}).training->stepTime;
        };
        const double slope = std::log(step(1.001) / step(0.999)) / std::log(1.001 / 0.999);
        QVERIFY(slope < -0.1);
        QVERIFY(near(gemm->slopes[placeOf("training.step_time_s")], slope, 1e-3));
        QVERIFY(near(gemm->slopes[placeOf("training.tokens_per_s")], -slope, 1e-3));
        QCOMPARE(errors->timeParts.back(), step(1));
        // Each constant once; none that is exact or another one's twin.
        for (const FigureErrors::Constant& each : errors->constants) {
            QCOMPARE(std::ranges::count(errors->constants, each.name, &FigureErrors::Constant::name),
                     std::ptrdiff_t{1});
            QVERIFY(each.logSd > 0 && each.name != "head_gemm_efficiency");
        }
    }

    void errorsOfTheOtherKinds() {
        const Catalog& catalog = smallCatalog();
        const auto service = figureErrors(servingSpec(), catalog, catalog.defaultProfile);
        QVERIFY(near(service->logSd[placeOf("serving.ttft_s")], 0.27));
        QVERIFY(near(service->logSd[placeOf("serving.tpot_s")], 0.09));
        QCOMPARE(service->timeParts.size(), std::size_t{5});
        QCOMPARE(service->logSd[placeOf("memory.total_bytes")], 0.0);
        QVERIFY(service->constants.size() > 5);
        const auto learning = figureErrors(reinforcementSpec(), catalog, catalog.defaultProfile);
        QVERIFY(near(learning->logSd[placeOf("reinforcement_learning.step_time_s")], 0.32));
        QVERIFY(near(learning->logSd[placeOf("memory.total_bytes")], 0.092));
        QCOMPARE(learning->timeParts.size(), std::size_t{9});
        ScenarioSpec illegal = trainingSpec();
        illegal.plan.tensorParallel = 3;
        const auto none = figureErrors(illegal, catalog, catalog.defaultProfile);
        QVERIFY(none && none->constants.empty() && none->timeParts.empty());
        QCOMPARE(none->logSd[placeOf("training.step_time_s")], 0.0);
        illegal.workload.model = "unheard of";
        QVERIFY(!figureErrors(illegal, catalog, catalog.defaultProfile));
    }
};

QTEST_GUILESS_MAIN(TestFigureErrors)

} // namespace tst_figure_errors

#include "tst_figure_errors.moc"
