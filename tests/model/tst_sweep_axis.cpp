// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/sweep.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <cmath>
#include <string>
#include <vector>

namespace tst_sweep_axis {

using namespace alidade;
using namespace alidade::test;

namespace {

using Numbers = std::vector<double>;

Numbers numbersOf(const std::vector<FieldValue>& values) {
    Numbers out;
    for (const FieldValue& each : values)
        out.push_back(numberOf(each).value_or(-1));
    return out;
}

bool near(const Numbers& a, const Numbers& b) {
    bool out = a.size() == b.size();
    for (std::size_t i = 0; out && i < a.size(); ++i)
        out = std::abs(a[i] - b[i]) <= 1e-9 * std::abs(b[i]);
    return out;
}

std::string textOf(const Numbers& numbers) {
    std::string out;
    for (const double each : numbers)
        out += std::to_string(each) + " ";
    return out;
}

} // namespace

/// The values along an axis, as a person writes them and as they are offered.
class TestSweepAxis : public QObject {
    Q_OBJECT

    Scenario present_;

    Numbers read(const char* text) const {
        const auto axis = sweepAxis(text, present_);
        return axis ? numbersOf(axis->values) : Numbers{};
    }
    static SweepAxis usual(const ScenarioSpec& spec, const char* path, int points) {
        const Explorer explorer(spec, smallCatalog(), smallCatalog().defaultProfile);
        const Scenario present = *explorer.scenarioWith({});
        return usualAxis(*Variable::named(path, present), present, explorer, points);
    }
    static Numbers usualTokens(double now, int points) {
        ScenarioSpec spec = trainingSpec();
        spec.workload.tokens = now;
        return numbersOf(usual(spec, "workload.tokens", points).values);
    }

private slots:
    void initTestCase() {
        const auto resolved = resolve(trainingSpec(), smallCatalog(), smallCatalog().defaultProfile);
        QVERIFY2(resolved, resolved.error().c_str());
        QVERIFY2(resolved->runs(), resolved->problems.empty() ? "" : resolved->problems[0].message.c_str());
        present_ = *resolved;
    }

    void rangesAreReadAsWritten() {
        QCOMPARE(read("plan.micro_batch=1..4"), (Numbers{1, 2, 3, 4}));
        QCOMPARE(read("plan.micro_batch=1..9:step 4"), (Numbers{1, 5, 9}));
        QCOMPARE(read("plan.micro_batch=1..8:step 4"), (Numbers{1, 5}));
        QCOMPARE(read("plan.micro_batch=1..16:log 5"), (Numbers{1, 2, 4, 8, 16}));
        QCOMPARE(read("plan.micro_batch=1..3:log 5"), (Numbers{1, 2, 3})); // 1.3, 1.7 and 2.3 are rounded
        QCOMPARE(read("plan.micro_batch = 1..3"), Numbers{});
        QCOMPARE(read("plan.micro_batch=1, 4,2"), (Numbers{1, 4, 2}));
        QCOMPARE(read("plan.micro_batch=7"), Numbers{7});
        QCOMPARE(read("workload.tokens=1e12 .. 3e12 : 3"), (Numbers{1e12, 2e12, 3e12}));
        QCOMPARE(read("workload.tokens=1e12..3e12:2"), (Numbers{1e12, 3e12}));
        QVERIFY(near(read("hbm_bandwidth=1 TB/s..3 TB/s:step 1 TB/s"), {1e12, 2e12, 3e12}));
        // 0.1 + 3 x 0.2 is a little more than 0.7, and counts all the same.
        QVERIFY(near(read("plan.overlap.gradient=10 %..70 %:step 20 %"), {0.1, 0.3, 0.5, 0.7}));
    }

