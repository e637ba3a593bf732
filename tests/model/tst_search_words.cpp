// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search_words.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <string>
#include <vector>

namespace tst_search_words {

using namespace alidade;
using namespace alidade::test;

namespace {

using Texts = std::vector<std::string>;

const PlanFigure& figure(const char* path) { return *findPlanFigure(path); }

FreeField freeOf(const char* path, const char* words, const ScenarioSpec& spec = trainingSpec()) {
    const auto out = freeField(spec, smallCatalog(), path, words);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *out;
}

/// Tensor 2, 4 or 8 and recomputation, judged by step time.
SearchQuestion questionOf(const char* objective = "training.step_time_s") {
    SearchQuestion out;
    out.base = out.start = trainingSpec();
    out.free = {freeOf("plan.tensor_parallel", "2,4,8"), freeOf("plan.recompute", "none|full")};
    out.objectives = {findPlanFigure(objective)};
    out.top = 5;
    return out;
}

FoundPlan planOf(const char* tensor, double value, const char* objective = "training.step_time_s",
                 const char* recompute = "none") {
    FoundPlan out;
    out.set = {{"plan.tensor_parallel", tensor}, {"plan.recompute", recompute}};
    out.figures = {{findPlanFigure(objective), value}};
    return out;
}

} // namespace

/// The answer of a search, as people read it.
class TestSearchWords : public QObject {
    Q_OBJECT

private slots:
    void optionsAskTheSameAgain() {
        SearchQuestion q = questionOf();
        q.free = {*freeMachines(q.base, smallCatalog(), "a.8,b.8"), freeOf("plan.tensor_parallel", "2,4"),
                  freeOf("plan.recompute", "norms, glu|full")};
        q.objectives.push_back(findPlanFigure("training.mfu"));
        q.limits = {{findPlanFigure("training.step_time_s"), true, 10},
                    {findPlanFigure("training.mfu"), false, 0.4}};
        q.robust = true;
        QCOMPARE(searchOptions(q), (Texts{"--machine=a.8,b.8", "--free=plan.tensor_parallel=2,4",
                                          "--free=plan.recompute=norms, glu|full",
                                          "--objective=training.step_time_s,training.mfu",
                                          "--at-most=training.step_time_s=10 s",
                                          "--at-least=training.mfu=40 %", "--robust", "--top=5"}));
        q.free.clear();
        q.objectives.clear();
        q.limits.clear();
        q.robust = false;
        QCOMPARE(searchOptions(q), Texts{"--top=5"});
    }

    void namesOfFieldsFiguresAndChoices() {
        QCOMPARE(labelOfFree({"cluster.instance", {}}), std::string("Machines"));
        QCOMPARE(labelOfFree({"plan.tensor_parallel", {}}), std::string("Tensor"));
        QCOMPARE(labelOfFree({"plan.nothing", {}}), std::string("plan.nothing"));
        QCOMPARE(labelOfFree({"plan.disaggregated.prefill.tensor_parallel", {}}).substr(0, 9),
                 std::string("Prefill: "));
        QCOMPARE(labelOfFree({"plan.disaggregated.decode.tensor_parallel", {}}).substr(0, 8),
                 std::string("Decode: "));
        QCOMPARE(figureInWords(figure("training.step_time_s")), std::string("step time"));
        QCOMPARE(figureInWords(figure("training.mfu")), std::string("MFU"));
        QCOMPARE(figureInWords(figure("reinforcement_learning.dollars_per_1000_steps")),
                 std::string("1,000 steps"));
        QCOMPARE(figureInWords({.label = "Z"}), std::string("Z"));
        QCOMPARE(figureInWords({.label = "Az"}), std::string("az"));
        QCOMPARE(figureInWords({.label = "Zz"}), std::string("zz"));
        QCOMPARE(figureInWords({.label = "AZ"}), std::string("AZ"));
        QCOMPARE(figureInWords({.label = "ZA"}), std::string("ZA"));
        QCOMPARE(choiceText({{}, {{"cluster.instance", ""}, {"cluster.ultraserver", "u-a.16"}}}),
                 std::string("u-a.16"));
        QCOMPARE(choiceText({{}, {{"cluster.instance", ""}, {"cluster.ultraserver", ""}}}), std::string());
        const FreeField recompute = freeOf("plan.recompute", "full|norms");
        QCOMPARE(choiceInWords(recompute, recompute.choices[0]), std::string("Full"));
        const FreeField machines = *freeMachines(trainingSpec(), smallCatalog(), "b.8");
        QCOMPARE(choiceInWords(machines, machines.choices[0]), std::string("b.8"));
        QCOMPARE(choiceInWords({"plan.nothing", {}}, {{}, {{"x", "y"}}}), std::string("y"));
    }

