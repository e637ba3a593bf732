// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/candidates.h"
#include "model/advice/fixes.h"
#include "model/advice/layouts.h"
#include "model/advice/serving_fixes.h"
#include "model/advice/serving_machines.h"
#include "model/advice/serving_plans.h"
#include "model/advice/serving_suggest.h"
#include "model/advice/suggest.h"
#include "model/estimate/resolved_estimate.h"
#include "model/estimate/serving_estimate.h"
#include "model/units/constants.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace tst_advice {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }
const Profile& profile() { return smallCatalog().defaultProfile; }

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

Estimate estimated(const ScenarioSpec& spec) {
    return estimateResolved(*resolve(spec, catalog(), profile()), {.loadLimit = false, .fixes = false});
}

std::optional<Fix> fixOf(const ScenarioSpec& spec) {
    Evaluator evaluator(catalog(), profile());
    return nearestFix(spec, evaluator);
}

std::optional<Fix> serviceFix(const ScenarioSpec& spec) {
    ServingEvaluator evaluator(catalog(), profile());
    return nearestServingFix(spec, evaluator);
}

std::vector<Edit> ofKind(const std::vector<Candidate>& all, AdviceKind kind) {
    std::vector<Edit> out;
    for (const Candidate& each : all)
        if (each.kind == kind)
            out.push_back(each.edit);
    return out;
}

std::vector<Candidate> candidates(const ScenarioSpec& spec) {
    return candidatesFor(spec, *resolve(spec, catalog(), profile()), catalog());
}

} // namespace

/// Changes that help, and changes without which a plan does not run.
class TestAdvice : public QObject {
    Q_OBJECT

private slots:
    void changesWorthTrying() {
        const ScenarioSpec spec = trainingSpec();
        const auto all = candidates(spec);
        QCOMPARE(ofKind(all, AdviceKind::overlap), (std::vector<Edit>{{{"plan.overlap.tensor", "60 %"}}}));
        QCOMPARE(ofKind(all, AdviceKind::precision),
                 (std::vector<Edit>{{{"plan.precision", "fp8"}}, {{"plan.precision", "mxfp8"}}}));
        QCOMPARE(ofKind(all, AdviceKind::recompute), (std::vector<Edit>{{{"plan.recompute", "none"}},
                                                                        {{"plan.recompute", "norms"}},
                                                                        {{"plan.recompute", "norms, glu"}},
                                                                        {{"plan.recompute", "glu"}}}));
        QVERIFY(ofKind(all, AdviceKind::experts).empty() && ofKind(all, AdviceKind::context).empty());
        QVERIFY(ofKind(all, AdviceKind::schedule).empty());
        QCOMPARE(ofKind(all, AdviceKind::sharding), (std::vector<Edit>{{{"plan.sharding", "fsdp2"}}}));
        QCOMPARE(ofKind(all, AdviceKind::microBatch),
                 (std::vector<Edit>{
                     {{"plan.micro_batch", "1"}}, {{"plan.micro_batch", "2"}}, {{"plan.micro_batch", "4"}}}));
        QCOMPARE(ofKind(all, AdviceKind::purchase),
                 (std::vector<Edit>{{{"cluster.purchase", "capacity_block"}}}));
        QCOMPARE(ofKind(all, AdviceKind::machine),
                 (std::vector<Edit>{{{"cluster.region", ""}},
                                    {{"cluster.instance", "b.8"}, {"cluster.region", ""}}}));
    }

