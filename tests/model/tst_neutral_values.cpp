// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of estimates, scenarios and plans that nothing has filled in yet: no time, no money and no problem,
// one GPU, and one of everything that divides the work. Whoever fills in a part relies on the rest.
#include "model/estimate/cluster_map.h"
#include "model/estimate/difference.h"
#include "model/estimate/error_band.h"
#include "model/estimate/figures.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/played_engine.h"
#include "model/estimate/reinforcement.h"
#include "model/estimate/run_order.h"
#include "model/scenario/host_choice.h"
#include "model/scenario/role_scenarios.h"
#include "model/scenario/test_time_plan.h"

#include <QTest>

#include <algorithm>
#include <initializer_list>

namespace tst_neutral_values {

using namespace alidade;

namespace {

/// Whether all of them are 0, or another value.
bool all(std::initializer_list<double> values, double expected = 0) {
    return std::ranges::all_of(values, [&](double each) { return each == expected; });
}

} // namespace

class TestNeutralValues : public QObject {
    Q_OBJECT

private slots:
    void partsOfATraining() {
        const Stage stage;
        QVERIFY(stage.stage == 0 && stage.layers == 0);
        QVERIFY(all({stage.forward, stage.backwardInput, stage.backwardWeight, stage.memoryBytes}));
        const Layer layer;
        QVERIFY(layer.count == 0 && !layer.stage && layer.seconds == 0);
        const TimelineEvent event;
        QVERIFY(event.stage == 0 && event.microbatch == 0 && event.chunk == 0 && event.kind == 'F');
        QVERIFY(all({event.start, event.end}));
        const ExpertLoad load;
        QVERIFY(load.experts == 0 && load.expertsPerToken == 0 && load.expertsPerRank == 0);
        QCOMPARE(load.expertRanks, 1);
        const Training training;
        QVERIFY(training.timeline.empty() && all({training.timelineMakespan, training.timelineClosedForm}));
        const Memory memory;
        QCOMPARE(memory.worstStage, 0);
        QCOMPARE(StageMemoryT<double>().stage, 0);
        const Run run;
        QVERIFY(run.storageDollarsPerMonth == 0 && run.bestSpares == 0);
    }

    void partsOfAService() {
        const Pool pool;
        QVERIFY(pool.workers == 1 && pool.gpus == 0 && pool.tensorParallel == 1);
        QVERIFY(pool.pipelineParallel == 1 && pool.expertParallel == 1 && pool.attentionDataParallel == 1);
        const LoadPoint point;
        QVERIFY(all({point.requestsPerSecond, point.concurrency, point.outputTokensPerSecond,
                     point.utilization, point.ttft, point.itl, point.ttftPercentile, point.itlPercentile,
                     point.dollarsPerMillionOutputTokens}));
        QVERIFY(point.meetsTargets);
        const Distribution distribution;
        QVERIFY(distribution.requests == 0 && distribution.seed == 0);
        QVERIFY(TestTime().samples == 1 && !TestTime().asked);
        QCOMPARE(Serving().targetPercentile, 90.0);
        QCOMPARE(ServingTargets().percentile, 90.0);
        QVERIFY(!ServingTargets().any());
        QVERIFY(all({PlayedLoad().requestsPerSecond, PlayedLoad().concurrency}));
        const TestTimePlan plan{.lengths = {10, 0, 10}, .verifier = {}};
        QVERIFY(plan.samples == 1 && plan.stepTokens == 0 && !plan.asked());
    }

    void partsOfLearning() {
        const Reinforcement out;
        QVERIFY(all({out.storageDollarsPerMonth, out.tailShare, out.cutShare, out.meanBatch, out.places,
                     out.refillEnd}));
        QVERIFY(out.engines == 1 && out.updates == 1);
        QCOMPARE(RlPoolT<double>().gpus, 0);
        const RlRolloutPoint point;
        QVERIFY(all({point.seconds, point.share}));
        const RlSplitPoint split;
        QVERIFY(split.rolloutGpus == 0 && split.fits);
        QVERIFY(all({split.stepTime, split.rolloutTime, split.trainTime}));
        const RoleScenarios roles;
        QVERIFY(all({roles.criticWork, roles.criticSize, roles.rewardWork, roles.responseCv, roles.runaway,
                     roles.updateTokens, roles.parameters, roles.activeParameters}));
        QVERIFY(roles.updateShare == 1 && roles.idleGpus == 0);
    }

