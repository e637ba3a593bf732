// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/document/plan_document.h"
#include "model/document/used_inputs.h"
#include "model/estimate/resolved_estimate.h"
#include "model/estimate/run_order.h"
#include "model/explore/figure_errors.h"
#include "tests/model/planned_scenario.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace tst_plan_document {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }
const Profile& profile() { return smallCatalog().defaultProfile; }

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// A run of 80 steps or so of a small model that starts on January 4.
ScenarioSpec datedRun(const char* deadline) {
    ScenarioSpec out = trainingSpec();
    out.run.start = "2027-01-04";
    out.run.deadline = deadline;
    return out;
}

} // namespace

/// What a buyer's document holds besides the estimate.
class TestPlanDocument : public QObject {
    Q_OBJECT

private slots:
    void theResultOfARun() {
        const Planned run(datedRun("2027-01-10"));
        const PlanResult& r = run.result;
        QVERIFY(r.runs && r.fits && r.carries && r.why.empty());
        QCOMPARE(r.machines, std::string("2 x a.8"));
        QVERIFY(near(*r.days * 86400, *run.estimate.training->runTime, 1e-6));
        QVERIFY(*r.lowDays < *r.days && *r.days < *r.highDays);
        QCOMPARE(*r.deadlineDays, 7.0); // to the end of its day
        QCOMPARE(r.memory, run.estimate.memory->totalBytes);
        QCOMPARE(r.memoryHigh, run.estimate.memory->highBytes);
        QVERIFY(near(r.usableMemory, 8e10 * 0.98)); // a fiftieth is kept free
        QVERIFY(*r.low < *r.total && *r.total < *r.high);
        QVERIFY(!r.firstToken && !r.gap && !r.meetsTargets);
        ScenarioSpec open = run.spec;
        open.run.start.reset();
        QVERIFY(!Planned(open).result.deadlineDays);
        open = run.spec;
        open.run.deadline.reset();
        QVERIFY(!Planned(open).result.deadlineDays);
        open.workload.tokens.reset();
        const PlanResult endless = Planned(open).result;
        QVERIFY(endless.carries && !endless.days && !endless.lowDays && !endless.total);
    }

