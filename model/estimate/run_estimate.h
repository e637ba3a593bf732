// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"
#include "model/plan/run_plan.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

// The part of an estimate that is about a whole training run; see estimate.h. Quantities are SI, days where
// the name says so.

/// Days from start to finish. The quantiles cover the error of the step time, the uncertainty of the failure
/// rate and the chance of when failures come.
template <class N>
struct RunDaysT {
    N p10{}, p50{}, p90{}, mean{};
};

/// Time that one cause takes from the run. Over all causes `seconds` sums to run time x (1 - goodput).
template <class N>
struct LostTimeT {
    std::string cause;
    N times{};
    N restart{}; ///< s, detection, restart and reading the state
    N redone{};  ///< s, work that is done again, or time in which nothing is done for another reason
    N seconds{}; ///< both
    std::optional<N> dollars;
};

/// Where a checkpoint can go, and how long that takes all nodes together.
template <class N>
struct CheckpointTierT {
    std::string tier; ///< "host memory", "local NVMe", "file system", "S3", "S3 by export"
    N bytesPerSecond{}, seconds{};
    Bound bound = Bound::storage; ///< c2c: the host links; efa or network: the nodes; storage: the tier
};

template <class N>
struct CheckpointT {
    N bytes{}, interval{}, bestInterval{}, young{}, daly{}; ///< intervals: s of training time
    N stall{}, drain{}, restore{};                          ///< s
    N count{};                                              ///< in the run; 0 without tokens
    std::vector<CheckpointTierT<N>> tiers;
};

template <class N>
struct RunT {
    CheckpointMode mode = CheckpointMode::async;
    std::optional<RunDaysT<N>> days; ///< absent without workload.tokens, like all that a length is needed for
    N goodput{};
    N mtbf{};          ///< s between unexpected interruptions
    N recovery{};      ///< s from a failure to the first step
    N interruptions{}; ///< in the run
    std::vector<LostTimeT<N>> lost;
    CheckpointT<N> checkpoint;
    N dataRate{};                      ///< bytes/s that the steps take
    Bound dataBound{};                 ///< what limits their supply
    N dataSupply{};                    ///< bytes/s
    N dataExposed{};                   ///< s of a step
    N dataFirst{};                     ///< bytes/s in the first pass over the data set
    N dataEpochs{};                    ///< passes over the data set
    N cacheHit{};                      ///< of later passes, in a cache on the local drives, 0..1
    N cacheSaves{};                    ///< s of a step that such a cache saves, whether it is planned or not
    N storageBytes{};                  ///< provisioned; 0: not provisioned
    std::string storage;               ///< catalog id
    double storageDollarsPerMonth = 0; ///< us-east-1; 0: the catalog has no price
    N spares{};                        ///< given, or nodes of the cluster that the plan leaves free
    int bestSpares = 0;
    N nodesInRepair{}; ///< mean
    std::optional<N> energyKwh, carbonKg;
    N meanWatts{}, peakWatts{}, steppingWatts{}, stoppedWatts{}; ///< host and PUE included
    std::string start, deadline;                                 ///< dates as in the scenario; may be empty
};

/// Share of the outcomes that end within so many days, 0..1: a log-normal distribution through the
/// quantiles.
double chanceWithin(const RunDaysT<double>& days, double limit);

using Run = RunT<double>;
using LostTime = LostTimeT<double>;

} // namespace alidade
