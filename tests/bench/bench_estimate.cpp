// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/evaluate_reinforcement.h"
#include "tests/allocations.h"

#include <benchmark/benchmark.h>

namespace {

using namespace alidade;

const Catalog& catalog() {
    static const std::shared_ptr<const Catalog> shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

ScenarioSpec shipped(const char* id) { return *data::readScenario(*data::shippedScenario(id), id); }

const ScenarioSpec& sample() {
    static const ScenarioSpec spec = shipped("llama-3.1-405b-2048xp5.48xlarge");
    return spec;
}

/// Latent attention, experts and prediction modules on 2,048 GPUs.
const ScenarioSpec& experts() {
    static const ScenarioSpec spec = shipped("deepseek-v3-256xp5en.48xlarge");
    return spec;
}

/// Runs the body in the benchmark loop and reports its allocations.
template <class Body>
void measure(benchmark::State& state, Body body) {
    body();
    const std::size_t before = allocations;
    for (auto _ : state)
        body();
    state.counters["allocations"] =
        benchmark::Counter(static_cast<double>(allocations - before), benchmark::Counter::kAvgIterations);
}

void evaluation(benchmark::State& state, const ScenarioSpec& spec) {
    const auto scenario = resolve(spec, catalog(), catalog().defaultProfile);
    auto totals = std::make_unique<Totals>();
    measure(state, [&] {
        evaluate(*scenario, scenario->inputs, *totals);
        benchmark::DoNotOptimize(totals->stepTime);
    });
}
BENCHMARK_CAPTURE(evaluation, dense, sample())->Name("evaluate");
BENCHMARK_CAPTURE(evaluation, experts, experts())->Name("evaluate DeepSeek-V3");

/// All phases of a step, the rollout by order statistics.
void reinforcementStep(benchmark::State& state, const char* id) {
    const auto scenario = resolve(shipped(id), catalog(), catalog().defaultProfile);
    const RlInputsT<double> inputs = rlInputs(*scenario);
    auto totals = std::make_unique<RlTotals>();
    measure(state, [&] {
        evaluateReinforcement(*scenario, inputs, *totals);
        benchmark::DoNotOptimize(totals->stepTime);
    });
}
BENCHMARK_CAPTURE(reinforcementStep, colocated, "grpo-qwen3-32b-8xp5en.48xlarge")->Name("evaluate GRPO");
BENCHMARK_CAPTURE(reinforcementStep, ppo, "ppo-llama-3.1-70b-16xp5.48xlarge")->Name("evaluate PPO");

void resolving(benchmark::State& state) {
    measure(state, [] { benchmark::DoNotOptimize(resolve(sample(), catalog(), catalog().defaultProfile)); });
}
BENCHMARK(resolving)->Name("resolve");

void wholeEstimate(benchmark::State& state, const ScenarioSpec& spec) {
    measure(state, [&] { benchmark::DoNotOptimize(estimate(spec, catalog(), catalog().defaultProfile)); });
}
BENCHMARK_CAPTURE(wholeEstimate, dense, sample())->Name("estimate");
BENCHMARK_CAPTURE(wholeEstimate, experts, experts())->Name("estimate DeepSeek-V3");

void suggestions(benchmark::State& state) {
    measure(state, [] { benchmark::DoNotOptimize(suggest(sample(), catalog(), catalog().defaultProfile)); });
}
BENCHMARK(suggestions)->Name("suggest")->Unit(benchmark::kMillisecond);

void explanation(benchmark::State& state) {
    measure(state, [] {
        benchmark::DoNotOptimize(
            explainFigure(sample(), catalog(), catalog().defaultProfile, "training.step_time_s"));
    });
}
BENCHMARK(explanation)->Name("explain")->Unit(benchmark::kMicrosecond);

void catalogLoad(benchmark::State& state) {
    measure(state, [] { benchmark::DoNotOptimize(data::loadShippedCatalog()); });
}
BENCHMARK(catalogLoad)->Name("load catalog")->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
