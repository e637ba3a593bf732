// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "model/engine/test_time_table.h"
#include "model/scenario/test_time_plan.h"
#include "tests/data/serving_fixture.h"

namespace tst_test_time_serving {

using namespace alidade;
using namespace alidade::test;
using Json = nlohmann::json;

namespace {

constexpr double prompt = 2000, answer = 300;

/// chat(), with lengths that differ.
ScenarioSpec reasoning(std::optional<std::int64_t> samples = {}) {
    ScenarioSpec s = chat();
    s.workload.inputTokens = prompt;
    s.workload.outputTokens = answer;
    s.workload.outputTokensCv = 0.8;
    s.workload.requestRatePerS = 0.2;
    s.workload.testTime.samples = samples;
    return s;
}

ScenarioSpec closed(ScenarioSpec s, double questions) {
    s.workload.requestRatePerS.reset();
    s.workload.concurrency = questions;
    return s;
}

Scenario resolvedOf(const ScenarioSpec& spec) {
    auto out = resolve(spec, *shippedCatalog(), shippedCatalog()->defaultProfile);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

const Inputs& inputsOf(const Scenario& scenario) { return scenario.pools.front().inputs; }

Json jsonOf(const Estimate& e) { return Json::parse(data::writeEstimate(e)); }

TestTimeTable tableOf(const ScenarioSpec& spec, const TestTimeQuestion& question) {
    auto out = testTimeTable(spec, *shippedCatalog(), shippedCatalog()->defaultProfile, question);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

} // namespace

class TestTestTimeServing : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(shippedCatalog());
        QVERIFY(data::shippedScenario("serve-qwen3-32b-best-of-16-1xp5en.48xlarge"));
    }

    void oneSampleChangesNothing() {
        for (const bool open : {true, false}) {
            ScenarioSpec plain = open ? reasoning() : closed(reasoning(), 32), one = plain;
            one.workload.testTime.samples = 1;
            one.workload.testTime.selection = "none";
            Json before = jsonOf(run(plain)), after = jsonOf(run(one));
            QVERIFY(!before["scenario"]["workload"].contains("samples"));
            QVERIFY(!after["serving"].contains("test_time"));
            for (const char* part : {"serving", "memory", "cost", "headline", "problems", "assumptions"})
                QCOMPARE(after[part].dump(), before[part].dump());
        }
    }

    void sequencesOfQuestions() {
        ScenarioSpec spec = reasoning(8);
        spec.workload.prefixCacheHit = 0.5;
        const Scenario open = resolvedOf(spec);
        const Inputs& in = inputsOf(open);
        QVERIFY(close(in[Input::requestRate], 0.2 * 8));
        QVERIFY(close(in[Input::arrivalCv], std::sqrt(8.0)));
        QVERIFY(close(in[Input::prefixCacheHit], 1 - 0.5 / 8)); // one of eight prefills what is not cached
        const ResponseLengths lengths = sampleLengths(answer, 0.8, 0);
        const double longest = lengths.meanOfLongest(8);
        QVERIFY(close(in[Input::sharedPrompt], prompt * (1 - longest / answer / 8), 1e-6));
        const Scenario loop = resolvedOf(closed(reasoning(8), 4));
        QVERIFY(close(inputsOf(loop)[Input::concurrency], 4 * 8 * answer / longest, 1e-6));
        QCOMPARE(inputsOf(loop)[Input::requestRate], 0.0);
    }

    void figuresByHand() {
        const Estimate e = run(reasoning(8));
        const Serving& s = *e.serving;
        const TestTime& t = *s.testTime;
        const double longest = sampleLengths(answer, 0.8, 0).meanOfLongest(8);
        QCOMPARE(t.samples, std::int64_t{8});
        QVERIFY(close(t.tokensPerQuestion, 8 * answer));
        QVERIFY(close(t.longestSample, longest));
        QCOMPARE(t.selectionTime, 0.0);
        QVERIFY(close(t.latency, s.ttft + (longest - 1) * s.tpot));
        QVERIFY(t.latencyMedian < t.latencyP90);
        QVERIFY(close(t.questionsPerSecond, 0.2, 1e-6));
        QVERIFY(close(t.maxQuestionsPerSecond, s.maxRequestRate / 8));
        QVERIFY(close(t.questionsInFlight, 0.2 * t.latency, 1e-6));
        QVERIFY(close(*t.dollarsPer1000Questions, 1000 * e.cost->dollarsPerHour / 3600 / 0.2, 1e-6));
        QVERIFY(close(*t.leastDollarsPer1000Questions,
                      1000 * e.cost->dollarsPerHour / 3600 / t.maxQuestionsPerSecond));
        // 80 layers, 8 KV heads of 128, keys and values of two bytes, on four GPUs.
        const double token = 80.0 * 8 * 128 * 2 * 2 / 4;
        QVERIFY(close(t.kvPerQuestion, token * (prompt + 8 * answer)));
        QCOMPARE(t.verifierShare, 0.0);
    }