    void changesOfOtherPlans() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.overlap.tensor = 0.6;
        spec.plan.precision = "mxfp8";
        spec.plan.pipelineParallel = 2;
        auto all = candidates(spec);
        QVERIFY(ofKind(all, AdviceKind::overlap).empty() && ofKind(all, AdviceKind::precision).empty());
        QVERIFY(ofKind(all, AdviceKind::sharding).empty()); // is not combined with a pipeline
        std::vector<Edit> schedules = ofKind(all, AdviceKind::schedule);
        // 2, 8 and 16 chunks of two stages; then the three other schedules.
        QCOMPARE(schedules.size(), std::size_t{6});
        QCOMPARE(schedules[0], (Edit{{"plan.virtual_pipeline", "2"}}));
        QCOMPARE(schedules[5], (Edit{{"plan.schedule", "dualpipe-v"}}));
        spec.plan.precision = "fp8";
        spec.plan.pipelineParallel.reset();
        spec.plan.sharding = "fsdp2";
        spec.plan.tensorParallel = 1;
        all = candidates(spec);
        QVERIFY(ofKind(all, AdviceKind::overlap).empty());
        QCOMPARE(ofKind(all, AdviceKind::precision), (std::vector<Edit>{{{"plan.precision", "mxfp8"}}}));
        QCOMPARE(ofKind(all, AdviceKind::sharding),
                 (std::vector<Edit>{{{"plan.sharding", "zero1"}}, {{"plan.sharding", "hsdp"}}}));
        spec.plan.sharding = "hsdp";
        spec.plan.precision = "nvfp4";
        all = candidates(spec);
        QCOMPARE(ofKind(all, AdviceKind::sharding)[1], (Edit{{"plan.sharding", "fsdp2"}}));
        QVERIFY(ofKind(all, AdviceKind::precision).empty());
        spec = trainingSpec();
        spec.plan.contextParallel = 2;
        const auto contexts = ofKind(candidates(spec), AdviceKind::context);
        QCOMPARE(contexts.size(), std::size_t{4}); // back to one, and three ways to exchange
        QCOMPARE(contexts[0], (Edit{{"plan.context_parallel", "1"}}));
        spec = trainingSpec();
        spec.workload.model = "moe";
        spec.plan.expertParallel = 2;
        all = candidates(spec);
        QCOMPARE(ofKind(all, AdviceKind::overlap).size(), std::size_t{2});
        const auto degrees = ofKind(all, AdviceKind::experts);
        QCOMPARE(degrees[0], (Edit{{"plan.expert_parallel", "8"}}));
        QCOMPARE(degrees[1], (Edit{{"plan.expert_parallel", "16"}}));
        QCOMPARE(ofKind(all, AdviceKind::recompute).back(), (Edit{{"plan.recompute", "moe_act"}}));
        spec.cluster.instance.reset();
        spec.cluster.ultraserver = "u-a.16";
        QVERIFY(ofKind(candidates(spec), AdviceKind::machine).empty());
    }

    /// Suggestions are better, verified, and each is the plan that its figures tell.
    void suggestionsForTraining() {
        const ScenarioSpec spec = trainingSpec();
        Evaluator evaluator(catalog(), profile());
        const auto found = suggestWith(evaluator, spec, 10);
        QVERIFY(found.size() >= 3);
        const Estimate before = estimated(spec);
        const auto byBound = [](const ScenarioSpec& of) {
            Evaluator each(catalog(), profile());
            const Totals* totals = each.runsAndFits(of);
            std::map<Bound, double> out;
            for (const Bound bound : allBounds)
                out[bound] = 0;
            for (std::size_t i = 0; i < stepParts.size(); ++i)
                out[stepParts[i].bound] += totals->parts[i];
            return out;
        };
        const std::map<Bound, double> now = byBound(spec);
        double last = 1e300;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const Suggestion& s = found[i];
            const Estimate after = estimated(*applyEdit(spec, s.change.set));
            QVERIFY(after.runs && after.fits);
            QVERIFY(near(s.stepTime, after.training->stepTime));
            QVERIFY(near(s.stepTimeDifference, after.training->stepTime - before.training->stepTime));
            QVERIFY(near(s.tokensPerSecond, after.training->tokensPerSecond));
            QVERIFY(near(s.tokensPerSecondGain, s.tokensPerSecond / before.training->tokensPerSecond - 1));
            QVERIFY(near(s.memoryBytes, after.memory->totalBytes));
            QVERIFY(near(*s.dollarsPerRun, *after.cost->dollarsPerRun));
            QVERIFY(near(*s.dollarsPerRunDifference, *after.cost->dollarsPerRun - *before.cost->dollarsPerRun,
                         1e-6));
            const double saved = *before.cost->dollarsPerRun / *after.cost->dollarsPerRun - 1;
            const double sooner = after.training->tokensPerSecond * after.training->goodput /
                                      (before.training->tokensPerSecond * before.training->goodput) -
                                  1;
            QVERIFY(saved >= 0.01 || (saved > -0.01 && sooner >= 0.01));
            if (i + 1 < found.size()) // the last one may be both of the best two together
                QVERIFY(saved <= last + 0.01);
            last = std::min(last, saved);
            QVERIFY(!s.reason.empty());
            QVERIFY(near(s.before.stepTime, before.training->stepTime) && near(s.after.stepTime, s.stepTime));
            QCOMPARE(s.before.purchase, std::string("on_demand"));
            QCOMPARE(s.before.region, std::string("us-east-2"));
            // The class of time that it names shrinks most.
            const std::map<Bound, double> then = byBound(*applyEdit(spec, s.change.set));
            double most = -1e300;
            for (const auto& [bound, seconds] : now)
                most = std::max(most, seconds - then.at(bound));
            QVERIFY(near(now.at(s.bound) - then.at(s.bound), most));
            QVERIFY(near(s.before.boundTime, now.at(s.bound)) && near(s.after.boundTime, then.at(s.bound)));
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(found[k].change.set != s.change.set);
        }
        QCOMPARE(suggestWith(evaluator, spec, 2).size(), std::size_t{2});
        QVERIFY(suggestWith(evaluator, spec, 2)[0].change.set == found[0].change.set);
        ScenarioSpec illegal = spec;
        illegal.plan.tensorParallel = 3;
        QVERIFY(suggestWith(evaluator, illegal, 10).empty());
    }

    /// One field where one is enough.
    void fixesOfTraining_data() {
        QTest::addColumn<std::string>("path");
        QTest::addColumn<std::string>("text");
        const auto row = [](const char* path, const char* text) {
            QTest::addRow("%s %s", path, text) << std::string(path) << std::string(text);
        };
        row("plan.tensor_parallel", "3");
        row("plan.pipeline_parallel", "3");
        row("plan.data_parallel", "3");
        row("plan.micro_batch", "32");
        row("plan.expert_parallel", "4");
        row("plan.context_parallel", "3");
        row("plan.precision", "nvfp4");
        row("workload.global_batch", "63");
        row("workload.sequence_length", "65536");
        row("cluster.gpus", "7");
        row("workload.model", "moe");
    }
    void fixesOfTraining() {
        QFETCH(std::string, path);
        QFETCH(std::string, text);
        const ScenarioSpec spec = *applyEdit(trainingSpec(), {{path, text}});
        const Estimate now = estimated(spec);
        const auto fix = fixOf(spec);
        QVERIFY(fix);
        const Estimate then = estimated(*applyEdit(spec, fix->set));
        QVERIFY(then.runs && then.fits);
        QVERIFY(!fix->text.empty());
        if (now.runs && now.fits)
            return;
        // None of its fields is needless.
        for (std::size_t i = 0; i < fix->set.size() && fix->set.size() > 1; ++i) {
            Edit shorter = fix->set;
            shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
            const auto changed = applyEdit(spec, shorter);
            const Estimate without = estimated(*changed);
            QVERIFY(!without.runs || !without.fits ||
                    !near(without.training->stepTime, then.training->stepTime) ||
                    without.cost->dollarsPerHour != then.cost->dollarsPerHour);
        }
    }

    /// The batch is part of the recipe: it is changed only if it is what is wrong, to the nearest.
    void batchesAndMachines() {
        ScenarioSpec spec = trainingSpec();
        spec.workload.globalBatch = 63;
        const auto batch = fixOf(spec);
        QCOMPARE(batch->set, (Edit{{"workload.global_batch", "64"}}));
        // What no layout on two machines holds takes more of them.
        spec = trainingSpec();
        spec.cluster.instance = "b.8";
        spec.cluster.instances = 1;
        spec.workload.sequenceLength = 131'072;
        const auto more = fixOf(spec);
        if (more) {
            const Estimate then = estimated(*applyEdit(spec, more->set));
            QVERIFY(then.runs && then.fits);
        }
    }

    void levelsOfAService() {
        ServingEvaluator evaluator(catalog(), profile());
        ScenarioSpec spec = servingSpec(4);
        QVERIFY(evaluator.tryOut(spec) == ServiceLevel::meets);
        const ServingTotals& totals = evaluator.totals();
        QCOMPARE(evaluator.tried(), std::size_t{1});
        const ServiceCost cost = evaluator.cost();
        QCOMPARE(cost.bill, 40.0);
        QVERIFY(near(cost.perToken, 40.0 / (4 * 1100) / 3600));
        QVERIFY(near(cost.time, totals.e2e));
        QVERIFY(near(evaluator.load(), 4 / totals.maxRequestRate));
        spec.workload.requestRatePerS = 1e6;
        QVERIFY(evaluator.tryOut(spec) == ServiceLevel::fits);
        spec = servingSpec(4);
        spec.workload.ttftSloS = 1e-6;
        QVERIFY(evaluator.tryOut(spec) == ServiceLevel::carries);
        QVERIFY(!evaluator.estimateAgrees(spec) && hasTargets(spec));
        spec.workload.ttftSloS = 100;
        QVERIFY(evaluator.tryMeans(spec) == ServiceLevel::carries);
        QVERIFY(evaluator.judgeLatencies() == ServiceLevel::meets);
        QVERIFY(evaluator.tryOut(spec) == ServiceLevel::meets && evaluator.estimateAgrees(spec));
        spec.workload.ttftSloS.reset();
        spec.workload.itlSloS = 1e-9;
        QVERIFY(hasTargets(spec) && evaluator.tryOut(spec) == ServiceLevel::carries);
        QVERIFY(!hasTargets(servingSpec()) && evaluator.estimateAgrees(servingSpec(1e6)));
        spec = servingSpec(4);
        spec.plan.tensorParallel = 3;
        QVERIFY(evaluator.tryOut(spec) == ServiceLevel::none);
        spec = servingSpec(4);
        spec.workload.requestRatePerS.reset();
        spec.workload.concurrency = 4;
        QVERIFY(evaluator.tryOut(spec) == ServiceLevel::meets);
        QCOMPARE(evaluator.load(), 0.0);
        spec = servingSpec(4);
        spec.cluster = {}; // without a price the GPUs are counted
        spec.cluster.custom.gpu = "a";
        spec.cluster.custom.gpusPerNode = 8;
        evaluator.tryOut(spec);
        QCOMPARE(evaluator.cost().bill, 8.0);
        // A question of four samples loads it four times.
        spec = servingSpec(1);
        spec.workload.testTime.samples = 4;
        evaluator.tryOut(spec);
        QVERIFY(near(evaluator.load(), 4 / evaluator.totals().maxRequestRate));
    }

    /// As many machines as carry the load at nine tenths of the largest stable one.
    void theFewestMachinesOfAService() {
        ServingEvaluator evaluator(catalog(), profile());
        QVERIFY(evaluator.tryOut(servingSpec(1)) == ServiceLevel::meets);
        const double each = evaluator.totals().maxRequestRate;
        for (const double machines : {0.5, 0.89, 0.91, 1.79, 1.81, 3.5, 8.99, 9.01}) {
            const ScenarioSpec spec = servingSpec(machines * each);
            const auto count = fewestMachines(spec, ServiceLevel::meets, 64, evaluator);
            QVERIFY(count);
            QCOMPARE(*count, static_cast<std::int64_t>(std::ceil(machines / 0.9)));
        }
        const ScenarioSpec spec = servingSpec(3.5 * each); // needs 4
        QVERIFY(fewestMachines(spec, ServiceLevel::meets, 4, evaluator));
        QVERIFY(!fewestMachines(spec, ServiceLevel::meets, 3, evaluator));
        QVERIFY(!fewestMachines(spec, ServiceLevel::meets, 0, evaluator));
        QVERIFY(fewestMachines(spec, ServiceLevel::meets, 64, evaluator, 161)); // $40 each
        QVERIFY(!fewestMachines(spec, ServiceLevel::meets, 64, evaluator, 160));
        ScenarioSpec late = spec;
        late.workload.ttftSloS = 1e-9;
        QVERIFY(!fewestMachines(late, ServiceLevel::meets, 64, evaluator));
        QCOMPARE(*fewestMachines(late, ServiceLevel::carries, 64, evaluator), std::int64_t{4});
        const auto servers = moreServers(spec, ServiceLevel::meets, evaluator);
        QVERIFY(servers && std::ranges::find(*servers, std::pair<std::string, std::string>(
                                                           "cluster.instances", "4")) != servers->end());
        QVERIFY(!moreServers(servingSpec(100 * each), ServiceLevel::meets, evaluator) ||
                evaluator.tryOut(*applyEdit(servingSpec(100 * each),
                                            *moreServers(servingSpec(100 * each), ServiceLevel::meets,
                                                         evaluator))) == ServiceLevel::meets);
    }

    void fixesOfAService() {
        ServingEvaluator evaluator(catalog(), profile());
        evaluator.tryOut(servingSpec(1));
        const double each = evaluator.totals().maxRequestRate;
        ScenarioSpec illegal = servingSpec(4);
        illegal.plan.tensorParallel = 3;
        ScenarioSpec over = servingSpec(2.5 * each), elsewhere = servingSpec(4);
        elsewhere.cluster.region = "nowhere-1";
        ScenarioSpec slow = servingSpec(4);
        slow.plan.tensorParallel = 1;
        evaluator.tryOut(servingSpec(4));
        evaluator.judgeLatencies();
        slow.workload.itlSloS = evaluator.totals().itlPercentiles.p90 * 1.05;
        for (const ScenarioSpec& spec : {illegal, over, slow}) {
            const auto fix = serviceFix(spec);
            QVERIFY(fix && !fix->set.empty() && !fix->text.empty());
            QVERIFY(evaluator.tryOut(*applyEdit(spec, fix->set)) == ServiceLevel::meets);
        }
        QVERIFY(!serviceFix(servingSpec(4)) || !serviceFix(servingSpec(4))->set.empty());
        // The estimate of one that is overloaded says so, with the change.
        Estimate estimate = estimated(over);
        Problem target;
        target.severity = Severity::warning;
        target.place = "/workload/ttft_slo_s";
        target.message = "late";
        estimate.problems = {target, target};
        estimate.problems[1].place = "/plan/max_batch";
        adviseService(over, catalog(), profile(), estimate);
        QVERIFY(estimate.problems[0].fix && !estimate.problems[1].fix);
        QCOMPARE(estimate.problems[0].message, std::string("late"));
        // Where nothing helps, the first problem says so.
        ScenarioSpec never = servingSpec(1);
        never.workload.ttftSloS = 1e-9;
        Estimate hopeless = estimated(never);
        hopeless.problems = {target, target};
        adviseService(never, catalog(), profile(), hopeless);
        if (!hopeless.problems[0].fix) {
            QCOMPARE(
                hopeless.problems[0].message,
                std::string("late. No single change, other layout, or larger or different machine helps"));
            QCOMPARE(hopeless.problems[1].message, std::string("late"));
        }
        Estimate fine = estimated(servingSpec(4));
        fine.problems = {estimate.problems[1]};
        adviseService(servingSpec(4), catalog(), profile(), fine);
        QVERIFY(!fine.problems[0].fix);
    }

    void suggestionsForAService() {
        for (const double rate : {4.0, 40.0}) {
            ScenarioSpec spec = servingSpec(rate);
            spec.cluster.instances = 3;
            ServingEvaluator evaluator(catalog(), profile());
            const auto found = suggestForService(evaluator, spec, 10);
            QVERIFY(!found.empty());
            const Estimate before =
                servingEstimate(*resolve(spec, catalog(), profile()), {.loadLimit = false});
            for (const Suggestion& s : found) {
                const ScenarioSpec changed = *applyEdit(spec, s.change.set);
                const Estimate after =
                    servingEstimate(*resolve(changed, catalog(), profile()), {.loadLimit = false});
                QVERIFY(after.serving && after.serving->utilization < 1);
                QVERIFY(near(s.stepTime, after.serving->stepTime));
                QVERIFY(near(s.stepTimeDifference, after.serving->stepTime - before.serving->stepTime, 1e-6));
                QVERIFY(near(s.tokensPerSecond, after.serving->outputTokensPerSecond));
                QVERIFY(near(s.memoryBytes, after.memory->totalBytes));
                QVERIFY(s.service);
                QVERIFY(near(s.service->ttft, after.serving->ttftPercentiles.p90));
                QVERIFY(near(s.service->itl, after.serving->itlPercentiles.p90));
                QVERIFY(near(s.service->ttftDifference,
                             after.serving->ttftPercentiles.p90 - before.serving->ttftPercentiles.p90, 1e-6));
                QVERIFY(near(*s.service->dollarsPerHour, after.cost->dollarsPerHour));
                QVERIFY(near(*s.service->dollarsPerHourDifference,
                             after.cost->dollarsPerHour - before.cost->dollarsPerHour, 1e-6));
                const double saves = before.cost->dollarsPerHour / after.cost->dollarsPerHour;
                QVERIFY(saves > 1.01 || after.serving->e2e < before.serving->e2e * 0.99);
                QVERIFY(saves > 0.99);
            }
            // Three machines for the load of one or two: fewer are the largest gain.
            QVERIFY(*found[0].service->dollarsPerHour < 120);
            QVERIFY(suggestForService(evaluator, spec, 1).size() == 1);
        }
        ServingEvaluator evaluator(catalog(), profile());
        QVERIFY(suggestForService(evaluator, servingSpec(1e6), 10).empty());
    }
};

QTEST_GUILESS_MAIN(TestAdvice)

} // namespace tst_advice

#include "tst_advice.moc"
