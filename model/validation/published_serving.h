// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/published_source.h"

#include <optional>
#include <string>

namespace alidade {

// Published measurements of serving as their sources give them: what a source does not say is absent. Units
// are SI, fractions are 0..1; the words are the sources' own.

struct PublishedServingHardware {
    std::string gpu;          ///< part in words: "H100"
    std::optional<int> gpus;  ///< of the measured deployment; of the one stage where a row covers one
    int nodes = 1;            ///< hosts
    std::string instance;     ///< AWS type; empty elsewhere
    std::string interconnect; ///< in words
};

/// One stage of a deployment that keeps prefill and decode apart.
struct PublishedPool {
    int instances = 1;
    int gpus = 1; ///< of one instance
    std::optional<int> tensor, expert, attentionData;
};

/// One engine spans tensor x pipeline x attention data GPUs.
struct PublishedServingLayout {
    std::optional<int> tensor, pipeline, expert;
    std::optional<int> attentionData; ///< groups over which attention is replicated; absent counts as 1
    std::optional<int> replicas;      ///< independent engines
    std::optional<PublishedPool> prefill, decode; ///< of disaggregated serving: both or none
    std::string words;                            ///< "TP8 MoE TP1 EP8"
};

struct PublishedSpeculation {
    std::string method; ///< "MTP"
    std::optional<int> draftTokens;
    std::optional<double> acceptanceLength; ///< tokens of one step, the verified one included
};

struct PublishedLoad {
    std::optional<double> inputTokens, outputTokens; ///< nominal; what they mean: `lengths`
    std::string lengths;                             ///< distribution in words: "fixed"
    std::optional<double> inputCv, outputCv;         ///< of the lengths, where the source gives their spread
    std::string sampling;                            ///< "top_p", "plain"; empty: follows from the prompts
    std::string tuning;                              ///< "vendor", "as_run"; empty: follows from the prompts
    std::optional<double> concurrency;               ///< requests in flight
    std::optional<double> requestRate;               ///< requests/s
    std::optional<int> batch;                        ///< most sequences of one engine
    std::optional<int> requests;                     ///< of the whole run
    std::optional<int> pollInterval; ///< steps after which the engine looks for new requests, if others run
    /// "offline": all requests queued at once; "static batch"; "single-stream"; "server (closed loop)":
    /// constant concurrency; "server", "interactive": open arrivals; "server (production)".
    std::string mode;
    std::optional<double> prefixCacheHit; ///< share of the prompt tokens
};

/// A straight line of the time between tokens over the context.
struct PublishedItlLine {
    double intercept = 0; ///< seconds
    double slope = 0;     ///< seconds per token of context
};

struct PublishedServingFigures {
    std::optional<double> outputTokensPerS, outputTokensPerSPerGpu;
    std::optional<double> inputTokensPerS, inputTokensPerSPerGpu;
    std::optional<double> totalTokensPerS; ///< input and output
    std::optional<double> requestsPerS;
    std::optional<double> ttft, tpot, itl, e2e, prefill; ///< seconds
    std::optional<double> tokensPerSPerUser;
    std::optional<PublishedItlLine> itlLine;
};

/// One published measurement of a serving deployment at one configuration.
struct PublishedServing {
    std::string id;
    PublishedSource source;
    std::string model;        ///< checkpoint as published
    std::string architecture; ///< key in the catalog: "deepseek-v3" is R1 as well
    std::string family;       ///< "dense", "moe"
    PublishedServingHardware hardware;
    std::string engine, engineVersion; ///< in words: "vLLM", "0.19.0"
    PublishedServingLayout layout;
    std::string weights, activations, kvCache; ///< "bf16", "fp8", ...; empty: not published
    std::string scales; ///< of FP8 weights: one per "tensor", "channel", "block"; empty: not published
    std::optional<PublishedSpeculation> speculation;
    PublishedLoad load;
    std::string phase; ///< stages that the figures cover: "e2e", "prefill", "decode"
    PublishedServingFigures measured;
    std::string printed; ///< the figure that the source itself prints: "output_tokens_per_s"
    std::string quality; ///< "A", "B", "C"
    std::string notes;
};

} // namespace alidade
