// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/evaluate_reinforcement.h"
#include "model/search/plan_evaluator.h"
#include "model/search/plan_memory.h"
#include "tests/model/search_rig.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tst_search_gaps {

using namespace alidade;
using namespace alidade::test;
using namespace alidade::test::searching;

namespace {

/// Seconds of a plan's step by class of time.
std::map<Bound, double> secondsOf(const Estimate& estimate) {
    std::map<Bound, double> out;
    for (const auto& share : estimate.training->breakdown)
        out[share.bound] += share.seconds;
    return out;
}

Estimate estimateOf(const Edit& edit) {
    const auto scenario = resolve(*applyEdit(trainingSpec(), edit), catalog(), profile());
    return estimateResolved(*scenario, {.simulate = false, .loadLimit = false, .fixes = false});
}

/// Whether a gap is that of two steps: from the class of time that grew most.
bool isBetween(const StepGap& gap, const Estimate& best, const Estimate& other) {
    const auto before = secondsOf(best), after = secondsOf(other);
    Bound bound = Bound::compute;
    double most = -1e300;
    for (const auto& [each, seconds] : after) {
        const auto was = before.find(each);
        const double grown = seconds - (was == before.end() ? 0 : was->second);
        if (grown > most) {
            most = grown;
            bound = each;
        }
    }
    return near(gap.seconds, other.training->stepTime - best.training->stepTime) && gap.bound == bound &&
           near(gap.most, most) && near(gap.spent, after.at(bound));
}

bool isEmpty(const StepGap& gap) { return gap.seconds == 0 && gap.most == 0 && gap.spent == 0; }

} // namespace

/// What the plans that are worse than the best one lack, and for how many plans there is room.
class TestSearchGaps : public QObject {
    Q_OBJECT

private slots:
    /// The first plan that the model can tell from the best one, and where its step is longer.
    void theRunnerUp() {
        SearchQuestion question = layouts();
        question.top = 100;
        const SearchResult result = found(question);
        const auto second = std::ranges::find(result.best, false, &FoundPlan::equalToBest);
        QVERIFY(second != result.best.end() && result.runnerUp);
        const RunnerUp& runnerUp = *result.runnerUp;
        QCOMPARE(runnerUp.plan.index, second->index);
        const Estimate best = estimateOf(result.best[0].set), other = estimateOf(second->set);
        QVERIFY(near(runnerUp.ratio, other.training->stepTime / best.training->stepTime));
        QVERIFY(isBetween(runnerUp.behind, best, other));
    }

    /// Without recomputation the step is shortest: full recomputation has the most arithmetic to do again.
    void thePresentPlan() {
        const auto from = [](const char* recompute) {
            SearchQuestion question;
            question.base = trainingSpec();
            question.base.plan.recompute = std::vector<std::string>{recompute};
            question.free = {freeOf("plan.recompute", "none|selective|full")};
            question.objectives = {stepTime()};
            completeQuestion(question, catalog(), profile());
            return found(question);
        };
        for (const auto& [words, rank] : {std::pair("none", 1), {"selective", 2}, {"full", 3}}) {
            const SearchResult result = from(words);
            QCOMPARE(int(result.present.rank.value_or(0)), rank);
            const Estimate best = estimateOf({{"plan.recompute", "none"}}),
                           present = estimateOf({{"plan.recompute", words}});
            if (rank == 1 || present.training->stepTime == best.training->stepTime)
                QVERIFY(isEmpty(result.present.behind));
            else
                QVERIFY(isBetween(result.present.behind, best, present));
        }
        QVERIFY(from("full").present.behind.seconds > 0);
    }

    /// A plan takes the bytes of its figures, of its place and of a mark.
    void roomForPlans() {
        const SearchQuestion question = layouts();
        const std::size_t figures = PlanMemory(question).figures().size(), bytes = 8 * figures + 8 + 1;
        QVERIFY(figures > 5);
        PlanMemory ten(question, 10 * bytes);
        QVERIFY(ten.hasRoomFor(4) && ten.hasRoomFor(6) && !ten.hasRoomFor(1));
        PlanMemory nine(question, 10 * bytes - 1);
        QVERIFY(nine.hasRoomFor(9) && !nine.hasRoomFor(1) && !nine.hasRoomFor(0)); // for good
        PlanMemory none(question, bytes - 1);
        QVERIFY(none.hasRoomFor(0) && !none.hasRoomFor(1));
    }

    /// Training and rollout take turns on a GPU: the fuller one has to fit; only the peak of training is
    /// uncertain.
    void memoryOfBothRoles() {
        PlanEvaluator plan(catalog(), profile());
        const ScenarioSpec spec = reinforcementSpec();
        QVERIFY(plan.tryOut(spec) == PlanOutcome::carries);
        const Scenario& scenario = plan.scenario();
        const auto totals = std::make_unique<RlTotals>();
        evaluateReinforcement(scenario, rlInputs(scenario), *totals);
        const auto& memory = totals->memory;
        const double engine = memory.engineNeeded,
                     train = memory.trainTotal *
                             std::exp(quantile90 * scenario.roles->train.inputs[Input::memoryLogSd]);
        QVERIFY(engine > 1e9 && train > 1e9);
        QVERIFY(near(plan.memoryHigh(), std::max(engine, train)));
        QVERIFY(near(plan.usableMemory(), std::max(engine, memory.trainTotal) + memory.headroom));
    }

    /// Words of a list are one value; alternatives are separated by "|".
    void alternativesOfLists() {
        const FreeField split = freeOf("plan.pipeline_split", "16,16|10,22|16,16");
        QCOMPARE(split.choices.size(), std::size_t{2});
        QCOMPARE(split.choices[1].edit.front().second, std::string("10, 22"));
    }
};

QTEST_GUILESS_MAIN(TestSearchGaps)

} // namespace tst_search_gaps

#include "tst_search_gaps.moc"
