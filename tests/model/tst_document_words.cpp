// SPDX-License-Identifier: GPL-3.0-or-later
// The document of a plan in its words: reasons, remedies, steps and options.
#include "model/document/bill.h"
#include "model/document/plan_document.h"
#include "model/document/run_worth.h"
#include "model/units/format.h"
#include "tests/model/planned_scenario.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace tst_document_words {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }
const Profile& profile() { return smallCatalog().defaultProfile; }

std::string bytesText(double bytes) { return formatQuantity(bytes, Dimension::bytes); }

const Risk& riskOf(const std::vector<Risk>& risks, const char* id) {
    const auto found = std::ranges::find(risks, id, &Risk::id);
    if (found == risks.end())
        qFatal("no risk %s", id);
    return *found;
}

/// Of 840 sequences, which many numbers of machines divide.
ScenarioSpec divisibleRun(int machines) {
    ScenarioSpec out = trainingSpec();
    out.workload.globalBatch = 1680;
    out.cluster.instances = machines;
    out.plan.tensorParallel = 8;
    out.run.start = "2027-01-04";
    return out;
}

std::vector<DeadlineStep> stepsOf(const Planned& plan, double wanted) {
    return deadlineSteps(plan.spec, catalog(), profile(), plan.scenario, plan.estimate, wanted);
}

const ConsideredOption* optionNamed(const FoundOptions& options, const std::string& name) {
    const auto found = std::ranges::find(options.options, name, &ConsideredOption::name);
    return found == options.options.end() ? nullptr : &*found;
}

} // namespace

