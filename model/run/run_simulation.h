// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/run_estimate.h"

#include <cstdint>
#include <vector>

namespace alidade {

// A training run played event by event: failures come at random, checkpoints fall due, what was not yet in
// storage is done again. Checks the closed form of the goodput and gives outcomes to draw.

/// What a run is made of. Seconds; failures are exponential.
struct RunProcess {
    double useful = 0;      ///< time of the steps that count
    double interval = 1;    ///< training time between checkpoints, > 0
    double stall = 0;       ///< a checkpoint stops training
    double drain = 0;       ///< after it, until storage has the checkpoint
    double mtbf = 1;        ///< between failures, > 0
    double recovery = 0;    ///< from a failure to the first step; a failure in it starts it again
    double plannedRate = 0; ///< planned stops per second of the run; no work is lost
    double plannedStop = 0;
    double waitingShare = 0; ///< of the time in which no spare is left, 0..1
};

/// Of an estimate with days. \param run of an estimate whose goodput is not given
RunProcess runProcess(const Run& run);

/// One failure of a drawn run.
struct DrawnFailure {
    double at = 0;   ///< s from the start
    double lost = 0; ///< s of work and stalls that are done again
    double stop = 0; ///< s until the first step, failures meanwhile included
    int cause = 0;   ///< index in failureCauses
};

struct DrawnRun {
    double seconds = 0; ///< from start to finish
    double stalls = 0, planned = 0;
    std::vector<DrawnFailure> failures;
};

/// One outcome. The same seed gives the same run.
DrawnRun drawRun(const RunProcess& process, std::uint64_t seed);

/// What is not known of a run before it starts: standard deviations of ln, 0: known.
struct RunSpread {
    double stepLogSd = 0; ///< of the step time
    double rateLogSd = 0; ///< of the failure rate
};

/// Lengths of so many runs in seconds, ascending.
std::vector<double> drawLengths(const RunProcess& process, int runs, std::uint64_t seed,
                                RunSpread spread = {});

} // namespace alidade
