// SPDX-License-Identifier: GPL-3.0-or-later
// What a deployment does under the loads of published rows: without end, in rounds, all at once, in one
// batch.
#include "model/estimate/evaluate_serving.h"
#include "model/validation/serving_runs.h"
#include "tests/model/fitted_catalog.h"

#include <QTest>

#include <cmath>
#include <memory>
#include <stdexcept>

namespace tst_serving_runs {

using namespace alidade;
using namespace alidade::tests;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

} // namespace

class TestServingRuns : public QObject {
    Q_OBJECT

    Catalog catalog_ = fittedCatalog();
    std::unique_ptr<ServingTotals> scratch_ = std::make_unique<ServingTotals>();

    Result<ServingRuns> runs(const ScenarioSpec& spec, const ServingRun& run) const {
        return ServingRuns::of(spec, run, catalog_, catalog_.defaultProfile);
    }
    ServingRuns made(const ScenarioSpec& spec, const ServingRun& run) const {
        const auto out = runs(spec, run);
        if (!out)
            throw std::runtime_error(out.error());
        return *out;
    }
    ServingFigures figures(const ScenarioSpec& spec, const ServingRun& run) {
        const ServingRuns all = made(spec, run);
        return *all.figures(all.inputs(), *scratch_);
    }
    /// Totals of the scenario itself under a load of its own.
    const ServingTotals& at(const ScenarioSpec& spec) {
        const Scenario scenario = *resolve(spec, catalog_, catalog_.defaultProfile);
        const std::vector<Inputs> pools = poolInputs(scenario);
        evaluateServing<double>(scenario, pools, *scratch_, nullptr, ServingDetail::means);
        return *scratch_;
    }

private slots:
    void kindsOfRows() {
        const auto kind = [](const char* rowKind, bool concurrency = true, const char* notes = "",
                             const char* assumed = "", const char* phase = nullptr) {
            ValidationRow row;
            row.rowKind = rowKind;
            row.notes = notes;
            row.assumed = {assumed};
            row.requestsPerUser = 7;
            row.pollInterval = 3;
            ScenarioSpec spec;
            if (concurrency)
                spec.workload.concurrency = 4;
            if (phase)
                spec.workload.phase = phase;
            row.scenario = std::make_shared<const ScenarioSpec>(spec);
            return servingRunOf(row).kind;
        };
        QVERIFY(kind("static batch") == ServingRunKind::together);
        QVERIFY(kind("single-stream") == ServingRunKind::together);
        QVERIFY(kind("offline", true, "no in-flight batching") == ServingRunKind::together);
        QVERIFY(kind("server (closed loop)") == ServingRunKind::rounds);
        QVERIFY(kind("server") == ServingRunKind::steady);
        QVERIFY(kind("offline") == ServingRunKind::finite);
        QVERIFY(kind("offline", false) == ServingRunKind::inProcess);
        QVERIFY(kind("offline", true, "", "workload.concurrency") == ServingRunKind::inProcess);
        QVERIFY(kind("offline", true, "", "", "decode") == ServingRunKind::inProcess);
        ValidationRow row;
        row.rowKind = "offline";
        row.requestsPerUser = 7;
        row.pollInterval = 3;
        QVERIFY(servingRunOf(row).kind == ServingRunKind::inProcess);
        QCOMPARE(servingRunOf(row).requestsPerUser, 7.0);
        QCOMPARE(servingRunOf(row).pollInterval, 3.0);
    }

