// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/order.h"
#include "model/engine/engine.h"
#include "model/estimate/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Estimates written by hand, for tests of what shows an estimate: they have the shape and the size of real
// ones, and their parts sum to their wholes, but no cost model made them.
namespace alidade::sample {

inline ScenarioSpec scenario() {
    ScenarioSpec s;
    s.name = "Llama 3.1 405B on 2,048 x p5.48xlarge";
    s.workload.kind = WorkloadKind::training;
    s.workload.model = "llama-3.1-405b";
    s.workload.sequenceLength = 8192;
    s.workload.globalBatch = 2048;
    s.workload.tokens = 15.6e12;
    s.cluster.instance = "p5.48xlarge";
    s.cluster.instances = 2048;
    s.cluster.rankOrder = "tp-cp-ep-dp-pp";
    s.cluster.placement = std::vector<std::string>{"packed"};
    s.cluster.region = "us-east-2";
    s.cluster.purchase = "on_demand";
    s.plan.framework = "megatron-core";
    s.plan.tensorParallel = 8;
    s.plan.sequenceParallel = true;
    s.plan.contextParallel = 1;
    s.plan.pipelineParallel = 16;
    s.plan.virtualPipeline = 8;
    s.plan.schedule = "interleaved";
    s.plan.dataParallel = 128;
    s.plan.sharding = "zero1";
    s.plan.microBatch = 1;
    s.plan.precision = "bf16";
    s.plan.recompute = std::vector<std::string>{"norms", "glu"};
    s.plan.optimizer = "adam";
    s.plan.overlap.tensor = 0;
    s.plan.overlap.gradient = 0.9;
    s.plan.goodput = 0.9;
    s.calibration = "default";
    return s;
}

/// The operations of one transformer layer: forward, both backward passes, and what is recomputed.
inline std::vector<Operation> transformerOperations() {
    struct Row {
        const char* name;
        double flops, bytes, forwardSeconds;
        Bound bound;
        double efficiency;
    };
    const std::vector<Row> rows = {
        {"input norm", 0, 1.07e9, 0.00039, Bound::hbm, 0.82},
        {"qkv projection", 6.18e11, 3.4e8, 0.00088, Bound::compute, 0.71},
        {"core attention", 2.75e11, 1.4e8, 0.00050, Bound::compute, 0.556},
        {"attention output", 5.50e11, 3.7e8, 0.00079, Bound::compute, 0.70},
        {"post-attention norm", 0, 1.07e9, 0.00039, Bound::hbm, 0.82},
        {"mlp up and gate", 3.57e12, 6.1e8, 0.00488, Bound::compute, 0.74},
        {"glu product", 0, 3.27e8, 0.00012, Bound::hbm, 0.81},
        {"mlp down", 1.79e12, 4.8e8, 0.00247, Bound::compute, 0.732},
    };
    std::vector<Operation> ops;
    const auto add = [&](const Row& r, Phase phase, double factor) {
        ops.push_back({.name = r.name,
                       .phase = phase,
                       .flops = r.flops * factor,
                       .bytes = r.bytes * factor,
                       .seconds = r.forwardSeconds * factor,
                       .bound = r.bound,
                       .intensity = r.flops > 0 ? r.flops / r.bytes : 0.0,
                       .efficiency = r.efficiency});
    };
    for (const Row& r : rows)
        add(r, Phase::forward, 1);
    for (const Row& r : rows)
        add(r, Phase::backwardInput, r.flops > 0 ? 1.03 : 1.6);
    for (const Row& r : rows)
        if (r.flops > 0 && std::string(r.name) != "core attention")
            add(r, Phase::backwardWeight, 0.99);
    for (const std::size_t i : {0U, 4U, 6U})
        add(rows[i], Phase::recompute, 1);
    return ops;
}

inline Layer layer(std::string kind, int count, std::optional<int> stage, std::vector<Operation> ops,
                   std::vector<Communication> communication) {
    Layer l{.kind = std::move(kind),
            .count = count,
            .stage = stage,
            .seconds = 0,
            .bound = Bound::compute,
            .ops = std::move(ops),
            .communication = std::move(communication)};
    for (const Operation& o : l.ops)
        l.seconds += o.seconds;
    for (const Communication& c : l.communication)
        l.seconds += c.exposed;
    double most = -1;
    for (const Bound bound : allBounds) {
        double sum = 0;
        for (const Operation& o : l.ops)
            sum += o.bound == bound ? o.seconds : 0;
        for (const Communication& c : l.communication)
            sum += c.fabric == bound ? c.exposed : 0;
        if (sum > most) {
            most = sum;
            l.bound = bound;
        }
    }
    return l;
}

inline std::vector<Layer> layers() {
    const auto tensor = [](const char* op, Phase phase, double times) {
        return Communication{.op = op,
                             .group = "tp",
                             .fabric = Bound::nvlink,
                             .phase = phase,
                             .bytes = 2.68e8 * times,
                             .wireBytes = 2.35e8 * times,
                             .seconds = 0.00073 * times,
                             .exposed = 0.00073 * times};
    };
    std::vector<Operation> embed = {{.name = "embedding",
                                     .phase = Phase::forward,
                                     .flops = 0,
                                     .bytes = 5.4e8,
                                     .seconds = 0.0002,
                                     .bound = Bound::hbm,
                                     .intensity = 0,
                                     .efficiency = 0.8},
                                    {.name = "embedding",
                                     .phase = Phase::backwardWeight,
                                     .flops = 0,
                                     .bytes = 8.1e8,
                                     .seconds = 0.0003,
                                     .bound = Bound::hbm,
                                     .intensity = 0,
                                     .efficiency = 0.8}};
    std::vector<Operation> head = {{.name = "output projection",
                                    .phase = Phase::forward,
                                    .flops = 4.3e12,
                                    .bytes = 1.05e9,
                                    .seconds = 0.0062,
                                    .bound = Bound::compute,
                                    .intensity = 4095,
                                    .efficiency = 0.70},
                                   {.name = "output projection",
                                    .phase = Phase::backwardInput,
                                    .flops = 4.3e12,
                                    .bytes = 1.05e9,
                                    .seconds = 0.0062,
                                    .bound = Bound::compute,
                                    .intensity = 4095,
                                    .efficiency = 0.70},
                                   {.name = "output projection",
                                    .phase = Phase::backwardWeight,
                                    .flops = 4.3e12,
                                    .bytes = 1.05e9,
                                    .seconds = 0.0062,
                                    .bound = Bound::compute,
                                    .intensity = 4095,
                                    .efficiency = 0.70},
                                   {.name = "cross entropy",
                                    .phase = Phase::forward,
                                    .flops = 0,
                                    .bytes = 1.8e9,
                                    .seconds = 0.0007,
                                    .bound = Bound::hbm,
                                    .intensity = 0,
                                    .efficiency = 0.79}};
    return {layer("embedding", 1, 0, embed, {tensor("reduce_scatter", Phase::forward, 1)}),
            layer("transformer", 126, std::nullopt, transformerOperations(),
                  {tensor("all_gather", Phase::forward, 2),
                   tensor("reduce_scatter", Phase::forward, 2),
                   tensor("all_gather", Phase::backwardInput, 3),
                   tensor("reduce_scatter", Phase::backwardInput, 3),
                   {.op = "send_recv",
                    .group = "pp",
                    .fabric = Bound::efa,
                    .phase = Phase::forward,
                    .bytes = 3.36e7,
                    .wireBytes = 3.36e7,
                    .seconds = 0.00068,
                    .exposed = 0.0001}}),
            layer("head", 1, 15, head, {tensor("all_gather", Phase::forward, 1)})};
}

inline Memory memory() {
    Memory m{.capacityBytes = 80e9,
             .nominalBytes = 80e9,
             .reserveBytes = 4.8e9,
             .totalBytes = 0,
             .headroomBytes = 0,
             .lowBytes = 0,
             .highBytes = 0,
             .worstStage = 0,
             .parts = {},
             .stages = {}};
    for (int s = 0; s < 16; ++s) {
        const double n = s == 0 || s == 15 ? 7 : 8;
        StageMemoryT<double> stage{.stage = s,
                                   .totalBytes = 0,
                                   .parts = {{"weights", 0.798e9 * n + (s == 0 || s == 15 ? 0.52e9 : 0)},
                                             {"gradients", 1.596e9 * n},
                                             {"optimizer states", 0.0374e9 * n},
                                             {"activations", 5.35e9 * n * (1 - 0.022 * s) * 1.05},
                                             {"recompute and gathered inputs", 1.9e9},
                                             {"logits", s == 15 ? 6.3e9 : 0.0},
                                             {"communication buffers", 1.6e9},
                                             {"CUDA context and fragmentation", 2.3e9}}};
        for (const auto& part : stage.parts)
            stage.totalBytes += part.bytes;
        m.stages.push_back(stage);
    }
    const auto worst = std::ranges::max_element(m.stages, {}, &StageMemoryT<double>::totalBytes);
    m.worstStage = worst->stage;
    m.parts = worst->parts;
    m.totalBytes = worst->totalBytes;
    m.headroomBytes = m.capacityBytes - m.reserveBytes - m.totalBytes;
    m.lowBytes = m.totalBytes * 0.93;
    m.highBytes = m.totalBytes * 1.08;
    return m;
}

inline Training training(const Memory& memory) {
    Training t;
    t.breakdown = {{"matrix products", 3.62, Bound::compute},
                   {"core attention", 0.27, Bound::compute},
                   {"norms, GLU product, recompute", 0.09, Bound::hbm},
                   {"launches", 0.03, Bound::latency},
                   {"tensor parallel", 0.94, Bound::nvlink},
                   {"pipeline sends", 0.19, Bound::efa},
                   {"data parallel, uncovered", 0.169, Bound::exposed},
                   {"pipeline bubble", 0.577, Bound::bubble},
                   {"optimizer", 0.0003, Bound::optimizer},
                   {"slowest GPU", 0.24, Bound::straggler}};
    for (const auto& part : t.breakdown)
        t.stepTime += part.seconds;
    const double gpus = 16384;
    t.tokensPerSecond = 8192.0 * 2048.0 / t.stepTime;
    t.tokensPerSecondPerGpu = t.tokensPerSecond / gpus;
    t.modelFlopsPerSecondPerGpu = t.tokensPerSecondPerGpu * 2.524e12;
    t.mfuPeakFlopsPerSecond = 989.5e12;
    t.mfu = t.modelFlopsPerSecondPerGpu / t.mfuPeakFlopsPerSecond;
    t.hfu = t.mfu * 1.004;
    t.flopsConvention = "6 N per token plus attention with the causal half";
    t.goodput = 0.9;
    t.runTime = 15.6e12 / t.tokensPerSecond / t.goodput;
    t.microbatches = 16;
    t.layers = layers();
    for (const auto& stage : memory.stages) {
        const int n = stage.stage == 0 || stage.stage == 15 ? 7 : 8;
        t.stages.push_back({.stage = stage.stage,
                            .layers = n,
                            .forward = 0.0134 * n,
                            .backwardInput = 0.0149 * n,
                            .backwardWeight = 0.0092 * n,
                            .memoryBytes = stage.totalBytes});
    }
    return t;
}

inline Cost cost(const Training& training) {
    const double hours = *training.runTime / 3600;
    Cost c;
    c.lines = {
        {"p5.48xlarge", 2048 * hours, "instance-hours", 55.04, 2048 * hours * 55.04},
        {"FSx for Lustre, checkpoints", 100 * hours / 730, "TiB-months", 614.4, 100 * hours / 730 * 614.4}};
    c.dollarsPerHour = 2048 * 55.04 + 100.0 / 730 * 614.4;
    c.dollarsPerRun = c.lines[0].dollars + c.lines[1].dollars;
    c.dollarsPerMillionTokens = *c.dollarsPerRun / 15.6e6;
    c.energyKwh = 16384 * 1.05 * hours;
    c.priceDate = "2026-09-19";
    c.priceSource = "AWS price sheet (2026-09-19)";
    c.region = "us-east-2";
    c.purchase = "on_demand";
    return c;
}

/// Gives a cost an order of its rent, with a band.
inline void orderTheRent(Estimate& estimate) {
    const Cents cents = std::llround(*estimate.cost->dollarsPerRun * 100);
    Order order;
    order.lines.push_back({.text = "2,048 x p5.48xlarge", .unit = "instance-hours", .amount = cents});
    order.beforeTax = order.total = cents;
    estimate.cost->order = order;
    estimate.cost->orderBand = OrderBand{cents * 92 / 100, cents * 113 / 100};
}

/// Runs, fits, costs; with two warnings and a note.
inline Estimate estimate() {
    Estimate e;
    e.scenario = scenario();
    e.runs = e.fits = true;
    e.memory = memory();
    e.training = training(*e.memory);
    e.cost = cost(*e.training);
    e.headline = HeadlineT<double>{.name = "step_time_s",
                                   .unit = "s",
                                   .value = e.training->stepTime,
                                   .low = e.training->stepTime * 0.92,
                                   .high = e.training->stepTime * 1.13,
                                   .bottleneck = Bound::compute,
                                   .bottleneckShare = 3.89 / e.training->stepTime};
    e.problems = {{Severity::warning, "/plan/recompute",
                   "At the high end of its band the memory of stage 1 passes what is usable.",
                   Fix{"Recompute core attention too", {{"plan.recompute", "norms, glu, core_attention"}}}},
                  {Severity::warning, "/cluster/purchase",
                   "Capacity Blocks end at 256 instances, so this is the list price.", std::nullopt},
                  {Severity::info, "/plan/overlap/tensor", "Tensor-parallel traffic is not overlapped.",
                   Fix{"Set tensor overlap to 0.5", {{"plan.overlap.tensor", "0.5"}}}}};
    e.assumptions = {
        {"peak", 989.5e12, "FLOP/s", "NVIDIA H100 data sheet (2023-06)", SourceKind::catalog,
         Dimension::flopPerSecond, "Peak of the precision"},
        {"hbm_bandwidth", 3.35e12, "bytes/s", "NVIDIA H100 data sheet (2023-06)", SourceKind::catalog,
         Dimension::bytesPerSecond, "HBM bandwidth"},
        {"nvlink_bandwidth", 450e9, "bytes/s", "NVIDIA H100 data sheet (2023-06)", SourceKind::catalog,
         Dimension::bytesPerSecond, "NVLink bandwidth per GPU and direction"},
        {"network_bandwidth", 50e9, "bytes/s", "Amazon EC2 P5 instances (2023-07-26)", SourceKind::catalog,
         Dimension::bytesPerSecond, "Network bandwidth per GPU and direction"},
        {"sustained_clock", 0.85, "ratio", "fitted to 7 published runs", SourceKind::fitted, Dimension::ratio,
         "Sustained clock"},
        {"gemm_compute_efficiency", 0.74, "ratio", "fitted to public microbenchmarks", SourceKind::fitted,
         Dimension::ratio, "Efficiency of matrix products"},
        {"planned_goodput", 0.9, "ratio", "engineering judgment", SourceKind::assumed, Dimension::ratio,
         "Goodput"},
        {"straggler_spread", 0.01, "ratio", "engineering judgment", SourceKind::assumed, Dimension::ratio,
         "Spread between GPUs"},
        {"overlap_tensor", 0, "ratio", "the scenario", SourceKind::user, Dimension::ratio,
         "Overlap of tensor-parallel traffic"},
        {"all_gather_latency", 8.2e-6, "s", "fitted to NCCL logs", SourceKind::fitted, Dimension::seconds,
         "Latency of an all-gather"}};
    e.modelName = "Llama 3.1 405B";
    e.clusterName = "2,048 x p5.48xlarge";
    e.gpus = 16384;
    e.catalogVersion = "2026-11-20";
    e.profileName = "default";
    return e;
}

/// Legal, but the worst stage needs more memory than there is.
inline Estimate estimateThatDoesNotFit() {
    Estimate e = estimate();
    e.scenario.plan.tensorParallel = 4;
    e.scenario.plan.dataParallel = 256;
    e.fits = false;
    for (auto& stage : e.memory->stages) {
        stage.totalBytes = 0;
        for (auto& part : stage.parts)
            stage.totalBytes += part.bytes *= 1.55;
    }
    e.memory->parts = e.memory->stages[static_cast<std::size_t>(e.memory->worstStage)].parts;
    e.memory->totalBytes = e.memory->stages[static_cast<std::size_t>(e.memory->worstStage)].totalBytes;
    e.memory->headroomBytes = e.memory->capacityBytes - e.memory->reserveBytes - e.memory->totalBytes;
    e.memory->lowBytes = e.memory->totalBytes * 0.93;
    e.memory->highBytes = e.memory->totalBytes * 1.08;
    e.problems.insert(e.problems.begin(), {Severity::error, "/plan/tensor_parallel",
                                           "Stage 1 needs more memory than its GPUs have.",
                                           Fix{"Set tensor parallel to 8", {{"plan.tensor_parallel", "8"}}}});
    return e;
}

/// Illegal: no time and no cost.
inline Estimate estimateThatDoesNotRun() {
    Estimate e = estimate();
    e.scenario.plan.tensorParallel = 24;
    e.runs = false;
    e.training.reset();
    e.cost.reset();
    e.headline.reset();
    e.problems = {{Severity::error, "/plan/tensor_parallel",
                   "Tensor parallel 24 does not divide the 128 attention heads.",
                   Fix{"Set tensor parallel to 8", {{"plan.tensor_parallel", "8"}}}}};
    return e;
}

inline std::vector<Suggestion> suggestions() {
    const Estimate e = estimate();
    const auto change = [&](Fix fix, std::string reason, Bound bound, double factor, double memoryBytes) {
        Suggestion s;
        s.change = std::move(fix);
        s.reason = std::move(reason);
        s.bound = bound;
        s.stepTime = e.training->stepTime * factor;
        s.stepTimeDifference = s.stepTime - e.training->stepTime;
        s.tokensPerSecondGain = 1 / factor - 1;
        s.tokensPerSecond = e.training->tokensPerSecond / factor;
        s.dollarsPerRun = *e.cost->dollarsPerRun * factor;
        s.dollarsPerRunDifference = *s.dollarsPerRun - *e.cost->dollarsPerRun;
        s.memoryBytes = memoryBytes;
        return s;
    };
    return {change({"Set tensor overlap to 0.8", {{"plan.overlap.tensor", "0.8"}}},
                   "tensor-parallel traffic hides behind the matrix products", Bound::nvlink, 0.878, 71.0e9),
            change({"Set precision to fp8", {{"plan.precision", "fp8"}}},
                   "matrix products run at twice the peak", Bound::compute, 0.76, 66.2e9),
            change({"Set virtual pipeline to 4", {{"plan.virtual_pipeline", "4"}}}, "fewer pipeline sends",
                   Bound::efa, 0.991, 69.4e9)};
}

} // namespace alidade::sample
