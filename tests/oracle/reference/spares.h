// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace alidade::reference {

/// Smallest number of spares that covers the nodes in repair (Poisson, mean failures x repair time) with at
/// least this probability, 0 <= probability < 1. outOfSpares() of the model is its inverse.
inline int spareNodes(double nodes, double failuresPerNodeDay, double repairHours, double probability) {
    const double mean = nodes * failuresPerNodeDay * repairHours / 24;
    double covered = std::exp(-mean);
    int spares = 0;
    while (mean > 0 && covered < probability) {
        ++spares;
        // In logarithms: e^-mean underflows for a large fleet.
        covered += std::exp(spares * std::log(mean) - mean - std::lgamma(spares + 1.0));
    }
    return spares;
}

} // namespace alidade::reference