    void figuresByName() {
        const ServingFigures f{.ttft = 1,
                               .tpot = 2,
                               .itl = 3,
                               .e2e = 4,
                               .prefill = 5,
                               .outputTokensPerS = 60,
                               .inputTokensPerS = 70};
        const std::pair<const char*, double> known[] = {{"ttft_s", 1},
                                                        {"tpot_s", 2},
                                                        {"itl_s", 3},
                                                        {"e2e_s", 4},
                                                        {"prefill_s", 5},
                                                        {"output_tokens_per_s", 60},
                                                        {"input_tokens_per_s", 70},
                                                        {"output_tokens_per_s_per_gpu", 6},
                                                        {"input_tokens_per_s_per_gpu", 7}};
        for (const auto& [name, value] : known)
            QCOMPARE(*figureOf(f, name, 10), value);
        QVERIFY(!figureOf(f, "step_time_s", 10));
        Scenario scenario;
        const auto spread = [&](const char* name) { return servingSpreadOf(scenario, name); };
        for (const char* name : {"ttft_s", "prefill_s"})
            QVERIFY(spread(name) == Input::servingTtftLogSd);
        for (const char* name : {"output_tokens_per_s", "input_tokens_per_s_per_gpu"})
            QVERIFY(spread(name) == Input::servingThroughputLogSd);
        for (const char* name : {"tpot_s", "tokens_per_s_per_user", "e2e_s"})
            QVERIFY(spread(name) == Input::servingTimeLogSd);
        scenario.model.moe = MoeShape();
        QVERIFY(spread("tpot_s") == Input::servingTimeLogSdMoe);
    }

    void withoutEnd() {
        const ScenarioSpec spec = smallServing();
        const ServingTotals& t = at(spec);
        const ServingFigures expected{
            t.ttft, t.tpot, t.itl, t.e2e, t.prefillTime, t.outputTokensPerSecond, t.inputTokensPerSecond};
        const ServingFigures found = figures(spec, {});
        QVERIFY(near(found.ttft, expected.ttft) && near(found.tpot, expected.tpot) &&
                near(found.itl, expected.itl));
        QVERIFY(near(found.e2e, expected.e2e) && near(found.prefill, expected.prefill));
        QVERIFY(near(found.outputTokensPerS, expected.outputTokensPerS));
        QVERIFY(near(found.inputTokensPerS, 5 * found.outputTokensPerS)); // 1,000 to 200
    }

    /// Of equal requests a server and its clients spread what an engine's own process does not.
    void spreadOfEqualRequests() {
        const auto jitter = [&](ServingRunKind kind) {
            return runs(smallServing(), {.kind = kind})->scenarios()[0].pools[0].inputs[Input::loopJitter];
        };
        QVERIFY(jitter(ServingRunKind::steady) > 0 && jitter(ServingRunKind::rounds) > 0);
        QCOMPARE(jitter(ServingRunKind::inProcess), 0.0);
        QCOMPARE(jitter(ServingRunKind::finite), 0.0);
    }

