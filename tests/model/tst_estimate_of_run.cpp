// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/assemble.h"
#include "model/estimate/assemble_run.h"
#include "model/estimate/run_energy.h"
#include "model/reliability/failure_causes.h"
#include "model/reliability/spares.h"
#include "tests/model/training_rig.h"

#include <QTest>

#include <cmath>
#include <memory>
#include <string_view>

namespace tst_estimate_of_run {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr std::size_t at(StepPart part) { return static_cast<std::size_t>(part); }

/// A run of 90,000 s, 0.8 of it in steps that count, on 4 of 5 nodes of 4 GPUs. What an evaluation would find
/// is given.
struct RunRig {
    Scenario scenario;
    Inputs in;
    std::unique_ptr<Totals> totals = std::make_unique<Totals>();

    RunRig() {
        scenario.hasTokens = scenario.hasPrice = true;
        scenario.hosts = 5;
        scenario.clusterName = "5 x machine";
        scenario.networkBound = Bound::network;
        scenario.plan.pipelineParallel = 2;
        scenario.plan.kinds = {LayerKind{.word = "transformer"}, LayerKind{.word = "moe"}};
        scenario.plan.stageLayers = {2, 2};
        scenario.plan.stageKinds = {{2, 0}, {1, 1}};
        in[Input::reportingPeak] = 400;
        in[Input::capacity] = 100;
        in[Input::nominalMemory] = 128;
        in[Input::memoryLogSd] = 0.1;
        in[Input::timeLogSd] = 0.05;
        in[Input::failureLogSd] = 0.5;
        in[Input::gpus] = 16;
        in[Input::gpusPerHost] = 4;
        in[Input::paidItems] = 5;
        in[Input::price] = 12;
        in[Input::tokens] = 7.2e7;
        in[Input::repairTime] = 20'000;
        in[Input::nvmeWrite] = 1e9;
        in[Input::objectClient] = 5e8;
        in[Input::storagePrice] = 0.2;
        in[Input::spares] = 3;
        in[Input::elasticReplicas] = 8;
        scenario.inputs = in;
        Totals& t = *totals;
        t.stageCount = 2;
        t.worstStage = 1;
        t.stepTime = 10;
        t.parts[at(StepPart::compute)] = 4;
        t.parts[at(StepPart::tensorNetwork)] = 3;
        t.parts[at(StepPart::pipelineTransfer)] = 1.5;
        t.parts[at(StepPart::bubble)] = 1.25;
        t.parts[at(StepPart::dataLoading)] = 0.25;
        t.pipelineFabric = Bound::network;
        t.tokensPerSecond = 1000;
        t.goodput = t.run.goodput = 0.8;
        t.runTime = 90'000;
        t.dollarsPerHour = 60;
        t.instanceHours = 125;
        t.dollarsPerRun = 1500;
        t.memoryTotal = 80;
        t.reserve = 6;
        t.headroom = 14;
        t.run.mtbf = 10'000;
        t.run.recovery = 500;
        t.run.stall = 5;
        t.run.drain = 15;
        t.run.interval = 200;
        t.run.plannedShare = 0.01;
        t.run.plannedStop = 300;
        t.run.waitingShare = 0.02;
        t.run.checkpointBytes = 6e10;
        t.run.copy = 2;
        t.run.storage = {
            .hosts = 4, .capacity = 10.5 * 1024 * 1024 * 1024, .clients = 3e9, .system = 2e9, .rate = 2e9};
        t.power = {.stepping = 9000, .stopped = 3000, .peak = 10'000, .mean = 8000};
    }

    Run run() const { return assembleRun(scenario, in, *totals); }
    Estimate estimate() const { return assemble(scenario, in, totals.get()); }
};

// By hand, s: 72,000 are useful, 90,000 x 0.99 x 0.98 are exposed to failures, 8.7318 in number.
constexpr double useful = 72'000, exposed = 87'318, failures = 8.7318, stalls = 1800;
double stopOfOne() { return 10'000 * (1 - std::exp(-0.05)); }

const LostTime* lostTo(const Run& run, std::string_view cause) {
    for (const LostTime& each : run.lost)
        if (each.cause == cause)
            return &each;
    return nullptr;
}

} // namespace

/// What a training run's estimate is put together from, with all that an evaluation would find given.
class TestEstimateOfRun : public QObject {
    Q_OBJECT

private slots:
    /// All that is lost is 90,000 x 0.2 s; every cause of a failure has its share of the stops and of the
    /// work that is done again.
    void lostTimes() {
        const Run run = RunRig().run();
        const double stopped = failures * stopOfOne();
        const double redone = exposed - useful - stalls - stopped;
        double all = 0, dollars = 0;
        for (const LostTime& each : run.lost) {
            all += each.seconds;
            dollars += each.dollars.value_or(0);
            QCOMPARE(each.seconds, each.restart + each.redone);
        }
        VERIFY_NEAR(all, 18'000.0);
        VERIFY_NEAR(dollars, 5 * 60.0); // 5 hours of $60
        QCOMPARE(run.lost.size(), failureCauses.size() + 3);
        for (const FailureCause& cause : failureCauses) {
            const LostTime* lost = lostTo(run, cause.name);
            QVERIFY(lost);
            VERIFY_NEAR(lost->times, failures * cause.share);
            VERIFY_NEAR(lost->restart, stopped * cause.share);
            QVERIFY(std::abs(lost->redone - redone * cause.share) < 1e-9 * redone);
        }
        QCOMPARE(lostTo(run, plannedCause)->restart, 900.0);
        QCOMPARE(lostTo(run, plannedCause)->times, 3.0);
        VERIFY_NEAR(lostTo(run, waitingCause)->restart, 90'000 * 0.99 * 0.02);
        QCOMPARE(lostTo(run, stallCause)->times, 360.0); // 72,000 / 200
        QCOMPARE(lostTo(run, stallCause)->redone, stalls);
        QCOMPARE(run.checkpoint.count, 360.0);
        VERIFY_NEAR(run.interruptions, failures + 3);
    }

    /// Without stalls, planned stops and waiting these are not causes.
    void onlyFailures() {
        RunRig rig;
        rig.totals->run.plannedShare = rig.totals->run.waitingShare = rig.totals->run.stall = 0;
        const Run run = rig.run();
        QCOMPARE(run.lost.size(), failureCauses.size());
        QCOMPARE(run.interruptions, 9.0);
        QCOMPARE(run.checkpoint.count, 0.0);
        RunRig elastic;
        elastic.scenario.run.elastic = true;
        QVERIFY(lostTo(elastic.run(), elasticCause) && !lostTo(elastic.run(), waitingCause));
        elastic.scenario.hasPrice = false;
        QVERIFY(!elastic.run().lost.front().dollars);
    }

    /// The step time is 5 % uncertain, 0.2 of the time follows a failure rate that is 50 % uncertain, and of
    /// 9 failures in all that time 3 more or fewer come by chance.
    void daysOfTheRun() {
        const RunDaysT<double> days = *RunRig().run().days;
        const double ofFailure = (exposed - useful - stalls) / failures;
        const double chance = ofFailure * 3 / 90'000;
        const double sd = std::sqrt(0.05 * 0.05 + 0.1 * 0.1 + chance * chance);
        VERIFY_NEAR(days.p50, 90'000.0 / (24 * 3600));
        QVERIFY(std::abs(days.p90 - days.p50 * std::exp(quantile90 * sd)) < 1e-12);
        QVERIFY(std::abs(days.p10 - days.p50 * std::exp(-quantile90 * sd)) < 1e-12);
        QVERIFY(std::abs(days.mean - days.p50 * std::exp(sd * sd / 2)) < 1e-12);
        QVERIFY(std::abs(chanceWithin(days, days.p90) - 0.9) < 1e-9);
        QVERIFY(std::abs(chanceWithin(days, days.p50) - 0.5) < 1e-9);
        QCOMPARE(chanceWithin(days, 0), 0.0);
        QCOMPARE(chanceWithin({.p50 = 0, .p90 = 0}, 3), 0.0);
        QCOMPARE(chanceWithin({.p50 = 2, .p90 = 2}, 2), 1.0);
        QCOMPARE(chanceWithin({.p50 = 2, .p90 = 2}, 1.9), 0.0);
    }

    /// A planned goodput loses its share to one cause; the step time alone is uncertain.
    void plannedGoodput() {
        RunRig rig;
        rig.scenario.hasGoodput = true;
        const Run run = rig.run();
        QCOMPARE(run.lost.size(), std::size_t{1});
        VERIFY_NEAR(run.lost[0].seconds, 18'000.0);
        QCOMPARE(run.lost[0].restart, 0.0);
        QCOMPARE(run.interruptions, 0.0);
        VERIFY_NEAR(run.days->p90 / run.days->p50, std::exp(quantile90 * 0.05));
        rig.scenario.hasTokens = false;
        QVERIFY(!rig.run().days && !rig.run().energyKwh && rig.run().lost.empty());
    }

    /// 60 GB in 2 s to host memory, at 4 x 1 GB/s to the drives, at 2 GB/s to the storage.
    void tiersOfACheckpoint() {
        RunRig rig;
        rig.totals->run.storage.clientsLimit = true;
        const Run run = rig.run();
        QCOMPARE(run.checkpoint.tiers.size(), std::size_t{3});
        QCOMPARE(run.checkpoint.tiers[0].bytesPerSecond, 3e10);
        QCOMPARE(run.checkpoint.tiers[0].seconds, 2.0);
        QVERIFY(run.checkpoint.tiers[0].bound == Bound::c2c);
        QCOMPARE(run.checkpoint.tiers[1].seconds, 15.0);
        QCOMPARE(run.checkpoint.tiers[2].seconds, 30.0);
        QCOMPARE(run.checkpoint.tiers[2].tier, std::string("shared storage"));
        QVERIFY(run.checkpoint.tiers[2].bound == Bound::network); // no EFA to S3
        rig.scenario.networkBound = Bound::efa;
        rig.scenario.spec.run.storage = "fsx_lustre";
        const Run file = rig.run();
        QCOMPARE(file.checkpoint.tiers.size(), std::size_t{5});
        QVERIFY(file.checkpoint.tiers[2].bound == Bound::efa);
        QCOMPARE(file.checkpoint.tiers[3].seconds, 30.0); // 4 x 0.5 GB/s
        QCOMPARE(file.checkpoint.tiers[4].bytesPerSecond, 2e9);
        QVERIFY(file.dataBound == Bound::efa);
        rig.totals->run.storage.clientsLimit = false;
        rig.in[Input::nvmeWrite] = 0;
        QCOMPARE(rig.run().checkpoint.tiers.size(), std::size_t{4});
        QVERIFY(rig.run().checkpoint.tiers[1].bound == Bound::storage);
    }

    /// 10.5 GiB are sold as 11; the fifth node is a spare.
    void storageAndSpares() {
        RunRig rig;
        Run run = rig.run();
        VERIFY_NEAR(run.storageDollarsPerMonth, 2.2);
        QCOMPARE(run.spares, 1.0);
        // 268 + 32 + 14 of 419 failures take a node for twice the time between failures.
        VERIFY_NEAR(run.nodesInRepair, 2 * 314.0 / 419);
        QCOMPARE(run.bestSpares, cheapestSpares(4, 2 * 314.0 / 419));
        rig.scenario.run.countsSpares = rig.scenario.run.elastic = true;
        run = rig.run();
        QCOMPARE(run.spares, 3.0);
        QCOMPARE(run.bestSpares, cheapestSpares({.nodes = 4,
                                                 .meanInRepair = 2 * 314.0 / 419,
                                                 .elasticReplicas = 8,
                                                 .growthShare = 314.0 / 419 * (5 + 15 + 300) / 10'000}));
        QCOMPARE(run.dataExposed, 0.25);
        rig.totals->data.cachedRate = 7;
        rig.totals->data.laterRate = 5;
        QCOMPARE(rig.run().dataSupply, 5.0);
        rig.scenario.run.nvmeCache = true;
        QCOMPARE(rig.run().dataSupply, 7.0);
    }

    /// 9 kW for 10 s; 8 kW for a million tokens at 1,000 x 0.8 per second.
    void energy() {
        const RunRig rig;
        TrainingT<double> training;
        training.stepTime = 10;
        training.tokensPerSecond = 1000;
        VERIFY_NEAR(kilowattHoursPerStep(training, rig.run()), 9.0 * 10 / 3600);
        VERIFY_NEAR(kilowattHoursPerMillionTokens(training, rig.run()), 8.0 * 1250 / 3600);
    }

    /// 4.5 s of the step's 10 are the network's, 4 s compute. 90 % of the outcomes are above the low end.
    void headline() {
        RunRig rig;
        const Estimate e = rig.estimate();
        QCOMPARE(e.headline->value, 1000.0);
        VERIFY_NEAR(e.headline->high, 1000 * std::exp(quantile90 * 0.05));
        VERIFY_NEAR(e.headline->low, 1000 / std::exp(quantile90 * 0.05));
        QVERIFY(e.headline->bottleneck == Bound::network);
        VERIFY_NEAR(e.headline->bottleneckShare, 0.45);
        rig.totals->pipelineFabric = Bound::nvlink;
        const Estimate inside = rig.estimate();
        QVERIFY(inside.headline->bottleneck == Bound::compute);
        VERIFY_NEAR(inside.headline->bottleneckShare, 0.4);
        QCOMPARE(e.training->breakdown.size(), std::size_t{5});
        QCOMPARE(e.training->runTime.value(), 90'000.0);
        QCOMPARE(e.gpus, 16);
        rig.scenario.legal = false;
        const Estimate illegal = rig.estimate();
        QVERIFY(!illegal.training && !illegal.run && !illegal.cost && !illegal.headline && illegal.memory);
        QVERIFY(!assemble<double>(rig.scenario, rig.in, nullptr).memory);
    }

    /// Where layers are: embedding on the first stage, the output layer on the last; a kind that is on one
    /// stage only is said to be there.
    void layers() {
        RunRig rig;
        rig.totals->layers[0].byPart[StepPart::tensorNetwork] = 2;
        rig.totals->layers[0].byPart[StepPart::compute] = 1.5;
        rig.totals->layers[0].byPart[StepPart::contextNetwork] = 0.5;
        rig.totals->stages[1].memory.fill(3);
        rig.totals->stages[1].memoryTotal = 27;
        const Training training = *rig.estimate().training;
        QCOMPARE(training.layers.size(), std::size_t{4});
        QCOMPARE(training.layers[0].stage.value(), 0);
        QCOMPARE(training.layers[1].count, 3);
        QVERIFY(!training.layers[1].stage);
        QVERIFY(training.layers[1].bound == Bound::network);
        QCOMPARE(training.layers[2].count, 1);
        QCOMPARE(training.layers[2].stage.value(), 1);
        QCOMPARE(training.layers[3].stage.value(), 1);
        QCOMPARE(training.stages[1].memoryBytes, 27.0);
        const Memory memory = *rig.estimate().memory;
        QCOMPARE(memory.parts[0].bytes, 3.0);
        QCOMPARE(memory.stages[0].totalBytes, 0.0);
        rig.scenario.model.mtpLayers = 2;
        const Training withModules = *rig.estimate().training;
        QCOMPARE(withModules.layers[3].count, 2);
        QCOMPARE(withModules.layers[3].kind, std::string("mtp"));
        QVERIFY(!withModules.expertLoad);
        // Without a pipeline there is no stage to name.
        RunRig one;
        one.scenario.plan.pipelineParallel = one.totals->stageCount = 1;
        one.totals->worstStage = 0;
        one.scenario.plan.stageKinds = {{2, 1}};
        QVERIFY(!one.estimate().training->layers[2].stage);
    }

    /// 12 routed tokens of a rank go to its 2 experts, 6 to each; half a token is padding.
    void experts() {
        RunRig rig;
        rig.scenario.model.moe.emplace();
        rig.scenario.model.moe->routedExperts = 8;
        rig.scenario.model.moe->expertsPerToken = 3;
        rig.scenario.plan.expertParallel = 4;
        rig.in[Input::expertParallel] = 4;
        rig.in[Input::routedExperts] = 8;
        rig.in[Input::expertPadTokens] = 0.5;
        rig.totals->expertTokens = 12;
        const ExpertLoad load = *rig.estimate().training->expertLoad;
        QCOMPARE(load.expertsPerRank, 2);
        QCOMPARE(load.tokensPerExpert, 6.0);
        QCOMPARE(load.paddedTokensPerExpert, 6.5);
        // Experts over the network are predicted least well.
        rig.in[Input::timeLogSdMoe] = 0.07;
        rig.in[Input::timeLogSdExpertsNetwork] = 0.11;
        rig.scenario.plan.expertGroup = {.ranks = 4, .ranksPerNvlinkDomain = 4};
        VERIFY_NEAR(rig.estimate().headline->high, 1000 * std::exp(quantile90 * 0.07));
        rig.scenario.plan.expertGroup = {.ranks = 4, .ranksPerNvlinkDomain = 2};
        VERIFY_NEAR(rig.estimate().headline->high, 1000 * std::exp(quantile90 * 0.11));
    }

    /// 94 of 100 bytes are usable; the low end of 80 e^(1.28 x 0.1) fits until it is beyond them.
    void memoryBand() {
        RunRig rig;
        const Estimate e = rig.estimate();
        VERIFY_NEAR(e.memory->highBytes, 80 * std::exp(quantile90 * 0.1));
        VERIFY_NEAR(e.memory->lowBytes, 80 / std::exp(quantile90 * 0.1));
        QVERIFY(e.fits);
        rig.totals->memoryTotal = 94 * std::exp(quantile90 * 0.1) * 0.999;
        QVERIFY(rig.estimate().fits);
        rig.totals->memoryTotal = 94 * std::exp(quantile90 * 0.1) * 1.001;
        QVERIFY(!rig.estimate().fits);
    }

    /// 72 M tokens at 1,000 x 0.8 per second are 25 hours of 5 instances at $12.
    void cost() {
        RunRig rig;
        const Cost used = *rig.estimate().cost;
        QCOMPARE(used.lines.size(), std::size_t{1});
        QCOMPARE(used.lines[0].quantity, 125.0);
        QCOMPARE(used.lines[0].unit, std::string("instance-hours"));
        QCOMPARE(used.lines[0].dollars, 1500.0);
        QCOMPARE(used.order->lines.front().amount, Cents{150'000});
        rig.scenario.rental.termYears = 1;
        rig.totals->idleHours = 43'675;
        rig.totals->dollarsPerRun = 525'600;
        rig.scenario.spec.cluster.ultraserver = "u";
        const Cost term = *rig.estimate().cost;
        QCOMPARE(term.lines.size(), std::size_t{2});
        QCOMPARE(term.lines[0].dollars, 1500.0);
        QCOMPARE(term.lines[1].quantity, 43'675.0);
        QCOMPARE(term.lines[1].dollars, 524'100.0);
        QCOMPARE(term.lines[1].unit, std::string("UltraServer-hours"));
        QCOMPARE(term.lines[1].name, std::string("Paid until the end of the term, not used"));
        rig.totals->goodput = 1e-9; // too long to be billed
        rig.totals->runTime = 7.2e13;
        QVERIFY(rig.estimate().cost->lines.empty() && !rig.estimate().cost->order);
        rig.scenario.hasTokens = false;
        QVERIFY(!rig.estimate().cost->dollarsPerRun);
    }

    /// An assumption is listed where it is used; of derived ones only a peak is.
    void assumptions() {
        RunRig rig;
        const auto set = [&](Input input, SourceKind kind) {
            rig.scenario.origins[static_cast<std::size_t>(input)] = {{}, kind, true};
        };
        QVERIFY(rig.estimate().assumptions.empty());
        set(Input::failureLogSd, SourceKind::assumed);
        set(Input::peak, SourceKind::derived);
        set(Input::expertPeak, SourceKind::derived);
        set(Input::capacity, SourceKind::derived);
        QCOMPARE(rig.estimate().assumptions.size(), std::size_t{2});
        QCOMPARE(rig.estimate().assumptions[1].value, 0.5);
        rig.scenario.model.moe.emplace();
        rig.scenario.model.moe->routedExperts = 1;
        QCOMPARE(rig.estimate().assumptions.size(), std::size_t{3});
    }

    /// Every stage must have its layers, none fewer than none.
    void whatCanBeEvaluated() {
        RunRig rig;
        QVERIFY(canEvaluate(rig.scenario));
        rig.scenario.plan.stageLayers = {4, 0};
        QVERIFY(canEvaluate(rig.scenario));
        rig.scenario.plan.stageLayers = {5, -1};
        QVERIFY(!canEvaluate(rig.scenario));
        rig.scenario.plan.stageLayers = {4};
        QVERIFY(!canEvaluate(rig.scenario));
        rig.scenario.plan.stageLayers = {2, 2};
        rig.scenario.modeled = false;
        QVERIFY(!canEvaluate(rig.scenario));
    }
};

QTEST_APPLESS_MAIN(TestEstimateOfRun)

} // namespace tst_estimate_of_run

#include "tst_estimate_of_run.moc"
