// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/published_source.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// One row of published measurements of reinforcement learning as its source gives it; what the source does
/// not say is absent. SI units.
struct PublishedReinforcement {
    std::string id;
    std::string kind;  ///< "step", "phase", "sync" (of the weights) or "run"
    std::string group; ///< rows that belong together
    PublishedSource source;
    std::string framework, algorithm;
    std::string modelId, modelName;        ///< of the trained model; id: of the catalog
    std::string reference, critic, reward; ///< in words; empty: none, or not published
    std::string gpu;                       ///< part in words
    std::optional<int> gpus;               ///< of the job
    int gpusPerNode = 8;
    std::string network;
    std::string placement; ///< "colocated", "one_step_off", "disaggregated_async", ...
    std::optional<int> trainGpus, rolloutGpus;
    std::optional<double> staleness; ///< steps
    std::optional<bool> partialRollout;
    std::string engine, rolloutPrecision, speculative;
    std::optional<int> rolloutTensor, rolloutPipeline, rolloutExpert;
    std::optional<double> memoryUtilization; ///< 0..1
    std::string backend, trainPrecision, recompute, offload, sharding;
    std::optional<int> tensor, context, pipeline, expert, data;
    std::optional<double> tokensPerGpu; ///< packed into a micro-batch
    std::optional<int> sequencesPerGpu; ///< of a micro-batch of a fixed number of sequences
    std::optional<int> prompts, samples, sequences, updateSequences, updates, epochs;
    std::optional<double> promptTokens, responseTokens, responseLimit, longestResponse, contextLimit,
        cutShare;
    // Measured, in seconds; absent: not published
    std::optional<double> step, generation, logProb, referenceTime, update, sync;
    std::string confidence, notes;
    std::vector<std::string> inferred;
};

} // namespace alidade
