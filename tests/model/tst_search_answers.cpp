// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "tests/model/search_rig.h"

#include <QTest>

#include <map>
#include <stop_token>

namespace tst_search_answers {

using namespace alidade;
using namespace alidade::test;
using namespace alidade::test::searching;

/// What else the answer of a search holds, and other ways to get it.
class TestSearchAnswers : public QObject {
    Q_OBJECT

private slots:
    /// Each value of a field with the best plan that has it.
    void effectsOfChoices() {
        const SearchQuestion question = layouts();
        const std::vector<Tried> all = tryEach(question);
        const double best = ranked(all)[0].step;
        const SearchResult result = found(question);
        QCOMPARE(result.effects.size(), question.free.size());
        for (const FieldEffect& effect : result.effects) {
            std::uint64_t slower = 1;
            for (std::size_t i = effect.field + 1; i < question.free.size(); ++i)
                slower *= question.free[i].choices.size();
            const std::size_t choices = question.free[effect.field].choices.size();
            QCOMPARE(effect.values.size() + effect.failing, choices);
            for (const ChoiceEffect& choice : effect.values) {
                double least = 1e300;
                for (const Tried& each : all)
                    if (each.outcome == Outcome::runs && each.index / slower % choices == choice.choice)
                        least = std::min(least, each.step);
                QVERIFY(near(choice.value, least));
                QCOMPARE(choice.equalToBest, least <= best * std::exp(quantile90 * 0.094));
            }
        }
        // Three stages do not divide the GPUs.
        const auto stages = std::ranges::find_if(result.effects, [&](const FieldEffect& e) {
            return question.free[e.field].path == "plan.pipeline_parallel";
        });
        QCOMPARE(stages->failing, std::size_t{1});
        // A field with one value has no effect.
        QCOMPARE(found(questionOf({freeOf("plan.micro_batch", "1"), freeOf("plan.tensor_parallel", "4,8")}))
                     .effects.size(),
                 std::size_t{1});
    }

    void twoObjectivesHaveAFront() {
        SearchQuestion question = layouts();
        question.objectives.push_back(findPlanFigure("memory.total_bytes"));
        const std::vector<Tried> best = ranked(tryEach(question));
        const SearchResult result = found(question);
        std::vector<std::pair<double, double>> expected, front;
        for (const Tried& each : best) {
            const bool beaten = std::ranges::any_of(best, [&](const Tried& other) {
                return other.step <= each.step && other.memory <= each.memory &&
                       (other.step < each.step || other.memory < each.memory);
            });
            if (!beaten && (expected.empty() || expected.back() != std::pair(each.step, each.memory)))
                expected.emplace_back(each.step, each.memory);
        }
        for (const FoundPlan& each : result.front)
            front.emplace_back(each.figure(*stepTime()), each.figure(*findPlanFigure("memory.total_bytes")));
        QCOMPARE(front.size(), expected.size());
        for (std::size_t i = 0; i < front.size(); ++i)
            QVERIFY(near(front[i].first, expected[i].first) && near(front[i].second, expected[i].second));
        QVERIFY(front.size() > 1 && found(layouts()).front.empty());
    }

    /// Numbers of machines: the dearest are the fastest, and the fewest that do it are told.
    void freeMachines() {
        SearchQuestion question =
            questionOf({freeOf("cluster.instances", "1,2,4,8"), freeOf("plan.micro_batch", "1,2")},
                       "training.step_time_s");
        const std::vector<Tried> best = ranked(tryEach(question));
        const SearchResult result = found(question);
        QVERIFY(result.fewest);
        const double least = std::ranges::min_element(best, {}, &Tried::gpus)->gpus;
        QCOMPARE(result.fewest->figure(*findPlanFigure("gpus")), least);
        double fastest = 1e300;
        for (const Tried& each : best)
            fastest = each.gpus == least ? std::min(fastest, each.step) : fastest;
        QVERIFY(near(result.fewest->figure(*stepTime()), fastest));
        QVERIFY(!found(layouts()).fewest);
        // Other numbers of machines have other errors, of which half is common: 0.094 all the same.
        const double first = result.best[0].figure(*stepTime());
        for (const FoundPlan& each : result.best)
            QCOMPARE(each.equalToBest, each.figure(*stepTime()) <= first * std::exp(quantile90 * 0.094));
    }

