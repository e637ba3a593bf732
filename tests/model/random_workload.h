// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/steady_state.h"

#include <random>

/// Random serving workloads on an engine with a simple step.
namespace alidade {

/// Memory bound up to a corner, compute bound beyond it; decodes read their own caches besides.
struct KneeStep {
    double fixed = 0, weights = 0, perToken = 0, perSequence = 0, perContext = 0;
    double operator()(const StepWork& w) const {
        return fixed + std::max(weights, perToken * (w.prefillTokens + w.decodeSequences)) +
               perSequence * w.decodeSequences + perContext * w.decodeSequences * w.decodeContext;
    }
};

struct Workload {
    RequestLoad load;
    EngineLimits limits;
    KneeStep step;
};

struct Draw {
    std::mt19937_64 engine;
    double share() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
    double real(double low, double high) { return low + (high - low) * share(); }
    double scale(double low, double high) { return low * std::pow(high / low, share()); }
    double spread() {
        constexpr double cvs[] = {0, 0.3, 0.6, 1, 1.5};
        return cvs[static_cast<std::size_t>(share() * 5)];
    }
};

/// The number of users at which the engine is used so much.
inline double usersAt(double utilization, Workload w) {
    double low = 1, high = loadMeans(w.load, w.limits).maxBatch;
    for (int i = 0; i < 40; ++i) {
        const double middle = std::sqrt(low * high);
        w.load.concurrency = std::max(1.0, std::round(middle));
        (steadyState(w.load, w.limits, w.step, ServingDetail::means).utilization < utilization ? low : high) =
            middle;
    }
    return std::max(1.0, std::round(low));
}

/// Mixed and prefill first, open and closed in turn; a quarter with little room for caches, all with `tight`.
/// \param series other workloads for each
inline Workload randomWorkload(int index, bool tight, int series = 0) {
    Draw draw{std::mt19937_64(static_cast<std::uint64_t>(100000 * series + (tight ? 5000 : 1000) + index))};
    Workload out;
    out.step = {.fixed = draw.real(0.003, 0.012),
                .weights = draw.real(0.002, 0.012),
                .perToken = draw.scale(1.5e-5, 8e-5),
                .perSequence = draw.scale(5e-6, 1e-4),
                .perContext = draw.scale(2e-9, 4e-8)};
    RequestLoad& load = out.load;
    load.inputTokens = std::round(draw.scale(100, 6000));
    load.outputTokens = std::round(draw.scale(20, 800));
    load.inputCv = draw.spread();
    load.outputCv = draw.spread();
    EngineLimits& limits = out.limits;
    limits.mixed = index % 2 == 1;
    limits.chunkTokens = std::round(draw.scale(1024, 8192));
    limits.maxSequences = std::round(draw.scale(16, 256));
    limits.memory = {.bytesPerToken = 1, .blockTokens = 16};
    limits.kvBytes = 1e9;
    const bool little = draw.share() < 0.25;
    if (little || tight) {
        limits.kvBytes =
            loadMeans(load, limits).sequenceBytes * (tight ? draw.real(6, 12) : draw.real(8, 30));
    }
    const double utilization = tight ? draw.real(0.6, 0.8) : draw.real(0.2, 0.8);
    if (index / 2 % 2 == 0)
        load.requestsPerSecond = utilization * maximumRequestRate(load, limits, out.step);
    else
        load.concurrency = usersAt(utilization, out);
    return out;
}

} // namespace alidade
