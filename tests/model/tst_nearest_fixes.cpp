// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/fixes.h"
#include "model/advice/serving_fixes.h"
#include "model/advice/serving_machines.h"
#include "model/advice/serving_plans.h"
#include "model/advice/serving_suggest.h"
#include "model/advice/suggest.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tst_nearest_fixes {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }
const Profile& profile() { return smallCatalog().defaultProfile; }

/// Tokens/s per GPU of a training plan; 0 if it does not run or fit.
double rateOf(const ScenarioSpec& spec, const Edit& edit) {
    const auto changed = applyEdit(spec, edit);
    if (!changed)
        return 0;
    Evaluator evaluator(catalog(), profile());
    const Totals* totals = evaluator.runsAndFits(*changed);
    return totals ? totals->tokensPerSecondPerGpu : 0;
}

Edit trainingFix(const ScenarioSpec& spec) {
    Evaluator evaluator(catalog(), profile());
    const auto fix = nearestFix(spec, evaluator);
    return fix ? fix->set : Edit{{"none", ""}};
}

Edit serviceFix(const ScenarioSpec& spec) {
    ServingEvaluator evaluator(catalog(), profile());
    const auto fix = nearestServingFix(spec, evaluator);
    return fix ? fix->set : Edit{{"none", ""}};
}

/// The small catalog with Capacity Blocks that cost 1 / `saving` of On-Demand, $40.
Catalog withBlocksFor(double saving) {
    Catalog out = catalog();
    for (Price& price : out.prices)
        if (price.purchase == Purchase::capacityBlock)
            price.rate = DollarsPerHour::si(40 / saving);
    return out;
}

bool suggestsBlocks(const std::vector<Suggestion>& found) {
    return std::ranges::any_of(found, [](const Suggestion& each) {
        return std::ranges::any_of(each.change.set, [](const auto& field) {
            return field.first == "cluster.purchase" && field.second == "capacity_block";
        });
    });
}

} // namespace

/// Which of several changes is the one to make.
class TestNearestFixes : public QObject {
    Q_OBJECT

private slots:
    /// Of the changes of one field that help, the fastest: no other legal value of a field is faster.
    void theFastestFieldOfATraining_data() {
        QTest::addColumn<std::string>("path");
        QTest::addColumn<std::string>("value");
        QTest::addRow("tensor") << std::string("plan.tensor_parallel") << std::string("3");
        QTest::addRow("pipeline") << std::string("plan.pipeline_parallel") << std::string("3");
        QTest::addRow("micro-batch") << std::string("plan.micro_batch") << std::string("32");
        QTest::addRow("context") << std::string("plan.context_parallel") << std::string("3");
        QTest::addRow("precision") << std::string("plan.precision") << std::string("nvfp4");
    }
    void theFastestFieldOfATraining() {
        QFETCH(std::string, path);
        QFETCH(std::string, value);
        const ScenarioSpec spec = *applyEdit(trainingSpec(), {{path, value}});
        QCOMPARE(rateOf(spec, {}), 0.0);
        const Edit fix = trainingFix(spec);
        const double found = rateOf(spec, fix);
        QVERIFY(found > 0);
        for (const char* n : {"1", "2", "4", "8", "16"}) {
            QVERIFY(rateOf(spec, {{"plan.tensor_parallel", n}}) <= found * (1 + 1e-9));
            QVERIFY(rateOf(spec, {{"plan.pipeline_parallel", n}}) <= found * (1 + 1e-9));
            if (path == "plan.micro_batch")
                QVERIFY(rateOf(spec, {{path, n}}) <= found * (1 + 1e-9));
        }
        for (const char* clears : {"plan.data_parallel", "plan.context_parallel", "plan.virtual_pipeline"})
            QVERIFY(rateOf(spec, {{clears, ""}}) <= found * (1 + 1e-9));
        for (const char* words : {"none", "norms", "full"})
            QVERIFY(rateOf(spec, {{"plan.recompute", words}}) <= found * (1 + 1e-9));
    }

    /// 63 sequences are dealt to 4 replicas as 60 or 64; of a replica more or less it is not the fault.
    void batchesThatAreWrong() {
        ScenarioSpec spec = trainingSpec();
        spec.workload.globalBatch = 61;
        const Edit fix = trainingFix(spec);
        QVERIFY((fix == Edit{{"workload.global_batch", "60"}}) ||
                (fix == Edit{{"workload.global_batch", "64"}}));
        const double low = rateOf(spec, {{"workload.global_batch", "60"}}),
                     high = rateOf(spec, {{"workload.global_batch", "64"}});
        QVERIFY(rateOf(spec, fix) == std::max(low, high));
    }

