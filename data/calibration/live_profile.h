// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"

#include <string>

namespace alidade::data {

/// The profile of a calibration as the JSON document of a calibration profile, with where it comes from:
/// "fitted_to" tells source, time, samples, spread and what was left out, "measured" the figures that are no
/// constants of the profile. Holds no credentials.
/// \param name that scenarios call it by \param date "2026-11-22"
std::string writeLiveProfile(const LiveCalibration& calibration, const std::string& name,
                             const std::string& date);

/// What `alidade calibrate --json` prints. SI units, null where unknown.
/// \param file that the profile was written to; empty: none
std::string writeLiveCalibration(const LiveCalibration& calibration, const std::string& name,
                                 const std::string& file);

/// The word of the evidence in both documents: "serving_metrics", "training_metrics", "nccl_tests",
/// "step_times".
std::string_view evidenceWord(CalibrationEvidence evidence);

} // namespace alidade::data
