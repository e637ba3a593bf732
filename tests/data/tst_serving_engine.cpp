// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: alone
#include "data/scenario/scenario_json.h"
#include "model/estimate/evaluate_serving.h"
#include "model/serving/pool_model.h"
#include "tests/allocations.h"
#include "tests/data/serving_fixture.h"

using namespace alidade;
using namespace alidade::test;

namespace {

/// DeepSeek-R1 with prefill and decode apart in one UltraServer.
ScenarioSpec apart() {
    ScenarioSpec s = chat();
    s.workload.model = "deepseek-r1";
    s.workload.requestRatePerS = 10;
    s.cluster.instance.reset();
    s.cluster.ultraserver = "u-p6e-gb200x72";
    s.plan = {};
    s.plan.engine = "sglang";
    auto& pools = s.plan.disaggregated;
    pools.prefill.workers = 4;
    pools.prefill.attentionDataParallel = 8;
    pools.decode.workers = 1;
    pools.decode.attentionDataParallel = 32;
    return s;
}

ScenarioSpec sample(const std::string& id) {
    const auto text = data::shippedScenario(id);
    const auto spec = text ? data::readScenario(*text, id) : Result<ScenarioSpec>(Error{text.error()});
    if (!spec)
        qFatal("%s", spec.error().c_str());
    return *spec;
}

/// The shipped scenarios of serving.
std::vector<ScenarioSpec> samples() {
    std::vector<ScenarioSpec> out;
    for (const data::ShippedScenario& each : data::shippedScenarios())
        if (ScenarioSpec spec = sample(each.id); spec.workload.kind == WorkloadKind::serving)
            out.push_back(std::move(spec));
    return out;
}

std::vector<ScenarioSpec> manyPlans() {
    std::vector<ScenarioSpec> out = samples();
    out.push_back(chat());
    out.push_back(apart());
    return out;
}

} // namespace

