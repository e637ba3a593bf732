// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/goodput.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace alidade {

double jobMtbf(double gpus, double gpuHoursPerFailure) { return gpuHoursPerFailure / gpus * 3600; }

double youngInterval(double delta, double mtbf) { return std::sqrt(2 * delta * mtbf); }

double dalyInterval(double delta, double mtbf) {
    if (delta >= 2 * mtbf) {
        return mtbf;
    }
    const double x = delta / (2 * mtbf);
    return std::sqrt(2 * delta * mtbf) * (1 + std::sqrt(x) / 3 + x / 9) - delta;
}

double optimalInterval(double delta, double mtbf) {
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

double ettr(double interval, double delta, double mtbf, double restart) {
    return interval / (mtbf * std::exp(restart / mtbf) * std::expm1((interval + delta) / mtbf));
}

double ettrFirstOrder(double interval, double delta, double mtbf, double restart) {
    return 1 - delta / interval - (interval / 2 + restart) / mtbf;
}

double ettrOfNodes(double nodes, double failuresPerNodeDay, double restart, double interval) {
    return 1 - nodes * failuresPerNodeDay / 86400 * (restart + interval / 2);
}

double elasticEttr(double mtbf, double reconfigure, double repair, double lostFraction) {
    return 1 - reconfigure / mtbf - lostFraction * repair / mtbf;
}

CheckpointTime checkpointTime(double bytes, const CheckpointPath& path) {
    const double copy = bytes / (path.nodes * path.deviceToHostPerNode);
    const double write = bytes / std::min(path.nodes * path.localStoragePerNode, path.fileSystem);
    return {.blocking = copy + write, .asynchronous = copy, .drain = write};
}

int spareNodes(double nodes, double failuresPerNodeDay, double repairHours, double probability) {
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

} // namespace alidade
