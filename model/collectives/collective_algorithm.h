// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace alidade {

/// How a library carries out a collective.
enum class CollectiveAlgorithm : std::uint8_t {
    ring,
    tree,         ///< double binary tree: every rank sends and receives the buffer twice
    pat,          ///< parallel aggregated trees: all-gather and reduce-scatter with one GPU per node
    fitted,       ///< alpha is the intercept of the whole collective
    inSwitch,     ///< reduced and multicast in the NVLink switches (NVLS)
    hierarchical, ///< in the switches of each NVLink domain, a tree across the domains (NVLSTree)
    lowLatency,   ///< small messages: data and flags travel together, so no step waits for the other side
    direct,       ///< each rank sends to every other one; timed by allToAllTime
};

} // namespace alidade
