// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/resolved_estimate.h"
#include "model/explore/solve.h"
#include "model/search/plan_figures.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <cmath>
#include <stop_token>
#include <string>

namespace tst_goal_seek {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }

bool near(double a, double b, double relative = 1e-8) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// Values of a number with which the training run of two machines at $40 an hour reaches a goal.
Solution solved(const char* path, const char* figure, bool atMost, double value,
                const ScenarioSpec& spec = trainingSpec(), const std::stop_token& stop = {}) {
    const Explorer explorer(spec, catalog(), catalog().defaultProfile, false);
    const Scenario scenario = *explorer.scenarioWith({});
    const Variable variable = *Variable::named(path, scenario);
    const Goal goal{figure, findPlanFigure(figure)->dimension, atMost, value};
    return solve(explorer, variable, *numberOf(variable.value(scenario)), goal, stop);
}

double valueOf(const Solution& solution) {
    return solution.value ? numberOf(*solution.value).value_or(-1) : -1;
}

} // namespace

/// The value at which a goal is just reached.
class TestGoalSeek : public QObject {
    Q_OBJECT

private slots:
    /// Two machines cost twice the price of one.
    void aNumberInEitherDirection() {
        const char* rent = "cost.dollars_per_hour";
        const Solution up = solved("price", rent, true, 100);
        QVERIFY(near(valueOf(up), 50));
        QVERIFY(near(*up.figure, 100));
        QCOMPARE(
            up.why,
            std::string("The present value reaches cost.dollars_per_hour <= $100.00/h; $50.00/h is the last "
                        "one that does, upwards"));
        const Solution down = solved("price", rent, false, 60);
        QVERIFY(near(valueOf(down), 30));
        QCOMPARE(down.why,
                 std::string("The present value reaches cost.dollars_per_hour >= $60.00/h; $30.00/h is the "
                             "last one that does, downwards"));
        const Solution less = solved("price", rent, true, 60);
        QVERIFY(near(valueOf(less), 30) && *less.figure <= 60);
        QCOMPARE(less.why,
                 std::string("$30.00/h is the nearest value that reaches cost.dollars_per_hour <= $60.00/h"));
        const Solution more = solved("price", rent, false, 100);
        QVERIFY(near(valueOf(more), 50) && *more.figure >= 100);
        QCOMPARE(
            more.why,
            std::string("$50.00/h is the nearest value that reaches cost.dollars_per_hour >= $100.00/h"));
    }

    /// From a thousandth of the present value to a thousand times as much.
    void theEndsOfTheSearch() {
        const char* rent = "cost.dollars_per_hour";
        const Solution none = solved("price", rent, false, 80'001);
        QVERIFY(!none.value && !none.figure);
        QCOMPARE(
            none.why,
            std::string("No value from $0.04/h to $40,000/h reaches cost.dollars_per_hour >= $80,001/h"));
        QVERIFY(near(valueOf(solved("price", rent, false, 79'000)), 39'500));
        const Solution all = solved("price", rent, true, 1e6);
        QCOMPARE(valueOf(all), 40.0);
        QCOMPARE(*all.figure, 80.0);
        QVERIFY2(all.why.ends_with(" holds for every value from $0.04/h to $40,000/h that runs"),
                 all.why.c_str());
        QVERIFY(near(valueOf(solved("price", rent, true, 0.09)), 0.045));
        QVERIFY(!solved("price", rent, true, 0.07).value);
    }

    /// Shares are looked for in equal steps, up to 1.
    void shares() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile, false);
        const Variable gemm(Input::gemmComputeEfficiency);
        const auto step = [&](double share) {
            return *explorer.figure("training.step_time_s", {{gemm, FieldValue(share)}});
        };
        for (const double share : {0.2, 0.5, 0.9})
            QVERIFY(
                near(valueOf(solved("gemm_compute_efficiency", "training.step_time_s", true, step(share))),
                     share, 1e-6));
        QVERIFY(!solved("gemm_compute_efficiency", "training.step_time_s", true, step(1) * 0.999).value);
        // A share of 0 has both directions, too.
        ScenarioSpec none = trainingSpec();
        none.plan.overlap.tensor = 0;
        const Explorer open(none, catalog(), catalog().defaultProfile, false);
        const Variable overlap(*findField("plan.overlap.tensor"));
        const double half = *open.figure("training.step_time_s", {{overlap, FieldValue(0.5)}});
        QVERIFY(near(valueOf(solved("plan.overlap.tensor", "training.step_time_s", true, half, none)), 0.5,
                     1e-4));
    }

    void wholeNumbers() {
        // $40 for each machine; the batch is divided among 1, 2, 4, 8 or 16 of them.
        const char* rent = "cost.dollars_per_hour";
        const Solution more = solved("cluster.instances", rent, true, 330);
        QCOMPARE(valueOf(more), 8.0);
        QCOMPARE(
            more.why,
            std::string("The present value reaches cost.dollars_per_hour <= $330.00/h; 8 is the last one "
                        "that does, upwards"));
        QCOMPARE(valueOf(solved("cluster.instances", rent, false, 320)), 8.0);
        QCOMPARE(valueOf(solved("cluster.instances", rent, false, 321)), 16.0);
        QCOMPARE(valueOf(solved("cluster.instances", rent, true, 50)), 1.0);
        QCOMPARE(valueOf(solved("cluster.instances", rent, true, 30)), -1.0);
    }

    /// Each number near the present one; of 50 machines up to 4,001, of 1,000 every sixteenth up to 64,016.
    void rangesOfWholeNumbers() {
        const Solution some = solved("cluster.instances", "training.step_time_s", true, 1e-9);
        QVERIFY2(some.why.starts_with("No value from 1 to 2000 reaches"), some.why.c_str());
        ScenarioSpec large = trainingSpec();
        large.cluster.instances = 1000;
        const Solution others = solved("cluster.instances", "training.step_time_s", true, 1e-9, large);
        QVERIFY2(others.why.starts_with("No value from 16 to 64016 reaches"), others.why.c_str());
        large.cluster.instances = 50; // every one up to 4,001, as a second one would be no longer near
        const Solution near50 = solved("cluster.instances", "training.step_time_s", true, 1e-9, large);
        QVERIFY2(near50.why.starts_with("No value from 1 to 4001 reaches"), near50.why.c_str());
        // The next batch above 64 that four replicas divide and whose step takes longer than that of 96.
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile, false);
        const Variable batch(*findField("workload.global_batch"));
        const double step = *explorer.figure("training.step_time_s", {{batch, FieldValue(std::int64_t{96})}});
        QCOMPARE(valueOf(solved("workload.global_batch", "training.step_time_s", false, step * 1.0001)),
                 100.0);
        QCOMPARE(valueOf(solved("workload.global_batch", "training.step_time_s", true, step)), 96.0);
        QCOMPARE(valueOf(solved("workload.global_batch", "training.step_time_s", true, step * 0.9999)), 92.0);
    }