    void valuesOfAPlan() {
        const FreeField machines{"cluster.instance", {}}, count{"cluster.instances", {}};
        FoundPlan plan;
        QCOMPARE(valueInWords(plan, machines), std::string());
        plan.set = {{"cluster.instance", "a.8"}};
        QCOMPARE(valueInWords(plan, machines), std::string("a.8"));
        plan.set.emplace_back("cluster.instances", "64");
        QCOMPARE(valueInWords(plan, machines), std::string("64 x a.8"));
        QCOMPARE(valueInWords(plan, count), std::string("64"));
        plan.set = {{"cluster.instance", ""},
                    {"cluster.instances", ""},
                    {"cluster.ultraserver", "u-a.16"},
                    {"cluster.ultraservers", "4"}};
        QCOMPARE(valueInWords(plan, machines), std::string("4 x u-a.16"));
        QCOMPARE(valueInWords(plan, count), std::string("4"));
        QCOMPARE(valueInWords(planOf("8", 1), freeOf("plan.tensor_parallel", "8")), std::string("8"));
        QCOMPARE(valueInWords(planOf("8", 1, "training.mfu", "full"), freeOf("plan.recompute", "full")),
                 std::string("Full"));
        QCOMPARE(settingOf(plan, "cluster.ultraservers"), std::string("4"));
        QCOMPARE(settingOf(plan, "plan.tensor_parallel"), std::string());
        const FreeField tensor = freeOf("plan.tensor_parallel", "2,4");
        QVERIFY(differs({planOf("2", 1), planOf("2", 2), planOf("4", 1)}, tensor));
        QVERIFY(!differs({planOf("2", 1), planOf("2", 2)}, tensor));
        QVERIFY(!differs({}, tensor));
    }

    void figuresThatAreShown() {
        const auto paths = [](const SearchQuestion& q) {
            Texts out;
            for (const PlanFigure* each : shownFigures(q))
                out.emplace_back(each->path);
            return out;
        };
        SearchQuestion q = questionOf("cost.dollars_per_run");
        q.limits = {{findPlanFigure("memory.headroom_bytes"), false, 0},
                    {findPlanFigure("training.mfu"), false, 0}};
        QCOMPARE(paths(q), (Texts{"cost.dollars_per_run", "memory.headroom_bytes", "training.mfu",
                                  "training.step_time_s"}));
        q = {};
        q.base = servingSpec();
        q.objectives = {findPlanFigure("serving.tpot_s")};
        QCOMPARE(paths(q), (Texts{"serving.tpot_s", "serving.ttft_s", "serving.output_tokens_per_s_per_gpu",
                                  "memory.headroom_bytes"}));
        q.base.workload.testTime.samples = 4;
        QCOMPARE(paths(q), (Texts{"serving.tpot_s", "serving.ttft_s", "serving.output_tokens_per_s_per_gpu",
                                  "serving.test_time.latency_s",
                                  "serving.test_time.dollars_per_1000_questions", "memory.headroom_bytes"}));
        q.base = reinforcementSpec();
        q.objectives.clear();
        QCOMPARE(paths(q),
                 (Texts{"reinforcement_learning.step_time_s", "reinforcement_learning.dollars_per_1000_steps",
                        "reinforcement_learning.idle_share", "memory.headroom_bytes"}));
    }

