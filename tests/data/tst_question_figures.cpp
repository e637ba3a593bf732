// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/figures.h"
#include "model/explore/comparison.h"
#include "model/explore/outcomes.h"
#include "model/explore/sensitivity.h"
#include "model/explore/solve.h"
#include "model/explore/sweep.h"
#include "model/search/plan_evaluator.h"
#include "model/search/search.h"
#include "tests/data/serving_fixture.h"

namespace tst_question_figures {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr const char* latency = "serving.test_time.latency_s";
constexpr const char* slowest = "serving.test_time.latency_percentiles_s.p99";
constexpr const char* dollars = "serving.test_time.dollars_per_1000_questions";

const Profile& profile() { return shippedCatalog()->defaultProfile; }

ScenarioSpec questions(std::optional<std::int64_t> samples, double perSecond = 0.2) {
    ScenarioSpec s = chat();
    s.workload.outputTokensCv = 0.8;
    s.workload.requestRatePerS = perSecond;
    s.workload.testTime.samples = samples;
    return s;
}

ScenarioSpec scored(std::int64_t samples) {
    ScenarioSpec s = questions(samples);
    s.workload.testTime.selection = "best_of_n";
    s.workload.testTime.verifier = "qwen3-8b";
    return s;
}

std::vector<const PlanFigure*> questionFigures() {
    std::vector<const PlanFigure*> out;
    for (const PlanFigure& each : planFigures())
        if (each.ofQuestions)
            out.push_back(&each);
    return out;
}

double valueIn(const Estimate& e, std::string_view path) {
    const auto found = findFigure(e, path);
    return found ? found->value : std::nan("");
}

Scenario resolvedOf(const ScenarioSpec& spec) { return *resolve(spec, *shippedCatalog(), profile()); }

} // namespace