class TestDocumentWords : public QObject {
    Q_OBJECT

private slots:
    void whyAPlanDoesNotFit() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.microBatch = 16;
        const Planned large(spec);
        const Memory& memory = *large.estimate.memory;
        QCOMPARE(
            large.result.why,
            "does not fit: " + bytesText(memory.totalBytes - (memory.capacityBytes - memory.reserveBytes)) +
                " too much");
        // Other reasons are those of the estimate; the first error is named.
        spec.plan.microBatch = 1;
        spec.plan.tensorParallel = 3;
        const Planned illegal(spec);
        const auto error = std::ranges::find(illegal.estimate.problems, Severity::error, &Problem::severity);
        QVERIFY(error != illegal.estimate.problems.end());
        QCOMPARE(illegal.result.why, "cannot run: " + error->message);
        Estimate silent = illegal.estimate;
        silent.problems.clear();
        QCOMPARE(planResult(illegal.scenario, silent).why, std::string("cannot run"));
    }

    void memoryAtItsHighEnd() {
        Planned run(trainingSpec());
        run.result.usableMemory = 78e9;
        run.result.memory = 70e9;
        run.result.memoryHigh = 77e9;
        const Risk kept = riskOf(run.risks(), "memory");
        QCOMPARE(kept.text,
                 "Memory at its high end: " + bytesText(77e9) + " of " + bytesText(78e9) + " usable");
        QCOMPARE(kept.remedy, "None needed: " + bytesText(1e9) + " are left");
        run.result.memoryHigh = 79e9;
        const Risk tight = riskOf(run.risks(), "memory");
        QCOMPARE(tight.remedy,
                 "The run stops at once; full recomputation lowers it to " + bytesText(tight.result.memory));
        QVERIFY(tight.result.memory < 70e9 && tight.days && tight.total);
        run.result.memory = tight.result.memory; // as much as without
        QCOMPARE(riskOf(run.risks(), "memory").remedy,
                 std::string("The run stops at once; measure the peak before the order"));
    }

    /// What an interruption costs less with: checkpoints, and spares where they pay.
    void remediesOfInterruptions() {
        Planned run(trainingSpec());
        Run& of = *run.estimate.run;
        of.mtbf = 7200;
        of.checkpoint.interval = 600;
        of.bestSpares = 0;
        const auto interruptions = [&] { return riskOf(run.risks(), "interruptions"); };
        QCOMPARE(interruptions().text,
                 "Twice the interruptions: one every " + formatQuantity(3600, Dimension::seconds));
        const std::string often = "Checkpoint every " + formatQuantity(600, Dimension::seconds);
        QCOMPARE(interruptions().remedy, often);
        of.bestSpares = 1;
        QCOMPARE(interruptions().remedy, often + ", keep 1 spare node");
        of.bestSpares = 2;
        QCOMPARE(interruptions().remedy, often + ", keep 2 spare nodes");
        of.checkpoint.interval = 0;
        QCOMPARE(interruptions().remedy, std::string("Keep 2 spare nodes"));
        of.bestSpares = 0;
        QCOMPARE(interruptions().remedy, std::string());
    }

    /// A machine that is described is rented one by one, and nothing is known of fewer of them.
    void risksOfADescribedMachine() {
        ScenarioSpec spec = trainingSpec();
        spec.cluster.instance.reset();
        spec.cluster.region.reset();
        spec.cluster.purchase.reset();
        spec.cluster.custom.gpu = "a";
        spec.cluster.custom.gpusPerNode = spec.cluster.custom.nvlinkDomain = 8;
        spec.cluster.custom.network = "infiniband";
        spec.cluster.custom.networkBytesPerSPerGpuPerDirection = 50e9;
        spec.cluster.instances = 4;
        const Planned described(spec);
        QVERIFY2(described.result.carries, described.result.why.c_str());
        for (const Risk& each : described.risks()) {
            QVERIFY(each.id != "fewer_machines" && each.id != "price");
            QVERIFY(!each.total);
        }
        const FoundOptions options = optionsConsidered(spec, catalog(), profile(), described.result);
        for (const ConsideredOption& each : options.options)
            QCOMPARE(each.result.machines, described.result.machines);
    }

    /// Up to twice as many machines are tried, one by one, and the fewest that are enough are taken.
    void theFewestMoreMachines() {
        ScenarioSpec spec = divisibleRun(6);
        spec.run.standby = true;
        spec.run.deadline = "2027-01-06";
        const Planned late(spec);
        const double deadline = *late.result.deadlineDays;
        std::vector<double> chances;
        for (int machines = 6; machines <= 12; ++machines) {
            ScenarioSpec more = spec;
            more.cluster.instances = machines;
            const Planned plan(more);
            chances.push_back(plan.result.carries ? chanceOfDeadline(plan.result, deadline) : 0);
        }
        QVERIFY(chances.front() < 0.5 && chances.back() > 0.9);
        const auto enough = std::ranges::find_if(chances, [](double each) { return each >= 0.9; });
        const auto fewest = 6 + (enough - chances.begin());
        const std::vector<DeadlineStep> steps = stepsOf(late, 0.9);
        QCOMPARE(steps.size(), std::size_t{1});
        QCOMPARE(steps[0].text, std::to_string(fewest) + " instances");
        QVERIFY(std::abs(steps[0].chance - *enough) < 1e-9);
        ScenarioSpec more = spec;
        more.cluster.instances = fewest;
        const Planned plan(more);
        QVERIFY(std::abs(steps[0].days - (*plan.result.days - *late.result.days)) < 1e-9);
        QCOMPARE(*steps[0].total, *plan.result.total - *late.result.total);
        // Where none is enough, those that end soonest are better than nothing.
        spec.run.deadline = "2027-01-04";
        const Planned hopeless(spec);
        const std::vector<DeadlineStep> soonest = stepsOf(hopeless, 0.9);
        QCOMPARE(soonest.size(), std::size_t{1});
        QCOMPARE(soonest[0].text, std::string("12 instances"));
        QVERIFY(soonest[0].chance < 0.9);
    }

    /// Each step is taken only where it helps: standby nodes of a machine that hardly fails do not.
    void stepsThatHelp() {
        ScenarioSpec spec = divisibleRun(4);
        spec.run.deadline = "2027-01-05";
        spec.run.spares = 0;
        spec.run.checkpointIntervalS = 36'000;
        spec.run.checkpointMode = "sync";
        Planned late(spec);
        late.estimate.run->bestSpares = 1;
        std::vector<std::string> texts;
        double before = 0;
        for (const DeadlineStep& each : stepsOf(late, 2)) { // more than certain: all that helps
            texts.push_back(each.text);
            QVERIFY(each.days < before - 1e-9);
            before = each.days;
            const Planned changed(*applyEdit(spec, each.set));
            QVERIFY(changed.result.carries);
            QCOMPARE(*each.total, *changed.result.total - *late.result.total);
        }
        const std::set<std::string> known{"Checkpoint every " +
                                              formatQuantity(late.estimate.run->checkpoint.bestInterval,
                                                             Dimension::seconds, {.significant = 2}),
                                          "Checkpoints in the background", "1 spare instance",
                                          "Standby nodes, which restart sooner", "8 instances"};
        QVERIFY(texts.size() >= 3);
        for (const std::string& each : texts)
            QVERIFY2(known.contains(each), each.c_str());
        QCOMPARE(texts.front(), *std::ranges::find_if(texts, [](const std::string& text) {
                     return text.starts_with("Checkpoint every ");
                 }));
        QCOMPARE(texts.back(), std::string("8 instances"));
        // A spare that costs least is a step only if there is none yet.
        late.spec.run.spares = 1;
        for (const DeadlineStep& each : stepsOf(late, 2))
            QVERIFY(each.text.find("spare instance") == std::string::npos);
    }

    /// Colocated learning may be split in two pools that work side by side, and the other way round.
    void placementsOfReinforcementLearning() {
        const Planned together(reinforcementSpec());
        const FoundOptions apart = optionsConsidered(together.spec, catalog(), profile(), together.result);
        const auto split = std::ranges::find_if(apart.options, [](const ConsideredOption& each) {
            return each.name.starts_with("One step off");
        });
        QVERIFY(split != apart.options.end());
        const ScenarioSpec spec = *applyEdit(together.spec, split->set);
        const RolePlanSpec& roles = spec.roles.read();
        QCOMPARE(roles.placement.value(), std::string("one_step_off"));
        QCOMPARE(split->name,
                 "One step off, " + std::to_string(roles.rolloutGpus.value()) + " GPUs for the rollout");
        if (split->state == OptionState::open)
            QVERIFY(split->reason.find("verify convergence") != std::string::npos);
        const Planned two(spec);
        QVERIFY2(two.result.carries, two.result.why.c_str());
        const FoundOptions back = optionsConsidered(spec, catalog(), profile(), two.result);
        const ConsideredOption* colocated = optionNamed(back, "Colocated");
        QVERIFY(colocated);
        QCOMPARE(applyEdit(spec, colocated->set)->roles.read().placement.value(), std::string("colocated"));
        QVERIFY(!applyEdit(spec, colocated->set)->roles.read().rolloutGpus);
        for (const FoundOptions* found : {&apart, &back})
            for (const ConsideredOption& each : found->options)
                QVERIFY(each.name != "FP8" && each.name != "No recomputation");
    }

    /// What is not the present plan again: other machines, layouts, precisions and recomputations.
    void optionsOfARun() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.precision = "fp8";
        spec.plan.recompute = std::vector<std::string>{"full"};
        spec.plan.tensorParallel = 8;
        const Planned run(spec);
        QVERIFY2(run.result.carries, run.result.why.c_str());
        const FoundOptions found = optionsConsidered(spec, catalog(), profile(), run.result);
        QVERIFY(!optionNamed(found, "FP8") && !optionNamed(found, "Full recomputation"));
        const ConsideredOption* sixteen = optionNamed(found, "BF16");
        QVERIFY(sixteen);
        QCOMPARE(sixteen->set, (Edit{{"plan.precision", "bf16"}}));
        QVERIFY(sixteen->result.days > run.result.days);
        // Full recomputation over eight GPUs is slow: another layout of the same machines is better, and its
        // name says what it changes.
        QVERIFY(found.betterLayout);
        const auto layout = std::ranges::find_if(found.options, [&](const ConsideredOption& each) {
            return each.result.machines == run.result.machines && each.set.size() > 1;
        });
        QVERIFY(layout != found.options.end());
        QVERIFY(layout->result.days < run.result.days);
        QVERIFY2(layout->name.find("none") != std::string::npos ||
                     layout->name.find("No") != std::string::npos,
                 layout->name.c_str());
        // Twice and half as many machines, where they can run.
        for (const ConsideredOption& each : found.options) {
            const std::string machines = each.result.machines;
            QVERIFY(each.name == machines || machines == run.result.machines);
        }
        QVERIFY(optionNamed(found, "4 x a.8"));
    }

    /// Of each quarter the first day.
    void ratesOfBlocks() {
        for (int month = 1; month <= 12; ++month) {
            const std::string text = (month < 10 ? "2027-0" : "2027-") + std::to_string(month);
            const std::string next = month <= 3   ? "2027-04-01"
                                     : month <= 6 ? "2027-07-01"
                                     : month <= 9 ? "2027-10-01"
                                                  : "2028-01-01";
            for (const char* day : {"-01", "-28"})
                QCOMPARE(rateChangeAfter("capacity_block", text + day).value(), next);
        }
    }

    void worthsWithoutATime() {
        ScenarioSpec spec = trainingSpec();
        spec.run.spares = 0;
        const Planned run(spec);
        const auto worths = runWorths(spec, catalog(), profile(), run.scenario, run.estimate);
        QVERIFY(!worths.empty());
        QCOMPARE(worths[0].text, std::string("One more spare instance than 0"));
        spec.run.spares.reset();
        Planned open(spec);
        open.estimate.run->bestSpares = 3;
        QCOMPARE(runWorths(spec, catalog(), profile(), open.scenario, open.estimate)[0].text,
                 std::string("One more spare instance than 3, which cost least"));
        open.estimate.run->recovery = 0; // nothing to be gained by a faster one
        QCOMPARE(runWorths(spec, catalog(), profile(), open.scenario, open.estimate).size(), std::size_t{1});
        spec.cluster.region = "us-west-2"; // where b.8 is not sold
        spec.cluster.instance = "b.8";
        spec.workload.model = "small";
        const Planned unpriced(spec);
        QVERIFY2(unpriced.result.carries, unpriced.result.why.c_str());
        for (const RunWorth& each :
             runWorths(spec, catalog(), profile(), unpriced.scenario, unpriced.estimate)) {
            QVERIFY(!each.total);
        }
    }

    /// Each assumption is worse by as much as the plan with that value of it.
    void whatAnAssumptionCosts() {
        const Planned run(trainingSpec());
        const auto found =
            keyAssumptions(run.spec, catalog(), profile(), run.scenario, run.estimate, run.result);
        QVERIFY(!found.empty());
        for (const KeyAssumption& each : found) {
            QVERIFY2(each.change >= leastEffect, each.name.c_str());
            const Result<Variable> variable = Variable::named(each.name, run.scenario);
            QVERIFY(variable);
            const auto there =
                resultWith(run.spec, catalog(), profile(), {}, {{*variable, variable->valueOf(each.worse)}});
            QCOMPARE(each.carries, there && there->carries);
            if (!each.carries) {
                QVERIFY(!each.days && !each.total);
                continue;
            }
            QVERIFY(std::abs(*each.days - (*there->days - *run.result.days)) < 1e-9);
            QCOMPARE(*each.total, *there->total - *run.result.total);
            const double cost = static_cast<double>(*there->total) / static_cast<double>(*run.result.total);
            QVERIFY2(std::abs(cost - 1 - each.change) < 2e-3, each.name.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestDocumentWords)

} // namespace tst_document_words

#include "tst_document_words.moc"
