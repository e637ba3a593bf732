// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/map_fit.h"
#include "model/catalog/catalog.h"
#include "model/catalog/profile.h"
#include "model/observation/finding.h"
#include "model/scenario/spec.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// Time that a calibration leaves out, with the reason.
struct ExcludedWindow {
    double start = 0, end = 0; ///< Unix s
    std::string why;           ///< "straggler gpu-0007", "restart and warm-up"
};

/// One constant before and after.
struct CalibratedParameter {
    std::string name;  ///< of the profile: "serving_memory_efficiency"
    std::string label; ///< for a person
    std::string unit;
    double before = 0, after = 0;
    double logSd = 0;         ///< of ln(after)
    double low = 0, high = 0; ///< 10 % and 90 %; where only an interval can be known, that interval
    double dataShare = 0;     ///< 0: only the prior speaks, 1: measured
    bool interval = false;    ///< the data give bounds and no point
    bool applied = false;     ///< goes into the profile
    std::string how;          ///< what it was read from; what would separate it, where the data do not
};

/// A constant of the running cluster that a calibration found, with what it was found from.
struct LiveCalibration {
    std::vector<CalibratedParameter> parameters;
    std::vector<ConfoundedPair> confounded; ///< indices into parameters
    std::vector<ExcludedWindow> excluded;
    double start = 0, end = 0; ///< Unix s, of what was used
    std::size_t samples = 0;   ///< windows that were used
    ErrorFigures before, after;
    std::optional<ErrorFigures> leftOut; ///< leave-one-out
    std::vector<std::string> notes;      ///< what was not identifiable and which measurement would tell
    Profile profile;                     ///< the profile that it started from with the fitted values over it
};

/// Constants of the scenario from what was measured on the cluster that runs it, by MAP with the profile's
/// values as priors (see cost-model: calibration). An error says what is missing.
/// \param findings whose time is left out, beside checkpoints, restarts and warm-up
Result<LiveCalibration> calibrateLive(const ScenarioSpec& spec, const Catalog& catalog,
                                      const Profile& profile, const Observation& observation,
                                      const std::vector<Finding>& findings);

} // namespace alidade
