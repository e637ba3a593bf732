// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_constants.h"
#include "model/calibration/live_windows.h"

namespace alidade {

// The two halves of calibrateLive; each fills in what its kind of job can determine.

constexpr std::size_t leastPoints = 10; ///< scrapes of fault-free time
constexpr double leastSteps = 20;       ///< training steps of it
constexpr double leastSd = 0.02;        ///< of ln(measured): what a law leaves out at best

Result<LiveCalibration> calibrateServing(const LiveConstants& constants, const Observation& observation,
                                         const UsableTime& time);
Result<LiveCalibration> calibrateTraining(const LiveConstants& constants, const Catalog& catalog,
                                          const Observation& observation, const UsableTime& time,
                                          const std::vector<Finding>& findings);

/// A figure that was measured, not fitted. \param before NaN: the profile has nothing that says the same
CalibratedParameter measuredFigure(std::string name, std::string label, std::string unit, double before,
                                   double after, double low, double high, std::string how);
/// A figure of which only bounds are known.
CalibratedParameter boundedFigure(std::string name, std::string label, std::string unit, double before,
                                  double low, double high, std::string how);

/// "http://prometheus:9090, job llama70b"
std::string sourceOf(const Observation& observation);

/// First and last used instant.
std::pair<double, double> spanOf(const UsableTime& time, const TimeGrid& grid);

/// "0.78", "2.9 ms": a few digits, for a sentence.
std::string figureText(double value, const char* unit = "");

} // namespace alidade
