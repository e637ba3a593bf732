// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/workload/architecture.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

// A scenario as written: IDs and choices as in the scenario file, nothing looked up or filled in. Members are
// absent unless written. The field table (fields.h) names, documents and checks every member; units are SI.

struct FinetuneSpec {
    std::optional<std::string> kind; ///< "full" or "lora"
    std::optional<std::int64_t> rank;
    std::optional<std::vector<std::string>> targets;
};

struct WorkloadSpec {
    std::optional<std::string> kind; ///< "training" or "serving"; see isServing
    bool isServing() const { return kind == "serving"; }
    std::optional<std::string> model; ///< catalog ID; absent if the architecture is given inline
    std::optional<Architecture> architecture;
    // training
    std::optional<std::int64_t> sequenceLength; ///< tokens
    std::optional<std::int64_t> globalBatch;    ///< sequences per step
    std::optional<double> tokens;               ///< of the whole run
    FinetuneSpec finetune;
    // serving
    std::optional<std::string> phase;                    ///< "both", "prefill" or "decode"
    std::optional<double> inputTokens, outputTokens;     ///< means per request
    std::optional<double> inputTokensCv, outputTokensCv; ///< standard deviation / mean
    std::optional<double> concurrency, requestRatePerS;  ///< of the whole deployment; one of the two
    std::optional<double> arrivalCv, prefixCacheHit;
    std::optional<double> ttftSloS, itlSloS, sloPercentile;
};

/// Returns whether requests arrive with their prompts; false for a decode side planned separately.
inline bool takesPrompts(const WorkloadSpec& serving) { return serving.phase != "decode"; }
/// Returns whether tokens follow the first one; false for a prefill side planned separately and for outputs
/// of one token.
inline bool makesTokens(const WorkloadSpec& serving) {
    return serving.phase != "prefill" && !(serving.outputTokens && *serving.outputTokens <= 1);
}

struct CustomClusterSpec {
    std::optional<std::string> gpu;
    std::optional<std::int64_t> gpusPerNode, nvlinkDomain;
    std::optional<double> nvlinkBytesPerSPerGpuPerDirection, networkBytesPerSPerGpuPerDirection;
    std::optional<std::string> network; ///< "efa2".."efa4", "infiniband", "ethernet"
    std::optional<double> memoryBytesPerGpu;
};

struct ClusterSpec {
    std::optional<std::string> instance, ultraserver; ///< exactly one of them, or custom
    CustomClusterSpec custom;
    std::optional<std::int64_t> instances, ultraservers, gpus;
    std::optional<std::string> topology;               ///< imported file
    std::optional<std::string> rankOrder;              ///< "tp-cp-ep-dp-pp", fastest first
    std::optional<std::vector<std::string>> placement; ///< "packed", "sorted" or a host list
    std::optional<std::vector<std::string>> excludedHosts;
    std::optional<double> oversubscription; ///< bandwidth below a switch / above it
    std::optional<std::string> region, purchase;
    std::optional<double> dollarsPerInstanceHour;
    std::optional<std::string> commitment; ///< "1_year_no_upfront": of a reserved price
    std::optional<double> discount;        ///< on the catalog price, 0..1
};

struct OverlapSpec {
    std::optional<double> tensor, gradient, expert,
        pipeline; ///< share of the traffic that compute can hide, 0..1
};

struct OffloadSpec {
    std::optional<double> optimizer, activations; ///< share kept in host memory, 0..1
};

struct SpeculativeSpec {
    std::optional<std::int64_t> draftTokens;
    std::optional<double> acceptance;
};

struct PoolSpec {
    std::optional<std::string> instance;
    std::optional<std::int64_t> workers, tensorParallel, pipelineParallel, expertParallel,
        attentionDataParallel, maxBatch;
};

struct DisaggregatedSpec {
    PoolSpec prefill, decode;
    std::optional<std::string> transfer; ///< "nvlink" or "efa"
    std::optional<bool> overlap;
};

struct PlanSpec {
    // training
    std::optional<std::string> framework;
    std::optional<std::int64_t> tensorParallel;
    std::optional<bool> sequenceParallel;
    std::optional<std::int64_t> contextParallel;
    std::optional<std::string> contextParallelKind;
    std::optional<std::int64_t> pipelineParallel, virtualPipeline;
    std::optional<std::vector<std::int64_t>> pipelineSplit; ///< layers of each stage
    std::optional<std::string> schedule;
    std::optional<std::int64_t> expertParallel, expertTensorParallel, dataParallel;
    std::optional<std::string> sharding;
    std::optional<std::int64_t> shardSize;
    std::optional<std::int64_t> microBatch; ///< sequences
    std::optional<std::string> precision, fp8Recipe;
    std::optional<std::vector<std::string>> recompute; ///< "none", "selective", "full" or modules
    std::optional<std::string> optimizer;
    OffloadSpec offload;
    std::optional<double> capacityFactor, expertImbalance;
    std::optional<std::int64_t> nodeLimit;
    std::optional<std::string> expertExchange; ///< "fused" or "all_to_all"
    OverlapSpec overlap;
    std::optional<double> goodput; ///< share of the run spent on steps that count, 0..1
    // serving
    std::optional<std::string> engine;
    std::optional<std::int64_t> attentionDataParallel;
    std::optional<std::string> weights, kvCache, activations;
    std::optional<double> memoryUtilization;
    std::optional<std::int64_t> maxBatch, chunkTokens;
    std::optional<bool> mixedPrefill;
    std::optional<std::int64_t> kvBlock;  ///< tokens per block of the key-value cache
    std::optional<double> kvOffloadBytes; ///< host memory per GPU as a second tier of that cache
    std::optional<double> weightsOffload; ///< share of the weights streamed from host memory, 0..1
    std::optional<bool> cudaGraphs;
    SpeculativeSpec speculative;
    DisaggregatedSpec disaggregated;
};

/// A scenario as in its file.
struct ScenarioSpec {
    std::optional<std::string> name;
    WorkloadSpec workload;
    ClusterSpec cluster;
    PlanSpec plan;
    std::optional<std::string> calibration; ///< "default", or a profile's name or file
};

} // namespace alidade
