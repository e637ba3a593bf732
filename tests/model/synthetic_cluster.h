// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/observation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alidade::tests {

/// A fault of a synthetic cluster; seconds after its start.
struct Trouble {
    enum class Kind {
        straggler,    ///< `amount`: own compute time over the median
        heat,         ///< thermal violation without a lower clock
        retransmits,  ///< `amount`: penalty of the step; on `devices` devices
        hang,         ///< then a restart of 150 s
        xid,          ///< `code`; with `crash` the node reboots and the job restarts
        lostGpu,      ///< its series end
        down,         ///< all exporters of the node
        blank,        ///< no profiling values
        badLoss,      ///< the loss is not a number
        risingErrors, ///< corrected ones, ever faster
        steadyErrors, ///< corrected ones, `amount` an hour
        remapFailure, ///< the flag goes up
        connections,  ///< `amount` impaired connections
    };
    Kind kind = Kind::straggler;
    int host = 0, gpu = 0;
    double start = 0, end = 1e9;
    double amount = 0;
    int code = 0;
    bool crash = false;
    int devices = 2;
};

/// A time without samples of anything; seconds after the start of the cluster.
struct Blackout {
    double start = 0, end = 0;
    bool silent = false; ///< the exporters are asked and none answers; else they are not asked
};

/// A training job on a few nodes, with noise, as an observation; by default without faults.
struct SyntheticCluster {
    int nodes = 8, gpus = 8, devices = 4; ///< devices: EFA, of a node
    int spares = 0;                       ///< of the nodes, the last ones, idle
    double start = 1767225600, step = 30, hours = 2;
    std::uint64_t seed = 1;
    double noise = 0.01; ///< relative standard deviation of what is measured
    double gaps = 0;     ///< share of the samples that are missing, anywhere
    double stepTime = 6.1;
    double checkpointEvery = 250, checkpointLength = 12; ///< s; 0: none
    double warmUp = 0;                                   ///< s before the first step
    double rateWindow = 120;                             ///< s
    bool ownTimes = true;                                ///< the job tells the compute time of each node
    bool jobMetrics = true;                              ///< step time and the like
    bool checkpointMetric = true;
    std::vector<Trouble> troubles;
    std::vector<Blackout> blackouts;

    Observation observe() const;
    static std::string host(int index); ///< "gpu-0001" for 0
};

} // namespace alidade::tests
