// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/comparison_words.h"
#include "model/units/format.h"

#include <QTest>

#include <limits>
#include <string>
#include <vector>

namespace tst_comparison_words {

using namespace alidade;

namespace {

const PlanFigure& figure(const char* path) { return *findPlanFigure(path); }

FigureChange change(double before, double after, bool certain = true) {
    FigureChange out{.before = before, .after = after};
    out.certain = certain;
    return out;
}

/// Scenarios A, B, ... that run and fit, compared with the first; figures are added by hand.
struct Compared {
    std::vector<Estimate> estimates;
    std::vector<ComparedScenario> all;
    Comparison comparison;

    explicit Compared(std::size_t count)
        : estimates(count) {
        for (std::size_t i = 0; i < count; ++i) {
            estimates[i].runs = estimates[i].fits = true;
            all.push_back({.name = std::string(1, static_cast<char>('A' + i)), .estimate = &estimates[i]});
        }
    }
    FigureRow& add(const char* path, const std::vector<std::optional<double>>& values,
                   std::optional<std::size_t> best = {}, bool certain = true) {
        FigureRow row{.figure = findPlanFigure(path), .values = values, .changes = {}, .best = best};
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool compares = i > 0 && values[0] && values[i];
            row.changes.push_back(compares ? std::optional(change(*values[0], *values[i], certain))
                                           : std::nullopt);
        }
        comparison.figures.push_back(row);
        return comparison.figures.back();
    }
    void addField(const char* path, bool differs = true) {
        comparison.fields.push_back({.field = findField(path), .values = {}, .differs = differs});
    }
    std::string sentence() const { return comparisonSentence(all, comparison); }
    std::string detail() const { return comparisonDetail(all, comparison); }
};

constexpr double day = 86400;

} // namespace

/// The result of a comparison in words.
class TestComparisonWords : public QObject {
    Q_OBJECT

private slots:
    void changes() {
        const PlanFigure &cost = figure("cost.dollars_per_run"), &mfu = figure("training.mfu");
        QCOMPARE(changeText(cost, change(100, 71)), std::string("\u221229.0 %"));
        QCOMPARE(changeText(cost, change(100, 129)), std::string("+29.0 %"));
        QCOMPARE(changeText(cost, change(100, 199.9)), std::string("+99.9 %"));
        QCOMPARE(changeText(cost, change(100, 200)), std::string("+100 %"));
        QCOMPARE(changeText(cost, change(100, 250.4)), std::string("+150 %"));
        QCOMPARE(changeText(cost, change(100, 100.04)), std::string("0.0 %"));
        QCOMPARE(changeText(cost, change(100, 99.96)), std::string("0.0 %"));
        QCOMPARE(changeText(cost, change(100, 99.94)), std::string("\u22120.1 %"));
        QCOMPARE(changeText(cost, change(100, 110)), std::string("+10.0 %"));
        QCOMPARE(changeText(mfu, change(0.4, 0.425)), std::string("+2.5 pt"));
        QCOMPARE(changeText(mfu, change(0.4, 0.3)), std::string("\u221210.0 pt"));
        QCOMPARE(changeText(cost, change(0, 5)), std::string());
        QCOMPARE(changeText(cost, change(5, std::numeric_limits<double>::infinity())), std::string());
        QCOMPARE(changeText(cost, change(5, std::nan(""))), std::string());
    }

    void amounts() {
        QCOMPARE(amountText(-1.6, Dimension::seconds), std::string("\u22121.60 s"));
        QCOMPARE(amountText(1.6, Dimension::seconds), std::string("+1.60 s"));
        QCOMPARE(amountText(0, Dimension::seconds), formatQuantity(0, Dimension::seconds));
        QCOMPARE(amountText(-0.29, Dimension::ratio), std::string("\u221229.0"));
        QCOMPARE(amountText(0.29, Dimension::ratio), std::string("+29.0"));
        QCOMPARE(amountText(0.0004, Dimension::ratio), std::string("0.0"));
        QCOMPARE(amountText(-0.0004, Dimension::ratio), std::string("0.0"));
        QCOMPARE(amountText(0.0006, Dimension::ratio), std::string("+0.1"));
    }

    void fewThatCanBeUsed() {
        QCOMPARE(Compared(1).sentence(), std::string("One scenario. Add others to compare them with it."));
        Compared two(2);
        two.estimates[0].fits = false;
        QCOMPARE(two.sentence(), std::string("Only B runs and fits."));
        two.all[1].estimate = nullptr;
        QCOMPARE(two.sentence(), std::string("None of the scenarios runs and fits."));
    }

    void differentJobsDoNotCompare() {
        Compared two(2);
        two.add("cost.dollars_per_run", {100, 71}, 1);
        two.addField("plan.tensor_parallel");
        two.addField("workload.tokens", false);
        QVERIFY(two.sentence().starts_with("B saves"));
        two.addField("workload.tokens");
        QCOMPARE(two.sentence(),
                 std::string("The scenarios do different jobs: they differ in training tokens."));
        QCOMPARE(two.detail(), std::string());
        two.addField("workload.model");
        QCOMPARE(two.sentence(),
                 std::string("The scenarios do different jobs: they differ in training tokens, model."));
        for (const char* path : {"workload.kind", "workload.sequence_length", "workload.input_tokens",
                                 "workload.output_tokens", "workload.finetune.kind"}) {
            Compared other(2);
            other.addField(path);
            QVERIFY2(other.sentence().starts_with("The scenarios do different jobs"), path);
        }
    }

