// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/comparison.h"
#include "model/explore/figure_errors.h"
#include "model/explore/outcomes.h"
#include "model/explore/sensitivity.h"
#include "model/explore/solve.h"
#include "model/explore/sweep.h"
#include "model/search/choice_bests.h"
#include "model/search/machine_plans.h"
#include "model/search/question.h"
#include "model/search/ranking.h"
#include "model/search/search.h"
#include "tests/model/neutral_value.h"

#include <QTest>

namespace tst_neutral_explore {

using namespace alidade;
using namespace alidade::test;

/// Questions about a scenario and their answers, before anything is asked or found.
class TestNeutralExplore : public QObject {
    Q_OBJECT

private slots:
    void nothingIsUncertain() {
        const FigureErrors::Constant constant;
        QVERIFY(allZero(constant.value, constant.logSd));
        const FigureChange change;
        QVERIFY(allZero(change.before, change.after, change.logSd));
        const Uncertain uncertain{.variable = Variable(Input::price)};
        QVERIFY(allZero(uncertain.first, uncertain.second, uncertain.third));
        const SensitivityBar bar{.variable = Variable(Input::price)};
        QVERIFY(allZero(bar.value, bar.lowValue, bar.highValue, bar.span));
        const Driver driver;
        QVERIFY(allZero(driver.share, driver.correlation));
        const Ignorance ignorance;
        QVERIFY(allZero(ignorance.shareOfVariance, ignorance.logSdAfter));
        const Sensitivity sensitivity;
        QVERIFY(allZero(sensitivity.value, sensitivity.logSd));
    }

    /// A memory that is not asked about suffices.
    void nothingIsDrawn() {
        const OutcomeFigure figure;
        QVERIFY(allZero(figure.present, figure.mean, figure.p10, figure.p50, figure.p90, figure.histogramLow,
                        figure.histogramWidth, OutcomeLimit{}.missed));
        const Outcomes outcomes;
        QVERIFY(allZero(outcomes.modelLogSd, outcomes.draws, outcomes.failed) && allOne(outcomes.fits));
        const SweepFigure swept;
        QVERIFY(allZero(swept.value, swept.low, swept.high, Goal{}.value, Comparison{}.baseline));
        QVERIFY(allOne(OutcomeOptions{}.threads, SweepOptions{}.threads)); // of the caller alone
    }

    void nothingIsSearched() {
        const SearchCounts counts;
        QVERIFY(allZero(counts.evaluated, counts.pruned, counts.illegal, counts.unfit, counts.missed));
        QVERIFY(allZero(SearchResult{}.plans, SearchAnswer{}.seconds, SearchLimit{}.value,
                        SearchOptions{}.threads));
        const SearchShard all;
        QVERIFY(allZero(all.index) && allOne(all.of));
        const FoundPlan plan;
        QVERIFY(allZero(plan.index, plan.low, plan.high, plan.changes, plan.same));
        const Rejection rejection;
        QVERIFY(allZero(rejection.count, rejection.index, SampledPlan{}.index));
        const RankedPlan ranked;
        QVERIFY(allZero(ranked.changes, ranked.index, FewestMachines{}.gpus, MachinePlan{}.score));
    }

    /// A plan that nothing is better than, and nothing is worse than.
    void nothingIsSaidOfTheSearch() {
        const ChoiceEffect choice;
        QVERIFY(allZero(choice.choice, choice.value));
        const FieldEffect field;
        QVERIFY(allZero(field.field, field.failing));
        const StepGap gap;
        QVERIFY(allZero(gap.seconds, gap.most, gap.spent));
        QVERIFY(allOne(RunnerUp{}.ratio));
    }
};

QTEST_GUILESS_MAIN(TestNeutralExplore)

} // namespace tst_neutral_explore

#include "tst_neutral_explore.moc"
