// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/job_timeline.h"

namespace alidade {

/// How much slower than the job's median each node is.
struct RelativeTimes {
    bool own = false; ///< from compute times that the job reports; else from clocks and tensor work
    std::vector<std::vector<double>> hosts; ///< by host of the cluster; empty: not known; NaN: no data
};

/// Own compute time over the job's median, where the job reports it. Else what a node of a synchronous job
/// can be late by: the time its slowest GPU takes for the same work, which goes with 1 / SM clock, and tensor
/// work (activity x clock) that it does less than the others. Activity alone would mislead: at a lower clock
/// the same work keeps the pipes busy for longer. NaN where the job stands.
RelativeTimes relativeTimes(const ClusterDigest& cluster, const JobTimeline& job);

} // namespace alidade
