// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a service with several numbers of samples and thinking budgets: its order, what its rows say,
// where a curve of accuracy reaches a target, and questions that it refuses.
#include "model/engine/test_time_table.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>
#include <stop_token>

namespace tst_test_time_table {

using namespace alidade;
using namespace alidade::test;

namespace {

Result<TestTimeTable> ask(const char* edit, const TestTimeQuestion& question,
                          const std::stop_token& stop = {}) {
    return testTimeTable(edited(smallServing(), editOf(edit)), sharedCatalog(),
                         sharedCatalog().defaultProfile, question, stop);
}

QByteArray refusal(const char* edit, const TestTimeQuestion& question) {
    const auto table = ask(edit, question);
    return table ? QByteArray() : QByteArray::fromStdString(table.error());
}

/// "1 x 100, 2 x -": samples and budgets of the rows.
QByteArray rowsOf(const TestTimeTable& table) {
    QByteArray out;
    for (const TestTimeRow& row : table.rows)
        out += (out.isEmpty() ? "" : ", ") + QByteArray::number(row.samples) + " x " +
               (row.budget ? QByteArray::number(*row.budget) : QByteArray("-"));
    return out;
}

AccuracyCurve curve(AccuracyMeasure measure, std::vector<AccuracyPoint> points) {
    return {measure, std::move(points), {}};
}

/// A curve over samples: 0.4 of one, 0.8 of 16; in between 0.1 more whenever they double.
AccuracyCurve overSamples(AccuracyMeasure measure) { return curve(measure, {{1, 0.4}, {16, 0.8}}); }

TestTimeQuestion question(std::vector<std::int64_t> samples, std::optional<AccuracyCurve> curve = {},
                          std::optional<double> target = {}, std::vector<double> budgets = {}) {
    return {std::move(samples), std::move(budgets), std::move(curve), target};
}

} // namespace

class TestTestTimeTable : public QObject {
    Q_OBJECT

private slots:
    void refusals_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<int>("measure"); // -1: no curve
        QTest::addColumn<bool>("several");
        QTest::addColumn<bool>("target");
        QTest::addColumn<QByteArray>("refused");
        const auto row = [](const char* name, const char* edit, int measure, bool several, bool target,
                            const char* refused) {
            QTest::newRow(name) << QByteArray(edit) << measure << several << target << QByteArray(refused);
        };
        const int passAtK = static_cast<int>(AccuracyMeasure::passAtK);
        const int majority = static_cast<int>(AccuracyMeasure::majority);
        const int bestOfN = static_cast<int>(AccuracyMeasure::bestOfN);
        const int thinking = static_cast<int>(AccuracyMeasure::thinking);
        const char* other = "the table holds majority, and the scenario selects otherwise; set "
                            "workload.selection=majority, or give a table of pass_at_k";
        row("nothing but samples", "", -1, true, false, "");
        row("a target without a curve", "", -1, true, true, "a target needs a table of accuracies");
        row("pass@k", "workload.selection=majority", passAtK, true, true, "");
        row("the same selection", "workload.selection=majority", majority, true, true, "");
        row("a majority, though nothing selects", "", majority, true, false, other);
        row("a majority of another selection", "workload.selection=best_of_n", majority, true, true, other);
        row("the best of other votes", "workload.selection=majority", bestOfN, true, false,
            "the table holds best_of_n, and the scenario selects otherwise; set "
            "workload.selection=best_of_n, or give a table of pass_at_k");
        row("thinking of several samples", "", thinking, true, false,
            "the table is over thinking_tokens of one answer; ask for one sample, or give a table over k");
        row("thinking of one", "", thinking, false, false, "");
        row("training", "workload.kind=training", -1, false, false,
            "/workload/kind: test-time compute applies only to serving; set it to serving");
        row("an unknown model", "workload.model=dance", -1, false, false,
            "/workload/model: there is no model 'dance' in the catalog; the nearest is 'dense'");
    }
    void refusals() {
        QFETCH(QByteArray, edit);
        QFETCH(int, measure);
        QFETCH(bool, several);
        QFETCH(bool, target);
        QFETCH(QByteArray, refused);
        TestTimeQuestion asked = question({1});
        if (several)
            asked.samples.push_back(2);
        if (measure >= 0)
            asked.curve = overSamples(static_cast<AccuracyMeasure>(measure));
        if (target)
            asked.target = 0.5;
        QCOMPARE(refusal(edit.constData(), asked), refused);
    }

