// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios side by side: the error of a difference, the best one, and reasons that add up.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "data/scenario/scenario_list.h"
#include "model/engine/engine.h"
#include "model/explore/comparison.h"
#include "model/explore/comparison_words.h"
#include "model/explore/variable.h"

#include <QTest>

#include <cmath>
#include <deque>
#include <limits>

namespace tst_comparison {

using namespace alidade;

namespace {

constexpr const char* training = "llama-3.1-70b-64xp5.48xlarge";
constexpr const char* serving = "serve-llama-3.1-70b-1xp5en.48xlarge";

std::size_t placeOf(const char* path) {
    return static_cast<std::size_t>(findPlanFigure(path) - planFigures().data());
}

/// Errors of one figure, the first of all: 10 %, with one constant of 10 % behind it.
FigureErrors errorsOf(const char* machine, double logSd, double slope, std::vector<double> step) {
    FigureErrors out;
    out.machine = machine;
    out.logSd.assign(planFigures().size(), logSd);
    out.timeParts = std::move(step);
    out.constants.push_back({.name = "gemm.compute_efficiency",
                             .source = "a fit",
                             .value = 0.7,
                             .logSd = 0.1,
                             .slopes = std::vector<double>(planFigures().size(), slope)});
    return out;
}

} // namespace

class ComparisonTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto loaded = data::loadShippedCatalog().catalog;
        QVERIFY(loaded);
        catalog_ = *loaded;
    }

    /// By hand: var = 0.1² + 0.2² − 2 cov, with the covariance of the shared constant 0.5 · 0.4 · 0.1².
    void theErrorOfADifference() {
        const FigureErrors a = errorsOf("p5", 0.1, 0.5, {1, 2}), b = errorsOf("p6", 0.2, 0.4, {1, 3});
        QVERIFY(std::abs(ratioLogSd(a, b, 0) - std::sqrt(0.05 - 2 * 0.002)) < 1e-12);
        FigureErrors other = b;
        other.constants[0].value = 0.8; // another machine's constant of that name
        QVERIFY(std::abs(ratioLogSd(a, other, 0) - std::sqrt(0.05)) < 1e-12);
        // One machine: at least half of the errors is common.
        FigureErrors same = b;
        same.machine = "p5";
        QVERIFY(std::abs(ratioLogSd(a, same, 0) - std::sqrt(0.05 - 2 * 0.5 * 0.1 * 0.2)) < 1e-12);
        // The very same step: all of it, but what the memory needs does not follow from that.
        same.timeParts = a.timeParts;
        QVERIFY(std::abs(ratioLogSd(a, same, 0) - 0.1) < 1e-12);
        const std::size_t memory = placeOf("memory.total_bytes");
        QVERIFY(std::abs(ratioLogSd(a, same, memory) - std::sqrt(0.05 - 0.02)) < 1e-12);
    }

    /// A change counts where the 80 % interval of the ratio does not contain 1.
    void certainBeyondTheInterval() {
        const FigureErrors a = errorsOf("p5", 0.1, 0, {1}), b = errorsOf("p6", 0.1, 0, {2});
        const double edge = std::exp(1.2815515655446004 * std::sqrt(0.02));
        QVERIFY(!figureChange(a, b, 0, 10, 10 * edge * 0.999).certain);
        QVERIFY(figureChange(a, b, 0, 10, 10 * edge * 1.001).certain);
        QVERIFY(!figureChange(a, b, 0, 10, 10).certain);
    }

    /// Only the price and the length of the run differ: bands overlap, and still all is certain.
    void whatIsSharedCancels() {
        ScenarioSpec dear = spec(training);
        dear.cluster.purchase = "custom";
        dear.cluster.dollarsPerInstanceHour = 60;
        ScenarioSpec dearer = dear;
        dearer.cluster.dollarsPerInstanceHour = 61;
        const Comparison both = compare({{"a", dear}, {"b", dearer}});
        const FigureRow& cost = row(both, "cost.dollars_per_run");
        QVERIFY(cost.changes[1]->certain);
        QVERIFY(cost.changes[1]->logSd < 1e-9);
        // Bills are rounded to the cent: half a cent of either.
        const double cents = 0.01 / *cost.values[0];
        QVERIFY(std::abs(cost.changes[1]->ratio() - 1.0 / 60) < 1e-12 + cents);
        QCOMPARE(cost.best, std::optional<std::size_t>(0));
        QVERIFY(!row(both, "training.step_time_s").best);
    }

    void aSmallChangeOfPlanIsWithinTheError() {
        ScenarioSpec other = spec(training);
        other.plan.microBatch = 2;
        const Comparison both = compare({{"a", spec(training)}, {"b", other}});
        const FigureRow& step = row(both, "training.step_time_s");
        QVERIFY(step.changes[1]->before != step.changes[1]->after);
        const double band = errors(0).logSd[placeOf("training.step_time_s")];
        QVERIFY(step.changes[1]->logSd > 0 && step.changes[1]->logSd <= band * (1 + 1e-12));
        QCOMPARE(step.changes[1]->certain,
                 std::abs(std::log(step.changes[1]->after / step.changes[1]->before)) >
                     1.2815515655446004 * step.changes[1]->logSd);
    }

    /// The slope of a constant is that of two estimates side by side.
    void slopesAreThoseOfEstimates() {
        for (const char* id : {training, serving}) {
            const ScenarioSpec base = spec(id);
            const auto found = figureErrors(base, catalog_, catalog_.defaultProfile);
            QVERIFY(found);
            QVERIFY(!found->constants.empty());
            const std::string path = std::string(id) == training ? "training.step_time_s" : "serving.tpot_s";
            const Explorer explorer(base, catalog_, catalog_.defaultProfile, false);
            const Result<Scenario> scenario = explorer.scenarioWith({});
            double largest = 0;
            for (const FigureErrors::Constant& each : found->constants) {
                const auto variable = Variable::named(each.name, *scenario);
                QVERIFY(variable);
                const auto at = [&](double factor) {
                    return std::log(*explorer.figure(path, {{*variable, FieldValue(each.value * factor)}}));
                };
                constexpr double step = 1e-3;
                const double slope =
                    (at(1 + step) - at(1 - step)) / (std::log(1 + step) - std::log(1 - step));
                QVERIFY2(std::abs(slope - each.slopes[placeOf(path.c_str())]) < 2e-3, each.name.c_str());
                largest = std::max(largest, std::abs(slope));
            }
            QVERIFY(largest > 0.05);
        }
    }

    void reasonsAddUp() {
        ScenarioSpec full = spec(training);
        full.plan.recompute = {"full"};
        const Comparison all = compare({{"as planned", spec(training)},
                                        {"recomputed", full},
                                        {"b200", spec("llama-3.1-70b-16xp6-b200.48xlarge")}});
        QCOMPARE(all.reasons.size(), 2U);
        for (const Reasons& reasons : all.reasons) {
            QVERIFY(!reasons.totals[0]);
            for (const std::size_t i : {1U, 2U}) {
                double sum = 0;
                for (const ReasonRow& each : reasons.rows)
                    sum += *each.amounts[i];
                QVERIFY(*reasons.totals[i] != 0);
                QVERIFY(std::abs(sum - *reasons.totals[i]) < 1e-9 * std::abs(*reasons.totals[i]));
            }
            // The largest first, whatever its unit, and none that says nothing.
            double before = std::numeric_limits<double>::infinity();
            for (const ReasonRow& each : reasons.rows) {
                const double largest = std::max(std::abs(*each.amounts[1]), std::abs(*each.amounts[2]));
                QVERIFY2(largest > 0 && largest <= before, each.name.c_str());
                before = largest;
            }
        }
        QCOMPARE(all.reasons[0].name, std::string("Step time"));
        QVERIFY(std::abs(*all.reasons[0].totals[1] -
                         row(all, "training.step_time_s").changes[1]->difference()) < 1e-9);
        QVERIFY(std::abs(*all.reasons[1].totals[2] - row(all, "cost.dollars_per_run").changes[2]->ratio()) <
                1e-9);
        // The fleet costs the same with another plan on it.
        for (const ReasonRow& each : all.reasons[1].rows)
            if (each.name == "Rent per hour")
                QVERIFY(*each.amounts[1] == 0 && *each.amounts[2] != 0);
    }

    void fieldsTellWhatDiffers() {
        ScenarioSpec other = spec(training);
        other.plan.precision = "fp8";
        const Comparison both = compare({{"a", spec(training)}, {"b", other}});
        std::vector<std::string> differing;
        for (const FieldRow& each : both.fields)
            if (each.differs)
                differing.emplace_back(each.field->path);
        QVERIFY(std::ranges::find(differing, "plan.precision") != differing.end());
        QVERIFY(std::ranges::find(differing, "cluster.instance") == differing.end());
        QVERIFY(differing.size() < both.fields.size() / 2);
    }

    void wordsSayWhatIsSo() {
        ScenarioSpec tooMuch = spec(training);
        tooMuch.plan.tensorParallel = 1;
        tooMuch.plan.pipelineParallel = 1;
        const Comparison one = compare({{"as planned", spec(training)}, {"too large", tooMuch}});
        QCOMPARE(one.sentence, std::string("Only as planned runs and fits."));
        ScenarioSpec longer = spec(training);
        longer.workload.tokens = *longer.workload.tokens * 2;
        const Comparison jobs = compare({{"a", spec(training)}, {"b", longer}});
        QVERIFY2(jobs.sentence.starts_with("The scenarios do different jobs"), jobs.sentence.c_str());
        FigureChange change{.before = 4, .after = 3};
        QCOMPARE(changeText(*findPlanFigure("training.step_time_s"), change), std::string("\u221225.0 %"));
        change = {.before = 0.4, .after = 0.425};
        QCOMPARE(changeText(*findPlanFigure("training.mfu"), change), std::string("+2.5 pt"));
        change = {.before = 1, .after = 1.0001};
        QCOMPARE(changeText(*findPlanFigure("training.step_time_s"), change), std::string("0.0 %"));
    }

    void listsAreReadBack() {
        data::ScenarioList list;
        list.scenarios.push_back({.kind = data::ListedScenario::Kind::open, .name = "", .spec = {}});
        list.scenarios.push_back(
            {.kind = data::ListedScenario::Kind::stored, .id = 12, .name = "b", .spec = {}});
        list.scenarios.push_back({.name = "FP8 \u2013 \"quick\"", .spec = spec(training)});
        list.chosen = 2;
        const auto back = data::readScenarioList(data::writeScenarioList(list));
        QVERIFY2(back, back.error().c_str());
        QCOMPARE(back->chosen, 2U);
        QCOMPARE(back->scenarios.size(), 3U);
        QCOMPARE(back->scenarios[1].id, 12);
        QCOMPARE(back->scenarios[2].name, list.scenarios[2].name);
        QCOMPARE(data::writeScenario(back->scenarios[2].spec), data::writeScenario(spec(training)));
        for (const auto& [json, place] :
             {std::pair("[]", "/scenarios"), std::pair(R"({"scenarios":[3]})", "/scenarios/0"),
              std::pair(R"({"scenarios":[{"kind":"other"}]})", "/scenarios/0/kind"),
              std::pair(R"({"scenarios":[{"kind":"stored"}]})", "/scenarios/0/id"),
              std::pair(R"({"scenarios":[{"kind":"fixed","scenario":{"alidade":1,"x":1}}]})",
                        "/scenarios/0/scenario")}) {
            const auto wrong = data::readScenarioList(json);
            QVERIFY(!wrong);
            QVERIFY2(QString::fromStdString(wrong.error()).startsWith(QLatin1String(place)),
                     wrong.error().c_str());
        }
    }

private:
    static ScenarioSpec spec(const char* id) {
        return *data::readScenario(*data::sampleScenarioText(id), id);
    }
    static const FigureRow& row(const Comparison& comparison, const char* path) {
        return *std::ranges::find_if(comparison.figures,
                                     [path](const FigureRow& each) { return each.figure->path == path; });
    }
    Comparison compare(const std::vector<std::pair<std::string, ScenarioSpec>>& scenarios) {
        estimates_.clear();
        errors_.clear();
        std::vector<ComparedScenario> all;
        for (const auto& [name, each] : scenarios) {
            estimates_.push_back(*estimate(each, catalog_, catalog_.defaultProfile, {.fixes = false}));
            errors_.push_back(*figureErrors(each, catalog_, catalog_.defaultProfile));
            all.push_back({name, &estimates_.back(), &errors_.back()});
        }
        return compareScenarios(all, 0);
    }
    const FigureErrors& errors(std::size_t i) const { return errors_[i]; }

    Catalog catalog_;
    std::deque<Estimate> estimates_;
    std::deque<FigureErrors> errors_;
};

QTEST_GUILESS_MAIN(ComparisonTest)

} // namespace tst_comparison

#include "tst_comparison.moc"
