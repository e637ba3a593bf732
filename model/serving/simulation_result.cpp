// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/engine_simulation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

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
    if (ascending.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const double at = q * static_cast<double>(ascending.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, ascending.size() - 1);
    return ascending[low] + (at - static_cast<double>(low)) * (ascending[high] - ascending[low]);
}

} // namespace

Percentiles percentilesOf(const std::vector<double>& ascending) {
    return {.p50 = quantileOf(ascending, 0.5),
            .p90 = quantileOf(ascending, 0.9),
            .p95 = quantileOf(ascending, 0.95),
            .p99 = quantileOf(ascending, 0.99)};
}

Percentiles percentilesOf(const std::vector<WeightedSample>& ascending) {
    constexpr std::array<std::pair<double, double Percentiles::*>, 4> wanted{{{0.5, &Percentiles::p50},
                                                                              {0.9, &Percentiles::p90},
                                                                              {0.95, &Percentiles::p95},
                                                                              {0.99, &Percentiles::p99}}};
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    Percentiles out{.p50 = none, .p90 = none, .p95 = none, .p99 = none};
    double total = 0;
    for (const WeightedSample& sample : ascending)
        total += sample.second;
    double below = 0;
    std::size_t next = 0;
    for (const auto& [value, count] : ascending) {
        below += count;
        for (; next < wanted.size() && below >= wanted[next].first * total; ++next)
            out.*wanted[next].second = value;
    }
    return out;
}

namespace {

/// So many of them, evenly.
void addEvenly(const std::vector<double>& ascending, double count, std::vector<double>& into) {
    const auto whole = static_cast<std::size_t>(std::min(count + 0.5, static_cast<double>(ascending.size())));
    for (std::size_t i = 0; i < whole; ++i)
        into.push_back(ascending[(2 * i + 1) * ascending.size() / (2 * whole)]);
}

/// \param share of the second ones
std::vector<double> mixedSamples(const std::vector<double>& first, const std::vector<double>& second,
                                 double share) {
    const double all =
        std::min(static_cast<double>(first.size()) / (1 - share), static_cast<double>(second.size()) / share);
    std::vector<double> out;
    addEvenly(first, all * (1 - share), out);
    addEvenly(second, all * share, out);
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<WeightedSample> mixedSamples(const std::vector<WeightedSample>& first,
                                         const std::vector<WeightedSample>& second, double share) {
    std::vector<WeightedSample> out;
    const auto add = [&out](const std::vector<WeightedSample>& samples, double part) {
        double weight = 0;
        for (const WeightedSample& sample : samples)
            weight += sample.second;
        for (const auto& [value, count] : samples)
            out.emplace_back(value, count * part / weight);
    };
    add(first, 1 - share);
    add(second, share);
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

SimulationResult mixed(const SimulationResult& first, const SimulationResult& second, double share) {
    const ServingState &a = first.state, &b = second.state;
    if (!a.stable || !b.stable)
        return a.stable ? second : first;
    const double rate = (1 - share) * a.requestsPerSecond + share * b.requestsPerSecond;
    const double asked = rate > 0 ? share * b.requestsPerSecond / rate : share;
    if (asked <= 0 || asked >= 1) // stopped before one of them had done anything
        return asked <= 0 ? first : second;
    SimulationResult out;
    for (const auto member : {&ServingState::requestsPerSecond, &ServingState::batch, &ServingState::inFlight,
                              &ServingState::queued, &ServingState::prefillShare}) {
        out.state.*member = (1 - share) * a.*member + share * b.*member;
    }
    for (const auto member :
         {&ServingState::decodeStep, &ServingState::queueWait, &ServingState::ttft, &ServingState::itl,
          &ServingState::tpot, &ServingState::e2e, &ServingState::preemptionsPerRequest}) {
        out.state.*member = (1 - asked) * a.*member + asked * b.*member;
    }
    out.ttft = mixedSamples(first.ttft, second.ttft, asked);
    out.tpot = mixedSamples(first.tpot, second.tpot, asked);
    out.e2e = mixedSamples(first.e2e, second.e2e, asked);
    out.itl = mixedSamples(first.itl, second.itl, asked);
    out.state.ttftPercentiles = percentilesOf(out.ttft);
    out.state.itlPercentiles = percentilesOf(out.itl);
    for (const auto member :
         {&SimulationResult::requestsIn, &SimulationResult::requestsOut, &SimulationResult::tokensAsked,
          &SimulationResult::tokensMade, &SimulationResult::preemptions, &SimulationResult::steps}) {
        out.*member = first.*member + second.*member;
    }
    out.stopped = first.stopped || second.stopped;
    return out;
}

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
    std::ranges::sort(out_.itl, {}, &WeightedSample::first);
    ServingState& state = out_.state;
    const double wall = std::max((windowEnd_ >= 0 ? windowEnd_ : now_) - windowStart_, 1e-300);
    const double done = std::max(measuredDone_, 1);
    const double cycle = load_.concurrency > 0 ? meanOf(out_.e2e) : 0;
    // By Little's law where it is known how many are always under way: users in step end in waves, of which a
    // window does not hold a whole number.
    state.requestsPerSecond = cycle > 0 ? load_.concurrency / cycle : completedInWindow_ / wall;
    state.batch = batchTime_ / wall;
    state.inFlight = flightTime_ / wall;
    state.queued = queueTime_ / wall;
    state.prefillShare = std::min(1.0, extraTime_ / wall); // the window begins and ends within a step
    state.decodeStep = decodeStepWeight_ > 0 ? decodeStepSum_ / decodeStepWeight_ : 0;
    for (double* each :
         {&state.requestsPerSecond, &state.batch, &state.inFlight, &state.queued, &state.prefillShare}) {
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
        for (double& value : out_.ttft)
            value += longer;
        for (double& value : out_.e2e)
            value += longer;
    }
    state.ttft = meanOf(out_.ttft);
    state.e2e = meanOf(out_.e2e);
    state.ttftPercentiles = percentilesOf(out_.ttft);
    state.itlPercentiles = percentilesOf(out_.itl);
    if (overloaded())
        state.stable = false;
    if (!state.stable) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        state.queueWait = state.ttft = state.e2e = infinity;
        state.prefillTime = state.itl = state.tpot = infinity;
        state.ttftPercentiles = state.itlPercentiles = {infinity, infinity, infinity, infinity};
    }
    return std::move(out_);
}

} // namespace alidade