    void rowsAreInTheOrderOfTheQuestion() {
        const auto table = ask("", question({4, 1}, {}, {}, {50, 80}));
        QVERIFY(table && table->complete && !table->target);
        QCOMPARE(rowsOf(*table), QByteArray("4 x 50, 1 x 50, 4 x 80, 1 x 80"));
        // Without budgets that of the scenario counts, if it has one.
        QCOMPARE(rowsOf(*ask("", question({1, 2}))), QByteArray("1 x -, 2 x -"));
        QCOMPARE(rowsOf(*ask("workload.thinking_budget=70", question({2}))), QByteArray("2 x 70"));
        QVERIFY(TestTimeTable().complete);
        QCOMPARE(TestTimeRow().samples, std::int64_t{1});
        QCOMPARE(TestTimeRow().utilization, 0.0);
        QVERIFY(!TestTimeRow().overloaded);
    }

    void askedToStopItIsIncomplete() {
        std::stop_source source;
        source.request_stop();
        const auto table =
            ask("", question({1, 2}, overSamples(AccuracyMeasure::passAtK), 0.5), source.get_token());
        QVERIFY(table && !table->complete && !table->target);
        QCOMPARE(rowsOf(*table), QByteArray());
    }

    /// Each row is what an estimate of the scenario with its samples and budget says.
    void rowsAreEstimates() {
        const auto table = ask("", question({1, 8}));
        QVERIFY(table);
        for (const TestTimeRow& row : table->rows) {
            const ScenarioSpec spec =
                edited(smallServing(), {{"workload.samples", std::to_string(row.samples)}});
            const auto e = estimate(spec, sharedCatalog(), sharedCatalog().defaultProfile);
            QVERIFY(e && e->serving && row.figures);
            QCOMPARE(row.figures->latency, e->serving->testTime->latency);
            QCOMPARE(row.figures->samples, row.samples);
            QCOMPARE(row.utilization, e->serving->utilization);
            QVERIFY(row.utilization > 0 && !row.overloaded);
            QCOMPARE(row.whyNot, std::string());
            QVERIFY(!row.accuracy.value && !row.accuracy.atLeast && !row.accuracy.isBound);
        }
        // Eight samples of a question are eight times the work.
        QVERIFY(table->rows[1].utilization > 4 * table->rows[0].utilization);
        const auto cut = ask("", question({1}, {}, {}, {20}));
        QCOMPARE(cut->rows[0].figures->longestSample, 20.0); // answers have 100 tokens
        QCOMPARE(table->rows[0].figures->longestSample, 100.0);
    }

    void queuesThatGrowWithoutEnd() {
        const auto table = ask("", question({1, 1'000'000}));
        QVERIFY(table && !table->rows[0].overloaded && table->rows[1].overloaded);
        QVERIFY(table->rows[1].figures && !table->rows[1].figures->dollarsPer1000Questions);
        QVERIFY(table->rows[0].figures->dollarsPer1000Questions);
        QCOMPARE(table->rows[1].whyNot, std::string());
    }

    void rowsWithoutFiguresSayWhy() {
        const auto illegal = ask("plan.tensor_parallel=3", question({1, 2}));
        QVERIFY(illegal && illegal->rows.size() == 2);
        const Scenario scenario = resolved(edited(smallServing(), editOf("plan.tensor_parallel=3")));
        std::string first; // the first error, not a warning before it
        for (const Problem& each : scenario.problems)
            if (first.empty() && each.severity == Severity::error)
                first = each.message;
        QVERIFY(!first.empty() && !illegal->rows[0].figures);
        QCOMPARE(illegal->rows[0].whyNot, first);
        QCOMPARE(illegal->rows[0].utilization, 0.0);
    }

