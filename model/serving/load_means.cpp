// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/load_means.h"

#include "model/explain/normal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade {

LoadMeans loadMeans(const RequestLoad& load, const EngineLimits& limits,
                    const ClosedFormConstants& constants) {
    LoadMeans out{.fitted = constants};
    out.decodeSteps = limits.decodes ? std::max(0.0, load.outputTokens - 1) / limits.tokensPerStep : 0;
    // A long answer is met in the batch in proportion to its length, at a uniform place of it.
    const double spread = 1 + load.outputCv * load.outputCv;
    const double made = load.outputTokens * spread / 2;
    const double madeVariance =
        std::max(0.0, load.outputTokens * load.outputTokens * spread * spread * (spread / 3 - 0.25));
    const double input = load.inputTokens * load.inputCv;
    out.cached = limits.prefills ? load.inputTokens * load.cachedShare : load.inputTokens;
    out.prompt = std::max(limits.prefills ? 1.0 : 0.0, load.inputTokens - out.cached);
    out.promptCv = load.inputCv;
    out.decodeContext = load.inputTokens + made;
    out.contextDeviation = std::sqrt(input * input + madeVariance);
    const double held = limits.reserves ? load.inputTokens + load.outputTokens : out.decodeContext;
    out.sequenceBytes = limits.memory.meanBytesAt(out.decodeSteps > 0 ? held : load.inputTokens);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    out.memoryBatch = out.sequenceBytes > 0 ? limits.kvBytes / out.sequenceBytes : infinity;
    // The first in line waits for room for its prompt: half of it is free in the mean, more where prompts
    // differ.
    const double own =
        limits.reserves ? 1
                        : limits.memory.meanBytesAt(load.inputTokens) / std::max(out.sequenceBytes, 1e-300);
    const double left = own * constants.freeWhenFull * std::min(1 + load.inputCv * load.inputCv, 2.0);
    const double usable = out.memoryBatch >= 1 ? std::max(1.0, out.memoryBatch - left) : out.memoryBatch;
    out.maxBatch = std::min(limits.maxSequences, usable);
    return out;
}

namespace {

/// New tokens of the same prompt before a step's, mean over tokens. Most tokens belong to long prompts: a
/// prompt is met in proportion to its length, which leaves log-normal lengths log-normal.
double tokensBefore(const LoadMeans& means, double tokens) {
    if (means.promptCv <= 0 || tokens <= 0)
        return std::max(0.0, means.prompt - tokens) / 2;
    const double variance = std::log1p(means.promptCv * means.promptCv), deviation = std::sqrt(variance);
    const double biased = means.prompt * std::exp(variance);
    const double place = (std::log(biased / tokens) + variance / 2) / deviation;
    return std::max(0.0, biased * normalBelow(place) - tokens * normalBelow(place - deviation)) / 2;
}

} // namespace

StepWork meanStep(const LoadMeans& means, double decodes, double tokens) {
    return {.prefillTokens = tokens,
            .prefillCached =
                means.cached * (1 + means.promptCv * means.promptCv) + tokensBefore(means, tokens),
            .prompts = tokens > 0 ? std::max(1.0, tokens / means.prompt) : 0,
            .decodeSequences = decodes,
            .decodeContext = decodes > 0 ? means.decodeContext : 0};
}

} // namespace alidade
