// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/bound_serving.h"
#include "model/calibration/step_fit.h"
#include "model/validation/validation_report.h"

#include <functional>

namespace alidade {

/// The steps that constants are fitted to: complete training rows of kind benchmark or production whose
/// quality is high or medium.
/// \param report predictions by `profile` alongside what was measured
std::vector<MeasuredStep> measuredSteps(const ValidationReport& report, const Catalog& catalog,
                                        const Profile& profile);

/// The figures of serving that constants of engines are fitted to: time per token in closed loops and static
/// batches, prefill, time to the first token in closed loops, throughput of offline runs; of quality A and B,
/// with prefill and decode in one engine, without speculation. Open arrivals are near saturation and left to
/// judge by.
std::vector<MeasuredServing> measuredServing(const ValidationReport& report);

/// Constants from published rows.
struct Calibration {
    Profile profile;
    FitRecord record;
    std::vector<std::string> confounded; ///< pairs that the rows cannot tell apart, in words
    std::vector<BoundRows::Rejected> rejected;
    int rows = 0, groups = 0, iterations = 0;
    bool converged = false; ///< false: was stopped, or ran out of iterations
};

/// Fits every constant of the profile that has a prior to the rows of the report, those of engines to its
/// serving rows and the others to its training rows, then the bands to the errors on architectures that are
/// left out. What there are no rows for stays as it is.
/// \param report predictions by `profile`
Calibration calibrate(const ValidationReport& report, const Catalog& catalog, const Profile& profile,
                      const StepFitOptions& options);

/// The training and serving rows of the report, predicted by constants that were fitted without their class.
/// Rows that nothing is fitted to (memory, collectives, incomplete ones) are not among them; bands are left
/// as they are, around the new prediction.
std::vector<ValidationRow> leftOutRows(const ValidationReport& report, const Catalog& catalog,
                                       const Profile& profile, LeftOut by, const StepFitOptions& options);

} // namespace alidade