    /// The first token later by the delay of a loop that begins, throughput less by its end, and both by half
    /// of the steps between two looks for new requests.
    void rounds() {
        ScenarioSpec spec = smallServing();
        spec.workload.outputTokensCv = 0.5;
        const ServingRun run{.kind = ServingRunKind::rounds, .requestsPerUser = 4};
        const ServingRuns loop = made(spec, run);
        const auto start = loop.loopStart(loop.inputs()[0], *scratch_);
        QVERIFY(start);
        const ServingFigures steady = figures(spec, {}), found = figures(spec, run);
        QVERIFY(near(start->ttft, steady.ttft));
        QVERIFY(near(found.ttft, steady.ttft + firstTokenDelay(start->run)));
        QVERIFY(near(found.outputTokensPerS, steady.outputTokensPerS * throughputShare(start->run)));
        QVERIFY(near(found.inputTokensPerS, steady.inputTokensPerS * throughputShare(start->run)));
        QVERIFY(near(found.e2e, steady.e2e) && near(found.itl, steady.itl));
        QVERIFY(throughputShare(start->run) < 1);
        QCOMPARE(start->run.users, 16.0);
        QCOMPARE(start->run.requestsPerUser, 4.0);
        QCOMPARE(start->run.lengthCv, 0.5);
        QVERIFY(near(start->run.answer, 200 * steady.itl));
        QVERIFY(start->run.promptsOfOthers > 0 && start->run.promptsOfOthers < start->run.answer);
        // Eight prompts of 1,000 tokens share a step of 8,192: less than one by one.
        QVERIFY(start->run.burst > 0 && start->run.burst <= start->run.promptsOfOthers);
        ScenarioSpec alone = spec;
        alone.workload.concurrency = 1;
        QVERIFY(near(start->run.answerAlone, 200 * at(alone).itl));
        // Short prompts all fit into one step, which takes less than one for each: 15 of 16 wait for it.
        ScenarioSpec brief = spec, sixteen = alone;
        brief.workload.inputTokens = 100;
        sixteen.workload.inputTokens = 1600;
        brief.plan.mixedPrefill = sixteen.plan.mixedPrefill = false;
        const ServingRuns shortLoop = made(brief, run);
        const auto shortStart = shortLoop.loopStart(shortLoop.inputs()[0], *scratch_);
        QVERIFY(shortStart->run.burst < shortStart->run.promptsOfOthers);
        QVERIFY(near(shortStart->run.burst, 15.0 / 16 * at(sixteen).decoding().state.prefillTime));
        ServingRun polled = run;
        polled.pollInterval = 11;
        const ServingFigures waiting = figures(spec, polled);
        const double wait = 5 * steady.itl;
        QVERIFY(near(waiting.ttft, found.ttft + wait) && near(waiting.e2e, found.e2e + wait));
        QVERIFY(near(waiting.outputTokensPerS, found.outputTokensPerS * found.e2e / (found.e2e + wait)));
        QVERIFY(near(waiting.inputTokensPerS, found.inputTokensPerS * found.e2e / (found.e2e + wait)));
        alone.workload.outputTokensCv = 0; // an idle engine looks at once
        QVERIFY(near(figures(alone, polled).ttft, figures(alone, {}).ttft));
        QVERIFY(!runs(spec, {})->loopStart(loop.inputs()[0], *scratch_)); // of no rounds
    }

    /// Users are those of one of equal replicas: a loop of 32 users on two is one of 16 on each.
    void replicasOfALoop() {
        ScenarioSpec one = smallServing();
        one.workload.outputTokensCv = 0.5;
        ScenarioSpec two = one;
        two.cluster.custom.gpusPerNode = 2;
        two.plan.dataParallel = 2;
        two.workload.concurrency = 32;
        const auto start = [&](const ScenarioSpec& spec) {
            const ServingRuns loop = made(spec, {.kind = ServingRunKind::rounds, .requestsPerUser = 4});
            return *loop.loopStart(loop.inputs()[0], *scratch_);
        };
        const auto single = start(one), both = start(two);
        QCOMPARE(both.run.users, single.run.users);
        QVERIFY(near(both.ttft, single.ttft) && near(both.run.answer, single.run.answer));
        QVERIFY(near(both.run.burst, single.run.burst));
        QVERIFY(near(firstTokenDelay(both.run), firstTokenDelay(single.run)));
        // Its own prompt is no waiting.
        const double own = at(one).decoding().state.prefillTime;
        QVERIFY(own > 0 && single.run.waitInSteadyState <= single.ttft - own);
    }

    /// 100 requests of an engine that holds 32: three times all of them, then the last four alone.
    void allAtOnce() {
        ScenarioSpec spec = smallServing();
        spec.plan.maxBatch = 32;
        const auto rate = [&](double concurrency) {
            ScenarioSpec other = spec;
            other.workload.concurrency = concurrency;
            return figures(other, {.kind = ServingRunKind::inProcess}).outputTokensPerS;
        };
        const double full = rate(100), four = rate(4);
        spec.workload.concurrency = 100;
        const ServingFigures found = figures(spec, {.kind = ServingRunKind::finite});
        const double seconds = 96 * 200 / full + 4 * 200 / four;
        QVERIFY2(near(found.outputTokensPerS, 100 * 200 / seconds),
                 qPrintable(QString::number(found.outputTokensPerS)));
        QVERIFY(near(found.inputTokensPerS, 100 * 1000 / seconds));
        spec.workload.concurrency = 96; // nobody is left
        QVERIFY(near(figures(spec, {.kind = ServingRunKind::finite}).outputTokensPerS, rate(96)));
        spec.workload.concurrency = 20; // all fit
        QVERIFY(near(figures(spec, {.kind = ServingRunKind::finite}).outputTokensPerS, rate(20)));
        spec.workload.concurrency = 33; // one is left
        QVERIFY(figures(spec, {.kind = ServingRunKind::finite}).outputTokensPerS < 0.8 * rate(33));
    }

