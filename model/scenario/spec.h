// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/workload/architecture.h"
#include "model/workload/workload_kind.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

// A scenario as written: IDs and choices as in the scenario file, nothing looked up or filled in. Members are
// absent unless written. The field table (fields.h) names, documents and checks every member; units are SI.

struct FinetuneSpec {
    std::optional<std::string> kind; ///< "full", "lora" or "qlora"
    std::optional<std::int64_t> rank;
    std::optional<std::vector<std::string>> targets;
    std::optional<std::string> method;    ///< "sft" or "dpo"
    std::optional<std::int64_t> examples; ///< of the data set; preference pairs with DPO
    std::optional<double> epochs;
    std::optional<double> exampleTokens, exampleTokensCv; ///< mean, and standard deviation / mean
    std::optional<bool> packed;                           ///< several examples in one sequence
};

/// What scores a response.
struct RewardSpec {
    std::optional<std::string> kind;  ///< "rule", "model" or "sandbox"
    std::optional<std::string> model; ///< catalog ID, of kind "model"
    std::optional<double> seconds;    ///< that one response takes
};

/// What reinforcement learning asks of its roles.
struct ReinforcementSpec {
    std::optional<std::string> algorithm; ///< "ppo", "grpo", "dapo", "reinforce++", "rloo"
    std::optional<bool> reference;        ///< log-probabilities of a frozen reference model
    std::optional<std::string> critic;    ///< catalog ID
    RewardSpec reward;
    std::optional<std::int64_t> promptsPerStep, samplesPerPrompt, updatesPerStep, epochs, steps;
    std::optional<double> promptTokens, responseTokens, responseTokensCv, responseLimit; ///< tokens
    std::optional<double> keptShare; ///< of the prompts, by dynamic sampling, 0..1
};

/// How many answers to a question a service draws, and how it makes one of them.
struct TestTimeSpec {
    std::optional<std::int64_t> samples;
    std::optional<std::string> selection;   ///< "none", "majority", "best_of_n" or "beam_search"
    std::optional<std::string> verifier;    ///< catalog ID
    std::optional<std::int64_t> stepTokens; ///< of a step of beam search
    std::optional<double> thinkingBudget;   ///< tokens
    bool written() const { return samples || selection || verifier || stepTokens || thinkingBudget; }
};

struct WorkloadSpec {
    std::optional<WorkloadKind> kind; ///< see isServing and isReinforcement
    bool isServing() const { return kind == WorkloadKind::serving; }
    bool isReinforcement() const { return kind == WorkloadKind::reinforcementLearning; }
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
    std::optional<std::string> sampling;                 ///< "top_p" or "plain"
    std::optional<double> concurrency, requestRatePerS;  ///< of the whole deployment; one of the two
    std::optional<double> arrivalCv, prefixCacheHit;
    std::optional<double> ttftSloS, itlSloS, sloPercentile;
    TestTimeSpec testTime;
    ReinforcementSpec reinforcement;
};

/// Returns whether requests arrive with their prompts; false for a decode side planned separately.
inline bool takesPrompts(const WorkloadSpec& serving) { return serving.phase != "decode"; }
/// Returns whether tokens follow the first one; false for a prefill side planned separately and for outputs
/// of one token.
inline bool makesTokens(const WorkloadSpec& serving) {
    return serving.phase != "prefill" && !(serving.outputTokens && *serving.outputTokens <= 1);
}

/// Sequences that the engine works on for each request (question) of the load.
inline double samplesOf(const WorkloadSpec& serving) {
    return static_cast<double>(serving.testTime.samples.value_or(1));
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
    std::optional<std::string> expertExchange;  ///< "fused" or "all_to_all"
    std::optional<std::string> dispatcher;      ///< "nccl", "deepep", "hybridep" or "uccl"
    std::optional<std::string> expertKernels;   ///< "grouped" or "loop"
    std::optional<std::string> attentionKernel; ///< "unfused", "fa1" to "fa4", "cudnn" or "sdpa"
    std::optional<std::string> cudaGraphScope;  ///< "partial" or "full"
    std::optional<std::string> loss;            ///< "unfused", "fused" or "chunked"
    std::optional<bool> masterWeights;          ///< FP32 weights and gradients alongside the 16-bit weights
    OverlapSpec overlap;
    std::optional<double> goodput; ///< share of the run spent on steps that count, 0..1
    // serving
    std::optional<std::string> engine;
    std::optional<std::string> tuning; ///< "vendor" or "as_run"
    std::optional<std::int64_t> attentionDataParallel;
    std::optional<std::string> weights, kvCache, activations;
    std::optional<double> memoryUtilization;
    std::optional<std::int64_t> maxBatch, chunkTokens;
    std::optional<bool> mixedPrefill;
    std::optional<std::int64_t> kvBlock;      ///< tokens per block of the key-value cache
    std::optional<double> kvOffloadBytes;     ///< host memory per GPU as a second tier of that cache
    std::optional<std::string> kvOffloadTier; ///< "host", "nvme" or "file_system"
    std::optional<double> weightsOffload;     ///< share of the weights streamed from host memory, 0..1
    std::optional<bool> cudaGraphs;
    SpeculativeSpec speculative;
    DisaggregatedSpec disaggregated;
};