    void whatThePresentPlanLacks() {
        const SearchQuestion q = questionOf();
        SearchResult r;
        r.best = {planOf("2", 10)};
        r.present.figures = {{findPlanFigure("training.step_time_s"), 12}};
        r.present.behind = {.seconds = 2, .most = 1.5, .spent = 4, .bound = Bound::nvlink};
        const std::string text =
            "The present plan has 20 % more step time than the best plan. It loses most in "
            "NVLink traffic: 1.50 s more than the best plan, of 4.00 s that it spends "
            "there.";
        QCOMPARE(presentGapText(q, r), text);
        QCOMPARE(gapTexts(q, r), Texts{text});
        SearchResult other = r;
        other.present.behind.seconds = 0;
        QCOMPARE(presentGapText(q, other), std::string());
        QCOMPARE(gapTexts(q, other), Texts{});
        other.present.behind.seconds = 0.001;
        QVERIFY(!presentGapText(q, other).empty());
        other = r;
        other.present.figures = {{findPlanFigure("training.mfu"), 0.4}};
        QCOMPARE(presentGapText(q, other), std::string());
        other = r;
        other.best.clear();
        QCOMPARE(presentGapText(q, other), std::string());
        // Of what is better the more there is: 40 % instead of 50 %.
        const SearchQuestion mfu = questionOf("training.mfu");
        r.best = {planOf("2", 0.5, "training.mfu")};
        r.present.figures = {{findPlanFigure("training.mfu"), 0.4}};
        QVERIFY(
            presentGapText(mfu, r).starts_with("The present plan has 20 % less MFU than the best plan. "));
    }

    void whatTheNextPlanWouldNeed() {
        const SearchQuestion q = questionOf();
        SearchResult r;
        QCOMPARE(runnerUpText(q, r), std::string());
        r.best = {planOf("2", 10)};
        r.runnerUp = RunnerUp{.plan = planOf("4", 12.5),
                              .ratio = 1.25,
                              .behind = {.seconds = 2.5, .most = 2, .spent = 3, .bound = Bound::bubble}};
        QCOMPARE(
            runnerUpText(q, r),
            std::string("The first plan that is worse beyond the error (Tensor 4) has 25 % more step time: "
                        "12.5 s. To win, its step would have to be 2.50 s shorter. It loses most in the "
                        "pipeline bubble: 2.00 s more than the best plan, of 3.00 s that it spends there."));
        r.runnerUp->plan = planOf("8", 12.5, "training.step_time_s", "full");
        r.runnerUp->behind = {};
        const std::string both = runnerUpText(q, r);
        QVERIFY2(both.find("(Tensor 8, Recompute Full)") != std::string::npos ||
                     both.find("(Tensor 8, Recomputation Full)") != std::string::npos,
                 both.c_str());
        QVERIFY2(both.ends_with(": 12.5 s. To win, it would have to be better by that much."), both.c_str());
        // 1.25 times the cost is level with the best at 20 % less.
        const SearchQuestion money = questionOf("cost.dollars_per_run");
        r.best = {planOf("2", 40, "cost.dollars_per_run")};
        r.runnerUp->plan = planOf("4", 50, "cost.dollars_per_run");
        QVERIFY2(runnerUpText(money, r).ends_with("To win, its machines would have to cost 20 % less."),
                 runnerUpText(money, r).c_str());
        const SearchQuestion rent = questionOf("cost.dollars_per_hour");
        r.runnerUp->plan = planOf("4", 50, "cost.dollars_per_hour");
        QVERIFY(runnerUpText(rent, r).ends_with("To win, its machines would have to cost 20 % less."));
        // Both gaps, the present plan's first.
        r.best = {planOf("2", 10)};
        r.present.figures = {{findPlanFigure("training.step_time_s"), 12}};
        r.present.behind.seconds = 1;
        r.runnerUp->plan = planOf("4", 12.5);
        const Texts gaps = gapTexts(q, r);
        QCOMPARE(gaps.size(), std::size_t{2});
        QVERIFY(gaps[0].starts_with("The present plan") && gaps[1].starts_with("The first plan"));
    }

