// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/estimate/figures.h"
#include "model/explore/sensitivity.h"
#include "model/explore/solve.h"
#include "model/explore/sweep.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

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
                for (std::size_t i = 0; i < found.axes.size(); ++i) {
                    found.axes[i].variable.field()->set(changed, point.values[i]);
                }
                const auto single = estimate(changed, catalog_, catalog_.defaultProfile, {.fixes = false});
                QVERIFY(single);
                QCOMPARE(point.runs, single->runs);
                QCOMPARE(point.fits, single->fits);
                QCOMPARE(point.why.empty(), point.runs);
                for (const auto& [figure, value] : point.figures) {
                    QCOMPARE(value, findFigure(*single, figure->path)->value);
                }
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
            for (const FieldValue& each : axis ? axis->values : std::vector<FieldValue>{}) {
                out.push_back(*numberOf(each));
            }
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
        for (Parameter& each : parameters) {
            each.value *= each.name == "attention_efficiency" ? 0.9 : 1;
        }
        changed.parameters = ParameterList(parameters);
        QVERIFY(near(estimate(base, catalog_, changed)->training->stepTime, *constant->low, 1e-12));

        const auto cost = sensitivity(base, catalog_, catalog_.defaultProfile, "cost.dollars_per_run", 0.1);
        QVERIFY2(cost, cost.error().c_str());
        const SensitivityBar* tokens = barOf(*cost, "workload.tokens");
        QVERIFY(tokens && tokens->variable.kind() == Variable::Kind::field);
        QVERIFY(near(*tokens->high / cost->value, 1.1, 1e-9)); // a run of more tokens costs as much more
        const SensitivityBar* price = barOf(*cost, "price");
        QVERIFY(price && price->variable.kind() == Variable::Kind::catalog);
        QVERIFY(near(*price->low / cost->value, 0.9, 1e-9));
        QVERIFY(near(*price->derivative * price->value, cost->value, 1e-6)); // proportional
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
        for (Parameter& each : parameters) {
            each.value *= each.name == "gemm_compute_efficiency" ? 0.9 : 1;
        }
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
        for (Parameter& each : parameters) {
            each.logSd = each.name == "attention_efficiency" ? 3.0 : each.logSd;
        }
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
            if (!axis) {
                qFatal("%s", axis.error().c_str());
            }
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
#include "tst_explore.moc"
