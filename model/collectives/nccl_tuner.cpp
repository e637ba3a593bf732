// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/collectives/nccl_tuner.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {

namespace {

using PerProtocol = std::array<double, 3>; // LL, LL128, Simple

// Microseconds (src/graph/tuning.cc, baseLatencies and hwLatencies)
constexpr PerProtocol baseTree{6.8, 14.0, 8.4}, baseRing{6.6, 14.0, 8.4};
constexpr PerProtocol nvlinkTree{0.6, 1.25, 4.0}, nvlinkRing{0.6, 1.9, 3.4};
constexpr PerProtocol networkTree{5.0, 8.5, 14.0}, networkRing{2.7, 4.0, 14.0};

double derate(const NcclQuestion& q) {
    if (q.algorithm == NcclAlgorithm::ring) {
        return PerProtocol{0.5, 0.92, 1.0}[static_cast<std::size_t>(q.protocol)];
    }
    const double ll128 = q.nodes == 1 ? 7.0 / 9 : 120.0 / 128;
    return 0.92 * PerProtocol{1 / 3.8, ll128, 1.0}[static_cast<std::size_t>(q.protocol)];
}

} // namespace

double ncclTunerSeconds(const NcclQuestion& q) {
    const auto protocol = static_cast<std::size_t>(q.protocol);
    const bool simple = q.protocol == NcclProtocol::simple;
    const bool ring = q.algorithm == NcclAlgorithm::ring;
    double bandwidth = q.graphBandwidth * derate(q);
    if (q.protocol == NcclProtocol::ll && q.lowLatencyBandwidth > 0) {
        bandwidth = std::min(bandwidth, q.lowLatencyBandwidth);
    }
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

} // namespace alidade