    void theNearerOfTwoDirections() {
        // Cost per token is worse for both fewer and more sequences of idle time; tokens grow the cost of a
        // run.
        const Solution cheap = solved("workload.tokens", "cost.dollars_per_run", true, 1000);
        QVERIFY(cheap.value && valueOf(cheap) < 1e11);
        QVERIFY(*cheap.figure <= 1000);
        std::stop_source stop;
        stop.request_stop();
        const Solution stopped =
            solved("price", "cost.dollars_per_hour", true, 60, trainingSpec(), stop.get_token());
        QVERIFY(!stopped.value && !stopped.figure);
        QCOMPARE(stopped.why, std::string("Stopped before a value was found"));
    }

    void goalsAreReadAsWritten() {
        const auto scenario = resolve(trainingSpec(), catalog(), catalog().defaultProfile);
        const Estimate estimate = estimateResolved(*scenario, {.loadLimit = false, .fixes = false});
        const auto read = [&estimate](std::string_view text) { return goalOf(text, estimate); };
        QVERIFY(read(std::string_view("training.mfu>=40 %").substr(0, 13))
                    .error()
                    .starts_with("'training.mfu>' is not FIGURE<=VALUE or FIGURE>=VALUE"));
        const auto most = read("training.run_time_s <= 30 d");
        QVERIFY2(most, most.error().c_str());
        QCOMPARE(most->figure, std::string("training.run_time_s"));
        QVERIFY(most->atMost && most->dimension == Dimension::seconds);
        QCOMPARE(most->value, 30 * 86400.0);
        const auto least = read("training.mfu>=40 %");
        QVERIFY(least && !least->atMost);
        QCOMPARE(least->value, 0.4);
        for (const char* wrong :
             {"training.mfu", "training.mfu=40 %", "training.mfu<40 %", "training.mfu<", "<"})
            QCOMPARE(read(wrong).error(), "'" + std::string(wrong) +
                                              "' is not FIGURE<=VALUE or FIGURE>=VALUE, such as "
                                              "training.run_time_s<=30 d");
        QCOMPARE(
            read("training.mfw<=1 %").error(),
            std::string("'training.mfw' is not a figure of this estimate; the nearest is 'training.mfu'"));
        QCOMPARE(read("what on earth<=1").error(),
                 std::string("'what on earth' is not a figure of this estimate"));
        QVERIFY(read("training.mfu<=x").error().starts_with("training.mfu: "));
    }
};

QTEST_GUILESS_MAIN(TestGoalSeek)

} // namespace tst_goal_seek

#include "tst_goal_seek.moc"