/// What is found, swept, solved for and compared by figures of answered questions.
class TestQuestionFigures : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(shippedCatalog()); }

    void anEvaluationSaysWhatTheEstimateSays_data() {
        QTest::addColumn<int>("samples");
        QTest::addColumn<bool>("verifier");
        QTest::newRow("one") << 1 << false;
        QTest::newRow("eight") << 8 << false;
        QTest::newRow("eight, scored") << 8 << true;
    }
    void anEvaluationSaysWhatTheEstimateSays() {
        QFETCH(int, samples);
        QFETCH(bool, verifier);
        const ScenarioSpec spec = verifier ? scored(samples) : questions(samples);
        PlanEvaluator plan(*shippedCatalog(), profile());
        QVERIFY(plan.tryOut(spec, true) == PlanOutcome::carries);
        const Estimate e = run(spec, {.simulate = false});
        QVERIFY(questionFigures().size() >= 8);
        for (const PlanFigure* each : questionFigures()) {
            const double value = plan.figure(*each);
            QVERIFY2(std::isfinite(value) && value > 0 && close(value, valueIn(e, each->path)),
                     std::string(each->path).c_str());
        }
        QVERIFY(valueIn(e, slowest) > valueIn(e, "serving.test_time.latency_percentiles_s.p90"));
    }

    /// One sample answers as a request does.
    void oneSampleIsARequest() {
        const Estimate one = run(questions(1), {.simulate = false});
        QVERIFY(close(valueIn(one, latency), one.serving->e2e));
        QVERIFY(close(valueIn(one, "serving.test_time.questions_per_s"), one.serving->requestsPerSecond));
    }

    void onlyOfQuestions() {
        const WorkloadSpec plain = questions({}).workload;
        const auto refused = searchObjective(plain, dollars);
        QVERIFY(!refused);
        QVERIFY2(refused.error().find("set workload.samples") != std::string::npos, refused.error().c_str());
        QVERIFY(searchObjective(questions(1).workload, dollars));
        ScenarioSpec prefill = questions(4);
        prefill.workload.phase = "prefill";
        QVERIFY(!searchObjective(prefill.workload, dollars));
        WorkloadSpec training;
        training.kind = WorkloadKind::training;
        QVERIFY(!searchObjective(training, dollars));
    }

    void samplesAreSwept() {
        const ScenarioSpec base = questions({});
        const Explorer explorer(base, *shippedCatalog(), profile());
        const auto axis = sweepAxis("workload.samples=1,2,8", resolvedOf(base));
        QVERIFY2(axis, axis ? "" : axis.error().c_str());
        const Sweep found = sweep(explorer, {*axis}, {});
        QCOMPARE(found.points.size(), std::size_t{3});
        double before = 0;
        for (const SweepPoint& point : found.points) {
            const auto samples = std::get<std::int64_t>(point.values.front());
            const Estimate single = run(questions(samples));
            for (const PlanFigure* each : questionFigures()) {
                const auto value = std::ranges::find(point.figures, each, &SweepFigure::figure);
                QVERIFY2(value != point.figures.end(), std::string(each->path).c_str());
                QVERIFY(close(value->value, valueIn(single, each->path)));
            }
            const auto shown =
                std::ranges::find(point.figures, findPlanFigure(slowest), &SweepFigure::figure);
            QVERIFY(shown->value > before && shown->low < shown->value && shown->value < shown->high);
            before = shown->value;
        }
    }

    /// Cheapest plan whose questions are answered in time, against a loop over estimates.
    void plansAreFoundByQuestions() {
        SearchQuestion question;
        question.base = questions(8);
        question.free = {*freeField(question.base, *shippedCatalog(), "plan.tensor_parallel", {"1,2,4,8"}),
                         *freeField(question.base, *shippedCatalog(), "plan.weights", {"bf16,fp8"})};
        question.objectives = {
            *searchObjective(question.base.workload, "serving.test_time.least_dollars_per_1000_questions")};
        const double most = 1.1 * valueIn(run(questions(8)), slowest);
        question.limits = {*searchLimit(question.base.workload,
                                        std::string(slowest) + "=" + std::to_string(most) + " s", true)};
        question.top = 20;
        completeQuestion(question, *shippedCatalog(), profile());
        const SearchResult found = search(question, *shippedCatalog(), profile());
        QVERIFY(!found.best.empty() && found.counts.missed > 0);
        for (const FoundPlan& each : found.best) {
            const Estimate e = run(*applyEdit(question.base, each.set));
            for (const PlanFigure* figure : questionFigures()) {
                QVERIFY2(close(each.figure(*figure), valueIn(e, figure->path)),
                         std::string(figure->path).c_str());
            }
        }
    }

    void goalsOfQuestions() {
        const ScenarioSpec base = questions(4);
        const Explorer explorer(base, *shippedCatalog(), profile());
        const Estimate present = *explorer.with({});
        const double now = valueIn(present, slowest);
        const Goal goal = *goalOf(std::string(slowest) + "<=" + std::to_string(now * 1.3) + " s", present);
        const Variable samples = *Variable::named("workload.samples", resolvedOf(base));
        const Solution found = solve(explorer, samples, 4, goal);
        QVERIFY2(found.value, found.why.c_str());
        const auto most = std::get<std::int64_t>(*found.value);
        QVERIFY(most > 4);
        QVERIFY(*explorer.figure(slowest, {{samples, FieldValue(most)}}) <= goal.value);
        QVERIFY(*explorer.figure(slowest, {{samples, FieldValue(most + 1)}}) > goal.value);
    }

    void questionsAreSensitive() {
        const auto found = sensitivity(questions(8), *shippedCatalog(), profile(), dollars, 0.1);
        QVERIFY2(found, found ? "" : found.error().c_str());
        QVERIFY(found->logSd > 0);
        const auto bar = std::ranges::find_if(found->inputs, [](const SensitivityBar& each) {
            return each.variable.path() == "workload.request_rate_per_s";
        });
        QVERIFY(bar != found->inputs.end() && *bar->low > *bar->high); // the same rent for more questions
    }

    void outcomesOfQuestions() {
        const ScenarioSpec base = questions(8);
        const Explorer explorer(base, *shippedCatalog(), profile(), false);
        const OutcomeQuestion question{
            .uncertain = {}, .figures = {findPlanFigure(slowest)}, .limits = {}, .draws = 200};
        const auto drawn = outcomes(explorer, question);
        QVERIFY2(drawn, drawn ? "" : drawn.error().c_str());
        const OutcomeFigure& figure = drawn->figures.front();
        QVERIFY(close(figure.present, valueIn(run(base, {.simulate = false}), slowest)));
        QVERIFY(figure.p10 < figure.p50 && figure.p50 < figure.p90);
    }

    /// Services with one and with several samples are judged by what a question costs.
    void samplesAreCompared() {
        const Estimate one = run(questions(1)), several = run(scored(8));
        const FigureErrors errors = *figureErrors(questions(1), *shippedCatalog(), profile()),
                           others = *figureErrors(scored(8), *shippedCatalog(), profile());
        const std::vector<ComparedScenario> both{{"one", &one, &errors}, {"best of 8", &several, &others}};
        const Comparison comparison = compareScenarios(both, 0);
        for (const PlanFigure* each : questionFigures()) {
            const auto row = std::ranges::find(comparison.figures, each, &FigureRow::figure);
            QVERIFY2(row != comparison.figures.end(), std::string(each->path).c_str());
            QVERIFY(close(*row->values[0], valueIn(one, each->path)));
            QVERIFY(close(*row->values[1], valueIn(several, each->path)));
        }
        QVERIFY2(comparison.detail.find("Cost per 1,000 questions") != std::string::npos,
                 (comparison.sentence + " / " + comparison.detail).c_str());
    }
};

QTEST_GUILESS_MAIN(TestQuestionFigures)

} // namespace tst_question_figures

#include "tst_question_figures.moc"
