// SPDX-License-Identifier: GPL-3.0-or-later
// What to train for a budget, on machines so small that a search tries few plans.
#include "model/estimate/error_band.h"
#include "model/estimate/resolved_estimate.h"
#include "model/scaling/scaled_model.h"
#include "model/scaling/training_budget.h"
#include "model/workload/parameters.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tst_what_to_train {

using namespace alidade;
using namespace alidade::test;

namespace {

/// One GPU at $5 an hour.
ScenarioSpec oneGpu() {
    ScenarioSpec out = trainingSpec();
    out.workload.model = "small";
    out.workload.globalBatch = 8;
    out.cluster.instance = "a.1";
    out.cluster.instances = 1;
    out.plan.tensorParallel.reset();
    return out;
}

BudgetQuestion budgetOf(double dollars) {
    BudgetQuestion out;
    out.dollars = dollars;
    out.law = lossLaws().front();
    out.smallest = 4e8;
    out.largest = 1.6e9;
    out.sizes = 3;
    return out;
}

Result<BudgetAnswer> answerOf(const ScenarioSpec& spec, const BudgetQuestion& question,
                              const std::function<void(double)>& progress = {}, std::stop_token stop = {}) {
    return whatToTrain(spec, smallCatalog(), smallCatalog().defaultProfile, question, std::move(stop),
                       progress);
}

BudgetAnswer answered(const BudgetQuestion& question, const ScenarioSpec& spec = oneGpu()) {
    auto out = answerOf(spec, question);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

} // namespace

class TestWhatToTrain : public QObject {
    Q_OBJECT

private slots:
    /// Three sizes on a logarithmic grid; then twice the size in the middle between the best and each of its
    /// neighbors. All of 3 + 2 x 2 sizes are 1 of the progress.
    void sizesThatAreTried() {
        std::vector<double> told;
        const auto answer = answerOf(oneGpu(), budgetOf(500), [&](double share) { told.push_back(share); });
        QVERIFY2(answer, answer.error().c_str());
        QVERIFY(answer->complete);
        QCOMPARE(answer->curves.size(), std::size_t{1});
        const BudgetCurve& curve = answer->curves.front();
        QCOMPARE(curve.id, std::string("a.1"));
        QCOMPARE(curve.machine, std::string("1 x a.1"));
        const std::vector<BudgetModel>& models = curve.models;
        const auto sizeOf = [&](double asked) {
            const auto found = std::ranges::find_if(
                models, [&](const BudgetModel& each) { return near(each.asked, asked, 1e-6); });
            return found == models.end() ? 0.0 : found->parameters;
        };
        for (const double grid : {4e8, 8e8, 1.6e9})
            QVERIFY2(near(sizeOf(grid), grid, 0.05), std::to_string(grid).c_str());
        // The largest is the best of the grid, and has one neighbor; then the one below it has two.
        const double first = std::sqrt(sizeOf(8e8) * sizeOf(1.6e9));
        QVERIFY(sizeOf(first) > 0);
        QVERIFY(sizeOf(std::sqrt(sizeOf(8e8) * sizeOf(first))) > 0);
        QVERIFY(sizeOf(std::sqrt(sizeOf(first) * sizeOf(1.6e9))) > 0);
        QCOMPARE(models.size(), std::size_t{6});
        QVERIFY(std::ranges::is_sorted(models, {}, &BudgetModel::parameters));
        QCOMPARE(told.size(), std::size_t{6});
        for (std::size_t i = 0; i < told.size(); ++i)
            QVERIFY(near(told[i], static_cast<double>(i + 1) / 7));
        QVERIFY(curve.best() == answer->best());
    }

    /// For less money the middle of the grid is the best, and both of its neighbors count.
    void sizesOnBothSides() {
        BudgetQuestion question = budgetOf(100);
        question.smallest = 2e8;
        question.largest = 3.2e9;
        std::vector<double> told;
        const auto answer = answerOf(oneGpu(), question, [&](double share) { told.push_back(share); });
        QVERIFY2(answer, answer.error().c_str());
        QCOMPARE(told.size(), std::size_t{7});
        QVERIFY(near(told.back(), 1));
        const std::vector<BudgetModel>& models = answer->curves.front().models;
        QCOMPARE(models.size(), std::size_t{7});
        const auto asked = [&](double size) {
            const auto found = std::ranges::find_if(
                models, [&](const BudgetModel& each) { return near(each.asked, size, 1e-6); });
            return found == models.end() ? 0.0 : found->parameters;
        };
        QVERIFY(asked(std::sqrt(asked(2e8) * asked(8e8))) > 0);
        QVERIFY(asked(std::sqrt(asked(8e8) * asked(3.2e9))) > 0);
        QVERIFY(models.front().loss > answer->best()->loss && models.back().loss > answer->best()->loss);
    }

