// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/chunk_bound.h"

namespace alidade {

bool isChunkBound(const LoadedEngine& e, double users) {
    if (!e.limits.mixed || e.means.decodeSteps <= 0 || e.means.prompt <= 0)
        return false;
    // Here the bound and the chain of prompts meet, within a few per cent: the bound knows nothing of the
    // steps that fewer users leave partly empty, and the lattice of the chain ends before the line of more
    // users does.
    return users > e.means.fitted.chunkBound * e.balancedBatch();
}

double chunkBoundRate(const LoadedEngine& e) {
    const double decodes = e.balancedBatch();
    return decodes / e.means.decodeSteps / e.table.mixed(decodes, e.limits.chunkTokens - decodes);
}

ServingState chunkBoundLoop(const LoadedEngine& e, ServingDetail /*detail*/) {
    const double users = std::min(e.load.concurrency, e.means.maxBatch);
    const double decodes = std::min(e.balancedBatch(), users);
    const double tokens = e.limits.chunkTokens - decodes;
    const double step = e.table.mixed(decodes, tokens), rate = decodes / e.means.decodeSteps / step;
    ServingState out;
    out.requestsPerSecond = rate;
    out.batch = decodes;
    out.inFlight = users;
    out.queued = e.load.concurrency - users;
    out.queueWait = out.queued / rate;
    out.decodeStep = e.table.decode(decodes);
    // Prompts wait for those before them, then take their chunks.
    const double chunks = std::max(1.0, e.means.prompt / tokens);
    const double prefill = std::max((users - decodes) / rate, chunks * step);
    out.ttft = e.limits.requestOverhead + out.queueWait + prefill;
    out.itl = step / e.limits.tokensPerStep;
    out.e2e = out.ttft + e.means.decodeSteps * step;
    out.prefillShare = 1 - out.decodeStep / step;
    // Those before it are many: their sum is normal, and one of them takes 1/rate in the mean.
    const double deviation = e.load.inputCv * std::sqrt(std::max(1.0, e.load.concurrency - decodes)) / rate;
    out.ttftPercentiles = {.p50 = out.ttft,
                           .p90 = out.ttft + step + 1.2816 * deviation,
                           .p95 = out.ttft + step + 1.6449 * deviation,
                           .p99 = out.ttft + 2 * step + 2.3263 * deviation};
    out.itlPercentiles = {out.itl, out.itl, out.itl, out.itl};
    return out;
}

} // namespace alidade
