// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/request_load.h"
#include "model/serving/serving_memory.h"
#include "model/serving/serving_step_cost.h"

#include <array>

namespace alidade {

/// What one pool of a serving scenario does and holds; figures of one worker unless said otherwise.
template <class N>
struct PoolTotalsT {
    ServingStepCost<N> decode; ///< a step that only decodes, at the mean batch
    ServingStepCost<N>
        prefill; ///< a step with one full prefill chunk (the mean prompt, if that is shorter) alone
    ServingMemoryT<N> memory;
    N kvPerSequence{}; ///< bytes on one GPU of a sequence of mean age
    N kvInUse{};       ///< bytes on one GPU of the sequences in the engine, at least one at its full length
    N memoryTotal{}, headroom{};
    N maxConcurrency{}, kvTokens{};
    N batch{}, inFlight{}, utilization{};
    N maxRequestRate{}; ///< requests/s of one worker
    N transferTime{};   ///< s that handing the KV cache over adds to TTFT; decode pool only
    N dollarsPerHour{}; ///< of the whole pool; 0 without a price
    ServingState state; ///< the equilibrium of one worker, plain numbers
    bool fits = false;
};

/// Everything that an evaluation of a serving scenario finds. Large: keep it and evaluate into it again.
template <class N>
struct ServingTotalsT {
    std::array<PoolTotalsT<N>, 2> pools{};
    int poolCount = 0;
    int limitingPool = 0; ///< with the higher utilization
    bool fits = false, stable = false;
    N ttft{}, itl{}, tpot{}, e2e{}, queueTime{}, prefillTime{};
    N requestsPerSecond{}, outputTokensPerSecond{}, inputTokensPerSecond{}, outputTokensPerSecondPerGpu{};
    N maxConcurrency{}, concurrency{}, maxRequestRate{}, prefillShare{}, preemptionsPerRequest{};
    Percentiles ttftPercentiles, itlPercentiles;
    double outsideEngine = 0; ///< s by which a first token is later than its engine counts
    N dollarsPerHour{}, dollarsPerMillionTokens{}, dollarsPerMillionInputTokens{},
        dollarsPerMillionOutputTokens{};
    const PoolTotalsT<N>& decoding() const { return pools[static_cast<std::size_t>(poolCount - 1)]; }
    const PoolTotalsT<N>& prefilling() const { return pools[0]; }
    /// The pool with the least headroom, which decides whether the service fits.
    const PoolTotalsT<N>& fullest() const {
        return poolCount > 1 && pools[1].headroom < pools[0].headroom ? pools[1] : pools[0];
    }
};
using ServingTotals = ServingTotalsT<double>;

} // namespace alidade
