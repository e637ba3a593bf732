// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/engine_simulation.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace alidade {

namespace {

double meanOf(const std::vector<double>& values) {
    return values.empty()
               ? 0
               : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double meanOf(const std::vector<WeightedSample>& samples) {
    double sum = 0, weight = 0;
    for (const auto& [value, count] : samples) {
        sum += value * count;
        weight += count;
    }
    return weight > 0 ? sum / weight : 0;
}

double quantileOf(const std::vector<double>& ascending, double q) {
    if (ascending.empty()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const double at = q * static_cast<double>(ascending.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, ascending.size() - 1);
    return ascending[low] + (at - static_cast<double>(low)) * (ascending[high] - ascending[low]);
}

double quantileOf(const std::vector<WeightedSample>& ascending, double q) {
    double total = 0;
    for (const WeightedSample& sample : ascending) {
        total += sample.second;
    }
    double below = 0;
    for (const auto& [value, count] : ascending) {
        below += count;
        if (below >= q * total) {
            return value;
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
}

template <class Samples>
Percentiles percentiles(const Samples& ascending) {
    return {.p50 = quantileOf(ascending, 0.5),
            .p90 = quantileOf(ascending, 0.9),
            .p95 = quantileOf(ascending, 0.95),
            .p99 = quantileOf(ascending, 0.99)};
}

} // namespace

Percentiles percentilesOf(const std::vector<double>& ascending) { return percentiles(ascending); }
Percentiles percentilesOf(const std::vector<WeightedSample>& ascending) { return percentiles(ascending); }

/// The queue of an overloaded engine grows all the time: at the end of the measured arrivals it holds a good
/// part of them, whatever their number.
bool EngineSimulation::overloaded() const {
    constexpr double part = 0.1;
    return load_.concurrency <= 0 && windowEnd_ >= 0 &&
           queuedAtEnd_ > static_cast<std::size_t>(part * options_.requests) &&
           queuedAtEnd_ > 2 * queuedAtStart_;
}

SimulationResult EngineSimulation::result() {
    std::sort(out_.ttft.begin(), out_.ttft.end());
    std::sort(out_.tpot.begin(), out_.tpot.end());
    std::sort(out_.e2e.begin(), out_.e2e.end());
    std::sort(out_.itl.begin(), out_.itl.end());
    ServingState& state = out_.state;
    const double wall = std::max((windowEnd_ >= 0 ? windowEnd_ : now_) - windowStart_, 1e-300);
    const double done = std::max(measuredDone_, 1);
    state.requestsPerSecond = completedInWindow_ / wall;
    state.batch = batchTime_ / wall;
    state.inFlight = flightTime_ / wall;
    state.queued = queueTime_ / wall;
    state.prefillShare = extraTime_ / wall;
    state.decodeStep = decodeStepWeight_ > 0 ? decodeStepSum_ / decodeStepWeight_ : 0;
    for (double* each : {&state.requestsPerSecond, &state.batch, &state.inFlight, &state.prefillShare}) {
        *each *= share_;
    }
    state.preemptionsPerRequest /= done;
    state.queueWait = waitSum_ / done;
    state.itl = meanOf(out_.itl);
    state.tpot = meanOf(out_.tpot);
    if (left_ > 0 && state.requestsPerSecond > 0) {
        const double longer = left_ / state.requestsPerSecond;
        state.queued += left_;
        state.queueWait += longer;
        for (double& value : out_.ttft) {
            value += longer;
        }
        for (double& value : out_.e2e) {
            value += longer;
        }
    }
    state.ttft = meanOf(out_.ttft);
    state.e2e = meanOf(out_.e2e);
    state.ttftPercentiles = percentilesOf(out_.ttft);
    state.itlPercentiles = percentilesOf(out_.itl);
    if (overloaded()) {
        state.stable = false;
    }
    if (!state.stable) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        state.queueWait = state.ttft = state.e2e = infinity;
        state.prefillTime = state.itl = state.tpot = infinity;
        state.ttftPercentiles = state.itlPercentiles = {infinity, infinity, infinity, infinity};
    }
    return std::move(out_);
}

} // namespace alidade
