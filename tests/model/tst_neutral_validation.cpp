// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/collective_case.h"
#include "model/validation/loop_run.h"
#include "model/validation/nearest.h"
#include "model/validation/predict_collective.h"
#include "model/validation/prediction.h"
#include "model/validation/published.h"
#include "model/validation/published_quantity.h"
#include "model/validation/published_reinforcement.h"
#include "model/validation/published_run.h"
#include "model/validation/published_serving.h"
#include "model/validation/regret.h"
#include "model/validation/serving_runs.h"
#include "model/validation/validation_report.h"
#include "tests/model/neutral_value.h"

#include <QTest>

namespace tst_neutral_validation {

using namespace alidade;
using namespace alidade::test;

/// A published row says only what its source says, and a report counts nothing that is not there.
class TestNeutralValidation : public QObject {
    Q_OBJECT

private slots:
    /// One machine of one GPU, where a count says how many there are; none of what may be missing.
    void publishedRowsSayNothing() {
        const PublishedExperts experts;
        QVERIFY(allZero(experts.experts, experts.perToken, experts.expertFfn));
        const PublishedLayerTime layer;
        QVERIFY(allZero(layer.forward, layer.backward, layer.total));
        const PublishedWholeRun run;
        QVERIFY(allZero(run.gpuHours, run.tokens));
        const PublishedExchange exchange;
        QVERIFY(allZero(exchange.ranks, exchange.tokensPerRank, exchange.hidden, exchange.perToken));
        const PublishedCollective collective;
        QVERIFY(allOne(collective.nodes, collective.gpus));
        const PublishedQuantity quantity;
        QVERIFY(allZero(quantity.value, quantity.timesStep, PublishedFigure{}.value));
        QVERIFY(allOne(PublishedServingHardware{}.nodes, PublishedPool{}.instances, PublishedPool{}.gpus));
        const PublishedItlLine line;
        QVERIFY(allZero(line.intercept, line.slope));
    }

    /// Sources name the node only if it is none of 8 GPUs in one NVLink domain (HGX and DGX machines).
    void nodesAreThoseOfHgx() {
        const PublishedHardware hardware;
        const CollectiveCase collective{};
        for (const int gpus : {hardware.gpusPerNode, hardware.scaleUpDomain, collective.perNode,
                               collective.domain, PublishedReinforcement{}.gpusPerNode})
            QCOMPARE(gpus, 8);
        QVERIFY(allZero(collective.networkPerGpu, collective.bytes, collective.launch, collective.measured));
    }

    void nothingIsPredicted() {
        const Prediction prediction;
        QVERIFY(allZero(prediction.value, prediction.low, prediction.high));
        const CollectivePrediction collective;
        QVERIFY(allZero(collective.seconds, collective.measured, NearRow{}.distance));
        const ServingFigures figures;
        QVERIFY(allZero(figures.ttft, figures.tpot, figures.itl, figures.e2e, figures.prefill,
                        figures.outputTokensPerS, figures.inputTokensPerS));
        const LoopRun loop;
        QVERIFY(allOne(loop.users));
        QVERIFY(allZero(loop.requestsPerUser, loop.lengthCv, loop.answer, loop.promptsOfOthers, loop.burst,
                        loop.waitInSteadyState, loop.answerAlone));
        const ServingRun run;
        QVERIFY(allZero(run.requestsPerUser) && allOne(run.pollInterval)); // looks for requests at each step
    }

    void reportsAreEmpty() {
        const ValidationRow row;
        QVERIFY(allZero(row.measured, row.predicted, row.error, row.low, row.high, row.weight));
        QVERIFY(allZero(row.gpus, row.parameters, row.activeParameters, row.bytes, row.nodes,
                        row.requestsPerUser));
        QVERIFY(allOne(row.pollInterval));
        QCOMPARE(MemoryOutcome{}.outOfMemoryProbability, 0.0);
        const LeaveOneOut left;
        QVERIFY(allZero(left.medianAbsError, left.meanAbsError, left.bandCoverage));
        const ValidationSummary summary;
        QVERIFY(allZero(summary.n, summary.groups, summary.medianAbsError, summary.meanAbsError,
                        summary.p90AbsError, summary.bias, summary.within10, summary.within20,
                        summary.bandCoverage, summary.bandHalfWidth));
    }

    /// Plans that are not compared: no choice, no regret, equal times.
    void nothingIsChosen() {
        const PlanChoice choice;
        QVERIFY(allZero(choice.plans, choice.regret, choice.pairs, choice.differing, choice.square,
                        choice.near, choice.nearSquare));
        const MisorderedPair pair;
        QVERIFY(allOne(pair.measuredRatio, pair.predictedRatio));
        const RegretSummary regret;
        QVERIFY(allZero(regret.choices, regret.mean, regret.worst, regret.pairs, regret.ordered));
    }
};

QTEST_GUILESS_MAIN(TestNeutralValidation)

} // namespace tst_neutral_validation

#include "tst_neutral_validation.moc"