    /// Prompts of a batch in one step, then their answers.
    void oneBatch() {
        ScenarioSpec spec = smallServing();
        const ServingRun run{.kind = ServingRunKind::together};
        const ServingRuns both = made(spec, run);
        QCOMPARE(both.scenarios().size(), std::size_t{2});
        const PlanSpec& prompts = both.scenarios()[0].spec.plan;
        QCOMPARE(*prompts.chunkTokens, std::int64_t{16000});
        QCOMPARE(*both.scenarios()[0].spec.workload.phase, std::string("prefill"));
        QCOMPARE(*both.scenarios()[0].spec.workload.outputTokens, 1.0);
        QCOMPARE(*both.scenarios()[1].spec.workload.phase, std::string("decode"));
        ServingFigures found = figures(spec, run);
        // 16 answers in step: first token, then 199 gaps.
        QVERIFY(near(found.e2e, found.ttft + 199 * found.tpot) && near(found.itl, found.tpot));
        QVERIFY(near(found.outputTokensPerS, 16 * 200 / found.e2e) &&
                near(found.inputTokensPerS, 16000 / found.e2e));
        QVERIFY(near(found.prefill, found.ttft));
        // Twice 8e9 FLOP a token of 16,000 on 1e15 FLOP/s: a quarter of a second, and more.
        QVERIFY(found.ttft > 0.25 && found.ttft < 0.6);
        spec.workload.phase = "prefill";
        found = figures(spec, run);
        QVERIFY(found.ttft > 0.25 && found.tpot == 0 && found.itl == 0);
        QCOMPARE(made(spec, run).scenarios().size(), std::size_t{1});
        spec.workload.phase = "decode";
        found = figures(spec, run);
        QVERIFY(found.ttft == 0 && found.prefill == 0 && found.tpot > 0.005);
        QVERIFY(near(found.e2e, 199 * found.tpot));
        spec.workload.phase.reset();
        spec.workload.outputTokens = 1; // no answers
        QCOMPARE(made(spec, run).scenarios().size(), std::size_t{1});
        // A single stream: the prompt's own time.
        spec.workload.concurrency = 1;
        spec.workload.outputTokens = 200;
        found = figures(spec, run);
        QVERIFY(found.prefill <= found.ttft && found.ttft < 0.1);
        // Two replicas share the batch.
        spec.workload.concurrency = 15;
        spec.plan.dataParallel = 2;
        spec.cluster.custom.gpusPerNode = spec.cluster.custom.nvlinkDomain = 2;
        QCOMPARE(*made(spec, run).scenarios()[0].spec.plan.chunkTokens, std::int64_t{7500});
    }

    void whatDoesNotRun() {
        ScenarioSpec spec = smallServing();
        spec.workload.model = "unheard of";
        QVERIFY(runs(spec, {}).error().starts_with("/workload/model"));
        spec = smallServing();
        spec.plan.tensorParallel = 3;
        QVERIFY(!runs(spec, {}));
        QVERIFY(!runs(spec, {}).error().starts_with("/"));
        spec = smallServing();
        spec.workload.inputTokens = 1e6; // more than the cache holds
        const auto made = runs(spec, {});
        QVERIFY(!made || !made->figures(made->inputs(), *scratch_));
    }
};

QTEST_APPLESS_MAIN(TestServingRuns)

} // namespace tst_serving_runs

#include "tst_serving_runs.moc"
