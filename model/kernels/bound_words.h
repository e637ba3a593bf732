// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"

namespace alidade {

/// What people read of a class of time.
struct BoundWords {
    const char* title; ///< of a legend or a cell
    const char* brief; ///< the same where there is little room
    const char* time;  ///< what the time is spent on, to follow "most of it in"
    const char* limit; ///< to follow "bound by"
};

constexpr BoundWords boundWords(Bound bound) {
    switch (bound) {
    case Bound::compute:
        return {"Compute", "Compute", "compute", "compute"};
    case Bound::hbm:
        return {"HBM", "HBM", "HBM traffic", "HBM bandwidth"};
    case Bound::latency:
        return {"Latency", "Latency", "launch latency", "latency"};
    case Bound::nvlink:
        return {"NVLink", "NVLink", "NVLink traffic", "NVLink"};
    case Bound::efa:
        return {"EFA", "EFA", "EFA traffic", "EFA"};
    case Bound::network:
        return {"Network", "Network", "network traffic", "the network"};
    case Bound::c2c:
        return {"Host link", "Host link", "host-link traffic", "the host link"};
    case Bound::exposed:
        return {"Exposed comm.", "Exposed", "exposed communication", "exposed communication"};
    case Bound::bubble:
        return {"Bubble", "Bubble", "the pipeline bubble", "the pipeline bubble"};
    case Bound::optimizer:
        return {"Optimizer", "Optimizer", "the optimizer", "the optimizer"};
    case Bound::storage:
        return {"Storage", "Storage", "storage", "storage"};
    case Bound::straggler:
        return {"Straggler", "Straggler", "waiting for stragglers", "the slowest GPU"};
    }
    return {};
}

} // namespace alidade
