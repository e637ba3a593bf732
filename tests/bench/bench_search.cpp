// SPDX-License-Identifier: GPL-3.0-or-later
// Plans per second of a search, alongside one estimate's evaluation after the other.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/explore/outcomes.h"
#include "model/search/search.h"

#include <benchmark/benchmark.h>

namespace {

using namespace alidade;

const Catalog& catalog() {
    static const std::shared_ptr<const Catalog> shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

/// \param sizes numbers of machines, "8,16"; empty: those of the scenario
SearchQuestion questionOf(const char* id, const char* sizes = "") {
    SearchQuestion out;
    out.base = *data::readScenario(*data::shippedScenario(id), id);
    if (*sizes != '\0') {
        out.free = usualFreeFields(out.base, catalog());
        out.free.push_back(*freeField(out.base, catalog(), "cluster.instances", sizes));
    }
    completeQuestion(out, catalog(), catalog().defaultProfile);
    return out;
}

/// The usual space of a scenario. plans_per_second counts the plans whose totals were computed: memory of
/// all, time and cost of those that fit, which timed counts. tried counts also the illegal ones.
void searching(benchmark::State& state, const char* id, const char* sizes = "") {
    const SearchQuestion question = questionOf(id, sizes);
    SearchCounts counts;
    for (auto _ : state) {
        counts = search(question, catalog(), catalog().defaultProfile,
                        {.threads = static_cast<int>(state.range(0))})
                     .counts;
    }
    const auto rate = [&](std::uint64_t n) {
        return benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
    };
    state.counters["plans_per_second"] = rate(counts.computed());
    state.counters["timed_per_second"] = rate(counts.evaluated + counts.missed);
    state.counters["tried_per_second"] = rate(counts.total());
    state.counters["plans"] = static_cast<double>(counts.total());
}
BENCHMARK_CAPTURE(searching, gpt3, "gpt-3-175b-128xp4d.24xlarge")
    ->Name("search GPT-3 175B on 1,024 GPUs")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searching, gpt3Sizes, "gpt-3-175b-128xp4d.24xlarge", "8,16,24,32,48,64,96,128")
    ->Name("search GPT-3 175B on 64 to 1,024 GPUs")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searching, experts, "deepseek-v3-256xp5en.48xlarge")
    ->Name("search DeepSeek-V3 on 2,048 GPUs")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searching, service, "serve-llama-3.1-70b-1xp5en.48xlarge")
    ->Name("search a service")
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// What a search without what it keeps would take: a plan resolved and evaluated from its spec.
void oneByOne(benchmark::State& state) {
    const SearchQuestion question = questionOf("gpt-3-175b-128xp4d.24xlarge");
    auto totals = std::make_unique<Totals>();
    for (auto _ : state) {
        const auto scenario = resolve(question.start, catalog(), catalog().defaultProfile);
        evaluate(*scenario, scenario->inputs, *totals);
        benchmark::DoNotOptimize(totals->stepTime);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(oneByOne)->Name("resolve and evaluate GPT-3 175B");

/// 10,000 draws from the constants and a price, on one thread.
void drawing(benchmark::State& state, const char* id) {
    const ScenarioSpec spec = *data::readScenario(*data::shippedScenario(id), id);
    const Explorer explorer(spec, catalog(), catalog().defaultProfile, false);
    OutcomeQuestion question;
    question.figures = {findPlanFigure("training.run_time_s"), findPlanFigure("cost.dollars_per_run")};
    question.uncertain = {*uncertainOf("price=triangular($40/h..$50/h..$70/h)", *explorer.scenarioWith({})),
                          *uncertainOf("workload.tokens=normal(10T +- 5%)", *explorer.scenarioWith({}))};
    for (auto _ : state) {
        const auto found = outcomes(explorer, question, {.threads = 1});
        benchmark::DoNotOptimize(found->figures.front().p50);
    }
}
BENCHMARK_CAPTURE(drawing, dense, "llama-3.1-405b-2048xp5.48xlarge")
    ->Name("10,000 draws, Llama 3.1 405B")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(drawing, experts, "deepseek-v3-256xp5en.48xlarge")
    ->Name("10,000 draws, DeepSeek-V3")
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