    void partsOfMoneyAndComparisons() {
        QVERIFY(CostBase().items == 0 && CostBase().rest == 0);
        const Estimate estimate;
        QVERIFY(estimate.gpus == 0 && !estimate.runs && !estimate.fits && !estimate.cost);
        QVERIFY(ErrorBand().low == 1 && ErrorBand().high == 1);
        QCOMPARE(RunTotal().dollars, 0.0);
        QCOMPARE(FigureT<double>().value, 0.0);
        DoubtfulTargets doubts;
        QVERIFY(!doubts.any());
        doubts.gap = true;
        QVERIFY(doubts.any());
        doubts = {.firstToken = true, .gap = false};
        QVERIFY(doubts.any());
    }

    void plansAndMachines() {
        const TrainingPlan training;
        QVERIFY(training.tensorParallel == 1 && training.contextParallel == 1 && training.dataParallel == 1);
        QVERIFY(training.pipelineParallel == 1 && training.virtualPipeline == 1 && training.microBatch == 1);
        QVERIFY(training.expertParallel == 1 && training.expertTensorParallel == 1);
        QVERIFY(training.expertDataParallel == 1 && training.nodeLimit == 0 && training.microbatches == 1);
        const ServingPlan serving;
        QVERIFY(serving.tensorParallel == 1 && serving.pipelineParallel == 1 && serving.workers == 1);
        QVERIFY(serving.attentionDataParallel == 1 && serving.expertParallel == 1);
        QVERIFY(serving.expertTensorParallel == 1);
        QCOMPARE(serving.replicaGpus(), 1);
        const Scenario scenario;
        QVERIFY(scenario.gpusPerNode == 1 && scenario.nvlinkDomain == 1 && scenario.hosts == 1);
        QVERIFY(scenario.networkLayers == 0 && scenario.networkCards == 0 && !scenario.hasBase());
        const HostMachine machine;
        QVERIFY(machine.type.empty() && machine.gpus == 1 && machine.hosts == 0);
        const HostChoice hosts;
        QVERIFY(hosts.fit == 0 && hosts.usable == 0 && hosts.problems.empty());
    }

    /// 2 x 3 x 5 GPUs of a replica; the chunks of schedules of their own; what a request of a side sends on.
    void whatFollowsFromAPlan() {
        ServingPlan serving;
        serving.tensorParallel = 2;
        serving.pipelineParallel = 3;
        serving.attentionDataParallel = 5;
        QCOMPARE(serving.replicaGpus(), 30);
        TestTimePlan plan{.samples = 4, .lengths = {10, 0, 100}, .verifier = {}};
        plan.stepTokens = 4;
        QCOMPARE(plan.steps(12), 1.0); // no beam search
        plan.selection = AnswerSelection::beamSearch;
        QCOMPARE(plan.steps(12), 3.0);
        QCOMPARE(plan.steps(4), 1.0);
        QCOMPARE(plan.steps(3), 1.0);
        QVERIFY(plan.asked());
        plan.samples = 1;
        QVERIFY(plan.asked());
        plan.selection = AnswerSelection::none;
        QVERIFY(!plan.asked());
        plan.samples = 2;
        QVERIFY(plan.asked());
        WorkloadSpec workload;
        QCOMPARE(sequenceWord(workload), std::string("request"));
        workload.testTime.samples = 1;
        QCOMPARE(sequenceWord(workload), std::string("request"));
        workload.testTime.samples = 2;
        QCOMPARE(sequenceWord(workload), std::string("sample"));
    }
};

QTEST_APPLESS_MAIN(TestNeutralValues)

} // namespace tst_neutral_values

#include "tst_neutral_values.moc"
