// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

/// How far back an expression looks.
struct QueryWindows {
    double rate = 60;  ///< s, of counters
    double job = 120;  ///< s, of counters that grow once a training step
    double gauge = 40; ///< s, of gauges: what is older is gone. The server's own 5 minutes would show a
                       ///< vanished exporter as alive wherever no staleness marker was written
    double step = 30;  ///< s between two instants of the grid
};

/// \param scrapeS s between two samples, > 0
/// \param stepS of the grid
/// \param trainingStepS step time of the job; 0: not known
QueryWindows queryWindows(double scrapeS, double stepS, double trainingStepS = 0);

/// The usual interval (1, 5, 10, 15, 30, 60, ... s) that fits so many samples in a window.
/// \returns 0 where fewer than two samples leave it open
double scrapeIntervalOf(double samples, double windowS);

} // namespace alidade
