// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/pool_model.h"

#include "model/serving/speculation.h"

#include <algorithm>
#include <limits>

namespace alidade {

EngineLimits engineLimits(const ServingPlan& plan, const Inputs& in, const ServingMemoryT<double>& memory) {
    EngineLimits out;
    const double ranks = plan.attentionDataParallel; // a sequence lies on one of them
    out.memory = {.bytesPerToken = memory.sequence.bytesPerToken,
                  .windowBytesPerToken = memory.sequence.windowBytesPerToken,
                  .window = memory.sequence.window,
                  .constantBytes = memory.sequence.constantBytes,
                  .blockTokens = std::max(1.0, in[Input::kvBlock]),
                  .sharedTokens = in[Input::sharedPrompt]};
    out.kvBytes = ranks * std::max(0.0, memory.kvCapacity + memory.kvOffloaded);
    out.maxSequences =
        in[Input::largestBatch] > 0 ? ranks * in[Input::largestBatch] : std::numeric_limits<double>::max();
    out.chunkTokens = in[Input::chunkTokens] * ranks;
    out.mixed = plan.mixedPrefill;
    out.reserves = plan.reservesRequests;
    out.tokensPerStep =
        in[Input::draftTokens] > 0 ? speculativeTokens(in[Input::acceptance], in[Input::draftTokens]) : 1;
    // Where one engine does both, the evaluation adds what passes outside; see latencies.
    out.requestOverhead = plan.phase == ServingPhase::prefill ? in[Input::servingRequestOverhead] : 0;
    out.prefills = plan.phase != ServingPhase::decode;
    out.decodes = decodes(plan, in);
    return out;
}

RequestLoad workerLoad(const Inputs& in, double requestsPerSecond, double concurrency) {
    const double workers = std::max(1.0, in[Input::workers]);
    const double prompt = in[Input::inputTokens]; // what a sample does not hold, the others do
    return {.inputTokens = in[Input::inputTokens],
            .inputCv = in[Input::inputTokensCv],
            .outputTokens = in[Input::outputTokens],
            .outputCv = in[Input::outputTokensCv],
            .cachedShare = in[Input::prefixCacheHit],
            .concurrency = concurrency / workers,
            .requestsPerSecond = requestsPerSecond / workers,
            .arrivalCv = in[Input::arrivalCv],
            .samples = std::max(1.0, in[Input::samplesPerPrompt]),
            .together = prompt > 0 ? prompt / (prompt - in[Input::sharedPrompt]) : 1,
            .loopJitter = in[Input::loopJitter]};
}

} // namespace alidade
