// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/estimate/cluster_map.h"
#include "tests/data/sample_topology.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

namespace {

using namespace alidade;

constexpr int manyHosts = 10'240; ///< 81,920 GPUs

const Catalog& catalog() {
    static const Catalog whole = [] {
        Catalog out = *data::loadShippedCatalog().catalog;
        for (const char* type : {"p5.48xlarge", "p5en.48xlarge"}) {
            out.topologies.push_back(sampleTopology(
                {.name = type, .instanceType = type, .hosts = manyHosts, .leavesPerNode = 16}));
        }
        return out;
    }();
    return whole;
}

/// A sample grown to so many hosts, on an imported topology of them.
ScenarioSpec grown(const char* id, int hosts, bool imported) {
    ScenarioSpec spec = *data::readScenario(*data::shippedScenario(id), id);
    spec.cluster.instances = hosts;
    spec.plan.dataParallel.reset();
    spec.workload.globalBatch = 16LL * hosts;
    if (imported)
        spec.cluster.topology = spec.cluster.instance;
    return spec;
}

ScenarioSpec dense(bool imported) { return grown("llama-3.1-405b-2048xp5.48xlarge", manyHosts, imported); }
ScenarioSpec experts() { return grown("deepseek-v3-256xp5en.48xlarge", manyHosts, true); }

ScenarioSpec shuffled() {
    ScenarioSpec spec = dense(true);
    spec.cluster.placement.emplace();
    for (int host = 0; host < manyHosts; ++host)
        spec.cluster.placement->push_back("i-" + std::to_string(host));
    std::shuffle(spec.cluster.placement->begin(), spec.cluster.placement->end(), std::mt19937(1));
    return spec;
}

ScenarioSpec crowded() {
    ScenarioSpec spec = shuffled();
    spec.cluster.oversubscription = 4;
    return spec;
}

void resolving(benchmark::State& state, const ScenarioSpec& spec) {
    for (auto _ : state)
        benchmark::DoNotOptimize(resolve(spec, catalog(), catalog().defaultProfile));
}
BENCHMARK_CAPTURE(resolving, own, dense(false))
    ->Name("resolve 10,240 hosts, machine's own fabric")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(resolving, imported, dense(true))
    ->Name("resolve 10,240 hosts, imported")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(resolving, experts, experts())
    ->Name("resolve 10,240 hosts, imported, experts")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(resolving, shuffled, shuffled())
    ->Name("resolve 10,240 hosts, shuffled host list")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(resolving, crowded, crowded())
    ->Name("resolve 10,240 hosts, shuffled, oversubscribed")
    ->Unit(benchmark::kMillisecond);

void mapping(benchmark::State& state) {
    const auto scenario =
        resolve(grown("llama-3.1-405b-2048xp5.48xlarge", 12'544, false), catalog(), catalog().defaultProfile);
    for (auto _ : state)
        benchmark::DoNotOptimize(clusterMap(*scenario, catalog()));
}
BENCHMARK(mapping)->Name("cluster map, 100,352 GPUs")->Unit(benchmark::kMillisecond);

void loading(benchmark::State& state, const char* id) {
    const ScenarioSpec spec = grown(id, 12'544, false);
    const auto scenario = resolve(spec, catalog(), catalog().defaultProfile);
    const auto answer = estimate(spec, catalog(), catalog().defaultProfile, EstimateOptions{.fixes = false});
    if (!answer || !answer->training) {
        state.SkipWithError("the plan does not run");
        return;
    }
    const ClusterMap map = clusterMap(*scenario, catalog());
    for (auto _ : state)
        benchmark::DoNotOptimize(linkTraffic(map, *answer, *scenario));
}
BENCHMARK_CAPTURE(loading, dense, "llama-3.1-405b-2048xp5.48xlarge")
    ->Name("traffic, 100,352 GPUs")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(loading, experts, "deepseek-v3-256xp5en.48xlarge")
    ->Name("traffic, 100,352 GPUs, experts")
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
