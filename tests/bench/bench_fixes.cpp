// SPDX-License-Identifier: GPL-3.0-or-later
// The fix of a scenario that does not run or does not fit: what finding it takes, alongside the answer
// without it.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/advice/edits.h"
#include "model/advice/fixes.h"
#include "model/advice/serving_evaluator.h"
#include "model/advice/serving_fixes.h"
#include "model/base/freed_memory.h"
#include "model/scenario/edit.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <optional>

namespace {

using namespace alidade;

const Catalog& catalog() {
    static const std::shared_ptr<const Catalog> shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

void fix(benchmark::State& state, const char* id, const Edit& edit) {
    const auto spec = applyEdit(*data::readScenario(*data::shippedScenario(id), id), edit);
    if (!spec)
        std::abort();
    std::optional<Fix> found;
    for (auto _ : state) {
        if (spec->workload.isServing()) {
            ServingEvaluator evaluator(catalog(), catalog().defaultProfile);
            found = nearestServingFix(*spec, evaluator);
        } else {
            Evaluator evaluator(catalog(), catalog().defaultProfile);
            found = nearestFix(*spec, evaluator);
        }
    }
    state.SetLabel(found ? found->text : "no fix");
}

constexpr const char* dense = "llama-3.1-405b-2048xp5.48xlarge";
constexpr const char* small = "llama-3.1-70b-64xp5.48xlarge";
constexpr const char* experts = "deepseek-v3-256xp5en.48xlarge";
constexpr const char* service = "serve-llama-3.1-70b-1xp5en.48xlarge";
constexpr auto unit = benchmark::kMillisecond;

BENCHMARK_CAPTURE(fix, denseUnfit, dense,
                  Edit{{"plan.tensor_parallel", "1"}, {"plan.pipeline_parallel", "1"}})
    ->Name("does not fit: Llama 3.1 405B without model parallelism")
    ->Unit(unit);
BENCHMARK_CAPTURE(fix, micro, small, Edit{{"plan.micro_batch", "8"}})
    ->Name("does not fit: micro-batch of 8")
    ->Unit(unit);
BENCHMARK_CAPTURE(fix, tensor, dense, Edit{{"plan.tensor_parallel", "24"}})
    ->Name("illegal: tensor degree of 24")
    ->Unit(unit);
BENCHMARK_CAPTURE(fix, batch, dense, Edit{{"workload.global_batch", "2047"}})
    ->Name("illegal: batch of 2,047")
    ->Unit(unit);
BENCHMARK_CAPTURE(fix, expertsUnfit, experts, Edit{{"plan.pipeline_parallel", "1"}})
    ->Name("does not fit: DeepSeek-V3 without a pipeline")
    ->Unit(unit);
BENCHMARK_CAPTURE(fix, expertsIllegal, experts, Edit{{"plan.expert_parallel", "7"}})
    ->Name("illegal: expert degree of 7")
    ->Unit(unit);
BENCHMARK_CAPTURE(fix, fewMachines, experts, Edit{{"cluster.instances", "4"}})
    ->Name("too few machines for DeepSeek-V3")
    ->Unit(unit);
BENCHMARK_CAPTURE(fix, serviceUnfit, service, Edit{{"plan.tensor_parallel", "1"}, {"plan.weights", "bf16"}})
    ->Name("does not fit: a service on one GPU")
    ->Unit(unit);
BENCHMARK_CAPTURE(fix, serviceIllegal, service, Edit{{"plan.tensor_parallel", "3"}})
    ->Name("illegal: a service with tensor degree of 3")
    ->Unit(unit);

} // namespace

int main(int argc, char** argv) {
    alidade::keepFreedMemory(); // as the program does
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
}