/// The part of the machines that is bought in another way than the rest.
struct BaseOrderSpec {
    std::optional<std::int64_t> instances; ///< or UltraServers
    std::optional<std::string> purchase;
    std::optional<double> dollarsPerInstanceHour;
    std::optional<std::string> commitment;
    std::optional<double> discount; ///< on the catalog price, 0..1
};

/// The terms on which machines are bought.
struct OrderSpec {
    BaseOrderSpec base;
    std::optional<std::string> start;                ///< first day that is paid, "2027-01-04"
    std::optional<double> days;                      ///< of a service
    std::optional<double> support, contingency, tax; ///< shares of the lines before, 0..1
    /// To the internet: of a service each month, of a run once.
    std::optional<double> transferOutBytes;
    std::optional<double> energyPrice;       ///< dollars per kWh
    std::optional<std::string> currency;     ///< that amounts are printed in besides US dollars, "EUR"
    std::optional<double> exchangeRate;      ///< units of it for a dollar
    std::optional<std::string> exchangeDate; ///< day of the rate, "2026-11-20"
};

/// The two sides of reinforcement learning: how each is laid out, and how they meet.
struct RolePlanSpec {
    std::optional<std::string> placement; ///< "colocated", "split", "one_step_off" or "async"
    std::optional<double> staleness;      ///< steps that sequences may be ahead of the weights; fractions too
    std::optional<bool> partialRollout;   ///< a sequence continues across a synchronization
    std::optional<std::string> weightSync;   ///< path of the weights to the engines
    std::optional<std::string> phaseOffload; ///< what leaves the GPUs while the engines run
    std::optional<std::int64_t> trainGpus, rolloutGpus;
    std::optional<std::int64_t> microbatchTokens; ///< packed into a micro-batch of one GPU group
    PlanSpec train, rollout;                      ///< fields of training, and of serving
};

/// Role plans by value. Copies share them until one is written, so that scenarios of other kinds stay small.
class RolePlans {
public:
    bool empty() const { return !shared_; }
    const RolePlanSpec& read() const {
        static const RolePlanSpec none;
        return shared_ ? *shared_ : none;
    }
    RolePlanSpec& write() {
        if (!shared_)
            shared_ = std::make_shared<RolePlanSpec>();
        else if (shared_.use_count() > 1)
            shared_ = std::make_shared<RolePlanSpec>(*shared_);
        return *shared_;
    }

private:
    std::shared_ptr<RolePlanSpec> shared_;
};

/// How a training run is operated from its first day to its last.
struct RunSpec {
    std::optional<std::string> checkpointMode; ///< "async", "sync", "peer" or "checkpointless"
    std::optional<double> checkpointIntervalS; ///< training time between checkpoints
    std::optional<std::string> storage;        ///< catalog ID of a file system
    std::optional<double> storageBytes;        ///< provisioned capacity of it
    std::optional<double> bytesPerToken;       ///< of the training data
    std::optional<bool> standby;               ///< failed nodes are replaced by nodes with the job's image
    std::optional<std::int64_t> spares;        ///< instances that wait for a failure, paid with the others
    std::optional<double> repairS;             ///< until a failed node is back
    std::optional<bool> elastic;               ///< continues with fewer replicas where no spare is left
    std::optional<std::string> restartRead;    ///< "one_replica" or "all"
    std::optional<double> datasetTokens;       ///< that are different; the run reads them again after that
    std::optional<bool> shuffle, linkedRepository, nvmeCache; ///< of the training data
    std::optional<std::string> start, deadline;               ///< dates, "2027-01-04"
};

/// A scenario as in its file.
struct ScenarioSpec {
    std::optional<std::string> name;
    WorkloadSpec workload;
    ClusterSpec cluster;
    PlanSpec plan;
    RunSpec run;
    OrderSpec order;
    RolePlans roles;                        ///< of reinforcement learning, which has no plan besides
    std::optional<std::string> calibration; ///< "default", or a profile's name or file

    /// The day that prices are taken for: the first one that is paid, else the first one of the run; empty if
    /// the scenario has no dates.
    std::string_view pricingDay() const {
        return order.start ? std::string_view(*order.start)
               : run.start ? std::string_view(*run.start)
                           : std::string_view();
    }
};

} // namespace alidade
