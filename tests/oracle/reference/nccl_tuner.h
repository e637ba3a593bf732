// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace alidade::reference {

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

using PerProtocol = std::array<double, 3>; // LL, LL128, Simple

// Microseconds (src/graph/tuning.cc, baseLatencies and hwLatencies)
inline constexpr PerProtocol baseTree{6.8, 14.0, 8.4}, baseRing{6.6, 14.0, 8.4};
inline constexpr PerProtocol nvlinkTree{0.6, 1.25, 4.0}, nvlinkRing{0.6, 1.9, 3.4};
inline constexpr PerProtocol networkTree{5.0, 8.5, 14.0}, networkRing{2.7, 4.0, 14.0};

inline double derate(const NcclQuestion& q) {
    if (q.algorithm == NcclAlgorithm::ring)
        return PerProtocol{0.5, 0.92, 1.0}[static_cast<std::size_t>(q.protocol)];
    const double ll128 = q.nodes == 1 ? 7.0 / 9 : 120.0 / 128;
    return 0.92 * PerProtocol{1 / 3.8, ll128, 1.0}[static_cast<std::size_t>(q.protocol)];
}

inline double ncclTunerSeconds(const NcclQuestion& q) {
    const auto protocol = static_cast<std::size_t>(q.protocol);
    const bool simple = q.protocol == NcclProtocol::simple;
    const bool ring = q.algorithm == NcclAlgorithm::ring;
    double bandwidth = q.graphBandwidth * derate(q);
    if (q.protocol == NcclProtocol::ll && q.lowLatencyBandwidth > 0)
        bandwidth = std::min(bandwidth, q.lowLatencyBandwidth);
    const bool treeLatency = !ring || q.ranks == q.nodes; // one rank per node: NCCL takes the tree's figure
    const double across =
        (treeLatency ? networkTree : networkRing)[protocol] + q.pluginLatencyMicros * (simple ? 2 : 1);
    double micros = (ring ? baseRing : baseTree)[protocol];
    double algorithmBandwidth = bandwidth / 2;
    if (ring) {
        const bool network = q.nodes > 1;
        const double overhead = network ? q.networkOverheadMicros * (simple ? 3 : 1) : 0;
        const int stepsAcross = network ? 2 * (q.nodes - 1) : 0;
        micros += (2 * (q.ranks - 1) - stepsAcross) * std::max(nvlinkRing[protocol], overhead) +
                  stepsAcross * across;
        algorithmBandwidth = bandwidth * q.ranks / (2.0 * (q.ranks - 1));
    } else {
        micros += 2 * ((static_cast<double>(q.ranks) / q.nodes - 1) * nvlinkTree[protocol] +
                       std::floor(std::log2(q.nodes)) * across);
    }
    return micros * 1e-6 + q.bytes / algorithmBandwidth;
}

} // namespace alidade::reference