    void whyAPlanDoesNotCarry() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.tensorParallel = 3;
        const PlanResult illegal = Planned(spec).result;
        QVERIFY(!illegal.runs && !illegal.carries && illegal.why.starts_with("cannot run: ") &&
                !illegal.days);
        spec = trainingSpec();
        spec.plan.microBatch = 16;
        const Planned large(spec);
        QVERIFY(large.result.runs && !large.result.fits && !large.result.carries);
        QVERIFY2(large.result.why.starts_with("does not fit: ") && large.result.why.ends_with(" GB too much"),
                 large.result.why.c_str());
        QCOMPARE(Planned(servingSpec(1e6)).result.why, std::string("more requests arrive than it can serve"));
        QVERIFY(!Planned(servingSpec(1e6)).result.firstToken);
    }

    void theResultOfAService() {
        ScenarioSpec spec = servingSpec(4);
        spec.workload.ttftSloS = 10;
        const Planned service(spec);
        QVERIFY(near(*service.result.firstToken, service.estimate.serving->ttftPercentiles.p90));
        QVERIFY(near(*service.result.gap, service.estimate.serving->itlPercentiles.p90));
        QCOMPARE(service.result.meetsTargets, std::optional<bool>(true));
        spec.workload.outputTokens = 1;
        QVERIFY(!Planned(spec).result.gap && Planned(spec).result.firstToken);
    }

    void resultsOfChanges() {
        const ScenarioSpec spec = trainingSpec();
        const auto four = resultWith(spec, catalog(), profile(), {{"cluster.instances", "4"}});
        QCOMPARE(four->machines, std::string("4 x a.8"));
        const auto dear =
            resultWith(spec, catalog(), profile(), {}, {{Variable(Input::price), FieldValue(80.0)}});
        QVERIFY(near(static_cast<double>(*dear->total), 2 * static_cast<double>(*Planned(spec).result.total),
                     1e-3));
        QCOMPARE(resultWith(spec, catalog(), profile(), {{"plan.tensor_parallel", "x"}}).error(),
                 std::string("a changed field has an invalid value"));
        QVERIFY(!resultWith(spec, catalog(), profile(), {{"workload.model", "unheard of"}}));
    }

    /// Numbers that a buyer signs for: each constant at the ends of its own error, the price a tenth up.
    void assumptionsThatMatter() {
        const Planned run(trainingSpec());
        const auto found =
            keyAssumptions(run.spec, catalog(), profile(), run.scenario, run.estimate, run.result);
        QVERIFY(found.size() > 3 && found.size() <= mostKeyAssumptions);
        double last = 1e300;
        for (const KeyAssumption& each : found) {
            QVERIFY(each.low < each.value && each.value < each.high);
            QVERIFY(each.worse == each.low || each.worse == each.high);
            QVERIFY(each.change >= 0 && each.change <= last + 1e-12);
            QVERIFY(!each.label.empty() && !each.source.empty());
            if (each.ownError) {
                const Parameter* constant = findParameter(profile(), each.name, "a", "Hopper", "*", "*");
                QVERIFY(constant);
                const double high = constant->value * std::exp(quantile90 * constant->logSd);
                QVERIFY(near(each.high, each.dimension == Dimension::ratio ? std::min(high, 1.0) : high));
                QVERIFY(near(each.low, constant->value / std::exp(quantile90 * constant->logSd)));
                QVERIFY(each.kind == SourceKind::fitted);
            } else {
                QVERIFY(near(each.low, each.value * 0.9) && near(each.high, each.value * 1.1));
            }
            if (each.carries && each.days)
                QVERIFY(*each.days >= -1e-9);
        }
        const auto price = std::ranges::find(found, "price", &KeyAssumption::name);
        QVERIFY(price != found.end() && !price->ownError && price->carries);
        QVERIFY(near(price->worse, 44) && near(price->change, 0.1, 1e-3));
        QVERIFY(near(static_cast<double>(*price->total), 0.1 * static_cast<double>(*run.result.total), 1e-3));
        QVERIFY(std::abs(*price->days) < 1e-12);
        // A given goodput is the scenario's.
        ScenarioSpec given = trainingSpec();
        given.plan.goodput = 0.8;
        const Planned held(given);
        const auto with =
            keyAssumptions(held.spec, catalog(), profile(), held.scenario, held.estimate, held.result);
        const auto goodput = std::ranges::find(with, "plan.goodput", &KeyAssumption::name);
        QVERIFY(goodput != with.end());
        QCOMPARE(goodput->source, std::string("scenario"));
        QVERIFY(goodput->kind == SourceKind::user && near(goodput->worse, 0.72));
        QVERIFY(near(goodput->change, 1 / 0.9 - 1, 1e-3));
        Planned none(trainingSpec());
        none.result.carries = false;
        QVERIFY(keyAssumptions(none.spec, catalog(), profile(), none.scenario, none.estimate, none.result)
                    .empty());
        // Of a service the price of its tokens and the time of a token count.
        const Planned service(servingSpec(4));
        const auto ofService = keyAssumptions(service.spec, catalog(), profile(), service.scenario,
                                              service.estimate, service.result);
        QVERIFY(std::ranges::find(ofService, "price", &KeyAssumption::name) != ofService.end());
        QVERIFY(ofService.size() > 1);
    }

    /// Changes in order until the deadline is kept often enough, each on top of the others.
    void stepsTowardsADeadline() {
        ScenarioSpec spec = datedRun("2027-01-04");
        spec.run.checkpointIntervalS = 60;
        spec.run.checkpointMode = "sync";
        spec.run.deadline = "2027-01-09";
        const Planned run(spec);
        const double chance = chanceOfDeadline(run.result, *run.result.deadlineDays);
        const auto steps =
            deadlineSteps(spec, catalog(), profile(), run.scenario, run.estimate, inTimeWanted);
        QVERIFY(chance < inTimeWanted);
        QVERIFY(!steps.empty());
        double days = 0, before = chance;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const DeadlineStep& step = steps[i];
            const Planned then(*applyEdit(spec, step.set));
            QVERIFY(then.result.carries && step.days < days);
            QVERIFY(near(step.days, *then.result.days - *run.result.days, 1e-6));
            QVERIFY(near(step.chance, chanceOfDeadline(then.result, *run.result.deadlineDays), 1e-6));
            QCOMPARE(*step.total, *then.result.total - *run.result.total);
            QVERIFY(step.chance >= before && (i + 1 == steps.size() || step.chance < inTimeWanted));
            days = step.days;
            before = step.chance;
        }
        QVERIFY2(steps[0].text.starts_with("Checkpoint every "), steps[0].text.c_str());
        QVERIFY(steps[0].set == (Edit{{"run.checkpoint_interval_s", ""}}));
        QVERIFY2(steps.back().text.ends_with(" instances"), steps.back().text.c_str());
        // What is kept often enough needs nothing, nor what has no deadline.
        QVERIFY(deadlineSteps(spec, catalog(), profile(), run.scenario, run.estimate, chance).empty());
        const Planned open(trainingSpec());
        QVERIFY(deadlineSteps(open.spec, catalog(), profile(), open.scenario, open.estimate, 0.9).empty());
        // Of a given goodput only machines help.
        spec.plan.goodput = 0.9;
        const Planned given(spec);
        for (const DeadlineStep& each :
             deadlineSteps(spec, catalog(), profile(), given.scenario, given.estimate, inTimeWanted))
            QVERIFY(each.text.ends_with(" instances"));
    }

    void whatElseCouldBeOrdered() {
        const Planned run(trainingSpec());
        const FoundOptions found = optionsConsidered(run.spec, catalog(), profile(), run.result);
        QVERIFY(found.options.size() > 3 && found.options.size() <= mostOptions && found.plans > 100);
        QVERIFY(found.options[0].state == OptionState::chosen && found.options[0].set.empty());
        QCOMPARE(found.options[0].name, std::string("2 x a.8"));
        std::set<std::string> names;
        for (const ConsideredOption& each : found.options) {
            names.insert(each.name);
            QVERIFY(!each.name.empty());
            const Planned then(*applyEdit(run.spec, each.set));
            QVERIFY(then.result.runs);
            QCOMPARE(each.result.total, then.result.total);
            QCOMPARE(each.result.days.value_or(0), then.result.days.value_or(0));
            QCOMPARE(each.result.machines, then.result.machines);
        }
        QCOMPARE(names.size(), found.options.size());
        for (const char* name : {"4 x a.8", "FP8"})
            QVERIFY2(names.contains(name), name);
        const Planned service(servingSpec(4));
        const FoundOptions others = optionsConsidered(service.spec, catalog(), profile(), service.result);
        QVERIFY(!others.options.empty());
        for (const ConsideredOption& each : others.options)
            QVERIFY(each.name != "FP8" && each.name != "Full recomputation");
    }

    void assumptionsThatAreUsed() {
        const Planned run(trainingSpec());
        const auto used = usedAssumptions(run.scenario, run.estimate);
        const std::set<std::string> names(used.begin(), used.end());
        QCOMPARE(names.size(), used.size());
        for (const char* name : {"gemm_compute_efficiency", "price", "hbm_bandwidth", "context_memory"})
            QVERIFY2(names.contains(name), name);
        QVERIFY(used.size() <= run.estimate.assumptions.size());
        for (const std::string& each : used)
            QVERIFY(std::ranges::find(run.estimate.assumptions, each, &AssumptionT<double>::name) !=
                    run.estimate.assumptions.end());
        // A number that changes a finding is used.
        const Explorer explorer(run.spec, catalog(), profile(), false);
        for (const auto& each : run.estimate.assumptions) {
            const auto variable = Variable::named(each.name, run.scenario);
            if (!variable || each.value == 0 || variable->field())
                continue;
            const auto there =
                explorer.figure("training.step_time_s", {{*variable, FieldValue(each.value * 0.8)}});
            if (there && !near(*there, run.estimate.training->stepTime))
                QVERIFY2(names.contains(each.name), each.name.c_str());
        }
    }

    void theWholeDocument() {
        const Planned run(datedRun("2027-01-09"));
        const auto document = planDocument(run.spec, catalog(), profile(), run.estimate);
        QVERIFY2(document, document.error().c_str());
        QVERIFY(document->bill && document->bill->low && document->bill->high);
        QCOMPARE(document->bill->expected.beforeTax, *run.result.total);
        QVERIFY(near(document->orderHours, *run.result.days * 24, 0.01));
        QVERIFY(document->lowHours < document->orderHours && document->orderHours < document->highHours);
        QVERIFY(near(document->lowHours, *run.result.lowDays * 24, 0.01));
        QVERIFY(near(document->highHours, *run.result.highDays * 24, 0.01));
        QCOMPARE(document->cash.back().soFar, document->bill->expected.total);
        QVERIFY(!document->risks.empty() && !document->options.options.empty() &&
                !document->assumptions.empty());
        QVERIFY(!document->usedAssumptions.empty() && !document->errors.logSd.empty());
        const auto part = planDocument(run.spec, catalog(), profile(), run.estimate,
                                       {.options = false, .risks = false, .assumptions = false});
        QVERIFY(part->risks.empty() && part->options.options.empty() && part->assumptions.empty() &&
                part->deadlineSteps.empty() && part->bill);
        ScenarioSpec illegal = run.spec;
        illegal.plan.microBatch = 16;
        const Planned large(illegal);
        const auto none = planDocument(illegal, catalog(), profile(), large.estimate);
        QVERIFY(none && !none->bill && none->risks.empty() && none->orderHours == 0);
        illegal.workload.model = "unheard of";
        QVERIFY(!planDocument(illegal, catalog(), profile(), large.estimate));
    }
};

QTEST_GUILESS_MAIN(TestPlanDocument)

} // namespace tst_plan_document

#include "tst_plan_document.moc"