    /// 144 GB of state do not fit on one GPU of 80 GB, and machines without a network do not train together:
    /// of the two kinds with eight GPUs, that for $16 an hour rather than $40.
    void theCheapestMachinesOfATraining() {
        ScenarioSpec spec = trainingSpec();
        spec.cluster.instance = "a.1";
        spec.cluster.instances = 1;
        spec.plan.tensorParallel = 1;
        const Edit fix = trainingFix(spec);
        const auto instance =
            std::ranges::find(fix, std::string("cluster.instance"), &Edit::value_type::first);
        QVERIFY(instance != fix.end());
        QCOMPARE(instance->second, std::string("b.8"));
        QVERIFY(rateOf(spec, fix) > 0);
        Evaluator evaluator(catalog(), profile());
        QVERIFY(!nearestFix(*applyEdit(spec, {{"workload.model", "none"}}), evaluator));
    }

    /// As many replicas as the hosts that are left hold.
    void replicasOnTheHostsLeft() {
        ScenarioSpec spec = trainingSpec();
        spec.cluster.instances = 4;
        spec.plan.dataParallel = 8;
        spec.cluster.excludedHosts = {"host-1", "host-2"};
        QCOMPARE(rateOf(spec, {}), 0.0);
        const double four = rateOf(spec, {{"plan.data_parallel", "4"}});
        QVERIFY(four > 0);
        QVERIFY(rateOf(spec, trainingFix(spec)) >= four * (1 - 1e-9));
    }

    /// Of the changes of one field that meet all, the cheapest, then that with the shortest requests.
    void theBestFieldOfAService() {
        ScenarioSpec spec = servingSpec(4);
        spec.plan.tensorParallel = 3;
        const Edit fix = serviceFix(spec);
        ServingEvaluator evaluator(catalog(), profile());
        QVERIFY(evaluator.tryOut(*applyEdit(spec, fix)) == ServiceLevel::meets);
        const ServiceCost best = evaluator.cost();
        const auto plain = plainService(spec, catalog(), profile());
        int others = 0;
        for (const Edit& edit : servingPlanEdits(spec, *plain)) {
            const auto changed = applyEdit(spec, edit);
            if (!changed || evaluator.tryOut(*changed) != ServiceLevel::meets)
                continue;
            ++others;
            const ServiceCost cost = evaluator.cost();
            QVERIFY(cost.bill >= best.bill * (1 - 1e-9));
            QVERIFY(cost.bill > best.bill * (1 + 1e-9) || cost.time >= best.time * (1 - 1e-9));
        }
        QVERIFY(others > 1);
    }

    /// What no layout carries needs more of the machines, at nine tenths of what they stand.
    void moreMachinesOfAService() {
        ServingEvaluator evaluator(catalog(), profile());
        // The most that any plan on one machine stands.
        const ScenarioSpec one = servingSpec(1);
        const auto plain = plainService(one, catalog(), profile());
        double most = 0;
        std::vector<Edit> edits = servingPlanEdits(one, *plain);
        for (const ServingLayout& layout : servingLayouts(*plain))
            edits.push_back(editOf(layout, *plain));
        for (const Edit& edit : edits) {
            for (const Edit& format :
                 std::vector<Edit>{{},
                                   {{"plan.kv_cache", "fp8"}},
                                   {{"plan.weights", "fp8"}},
                                   {{"plan.weights", "fp8"}, {"plan.kv_cache", "fp8"}}}) {
                const auto changed = applyEdit(one, joined(edit, format));
                if (changed && evaluator.tryOut(*changed) > ServiceLevel::none)
                    most = std::max(most, evaluator.totals().maxRequestRate);
            }
        }
        const ScenarioSpec heavy = servingSpec(1.5 * most);
        evaluator.tryOut(one);
        const double each = evaluator.totals().maxRequestRate;
        const auto count = static_cast<std::int64_t>(std::ceil(1.5 * most / each / 0.9));
        QCOMPARE(serviceFix(heavy), (Edit{{"cluster.instances", std::to_string(count)}}));
    }