    /// Each value of up to a thousand whole numbers, else 25 of them.
    void withoutANumberOfPoints() {
        const Numbers each = read("workload.global_batch=1..1000");
        QCOMPARE(each.size(), std::size_t{1000});
        QCOMPARE(each[998], 999.0);
        const Numbers some = read("workload.global_batch=1..1001");
        QCOMPARE(some.size(), std::size_t{25});
        QCOMPARE(some[1], 43.0);   // 1 + 1000 / 24 = 42.7
        QCOMPARE(some[23], 959.0); // 1 + 23 x 1000 / 24 = 959.3
        QCOMPARE(some[24], 1001.0);
        const Numbers tokens = read("workload.tokens=1e12..3.4e12");
        QCOMPARE(tokens.size(), std::size_t{25});
        QVERIFY(near({tokens[0], tokens[1], tokens[24]}, {1e12, 1.1e12, 3.4e12}));
        const Numbers decades = read("workload.tokens=1e12..1.6e13:log");
        QCOMPARE(decades.size(), std::size_t{25});
        QVERIFY(near({decades[6], decades[12], decades[24]}, {2e12, 4e12, 1.6e13}));
        QCOMPARE(read("workload.global_batch=1..64:log 7"), (Numbers{1, 2, 4, 8, 16, 32, 64}));
    }

    void listsOfListsAndWords() {
        const auto recompute = sweepAxis("plan.recompute=norms, glu | full", present_);
        QVERIFY2(recompute, recompute.error().c_str());
        QCOMPARE(recompute->values.size(), std::size_t{2});
        QCOMPARE(std::get<std::vector<std::string>>(recompute->values[0]),
                 (std::vector<std::string>{"norms", "glu"}));
        const auto precision = sweepAxis("plan.precision=bf16,fp8", present_);
        QCOMPARE(std::get<std::string>(precision->values.at(1)), std::string("fp8"));
        const auto dates = sweepAxis("run.start=2027-01-01..2027-01-03", present_);
        QCOMPARE(dates->values.size(), std::size_t{3});
        QCOMPARE(dates->variable.path(), std::string("run.start"));
    }

    void wrongAxesAreRefused_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("says");
        const auto row = [](const std::string& text, const std::string& says) {
            QTest::newRow(text.c_str()) << text << says;
        };
        row("plan.micro_batch", "'plan.micro_batch' is not FIELD=A..B or FIELD=A,B,C");
        row("plan.micro_batch=4..1", "plan.micro_batch: '4..1' must ascend");
        row("plan.micro_batch=4..4", "plan.micro_batch: '4..4' must ascend");
        row("plan.overlap.gradient=0 %..50 %:log",
            "plan.overlap.gradient: '0 %..50 %' must ascend from a value above 0");
        row("plan.precision=bf16..fp8",
            "plan.precision has words, not numbers: list them, such as plan.precision=A,B");
        row("workload.tokens=1..100002:step 1",
            "workload.tokens: more than 100,000 steps; take a larger one");
        row("run.start=2027-03-01..2027-02-01",
            "run.start: '2027-03-01..2027-02-01' must be two dates, the first one before the second: "
            "2027-01-04..2027-06-30");
        for (const char* steps : {"1", "0", "2x", "many", "step 0", "step -1", "step"}) {
            row("plan.overlap.tensor=10 %..50 %:" + std::string(steps),
                "'" + std::string(steps) +
                    "' is not a number of points, 'step S' or 'log'; write FIELD=A..B:20, FIELD=A..B:step 4 "
                    "or FIELD=A..B:log 20");
        }
    }
    void wrongAxesAreRefused() {
        QFETCH(std::string, text);
        const auto axis = sweepAxis(text, present_);
        QVERIFY(!axis);
        QTEST(axis.error(), "says");
    }

    void eitherEndMayBeWrong() {
        for (const char* text : {"plan.micro_batch=x..4", "plan.micro_batch=1..y", "plan.micro_batch=1,z"}) {
            const auto axis = sweepAxis(text, present_);
            QVERIFY(!axis);
            QVERIFY2(axis.error().find('\'') != std::string::npos, axis.error().c_str());
        }
        // As many steps as a sweep may have points.
        QCOMPARE(read("workload.tokens=1..100001:step 1").size(), mostSweepPoints + 1);
    }

