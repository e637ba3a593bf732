// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/engine_simulation.h"

#include <cmath>

namespace alidade {

/// Takes many decode steps at once where nothing else happens meanwhile and their times lie on a straight
/// line (first, middle and last agree to a millionth): then the sum is exact. False if they do not.
template <StepTime F>
bool leap(EngineSimulation& engine, const F& step, double first) {
    constexpr std::int64_t fewest = 8;
    for (std::int64_t steps = engine.quietSteps(); steps >= fewest; steps /= 2) {
        const auto after = static_cast<double>(steps - 1);
        const double last = step(engine.workAfter(after)), middle = step(engine.workAfter(after / 2));
        if (std::abs(first + last - 2 * middle) <= 1e-6 * middle) {
            engine.advance(steps, first, last);
            return true;
        }
    }
    return false;
}

/// The step that was planned, or quiet ones from it on.
template <StepTime F>
void playStep(EngineSimulation& engine, const F& step) {
    const StepWork& work = engine.work();
    const double seconds = step(work);
    if (!leap(engine, step, seconds))
        engine.advance(seconds, engine.wantsDecodeOnly() ? step(engine.decodeOnly()) : seconds);
}

/// Plays recorded requests until a time, s: the last step may end after it. Infinite: until all are answered.
template <StepTime F>
void playRecorded(EngineSimulation& engine, double until, const F& step) {
    engine.playTo(until);
    while (engine.now() < until && engine.open() > 0 && engine.plan())
        playStep(engine, step);
}

template <StepTime F>
SimulationResult playEngine(const RequestLoad& load, const EngineLimits& limits, const F& step,
                            const SimulationOptions& options) {
    EngineSimulation engine(load, limits, options);
    while (engine.plan())
        playStep(engine, step);
    return engine.result();
}

/// Plays the engine step by step: first come, first served; a sequence that finds no room to grow preempts
/// the youngest one, which is computed again (vLLM's rule). All users of a closed loop ask at once at the
/// start, as benchmarks do. A request that is longer than the KV cache is cut to it.
///
/// Users that do not divide among the replicas of a deployment: with 2.3 of them on an engine, seven engines
/// of ten have two users and three have three; both are played, each its part of the requests.
///
/// The same arguments give the same result. Stops early, with what there is, where `stop` asks for it.
template <StepTime F>
SimulationResult simulate(const RequestLoad& load, const EngineLimits& limits, const F& step,
                          const SimulationOptions& options = {}) {
    constexpr double many = 64; // users: one of them makes less of a difference than the sample
    const double users = load.concurrency, fewer = std::floor(users), share = users - fewer;
    if (users < load.together || users > many || share == 0)
        return playEngine(load, limits, step, options);
    const auto play = [&](double each, double engines) {
        RequestLoad part = load;
        part.concurrency = each;
        SimulationOptions some = options;
        constexpr double least = 0.2; // of the requests, for a mean that says something
        const double requests = std::max(least, engines * each / users) * options.requests;
        some.requests = std::max(1, static_cast<int>(requests));
        return playEngine(part, limits, step, some);
    };
    return mixed(play(fewer, 1 - share), play(fewer + 1, share), share);
}

} // namespace alidade