    /// Where nothing helps, the first of the problems says so, and only it.
    void targetsThatNothingMeets() {
        ScenarioSpec never = servingSpec(1);
        never.workload.itlSloS = 1e-9;
        QCOMPARE(serviceFix(never), (Edit{{"none", ""}}));
        Estimate estimate;
        Problem late;
        late.severity = Severity::warning;
        late.place = "/workload/itl_slo_s";
        late.message = "Late";
        Problem other = late;
        other.place = "/plan/max_batch";
        estimate.problems = {other, late, late};
        adviseService(never, catalog(), profile(), estimate);
        QCOMPARE(estimate.problems[0].message, std::string("Late"));
        QCOMPARE(estimate.problems[1].message,
                 std::string("Late. No single change, other layout, or larger or different machine helps"));
        QCOMPARE(estimate.problems[2].message, std::string("Late"));
    }

    /// A change that saves less than a hundredth, and makes nothing faster, is not worth a word.
    void savingsThatAreMentioned_data() {
        QTest::addColumn<double>("saving");
        QTest::addColumn<bool>("mentioned");
        QTest::addRow("costs more") << 0.9 << false;
        QTest::addRow("as much") << 1.0 << false;
        QTest::addRow("0.9 %%") << 1.009 << false;
        QTest::addRow("1.2 %%") << 1.012 << true;
        QTest::addRow("a third") << 1.5 << true;
    }
    void savingsThatAreMentioned() {
        QFETCH(double, saving);
        QFETCH(bool, mentioned);
        const Catalog blocks = withBlocksFor(saving);
        ScenarioSpec training = trainingSpec();
        training.workload.tokens.reset(); // by the hour; a run would pay whole days of a block
        Evaluator evaluator(blocks, blocks.defaultProfile);
        const std::vector<Suggestion> found = suggestWith(evaluator, training, 20);
        QVERIFY(!found.empty());
        QCOMPARE(suggestsBlocks(found), mentioned);
        evaluator.runsAndFits(training);
        const Totals now = *evaluator.runsAndFits(training);
        for (const Suggestion& each : found) {
            QVERIFY(!each.dollarsPerRun && !each.dollarsPerRunDifference && !each.before.dollarsPerRun);
            QVERIFY(each.before.dollarsPerHour && *each.before.dollarsPerHour == 80);
            const Totals* then = evaluator.runsAndFits(*applyEdit(training, each.change.set));
            QVERIFY(then);
            const double was = now.dollarsPerHour / (now.tokensPerSecond * now.goodput),
                         is = then->dollarsPerHour / (then->tokensPerSecond * then->goodput);
            QVERIFY(was / is - 1 > -0.01);
            QVERIFY(was / is - 1 >= 0.01 ||
                    then->tokensPerSecond * then->goodput >= 1.01 * now.tokensPerSecond * now.goodput);
        }
        ServingEvaluator service(blocks, blocks.defaultProfile);
        QCOMPARE(suggestsBlocks(suggestForService(service, servingSpec(4), 20)), mentioned);
    }

    /// Of other machines, the number that the load needs; of those that carry it, the smallest bill first.
    void machinesForALoad() {
        ScenarioSpec spec = servingSpec(4);
        spec.cluster.instances = 3;
        ServingEvaluator evaluator(catalog(), profile());
        const auto found = suggestForService(evaluator, spec, 20);
        double last = 0;
        bool fewer = false;
        for (const Suggestion& each : found) {
            const auto changed = applyEdit(spec, each.change.set);
            QVERIFY(evaluator.tryOut(*changed) == ServiceLevel::meets);
            QVERIFY(evaluator.load() <= 0.9);
            const ServiceCost cost = evaluator.cost();
            QVERIFY(cost.perToken >= last * (1 - 1e-9));
            last = cost.perToken;
            const std::int64_t count = changed->cluster.instances.value_or(1);
            if (changed->cluster.instance == "a.8" && count < 3 && each.change.set.size() == 1) {
                fewer = true;
                QCOMPARE(count, std::int64_t{1}); // one carries 4 requests a second
            }
            // One machine less would not do, or the change is none of the number.
            if (count > 1 && count != 3) {
                const auto less = applyEdit(*changed, {{"cluster.instances", std::to_string(count - 1)}});
                QVERIFY(evaluator.tryOut(*less) < ServiceLevel::meets || evaluator.load() > 0.9);
            }
        }
        QVERIFY(fewer);
        // Users who wait for their answers say nothing of how many machines are enough.
        spec.workload.requestRatePerS.reset();
        spec.workload.concurrency = 16;
        for (const Suggestion& each : suggestForService(evaluator, spec, 20))
            QCOMPARE(applyEdit(spec, each.change.set)->cluster.instances.value_or(1), std::int64_t{3});
    }
};

QTEST_GUILESS_MAIN(TestNearestFixes)

} // namespace tst_nearest_fixes

#include "tst_nearest_fixes.moc"
