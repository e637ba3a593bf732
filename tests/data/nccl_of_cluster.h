// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <random>
#include <string>

namespace alidade::test {

/// What all_reduce_perf prints on a cluster whose network takes bytes / (line x efficiency), as that of
/// tests/cluster does: a flat ring over all network cards of a node behind a latency, with 1 % noise, out of
/// place and in place.
struct NcclTruth {
    int nodes = 4, gpusPerNode = 8;
    double efficiency = 0.85, nodeLine = 400e9; ///< of the line; bytes/s of one node
    double alpha = 1.1e-4;                      ///< s
    unsigned seed = 7;
};

inline std::string ncclLogOf(const NcclTruth& t) {
    std::mt19937 random(t.seed);
    std::normal_distribution<double> noise(1, 0.01);
    const int ranks = t.nodes * t.gpusPerNode;
    std::string out =
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20\n"
        "#\n# Using devices\n";
    char line[200];
    for (int rank = 0; rank < ranks; ++rank) {
        std::snprintf(line, sizeof line,
                      "#  Rank %2d Group  0 Pid %6d on   gpu-%04d device %2d [0x53] NVIDIA H100 80GB HBM3\n",
                      rank, 1000 + rank, rank / t.gpusPerNode + 1, rank % t.gpusPerNode);
        out += line;
    }
    out += "#\n"
           "#                                                              out-of-place                      "
           " in-place\n"
           "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
           "algbw   "
           "busbw #wrong\n"
           "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  "
           "(GB/s)  "
           "(GB/s)\n";
    for (double bytes = 65536; bytes <= 17179869184.0; bytes *= 2) {
        const double wire = 2.0 * (ranks - 1) / ranks * bytes;
        const double law = t.alpha + wire / (t.nodeLine * t.efficiency);
        double us[2] = {law * noise(random) * 1e6, law * noise(random) * 1e6};
        const auto rate = [&](double microseconds) { return bytes / microseconds / 1e3; };
        std::snprintf(
            line, sizeof line,
            "%12.0f %13.0f     float     sum      -1 %8.1f %7.2f %7.2f      0 %8.1f %7.2f %7.2f      0\n",
            bytes, bytes / 4, us[0], rate(us[0]), rate(us[0]) * wire / bytes, us[1], rate(us[1]),
            rate(us[1]) * wire / bytes);
        out += line;
    }
    return out + "# Out of bounds values : 0 OK\n";
}

} // namespace alidade::test
