// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/run_estimate.h"

#include <vector>

namespace alidade {

// What another checkpoint interval would make of a run of which all else stays. For runs that write a
// checkpoint from time to time (async, sync) and whose goodput is not given.

/// Whether the interval of the run is a choice at all.
bool hasInterval(const Run& run);

/// Seconds of training: a checkpoint has to be in storage before the next one starts.
double shortestInterval(const Run& run);

/// Share of the time in steps that count. \param interval s of training time, > 0
double goodputAt(const Run& run, double interval);

/// With failures so many times as frequent and the interval as it is; planned stops and waiting stay.
/// \param rate > 0
double goodputAtRate(const Run& run, double rate);

/// Days from start to finish; 0 where the run has no length.
double daysAt(const Run& run, double interval);

struct CheckpointPoint {
    double interval = 0; ///< s of training time
    double goodput = 0;
};

/// Points at equal ratios from one interval to the other, both included.
/// \param from > 0, less than `to`; \param points at least 2
std::vector<CheckpointPoint> checkpointCurve(const Run& run, double from, double to, int points);

} // namespace alidade
