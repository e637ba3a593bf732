// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit of a workspace costs with everything on the disk, and what opening and a long history cost.
#include "data/workspace/library.h"
#include "data/workspace/workspace.h"

#include <QTemporaryDir>

#include <benchmark/benchmark.h>

#include <cstdlib>

using namespace alidade;
using namespace alidade::data;

namespace {

ScenarioSpec spec(int number) {
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::training;
    out.workload.model = "llama-3.1-70b";
    out.workload.globalBatch = 64 + number;
    out.cluster.instance = "p5en.48xlarge";
    out.cluster.instances = 8;
    return out;
}

struct Bench {
    QTemporaryDir folder;
    std::string file = folder.filePath(QStringLiteral("w.alidade")).toStdString();
    Workspace::Opening opening = Workspace::open(file);

    void commit(const WorkspaceEdit& edit) {
        if (!apply(opening.content, edit) || opening.workspace->apply(edit))
            std::abort();
    }
    void fill(int scenarios, int edits) {
        WorkspaceContent content = opening.content;
        WorkspaceEdit all;
        const auto add = [&](const WorkspaceEdit& edit) {
            if (!apply(content, edit))
                std::abort();
            all = joined(std::move(all), edit);
        };
        for (int i = 0; i < scenarios; ++i) {
            const WorkspaceEdit added = addScenario(content, 0, spec(i), "Plan", "New", 1000 + i);
            add(added);
            for (int edit = 0; edit < edits; ++edit)
                add(changeScenario(content, addedId(added), spec(edit), "Batch", 2000 + edit));
        }
        commit(all);
    }
};

void commitOfAnEdit(benchmark::State& state) {
    Bench bench;
    bench.fill(static_cast<int>(state.range(0)), 10);
    const WorkspaceId id = bench.opening.content.scenarios.begin()->first;
    int number = 0;
    for (auto each : state) {
        ++number;
        bench.commit(changeScenario(bench.opening.content, id, spec(number), "Batch", 3000 + number));
    }
    state.counters["edits"] = benchmark::Counter(static_cast<double>(number), benchmark::Counter::kIsRate);
}
BENCHMARK(commitOfAnEdit)->Arg(1)->Arg(200)->UseRealTime()->Unit(benchmark::kMillisecond);

void opening(benchmark::State& state) {
    Bench bench;
    bench.fill(static_cast<int>(state.range(0)), 50);
    for (auto each : state) {
        benchmark::DoNotOptimize(
            Workspace::open(bench.file, {.access = WorkspaceOptions::Access::read}).content);
    }
}
BENCHMARK(opening)->Arg(10)->Arg(200)->Unit(benchmark::kMillisecond);

void historyOfAThousand(benchmark::State& state) {
    Bench bench;
    bench.fill(1, 1000);
    const WorkspaceId id = bench.opening.content.scenarios.begin()->first;
    for (auto each : state)
        benchmark::DoNotOptimize(bench.opening.workspace->versions(id).value);
}
BENCHMARK(historyOfAThousand)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
