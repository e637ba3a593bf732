// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/validation/validation_report.h"

#include <string>

namespace alidade {

/// A quantity with its 10 % and 90 % quantiles.
struct Prediction {
    double value = 0, low = 0, high = 0;
};

/// A time with the relative band of the headline, which is a rate.
Prediction timeWithBand(double seconds, const HeadlineT<double>& headline);

/// Adds one quantity of the row to the report.
/// \param row everything but the quantity
void addPrediction(ValidationReport& report, ValidationRow row, const std::string& quantity, double measured,
                   const Prediction& predicted);

/// Why an estimate does not run, for a person.
std::string firstError(const Estimate& estimate);

} // namespace alidade
