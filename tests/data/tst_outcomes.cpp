// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/explain/normal.h"
#include "model/explore/outcome_statistics.h"
#include "model/explore/outcomes.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tst_outcomes {

using namespace alidade;

namespace {

constexpr const char* training = "llama-3.1-70b-64xp5.48xlarge";
constexpr const char* serving = "serve-llama-3.1-70b-1xp5en.48xlarge";

bool near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

} // namespace

/// Monte Carlo over uncertain inputs, against distributions that are known in closed form.
class OutcomesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto loaded = data::loadShippedCatalog().catalog;
        QVERIFY(loaded);
        catalog_ = *loaded;
    }

    void distributionsAreReadAsWritten() {
        const Scenario s = scenario(training);
        const auto read = [&](const char* text) { return uncertainOf(text, s); };
        const auto price = read("price=uniform($40/h..$60/h)");
        QVERIFY2(price, price.error().c_str());
        QCOMPARE(price->quantile(0.25), 45.0);
        const auto tokens = read("workload.tokens=normal(10T +- 5%)");
        QVERIFY2(tokens, tokens.error().c_str());
        QCOMPARE(tokens->second, 0.5e12);
        QVERIFY(near(tokens->quantile(normalBelow(1)), 10.5e12, 1e-9));
        const auto gemm = read("gemm_compute_efficiency=lognormal(0.7 +- 10%)");
        QVERIFY2(gemm, gemm.error().c_str());
        QVERIFY(near(gemm->quantile(normalBelow(-1)), 0.7 * std::exp(-0.1), 1e-9));
        QCOMPARE(gemm->quantile(1 - 1e-12), 1.0); // a share ends at one
        const auto three = read("price=triangular($30/h..$40/h..$70/h)");
        QVERIFY2(three, three.error().c_str());
        QVERIFY(near(three->quantile(0.25), 40, 1e-12)); // a quarter of the area lies below the mode
        QVERIFY(near(three->quantile(0.25 / 4), 35, 1e-12));
        for (const auto& each : {price, tokens, gemm, three}) {
            const auto again = uncertainOf(textOf(*each), s);
            QVERIFY2(again, again.error().c_str());
            QVERIFY(again->shape == each->shape && near(again->first, each->first, 1e-12) &&
                    near(again->second, each->second, 1e-12));
        }
    }

    void wrongDistributionsAreRefused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* text, const char* says) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(says);
        };
        row("nothing", "price", "is not VARIABLE=DISTRIBUTION");
        row("unknown", "prize=uniform(1..2)", "'price'");
        row("shape", "price=beta(1..2)", "'beta' is not a distribution");
        row("unit", "price=uniform(40 GB..60 GB)", "price: ");
        row("order", "price=uniform($60/h..$40/h)", "must ascend");
        row("mode", "price=triangular($30/h..$80/h..$70/h)", "must ascend");
        row("parts", "price=triangular($30/h..$80/h)", "does not fit triangular");
        row("spread", "price=normal($30/h +- 0%)", "must be above 0");
        row("degree", "plan.tensor_parallel=uniform(1..8)", "is a choice");
    }
    void wrongDistributionsAreRefused() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        const auto read = uncertainOf(text.toStdString(), scenario(training));
        QVERIFY(!read);
        QVERIFY2(read.error().find(says.toStdString()) != std::string::npos, read.error().c_str());
    }

    /// The cost of a run is proportional to its tokens: it spreads as they do, within four standard errors of
    /// quantiles of 2,000 draws.
    void aProportionalFigureSpreadsAsItsInput() {
        OutcomeQuestion question = questionOf({"workload.tokens=normal(10T +- 5%)"}, "cost.dollars_per_run");
        question.constants = question.modelError = false;
        const auto found = ask(training, question);
        const OutcomeFigure& cost = found.figures.front();
        const ScenarioSpec base = spec(training);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile, false);
        // The median of the draws, not the estimate: the scenario's own number of tokens is another one.
        const Variable tokens = *Variable::named("workload.tokens", scenario(training));
        const auto at = [&](double x) {
            return *explorer.figure("cost.dollars_per_run", {{tokens, tokens.valueOf(x)}});
        };
        QVERIFY(near(cost.p50, at(10e12), 6e-3));
        QVERIFY(near(cost.p90 / cost.p50, 1 + 0.05 * 1.2815515655, 1e-2));
        QVERIFY(near(cost.mean, cost.p50, 6e-3));
        QCOMPARE(cost.drivers.size(), std::size_t{1});
        QVERIFY(cost.drivers.front().correlation > 0.99);
        QCOMPARE(std::accumulate(cost.histogram.begin(), cost.histogram.end(), std::size_t{0}), found.draws);
    }

    /// A field that is looked up again gives what one that is a number of the evaluation gives.
    void bothWaysOfDrawingAgree() {
        // The price of the catalog is a number; the price agreed on is a field.
        ScenarioSpec base = spec(training);
        findField("cluster.purchase")->set(base, std::string("custom"));
        findField("cluster.dollars_per_instance_hour")->set(base, 50.0);
        const auto run = [&](const char* uncertain) {
            OutcomeQuestion question = questionOf({}, "cost.dollars_per_run");
            question.constants = question.modelError = false;
            question.draws = 400;
            const Explorer explorer(base, catalog_, catalog_.defaultProfile, false);
            question.uncertain = {*uncertainOf(uncertain, *explorer.scenarioWith({}))};
            return outcomes(explorer, question);
        };
        const auto number = run("price=uniform($40/h..$60/h)");
        const auto field = run("cluster.dollars_per_instance_hour=uniform($40/h..$60/h)");
        QVERIFY2(number && field, field ? number.error().c_str() : field.error().c_str());
        QVERIFY(near(number->figures[0].p10, field->figures[0].p10, 1e-12));
        QVERIFY(near(number->figures[0].p90, field->figures[0].p90, 1e-12));
    }

    /// With nothing of a person's, the spread is the error band of the estimate.
    void constantsAndModelErrorMakeTheBand() {
        const auto found = ask(training, questionOf({}, "training.tokens_per_s"));
        const OutcomeFigure& speed = found.figures.front();
        const double sd = logSdOf(scenario(training), *speed.figure);
        QVERIFY(sd > 0);
        QVERIFY2(near(std::log(speed.p90 / speed.p10), 2 * 1.2815515655 * sd, 0.1),
                 qPrintable(QString::number(std::log(speed.p90 / speed.p10) / (2 * 1.2815515655 * sd))));
        const auto bare = [&] {
            OutcomeQuestion question = questionOf({}, "training.tokens_per_s");
            question.modelError = false;
            return ask(training, question);
        }();
        QVERIFY(std::log(bare.figures[0].p90 / bare.figures[0].p10) < std::log(speed.p90 / speed.p10));
        QVERIFY(std::ranges::any_of(speed.drivers, [](const Driver& d) { return d.path == "residual"; }));
        double sum = 0;
        for (const Driver& each : speed.drivers)
            sum += each.share;
        QVERIFY(sum > 0.99 && sum <= 1 + 1e-12);
    }

    void theAnswerDependsOnTheSeedAlone() {
        OutcomeQuestion question = questionOf({"price=uniform($40/h..$60/h)"}, "cost.dollars_per_run");
        question.draws = 500;
        const auto one = ask(training, question, 1), three = ask(training, question, 3);
        QCOMPARE(one.figures[0].p10, three.figures[0].p10);
        QCOMPARE(one.figures[0].mean, three.figures[0].mean);
        QVERIFY(one.figures[0].histogram == three.figures[0].histogram);
        question.seed = 2;
        QVERIFY(ask(training, question).figures[0].p10 != one.figures[0].p10);
    }

    /// The probability of a limit at a quantile is that of the quantile.
    void limitsAreMissedAsOftenAsTheyAre() {
        OutcomeQuestion question = questionOf({}, "training.run_time_s");
        const auto found = ask(training, question);
        question.limits = {{question.figures[0], true, found.figures[0].p90},
                           {findPlanFigure("training.mfu"), false, 0.99}};
        const auto again = ask(training, question);
        QVERIFY(near(again.limits[0].missed, 0.1, 0.02));
        QCOMPARE(again.limits[1].missed, 1.0);
        QCOMPARE(again.fits, 1.0);
    }

    /// More requests than the service carries: such a draw misses every limit, and says so.
    void overloadedDrawsMiss() {
        const Scenario s = scenario(serving);
        OutcomeQuestion question = questionOf({}, "serving.ttft_s");
        question.constants = question.modelError = false;
        question.draws = 200;
        const double rate = *s.spec.workload.requestRatePerS;
        const ScenarioSpec base = spec(serving);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile, false);
        const double most = *explorer.figure("serving.max_requests_per_s", {});
        QVERIFY(most > rate);
        // A fifth of the range lies beyond the largest load.
        const double high = most + (most - rate) / 4;
        question.uncertain = {{.variable = *Variable::named("workload.request_rate_per_s", s),
                               .shape = Shape::uniform,
                               .first = rate,
                               .second = high}};
        question.limits = {{question.figures[0], true, 1e9}};
        const auto found = outcomes(explorer, question);
        QVERIFY2(found, found.error().c_str());
        QVERIFY(found->failed > 20 && found->failed < 60);
        QCOMPARE(found->limits[0].missed, static_cast<double>(found->failed) / 200);
        QVERIFY(std::isfinite(found->figures[0].p50) && !std::isfinite(found->figures[0].p90));
    }

    void stoppedDrawsCount() {
        std::stop_source stop;
        stop.request_stop();
        const ScenarioSpec base = spec(training);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile, false);
        const auto none = outcomes(explorer, questionOf({}, "training.mfu"), {.stop = stop.get_token()});
        QVERIFY(none && !none->complete && none->draws == 0);
    }

    void wrongQuestionsAreRefused() {
        const ScenarioSpec base = spec(training);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile, false);
        OutcomeQuestion question = questionOf({}, "serving.ttft_s");
        QVERIFY(!outcomes(explorer, question));
        question = questionOf({}, "training.mfu");
        question.draws = 5;
        QVERIFY(outcomes(explorer, question).error().find("take from 100") != std::string::npos);
    }

    /// By hand: ten values, two inputs of which one orders them.
    void statisticsByHand() {
        std::vector<double> values, scores, noise;
        for (int i = 1; i <= 10; ++i) {
            values.push_back(i * i);
            scores.push_back(normalQuantile((i - 0.5) / 10));
            noise.push_back(i % 2 == 0 ? 1.0 : -1.0);
        }
        const OutcomeFigure f = statisticsOf(values);
        QCOMPARE(f.p10, 1.0);
        QCOMPARE(f.p50, 25.0);
        QCOMPARE(f.p90, 81.0);
        QCOMPARE(f.mean, 38.5);
        const auto drivers = driversOf(values, {{"order", "", &scores}, {"noise", "", &noise}});
        QCOMPARE(drivers.front().path, std::string("order"));
        QVERIFY(near(drivers.front().correlation, 1, 1e-12));
        QVERIFY(drivers.front().share > 0.9);
    }

private:
    ScenarioSpec spec(const std::string& id) const {
        return *data::readScenario(*data::shippedScenario(id), id);
    }
    Scenario scenario(const std::string& id) const {
        return *resolve(spec(id), catalog_, catalog_.defaultProfile);
    }
    OutcomeQuestion questionOf(const std::vector<std::string>& uncertain, const char* figure) const {
        OutcomeQuestion out;
        for (const std::string& each : uncertain)
            out.uncertain.push_back(*uncertainOf(each, scenario(training)));
        out.figures = {findPlanFigure(figure)};
        out.draws = 2000;
        return out;
    }
    Outcomes ask(const char* id, const OutcomeQuestion& question, int threads = 1) const {
        const ScenarioSpec base = spec(id);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile, false);
        const auto found = outcomes(explorer, question, {.threads = threads});
        if (!found)
            qFatal("%s", found.error().c_str());
        return *found;
    }

    Catalog catalog_;
};

QTEST_GUILESS_MAIN(OutcomesTest)

} // namespace tst_outcomes

#include "tst_outcomes.moc"
