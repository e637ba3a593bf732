// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/validation_report.h"

#include <array>
#include <cmath>
#include <memory>
#include <string>

namespace alidade::sample {

/// Rows that illustrate: 48 speeds in tokens/s and 16 in seconds, 12 of memory, 10 of collectives, two memory
/// outcomes that differ, one row that is not predicted, 20 of the serving of ten deployments. Errors go from
/// −23 to +23 %, the same every time.
inline ValidationReport validationReport() {
    const auto scenario = std::make_shared<ScenarioSpec>();
    scenario->name = "A published run";
    scenario->workload.model = "llama-3.1-8b";
    scenario->workload.globalBatch = 512;
    scenario->cluster.instance = "p5.48xlarge";
    scenario->cluster.instances = 8;
    scenario->plan.tensorParallel = 4;
    scenario->plan.microBatch = 1;
    constexpr std::array gpus{"h100-sxm", "gb200", "a100-80gb-sxm", "b200-sxm"};
    constexpr std::array models{"Llama 3 8B", "GPT-3 175B", "DeepSeek-V3 671B-A37B"};
    constexpr std::array precisions{"bf16", "fp8", "mxfp8"};
    constexpr std::array sources{"Reducing activation recomputation", "Performance summary, 26.04 container",
                                 "torchtitan benchmarks"};
    ValidationReport report;
    const auto served = std::make_shared<ScenarioSpec>();
    served->name = "A published deployment";
    served->workload.kind = WorkloadKind::serving;
    served->workload.model = "llama-3.1-70b";
    served->workload.inputTokens = 1024;
    served->workload.outputTokens = 512;
    served->workload.concurrency = 64;
    served->cluster.instance = "p5.48xlarge";
    served->plan.engine = "vllm";
    served->plan.tensorParallel = 4;
    served->plan.weights = "fp8";
    const auto add = [&](const char* quantity, int i, double measured, bool serving = false) {
        ValidationRow row;
        row.id = (serving ? std::string("deployment") : std::string(quantity)) + "-" + std::to_string(i);
        row.quantity = quantity;
        row.measured = measured;
        row.error = 0.01 * (i * 17 % 47 - 23);
        row.predicted = measured * (1 + row.error);
        row.low = row.predicted * 0.88;
        row.high = row.predicted * 1.12;
        row.weight = 0.5; // two rows a sweep
        row.group = "sweep-" + std::to_string(i / 2);
        row.quality = row.quantity == "time_s" ? "A" : "high";
        row.kind = row.quantity == "time_s" ? RowKind::collective : RowKind::training;
        row.rowKind = row.kind == RowKind::training ? "benchmark" : "";
        row.model = row.kind == RowKind::training ? models[static_cast<std::size_t>(i) % 3] : "all_reduce";
        row.family = row.kind == RowKind::training ? (i % 3 == 2 ? "moe" : "dense") : "";
        row.gpu = gpus[static_cast<std::size_t>(i % 7) % 4];
        row.precision = row.kind == RowKind::training ? precisions[static_cast<std::size_t>(i) % 3] : "";
        row.framework = row.kind == RowKind::training ? "megatron-core" : "nccl";
        row.sourceTitle = sources[static_cast<std::size_t>(i) % 3];
        row.sourceLocator = "https://arxiv.org/abs/2205.05198";
        row.sourceTable = "Table 5";
        row.sourceRow = std::to_string(i);
        row.sourceDate = "2025-06";
        row.gpus = 8 << (i % 9);
        row.complete = i % 4 != 0;
        if (!row.complete)
            row.assumed = {"plan.micro_batch", "workload.model.vocab_size"};
        if (row.kind == RowKind::training)
            row.scenario = scenario;
        if (serving) {
            row.kind = RowKind::serving;
            row.rowKind = "server (closed loop)";
            row.quality = i % 4 != 0 ? "A" : "C";
            row.complete = true;
            row.framework = i % 2 != 0 ? "vllm" : "tensorrt-llm";
            row.scenario = served;
        }
        report.rows.push_back(row);
    };
    for (int i = 0; i < 48; ++i)
        add("tokens_per_s_per_gpu", i, 400 * std::pow(1.09, i));
    for (int i = 0; i < 16; ++i)
        add("step_time_s", i, 0.5 * std::pow(1.4, i));
    for (int i = 0; i < 12; ++i)
        add("peak_memory_bytes", i, 20e9 + 10e9 * i);
    for (int i = 0; i < 10; ++i)
        add("time_s", i, 2e-5 * std::pow(3.0, i));
    for (int i = 0; i < 10; ++i) {
        add("ttft_s", i, 0.05 * (i + 1), true);
        add("tpot_s", i, 0.008 * (i + 1), true);
    }
    report.memoryOutcomes = {{"ran-and-fits", "ok", true, 0.01},
                             {"ran-yet-too-large", "ok", false, 0.95},
                             {"out-and-tight", "oom", true, 0.87},
                             {"out-and-too-large", "oom", false, 0.99},
                             {"out-yet-fits", "oom_fragmentation", true, 0.04}};
    report.skipped = {{"hfu-only", "neither the batch nor the sequence length is published"}};
    return report;
}

} // namespace alidade::sample
