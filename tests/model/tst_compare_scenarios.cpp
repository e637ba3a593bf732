// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/resolved_estimate.h"
#include "model/explore/comparison.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tst_compare_scenarios {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// A run of 3,600 steps: step time, goodput, dollars an hour, and what it costs beyond its time.
Estimate runOf(double step, double goodput, double rent, double unused = 1) {
    Estimate out;
    out.runs = out.fits = true;
    out.gpus = 8;
    Training training{};
    training.stepTime = step;
    training.goodput = goodput;
    training.runTime = 3600 * step / goodput;
    training.breakdown = {{"Matrix products", step * 0.75, Bound::compute},
                          {"Transfers", step * 0.25, Bound::nvlink}};
    out.training = training;
    Cost cost{};
    cost.dollarsPerHour = rent;
    cost.dollarsPerRun = rent * *training.runTime / 3600 * unused;
    out.cost = cost;
    return out;
}

FigureErrors errorsOf(double logSd, const char* machine) {
    FigureErrors out;
    out.machine = machine;
    out.logSd.assign(planFigures().size(), logSd);
    return out;
}

const ReasonRow* rowOf(const Reasons& reasons, const std::string& name) {
    const auto found = std::ranges::find(reasons.rows, name, &ReasonRow::name);
    return found == reasons.rows.end() ? nullptr : &*found;
}

const FigureRow& rowOf(const Comparison& comparison, const char* path) {
    const auto found = std::ranges::find_if(
        comparison.figures, [path](const FigureRow& row) { return row.figure->path == path; });
    if (found == comparison.figures.end())
        qFatal("no figure %s", path);
    return *found;
}

Estimate estimated(const ScenarioSpec& spec) {
    const auto scenario = resolve(spec, smallCatalog(), smallCatalog().defaultProfile);
    return estimateResolved(*scenario, {.loadLimit = false, .fixes = false});
}

} // namespace

/// Scenarios side by side.
class TestCompareScenarios : public QObject {
    Q_OBJECT

private slots:
    void whatCanBeUsed() {
        Estimate e = runOf(10, 1, 40);
        QVERIFY(isUsable(e));
        e.fits = false;
        QVERIFY(!isUsable(e));
        e.fits = true;
        e.runs = false;
        QVERIFY(!isUsable(e));
        e.runs = true;
        e.serving = Serving{};
        e.serving->utilization = 0.999;
        QVERIFY(isUsable(e));
        e.serving->utilization = 1;
        QVERIFY(!isUsable(e));
    }

    void figuresOfAnEstimate() {
        const Estimate e = estimated(trainingSpec());
        const auto values = figuresOf(e);
        QCOMPARE(values.size(), planFigures().size());
        const auto of = [&values](const char* path) {
            return values[static_cast<std::size_t>(findPlanFigure(path) - planFigures().data())];
        };
        QCOMPARE(of("training.step_time_s").value_or(-1), e.training->stepTime);
        QCOMPARE(of("cost.dollars_per_run").value_or(-1), *e.cost->dollarsPerRun);
        QCOMPARE(of("memory.total_bytes").value_or(-1), e.memory->totalBytes);
        QCOMPARE(of("gpus").value_or(-1), 16.0);
        QVERIFY(!of("serving.ttft_s") && !of("reinforcement_learning.step_time_s"));
        const auto none = figuresOf(Estimate{});
        QCOMPARE(none.size(), planFigures().size());
        for (std::size_t i = 0; i < none.size(); ++i)
            QVERIFY2(!none[i] || planFigures()[i].path == "gpus", planFigures()[i].path.data());
    }

