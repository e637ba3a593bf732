// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/resolved_estimate.h"
#include "model/explore/outcomes.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <cmath>
#include <set>
#include <string>

namespace tst_uncertain {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

} // namespace

/// What is believed of a number that is not known.
class TestUncertain : public QObject {
    Q_OBJECT

    Scenario scenario_;

    Uncertain of(Shape shape, double first, double second, double third = 0,
                 const char* path = "workload.tokens") const {
        return {*Variable::named(path, scenario_), shape, first, second, third};
    }

private slots:
    void initTestCase() {
        const auto resolved = resolve(trainingSpec(), smallCatalog(), smallCatalog().defaultProfile);
        QVERIFY(resolved && resolved->runs());
        scenario_ = *resolved;
    }

    void quantilesOfEachShape() {
        QVERIFY(near(of(Shape::uniform, 2e12, 6e12).quantile(0.25), 3e12));
        QVERIFY(near(of(Shape::normal, 1e12, 1e11).quantile(0.9), 1e12 + quantile90 * 1e11));
        QVERIFY(near(of(Shape::normal, 1e12, 1e11).quantile(0.1), 1e12 - quantile90 * 1e11));
        QVERIFY(near(of(Shape::logNormal, 1e12, 0.2).quantile(0.9), 1e12 * std::exp(quantile90 * 0.2)));
        QVERIFY(near(of(Shape::logNormal, 1e12, 0.2).quantile(0.5), 1e12));
        // From 10 over 11 to 14: a quarter lies below the mode. A sixteenth is half-way up to it; of the
        // falling side a quarter of its three quarters is half-way from the end.
        const Uncertain three = of(Shape::triangular, 10, 11, 14);
        QVERIFY(near(three.quantile(0.25), 11));
        QVERIFY(near(three.quantile(1.0 / 16), 10.5));
        QVERIFY(near(three.quantile(1 - 0.75 / 4), 12.5));
        QVERIFY(near(three.quantile(0.24), 10 + std::sqrt(0.24 * 4)));
        QVERIFY(near(three.quantile(0.26), 14 - std::sqrt(0.74 * 4 * 3)));
    }

    void valuesStayWithinTheRange() {
        QCOMPARE(of(Shape::normal, 100, 1000).quantile(0.1), 1.0); // tokens of a run: at least one
        QCOMPARE(of(Shape::uniform, 0.5, 2, 0, "gemm_compute_efficiency").quantile(0.9), 1.0);
        QCOMPARE(of(Shape::normal, 1, 10, 0, "price").quantile(0.1), 0.0);
    }

