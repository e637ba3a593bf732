// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/percentiles.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

namespace alidade {

// One serving engine with continuous batching: what asks, what it may hold, what a step of it does. Seconds,
// bytes and tokens. Counts are doubles: the closed form works with means.

/// KV cache of one sequence on the GPUs of one engine.
struct SequenceMemory {
    double bytesPerToken = 0;       ///< layers with full attention
    double windowBytesPerToken = 0; ///< layers with a sliding window
    double window = 0;              ///< tokens that those layers keep
    double constantBytes = 0;       ///< state that does not grow (Mamba, linear attention)
    double blockTokens = 1;         ///< tokens of a page, >= 1
    double sharedTokens = 0; ///< of its prompt that other sequences pay for, in layers with full attention

    /// Bytes that the pages of a sequence take. \param context its tokens so far, >= 0
    double bytesAt(double context) const {
        const auto paged = [this](double tokens) { return std::ceil(tokens / blockTokens) * blockTokens; };
        const double bytes = constantBytes + bytesPerToken * paged(std::max(0.0, context - sharedTokens));
        return windowBytesPerToken > 0 ? bytes + windowBytesPerToken * paged(std::min(context, window))
                                       : bytes;
    }
    /// The same without rounding up to pages, plus half a page: its mean over contexts.
    double meanBytesAt(double context) const;
};

/// What the engine is asked for. Lengths are log-normal with these means and coefficients of variation (0:
/// all equal), at least one token.
struct RequestLoad {
    double inputTokens = 1, inputCv = 0;   ///< the whole prompt
    double outputTokens = 1, outputCv = 0; ///< the first token included
    double cachedShare = 0;                ///< of the prompt that the prefix cache holds already, 0..1
    /// Closed loop: requests always under way; 0: open loop. Mean of the replicas of a deployment: a fraction
    /// below one is the share of them that have a user, beyond one the share that have one more.
    double concurrency = 0;
    double requestsPerSecond = 0; ///< open loop
    double arrivalCv = 1;         ///< open loop, gamma renewal: 1 Poisson, 0 a metronome; of the requests of
                                  ///< questions that draw several, that of the questions x sqrt(samples)
    double samples = 1;           ///< open loop: requests that come at once, for one question
    /// Closed loop: requests of one question under way at once, in the mean; they share an engine, so that a
    /// concurrency below is the share of the engines that have a question.
    double together = 1;
    double loopJitter = 0; ///< closed loop: spread of the duration of equal requests, see Input::loopJitter

    /// Coefficient of variation of the time that an answer takes, as the users of a closed loop see it.
    double outputCvInLoop() const { return std::hypot(outputCv, loopJitter); }
};

/// What the engine may do.
struct EngineLimits {
    double maxSequences = 256;  ///< in the batch, those in prefill included; >= 1
    double kvBytes = 0;         ///< room for KV caches
    double chunkTokens = 8192;  ///< token budget of one step, > 0
    SequenceMemory memory = {}; ///< what a sequence takes of it
    bool reserves = false;      ///< a sequence takes what its whole length needs from its start
    bool mixed = true; ///< prefill chunks ride with decodes; else a step is one or the other, prefill first
    double tokensPerStep = 1;   ///< of one sequence in one decode step; above 1 with speculation
    double requestOverhead = 0; ///< s of a request before it reaches the engine's queue
    bool prefills = true;       ///< false: requests arrive with their KV cache and first token (decode pool)
    bool decodes = true;        ///< false: a request leaves with its first token (prefill pool)
};

/// What one step of the engine computes.
struct StepWork {
    double prefillTokens = 0;   ///< new prompt tokens, of all sequences
    double prefillCached = 0;   ///< tokens before them in their sequences, mean over the new tokens
    double prompts = 0;         ///< sequences that these tokens belong to
    double decodeSequences = 0; ///< sequences that decode
    double decodeContext = 0;   ///< their mean context
};

/// Seconds that a step takes: a pure function of its work, > 0 unless there is none. The simulation takes a
/// step of infinite or of no time (NaN) for an engine that carries nothing.
template <class F>
concept StepTime = requires(const F& step, const StepWork& work) {
    { step(work) } -> std::convertible_to<double>;
};

/// What is asked of a solution: percentiles cost several times what the means do, and change none of them.
enum class ServingDetail { means, percentiles };

/// How an engine runs under a steady load. Means over requests, unless said otherwise.
///
/// A gap (itl) is the time between two consecutive output tokens of a sequence; the tokens that speculation
/// gains in one step share its time evenly. In a decode pool ttft is the wait until the request takes part in
/// its first step.
struct ServingState {
    bool stable = true;           ///< false: more arrives than the engine can do; no latency is finite
    double requestsPerSecond = 0; ///< completed
    double batch = 0;             ///< sequences that decode, mean over time
    double inFlight = 0;          ///< sequences admitted: they hold KV cache
    double queued = 0;            ///< requests that wait for admission
    double utilization = 0;       ///< requestsPerSecond / maximumRequestRate
    double decodeStep = 0;        ///< s, a step that only decodes, at that batch
    double prefillTime = 0;       ///< s in steps of the mean prompt alone in the engine
    double queueWait = 0;         ///< s until admission
    double ttft = 0;              ///< s, time to first token, requestOverhead included
    double itl = 0;               ///< s, mean over all gaps
    double tpot = 0;              ///< s, mean over requests of (e2e - ttft)/(output tokens - 1)
    double e2e = 0;               ///< s, until the last token
    double prefillShare = 0;      ///< of wall time that prefill adds to decoding
    double preemptionsPerRequest = 0;
    Percentiles ttftPercentiles, itlPercentiles; ///< zero where only means were asked for
};

} // namespace alidade
