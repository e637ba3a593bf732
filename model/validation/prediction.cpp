// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/prediction.h"

#include <algorithm>
#include <utility>

namespace alidade {

Prediction timeWithBand(double seconds, const HeadlineT<double>& headline) {
    return {seconds, seconds * headline.value / headline.high, seconds * headline.value / headline.low};
}

void addPrediction(ValidationReport& report, ValidationRow row, const std::string& quantity, double measured,
                   const Prediction& predicted) {
    row.quantity = quantity;
    row.measured = measured;
    row.predicted = predicted.value;
    row.error = predicted.value / measured - 1;
    row.low = std::min(predicted.low, predicted.high);
    row.high = std::max(predicted.low, predicted.high);
    report.rows.push_back(std::move(row));
}

std::string firstError(const Estimate& estimate) {
    for (const Problem& problem : estimate.problems)
        if (problem.severity == Severity::error)
            return problem.message;
    return "the model does not run this configuration";
}

} // namespace alidade
