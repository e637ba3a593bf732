// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/resolved_estimate.h"
#include "model/explore/outcomes.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

namespace tst_drawn_outcomes {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }
const Profile& profile() { return smallCatalog().defaultProfile; }

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// A question about some figures, with these distributions, and neither constants nor the model's error.
OutcomeQuestion questionOf(const ScenarioSpec& spec, const std::vector<const char*>& figures,
                           const std::vector<const char*>& uncertain = {}, std::size_t draws = 2000) {
    OutcomeQuestion out;
    const Scenario scenario = *resolve(spec, catalog(), profile());
    for (const char* each : uncertain)
        out.uncertain.push_back(*uncertainOf(each, scenario));
    for (const char* each : figures)
        out.figures.push_back(findPlanFigure(each));
    out.constants = out.modelError = false;
    out.draws = draws;
    return out;
}

Result<Outcomes> drawn(const ScenarioSpec& spec, const OutcomeQuestion& question,
                       const OutcomeOptions& options = {}) {
    return outcomes(Explorer(spec, catalog(), profile()), question, options);
}

} // namespace

/// Draws of uncertain numbers, against what their distributions come to.
class TestDrawnOutcomes : public QObject {
    Q_OBJECT

private slots:
    /// The rent of two machines follows their price: from $60 to $100, evenly.
    void aFigureThatFollowsItsInput() {
        const ScenarioSpec spec = trainingSpec();
        const auto question =
            questionOf(spec, {"cost.dollars_per_hour"}, {"price=uniform($30/h..$50/h)"}, 20'000);
        const auto found = drawn(spec, question);
        QVERIFY2(found, found.error().c_str());
        const OutcomeFigure& rent = found->figures.at(0);
        QVERIFY(rent.figure == findPlanFigure("cost.dollars_per_hour"));
        QCOMPARE(rent.present, 80.0);
        QVERIFY(near(rent.p10, 64, 0.01) && near(rent.p50, 80, 0.01) && near(rent.p90, 96, 0.01));
        QVERIFY(near(rent.mean, 80, 0.005));
        QCOMPARE(rent.drivers.size(), std::size_t{1});
        QCOMPARE(rent.drivers[0].path, std::string("price"));
        QVERIFY(near(rent.drivers[0].share, 1) && rent.drivers[0].correlation > 0.999);
        QVERIFY(found->complete && found->failed == 0 && found->fits == 1 && found->modelLogSd == 0);
        QCOMPARE(found->draws, std::size_t{20'000});
        QCOMPARE(found->inputs.size(), std::size_t{1});
    }

    /// 80 % of a log-normal price lie within exp(1.2816 x 0.2), of a normal one within 1.2816 x $5; two
    /// independent ones of the same spread share the variance.
    void shapesOfTheInputs() {
        const ScenarioSpec spec = trainingSpec();
        const auto rent = [&spec](const char* price) {
            return drawn(spec, questionOf(spec, {"cost.dollars_per_hour"}, {price}, 20'000))->figures[0];
        };
        const OutcomeFigure log = rent("price=lognormal($40/h +- 20 %)");
        QVERIFY(near(log.p90, 80 * std::exp(quantile90 * 0.2), 0.01));
        QVERIFY(near(log.p10, 80 / std::exp(quantile90 * 0.2), 0.01));
        const OutcomeFigure normal = rent("price=normal($40/h +- $5/h)");
        QVERIFY(near(normal.p90, 80 + quantile90 * 10, 0.01) && near(normal.p10, 80 - quantile90 * 10, 0.01));
        const OutcomeFigure three = rent("price=triangular($30/h..$40/h..$70/h)"); // a quarter below the mode
        QVERIFY(near(three.p10, 2 * (30 + std::sqrt(0.1 * 40 * 10)), 0.01));
        QVERIFY(near(three.p90, 2 * (70 - std::sqrt(0.1 * 40 * 30)), 0.01));
        const OutcomeFigure wide = rent("price=normal($5/h +- $50/h)"); // never below 0
        QVERIFY(wide.p10 == 0 && wide.mean > 0);
        const auto both = drawn(
            spec, questionOf(spec, {"cost.dollars_per_run"},
                             {"price=lognormal($40/h +- 10 %)", "workload.tokens=lognormal(100 G +- 10 %)"},
                             20'000));
        QVERIFY(both);
        QCOMPARE(both->figures[0].drivers.size(), std::size_t{2});
        for (const Driver& each : both->figures[0].drivers)
            QVERIFY(std::abs(each.share - 0.5) < 0.03 && each.correlation > 0.6);
        QVERIFY(near(both->figures[0].p90 / both->figures[0].p50, std::exp(quantile90 * 0.1 * std::sqrt(2.0)),
                     0.01));
    }

    /// What the model leaves out of a time: ln has 0.094; of a rate the other way round.
    void theErrorOfTheModel() {
        const ScenarioSpec spec = trainingSpec();
        OutcomeQuestion question =
            questionOf(spec, {"training.step_time_s", "training.tokens_per_s", "memory.total_bytes", "gpus"},
                       {}, 20'000);
        question.modelError = true;
        const auto found = drawn(spec, question);
        QVERIFY(near(found->modelLogSd, 0.094));
        const auto &time = found->figures[0], &rate = found->figures[1], &memory = found->figures[2],
                   &gpus = found->figures[3];
        QVERIFY(near(time.p50, time.present, 0.01) &&
                near(time.p90 / time.p50, std::exp(quantile90 * 0.094), 0.01));
        QVERIFY(near(rate.p10 / rate.p50, std::exp(-quantile90 * 0.094), 0.01));
        QVERIFY(time.drivers[0].correlation > 0.99 && rate.drivers[0].correlation < -0.99);
        QCOMPARE(time.drivers[0].path, std::string("residual"));
        QCOMPARE(time.drivers[0].label, std::string("What the model leaves out"));
        QVERIFY(near(memory.p90 / memory.p50, std::exp(quantile90 * 0.092), 0.01));
        QVERIFY(gpus.p10 == 16 && gpus.p90 == 16 && gpus.drivers.empty());
        // With the constants drawn, too, the band stays that of the model where they bring less than it.
        question.constants = true;
        question.draws = 4000;
        const auto constants = drawn(spec, question);
        QVERIFY(constants->inputs.size() > 5);
        QVERIFY(constants->modelLogSd < 0.094 && constants->modelLogSd > 0);
        QVERIFY(
            near(constants->figures[0].p90 / constants->figures[0].p50, std::exp(quantile90 * 0.094), 0.05));
        // Only those that change a figure are drawn, and none that a person has named.
        question.uncertain = {*uncertainOf("gemm_compute_efficiency=uniform(60 %..80 %)",
                                           *resolve(spec, catalog(), profile()))};
        const auto named = drawn(spec, question);
        QCOMPARE(named->inputs.size(), constants->inputs.size());
        QCOMPARE(std::ranges::count_if(
                     named->inputs,
                     [](const Uncertain& u) { return u.variable.path() == "gemm_compute_efficiency"; }),
                 std::ptrdiff_t{1});
        for (const Uncertain& each : named->inputs)
            QVERIFY(!each.variable.path().starts_with("serving_") &&
                    each.variable.path() != "head_gemm_efficiency");
    }

    /// Limits: the rent is above $90 in a quarter of the cases.
    void limitsThatAreMissed() {
        const ScenarioSpec spec = trainingSpec();
        OutcomeQuestion question =
            questionOf(spec, {"cost.dollars_per_run"}, {"price=uniform($30/h..$50/h)"}, 20'000);
        const PlanFigure* rent = findPlanFigure("cost.dollars_per_hour");
        question.limits = {{rent, true, 90}, {rent, false, 90}, {rent, true, 200}};
        const auto found = drawn(spec, question);
        QCOMPARE(found->figures.size(), std::size_t{1});
        QCOMPARE(found->limits.size(), std::size_t{3});
        QVERIFY(std::abs(found->limits[0].missed - 0.25) < 0.01);
        QVERIFY(near(found->limits[0].missed + found->limits[1].missed, 1, 1e-3));
        QCOMPARE(found->limits[2].missed, 0.0);
        QVERIFY(found->limits[0].limit.value == 90);
    }

    /// Whole numbers are rounded; draws that break a rule have no outcome and miss every limit.
    void drawsThatDoNotRun() {
        ScenarioSpec spec = trainingSpec();
        OutcomeQuestion question = questionOf(spec, {"training.step_time_s", "training.mfu"},
                                              {"workload.global_batch=uniform(62..66)"}, 1000);
        question.limits = {{findPlanFigure("training.step_time_s"), true, 1e9}};
        const auto found = drawn(spec, question);
        QVERIFY2(found, found.error().c_str());
        // 62, 63, 64, 65 and 66 with one eighth, three quarters of the inner ones: 64 alone divides.
        const double failed = static_cast<double>(found->failed) / 1000;
        QVERIFY(std::abs(failed - 0.75) < 0.05);
        QCOMPARE(found->limits[0].missed, failed);
        QVERIFY(std::isinf(found->figures[0].p90) && found->figures[0].p90 > 0);
        QVERIFY(std::isinf(found->figures[1].p10) && found->figures[1].p10 < 0);
        QVERIFY(near(found->figures[0].mean, found->figures[0].present));
        // Of the memory, those that fit.
        spec.plan.recompute = std::vector<std::string>{"none"};
        const Scenario scenario = *resolve(spec, catalog(), profile());
        const Estimate estimate = estimateResolved(scenario, {.loadLimit = false, .fixes = false});
        QVERIFY(estimate.fits);
        const auto certain =
            drawn(spec, questionOf(spec, {"memory.total_bytes"}, {"price=uniform($1/h..$2/h)"}, 200));
        QCOMPARE(certain->fits, 1.0);
    }

    /// Fields that are one number of the evaluation give what resolving them gives.
    void plainFields() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.goodput = 0.9;
        const auto found = drawn(
            spec, questionOf(spec, {"training.run_time_s"}, {"plan.goodput=uniform(80 %..90 %)"}, 20'000));
        const OutcomeFigure& time = found->figures[0];
        QVERIFY(near(time.p50, time.present * 0.9 / 0.85, 0.01));
        QVERIFY(near(time.p10, time.present * 0.9 / 0.89, 0.01));
        const auto tokens = drawn(spec, questionOf(spec, {"training.run_time_s"},
                                                   {"workload.tokens=uniform(100 G..200 G)"}, 20'000));
        QVERIFY(near(tokens->figures[0].p50, tokens->figures[0].present * 1.5, 0.01));
    }

    void anyNumberOfThreads() {
        const ScenarioSpec spec = trainingSpec();
        OutcomeQuestion question =
            questionOf(spec, {"cost.dollars_per_hour"}, {"price=uniform($30/h..$50/h)"}, 1000);
        const auto one = drawn(spec, question), four = drawn(spec, question, {.threads = 4});
        QCOMPARE(one->figures[0].p10, four->figures[0].p10);
        QCOMPARE(one->figures[0].mean, four->figures[0].mean);
        QVERIFY(one->figures[0].histogram == four->figures[0].histogram);
        question.seed = 2;
        QVERIFY(drawn(spec, question)->figures[0].mean != one->figures[0].mean);
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = drawn(spec, question, {.threads = 1, .stop = stop.get_token()});
        QVERIFY(stopped && !stopped->complete && stopped->draws == 0);
        QCOMPARE(stopped->fits, 1.0);
    }

    void services() {
        const ScenarioSpec spec = servingSpec(20);
        const auto found = drawn(spec, questionOf(spec, {"serving.ttft_s", "serving.ttft_percentiles_s.p90"},
                                                  {"workload.request_rate_per_s=uniform(10..30)"}, 300));
        QVERIFY2(found, found.error().c_str());
        QVERIFY(found->figures[0].p90 > found->figures[0].p10);
        QVERIFY(found->figures[1].p50 > found->figures[0].p50);
        QVERIFY(found->figures[0].drivers[0].correlation > 0.9);
        // Above what it can serve it has no outcome.
        const auto over = drawn(spec, questionOf(spec, {"serving.ttft_s"},
                                                 {"workload.request_rate_per_s=uniform(1..2000)"}, 400));
        QVERIFY(over->failed > 200 && over->failed < 400);
    }

    void whatCannotBeDrawn() {
        const ScenarioSpec spec = trainingSpec();
        OutcomeQuestion question = questionOf(spec, {"training.mfu"}, {}, 99);
        QCOMPARE(drawn(spec, question).error(), std::string("99 draws; take from 100 to 10,000,000"));
        question.draws = 10'000'001;
        QCOMPARE(drawn(spec, question).error(), std::string("10,000,001 draws; take from 100 to 10,000,000"));
        question.draws = 100;
        QVERIFY(drawn(spec, question));
        question.limits = {{findPlanFigure("serving.ttft_s"), true, 1}};
        QCOMPARE(drawn(spec, question).error(),
                 std::string("serving.ttft_s is not a figure of this kind of workload"));
        question.limits.clear();
        question.figures = {findPlanFigure("serving.itl_s")};
        QCOMPARE(drawn(spec, question).error(),
                 std::string("serving.itl_s is not a figure of this kind of workload"));
        QCOMPARE(drawn(reinforcementSpec(), question).error(),
                 std::string("outcomes of reinforcement learning cannot be drawn yet"));
        QCOMPARE(drawn(servingSpec(1e6), question).error(),
                 std::string("more requests arrive than the service can handle"));
        ScenarioSpec illegal = spec;
        illegal.plan.tensorParallel = 3;
        QCOMPARE(drawn(illegal, question).error(),
                 std::string("the scenario does not run; estimate it for the reason and a fix"));
        illegal.workload.model = "unheard of";
        QVERIFY(!drawn(illegal, question));
    }
};

QTEST_GUILESS_MAIN(TestDrawnOutcomes)

} // namespace tst_drawn_outcomes

#include "tst_drawn_outcomes.moc"