    void distributionsAreReadAsWritten_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("shape");
        QTest::addColumn<QList<double>>("numbers");
        const auto row = [](const char* text, Shape shape, QList<double> numbers) {
            QTest::newRow(text) << std::string(text) << static_cast<int>(shape) << numbers;
        };
        row("workload.tokens=uniform(1e12..2e12)", Shape::uniform, {1e12, 2e12, 0});
        row(" workload.tokens = uniform ( 1 T .. 2 T )", Shape::uniform, {1e12, 2e12, 0});
        row("workload.tokens=normal(2e12 +- 10 %)", Shape::normal, {2e12, 2e11, 0});
        row("workload.tokens=normal(2e12 +- 1e11)", Shape::normal, {2e12, 1e11, 0});
        row("workload.tokens=normal(2e12 ± 1e11)", Shape::normal, {2e12, 1e11, 0});
        row("workload.tokens=lognormal(2e12 +- 10 %)", Shape::logNormal, {2e12, 0.1, 0});
        row("workload.tokens=lognormal(2e12 +- 0.1)", Shape::logNormal, {2e12, 0.1, 0});
        row("plan.overlap.gradient=lognormal(50 % +- 10 %)", Shape::logNormal, {0.5, 0.1, 0});
        row("workload.tokens=triangular(1e12..3e12..4e12)", Shape::triangular, {1e12, 3e12, 4e12});
        row("workload.tokens=triangular(1e12..1e12..4e12)", Shape::triangular, {1e12, 1e12, 4e12});
        row("workload.tokens=triangular(1e12..4e12..4e12)", Shape::triangular, {1e12, 4e12, 4e12});
        row("gemm_compute_efficiency=normal(50 % +- 5 %)", Shape::normal, {0.5, 0.025, 0}); // of the value
        row("plan.overlap.gradient=normal(0 % +- 0.1)", Shape::normal, {0, 0.1, 0});
    }
    void distributionsAreReadAsWritten() {
        QFETCH(std::string, text);
        const auto read = uncertainOf(text, scenario_);
        QVERIFY2(read, read.error().c_str());
        QTEST(static_cast<int>(read->shape), "shape");
        QFETCH(QList<double>, numbers);
        QVERIFY(near(read->first, numbers[0]) && near(read->second, numbers[1]) &&
                near(read->third, numbers[2]));
        // Written again it reads the same.
        const auto again = uncertainOf(textOf(*read), scenario_);
        QVERIFY2(again, textOf(*read).c_str());
        QVERIFY(again->shape == read->shape && near(again->first, numbers[0]) &&
                near(again->second, numbers[1]) && near(again->third, numbers[2]));
    }

    void textsOfEachShape() {
        const char* path = "gemm_compute_efficiency";
        QCOMPARE(textOf(of(Shape::uniform, 0.5, 0.75, 0, path)),
                 std::string("gemm_compute_efficiency=uniform(50 %..75 %)"));
        QCOMPARE(textOf(of(Shape::normal, 0.5, 0.05, 0, path)),
                 std::string(
                     "gemm_compute_efficiency=normal(50 % +- 0.05)")); // with a "%" it would be of the 50 %
        QCOMPARE(textOf(of(Shape::logNormal, 0.5, 0.1, 0, path)),
                 std::string("gemm_compute_efficiency=lognormal(50 % +- 10 %)"));
        QCOMPARE(textOf(of(Shape::triangular, 0.25, 0.5, 0.75, path)),
                 std::string("gemm_compute_efficiency=triangular(25 %..50 %..75 %)"));
        QCOMPARE(textOf(of(Shape::uniform, 16, 64, 0, "workload.global_batch")),
                 std::string("workload.global_batch=uniform(16..64)"));
    }

    void wrongDistributionsAreRefused_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("says");
        const std::string howTo = "; write uniform(A..B), normal(M +- S), lognormal(M +- S%) or "
                                  "triangular(A..MODE..B)";
        const auto row = [](const std::string& text, const std::string& says) {
            QTest::newRow(text.c_str()) << text << says;
        };
        for (const char* text : {"workload.tokens", "workload.tokens=5", "workload.tokens=uniform(1..2",
                                 "uniform(1..2)=", "workload.tokens uniform(1..2)"}) {
            row(text, "'" + std::string(text) + "' is not VARIABLE=DISTRIBUTION" + howTo);
        }
        row("plan.tensor_parallel=uniform(1..2)", "plan.tensor_parallel is a choice, not a number");
        row("plan.precision=uniform(1..2)", "plan.precision is a choice, not a number");
        row("workload.tokens=gauss(1..2)", "workload.tokens: 'gauss' is not a distribution" + howTo);
        row("workload.tokens=uniform(5)", "workload.tokens: '5' does not fit uniform" + howTo);
        row("workload.tokens=uniform(1..2..3)", "workload.tokens: '1..2..3' does not fit uniform" + howTo);
        row("workload.tokens=triangular(1..2)", "workload.tokens: '1..2' does not fit triangular" + howTo);
        row("workload.tokens=normal(5)", "workload.tokens: '5' does not fit normal" + howTo);
        row("workload.tokens=normal(1..2)", "workload.tokens: '1..2' does not fit normal" + howTo);
        row("workload.tokens=normal(5 +- 0)", "workload.tokens: the spread '0' must be above 0");
        row("workload.tokens=lognormal(5 +- 0 %)", "workload.tokens: the spread '0 %' must be above 0");
        row("plan.overlap.gradient=lognormal(0 % +- 10 %)",
            "plan.overlap.gradient: a log-normal needs a median above 0");
        row("workload.tokens=uniform(2..1)", "workload.tokens: '2..1' must ascend");
        row("workload.tokens=uniform(2..2)", "workload.tokens: '2..2' must ascend");
        row("workload.tokens=triangular(2..1..3)", "workload.tokens: '2..1..3' must ascend");
        row("workload.tokens=triangular(1..4..3)", "workload.tokens: '1..4..3' must ascend");
        row("workload.tokens=triangular(2..2..2)", "workload.tokens: '2..2..2' must ascend");
    }
    void wrongDistributionsAreRefused() {
        QFETCH(std::string, text);
        const auto read = uncertainOf(text, scenario_);
        QVERIFY(!read);
        QTEST(read.error(), "says");
    }

    void wrongNumbersAreRefused() {
        for (const char* text : {"workload.tokens=uniform(x..2)", "workload.tokens=uniform(1..y)",
                                 "workload.tokens=normal(x +- 1)", "workload.tokens=normal(1 +- y)",
                                 "nothing.like.it=uniform(1..2)"}) {
            const auto read = uncertainOf(text, scenario_);
            QVERIFY2(!read, text);
            QVERIFY2(!read.error().empty(), text);
        }
        const auto spread = uncertainOf("workload.tokens=normal(1 +- y)", scenario_);
        QVERIFY2(spread.error().starts_with("workload.tokens: the spread 'y' "), spread.error().c_str());
    }

    /// The constants of an estimate whose error is known, each under one name.
    void constantsOfAScenario() {
        const Profile& profile = smallCatalog().defaultProfile;
        for (const ScenarioSpec& spec : {trainingSpec(), servingSpec()}) {
            const auto resolved = resolve(spec, smallCatalog(), profile);
            std::set<std::string> doubtful, expected, found;
            for (const Parameter& each : profile.parameters)
                if (each.logSd > 0 && each.value != 0)
                    doubtful.insert(each.name);
            for (const auto& each :
                 estimateResolved(*resolved, {.simulate = false, .loadLimit = false, .fixes = false})
                     .assumptions)
                if (doubtful.contains(each.name))
                    expected.insert(each.name);
            QVERIFY(expected.size() > 20);
            for (const Uncertain& each : uncertainConstants(*resolved, profile)) {
                QVERIFY(found.insert(each.variable.path()).second);
                QVERIFY(each.shape == Shape::logNormal);
                const Parameter* parameter =
                    findParameter(profile, each.variable.path(), "a", "Hopper", "*", "*");
                QVERIFY(parameter);
                QCOMPARE(each.first, parameter->value);
                QCOMPARE(each.second, parameter->logSd);
            }
            for (const std::string& each : expected)
                QVERIFY2(found.contains(each), each.c_str());
            for (const std::string& each : found)
                QVERIFY2(expected.contains(each), each.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestUncertain)

} // namespace tst_uncertain

#include "tst_uncertain.moc"
