// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade::reference {

// Shares of useful time as papers print them; ettr() of the model is exact under exponential failures.

/// First-order approximation of ettr. May be below 0.
inline double ettrFirstOrder(double interval, double delta, double mtbf, double restart) {
    return 1 - delta / interval - (interval / 2 + restart) / mtbf;
}

/// First order, by nodes (Kokolis et al. 2024, arXiv 2410.21680).
inline double ettrOfNodes(double nodes, double failuresPerNodeDay, double restart, double interval) {
    return 1 - nodes * failuresPerNodeDay / 86400 * (restart + interval / 2);
}

/// Shrink and continue: pay `reconfigure` per failure and run at 1 - lostFraction while the node is repaired.
inline double elasticEttr(double mtbf, double reconfigure, double repair, double lostFraction) {
    return 1 - reconfigure / mtbf - lostFraction * repair / mtbf;
}

} // namespace alidade::reference