    /// What is said of a model is what the estimate of its scenario says; all of the money is spent, and not
    /// a cent more.
    void whatTheBudgetPaysFor() {
        const ScenarioSpec spec = oneGpu();
        const BudgetQuestion question = budgetOf(500);
        const BudgetAnswer answer = answered(question);
        const BudgetModel& best = *answer.best();
        for (const BudgetModel& each : answer.curves.front().models) {
            QVERIFY2(each.trains(), each.whyNot.c_str());
            QVERIFY(each.dollars <= 500 && each.dollars > 499.4);
            QVERIFY(near(each.seconds, each.dollars / 5 * 3600, 1e-3)); // $5 an hour
            QVERIFY(!each.late);
            QCOMPARE(each.active, each.parameters); // it has no experts
            QCOMPARE(each.parameters, static_cast<double>(countParameters(each.model).total));
            QVERIFY(near(each.loss, lossOf(question.law, each.active, each.tokens)));
            QVERIFY(each.loss >= best.loss);
        }
        QVERIFY(
            near(answer.byFlopAlone.loss, optimalModel(question.law, 6 * best.active * best.tokens).loss));
        const ScenarioSpec of = scenarioOf(spec, best);
        QCOMPARE(of.name, best.model.name);
        QCOMPARE(of.workload.tokens.value(), best.tokens);
        QVERIFY(!of.workload.model && of.workload.architecture->layers == best.model.layers);
        QCOMPARE(of.cluster.instance.value(), std::string("a.1"));
        QVERIFY(of.plan.recompute && of.plan.recompute->size() > 0);
        const auto scenario = resolve(of, smallCatalog(), smallCatalog().defaultProfile);
        QVERIFY2(scenario, scenario.error().c_str());
        const Estimate e = estimateResolved(*scenario, {.loadLimit = false, .fixes = false});
        QVERIFY(e.runs && e.fits);
        QVERIFY(near(e.cost->dollarsPerRun.value(), best.dollars));
        QVERIFY(near(e.training->runTime.value(), best.seconds));
        QVERIFY(near(e.training->mfu, best.mfu));
        // A run that is slower by the band's high end has had fewer tokens for the same time.
        const ErrorBand band = timeErrorBand(e).value();
        QVERIFY(near(best.lossLow, lossOf(question.law, best.active, best.tokens / band.low)));
        QVERIFY(near(best.lossHigh, lossOf(question.law, best.active, best.tokens / band.high)));
        QVERIFY(best.lossLow < best.loss && best.loss < best.lossHigh);
    }

