// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace alidade {

enum class NcclAlgorithm : std::uint8_t { ring, tree };
enum class NcclProtocol : std::uint8_t { ll, ll128, simple };

struct NcclQuestion {
    NcclAlgorithm algorithm = NcclAlgorithm::ring;
    NcclProtocol protocol = NcclProtocol::simple;
    int ranks = 1, nodes = 1;
    double bytes = 0;
    double graphBandwidth = 0;        ///< bytes/s: channels x bandwidth of a channel
    double pluginLatencyMicros = 0;   ///< what the network plugin adds, microseconds
    double networkOverheadMicros = 2; ///< per step, microseconds: 2 on AMD hosts, 1 on Intel
    double lowLatencyBandwidth = 0;   ///< bytes/s that LL is capped at; 0: no cap
};

/// Seconds of an all-reduce as NCCL's tuner scores it (NCCL 2.30.7, src/graph/tuning.cc), without channel
/// caps, the tree's table of sizes and the ring's plateau. Tells which algorithm NCCL would take, not how
/// long it really lasts.
double ncclTunerSeconds(const NcclQuestion& question);

} // namespace alidade
