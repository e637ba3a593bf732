// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/base/text.h"
#include "model/engine/engine.h"
#include "model/estimate/figures.h"
#include "model/explore/sensitivity.h"
#include "model/explore/solve.h"
#include "model/explore/sweep.h"
#include "model/units/parse.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stop_token>

namespace tst_explore {

using namespace alidade;

namespace {

constexpr const char* training = "llama-3.1-70b-64xp5.48xlarge";
constexpr const char* serving = "serve-llama-3.1-70b-1xp5en.48xlarge";

bool near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

} // namespace

/// Sweeps, sensitivities and goal seeking, against one estimate at a time.
class ExploreTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto loaded = data::loadShippedCatalog().catalog;
        QVERIFY(loaded);
        catalog_ = *loaded;
    }

    void aSweepIsARowOfEstimates() {
        for (const auto& [id, fields] :
             {std::pair(training,
                        std::vector<std::string>{"plan.recompute=none|full", "plan.micro_batch=1..4"}),
              std::pair(serving, std::vector<std::string>{"workload.request_rate_per_s=2..20:4"})}) {
            const ScenarioSpec base = spec(id);
            const Sweep found = sweepOf(base, fields);
            QVERIFY(found.complete);
            std::size_t ran = 0;
            for (const SweepPoint& point : found.points) {
                ScenarioSpec changed = base;
                for (std::size_t i = 0; i < found.axes.size(); ++i)
                    found.axes[i].variable.field()->set(changed, point.values[i]);
                const auto single = estimate(changed, catalog_, catalog_.defaultProfile, {.fixes = false});
                QVERIFY(single);
                QCOMPARE(point.runs, single->runs);
                QCOMPARE(point.fits, single->fits);
                QCOMPARE(point.why.empty(), point.runs);
                for (const SweepFigure& each : point.figures)
                    QCOMPARE(each.value, findFigure(*single, each.figure->path)->value);
                ran += point.runs && point.bound == single->headline->bottleneck ? 1U : 0U;
            }
            QVERIFY(ran >= 4);
            QCOMPARE(found.points.size() > ran,
                     std::string_view(id) == training); // 3 does not divide the batch
        }
    }

    void rangesAreReadAsWritten() {
        const auto values = [this](const char* text) {
            std::vector<double> out;
            const auto axis = sweepAxis(text, scenario(training));
            for (const FieldValue& each : axis ? axis->values : std::vector<FieldValue>{})
                out.push_back(*numberOf(each));
            return out;
        };
        QCOMPARE(values("plan.micro_batch=1..4"), (std::vector<double>{1, 2, 3, 4}));
        QCOMPARE(values("plan.micro_batch=1..9:step 4"), (std::vector<double>{1, 5, 9}));
        QCOMPARE(values("plan.micro_batch=1..16:log 5"), (std::vector<double>{1, 2, 4, 8, 16}));
        QCOMPARE(values("plan.micro_batch=1, 4,2"), (std::vector<double>{1, 4, 2}));
        QCOMPARE(values("workload.tokens=1e12..3e12:3"), (std::vector<double>{1e12, 2e12, 3e12}));
        QCOMPARE(values("hbm_bandwidth=1 TB/s..3 TB/s:step 1 TB/s"), (std::vector<double>{1e12, 2e12, 3e12}));
        QCOMPARE(values("hbm_bandwidth=1 TB/s..2 TB/s").size(), std::size_t{25});
    }

    void datesAreReadAsWritten() {
        const auto days = [this](const char* text) {
            std::vector<std::string> out;
            const auto axis = sweepAxis(text, scenario(training));
            for (const FieldValue& each : axis ? axis->values : std::vector<FieldValue>{})
                out.push_back(std::get<std::string>(each));
            return out;
        };
        using Days = std::vector<std::string>;
        QCOMPARE(days("run.start=2027-02-27..2027-03-02"),
                 (Days{"2027-02-27", "2027-02-28", "2027-03-01", "2027-03-02"}));
        QCOMPARE(days("run.start=2027-01-04..2027-02-20:step 3 weeks"),
                 (Days{"2027-01-04", "2027-01-25", "2027-02-15"}));
        QCOMPARE(days("run.start=2027-12-31..2028-04-30:step 2 months"),
                 (Days{"2027-12-31", "2028-02-29", "2028-04-30"}));
        QCOMPARE(days("run.start=2027-01-01..2027-01-05:3"),
                 (Days{"2027-01-01", "2027-01-03", "2027-01-05"}));
        QCOMPARE(days("run.start=2027-01-15..2027-12-31").size(), 12u); // the 15th of each month
        QCOMPARE(days("run.start=2027-01-15..2027-03-12").size(), 9u);  // weeks
        QCOMPARE(days("run.start=2027-06-01,2027-01-04"), (Days{"2027-06-01", "2027-01-04"}));
    }

    void wrongSweepsAreRefused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* text, const char* says) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(says);
        };
        row("no value", "plan.micro_batch", "is not FIELD=A..B");
        row("unknown", "plan.micro_bach=1..2", "'plan.micro_batch'");
        row("unknown number", "hbm_bandwith=1..2", "'hbm_bandwidth'");
        row("of serving", "plan.max_batch=1..2", "is a field of serving");
        row("descends", "plan.micro_batch=4..1", "must ascend");
        row("points", "plan.micro_batch=1..4:many", "is not a number of points");
        row("log from zero", "workload.prefix_cache_hit=0..1:log", "is a field of serving");
        row("range of words", "plan.precision=bf16..fp8", "list them");
        row("dates descend", "run.start=2027-03-01..2027-02-01", "the first one before the second");
        row("no date", "run.start=2027-02-30..2027-03-01", "must be two dates");
        row("step of dates", "run.start=2027-01-01..2027-03-01:step 4", "days, weeks or months");
        row("log of dates", "run.start=2027-01-01..2027-03-01:log", "days, weeks or months");
        row("no unit", "hbm_bandwidth=1 GB..2 GB", "hbm_bandwidth: ");
        row("ratio above one", "gemm_compute_efficiency=50 %..150 %", "at most 1");
        row("nothing", "hbm_bandwidth=0 TB/s,1 TB/s", "must be above 0");
    }
    void wrongSweepsAreRefused() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        const auto axis = sweepAxis(text.toStdString(), scenario(training));
        QVERIFY(!axis);
        QVERIFY2(axis.error().find(says.toStdString()) != std::string::npos, axis.error().c_str());
    }

    /// Where another limit takes over: before it the old one, from it on the new one.
    void kinksAreFound() {
        const ScenarioSpec base = spec(training);
        const Sweep found = sweepOf(base, {"nvlink_bandwidth=5 GB/s..900 GB/s:log 9"});
        QCOMPARE(found.kinks.size(), std::size_t{1});
        const SweepKink& kink = found.kinks.front();
        QVERIFY(kink.from == Bound::nvlink && kink.to == Bound::compute);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile);
        const double at = *numberOf(kink.values.front());
        const Variable& variable = found.axes.front().variable;
        QVERIFY(explorer.with({{variable, FieldValue(at)}})->headline->bottleneck == Bound::compute);
        QVERIFY(explorer.with({{variable, FieldValue(at * 0.995)}})->headline->bottleneck == Bound::nvlink);
    }

    /// The points are the same whatever the number of threads, and a stopped sweep has those before the first
    /// that is missing.
    void threadsAndStopsKeepTheOrder() {
        const ScenarioSpec base = spec(training);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile);
        const auto axes = [&] {
            return std::vector{*sweepAxis("plan.micro_batch=1,2,4", scenario(training)),
                               *sweepAxis("hbm_bandwidth=1 TB/s..8 TB/s:9", scenario(training))};
        };
        const Sweep one = sweep(explorer, axes()), four = sweep(explorer, axes(), {.threads = 4});
        QCOMPARE(one.points.size(), four.points.size());
        for (std::size_t i = 0; i < one.points.size(); ++i) {
            QVERIFY(one.points[i].values == four.points[i].values);
            QCOMPARE(one.points[i].figures.front().value, four.points[i].figures.front().value);
        }
        std::stop_source stop;
        const Sweep part = sweep(
            explorer, axes(), {.stop = stop.get_token(), .done = [&](std::size_t index, const SweepPoint&) {
                                   if (index == 4)
                                       stop.request_stop();
                               }});
        QCOMPARE(part.points.size(), std::size_t{5});
        QVERIFY(!part.complete);
    }

    /// The classes of a point are the breakdown of its estimate, and its band that of its headline.
    void pointsHaveSharesAndBands() {
        for (const char* id : {training, serving}) {
            const ScenarioSpec base = spec(id);
            const auto single = estimate(base, catalog_, catalog_.defaultProfile, {.fixes = false});
            const Sweep found =
                sweepOf(base, {id == training ? "hbm_bandwidth=3.35 TB/s" : "workload.input_tokens=1500"});
            const SweepPoint& point = found.points.front();
            QVERIFY(near(std::accumulate(point.shares.begin(), point.shares.end(), 0.0), 1, 1e-9));
            QVERIFY(std::ranges::max_element(point.shares) - point.shares.begin() ==
                    static_cast<std::ptrdiff_t>(*point.bound));
            const SweepFigure* figure =
                point.figure(*findPlanFigure(id == training ? "training.tokens_per_s" : "serving.tpot_s"));
            QVERIFY(figure && figure->low < figure->value && figure->value < figure->high);
            if (id == training) {
                QVERIFY(near(figure->low / figure->value, single->headline->low / single->headline->value,
                             1e-9) ||
                        near(figure->value / figure->high, single->headline->low / single->headline->value,
                             1e-9));
            }
        }
    }

    /// Usual values are legal, rise, and hold the present one.
    void usualValuesAreLegal() {
        const Scenario present = scenario(training);
        const ScenarioSpec base = spec(training);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile);
        for (const char* path :
             {"workload.global_batch", "workload.sequence_length", "plan.tensor_parallel", "plan.micro_batch",
              "cluster.instances", "workload.tokens", "price", "gemm_compute_efficiency"}) {
            const Variable variable = *Variable::named(path, present);
            const SweepAxis axis = usualAxis(variable, present, explorer, 24);
            QVERIFY2(axis.values.size() >= 3 && axis.values.size() <= 50, path);
            QVERIFY2(std::ranges::find(axis.values, variable.value(present)) != axis.values.end(), path);
            for (std::size_t i = 0; i < axis.values.size(); ++i) {
                const auto there = explorer.scenarioWith({{variable, axis.values[i]}});
                QVERIFY2(there && there->runs(), path);
                QVERIFY2(i == 0 || *numberOf(axis.values[i - 1]) < *numberOf(axis.values[i]), path);
            }
        }
        QVERIFY(usualAxis(*Variable::named("plan.precision", present), present, explorer, 24).values.size() >=
                2);
    }

    /// The best plan at a point is what a search of that point finds, and is never worse than the present
    /// one.
    void pointsAreMadeTheBest() {
        const ScenarioSpec base = spec(training);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile);
        const PlanFigure* figure = findPlanFigure("training.tokens_per_s");
        const auto axis = *sweepAxis("hbm_bandwidth=1 TB/s,4 TB/s", scenario(training));
        const std::vector<FreeField> free{*freeField(base, catalog_, "plan.tensor_parallel", "2,4,8"),
                                          *freeField(base, catalog_, "plan.recompute", "none|full")};
        const Sweep best = sweep(explorer, {axis}, {.optimize = free, .objective = figure});
        for (std::size_t i = 0; i < axis.values.size(); ++i) {
            double most = 0;
            for (const char* tensor : {"2", "4", "8"})
                for (const char* recompute : {"none", "full"}) {
                    const auto there =
                        explorer.with({{axis.variable, axis.values[i]}},
                                      {{"plan.tensor_parallel", tensor}, {"plan.recompute", recompute}});
                    // A search takes what fits as estimated, not what may fit.
                    if (there && there->runs && there->memory->headroomBytes >= 0)
                        most = std::max(most, there->training->tokensPerSecond);
                }
            QVERIFY(near(best.points[i].figure(*figure)->value, most, 1e-12));
            QVERIFY(!best.points[i].plan.empty());
        }
    }

    void headlinesSayWhereItPays() {
        const ScenarioSpec base = spec(training);
        const PlanFigure* figure = findPlanFigure("training.tokens_per_s");
        const std::string said =
            sweepHeadline(sweepOf(base, {"nvlink_bandwidth=5 GB/s..1800 GB/s:log 20"}), *figure);
        QVERIFY2(said.find("more hardly pays") != std::string::npos, said.c_str());
        // "Beyond 300 GB/s more hardly pays: 500 % more ...": from there to the end of the range.
        const auto between = [&said](std::string_view before, std::string_view after) {
            const std::size_t begin = said.find(before) + before.size();
            return said.substr(begin, said.find(after, begin) - begin);
        };
        const auto from = parseQuantity(between("Beyond ", " more"), Dimension::bytesPerSecond);
        const auto more = parseQuantity(between("pays: ", " more"), Dimension::ratio);
        QVERIFY2(from && more, said.c_str());
        QVERIFY2(near(*from * (1 + *more), 1800e9, 0.01), said.c_str());
        const std::string flat = sweepHeadline(sweepOf(base, {"price=30..60:5"}), *figure);
        QVERIFY2(flat.find("hardly depends") != std::string::npos, flat.c_str());
        // What does not fit is not a best value; the edge is named.
        const Sweep lengths = sweepOf(base, {"workload.sequence_length=1024,2048,4096,8192,16384,32768"});
        const std::string fitting = sweepHeadline(lengths, *figure);
        double largest = 0;
        for (const SweepPoint& point : lengths.points)
            largest = point.fits ? std::max(largest, *numberOf(point.values.front())) : largest;
        QVERIFY(largest > 1024 && largest < 32768);
        const std::string edge =
            "Above " + formatCount(static_cast<std::int64_t>(largest)) + " it does not fit.";
        QVERIFY2(fitting.ends_with(edge), fitting.c_str());
    }

    /// A number that varies is that of one pool; the other pool's own grows by the same factor.
    void poolsOfDifferentMachinesVaryTogether() {
        Scenario apart = scenario("serve-deepseek-r1-24xp5en.48xlarge");
        QCOMPARE(apart.pools.size(), 2U);
        const auto bandwidth = Variable::named("hbm_bandwidth", apart);
        QVERIFY(bandwidth);
        const double leading = inputsOf(apart)[*bandwidth->input()];
        for (ServingPool& pool : apart.pools)
            if (&pool.inputs != &inputsOf(apart))
                pool.inputs[*bandwidth->input()] = leading / 4;
        applyNumbers(apart, {{*bandwidth, FieldValue(3 * leading)}});
        for (const ServingPool& pool : apart.pools) {
            QCOMPARE(pool.inputs[*bandwidth->input()],
                     &pool.inputs == &inputsOf(apart) ? 3 * leading : 3 * leading / 4);
        }
    }

    /// What a measurement leaves of the band, and which ones together halve it.
    void measurementsShrinkTheBand() {
        Profile doubtful = catalog_.defaultProfile;
        std::vector<Parameter> parameters(doubtful.parameters.begin(), doubtful.parameters.end());
        for (Parameter& each : parameters)
            each.logSd = each.name == "attention_efficiency" ? 3.0 : each.logSd;
        doubtful.parameters = ParameterList(parameters);
        const auto found = sensitivity(spec(training), catalog_, doubtful, "training.tokens_per_s",
                                       SensitivityRange{.ownError = true, .saturation = true});
        QVERIFY2(found, found.error().c_str());
        const Ignorance& worst = found->ignorance.front();
        QVERIFY(worst.path == "attention_efficiency" && worst.shareOfVariance > 0.75);
        QVERIFY(near(worst.logSdAfter, found->logSd * std::sqrt(1 - worst.shareOfVariance), 1e-9));
        QCOMPARE(found->halving, std::vector<std::string>{worst.measurement});
        for (const SensitivityBar& each : found->inputs) // constants alone, by their own error
            QVERIFY(each.variable.kind() == Variable::Kind::constant);
        const auto sure =
            sensitivity(spec(training), catalog_, catalog_.defaultProfile, "training.tokens_per_s", 0.1);
        QVERIFY(sure->halving.empty() ||
                std::ranges::find(sure->ignorance, "residual", &Ignorance::path)->shareOfVariance <= 0.25);
    }

    /// More NVLink helps until something else takes all of the step.
    void saturationIsFound() {
        ScenarioSpec base = spec(training);
        const auto found = sensitivity(base, catalog_, catalog_.defaultProfile, "training.tokens_per_s",
                                       SensitivityRange{.step = 0.1, .saturation = true});
        const SensitivityBar* link = barOf(*found, "nvlink_bandwidth");
        QVERIFY(link);
        if (link->saturatesAt) {
            const Explorer explorer(base, catalog_, catalog_.defaultProfile, false);
            const auto at = [&](double x) {
                return *explorer.figure("training.tokens_per_s", {{link->variable, FieldValue(x)}});
            };
            QVERIFY(*link->saturatesAt > link->value);
            QVERIFY(at(*link->saturatesAt * 2) / at(*link->saturatesAt) <
                    at(link->value * 2) / at(link->value));
        }
        QVERIFY(link->lowBound && link->highBound);
    }

    /// A bar of a constant is what another calibration would give; of a field, another scenario.
    void barsAreEstimates() {
        const ScenarioSpec base = spec(training);
        const auto found = sensitivity(base, catalog_, catalog_.defaultProfile, "training.step_time_s", 0.1);
        QVERIFY2(found, found.error().c_str());
        QVERIFY(std::ranges::is_sorted(found->inputs, std::ranges::greater{}, &SensitivityBar::span));
        const SensitivityBar* constant = barOf(*found, "attention_efficiency");
        QVERIFY(constant && constant->variable.kind() == Variable::Kind::constant);
        Profile changed = catalog_.defaultProfile;
        std::vector<Parameter> parameters(changed.parameters.begin(), changed.parameters.end());
        for (Parameter& each : parameters)
            each.value *= each.name == "attention_efficiency" ? 0.9 : 1;
        changed.parameters = ParameterList(parameters);
        QVERIFY(near(estimate(base, catalog_, changed)->training->stepTime, *constant->low, 1e-12));

        const auto cost = sensitivity(base, catalog_, catalog_.defaultProfile, "cost.dollars_per_run", 0.1);
        QVERIFY2(cost, cost.error().c_str());
        const SensitivityBar* tokens = barOf(*cost, "workload.tokens");
        QVERIFY(tokens && tokens->variable.kind() == Variable::Kind::field);
        // A run of more tokens costs as much more, but for the thousandth of an hour that is billed in full.
        const double billed =
            2e-3 * 3600 / *estimate(base, catalog_, catalog_.defaultProfile)->training->runTime;
        QVERIFY(near(*tokens->high / cost->value, 1.1, billed));
        const SensitivityBar* price = barOf(*cost, "price");
        QVERIFY(price && price->variable.kind() == Variable::Kind::catalog);
        QVERIFY(near(*price->low / cost->value, 0.9, 0.01 / cost->value)); // rounded to the cent
        // Proportional; half a cent at either end of a step of 1e-5 is this share of it.
        const double cents = 0.01 / (2e-5 * cost->value);
        QVERIFY(near(*price->derivative * price->value, cost->value, 1e-6 + cents));
        QVERIFY(!barOf(*cost, "plan.tensor_parallel")); // no number that varies by percent
    }

    /// What is one entry of the calibration is one bar, and what another entry would give.
    void oneNumberIsOneBar() {
        const ScenarioSpec base = spec(training);
        const auto found = sensitivity(base, catalog_, catalog_.defaultProfile, "training.step_time_s", 0.1);
        const SensitivityBar* gemm = barOf(*found, "gemm_compute_efficiency");
        QVERIFY(gemm && !barOf(*found, "head_gemm_efficiency"));
        QVERIFY(barOf(*found, "peak") && !barOf(*found, "bf16_peak"));
        Profile changed = catalog_.defaultProfile;
        std::vector<Parameter> parameters(changed.parameters.begin(), changed.parameters.end());
        for (Parameter& each : parameters)
            each.value *= each.name == "gemm_compute_efficiency" ? 0.9 : 1;
        changed.parameters = ParameterList(parameters);
        QVERIFY(near(estimate(base, catalog_, changed)->training->stepTime, *gemm->low, 1e-12));
        // In FP8 the peaks of layers and output layer are two numbers.
        ScenarioSpec narrow = base;
        findField("plan.precision")->set(narrow, std::string("fp8"));
        const auto other =
            sensitivity(narrow, catalog_, catalog_.defaultProfile, "training.step_time_s", 0.1);
        QVERIFY2(other, other.error().c_str());
        QVERIFY(barOf(*other, "peak") && barOf(*other, "bf16_peak"));
    }

    void ignoranceSharesTheVariance() {
        const auto found =
            sensitivity(spec(training), catalog_, catalog_.defaultProfile, "training.tokens_per_s", 0.1);
        QVERIFY(found);
        const double sum =
            std::accumulate(found->ignorance.begin(), found->ignorance.end(), 0.0,
                            [](double so, const Ignorance& each) { return so + each.shareOfVariance; });
        QVERIFY(sum > 0.99 && sum <= 1 + 1e-12);
        // A constant that is not known at all weighs more than one that is known well.
        Profile doubtful = catalog_.defaultProfile;
        std::vector<Parameter> parameters(doubtful.parameters.begin(), doubtful.parameters.end());
        for (Parameter& each : parameters)
            each.logSd = each.name == "attention_efficiency" ? 3.0 : each.logSd;
        doubtful.parameters = ParameterList(parameters);
        const auto other = sensitivity(spec(training), catalog_, doubtful, "training.tokens_per_s", 0.1);
        QCOMPARE(other->ignorance.front().path, std::string("attention_efficiency"));
        QVERIFY(other->ignorance.front().measurement.find("calibrate") != std::string::npos);
        // A figure without an error of the model has none to explain.
        QVERIFY(
            sensitivity(spec(training), catalog_, doubtful, "cost.dollars_per_hour", 0.1)->ignorance.empty());
    }

    void servicesAreSensitive() {
        const auto found =
            sensitivity(spec(serving), catalog_, catalog_.defaultProfile, "serving.tpot_s", 0.1);
        QVERIFY2(found, found.error().c_str());
        const SensitivityBar* bandwidth = barOf(*found, "hbm_bandwidth");
        QVERIFY(bandwidth && *bandwidth->low > *bandwidth->high);
        QVERIFY(barOf(*found, "workload.request_rate_per_s"));
        QVERIFY(!sensitivity(spec(serving), catalog_, catalog_.defaultProfile, "training.mfu", 0.1));
    }

    /// The value that is found just reaches the goal: a little less of it does not.
    void goalsAreJustReached() {
        const ScenarioSpec base = spec(serving);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile);
        const Variable rate = *Variable::named("workload.request_rate_per_s", scenario(serving));
        const Goal goal = *goalOf("serving.tpot_s<=40 ms", *explorer.with({}));
        QCOMPARE(goal.value, 0.04);
        const double present = *numberOf(rate.value(scenario(serving)));
        const Solution found = solve(explorer, rate, present, goal);
        QVERIFY2(found.value, found.why.c_str());
        const double at = *numberOf(*found.value);
        QVERIFY(at > present); // it holds now; this is how far the load may grow
        QVERIFY(*found.figure <= 0.04 && *found.figure > 0.0399);
        QVERIFY(*explorer.figure(goal.figure, {{rate, FieldValue(at * 1.001)}}) > 0.04);
    }

    void wholeNumbersAreTried() {
        const ScenarioSpec base = spec(training);
        const Explorer explorer(base, catalog_, catalog_.defaultProfile);
        const Variable machines = *Variable::named("cluster.instances", scenario(training));
        const auto estimated = explorer.with({});
        const double days = estimated->training->runTime.value() / 86'400;
        const Goal goal = *goalOf("training.run_time_s<=" + std::to_string(days * 0.6) + " d", *estimated);
        const Solution found = solve(explorer, machines, 64, goal);
        QVERIFY2(found.value, found.why.c_str());
        const auto count = std::get<std::int64_t>(*found.value);
        QVERIFY(count > 64 && count <= 128);
        for (std::int64_t fewer = 64; fewer < count; ++fewer) { // none in between reaches it
            const auto figure = explorer.figure(goal.figure, {{machines, FieldValue(fewer)}});
            QVERIFY(!figure || *figure > goal.value);
        }
        const Solution never = solve(explorer, machines, 64, *goalOf("training.mfu>=99 %", *estimated));
        QVERIFY(!never.value);
        QVERIFY2(never.why.find("No value from") == 0, never.why.c_str());
        const Solution always = solve(explorer, *Variable::named("price", scenario(training)), 55,
                                      *goalOf("training.mfu>=1 %", *estimated));
        QVERIFY2(always.value && always.why.find("holds for every value") != std::string::npos,
                 always.why.c_str());
    }

    void wrongGoalsAreRefused() {
        const auto estimated = estimate(spec(training), catalog_, catalog_.defaultProfile);
        for (const auto& [text, says] : {std::pair("training.mfu", "is not FIGURE<=VALUE"),
                                         std::pair("training.mfu<1", "is not FIGURE<=VALUE"),
                                         std::pair("training.mfuu<=1", "'training.mfu'"),
                                         std::pair("training.mfu<=1 GB", "training.mfu: ")}) {
            const auto goal = goalOf(text, *estimated);
            QVERIFY(!goal);
            QVERIFY2(goal.error().find(says) != std::string::npos, goal.error().c_str());
        }
    }

private:
    ScenarioSpec spec(const std::string& id) const {
        return *data::readScenario(*data::shippedScenario(id), id);
    }
    Scenario scenario(const std::string& id) const {
        return *resolve(spec(id), catalog_, catalog_.defaultProfile);
    }
    Sweep sweepOf(const ScenarioSpec& base, const std::vector<std::string>& fields) const {
        const auto resolved = resolve(base, catalog_, catalog_.defaultProfile);
        std::vector<SweepAxis> axes;
        for (const std::string& each : fields) {
            const auto axis = sweepAxis(each, *resolved);
            if (!axis)
                qFatal("%s", axis.error().c_str());
            axes.push_back(*axis);
        }
        return sweep(Explorer(base, catalog_, catalog_.defaultProfile), axes);
    }
    static const SensitivityBar* barOf(const Sensitivity& sensitivity, std::string_view path) {
        const auto found = std::ranges::find_if(
            sensitivity.inputs, [&](const SensitivityBar& each) { return each.variable.path() == path; });
        return found == sensitivity.inputs.end() ? nullptr : &*found;
    }

    Catalog catalog_;
};

QTEST_GUILESS_MAIN(ExploreTest)

} // namespace tst_explore

#include "tst_explore.moc"
