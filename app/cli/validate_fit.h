// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.h"
#include "model/calibration/step_fit.h"
#include "model/validation/validation_report.h"

namespace alidade::cli {

/// How the program fits: the same for `validate --fit`, for leaving out, and for the test of the shipped
/// constants.
StepFitOptions fitOptions();

/// `validate --fit -o FILE`: fits the constants that have a prior to the rows of the report, writes the
/// profile and says what came out. \param report predictions by `profile`
void fitToFile(Call& call, const ValidationReport& report, const Catalog& catalog, const Profile& profile,
               const std::string& file);

} // namespace alidade::cli
