// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"
#include "model/observation/observation.h"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace alidade {

/// Which instants of an observation a calibration may use.
struct UsableTime {
    std::vector<bool> used; ///< of each point of the grid
    std::vector<ExcludedWindow> excluded;
    double lookback = 0; ///< s before an instant that its rates and means look at
    std::size_t points() const;
};

/// Longest window of the observation's expressions ("[2m]"), at least the step of its grid, s.
double lookbackOf(const Observation& observation);

/// Leaves out what does not run as planned: checkpoints, standstill, restarts and the time behind them,
/// thermal throttling, targets that do not answer, and the findings that change the pace; each with the time
/// that rates look back over it; and what a person leaves out. \param hosts that count; empty: all of the
/// observation
UsableTime usableTime(const Observation& observation, const std::vector<Finding>& findings,
                      const std::set<std::string>& hosts, bool training,
                      const std::vector<ExcludedWindow>& leftOut = {});

/// Values of a row at the used instants, NaN left out.
std::vector<double> usedValues(const UsableTime& time, std::span<const double> row);

/// Mean of the values of all rows at each instant, NaN where not measured. \param keep rows that count
std::vector<double> meanOfRows(const SignalTable& table, std::size_t points,
                               const std::function<bool(const Entity&)>& keep = {});

/// Consecutive instants that are taken together, so that their rates do not overlap: first and last index
/// + 1. \param seconds at least
std::vector<std::pair<std::size_t, std::size_t>> blocksOf(const UsableTime& time, const TimeGrid& grid,
                                                          double seconds);

/// Median, and half of the distance between the quartiles over the median; NaN without values.
struct Spread {
    double median = 0, relative = 0;
};
Spread spreadOf(std::vector<double> values);

double meanOf(const std::vector<double>& values);

} // namespace alidade