    /// On other machines the errors are independent: a factor of sqrt 2.
    void otherMachines() {
        SearchQuestion question;
        question.base = trainingSpec();
        question.free = {*alidade::freeMachines(question.base, catalog(), "a.8,u-a.16"),
                         freeOf("plan.micro_batch", "1,2"), freeOf("plan.tensor_parallel", "1,2,4,8")};
        question.objectives = {stepTime()};
        completeQuestion(question, catalog(), profile());
        question.top = 50;
        const SearchResult result = found(question);
        QCOMPARE(result.plans, std::uint64_t{16});
        std::map<std::string, int> of;
        const auto machine = [](const FoundPlan& plan) {
            std::string out;
            for (const auto& [path, text] : plan.set)
                if ((path == "cluster.instance" || path == "cluster.ultraserver") && !text.empty())
                    out = text;
            return out;
        };
        const FoundPlan& first = result.best[0];
        for (const FoundPlan& each : result.best) {
            const double sd = machine(each) == machine(first) ? 0.094 : 0.094 * std::sqrt(2.0);
            QCOMPARE(each.equalToBest,
                     each.figure(*stepTime()) <= first.figure(*stepTime()) * std::exp(quantile90 * sd));
            ++of[machine(each)];
        }
        QCOMPARE(of.size(), std::size_t{2});
    }

    /// Threads, shards and what is remembered give the same answer.
    void theSameAnswerAnyWay() {
        const SearchQuestion question = layouts();
        const SearchResult one = found(question);
        const auto same = [&one](const SearchResult& other) {
            QCOMPARE(other.counts.evaluated, one.counts.evaluated);
            QCOMPARE(other.counts.illegal, one.counts.illegal);
            QCOMPARE(other.counts.unfit, one.counts.unfit);
            QCOMPARE(other.counts.missed, one.counts.missed);
            QCOMPARE(other.best.size(), one.best.size());
            for (std::size_t i = 0; i < one.best.size(); ++i)
                QCOMPARE(other.best[i].index, one.best[i].index);
            QCOMPARE(other.rejected.size(), one.rejected.size());
            for (std::size_t i = 0; i < one.rejected.size(); ++i) {
                QCOMPARE(other.rejected[i].count, one.rejected[i].count);
                QCOMPARE(other.rejected[i].index, one.rejected[i].index);
            }
            QCOMPARE(other.present.rank, one.present.rank);
            QCOMPARE(other.sample.size(), one.sample.size());
            QCOMPARE(other.effects.size(), one.effects.size());
            QCOMPARE(other.recommended->index, one.recommended->index);
        };
        same(found(question, {.threads = 4}));
        PlanMemory memory(question);
        QVERIFY(!memory.answers(question));
        SearchFindings all(question);
        std::uint64_t tried = 0;
        all.add(searchShard(
            question, catalog(), profile(),
            {.threads = 1, .progress = [&tried](std::uint64_t n) { tried = n; }, .memory = &memory}));
        QCOMPARE(tried, question.plans());
        QVERIFY(wrongWith(all, question, catalog(), profile()).empty());
        same(searchAnswer(question, catalog(), profile(), all));
        QCOMPARE(memory.plans(), static_cast<std::size_t>(one.counts.evaluated));
        QVERIFY(memory.answers(question));
        same(searchAnswer(question, catalog(), profile(),
                          recallFindings(memory, question, catalog(), profile())));
        // Another limit of the same space is answered from memory.
        SearchQuestion limited = question;
        limited.limits = {{stepTime(), true, one.best[one.best.size() / 2].figure(*stepTime())}};
        QVERIFY(memory.answers(limited));
        const SearchResult searched = found(limited);
        const SearchResult recalled = searchAnswer(limited, catalog(), profile(),
                                                   recallFindings(memory, limited, catalog(), profile()));
        QCOMPARE(recalled.counts.evaluated, searched.counts.evaluated);
        QCOMPARE(recalled.counts.missed, searched.counts.missed);
        QCOMPARE(recalled.best.size(), searched.best.size());
        QCOMPARE(recalled.rejected.size(), searched.rejected.size());
        limited.robust = true;
        QVERIFY(!memory.answers(limited));
        SearchQuestion other = question;
        other.free.pop_back();
        QVERIFY(!memory.answers(other));
        other = question;
        other.limits = {{findPlanFigure("serving.ttft_s"), true, 1}};
        QVERIFY(!memory.answers(other));
        other = question;
        other.cleared.emplace_back("plan.schedule", "");
        QVERIFY(!memory.answers(other));
    }

