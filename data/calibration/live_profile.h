// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"

#include <string>

namespace alidade::data {

/// Returns the JSON document of a calibration's profile, with its origin: "fitted_to" holds source, time,
/// samples, spread and exclusions, "measured" the figures that are not constants of the profile. Contains no
/// credentials.
/// \param name by which scenarios refer to it \param date "2026-11-22"
std::string writeLiveProfile(const LiveCalibration& calibration, const std::string& name,
                             const std::string& date);

/// Returns the output of `alidade calibrate --json`. SI units, null where unknown.
/// \param file to which the profile was written; empty: none
std::string writeLiveCalibration(const LiveCalibration& calibration, const std::string& name,
                                 const std::string& file);

/// Returns the evidence keyword of both documents: "serving_metrics", "training_metrics", "nccl_tests" or
/// "step_times".
std::string_view evidenceWord(CalibrationEvidence evidence);

} // namespace alidade::data
