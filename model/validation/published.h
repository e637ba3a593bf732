// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/published_reinforcement.h"
#include "model/validation/published_run.h"
#include "model/validation/published_serving.h"
#include "model/validation/published_source.h"
#include "model/workload/architecture.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

// Published measurements as their sources give them: what a source does not say is absent. Units are SI,
// fractions are 0..1; the words are the sources' own.

struct PublishedExperts {
    int experts = 0, perToken = 0, expertFfn = 0;
    std::optional<int> shared, firstDenseLayers;
    std::optional<int> sharedExpertFfn; ///< of all shared experts together
};

struct PublishedModel {
    std::string name;
    std::optional<double> parameters, activeParameters;
    std::optional<int> layers, hidden, heads, kvHeads, headDim, ffn, vocab;
    std::optional<bool> gatedFfn, tiedEmbeddings;
    std::optional<PublishedExperts> moe;
    std::optional<MlaShape> mla;
    std::optional<Mamba2Shape> mamba;
    std::string layerPattern; ///< one letter a layer, as in Architecture::hybridPattern
    std::string attention;    ///< in words
    std::optional<int> mtpLayers;
    std::optional<int> sequenceLength; ///< tokens
};

struct PublishedHardware {
    std::string gpu;         ///< part in words: "GB200 (NVL72)"
    std::optional<int> gpus; ///< of the job
    int gpusPerNode = 8;     ///< of a host
    int scaleUpDomain = 8;   ///< GPUs of one NVLink domain
    std::string network;     ///< in words
    std::string instance;    ///< AWS type; empty elsewhere
};

struct PublishedParallelism {
    std::optional<int> tensor, context, pipeline, virtualPipeline, expert, expertTensor, data, zeroStage;
    std::optional<bool> sequence;
    std::string sharding, schedule; ///< in words
    std::optional<int> shardSize;   ///< GPUs of one sharding group
};

/// Settings of the published recipe whose mapping and batch equal the row's.
struct PublishedRecipe {
    std::vector<std::string> recomputeModules, cudaGraphScope;
    std::string cudaGraphs;     ///< "none", "local", "transformer_engine"
    std::string dispatcher;     ///< "hybridep", "deepep", "nccl_alltoall", ...
    std::string pipelineLayout; ///< Megatron's layout words: "Et*4|(t*4|)*14tmL"
    std::optional<bool> expertOverlap;
    std::optional<int> expertTensor;
    std::optional<int> offloadedLayers; ///< whose activations go to host memory
};

struct PublishedFigures {
    std::optional<double> stepTime; ///< seconds
    std::optional<double> tokensPerSPerGpu, tokensPerS;
    std::optional<double> flopsPerSPerGpu;   ///< under `flopsDefinition`
    std::optional<double> mfu, hfu;          ///< of `mfuPeak`
    std::optional<double> mfuPeak;           ///< FLOP/s
    std::string flopsDefinition;             ///< in words
    std::optional<double> peakMemory;        ///< bytes of one GPU
    std::optional<double> peakMemoryPrinted; ///< bytes, of a source that prints "GB" without saying which
    std::string peakMemoryDefinition;        ///< in words: allocated or reserved, of which rank
};

/// Time of one layer and micro-batch, seconds.
struct PublishedLayerTime {
    double forward = 0, backward = 0, total = 0;
};

/// A whole run with everything that interrupted it.
struct PublishedWholeRun {
    double gpuHours = 0, tokens = 0;
};

/// What a fine-tuning row says besides.
struct PublishedFinetune {
    std::string method; ///< "full", "lora", "qlora", "dpo", "sft full", "rl-loss lora", ...
    std::optional<int> loraRank;
    std::optional<bool> packed, compiled, chunkedLoss, masterWeights;
    std::string attention, baseWeights; ///< in words
    std::string expertKernels;          ///< "grouped" or "loop"; empty: not said
};

/// One row of published training measurements.
struct PublishedTraining {
    std::string id;
    std::string kind;    ///< "benchmark", "production", "layer", "whole_run"
    std::string group;   ///< rows that belong together
    std::string outcome; ///< "ok", "oom", "oom_fragmentation"
    PublishedSource source;
    PublishedModel model;
    PublishedHardware hardware;
    PublishedParallelism parallelism;
    std::optional<int> globalBatch, microBatch; ///< sequences
    std::optional<double> tokensPerStep;
    std::string precision, precisionDetail;   ///< "FP16", "BF16", "FP8", "MXFP8", "NVFP4"
    std::string recompute, recomputeDetail;   ///< "none", "selective", "full"; empty: not published
    std::string offload, optimizer, software; ///< in words
    std::optional<PublishedRecipe> recipe;
    PublishedFigures measured;
    std::optional<PublishedLayerTime> layer;
    std::optional<PublishedWholeRun> wholeRun;
    std::optional<PublishedFinetune> finetune;
    std::string confidence; ///< "high", "medium", "low"
    std::string notes;
    std::vector<std::string> inferred; ///< dotted names of fields that the source does not state
};

/// Settings of an expert-parallel exchange.
struct PublishedExchange {
    int ranks = 0, tokensPerRank = 0, hidden = 0, perToken = 0;
    std::optional<int> experts;
    std::string mode;
    std::optional<int> multiprocessors; ///< that the exchange takes from the compute
};

/// One point of a collective, an expert-parallel exchange or a link test. `bytes` is the size column of
/// nccl-tests: all_reduce the buffer of each rank, all_gather the gathered output, reduce_scatter the full
/// input, alltoall the send buffer of each rank.
struct PublishedCollective {
    std::string id, series;
    PublishedSource source;
    std::string gpu; ///< part in words: "H100"
    int nodes = 1, gpus = 1;
    std::string instance, fabric; ///< AWS type or product, and the links in words
    std::string library, libraryVersion;
    std::string op, dtype;
    std::optional<double> bytes;
    std::optional<double> timeS;        ///< out of place unless `inPlace`
    std::optional<double> algBandwidth; ///< bytes/s: bytes / time
    std::optional<double> busBandwidth; ///< bytes/s: algorithm bandwidth x the op's bus factor
    std::optional<bool> inPlace;
    std::string algo, proto; ///< of NCCL, where the source names them
    std::optional<PublishedExchange> ep;
    std::optional<double> bandwidth; ///< bytes/s per GPU of exchanges and links, by the library's definition
    std::string bandwidthScope;      ///< "NVLink", "RDMA" or "per GPU"
    std::string quality;             ///< "A", "B", "C"
    std::string notes;
};

struct PublishedRows {
    std::vector<PublishedTraining> training;
    std::vector<PublishedCollective> collectives;
    std::vector<PublishedServing> serving;
    std::vector<PublishedTraining> finetune;
    std::vector<PublishedReinforcement> reinforcement;
    std::vector<PublishedRun> runs;

    bool empty() const;
    void append(PublishedRows&& rows);
};

} // namespace alidade