    /// Shares of the logarithm of the change: from $40 to $60 an hour, from 10 to 8 s, from 90 to 80 %.
    void whyOneCostsMore() {
        const Estimate a = runOf(10, 0.9, 40), b = runOf(8, 0.8, 60, 1.1), c = runOf(10, 0.9, 40);
        const std::vector<ComparedScenario> all{{.name = "A", .estimate = &a},
                                                {.name = "B", .estimate = &b},
                                                {.name = "C", .estimate = &c},
                                                {.name = "D"}};
        const Comparison found = compareScenarios(all, 0);
        QCOMPARE(found.reasons.size(), std::size_t{2});
        const Reasons& cost = found.reasons[1];
        QCOMPARE(cost.name, std::string("Rent of the run"));
        QVERIFY(cost.dimension == Dimension::ratio && cost.figureDimension == Dimension::dollars);
        const double change = 1.5 * 0.8 * (0.9 / 0.8) * 1.1 - 1, scale = change / std::log(1 + change);
        const auto part = [&](const char* name) { return rowOf(cost, name)->amounts[1].value_or(-99); };
        QVERIFY(near(part("Rent per hour"), std::log(1.5) * scale));
        QVERIFY(near(part("Step time"), std::log(0.8) * scale));
        QVERIFY(near(part("Goodput"), std::log(0.9 / 0.8) * scale));
        QVERIFY(near(part("Booked and not used"), std::log(1.1) * scale));
        QVERIFY(!rowOf(cost, "Number of steps")); // there are as many
        QVERIFY(near(*cost.totals[1], change));
        QVERIFY(near(*cost.changes[1], *b.cost->dollarsPerRun - *a.cost->dollarsPerRun));
        QCOMPARE(*cost.totals[2], 0.0);
        QVERIFY(!cost.totals[0] && !cost.totals[3] && !cost.changes[3]);
        // The largest first.
        QCOMPARE(cost.rows[0].name, std::string("Rent per hour"));
        QCOMPARE(cost.rows[1].name, std::string("Step time"));
        QCOMPARE(cost.rows.back().name, std::string("Booked and not used"));
        // Twice the steps.
        Estimate longer = runOf(10, 0.9, 40);
        *longer.training->runTime *= 2;
        *longer.cost->dollarsPerRun *= 2;
        const std::vector<ComparedScenario> two{{.name = "A", .estimate = &a},
                                                {.name = "B", .estimate = &longer}};
        const Comparison twice = compareScenarios(two, 0);
        QCOMPARE(twice.reasons.size(), std::size_t{1}); // the step is the same
        QCOMPARE(twice.reasons[0].rows.size(), std::size_t{1});
        QCOMPARE(twice.reasons[0].rows[0].name, std::string("Number of steps"));
        QVERIFY(near(*twice.reasons[0].rows[0].amounts[1], 1));
    }

    /// Classes of time add up to the difference of the step.
    void whyOneIsFaster() {
        const Estimate a = runOf(10, 0.9, 40), c = runOf(10, 0.9, 40);
        Estimate b = runOf(8, 0.9, 40);
        b.training->breakdown = {{"Matrix products", 7, Bound::compute}, {"Reads", 1, Bound::hbm}};
        const std::vector<ComparedScenario> all{{.name = "A", .estimate = &a},
                                                {.name = "B", .estimate = &b},
                                                {.name = "C", .estimate = &c},
                                                {.name = "D"}};
        const Comparison found = compareScenarios(all, 0);
        const Reasons& time = found.reasons[0];
        QCOMPARE(time.name, std::string("Step time"));
        QVERIFY(time.dimension == Dimension::seconds && time.figureDimension == Dimension::seconds);
        QCOMPARE(time.rows.size(), std::size_t{3});
        QCOMPARE(time.rows[0].name, std::string("nvlink"));
        QVERIFY(near(*time.rows[0].amounts[1], -2.5));
        QVERIFY(near(*rowOf(time, "hbm")->amounts[1], 1));
        QVERIFY(near(*rowOf(time, "compute")->amounts[1], -0.5));
        QVERIFY(time.rows[0].bound == Bound::nvlink);
        QVERIFY(near(*time.totals[1], -2) && near(*time.changes[1], -2));
        QCOMPARE(*time.totals[2], 0.0);
        QCOMPARE(*time.rows[0].amounts[2], 0.0);
        QVERIFY(!time.totals[3] && !time.rows[0].amounts[3] && !time.totals[0]);
        const std::vector<ComparedScenario> without{{.name = "D"}, {.name = "A", .estimate = &a}};
        QVERIFY(compareScenarios(without, 0).reasons.empty());
    }

    void whyTokensCostMore() {
        const auto service = [](double rent, double tokens, double price) {
            Estimate out;
            out.runs = out.fits = true;
            out.serving = Serving{};
            out.serving->outputTokensPerSecond = tokens;
            Cost cost{};
            cost.dollarsPerHour = rent;
            cost.dollarsPerMillionOutputTokens = price;
            out.cost = cost;
            return out;
        };
        // Twice the rent, four times the tokens, three times the share of the output.
        const Estimate a = service(40, 1000, 2), b = service(80, 4000, 3);
        const std::vector<ComparedScenario> all{{.name = "A", .estimate = &a}, {.name = "B", .estimate = &b}};
        const Comparison found = compareScenarios(all, 0);
        QCOMPARE(found.reasons.size(), std::size_t{1});
        const Reasons& cost = found.reasons[0];
        QCOMPARE(cost.name, std::string("Cost per million output tokens"));
        const double scale = 0.5 / std::log(1.5);
        QVERIFY(near(*rowOf(cost, "Rent per hour")->amounts[1], std::log(2) * scale));
        QVERIFY(near(*rowOf(cost, "Output tokens per second")->amounts[1], -std::log(4) * scale));
        QVERIFY(near(*rowOf(cost, "Share of the output in the GPU time")->amounts[1], std::log(3) * scale));
        QVERIFY(near(*cost.changes[1], 1) && near(*cost.totals[1], 0.5));
    }