    void whichChoicesMatter() {
        SearchQuestion q = questionOf();
        SearchResult r;
        // Tensor: 2 and 4 are equal, 8 is 30 % slower.
        r.effects = {{.field = 0, .values = {{0, 10, true}, {1, 10.1, true}, {2, 13, false}}, .failing = 0},
                     {.field = 1, .values = {{0, 10, true}, {1, 10.2, true}}, .failing = 0}};
        QVERIFY(r.effects[0].matters() && !r.effects[1].matters());
        const std::string recompute = labelOfFree(q.free[1]);
        QCOMPARE(
            effectTexts(q, r),
            (Texts{"Tensor: 2, 4 within the error of the best; 8: +30 %.",
                   "Hardly matter: " + recompute +
                       ". With each of their values that has a plan, one is within the error of the best."}));
        r.effects[0].values = {{0, 13, false}, {1, 10, true}, {2, 11, false}};
        r.effects[0].failing = 1;
        r.effects.resize(1);
        QCOMPARE(effectTexts(q, r),
                 Texts{"Tensor: 4 within the error of the best; 2: +30 %, 8: +10 %; 1 value has no plan."});
        r.effects[0].failing = 2;
        QVERIFY(effectTexts(q, r)[0].ends_with("; 2 values have no plan."));
        // One value that has a plan is no choice.
        r.effects[0].values.resize(1);
        QCOMPARE(effectTexts(q, r), Texts{});
        // Of what is better the more there is of it: 0.4 instead of 0.5.
        q = questionOf("training.mfu");
        r.effects[0] = {.field = 0, .values = {{0, 0.4, false}, {1, 0.5, true}}, .failing = 0};
        QCOMPARE(effectTexts(q, r), Texts{"Tensor: 4 within the error of the best; 2: \u221220 %."});
        r.effects = {{.field = 0, .values = {{0, 1, true}, {1, 1, true}}, .failing = 0},
                     {.field = 1, .values = {{0, 1, true}, {1, 1, true}}, .failing = 0}};
        QVERIFY(effectTexts(q, r)[0].starts_with("Hardly matter: Tensor, " + recompute + ". "));
    }

    void theFewestMachines() {
        const SearchQuestion q = questionOf();
        const auto on = [](double gpus, double seconds) {
            FoundPlan out = planOf("2", seconds);
            out.figures.emplace_back(findPlanFigure("gpus"), gpus);
            return out;
        };
        SearchResult r;
        r.recommended = on(2048, 5);
        QCOMPARE(fewestText(q, r), std::string());
        r.fewest = on(1024, 9);
        QCOMPARE(
            fewestText(q, r),
            std::string("The fewest GPUs that do it are 1,024: step time 9.00 s. The recommended plan has "
                        "2,048 because its step time is 5.00 s."));
        r.fewest = on(2048, 9);
        QCOMPARE(fewestText(q, r),
                 std::string("No plan does it with fewer GPUs than the recommended one: 2,048."));
        r.recommended.reset();
        QCOMPARE(fewestText(q, r), std::string());
    }

    void whatItRestsOn() {
        SearchAnswer answer;
        answer.question = questionOf();
        QCOMPARE(recommendationBasis(answer), Texts{});
        answer.result.assumes = {"one", "another"};
        answer.nearest = "A published run.";
        QCOMPARE(recommendationBasis(answer), (Texts{"It rests on: one; another.", "A published run."}));
        answer.result.counts = {.evaluated = 30, .illegal = 100, .unfit = 6, .missed = 4};
        QCOMPARE(answer.plansPerSecond(), 0.0);
        answer.seconds = 2;
        QCOMPARE(answer.plansPerSecond(), 20.0); // of those that were computed
    }

