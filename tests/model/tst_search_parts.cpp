// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/search/judge.h"
#include "model/search/machine_plans.h"
#include "model/search/search_basis.h"
#include "model/search/search_picture.h"
#include "tests/model/search_rig.h"

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tst_search_parts {

using namespace alidade;
using namespace alidade::test;
using namespace alidade::test::searching;

namespace {

using Lines = std::vector<std::string>;

const PlanFigure* figureOf(const char* path) {
    const PlanFigure* out = findPlanFigure(path);
    if (!out)
        qFatal("%s", path);
    return out;
}

/// Figures of a made-up plan, by path.
struct Figures {
    std::map<std::string, double> values;
    double operator()(const PlanFigure& figure) const { return values.at(std::string(figure.path)); }
};

} // namespace

/// What is said of a search besides its answer: what a plan misses, what its figures rest on, the best plan
/// of each machine, the sample as a picture.
class TestSearchParts : public QObject {
    Q_OBJECT

private slots:
    /// The first limit that is missed, then the first objective that is not known.
    void limitsThatAreMissed() {
        SearchQuestion question;
        question.base = trainingSpec();
        question.objectives = {figureOf("training.step_time_s"), figureOf("training.tokens_per_s")};
        question.limits = {{figureOf("memory.total_bytes"), true, 7e10},
                           {figureOf("training.mfu"), false, 0.4}};
        const Judge judge(question);
        QCOMPARE(judge.reasons(), std::size_t{6});
        const double unknown = std::numeric_limits<double>::quiet_NaN();
        const std::map<std::string, double> values{{"memory.total_bytes", 7e10},
                                                   {"training.mfu", 0.4},
                                                   {"training.step_time_s", 2},
                                                   {"training.tokens_per_s", 3}};
        const Figures good{values};
        const auto missed = [&judge, &values](const char* path, double value) {
            Figures each{values};
            each.values[path] = value;
            return judge.missedLimit(each);
        };
        QCOMPARE(judge.missedLimit(good), std::string());
        QVERIFY(!judge.missedAt(good));
        const auto label = [](const char* path) { return std::string(figureOf(path)->label); };
        QCOMPARE(missed("memory.total_bytes", 7.1e10), label("memory.total_bytes") + " is above 70.0 GB");
        QCOMPARE(missed("memory.total_bytes", unknown), label("memory.total_bytes") + " is not known");
        QCOMPARE(missed("training.mfu", 0.39), label("training.mfu") + " is below 40.0 %");
        QCOMPARE(missed("training.mfu", unknown), label("training.mfu") + " is not known");
        QCOMPARE(missed("training.step_time_s", unknown), label("training.step_time_s") + " is not known");
        QCOMPARE(missed("training.tokens_per_s", std::numeric_limits<double>::infinity()),
                 label("training.tokens_per_s") + " is not known");
        QCOMPARE(judge.reason(6), std::string("Misses the targets of TTFT or ITL"));
        // Less time and more tokens are better.
        QVERIFY(judge.scores(good) == (std::array{2.0, -3.0}));
        question.objectives.pop_back();
        QVERIFY(judge.scores(good) == (std::array{2.0, 0.0}));
    }

    /// The unfavorable end: a longer time, a smaller rate.
    void unfavorableFigures() {
        SearchQuestion question;
        question.base = trainingSpec();
        const Judge judge(question);
        const PlanFigure &time = *figureOf("training.step_time_s"),
                         &rate = *figureOf("training.tokens_per_s");
        QCOMPARE(judge.judged(2, 0.1, time), 2.0);
        QCOMPARE(judge.judged(2, 0.1, rate), 2.0);
        question.robust = true;
        const double factor = std::exp(0.1 * quantile90);
        QVERIFY(near(judge.judged(2, 0.1, time), 2 * factor) && near(judge.judged(2, 0.1, rate), 2 / factor));
    }

    void percentilesAreAskedFor() {
        SearchQuestion question;
        question.base = servingSpec();
        QVERIFY(!Judge(question).percentiles());
        question.objectives = {figureOf("serving.ttft_s")};
        question.limits = {{figureOf("serving.tpot_s"), true, 1}};
        QVERIFY(!Judge(question).percentiles());
        question.base.workload.ttftSloS = 1;
        QVERIFY(Judge(question).percentiles());
        question.base.workload.ttftSloS.reset();
        question.base.workload.itlSloS = 1;
        QVERIFY(Judge(question).percentiles());
        question.base.workload.itlSloS.reset();
        const PlanFigure* late = nullptr;
        for (const PlanFigure& each : planFigures())
            if (each.path.find("percentiles") != std::string_view::npos)
                late = &each;
        QVERIFY(late);
        question.objectives.push_back(late);
        QVERIFY(Judge(question).percentiles());
        question.objectives.pop_back();
        question.limits.push_back({late, true, 1});
        QVERIFY(Judge(question).percentiles());
    }

    void whatFiguresRestOn() {
        Scenario scenario;
        QVERIFY(restsOn(scenario).empty());
        Inputs& in = scenario.inputs;
        in[Input::overlapTensor] = 0.6;
        in[Input::overlapExpert] = 0.75;
        in[Input::overlapPipeline] = 0.5;
        in[Input::expertImbalance] = 1.25;
        QVERIFY(restsOn(scenario).empty()); // no such traffic
        scenario.plan.tensorParallel = scenario.plan.expertParallel = scenario.plan.pipelineParallel = 2;
        scenario.model.moe = MoeShape{};
        const Lines all{"the busiest expert rank gets 1.25 times the mean of the tokens",
                        "60.0 % of the tensor-parallel traffic is hidden behind compute",
                        "75.0 % of the expert exchange is hidden behind compute",
                        "50.0 % of the pipeline traffic is hidden behind compute"};
        QCOMPARE(restsOn(scenario), all);
        in[Input::overlapTensor] = 0;
        QCOMPARE(restsOn(scenario), (Lines{all[0], all[2], all[3]}));
        scenario.plan.expertParallel = 1;
        QCOMPARE(restsOn(scenario), (Lines{all[0], all[3]}));
        const Scenario service = *resolve(servingSpec(), catalog(), profile());
        QCOMPARE(restsOn(service), (Lines{"the engine is not tuned further, as it is usually run"}));
        Scenario tuned = service;
        tuned.spec.plan.tuning = "vendor";
        tuned.model.moe = MoeShape{};
        tuned.inputs[Input::expertImbalance] = 1.5;
        QCOMPARE(
            restsOn(tuned),
            (Lines{"the engine is tuned as its vendor publishes it",
                   "the busiest expert rank gets 1.50 times the mean of the tokens, before chance spreads "
                   "them"}));
        Scenario learning = *resolve(reinforcementSpec(), catalog(), profile());
        auto roles = std::make_shared<RoleScenarios>(*learning.roles);
        roles->train.inputs[Input::overlapTensor] = 0.25;
        learning.roles = roles;
        QCOMPARE(restsOn(learning),
                 (Lines{"25.0 % of the tensor-parallel traffic is hidden behind compute"}));
    }

    /// 16 GPUs are two of each; the faster one has the shorter step.
    void theBestPlanOfEachMachine() {
        std::vector<double> told;
        const auto found = bestPlanOfEachMachine(trainingSpec(), catalog(), profile(), "b.8,a.8", {},
                                                 [&told](double share) { told.push_back(share); });
        QVERIFY2(found, found ? "" : found.error().c_str());
        QVERIFY(found->complete && found->objective);
        QCOMPARE(found->plans.size(), std::size_t{2});
        QVERIFY(std::ranges::all_of(told, [](double share) { return share >= 0 && share <= 1; }));
        std::map<std::string, double> best;
        for (const char* id : {"a.8", "b.8"}) {
            const auto plan = std::ranges::find(found->plans, id, &MachinePlan::id);
            QVERIFY(plan != found->plans.end());
            QCOMPARE(plan->machine, std::string("2 x ") + id);
            QVERIFY(plan->found() && plan->why.empty());
            const auto spec = applyEdit(trainingSpec(), plan->set);
            QCOMPARE(spec->cluster.instance.value_or(""), std::string(id));
            PlanEvaluator evaluator(catalog(), profile());
            QVERIFY(evaluator.tryOut(*spec) == PlanOutcome::carries);
            QVERIFY(near(evaluator.figure(*found->objective), plan->score));
            best[id] = plan->score;
        }
        const bool more = found->objective->moreIsBetter;
        QVERIFY(more ? found->plans[0].score >= found->plans[1].score
                     : found->plans[0].score <= found->plans[1].score);
        // One at a time gives the same.
        const auto alone = bestPlanOfEachMachine(trainingSpec(), catalog(), profile(), "b.8");
        QCOMPARE(alone->plans.size(), std::size_t{1});
        QVERIFY(near(alone->plans[0].score, best["b.8"]));
        QVERIFY(!bestPlanOfEachMachine(trainingSpec(), catalog(), profile(), "no.such"));
        std::stop_source stop;
        stop.request_stop();
        const auto stopped =
            bestPlanOfEachMachine(trainingSpec(), catalog(), profile(), "b.8,a.8", stop.get_token());
        QVERIFY(stopped && !stopped->complete && stopped->plans.empty());
        // Machines that no plan fits on come last, with the reason.
        ScenarioSpec large = trainingSpec();
        large.workload.sequenceLength = 131'072;
        large.workload.globalBatch = 16;
        large.cluster.instances = 1;
        const auto some = bestPlanOfEachMachine(large, catalog(), profile(), "b.8,a.8");
        QVERIFY(some);
        for (std::size_t i = 0; i < some->plans.size(); ++i) {
            QVERIFY(some->plans[i].found() == some->plans[i].why.empty());
            QVERIFY(i == 0 || some->plans[i - 1].found() || !some->plans[i].found());
        }
    }

    /// Each plan of the sample with all figures that any of them has; evaluated once.
    void aPictureOfTheSample() {
        const SearchQuestion question = layouts();
        SearchResult result = found(question);
        QVERIFY(result.sample.size() > 4);
        SearchPictures pictures(question, catalog(), profile());
        const SearchPicture picture = pictures.of(result);
        QCOMPARE(picture.values.size(), picture.figures.size() * result.sample.size());
        const PlanFigure &step = *figureOf("training.step_time_s"), &memory = *figureOf("memory.total_bytes");
        QVERIFY(picture.has(step) && picture.has(memory) && !picture.has(*figureOf("serving.ttft_s")));
        const std::vector<Tried> all = tryEach(question);
        for (std::size_t i = 0; i < result.sample.size(); ++i) {
            const Tried& plan = all[result.sample[i].index];
            QVERIFY(plan.outcome == Outcome::runs);
            QVERIFY(near(picture.value(i, step), plan.step) && near(picture.value(i, memory), plan.memory));
            QVERIFY(picture.bottlenecks.contains(plan.index));
        }
        for (const FoundPlan& each : result.best)
            QVERIFY(picture.bottlenecks.contains(each.index));
        for (const PlanFigure* each : picture.figures) {
            bool known = false;
            for (std::size_t i = 0; i < result.sample.size(); ++i)
                known = known || !std::isnan(picture.value(i, *each));
            QVERIFY(known);
        }
        // Only some now: the listed ones first, then as many of the sample as are left.
        SearchResult fewer = found(question);
        const std::size_t listed = fewer.best.size();
        SearchPictures limited(question, catalog(), profile());
        SearchResult nothing = fewer;
        const SearchPicture none = limited.of(nothing, {}, 0);
        QVERIFY(nothing.sample.empty() && none.bottlenecks.empty() && none.values.empty());
        limited.of(fewer, {}, listed + 2);
        QVERIFY(fewer.sample.size() >= 2 && fewer.sample.size() < result.sample.size());
        // What is known takes nothing of the next limit.
        SearchResult same = fewer;
        const SearchPicture again = limited.of(same, {}, 0);
        QCOMPARE(same.sample.size(), fewer.sample.size());
        QCOMPARE(again.values.size(), again.figures.size() * same.sample.size());
        std::stop_source stop;
        stop.request_stop();
        const SearchPicture stopped = limited.of(same, stop.get_token());
        QVERIFY(stopped.figures.empty() && stopped.values.empty());
    }

    /// What becomes of a plan, and why.
    void outcomesOfPlans() {
        PlanEvaluator plan(catalog(), profile());
        ScenarioSpec spec = trainingSpec();
        QVERIFY(plan.tryOut(spec) == PlanOutcome::carries);
        const double usable = 8e10 * 0.98;
        QVERIFY(plan.usableMemory() > 0 && plan.usableMemory() <= usable);
        const double total = plan.figure(*figureOf("memory.total_bytes"));
        QVERIFY(near(plan.memoryHigh(), total * std::exp(quantile90 * 0.092)));
        spec.plan.tensorParallel = 3;
        QVERIFY(plan.tryOut(spec) == PlanOutcome::illegal);
        const Problem rule = plan.whyIllegal();
        QVERIFY(rule.severity == Severity::error && rule.place.starts_with("/plan"));
        QCOMPARE(std::string(plan.illegalMessage()), rule.message);
        spec = trainingSpec();
        spec.plan.framework = "none";
        QVERIFY(plan.tryOut(spec) == PlanOutcome::illegal && !plan.resolved());
        const std::string error = resolve(spec, catalog(), profile()).error();
        const Problem unknown = plan.whyIllegal();
        QVERIFY(unknown.place.starts_with('/'));
        QCOMPARE(unknown.place + ": " + unknown.message, error);
        spec = trainingSpec();
        spec.plan.tensorParallel = 1;
        spec.plan.sharding = "none";
        QVERIFY(plan.tryOut(spec) == PlanOutcome::unfit);
        // 12 of 18 bytes of a parameter are the optimizer's.
        QCOMPARE(std::string(plan.whyUnfit()),
                 std::string("Does not fit: optimizer states take most of the memory"));
        ScenarioSpec service = servingSpec(1e6);
        QVERIFY(plan.tryOut(service) == PlanOutcome::overloaded);
        service = servingSpec();
        service.workload.model = "dense";
        service.cluster.instance = "b.8";
        service.plan.tensorParallel = 1;
        service.workload.concurrency = 100'000;
        service.workload.requestRatePerS.reset();
        plan.tryOut(service);
        // A change to each resolved scenario.
        PlanEvaluator half(catalog(), profile(),
                           [](Scenario& scenario) { scenario.inputs[Input::capacity] = 1e9; });
        QVERIFY(half.tryOut(trainingSpec()) == PlanOutcome::unfit);
    }
};

QTEST_GUILESS_MAIN(TestSearchParts)

} // namespace tst_search_parts

#include "tst_search_parts.moc"