    void accuraciesOfTheRows() {
        const auto table = ask("", question({1, 4, 32}, overSamples(AccuracyMeasure::passAtK)));
        QCOMPARE(table->rows[0].accuracy.value.value_or(0), 0.4);
        QCOMPARE(table->rows[1].accuracy.value.value_or(0), 0.6); // twice doubled
        QVERIFY(!table->rows[1].accuracy.isBound);
        QVERIFY(!table->rows[2].accuracy.value); // beyond the last point
        // A selection cannot beat pass@k, of which the curve is.
        const auto voted =
            ask("workload.selection=majority", question({4}, overSamples(AccuracyMeasure::passAtK)));
        QVERIFY(voted->rows[0].accuracy.isBound);
        const auto measured =
            ask("workload.selection=majority", question({4}, overSamples(AccuracyMeasure::majority)));
        QVERIFY(!measured->rows[0].accuracy.isBound);
        QCOMPARE(measured->rows[0].accuracy.value.value_or(0), 0.6);
        // Over budgets the curve is that of one answer, whatever selects between several.
        const AccuracyCurve thinking = curve(AccuracyMeasure::thinking, {{20, 0.4}, {80, 0.8}});
        const auto budgets = ask("workload.selection=majority", question({1}, thinking, {}, {20, 40}));
        QCOMPARE(budgets->rows[0].accuracy.value.value_or(0), 0.4);
        QCOMPARE(budgets->rows[1].accuracy.value.value_or(0), 0.6);
        QVERIFY(!budgets->rows[1].accuracy.isBound);
        QVERIFY(!ask("", question({1}, thinking))->rows[0].accuracy.value); // no budget
    }

    void targets_data() {
        QTest::addColumn<double>("target");
        QTest::addColumn<int>("samples"); // 0: never reached
        QTest::newRow("of the first point") << 0.4 << 1;
        QTest::newRow("below it") << 0.1 << 1;
        QTest::newRow("of two") << 0.5 << 2;
        QTest::newRow("between two and three") << 0.55 << 3; // 2^1.5 = 2.83
        QTest::newRow("between four and five") << 0.6001 << 5;
        QTest::newRow("of eight, but for rounding") << 0.7 << 8;
        QTest::newRow("of the last point") << 0.8 << 16;
        QTest::newRow("beyond") << 0.81 << 0;
    }
    void targets() {
        QFETCH(double, target);
        QFETCH(int, samples);
        const auto table =
            ask("workload.thinking_budget=60", question({1}, overSamples(AccuracyMeasure::passAtK), target));
        QVERIFY(table && table->target);
        QCOMPARE(table->target->at.value_or(0), static_cast<double>(samples));
        QCOMPARE(table->target->row.has_value(), samples > 0);
        if (samples > 0) {
            QCOMPARE(table->target->row->samples, std::int64_t{samples});
            QCOMPARE(table->target->row->budget.value_or(0), 60.0);
            QCOMPARE(table->target->row->figures->samples, std::int64_t{samples});
        }
    }

    /// A budget needs no whole number: halfway in the logarithm between 20 and 80 is 40, a quarter is 28.3.
    void targetsOverBudgets() {
        const AccuracyCurve thinking = curve(AccuracyMeasure::thinking, {{20, 0.4}, {80, 0.8}});
        const auto table = ask("", question({1}, thinking, 0.5, {80}));
        const double at = 20 * std::sqrt(2.0);
        QVERIFY(std::abs(table->target->at.value_or(0) - at) < 1e-9);
        QCOMPARE(table->target->row->samples, std::int64_t{1});
        QVERIFY(std::abs(table->target->row->budget.value_or(0) - at) < 1e-9);
        QVERIFY(std::abs(table->target->row->figures->longestSample - at) < 1e-9);
    }
};

QTEST_APPLESS_MAIN(TestTestTimeTable)

} // namespace tst_test_time_table

#include "tst_test_time_table.moc"