    /// Findings of another calibration do not belong to this one.
    void findingsOfOtherConstants() {
        const SearchQuestion question = layouts();
        const SearchFindings all = searchShard(question, catalog(), profile(), {.threads = 1});
        Profile slower = profile();
        for (Parameter& each : slower.parameters)
            each.value *= each.name == "gemm_compute_efficiency" ? 0.9 : 1;
        const std::string wrong = wrongWith(all, question, catalog(), slower);
        QVERIFY(wrong.starts_with("plan ") && wrong.find("has other figures now") != std::string::npos);
    }

    void onePlanOfTheSpace() {
        const SearchQuestion question = layouts();
        for (const Tried& each : tryEach(question)) {
            const FoundPlan plan = planAt(each.index, question, catalog(), profile());
            QCOMPARE(plan.index, each.index);
            QCOMPARE(plan.changes, each.changes);
            QCOMPARE(plan.figures.empty(), each.outcome == Outcome::illegal);
            if (!plan.figures.empty())
                QVERIFY(near(plan.figure(*stepTime()), each.step));
        }
    }

    /// A small memory keeps nothing.
    void memoryIsLimited() {
        const SearchQuestion question = layouts();
        PlanMemory small(question, 100);
        search(question, catalog(), profile(), {.threads = 1, .memory = &small});
        QVERIFY(!small.answers(question));
        QCOMPARE(small.plans(), std::size_t{0});
        std::stop_source stop;
        stop.request_stop();
        const SearchResult stopped = found(question, {.threads = 1, .stop = stop.get_token()});
        QVERIFY(!stopped.complete && stopped.counts.total() == 0 && stopped.best.empty());
    }

    void whatItRestsOn() {
        SearchQuestion question = questionOf({freeOf("plan.micro_batch", "1,2")});
        QVERIFY(found(question).assumes.empty());
        question.base.plan.overlap.tensor = question.start.plan.overlap.tensor = 0.6;
        QCOMPARE(found(question).assumes,
                 std::vector<std::string>{"60.0 % of the tensor-parallel traffic is hidden behind compute"});
        question.base.plan.tensorParallel = question.start.plan.tensorParallel = 1;
        QVERIFY(found(question).assumes.empty());
    }

    /// Of a service: overloaded plans miss the load, targets are limits.
    void plansOfAService() {
        SearchQuestion question;
        question.base = servingSpec(40);
        question.free = {*freeField(question.base, catalog(), "plan.tensor_parallel", "1,2,3,4,8")};
        completeQuestion(question, catalog(), profile());
        QCOMPARE(question.objectives.front()->path, std::string_view("cost.dollars_per_million_tokens"));
        const SearchResult result = found(question);
        QVERIFY(result.complete);
        QCOMPARE(result.counts.illegal, std::uint64_t{1}); // 3 does not divide the heads
        QCOMPARE(result.counts.total(), std::uint64_t{5});
        QVERIFY(!result.assumes.empty());
        QCOMPARE(result.assumes[0], std::string("the engine is not tuned further, as it is usually run"));
        question.base.workload.requestRatePerS = question.start.workload.requestRatePerS = 1e6;
        const SearchResult over = found(question);
        QCOMPARE(over.counts.missed, std::uint64_t{4});
        QCOMPARE(over.present.why, std::string("More requests arrive than it can serve"));
        question.base.workload.requestRatePerS = question.start.workload.requestRatePerS = 1;
        question.base.workload.ttftSloS = question.start.workload.ttftSloS = 1e-6;
        const SearchResult late = found(question);
        QCOMPARE(late.counts.missed, std::uint64_t{4});
        QCOMPARE(late.present.why, std::string("Misses the targets of TTFT or ITL"));
    }
};

QTEST_GUILESS_MAIN(TestSearchAnswers)

} // namespace tst_search_answers

#include "tst_search_answers.moc"