/// Serving from a scenario to its answer, on the shipped catalog.
class TestServingEngine : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        catalog_ = shippedCatalog();
        QVERIFY(catalog_);
    }

    void whatMakesNoSenseIsNamed_data() {
        QTest::addColumn<int>("wrong");
        QTest::addColumn<QString>("place");
        QTest::newRow("no prompt") << 0 << "/workload/input_tokens";
        QTest::newRow("no load") << 1 << "/workload/request_rate_per_s";
        QTest::newRow("two loads") << 2 << "/workload/concurrency";
        QTest::newRow("unknown engine") << 3 << "/plan/engine";
    }
    void whatMakesNoSenseIsNamed() {
        QFETCH(int, wrong);
        QFETCH(QString, place);
        ScenarioSpec s = chat();
        if (wrong == 0)
            s.workload.inputTokens.reset();
        else if (wrong == 1)
            s.workload.requestRatePerS.reset();
        else if (wrong == 2)
            s.workload.concurrency = 8;
        else
            s.plan.engine = "vlm";
        const auto e = estimate(s, *catalog_, catalog_->defaultProfile);
        QVERIFY(!e);
        QVERIFY2(e.error().starts_with(place.toStdString() + ":"), e.error().c_str());
    }

    void partsSumToTheirWholes() {
        for (const ScenarioSpec& spec : manyPlans()) {
            const Estimate e = run(spec);
            QVERIFY(e.runs && e.fits && e.serving && e.cost && e.memory);
            const Serving& s = *e.serving;
            const auto sumOf = [](const std::vector<ShareT<double>>& shares) {
                double sum = 0;
                for (const auto& share : shares)
                    sum += share.seconds;
                return sum;
            };
            QVERIFY(close(sumOf(s.breakdown), s.stepTime));
            QVERIFY(close(sumOf(s.prefillBreakdown), s.prefillStepTime));
            double memory = 0;
            for (const auto& part : e.memory->parts)
                memory += part.bytes;
            QVERIFY(close(memory, e.memory->totalBytes));
            double rent = 0;
            for (const Pool& pool : s.pools)
                rent += *pool.dollarsPerHour;
            QVERIFY(close(rent, e.cost->dollarsPerHour));
            // Input and output tokens together pay the rent.
            const double paid = (*e.cost->dollarsPerMillionInputTokens * s.inputTokensPerSecond +
                                 *e.cost->dollarsPerMillionOutputTokens * s.outputTokensPerSecond) *
                                3600 / 1e6;
            QVERIFY(close(paid, e.cost->dollarsPerHour));
            // An answer is its first token and the gaps after it. Played, the number of gaps is that of the
            // drawn answers, and the mean of a request's own gaps (TPOT) gives short answers as much weight
            // as long.
            const auto& question = s.testTime; // its samples may be cut at a budget
            const double gaps =
                (question ? question->tokensPerQuestion / static_cast<double>(question->samples)
                          : *spec.workload.outputTokens) -
                1;
            QVERIFY(close(s.e2e, s.ttft + s.itl * gaps, s.simulated ? 0.02 : 1e-9));
            QVERIFY(close(s.itl, s.tpot, s.simulated ? 0.05 : 1e-9));
        }
    }

    void theSamplesFitAndMeetTheirTargets() {
        QVERIFY(samples().size() >= 6);
        for (const ScenarioSpec& spec : samples()) {
            const Estimate e = run(spec);
            QVERIFY2(e.runs && e.fits && e.serving, spec.name->c_str());
            QVERIFY2(e.serving->meetsTargets == true, spec.name->c_str());
            QVERIFY2(e.serving->utilization < 0.85, spec.name->c_str()); // room for a busy hour
            for (const Problem& problem : e.problems)
                QVERIFY2(problem.severity == Severity::info, problem.message.c_str());
        }
    }

    /// The same requests and targets on the two machines: what the second sample is there to show.
    void oneUltraServerServesForLessThanItsCounterpart() {
        const ScenarioSpec one = sample("serve-deepseek-r1-1xu-p6e-gb200x72"),
                           other = sample("serve-deepseek-r1-24xp5en.48xlarge");
        QCOMPARE(one.workload.requestRatePerS, other.workload.requestRatePerS);
        QCOMPARE(one.workload.itlSloS, other.workload.itlSloS);
        QVERIFY(*run(one).cost->dollarsPerMillionOutputTokens <
                *run(other).cost->dollarsPerMillionOutputTokens);
    }

    void moreLoadNeverLowersLatency() {
        double ttft = 0, itl = 0;
        for (double rate = 0.5; rate < 12; rate += 0.5) {
            ScenarioSpec s = chat();
            s.workload.requestRatePerS = rate;
            const Estimate e = run(s, {.simulate = false});
            QVERIFY(e.serving);
            QVERIFY2(e.serving->ttft >= ttft * (1 - 1e-9), qPrintable(QString::number(rate)));
            QVERIFY2(e.serving->itl >= itl * (1 - 1e-9), qPrintable(QString::number(rate)));
            ttft = e.serving->ttft;
            itl = e.serving->itl;
        }
    }

    /// Two pools in a closed loop hold just the users that there are; what they cannot take waits in front.
    void poolsHoldTheirUsers() {
        for (const double users : {2.0, 40.0, 400.0, 20000.0}) {
            ScenarioSpec s = apart();
            s.workload.requestRatePerS.reset();
            s.workload.concurrency = users;
            const Estimate e = run(s);
            QVERIFY(e.serving && std::isfinite(e.serving->ttft) && e.serving->itl > 0);
            QVERIFY2(close(e.serving->concurrency, users, 0.02),
                     qPrintable(QString::number(e.serving->concurrency)));
            QVERIFY(e.serving->requestsPerSecond <= e.serving->maxRequestRate);
        }
    }

    void whatDoesNotFitIsNotPriced() {
        ScenarioSpec s = chat();
        s.plan.tensorParallel = 1;
        s.plan.weights = "bf16";
        const Estimate e = run(s);
        QVERIFY(e.runs && !e.fits && !e.serving && !e.cost && !e.headline && e.memory);
        QVERIFY(e.memory->headroomBytes < 0);
        QVERIFY(has(e, "/plan", "Does not fit"));
    }

    void illegalPlansNameTheField() {
        ScenarioSpec s = chat();
        s.plan.tensorParallel = 3;
        QVERIFY(has(run(s), "/plan/tensor_parallel", "does not divide"));
        s = chat();
        s.plan.expertParallel = 4;
        QVERIFY(has(run(s), "/plan/expert_parallel", "has no experts"));
        s = chat();
        s.workload.model = "qwen3-235b-a22b";
        s.plan.weights = "fp8_block";
        s.plan.tensorParallel = 8;
        QVERIFY(has(run(s), "/plan/expert_parallel", "not a multiple of 128"));
        s.plan.expertParallel = 8;
        QVERIFY(!has(run(s), "/plan/expert_parallel", ""));
        // Engines that widen weights on the way run what others need units for.
        s = chat();
        s.cluster.instance = "p4de.24xlarge";
        s.plan.tensorParallel = 8;
        s.plan.weights = "fp8";
        QVERIFY(!has(run(s), "/plan/weights", ""));
        s.plan.engine = "tensorrt-llm";
        QVERIFY(has(run(s), "/plan/weights", "only on GPUs that multiply in that format"));
        QVERIFY(!run(s).runs);
        s.plan.weights = "int4";
        QVERIFY(!has(run(s), "/plan/weights", ""));
        s.plan.weights = "nvfp4";
        s.cluster.instance = "p5.48xlarge";
        QVERIFY(has(run(s), "/plan/weights", "only on GPUs that"));
        s.cluster.instance = "p6-b200.48xlarge";
        QVERIFY(!has(run(s), "/plan/weights", ""));
        s = apart();
        s.plan.disaggregated.decode.attentionDataParallel = 64;
        QVERIFY(has(run(s), "/plan/disaggregated/decode", "GPUs"));
    }

    /// The same GPUs with a small NVLink domain exchange over the network: slower decoding.
    void theDomainOfAnUltraServerShows() {
        const auto decodeStep = [](std::int64_t domain) {
            ScenarioSpec s = apart();
            s.cluster.ultraserver.reset();
            s.cluster.custom.gpu = "gb200";
            s.cluster.custom.gpusPerNode = 4;
            s.cluster.custom.nvlinkDomain = domain;
            s.cluster.custom.network = "efa3";
            s.cluster.custom.networkBytesPerSPerGpuPerDirection = 50e9;
            s.cluster.instances = 18;
            s.plan.disaggregated.transfer = "efa";
            return run(s).serving->stepTime;
        };
        QVERIFY(decodeStep(72) < 0.8 * decodeStep(4));
    }

    void acceptedDraftsShortenTheTimePerToken() {
        ScenarioSpec s = chat();
        const double plain = run(s).serving->tpot;
        s.plan.speculative.draftTokens = 3;
        s.plan.speculative.acceptance = 0.8;
        const double guessed = run(s).serving->tpot;
        s.plan.speculative.acceptance = 0.05;
        QVERIFY(guessed < plain);
        QVERIFY(run(s).serving->tpot > plain); // the longer step is not paid back
    }

    void hostMemoryHoldsMoreAndCostsTime() {
        ScenarioSpec s = chat();
        s.cluster.instance.reset();
        s.cluster.ultraserver = "u-p6e-gb200x72";
        s.cluster.gpus = 4;
        s.workload.requestRatePerS.reset();
        s.workload.concurrency = 4000;
        s.workload.inputTokens = 1000;
        s.workload.outputTokens = 8000;
        s.plan.maxBatch = 8000;
        const Estimate without = run(s, {.simulate = false});
        s.plan.kvOffloadBytes = 200e9;
        const Estimate with = run(s, {.simulate = false});
        QVERIFY(with.serving->maxConcurrency > 1.5 * without.serving->maxConcurrency);
        QVERIFY(with.serving->batch > without.serving->batch);
        QVERIFY(with.serving->itl > without.serving->itl);
    }

    /// Nine tenths of all memory, of it for weights and cache alone, or of what weights leave.
    void enginesMeanDifferentSharesOfTheMemory() {
        const auto held = [](const char* engine) {
            ScenarioSpec s = chat();
            s.plan.engine = engine;
            s.plan.memoryUtilization = 0.9;
            s.plan.chunkTokens = 8192;
            s.plan.kvBlock = 16;
            s.plan.kvCache = "bf16";
            s.plan.maxBatch = 100000;
            return run(s).serving->pools.front().kvTokens; // whatever a request reserves of them
        };
        QVERIFY(held("vllm") < held("tensorrt-llm"));
        QVERIFY(held("tensorrt-llm") < held("sglang"));
    }

    /// An engine takes its share of what it finds on the device: more than the label says, never more than
    /// it.
    void anEngineTakesItsShareOfTheDevice() {
        const auto memory = [](double utilization) {
            ScenarioSpec s = chat();
            s.plan.memoryUtilization = utilization;
            return *run(s).memory;
        };
        const Memory most = memory(0.92);
        const double reported = 144384.0 * 1024 * 1024; // p5en.48xlarge, as EC2 says
        QVERIFY(close(most.capacityBytes, 141e9));
        QVERIFY(close(most.capacityBytes - most.reserveBytes, 0.92 * 0.99 * reported, 1e-6));
        QVERIFY(close(memory(0.98).reserveBytes + 1, 1));
    }

    void smallGpusTakeSmallerSteps() {
        const auto filled = [](const char* instance) {
            ScenarioSpec s = chat();
            s.workload.model = "llama-3.1-8b";
            s.cluster.instance = instance;
            s.plan.tensorParallel = 1;
            s.plan.weights = "bf16";
            return run(s).scenario.plan;
        };
        for (const char* small : {"p4de.24xlarge", "g6e.12xlarge"}) {
            QCOMPARE(filled(small).chunkTokens.value(), 2048);
            QCOMPARE(filled(small).maxBatch.value(), 256);
        }
        QCOMPARE(filled("p5.48xlarge").chunkTokens.value(), 8192);
        QCOMPARE(filled("p5.48xlarge").maxBatch.value(), 1024);
    }

    /// A lone request does not wait for other steps: the engine's time of a request, and its prefill.
    void aloneThereAreNoStepsToWaitFor() {
        ScenarioSpec s = chat();
        s.workload.requestRatePerS.reset();
        s.workload.concurrency = 1;
        s.cluster.gpus = 4;
        const Serving alone = *run(s).serving;
        const double overhead = alone.ttft - alone.prefillTime;
        QVERIFY(overhead > 0.01 && overhead < 0.03);
        s.workload.concurrency = 2;
        const Serving two = *run(s).serving;
        QVERIFY(two.ttft - two.prefillTime > overhead + two.itl);
    }

    /// Launched by Python, kernel by kernel, a short prompt takes what the host takes; a compiled engine does
    /// not let it be seen.
    void theHostSetsThePaceOfShortPrompts() {
        const auto prefill = [](const char* engine, double tokens) {
            ScenarioSpec s = chat();
            s.plan.engine = engine;
            s.workload.inputTokens = tokens;
            s.workload.requestRatePerS = 0.1;
            return run(s).serving->prefillTime;
        };
        QVERIFY(prefill("sglang-0.5.9", 100) > 2 * prefill("vllm", 100));
        QVERIFY(close(prefill("sglang-0.5.9", 100), prefill("sglang-0.5.9", 200), 0.05));
        QVERIFY(close(prefill("sglang-0.5.9", 8000), prefill("vllm", 8000), 0.1));
        // Since 0.5.10 prefill replays piecewise CUDA graphs.
        QVERIFY(close(prefill("sglang", 100), prefill("vllm", 100), 0.2));
    }

    /// The picture of the distribution and the figures alongside it are of the same times.
    void thePlayedTimesAreThoseOfTheAnswer() {
        std::vector<ScenarioSpec> specs = samples();
        for (const double rate : {8, 12, 14, 16}) {
            specs.push_back(sample("serve-llama-3.1-70b-1xp5en.48xlarge"));
            specs.back().workload.requestRatePerS = rate;
        }
        for (const ScenarioSpec& spec : specs) {
            EstimateOptions options;
            options.distribution = true;
            const Estimate e = *estimate(spec, *catalog_, catalog_->defaultProfile, options);
            if (!e.serving->distribution)
                continue; // two pools are not played
            const std::vector<double>& ttft = e.serving->distribution->ttft;
            const auto at = [&](double share) {
                return ttft[static_cast<std::size_t>(share * static_cast<double>(ttft.size()))];
            };
            QVERIFY2(close(at(0.5), e.serving->ttftPercentiles.p50, 0.1), spec.name->c_str());
            QVERIFY2(close(at(0.9), e.serving->ttftPercentiles.p90, 0.1), spec.name->c_str());
        }
    }

    /// A load that meets the targets is within their limit and one that misses beyond it, whichever form it
    /// is shown by.
    void aLoadThatMeetsTheTargetsIsWithinThem() {
        ScenarioSpec s = sample("serve-llama-3.1-70b-rag-1xp6-b200.48xlarge");
        int met = 0, missed = 0;
        for (const double rate : {0.9, 1.0, 1.03, 1.05, 1.08}) {
            s.workload.requestRatePerS = rate;
            const Serving serving = *run(s).serving;
            const double limit = *serving.requestRateWithinTargets;
            QVERIFY2(*serving.meetsTargets ? limit >= rate : limit < rate, qPrintable(QString::number(rate)));
            ++(*serving.meetsTargets ? met : missed);
        }
        QVERIFY(met > 1 && missed > 0);
    }

    void aPrefixThatIsCachedShortensPrefillOnly() {
        ScenarioSpec s = chat();
        s.workload.inputTokens = 30000;
        s.workload.requestRatePerS = 0.5;
        const Estimate cold = run(s);
        s.workload.prefixCacheHit = 0.8;
        const Estimate warm = run(s);
        QVERIFY(warm.serving->prefillTime < 0.5 * cold.serving->prefillTime);
        QVERIFY(warm.serving->maxConcurrency == cold.serving->maxConcurrency);
    }

    /// A filled-in scenario is a scenario again, with the same answer.
    void theAnswerOfTheFilledInScenarioIsTheSame() {
        for (const ScenarioSpec& spec : manyPlans()) {
            const Estimate once = run(spec, {.simulate = false}),
                           again = run(once.scenario, {.simulate = false});
            QVERIFY(close(once.serving->ttft, again.serving->ttft));
            QVERIFY(close(once.serving->itl, again.serving->itl));
            QVERIFY(close(once.cost->dollarsPerHour, again.cost->dollarsPerHour));
        }
    }

    void nearTheLimitTheSimulationIsShown() {
        ScenarioSpec s = chat();
        s.workload.requestRatePerS = 0.95 * run(s).serving->maxRequestRate;
        const Estimate shown = run(s), closed = run(s, {.simulate = false});
        QVERIFY(shown.serving->simulated && !closed.serving->simulated);
        QVERIFY(shown.serving->ttft != closed.serving->ttft);
        QVERIFY(close(run(s).serving->ttft, shown.serving->ttft)); // the same each time
    }

    void theCurveGoesThroughTheScenario() {
        ScenarioSpec s = chat();
        s.workload.ttftSloS = 0.3;
        const Estimate e = run(s, {.loadCurve = true});
        const auto& curve = e.serving->loadCurve;
        QVERIFY(curve.size() > 20);
        for (std::size_t i = 1; i < curve.size(); ++i) {
            QVERIFY(curve[i].requestsPerSecond > curve[i - 1].requestsPerSecond);
            if (curve[i - 1].requestsPerSecond < 4 && curve[i].requestsPerSecond >= 4)
                QVERIFY(curve[i - 1].ttft <= e.serving->ttft && e.serving->ttft <= curve[i].ttft);
        }
        // What meets the targets ends where the search says.
        for (const LoadPoint& point : curve)
            QCOMPARE(point.meetsTargets, point.requestsPerSecond <= *e.serving->requestRateWithinTargets);
    }

    void evaluationAllocatesNothing() {
        for (const ScenarioSpec& spec : manyPlans()) {
            const auto scenario = resolve(spec, *catalog_, catalog_->defaultProfile);
            QVERIFY(scenario && scenario->runs());
            std::vector<Inputs> inputs;
            for (const ServingPool& pool : scenario->pools)
                inputs.push_back(pool.inputs);
            const auto totals = std::make_unique<ServingTotals>();
            const std::size_t before = allocations;
            evaluateServing<double>(*scenario, inputs, *totals);
            QCOMPARE(allocations - before, std::size_t{0});
            QVERIFY(totals->stable && totals->ttft > 0);
        }
    }

private:
    std::shared_ptr<const Catalog> catalog_;
};

QTEST_GUILESS_MAIN(TestServingEngine)
#include "tst_serving_engine.moc"
