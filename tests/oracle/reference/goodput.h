// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cassert>
#include <cmath>

namespace alidade::reference {

// All times in seconds unless a name says otherwise. delta: seconds that a checkpoint blocks the run.
// Failures are exponential with the given mean time between failures, which is > 0.

/// Mean time between failures of a job.
double jobMtbf(double gpus, double gpuHoursPerFailure);

/// First-order optimum of the compute time between checkpoints (Young 1974).
double youngInterval(double delta, double mtbf);
/// Higher-order optimum (Daly 2006).
double dalyInterval(double delta, double mtbf);
/// Exact optimum: tau = mtbf u with (u - 1) e^u + e^(-delta / mtbf) = 0. 0 if a checkpoint costs nothing.
double optimalInterval(double delta, double mtbf);

/// Effective training time ratio, 0..1: time that counts / wall time.
/// \param interval compute time between checkpoints, > 0; \param restart from a failure to the first new step
double ettr(double interval, double delta, double mtbf, double restart);
/// Its first-order approximation, for comparison with published figures. May be below 0.
double ettrFirstOrder(double interval, double delta, double mtbf, double restart);
/// First order, by nodes (Kokolis et al. 2024, arXiv 2410.21680).
double ettrOfNodes(double nodes, double failuresPerNodeDay, double restart, double interval);
/// Shrink and continue: pay `reconfigure` per failure and run at 1 - lostFraction while the node is repaired.
double elasticEttr(double mtbf, double reconfigure, double repair, double lostFraction);

/// Where a checkpoint of so many bytes is written, bytes/s.
struct CheckpointPath {
    double nodes = 1;
    double deviceToHostPerNode = 0;
    double localStoragePerNode = 0;
    double fileSystem = 0; ///< the whole of it
};

struct CheckpointTime {
    double blocking = 0;     ///< synchronous: until the slowest tier has it
    double asynchronous = 0; ///< only the copy to the host holds up the run
    double drain = 0;        ///< background write after that copy
};

CheckpointTime checkpointTime(double bytes, const CheckpointPath& path);

/// Smallest number of spare nodes that covers the Poisson number in repair with at least this probability,
/// 0..1.
int spareNodes(double nodes, double failuresPerNodeDay, double repairHours, double probability);

inline double jobMtbf(double gpus, double gpuHoursPerFailure) { return gpuHoursPerFailure / gpus * 3600; }

inline double youngInterval(double delta, double mtbf) { return std::sqrt(2 * delta * mtbf); }

inline double dalyInterval(double delta, double mtbf) {
    if (delta >= 2 * mtbf) {
        return mtbf;
    }
    const double x = delta / (2 * mtbf);
    return std::sqrt(2 * delta * mtbf) * (1 + std::sqrt(x) / 3 + x / 9) - delta;
}

inline double optimalInterval(double delta, double mtbf) {
    if (!(delta > 0)) {
        return 0;
    }
    double u = std::sqrt(2 * delta / mtbf); // Young's first-order root; Newton's method converges from there
    for (int i = 0; i < 100; ++i) {
        // (u - 1) e^u + e^(-d) without the cancellation of its two halves near u = 0
        const double f = u * std::exp(u) - std::expm1(u) + std::expm1(-delta / mtbf);
        const double step = f / (u * std::exp(u));
        u -= step;
        if (std::abs(step) < 1e-15 * u) {
            break;
        }
    }
    return mtbf * u;
}

inline double ettr(double interval, double delta, double mtbf, double restart) {
    return interval / (mtbf * std::exp(restart / mtbf) * std::expm1((interval + delta) / mtbf));
}

inline double ettrFirstOrder(double interval, double delta, double mtbf, double restart) {
    return 1 - delta / interval - (interval / 2 + restart) / mtbf;
}

inline double ettrOfNodes(double nodes, double failuresPerNodeDay, double restart, double interval) {
    return 1 - nodes * failuresPerNodeDay / 86400 * (restart + interval / 2);
}

inline double elasticEttr(double mtbf, double reconfigure, double repair, double lostFraction) {
    return 1 - reconfigure / mtbf - lostFraction * repair / mtbf;
}

inline CheckpointTime checkpointTime(double bytes, const CheckpointPath& path) {
    const double copy = bytes / (path.nodes * path.deviceToHostPerNode);
    const double write = bytes / std::min(path.nodes * path.localStoragePerNode, path.fileSystem);
    return {.blocking = copy + write, .asynchronous = copy, .drain = write};
}

inline int spareNodes(double nodes, double failuresPerNodeDay, double repairHours, double probability) {
    assert(probability >= 0 && probability < 1);
    const double mean = nodes * failuresPerNodeDay * repairHours / 24;
    // In logarithms: e^-mean underflows for a large fleet.
    double logTerm = -mean;
    double covered = std::exp(logTerm);
    int spares = 0;
    while (covered < probability) {
        ++spares;
        logTerm += std::log(mean / spares);
        const double term = std::exp(logTerm);
        if (spares > mean && term < 1e-17) {
            break; // what is left of the tail is lost in rounding
        }
        covered += term;
    }
    return spares;
}

} // namespace alidade::reference