    /// P + n x T instead of n x (P + T): more sequences find room.
    void promptsAreHeldOnce() {
        ScenarioSpec spec = reasoning(8);
        spec.workload.inputTokens = 30'000;
        ScenarioSpec apart = reasoning();
        apart.workload.inputTokens = 30'000;
        apart.workload.requestRatePerS = 1.6;
        const double shared = run(spec).serving->maxConcurrency, alone = run(apart).serving->maxConcurrency;
        const ResponseLengths lengths = sampleLengths(answer, 0.8, 0);
        const double own = 30'000 / (8 * shareUnderWay(lengths, 8));
        const double wanted = (30'000 + answer / 2) / (own + answer / 2);
        QVERIFY2(close(shared / alone, wanted, 1e-6), qPrintable(QString::number(shared / alone)));
        QVERIFY(wanted > 3);
    }

    void moreSamplesCostMore_data() {
        QTest::addColumn<bool>("open");
        QTest::newRow("open loop") << true;
        QTest::newRow("closed loop") << false;
    }
    void moreSamplesCostMore() {
        QFETCH(bool, open);
        double latency = 0, cost = 0, least = 0, kv = 0;
        for (const std::int64_t n : {1, 2, 4, 8, 16, 32}) {
            const Estimate e = run(open ? reasoning(n) : closed(reasoning(n), 8));
            const TestTime& t = *e.serving->testTime;
            QVERIFY2(t.latency > latency && *t.leastDollarsPer1000Questions > least && t.kvPerQuestion > kv,
                     qPrintable(QString::number(n)));
            // With a given rate the rent is that of the same machines.
            QVERIFY(open ? close(*t.dollarsPer1000Questions, cost, 1e-6) || n == 1
                         : *t.dollarsPer1000Questions > cost);
            latency = t.latency;
            cost = *t.dollarsPer1000Questions;
            least = *t.leastDollarsPer1000Questions;
            kv = t.kvPerQuestion;
        }
        QVERIFY(least > 8 * *run(reasoning(1)).serving->testTime->leastDollarsPer1000Questions);
    }

    /// In a closed loop rate x latency has to be the number of questions that are asked at a time.
    void aClosedLoopKeepsItsQuestions() {
        for (const std::int64_t n : {2, 8, 32}) {
            const TestTime t = *run(closed(reasoning(n), 8)).serving->testTime;
            QVERIFY2(close(t.questionsInFlight, 8, 0.08), qPrintable(QString::number(t.questionsInFlight)));
        }
    }

    /// Samples of a question share an engine: one question on two engines leaves one of them idle.
    void aQuestionIsOnOneEngine() {
        const Serving one = *run(closed(reasoning(8), 1)).serving,
                      two = *run(closed(reasoning(8), 2)).serving;
        QCOMPARE(one.pools.front().workers, 2);
        QVERIFY2(close(one.itl, two.itl, 1e-3),
                 qPrintable(QStringLiteral("%1 %2").arg(one.itl, 0, 'g', 12).arg(two.itl, 0, 'g', 12)));
        QVERIFY(close(2 * one.requestsPerSecond, two.requestsPerSecond, 1e-2));
        QVERIFY(run(closed(reasoning(8), 3)).serving->itl > two.itl);
    }

    /// Sequences that come together see one another: each token takes longer than with as many that come
    /// apart.
    void samplesComeTogether() {
        ScenarioSpec apart = reasoning();
        apart.workload.requestRatePerS = 4;
        apart.workload.prefixCacheHit = 1 - 1.0 / 16; // as much prefill
        ScenarioSpec together = reasoning(16);
        together.workload.requestRatePerS = 0.25;
        const Serving before = *run(apart).serving, after = *run(together).serving;
        QVERIFY(after.simulated);
        QVERIFY2(after.itl > 1.02 * before.itl && after.itl < 1.5 * before.itl,
                 qPrintable(QString::number(after.itl / before.itl)));
    }

    void budgetsLimitTimeAndCost() {
        double latency = 0, least = 0;
        for (const double budget : {50.0, 200.0, 600.0, 2400.0}) {
            ScenarioSpec spec = reasoning(4);
            spec.workload.testTime.thinkingBudget = budget;
            const TestTime t = *run(spec).serving->testTime;
            QVERIFY(t.longestSample <= budget);
            QVERIFY(t.latency > latency && *t.leastDollarsPer1000Questions > least);
            latency = t.latency;
            least = *t.leastDollarsPer1000Questions;
        }
        const TestTime free = *run(reasoning(4)).serving->testTime;
        QVERIFY(latency < free.latency && close(latency, free.latency, 0.05));
    }

    void aVerifierScoresEverySample() {
        ScenarioSpec spec = reasoning(8);
        spec.workload.testTime.selection = "best_of_n";
        const TestTime rule = *run(spec).serving->testTime;
        spec.workload.testTime.verifier = "qwen3-8b";
        const TestTime small = *run(spec).serving->testTime;
        spec.workload.testTime.verifier = "qwen3-32b";
        const TestTime large = *run(spec).serving->testTime;
        QCOMPARE(rule.verifierShare, 0.0);
        QVERIFY(small.selectionTime > 0 && close(small.latency, rule.latency + small.selectionTime));
        QVERIFY(large.selectionTime > small.selectionTime && large.verifierShare > small.verifierShare);
        QVERIFY(large.verifierShare < 0.5);
        QVERIFY(*large.dollarsPer1000Questions > *small.dollarsPer1000Questions &&
                *small.dollarsPer1000Questions > *rule.dollarsPer1000Questions);
        QCOMPARE(large.verifier, std::string("Qwen3 32B"));
        // Twice the samples, each with its answer and its part of the prompt, which is prefilled once.
        spec.workload.testTime.samples = 16;
        const TestTime twice = *run(spec).serving->testTime;
        const double growth = twice.verifierGpus / large.verifierGpus;
        const double wanted = 2 * (prompt / 16 + answer) / (prompt / 8 + answer);
        QVERIFY2(close(growth, wanted, 0.05), qPrintable(QString::number(growth)));
    }

    void beamsWaitForTheScoresOfTheirSteps() {
        ScenarioSpec spec = reasoning(8);
        spec.workload.testTime.selection = "beam_search";
        spec.workload.testTime.verifier = "qwen3-8b";
        spec.workload.testTime.stepTokens = 50;
        const TestTime fine = *run(spec).serving->testTime;
        spec.workload.testTime.stepTokens = 150;
        const TestTime coarse = *run(spec).serving->testTime;
        QVERIFY2(fine.selectionTime > 2 * coarse.selectionTime,
                 qPrintable(QString::number(fine.selectionTime / coarse.selectionTime)));
        spec.workload.testTime.selection = "best_of_n";
        QVERIFY(coarse.selectionTime > run(spec).serving->testTime->selectionTime);
    }

    void twoPoolsAnswerQuestions() {
        ScenarioSpec spec = reasoning(4);
        spec.plan.disaggregated.prefill.workers = 1;
        spec.plan.disaggregated.decode.workers = 1;
        const Estimate e = run(spec);
        QVERIFY(e.serving && e.serving->testTime);
        const TestTime& t = *e.serving->testTime;
        QVERIFY(close(t.latency, e.serving->ttft + (t.longestSample - 1) * e.serving->tpot));
        QVERIFY(close(t.questionsPerSecond, 0.2, 1e-6));
    }

    void wrongRequests() {
        ScenarioSpec spec = reasoning(8);
        spec.workload.testTime.verifier = "qwen3-9b";
        const auto unknown = resolve(spec, *shippedCatalog(), shippedCatalog()->defaultProfile);
        QVERIFY(!unknown);
        QVERIFY2(unknown.error().starts_with("/workload/verifier: there is no model 'qwen3-9b'"),
                 unknown.error().c_str());
        spec.workload.testTime.verifier = "qwen3-8b";
        QVERIFY(has(run(spec), "/workload/verifier", "set the selection to best_of_n"));
    }

    void theLatencyExplainsItself() {
        ScenarioSpec spec = reasoning(8);
        spec.workload.testTime.selection = "best_of_n";
        spec.workload.testTime.verifier = "qwen3-8b";
        const Estimate e = run(spec);
        for (const auto& [path, value] :
             {std::pair("serving.test_time.latency_s", e.serving->testTime->latency),
              std::pair("serving.test_time.dollars_per_1000_questions",
                        *e.serving->testTime->dollarsPer1000Questions)}) {
            const auto explained =
                explainFigure(spec, *shippedCatalog(), shippedCatalog()->defaultProfile, path);
            QVERIFY2(explained, explained ? "" : explained.error().c_str());
            QVERIFY(close(explained->value, value));
            QVERIFY(!explained->terms.empty());
        }
    }

    void theTableFindsTheTarget() {
        TestTimeQuestion question{.samples = {1, 4, 16},
                                  .budgets = {},
                                  .curve = AccuracyCurve{AccuracyMeasure::passAtK, {{1, 0.4}, {16, 0.8}}, {}},
                                  .target = 0.7};
        TestTimeTable table = tableOf(reasoning(), question);
        QCOMPARE(table.rows.size(), std::size_t{3});
        QVERIFY(close(*table.rows[1].accuracy.value, 0.6));
        QCOMPARE(*table.target->at, 8.0);
        QCOMPARE(table.target->row->samples, std::int64_t{8});
        QVERIFY(close(table.target->row->figures->latency, run(reasoning(8)).serving->testTime->latency));
        QVERIFY(close(table.rows[0].figures->latency, run(reasoning(1)).serving->testTime->latency));
        question.target = 0.9;
        QVERIFY(!tableOf(reasoning(), question).target->at);
        question.samples = {32};
        QVERIFY(!tableOf(reasoning(), question).rows[0].accuracy.value);
    }

    void aTableOverBudgets() {
        TestTimeQuestion question{.samples = {1},
                                  .budgets = {100, 400},
                                  .curve =
                                      AccuracyCurve{AccuracyMeasure::thinking, {{100, 0.5}, {400, 0.7}}, {}},
                                  .target = 0.6};
        const TestTimeTable table = tableOf(reasoning(), question);
        QCOMPARE(*table.rows[0].budget, 100.0);
        QVERIFY(close(*table.target->at, 200)); // halfway in the logarithm
        QVERIFY(table.target->row->figures->latency > table.rows[0].figures->latency &&
                table.target->row->figures->latency < table.rows[1].figures->latency);
        question.samples = {1, 4};
        const auto wrong =
            testTimeTable(reasoning(), *shippedCatalog(), shippedCatalog()->defaultProfile, question);
        QVERIFY(!wrong && wrong.error().find("thinking_tokens") != std::string::npos);
    }

    void aTableOfAnotherSelectionIsRefused() {
        ScenarioSpec spec = reasoning();
        spec.workload.testTime.selection = "best_of_n";
        const TestTimeQuestion question{.samples = {1, 4},
                                        .budgets = {},
                                        .curve = AccuracyCurve{AccuracyMeasure::majority, {{1, 0.4}}, {}},
                                        .target = {}};
        const auto wrong = testTimeTable(spec, *shippedCatalog(), shippedCatalog()->defaultProfile, question);
        QVERIFY(!wrong && wrong.error().find("workload.selection=majority") != std::string::npos);
    }

    void anOverloadIsAnAnswer() {
        ScenarioSpec spec = reasoning();
        spec.workload.requestRatePerS = 4;
        const TestTimeTable table =
            tableOf(spec, {.samples = {1, 4096}, .budgets = {}, .curve = {}, .target = {}});
        QVERIFY(!table.rows[0].overloaded && table.rows[1].overloaded);
        QVERIFY(!table.rows[1].figures->dollarsPer1000Questions);
        QVERIFY(*table.rows[1].figures->leastDollarsPer1000Questions > 0);
    }
};

QTEST_GUILESS_MAIN(TestTestTimeServing)

} // namespace tst_test_time_serving

#include "tst_test_time_serving.moc"