    /// From an eighth of 64 to twice as many, at the roundest numbers that four replicas divide: near 8, 38,
    /// 68, 98 and 128, not more than 15 away.
    void usualWholeNumbersAreRoundAndLegal() {
        QCOMPARE(numbersOf(usual(trainingSpec(), "workload.global_batch", 5).values),
                 (Numbers{16, 32, 64, 96, 128}));
        ScenarioSpec one = trainingSpec();
        one.cluster.instances = 1;
        QCOMPARE(numbersOf(usual(one, "cluster.instances", 5).values), (Numbers{1, 2}));
        // The present value is always among them.
        one.workload.globalBatch = 72;
        const Numbers odd = numbersOf(usual(one, "workload.global_batch", 2).values);
        QVERIFY2(std::ranges::find(odd, 72.0) != odd.end() && std::ranges::is_sorted(odd),
                 textOf(odd).c_str());
    }

    /// Steps of 1, 2, 2.5, 5 or 10 of a decade from an eighth of the value to twice as much.
    void usualQuantitiesAreRound() {
        // 187.5 G in 5 parts of at least 37.5 G: 50 G.
        QVERIFY(near(usualTokens(1e11, 6), {5e10, 1e11, 1.5e11, 2e11}));
        // 187.5 G in 8 parts of at least 23.4 G: 25 G.
        QVERIFY(near(usualTokens(1e11, 9), {2.5e10, 5e10, 7.5e10, 1e11, 1.25e11, 1.5e11, 1.75e11, 2e11}));
        // 300 G in 15 parts of exactly 20 G, from 20 G to 320 G.
        const Numbers exact = usualTokens(1.6e11, 16);
        QCOMPARE(exact.size(), std::size_t{16});
        QVERIFY(near({exact[0], exact[7], exact[15]}, {2e10, 1.6e11, 3.2e11}));
        // 600 G in 10 parts of at least 60 G: 100 G, and the present value in between.
        QVERIFY(near(usualTokens(3.2e11, 11), {1e11, 2e11, 3e11, 3.2e11, 4e11, 5e11, 6e11}));
        // 187.5 G in 2 parts of at least 93.75 G: 100 G.
        QVERIFY(near(usualTokens(1e11, 3), {1e11, 2e11}));
        // A share ends at 1: (1 - 0.0875) / 5 = 0.1825, so steps of 0.2.
        QVERIFY(near(numbersOf(usual(trainingSpec(), "gemm_compute_efficiency", 6).values),
                     {0.2, 0.4, 0.6, 0.7, 0.8, 1}));
    }

    void usualDegreesAndChoices() {
        // 16 GPUs in hosts of 8, 32 heads, 8 of keys and values.
        QCOMPARE(numbersOf(usual(trainingSpec(), "plan.tensor_parallel", 25).values),
                 (Numbers{1, 2, 4, 8, 16}));
        const SweepAxis precision = usual(trainingSpec(), "plan.precision", 25);
        QVERIFY(std::ranges::find(precision.values, FieldValue(std::string("fp8"))) !=
                precision.values.end());
        QVERIFY(std::ranges::find(precision.values, FieldValue(std::string("bf16"))) !=
                precision.values.end());
        ScenarioSpec dated = trainingSpec();
        dated.run.start = "2027-01-04";
        QCOMPARE(usual(dated, "run.start", 25).values.size(), std::size_t{13});
    }

    /// Nothing is offered around a value that is not there, or 0.
    void withoutAValue() {
        QVERIFY(usual(trainingSpec(), "plan.goodput", 25).values.empty());
        ScenarioSpec spec = trainingSpec();
        spec.plan.overlap.gradient = 0;
        QVERIFY(usual(spec, "plan.overlap.gradient", 25).values.empty());
        QVERIFY(usual(trainingSpec(), "run.start", 25).values.empty());
    }
};

QTEST_GUILESS_MAIN(TestSweepAxis)

} // namespace tst_sweep_axis

#include "tst_sweep_axis.moc"
