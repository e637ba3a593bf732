// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// One phase of a step of reinforcement learning.
template <class N>
struct RlPhaseT {
    std::string name; ///< "generation", "log_prob", "reference", "values", "reward", "update", ...
    std::string pool; ///< "rollout", "training", or "all" where both take turns on the same GPUs
    N start{}, seconds{};
    N exposed{}; ///< of the seconds, that lengthen the step
    Bound bound = Bound::compute;
};

/// Memory of one GPU of a pool in a phase.
template <class N>
struct RlMemoryT {
    std::string phase;
    N bytes{};
    std::vector<MemoryPartT<N>> parts; ///< sum to `bytes`
};

template <class N>
struct RlPoolT {
    std::string name;
    int gpus = 0;
    N idleShare{};     ///< of the step, in which the pool waits
    N capacityBytes{}; ///< usable memory of a GPU
    std::vector<RlMemoryT<N>> memory;
};

/// Of a curve over the rollout: seconds from its start, and the share of its first sequences still under way.
struct RlRolloutPoint {
    double seconds = 0, share = 0;
};

/// A step time with the GPUs shared out in another way.
struct RlSplitPoint {
    int rolloutGpus = 0;
    double stepTime = 0, rolloutTime = 0, trainTime = 0; ///< s; the sides alone
    bool fits = true;
};

template <class N>
struct ReinforcementT {
    N stepTime{};
    N tokensPerStep{};   ///< prompt and response tokens of the sequences of a step
    N tokensPerSecond{}; ///< the same, per second of the step
    N responseTokensPerSecond{};
    N tokensPerSecondPerGpu{};
    std::optional<N> dollarsPer1000Steps; ///< absent without a price
    N gpuHoursPer1000Steps{};
    std::optional<N> runTime;          ///< s, of all steps; absent without workload.steps
    N staleness{};                     ///< steps that the oldest responses are behind the weights, mean
    N idleShare{};                     ///< of all GPU time
    N flopsPerSecondPerGpu{};          ///< model FLOP of all phases / time of all GPUs
    N weightBytes{};                   ///< that a synchronization moves, once
    N checkpointBytes{};               ///< of all trained models
    N storageBytes{};                  ///< of the file system for checkpoints; 0: not provisioned
    std::string storage;               ///< catalog id
    double storageDollarsPerMonth = 0; ///< us-east-1; 0: the catalog has no price
    std::string limit;                 ///< "rollout", "training" or "both": what the step waits for
    std::vector<RlPhaseT<N>> phases;
    std::vector<RlPoolT<N>> pools;
    // The rollout
    N longest{};                        ///< tokens of the response that ends it
    N tailSeconds{};                    ///< of it, with less than half of the first batch under way
    double tailShare = 0, cutShare = 0; ///< of the responses: in the tail, cut at the limit
    double meanBatch = 0, places = 0;   ///< sequences of an engine: mean, most at once
    int engines = 1;
    double refillEnd = 0; ///< s from its start, when no waiting sequence is left to take a free slot
    std::vector<RlRolloutPoint> rollout;
    int updates = 1;                  ///< of a step
    std::vector<RlSplitPoint> splits; ///< only where asked for
};
using Reinforcement = ReinforcementT<double>;

} // namespace alidade
