// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/data/sample_estimate.h"

#include <cmath>
#include <limits>

// Serving estimates written by hand, for tests of what shows one; see sample_estimate.h.
namespace alidade::sample {

inline ScenarioSpec servingScenario() {
    ScenarioSpec s;
    s.name = "Llama 3.1 70B chat on 6 x p5en.48xlarge";
    s.workload.kind = WorkloadKind::serving;
    s.workload.model = "llama-3.1-70b";
    s.workload.phase = "both";
    s.workload.inputTokens = 2000;
    s.workload.outputTokens = 400;
    s.workload.inputTokensCv = 0.6;
    s.workload.outputTokensCv = 0.6;
    s.workload.requestRatePerS = 96;
    s.workload.arrivalCv = 1;
    s.workload.prefixCacheHit = 0.4;
    s.workload.ttftSloS = 0.5;
    s.workload.itlSloS = 0.04;
    s.workload.sloPercentile = 90;
    s.cluster.instance = "p5en.48xlarge";
    s.cluster.instances = 6;
    s.cluster.region = "us-east-2";
    s.cluster.purchase = "on_demand";
    s.plan.engine = "vllm";
    s.plan.tensorParallel = 4;
    s.plan.pipelineParallel = 1;
    s.plan.dataParallel = 12;
    s.plan.weights = "fp8";
    s.plan.kvCache = "fp8";
    s.plan.activations = "fp8";
    s.plan.memoryUtilization = 0.92;
    s.plan.maxBatch = 256;
    s.plan.chunkTokens = 2048;
    s.plan.cudaGraphs = true;
    s.calibration = "default";
    return s;
}

/// Layers of one step: each time is `factor` of a decode step's.
inline std::vector<Layer> servingLayers(Phase phase, double factor, Bound gemm) {
    const auto op = [&](const char* name, double flops, double bytes, double seconds, Bound bound) {
        return Operation{.name = name,
                         .phase = phase,
                         .flops = flops * factor,
                         .bytes = bytes,
                         .seconds = seconds * factor,
                         .bound = bound,
                         .intensity = flops > 0 ? flops * factor / bytes : 0.0,
                         .efficiency = 0.71};
    };
    return {layer("transformer", 80, std::nullopt,
                  {op("input norm", 0, 2.7e6, 4e-6, Bound::latency),
                   op("qkv projection", 3.5e9, 2.1e7, 9e-6, gemm),
                   op("core attention", 1.1e9, 7.1e7, 2.3e-5, Bound::hbm),
                   op("attention output", 2.8e9, 1.7e7, 8e-6, gemm),
                   op("mlp up and gate", 1.96e10, 1.17e8, 3.4e-5, gemm),
                   op("mlp down", 9.8e9, 5.9e7, 1.8e-5, gemm)},
                  {{.op = "all_reduce",
                    .group = "tp",
                    .fabric = Bound::nvlink,
                    .phase = phase,
                    .bytes = 1.4e6 * factor,
                    .wireBytes = 2.1e6 * factor,
                    .seconds = 2.2e-5 * factor,
                    .exposed = 2.2e-5 * factor}}),
            layer("head", 1, std::nullopt, {op("output projection", 3.5e10, 5.3e8, 1.6e-4, gemm)}, {})};
}

inline Memory servingMemory() {
    Memory m{.capacityBytes = 141e9,
             .nominalBytes = 141e9,
             .reserveBytes = 11.28e9,
             .totalBytes = 0,
             .headroomBytes = 0,
             .lowBytes = 0,
             .highBytes = 0,
             .worstStage = 0,
             .parts = {{"weights", 17.7e9},
                       {"KV cache", 104.6e9},
                       {"activations", 3.1e9},
                       {"CUDA context and fragmentation", 2.4e9}},
             .stages = {}};
    for (const auto& part : m.parts)
        m.totalBytes += part.bytes;
    m.stages = {{.stage = 0, .totalBytes = m.totalBytes, .parts = m.parts}};
    m.headroomBytes = m.capacityBytes - m.reserveBytes - m.totalBytes;
    m.lowBytes = m.totalBytes * 0.96;
    m.highBytes = m.totalBytes * 1.005;
    return m;
}

inline PercentilesT<double> percentiles(double mean, double spread) {
    const auto at = [&](double z) { return mean * std::exp(spread * z - spread * spread / 2); };
    return {.p50 = at(0), .p90 = at(1.2816), .p95 = at(1.6449), .p99 = at(2.3263)};
}

/// Latency against load as a queue makes it: mild at first, steep toward `most` requests/s.
inline std::vector<LoadPoint> loadCurve(const Serving& s, double dollarsPerHour, double outputTokens) {
    std::vector<LoadPoint> curve;
    for (const double share : {0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95}) {
        LoadPoint p;
        const double rise = (1 - s.utilization) / (1 - share);
        p.requestsPerSecond = share * s.maxRequestRate;
        p.utilization = share;
        p.outputTokensPerSecond = p.requestsPerSecond * outputTokens;
        p.ttft = s.ttft * std::pow(rise, 1.4);
        p.itl = s.itl * std::pow(rise, 0.8);
        p.ttftPercentile = p.ttft * s.ttftPercentiles.p90 / s.ttft;
        p.itlPercentile = p.itl * s.itlPercentiles.p90 / s.itl;
        p.concurrency = p.requestsPerSecond * (p.ttft + p.itl * (outputTokens - 1));
        p.dollarsPerMillionOutputTokens = dollarsPerHour / 3600 / p.outputTokensPerSecond * 1e6;
        p.meetsTargets = p.ttftPercentile <= *s.ttftTarget && p.itlPercentile <= *s.itlTarget;
        curve.push_back(p);
    }
    return curve;
}

inline Pool enginePool() {
    return {.name = "engine",
            .instance = "p5en.48xlarge",
            .workers = 12,
            .gpus = 48,
            .tensorParallel = 4,
            .pipelineParallel = 1,
            .expertParallel = 1,
            .attentionDataParallel = 1,
            .batch = 84.3,
            .maxConcurrency = 256,
            .kvTokens = 2.552e6,
            .utilization = 0.71,
            .stepTime = 0.0178,
            .transferTime = 0,
            .dollarsPerHour = 380.16,
            .memory = servingMemory()};
}

inline Serving serving() {
    Serving s;
    s.breakdown = {{"matrix products", 0.0055, Bound::hbm},
                   {"attention", 0.0019, Bound::hbm},
                   {"matrix products, compute", 0.0021, Bound::compute},
                   {"tensor parallel", 0.0018, Bound::nvlink},
                   {"launches and engine", 0.0065, Bound::latency}};
    s.prefillBreakdown = {{"matrix products", 0.0601, Bound::compute},
                          {"attention", 0.0042, Bound::compute},
                          {"norms and activations", 0.0039, Bound::hbm},
                          {"tensor parallel", 0.0082, Bound::nvlink},
                          {"launches and engine", 0.0064, Bound::latency}};
    for (const auto& part : s.breakdown)
        s.stepTime += part.seconds;
    for (const auto& part : s.prefillBreakdown)
        s.prefillStepTime += part.seconds;
    s.queueTime = 0.061;
    s.prefillTime = 0.112;
    s.ttft = s.queueTime + s.prefillTime;
    s.itl = s.tpot = 0.0264;
    s.e2e = s.ttft + s.tpot * 399;
    s.requestsPerSecond = 96;
    s.outputTokensPerSecond = 96 * 400;
    s.inputTokensPerSecond = 96 * 2000;
    s.outputTokensPerSecondPerGpu = s.outputTokensPerSecond / 48;
    s.tokensPerSecondPerUser = 1 / s.tpot;
    s.batch = 84.3;
    s.concurrency = 84.3 * 12;
    s.maxConcurrency = 256 * 12;
    s.utilization = 0.71;
    s.maxRequestRate = 96 / 0.71;
    s.requestRateWithinTargets = 110;
    s.preemptionsPerRequest = 0.001;
    s.ttftPercentiles = percentiles(s.ttft, 0.6);
    s.itlPercentiles = percentiles(s.itl, 0.15);
    s.ttftTarget = 0.5;
    s.itlTarget = 0.04;
    s.targetPercentile = 90;
    s.meetsTargets = true;
    s.prefillShare = 0.32;
    s.layers = servingLayers(Phase::decode, 1, Bound::hbm);
    s.prefillLayers = servingLayers(Phase::prefill, 6, Bound::compute);
    s.pools = {enginePool()};
    s.loadCurve = loadCurve(s, 380.16, 400);
    return s;
}

inline Cost servingCost(double dollarsPerHour) {
    Cost c;
    c.dollarsPerHour = dollarsPerHour;
    c.dollarsPerMillionInputTokens = 0.32 * dollarsPerHour / 3600 / (96 * 2000.0) * 1e6;
    c.dollarsPerMillionOutputTokens = 0.68 * dollarsPerHour / 3600 / (96 * 400.0) * 1e6;
    c.dollarsPerMillionTokens = dollarsPerHour / 3600 / (96 * 2400.0) * 1e6;
    c.lines = {{"6 x p5en.48xlarge", 6, "instances for an hour", dollarsPerHour / 6, dollarsPerHour}};
    c.priceDate = "2026-09-19";
    c.priceSource = "AWS price sheet (2026-09-19)";
    c.region = "us-east-2";
    c.purchase = "on_demand";
    return c;
}

/// Meets both targets with room; one pool; with its load curve.
inline Estimate servingEstimate() {
    Estimate e;
    e.scenario = servingScenario();
    e.runs = e.fits = true;
    e.memory = servingMemory();
    e.serving = serving();
    e.cost = servingCost(380.16);
    e.headline = HeadlineT<double>{.name = "Output throughput",
                                   .unit = "tokens/s",
                                   .value = e.serving->outputTokensPerSecond,
                                   .low = e.serving->outputTokensPerSecond * 0.86,
                                   .high = e.serving->outputTokensPerSecond * 1.16,
                                   .bottleneck = Bound::hbm,
                                   .bottleneckShare = 0.0074 / e.serving->stepTime};
    e.problems = {{Severity::warning, "/workload/prefix_cache_hit",
                   "The share of cached prompts is an input; without it the queue is longer.", std::nullopt}};
    e.assumptions = {{"peak", 1979e12, "FLOP/s", "NVIDIA H200 data sheet (2023-11)", SourceKind::catalog,
                      Dimension::flopPerSecond, "Peak of the precision"},
                     {"hbm_bandwidth", 4.8e12, "bytes/s", "NVIDIA H200 data sheet (2023-11)",
                      SourceKind::catalog, Dimension::bytesPerSecond, "HBM bandwidth"},
                     {"serving_memory_efficiency", 0.82, "ratio", "fitted to public serving runs",
                      SourceKind::fitted, Dimension::ratio, "Reached share of the HBM bandwidth"},
                     {"serving_step_overhead", 0.0021, "s", "fitted to public serving runs",
                      SourceKind::fitted, Dimension::seconds, "Engine's own time of a step"},
                     {"serving_ttft_log_sd", 0.3, "ratio", "fitted to public serving runs",
                      SourceKind::fitted, Dimension::ratio, "TTFT error (SD of ln)"}};
    e.modelName = "Llama 3.1 70B";
    e.clusterName = "6 x p5en.48xlarge";
    e.gpus = 48;
    e.catalogVersion = "2026-11-20";
    e.profileName = "default";
    return e;
}

/// Prefill and decode apart, and the time to the first token above its target.
inline Estimate servingDisaggregated() {
    Estimate e = servingEstimate();
    Serving& s = *e.serving;
    e.scenario.name = "Llama 3.1 70B, prefill and decode apart";
    Pool prefill = enginePool(), decode = enginePool();
    prefill.name = "prefill";
    prefill.workers = 4;
    prefill.gpus = 16;
    prefill.batch = 1.4;
    prefill.utilization = 0.88;
    prefill.stepTime = s.prefillStepTime;
    prefill.dollarsPerHour = 126.72;
    decode.name = "decode";
    decode.workers = 8;
    decode.gpus = 32;
    decode.batch = 118;
    decode.utilization = 0.58;
    decode.transferTime = 0.0061;
    decode.dollarsPerHour = 253.44;
    s.pools = {prefill, decode};
    e.cost->lines = {{"Prefill on p5en.48xlarge", 6.0 * 16 / 48, "instances for an hour", 63.36, 126.72},
                     {"Decode on p5en.48xlarge", 6.0 * 32 / 48, "instances for an hour", 63.36, 253.44}};
    s.ttftPercentiles = percentiles(0.43, 0.6);
    s.ttft = 0.43;
    s.queueTime = 0.43 - 0.112 - 0.0061;
    s.simulated = true;
    s.meetsTargets = false;
    s.requestRateWithinTargets = 84;
    s.utilization = 0.88;
    s.loadCurve = loadCurve(s, 380.16, 400);
    e.problems = {
        {Severity::warning, "/workload/ttft_slo_s",
         "The time to the first token misses its target of 500 ms.",
         Fix{"Set workers of the prefill pool to 6", {{"plan.disaggregated.prefill.workers", "6"}}}}};
    return e;
}

/// More requests arrive than can be served: there is no steady state.
inline Estimate servingOverloaded() {
    Estimate e = servingEstimate();
    Serving& s = *e.serving;
    constexpr double never = std::numeric_limits<double>::infinity();
    e.scenario.name = "Llama 3.1 70B chat, overloaded";
    e.scenario.workload.requestRatePerS = 160;
    s.utilization = 160 / s.maxRequestRate;
    s.ttft = s.itl = s.tpot = s.e2e = s.queueTime = never;
    s.ttftPercentiles = s.itlPercentiles = {never, never, never, never};
    s.meetsTargets = false;
    e.problems = {{Severity::error, "/workload/request_rate_per_s",
                   "160 requests/s arrive, and at most 135 can be served.",
                   Fix{"Set instances to 8", {{"cluster.instances", "8"}}}}};
    return e;
}

/// The weights leave no room for a KV cache.
inline Estimate servingThatDoesNotFit() {
    Estimate e = servingEstimate();
    e.scenario.name = "Llama 3.1 70B chat, too large";
    e.scenario.plan.tensorParallel = 1;
    e.fits = false;
    e.memory->parts[0].bytes = 141.2e9;
    e.memory->parts[1].bytes = 0;
    e.memory->totalBytes = 0;
    for (const auto& part : e.memory->parts)
        e.memory->totalBytes += part.bytes;
    e.memory->stages = {{.stage = 0, .totalBytes = e.memory->totalBytes, .parts = e.memory->parts}};
    e.memory->headroomBytes = e.memory->capacityBytes - e.memory->reserveBytes - e.memory->totalBytes;
    e.serving->pools.front().memory = *e.memory;
    e.problems = {{Severity::error, "/plan", "Does not fit: 146.7 GB per GPU, 129.7 GB usable.",
                   Fix{"Set tensor parallel to 2", {{"plan.tensor_parallel", "2"}}}}};
    return e;
}

} // namespace alidade::sample
