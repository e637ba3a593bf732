// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

namespace alidade {

/// The limiting factor of an operation or of a part of a step.
enum class Bound {
    compute,   ///< arithmetic units
    hbm,       ///< bandwidth of the GPU's own memory
    latency,   ///< fixed costs: launches, hops, synchronization
    nvlink,    ///< links inside an NVLink domain
    efa,       ///< network cards with EFA
    network,   ///< any other network between nodes
    c2c,       ///< link between a GPU and its CPU
    exposed,   ///< data-parallel and other traffic not hidden by compute
    bubble,    ///< a pipeline stage that waits
    optimizer, ///< the weight update
    storage,   ///< reading data, writing checkpoints
    straggler, ///< waiting for the slowest
};

inline constexpr std::array allBounds{Bound::compute, Bound::hbm,       Bound::latency, Bound::nvlink,
                                      Bound::efa,     Bound::network,   Bound::c2c,     Bound::exposed,
                                      Bound::bubble,  Bound::optimizer, Bound::storage, Bound::straggler};

/// The lower-case word in files and on the command line.
constexpr std::string_view boundName(Bound bound) {
    switch (bound) {
    case Bound::compute:
        return "compute";
    case Bound::hbm:
        return "hbm";
    case Bound::latency:
        return "latency";
    case Bound::nvlink:
        return "nvlink";
    case Bound::efa:
        return "efa";
    case Bound::network:
        return "network";
    case Bound::c2c:
        return "c2c";
    case Bound::exposed:
        return "exposed";
    case Bound::bubble:
        return "bubble";
    case Bound::optimizer:
        return "optimizer";
    case Bound::storage:
        return "storage";
    case Bound::straggler:
        return "straggler";
    }
    return {};
}

} // namespace alidade