    void headlines() {
        const SearchQuestion q = questionOf();
        SearchResult r;
        QCOMPARE(searchHeadline(q, r), std::string("No plan of this space runs, fits and keeps the limits."));
        r.best = {planOf("2", 10)};
        r.best[0].equalToBest = true;
        QCOMPARE(searchHeadline(q, r), std::string("Step time of the best plan: 10.0 s."));
        r.present.figures = {{findPlanFigure("training.step_time_s"), 12}};
        QCOMPARE(searchHeadline(q, r), std::string("Step time of the best plan: 10.0 s.")); // no rank
        r.present.rank = 3;
        QCOMPARE(searchHeadline(q, r),
                 std::string("Step time of the best plan: 10.0 s; of the present one: 12.0 s."));
        r.present.equalToBest = true;
        r.best.push_back(planOf("4", 10.1));
        r.best.back().equalToBest = true;
        QCOMPARE(
            searchHeadline(q, r),
            std::string("Step time of the best plan: 10.0 s; of the present one: 12.0 s, equal within the "
                        "error. 1 other plan is equal to the best within the error."));
        r.present.rank = 1;
        r.best.push_back(r.best.back());
        r.best.push_back(planOf("8", 20));
        QCOMPARE(
            searchHeadline(q, r),
            std::string("No plan of this space is better than the present one: step time 12.0 s. 2 other "
                        "plans are equal to the best within the error."));
        r.present.figures.clear();
        QVERIFY(searchHeadline(q, r).starts_with("Step time of the best plan: 10.0 s. 2 other"));
        r.present.figures = {{findPlanFigure("training.step_time_s"), 12}};
        r.present.rank = 2;
        r.present.figures = {{findPlanFigure("training.mfu"), 12}};
        QVERIFY(searchHeadline(q, r).starts_with("Step time of the best plan: 10.0 s. 2 other"));
    }

    void reasonsOfARecommendation() {
        SearchQuestion q = questionOf();
        SearchResult r;
        FoundPlan plan = planOf("2", 10);
        plan.low = 9;
        plan.high = 11;
        plan.index = 7;
        plan.changes = 1;
        r.recommended = plan;
        r.best = {plan};
        const std::string what = "Step time 10.0 s (9.00 s to 11.0 s). ";
        QCOMPARE(recommendationReason(q, r), what + "The first of the list.");
        r.present.equalToBest = true;
        QCOMPARE(recommendationReason(q, r),
                 what + "The present plan is equal to it within the error: the gain is within the error.");
        r.best[0].index = 8;
        QCOMPARE(recommendationReason(q, r),
                 what + "Equal to the first within the error, with fewer changes.");
        r.best[0].surelyFits = false;
        QCOMPARE(recommendationReason(q, r),
                 what + "Equal to the first within the error, and the high end of its memory fits too.");
        r.recommended->surelyFits = false;
        QCOMPARE(recommendationReason(q, r),
                 what + "Equal to the first within the error, with fewer changes.");
        r.recommended->changes = 0;
        QCOMPARE(recommendationReason(q, r), what + "It is the present plan.");
        // What follows from free fields was cleared.
        q.cleared = {{"plan.data_parallel", ""}, {"plan.nothing", ""}};
        const std::string data(findField("plan.data_parallel")->label);
        QCOMPARE(recommendationReason(q, r),
                 what + "It has the present values of all free fields; the default of " + data +
                     ", plan.nothing is what differs from the present plan.");
        r.present.figures = r.recommended->figures;
        QCOMPARE(recommendationReason(q, r), what + "It is the present plan.");
    }
};

QTEST_GUILESS_MAIN(TestSearchWords)

} // namespace tst_search_words

#include "tst_search_words.moc"