    void whichIsBetterAndByHowMuch() {
        Compared two(2);
        QCOMPARE(two.sentence(), std::string("The scenarios have no common figure."));
        two.add("cost.dollars_per_run", {100, 71}, 1);
        QCOMPARE(two.sentence(), std::string("B saves $29.00 (\u221229.0 %) against A."));
        two.add("training.run_time_s", {30 * day, 10 * day});
        QCOMPARE(two.sentence(),
                 std::string("B saves $29.00 (\u221229.0 %) against A, and ends 20 days sooner."));
        two.comparison.figures[1].changes[1] = change(30 * day, 33 * day);
        QCOMPARE(two.sentence(),
                 std::string("B saves $29.00 (\u221229.0 %) against A, but takes 3 days longer."));
        two.comparison.figures[1].changes[1]->certain = false;
        QCOMPARE(two.sentence(), std::string("B saves $29.00 (\u221229.0 %) against A."));
        two.comparison.figures[1].changes[1].reset();
        QCOMPARE(two.sentence(), std::string("B saves $29.00 (\u221229.0 %) against A."));
        two.comparison.figures[0].best = 0;
        QCOMPARE(two.sentence(), std::string("A is cheaper than all others."));
        two.comparison.figures[0].best.reset();
        QCOMPARE(two.sentence(), std::string("No scenario is cheaper than all others beyond the error."));
        two.comparison.figures[0].best = 1;
        two.comparison.figures[0].changes[1].reset(); // the baseline has no such figure
        QCOMPARE(two.sentence(), std::string("B is cheaper than all others."));
    }

    void otherFiguresThanCost() {
        Compared two(2);
        two.add("training.step_time_s", {10, 8}, 1);
        QCOMPARE(two.sentence(), std::string("B takes less time per step: 2 s (\u221220.0 %) against A."));
        two.comparison.figures[0].best.reset();
        QCOMPARE(two.sentence(), std::string("No scenario is faster than all others beyond the error."));
        Compared tokens(2);
        tokens.add("serving.output_tokens_per_s_per_gpu", {100, 150}, 1);
        QCOMPARE(tokens.sentence(),
                 std::string("B gives more tokens per GPU: 50 tokens/s (+50.0 %) against A."));
    }

    /// The first of the key figures that all have that can be used.
    void theFigureToJudgeBy() {
        const std::vector<const char*> inOrder{"cost.dollars_per_run",
                                               "serving.test_time.dollars_per_1000_questions",
                                               "cost.dollars_per_million_output_tokens",
                                               "cost.dollars_per_million_tokens",
                                               "training.step_time_s",
                                               "serving.output_tokens_per_s_per_gpu"};
        for (std::size_t first = 0; first < inOrder.size(); ++first) {
            Compared three(3);
            for (std::size_t i = inOrder.size(); i-- > first;)
                three.add(inOrder[i], {100, 100, 100.0 + static_cast<double>(i)});
            const std::string label(figure(inOrder[first]).label);
            QVERIFY2(three.detail().starts_with("B: " + label + " 0.0 %."), three.detail().c_str());
            // One that lacks it decides for the next, unless it cannot be used.
            three.comparison.figures.back().values[2].reset();
            if (first + 1 < inOrder.size()) {
                const std::string next(figure(inOrder[first + 1]).label);
                QVERIFY2(three.detail().starts_with("B: " + next + " "), three.detail().c_str());
            } else {
                QCOMPARE(three.detail(), std::string());
            }
            three.estimates[2].runs = false;
            QVERIFY2(three.detail().starts_with("B: " + label + " 0.0 %."), three.detail().c_str());
        }
    }

    void whatTheOthersAre() {
        Compared four(4);
        four.add("cost.dollars_per_run", {100, 80, 120, 101}, 1);
        four.comparison.figures[0].changes[3]->certain = false;
        four.add("training.run_time_s", {30 * day, 10 * day, 33 * day, 28 * day});
        QCOMPARE(four.detail(),
                 std::string("C: Rent of the run +20.0 %, but takes 3 days longer. D: Rent of the run equal "
                             "within the error, and ends 2 days sooner."));
        four.comparison.figures[0].best.reset();
        QVERIFY(four.detail().starts_with("B: Rent of the run \u221220.0 %, and ends 20 days sooner. C: "));
        four.comparison.figures[0].changes[2].reset();
        QVERIFY(four.detail().find("C: ") == std::string::npos);
    }

    void whatCannotBeUsed() {
        Compared six(6);
        six.add("cost.dollars_per_run", {100, 80, 120, 101, 130, 140}, 1);
        six.all[0].estimate = nullptr;
        six.estimates[2].runs = false;
        six.estimates[3].fits = false;
        six.estimates[4].serving = Serving{};
        six.estimates[4].serving->utilization = 1;
        QCOMPARE(six.detail(),
                 std::string("A has no estimate. C cannot run. D does not fit in memory. E does "
                             "not carry the load. 1 more below."));
        six.all.pop_back();
        QVERIFY(six.detail().ends_with("E does not carry the load."));
        six.estimates[4].serving->utilization = 0.99;
        QVERIFY(six.detail().ends_with("D does not fit in memory. E: Rent of the run +30.0 %."));
    }
};

QTEST_GUILESS_MAIN(TestComparisonWords)

} // namespace tst_comparison_words

#include "tst_comparison_words.moc"