    /// Each served token costs as much as two thirds of a trained one, out of the same budget; the time of
    /// the run may be limited, and tokens may repeat.
    void whatElseABudgetHasToCover() {
        BudgetQuestion served = budgetOf(500);
        served.servedTokens = 1e10;
        const BudgetAnswer serves = answered(served);
        for (const BudgetModel& each : serves.curves.front().models) {
            const double all = each.dollars * (1 + 1e10 * 2 / 3 / each.tokens);
            QVERIFY2(all <= 500 && all > 499, std::to_string(all).c_str());
        }
        BudgetQuestion hurried = budgetOf(500);
        hurried.seconds = 100'000; // 28 hours for $139
        const BudgetAnswer hurries = answered(hurried);
        for (const BudgetModel& each : hurries.curves.front().models) {
            QVERIFY(each.late && each.seconds <= 100'000 && each.seconds > 99'850);
            QVERIFY(near(each.dollars, 100'000.0 / 3600 * 5, 2e-3));
        }
        hurried.seconds = 1e9;
        QVERIFY(!answered(hurried).best()->late);
        BudgetQuestion scarce = budgetOf(500);
        scarce.uniqueTokens = 1e9;
        const BudgetAnswer repeats = answered(scarce);
        for (const BudgetModel& each : repeats.curves.front().models) {
            QVERIFY(each.tokens > 10e9);
            QVERIFY(near(each.loss, lossOf(scarce.law, each.active, effectiveTokens(1e9, each.tokens))));
        }
    }

    /// With experts the law counts the active parameters, the name all of them.
    void modelsWithExperts() {
        ScenarioSpec spec = oneGpu();
        spec.workload.model = "moe";
        BudgetQuestion question = budgetOf(500);
        question.smallest = 1e9;
        question.largest = 2e9;
        const BudgetAnswer answer = answered(question, spec);
        const BudgetModel& best = *answer.best();
        QVERIFY(best.active < best.parameters);
        QCOMPARE(best.active, static_cast<double>(countParameters(best.model).active));
        QVERIFY(near(best.loss, lossOf(question.law, best.active, best.tokens)));
        QVERIFY(
            near(answer.byFlopAlone.loss, optimalModel(question.law, 6 * best.active * best.tokens).loss));
    }

    /// Sizes that come to the same shape are one model.
    void equalModelsAreShownOnce() {
        BudgetQuestion question = budgetOf(500);
        question.smallest = 8e8;
        question.largest = 8.0001e8;
        const BudgetAnswer answer = answered(question);
        QCOMPARE(answer.curves.front().models.size(), std::size_t{1});
        QVERIFY(near(answer.best()->asked, 8e8));
    }

    /// Each machine and each number of it is a curve, the best first and those that cannot train last.
    void machinesThatAreCompared() {
        BudgetQuestion question = budgetOf(500);
        question.machines = "a.1,b.8";
        question.counts = {1, 2};
        std::vector<double> told;
        const auto answer = answerOf(oneGpu(), question, [&](double share) { told.push_back(share); });
        QVERIFY2(answer, answer.error().c_str());
        std::vector<std::string> machines;
        for (const BudgetCurve& each : answer->curves)
            machines.push_back(each.machine);
        QCOMPARE(machines.size(), std::size_t{4});
        QCOMPARE(machines.back(), std::string("2 x a.1"));
        QCOMPARE(answer->curves.back().best(), nullptr);
        // Three sizes that do not train, and nothing between them to look for.
        QCOMPARE(answer->curves.back().models.size(), std::size_t{3});
        for (const BudgetModel& each : answer->curves.back().models) {
            QVERIFY2(each.whyNot.starts_with("The catalog has no network (EFA) for a.1, and 2 GPUs"),
                     each.whyNot.c_str());
        }
        for (std::size_t i = 0; i + 2 < answer->curves.size(); ++i)
            QVERIFY(answer->curves[i].best()->loss <= answer->curves[i + 1].best()->loss);
        QVERIFY(near(told.front(), 1.0 / 28)); // four curves of up to seven models
        for (const BudgetCurve& each : answer->curves) {
            for (const BudgetModel& model : each.models) {
                if (!model.trains())
                    continue;
                const ScenarioSpec spec = scenarioOf(oneGpu(), model);
                QCOMPARE(spec.cluster.instance.value(), each.id);
                QCOMPARE(std::to_string(spec.cluster.instances.value_or(1)) + " x " + each.id, each.machine);
            }
        }
        // Those that are listed later may be better.
        question.machines = "b.8,a.1";
        question.counts = {1};
        const BudgetAnswer reversed = answered(question);
        QCOMPARE(reversed.curves.front().id, std::string("a.1"));
        QCOMPARE(reversed.curves.back().id, std::string("b.8"));
        // Without a list of numbers it is as many GPUs as the scenario has, as far as whole machines allow.
        question.counts.clear();
        question.machines = "a.1";
        const BudgetAnswer alone = answered(question);
        QCOMPARE(alone.curves.size(), std::size_t{1});
        QCOMPARE(alone.curves.front().machine, std::string("1 x a.1"));
    }

    void whyAModelIsNotTrained() {
        const auto firstReason = [](const BudgetQuestion& question, const ScenarioSpec& spec = oneGpu()) {
            const BudgetAnswer answer = answered(question, spec);
            return answer.curves.front().models.front().whyNot;
        };
        BudgetQuestion served = budgetOf(500);
        served.servedTokens = 1e15;
        QCOMPARE(firstReason(served), std::string("serving its tokens alone costs more than the budget"));
        ScenarioSpec elsewhere = oneGpu();
        elsewhere.cluster.region = "us-west-2"; // where a.1 is not sold
        QCOMPARE(firstReason(budgetOf(500), elsewhere), std::string("it has no price in this region"));
        BudgetQuestion large = budgetOf(500);
        large.smallest = 5e9; // 16 bytes and more a parameter exceed 80 GB
        large.largest = 2e10;
        const BudgetAnswer none = answered(large);
        QVERIFY(!none.best() && none.complete);
        QCOMPARE(none.curves.front().models.size(), std::size_t{3});
        for (const BudgetModel& each : none.curves.front().models) {
            QVERIFY(!each.trains() && each.tokens == 0 && each.loss == 0);
            QVERIFY(each.parameters > 0 && each.active == each.parameters);
        }
        QCOMPARE(none.byFlopAlone.loss, 0.0);
    }

    void namesThatAreUnknown() {
        const auto errorOf = [](const ScenarioSpec& spec, const BudgetQuestion& question) {
            const auto answer = answerOf(spec, question);
            return answer ? std::string() : answer.error();
        };
        ScenarioSpec spec = oneGpu();
        spec.workload.model = "unheard-of";
        QCOMPARE(errorOf(spec, budgetOf(500)), std::string("/workload/model: unknown model 'unheard-of'"));
        // The architecture of a scenario needs no name.
        spec.workload.model.reset();
        spec.workload.architecture = smallCatalog().models[1];
        QVERIFY(near(answered(budgetOf(500), spec).best()->loss, answered(budgetOf(500)).best()->loss));
        spec.workload.architecture->hybridPattern = "M*";
        QCOMPARE(errorOf(spec, budgetOf(500)),
                 std::string("/workload/model: Model small lists its layers one by one, and has no rule for "
                             "another size"));
        BudgetQuestion question = budgetOf(500);
        question.machines = "p99";
        QVERIFY(errorOf(oneGpu(), question).find("p99") != std::string::npos);
    }

    /// The ends of the ranges can be asked for.
    void questionsAtTheEnds() {
        const auto isWrong = [](auto change) {
            BudgetQuestion question = budgetOf(500);
            change(question);
            std::stop_source stop; // nothing is tried, but the question is read
            stop.request_stop();
            return !answerOf(oneGpu(), question, {}, stop.get_token());
        };
        QVERIFY(isWrong([](BudgetQuestion& q) { q.smallest = 9.99e6; }));
        QVERIFY(!isWrong([](BudgetQuestion& q) { q.largest = 1e13; }));
        QVERIFY(isWrong([](BudgetQuestion& q) { q.largest = 1.001e13; }));
        QVERIFY(!isWrong([](BudgetQuestion& q) { q.sizes = 100; }));
        QVERIFY(isWrong([](BudgetQuestion& q) { q.sizes = 101; }));
        QVERIFY(!isWrong([](BudgetQuestion& q) { q.dollars = 1e-3; }));
        QVERIFY(isWrong([](BudgetQuestion& q) { q.dollars = -1; }));
        // A small vocabulary allows ten million parameters, and no fewer.
        ScenarioSpec tiny = oneGpu();
        tiny.workload.model.reset();
        tiny.workload.architecture = smallCatalog().models[1];
        tiny.workload.architecture->vocabSize = 1000;
        BudgetQuestion least = budgetOf(500);
        least.smallest = 1e7;
        std::stop_source stop;
        stop.request_stop();
        const auto answer = answerOf(tiny, least, {}, stop.get_token());
        QVERIFY2(answer, answer.error().c_str());
    }

    void stoppingKeepsWhatIsKnown() {
        std::stop_source stop;
        std::size_t told = 0;
        BudgetQuestion question = budgetOf(500);
        question.counts = {1, 1};
        const auto answer = answerOf(
            oneGpu(), question,
            [&](double) {
                if (++told == 2)
                    stop.request_stop();
            },
            stop.get_token());
        QVERIFY2(answer, answer.error().c_str());
        QVERIFY(!answer->complete);
        QCOMPARE(told, std::size_t{2});
        QCOMPARE(answer->curves.size(), std::size_t{2});
        QCOMPARE(answer->curves.front().models.size(), std::size_t{2});
        QVERIFY(answer->best() && answer->curves.back().models.empty());
    }

    void theBestOfACurve() {
        const auto modelOf = [](double loss, const char* whyNot = "") {
            BudgetModel out;
            out.loss = loss;
            out.whyNot = whyNot;
            return out;
        };
        const BudgetCurve curve{
            .id = "a",
            .machine = "1 x a",
            .models = {modelOf(0, "too large"), modelOf(3), modelOf(2), modelOf(2), modelOf(1, "too small")}};
        QCOMPARE(curve.best(), &curve.models[2]); // of equals the first
        QCOMPARE((BudgetCurve{.id = "a", .machine = "1 x a", .models = {modelOf(0, "no")}}.best()), nullptr);
        QCOMPARE(BudgetAnswer().best(), nullptr);
    }

    void plansInShort() {
        QCOMPARE(degreesText({}), std::string());
        QCOMPARE(degreesText({{"plan.recompute", "full"},
                              {"plan.micro_batch", "4"},
                              {"plan.expert_parallel", "8"},
                              {"plan.sharding", "zero1"},
                              {"plan.pipeline_parallel", "2"},
                              {"plan.context_parallel", "16"},
                              {"plan.tensor_parallel", "1"}}),
                 std::string("CP 16, PP 2, EP 8, micro-batch 4, recompute full"));
    }
};

QTEST_APPLESS_MAIN(TestWhatToTrain)

} // namespace tst_what_to_train

#include "tst_what_to_train.moc"
