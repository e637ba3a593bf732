// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/steady_state.h"

#include "model/serving/chunk_bound.h"

namespace alidade {

double expectedBatch(const RequestLoad& load, const LoadMeans& means, const StepTable& table) {
    if (load.concurrency > 0)
        return std::min(load.concurrency, means.maxBatch);
    const double perPrompt = table.prefill(means.prompt) - table.prefill(means.prompt / 16);
    const double left = std::max(0.05, 1 - load.requestsPerSecond * perPrompt);
    double batch = 1;
    for (int i = 0; i < 40; ++i) {
        batch = std::min(means.maxBatch, load.requestsPerSecond * means.decodeSteps *
                                             table.decode(std::max(1.0, batch)) / left);
    }
    return batch;
}

namespace {

LoadedEngine engineOf(const RequestLoad& load, const EngineLimits& limits, const LoadMeans& means,
                      const StepTable& table) {
    LoadedEngine engine{load, limits, means, table};
    engine.parts = PromptParts(engine.prompts());
    const double most = std::min(means.maxBatch, unlimitedBatch);
    if (means.decodeSteps <= 0) {
        const double tokens = std::min(limits.chunkTokens, most * means.prompt);
        engine.maximumRate = tokens / means.prompt / table.prefill(tokens);
    } else if (means.prompt <= 0) {
        engine.maximumRate = most / (means.decodeSteps * table.decode(most));
    } else {
        engine.alone =
            engine.meanTimeAlone(limits.chunkTokens, [&](double part) { return table.prefill(part); });
        engine.maximumRate = isChunkBound(engine, most) ? chunkBoundRate(engine)
                                                        : solveClosed<CoarseBacklog>(engine, most).rate;
    }
    return engine;
}

} // namespace

double maximumRequestRate(const RequestLoad& load, const EngineLimits& limits, const LoadMeans& means,
                          const StepTable& table) {
    return engineOf(load, limits, means, table).maximumRate;
}

ServingState overloadedState(const RequestLoad& load, double maximumRate) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    ServingState out{.stable = false, .requestsPerSecond = maximumRate};
    out.utilization = maximumRate > 0 ? load.requestsPerSecond / maximumRate : infinity;
    out.queueWait = out.ttft = out.e2e = out.queued = infinity;
    out.prefillTime = out.itl = out.tpot = infinity;
    out.ttftPercentiles = out.itlPercentiles = {infinity, infinity, infinity, infinity};
    return out;
}

namespace {

/// An engine with more than it can do works as in a closed loop of as many users as it holds.
ServingState overloaded(const RequestLoad& load, const EngineLimits& limits, const LoadMeans& means,
                        const StepTable& table, double maximumRate) {
    ServingState out = overloadedState(load, maximumRate);
    RequestLoad full = load;
    full.requestsPerSecond = 0;
    full.concurrency = std::min(means.maxBatch, unlimitedBatch);
    const ServingState busy = equilibrium(full, limits, means, table, ServingDetail::means);
    out.batch = busy.batch;
    out.inFlight = busy.inFlight;
    out.decodeStep = busy.decodeStep;
    out.prefillShare = busy.prefillShare;
    out.preemptionsPerRequest = busy.preemptionsPerRequest;
    return out;
}

} // namespace

ServingState equilibrium(const RequestLoad& load, const EngineLimits& limits, const LoadMeans& means,
                         const StepTable& table, ServingDetail detail) {
    if (load.concurrency > 0 && load.concurrency < load.together) { // of more replicas than users
        RequestLoad one = load;
        one.concurrency = load.together;
        ServingState out = equilibrium(one, limits, means, table, detail);
        for (double* each : {&out.requestsPerSecond, &out.batch, &out.inFlight, &out.queued,
                             &out.prefillShare, &out.utilization}) {
            *each *= load.concurrency / load.together;
        }
        return out;
    }
    const LoadedEngine engine = engineOf(load, limits, means, table);
    const double maximum = engine.maximumRate;
    const bool open = load.concurrency <= 0;
    if (open && load.requestsPerSecond >= maximum)
        return overloaded(load, limits, means, table, maximum);
    const bool bound = !open && isChunkBound(engine, std::min(load.concurrency, means.maxBatch));
    const auto solve = means.decodeSteps <= 0 ? prefillPool
                       : means.prompt <= 0    ? decodePool
                       : open                 ? openLoop
                       : bound                ? chunkBoundLoop
                                              : closedLoop;
    ServingState out = solve(engine, detail);
    out.utilization = std::min(1.0, out.requestsPerSecond / maximum);
    out.prefillTime = means.prompt > 0 ? engine.promptAlone() : 0;
    out.tpot = out.itl;
    return out;
}

} // namespace alidade
