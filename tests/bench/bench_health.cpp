// SPDX-License-Identifier: GPL-3.0-or-later
// How long it takes to judge a thousand nodes over a day in steps of 30 s: CPU and wall time of judgeHealth.
#include "model/observation/health_policy.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

using namespace alidade;

namespace {

Observation day(int nodes, int gpus, std::size_t points) {
    Observation out;
    out.grid = {1767225600, 30, points};
    std::mt19937_64 random(1);
    std::uniform_real_distribution<float> noise(-0.01F, 0.01F);
    std::vector<Entity> gpuRows, nodeRows;
    for (int node = 0; node < nodes; ++node) {
        char name[16];
        std::snprintf(name, sizeof name, "gpu-%05d", node);
        out.hosts.emplace_back(name);
        nodeRows.push_back({name, -1, {}});
        for (int gpu = 0; gpu < gpus; ++gpu)
            gpuRows.push_back({name, gpu, {}});
    }
    const auto add = [&](Signal signal, const std::vector<Entity>& rows, double value, double spread) {
        SignalTable table;
        table.signal = signal;
        table.rows = rows;
        table.values.resize(rows.size() * points);
        for (double& each : table.values)
            each = value * (1 + spread * static_cast<double>(noise(random)));
        // One slow GPU for an hour.
        if (signal == Signal::smClock) {
            const std::size_t slowRow = std::min<std::size_t>(77, rows.size() - 1);
            for (std::size_t i = 300; i < 420 && i < points; ++i)
                table.values[slowRow * points + i] *= 0.7;
        }
        out.tables.push_back(std::move(table));
    };
    add(Signal::smClock, gpuRows, 1755e6, 1);
    add(Signal::gpuTemperature, gpuRows, 61, 1);
    add(Signal::tensorActive, gpuRows, 0.45, 1);
    add(Signal::xid, gpuRows, 0, 0);
    add(Signal::thermalViolation, gpuRows, 0, 0);
    add(Signal::efaTransmit, nodeRows, 45e9, 1);
    add(Signal::nodeComputeTime, nodeRows, 4.4, 1);
    add(Signal::bootTime, nodeRows, 1767000000, 0);
    const std::vector<Entity> job{{{}, -1, {}}};
    add(Signal::stepTime, job, 6.1, 1);
    add(Signal::stepsPerSecond, job, 1 / 6.1, 1);
    return out;
}

} // namespace

int main(int argc, char** argv) {
    const int nodes = argc > 1 ? std::atoi(argv[1]) : 1000;
    constexpr int mostNodes = 20'000; // 60 GB of samples
    if (argc > 2 || nodes < 1 || nodes > mostNodes) {
        std::fprintf(stderr, "usage: bench_health [NODES]; NODES from 1 to %d, 1000 where it is left out\n",
                     mostNodes);
        return 2;
    }
    const Observation observation = day(nodes, 8, 2880);
    for (int run = 0; run < 3; ++run) {
        const auto wall = std::chrono::steady_clock::now();
        const std::clock_t cpu = std::clock();
        const std::vector<Finding> findings = judgeHealth(observation, {});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
        std::printf("%d nodes, 24 h at 30 s: %zu findings in %.2f s, CPU %.2f s\n", nodes, findings.size(),
                    seconds, static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
    }
    return 0;
}