    /// Costs of 100 and 110 with errors of 5 % each on two machines: exp(1.2816 x 0.0707) = 1.095.
    void theBestAndTheChanges() {
        Estimate a = runOf(10, 1, 10), b = runOf(10, 1, 11), c = runOf(10, 1, 10.9);
        const FigureErrors one = errorsOf(0.05, "a"), other = errorsOf(0.05, "b"),
                           third = errorsOf(0.05, "c");
        std::vector<ComparedScenario> all{{.name = "A", .estimate = &a, .errors = &one},
                                          {.name = "B", .estimate = &b, .errors = &other}};
        const Comparison found = compareScenarios(all, 0);
        const FigureRow cost = rowOf(found, "cost.dollars_per_run");
        QCOMPARE(cost.values.size(), std::size_t{2});
        QVERIFY(!cost.changes[0] && cost.changes[1]);
        QVERIFY(cost.changes[1]->certain && near(cost.changes[1]->ratio(), 0.1));
        QCOMPARE(cost.best, std::optional<std::size_t>(0));
        QVERIFY(!rowOf(found, "training.step_time_s").best); // the same
        QCOMPARE(found.sentence, std::string("A is cheaper than all others."));
        // From the other one as the baseline.
        QVERIFY(
            near(rowOf(compareScenarios(all, 1), "cost.dollars_per_run").changes[0]->ratio(), 10.0 / 11 - 1));
        // A third that is equal within the error of the best does not change that the second is worse.
        all.push_back({.name = "C", .estimate = &c, .errors = &third});
        QVERIFY(!rowOf(compareScenarios(all, 0), "cost.dollars_per_run").best);
        c.fits = false; // but one that cannot be used does not count
        QCOMPARE(rowOf(compareScenarios(all, 0), "cost.dollars_per_run").best, std::optional<std::size_t>(0));
        b.fits = false;
        QVERIFY(!rowOf(compareScenarios(all, 0), "cost.dollars_per_run").best); // alone it is no best
        b.fits = true;
        all[1].errors = nullptr; // not known: nothing is certain
        const Comparison unknown = compareScenarios(all, 0);
        QVERIFY(!rowOf(unknown, "cost.dollars_per_run").best);
        QVERIFY(!rowOf(unknown, "cost.dollars_per_run").changes[1]->certain);
        // Of what is better the more there is of it the larger one is best.
        all = {{.name = "A", .estimate = &a, .errors = &one},
               {.name = "B", .estimate = &b, .errors = &other}};
        a.training->tokensPerSecond = 100;
        b.training->tokensPerSecond = 150;
        QCOMPARE(rowOf(compareScenarios(all, 0), "training.tokens_per_s").best,
                 std::optional<std::size_t>(1));
    }

    void fieldsOfBoth() {
        ScenarioSpec first = trainingSpec(), second = trainingSpec();
        first.name = "one";
        second.name = "another";
        second.plan.tensorParallel = 8;
        second.workload.globalBatch = 1024;
        const Estimate a = estimated(first), b = estimated(second);
        const std::vector<ComparedScenario> all{
            {.name = "D"}, {.name = "A", .estimate = &a}, {.name = "B", .estimate = &b}};
        const Comparison found = compareScenarios(all, 1);
        QCOMPARE(found.baseline, std::size_t{1});
        const auto field = [&found](const char* path) {
            return std::ranges::find_if(found.fields,
                                        [path](const FieldRow& r) { return r.field->path == path; });
        };
        QVERIFY(field("name") == found.fields.end());
        QVERIFY(field("plan.max_batch") == found.fields.end()); // neither has it
        const auto tensor = field("plan.tensor_parallel"), batch = field("workload.global_batch"),
                   length = field("workload.sequence_length");
        QCOMPARE(tensor->values, (std::vector<std::string>{"", "4", "8"}));
        QVERIFY(tensor->differs && batch->differs && !length->differs);
        QCOMPARE(batch->values, (std::vector<std::string>{"", "64", "1,024"}));
        QCOMPARE(length->values[1], std::string("4,096"));
        const auto before = [&](const char* one, const char* other) { return field(one) < field(other); };
        QVERIFY(before("workload.global_batch", "plan.tensor_parallel")); // in the order of the format
        QVERIFY(std::ranges::none_of(found.figures,
                                     [](const FigureRow& r) { return r.figure->path == "serving.ttft_s"; }));
    }
};

QTEST_GUILESS_MAIN(TestCompareScenarios)

} // namespace tst_compare_scenarios

#include "tst_compare_scenarios.moc"
