// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/estimate/evaluate_serving.h"
#include "model/serving/pool_model.h"
#include "tests/allocations.h"

#include <benchmark/benchmark.h>

namespace {

using namespace alidade;

const Catalog& catalog() {
    static const std::shared_ptr<const Catalog> shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

/// A serving plan, written here so that the figures stay comparable when a sample changes.
ScenarioSpec plan(const char* model, const char* instance, int tensor, double rate, double concurrency) {
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::serving;
    out.workload.model = model;
    out.workload.inputTokens = 2000;
    out.workload.outputTokens = 300;
    (rate > 0 ? out.workload.requestRatePerS : out.workload.concurrency) = rate > 0 ? rate : concurrency;
    out.cluster.instance = instance;
    out.plan.engine = "vllm";
    out.plan.tensorParallel = tensor;
    out.plan.weights = "fp8";
    return out;
}

template <class Body>
void measure(benchmark::State& state, Body body) {
    body();
    const std::size_t before = allocations;
    for (auto _ : state)
        body();
    state.counters["allocations"] =
        benchmark::Counter(static_cast<double>(allocations - before), benchmark::Counter::kAvgIterations);
}

void evaluation(benchmark::State& state, const ScenarioSpec& spec, ServingDetail detail) {
    const auto scenario = resolve(spec, catalog(), catalog().defaultProfile);
    const std::vector<Inputs> inputs{scenario->pools.front().inputs};
    auto totals = std::make_unique<ServingTotals>();
    measure(state, [&] {
        evaluateServing<double>(*scenario, inputs, *totals, nullptr, detail);
        benchmark::DoNotOptimize(totals->ttft);
    });
}
void evaluations(const char* name, const ScenarioSpec& spec) {
    using enum ServingDetail;
    const std::string what = std::string("evaluate ") + name;
    for (const auto& [text, detail] : {std::pair(what, means), {what + ", percentiles", percentiles}}) {
        benchmark::RegisterBenchmark(text.c_str(), [spec, detail = detail](benchmark::State& state) {
            evaluation(state, spec, detail);
        });
    }
}
const bool registered = [] {
    evaluations("70B, open loop", plan("llama-3.1-70b", "p5en.48xlarge", 4, 4, 0));
    evaluations("70B, closed loop", plan("llama-3.1-70b", "p5en.48xlarge", 4, 0, 64));
    evaluations("gpt-oss-120b, open loop", plan("gpt-oss-120b", "p5.48xlarge", 2, 8, 0));
    evaluations("gpt-oss-120b, closed loop", plan("gpt-oss-120b", "p5.48xlarge", 2, 0, 128));
    return true;
}();

void oneStep(benchmark::State& state) {
    const auto scenario =
        resolve(plan("llama-3.1-70b", "p5en.48xlarge", 4, 4, 0), catalog(), catalog().defaultProfile);
    const ServingPool& pool = scenario->pools.front();
    auto scratch = std::make_unique<ServingStepCost<double>>();
    const EngineStep step(pool.plan, pool.inputs, pool.networkBound, *scratch);
    measure(state, [&] {
        benchmark::DoNotOptimize(
            step({.prefillTokens = 512, .prompts = 1, .decodeSequences = 64, .decodeContext = 2000}));
    });
}
BENCHMARK(oneStep)->Name("one engine step");

void wholeEstimate(benchmark::State& state, const ScenarioSpec& spec, EstimateOptions options) {
    measure(state,
            [&] { benchmark::DoNotOptimize(estimate(spec, catalog(), catalog().defaultProfile, options)); });
}
BENCHMARK_CAPTURE(wholeEstimate, plain, plan("llama-3.1-70b", "p5en.48xlarge", 4, 4, 0), {})
    ->Name("estimate 70B");
BENCHMARK_CAPTURE(wholeEstimate, curve, plan("llama-3.1-70b", "p5en.48xlarge", 4, 4, 0), {.loadCurve = true})
    ->Name("estimate 70B with load curve")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(wholeEstimate, played, plan("llama-3.1-70b", "p5en.48xlarge", 4, 4, 0),
                  {.distribution = true})
    ->Name("estimate 70B with simulation")
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
