// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/predict_collective.h"

#include "model/validation/collective_case.h"

#include <cmath>

namespace alidade {

namespace {

/// Scatter of measurements around the laws (standard deviation of ln), from the shipped rows.
constexpr double scatterInside = 0.06, scatterAcross = 0.15, scatterExchange = 0.25;
constexpr double tenthQuantile = 1.2816; ///< of the normal distribution, in standard deviations

/// Standard deviation of ln(seconds) that comes from the constants.
double spreadOfConstants(const CollectiveCase& which, const Catalog& catalog, const Profile& profile,
                         const Inputs& inputs, double seconds) {
    double variance = 0;
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        const Parameter* parameter = constantOf(which, profile, input);
        if (!parameter)
            parameter = constantOf(which, catalog.defaultProfile, input);
        if (parameter && parameter->logSd > 0 && parameter->value > 0) {
            constexpr double step = 0.01; // of ln
            Inputs moved = inputs;
            moved[input] *= std::exp(step);
            const double slope = std::log(collectiveSeconds(which, moved) / seconds) / step;
            variance += slope * slope * parameter->logSd * parameter->logSd;
        }
    }
    return std::sqrt(variance);
}

} // namespace

std::optional<CollectivePrediction> predictCollective(const PublishedCollective& row, const Catalog& catalog,
                                                      const Profile& profile, std::string* why) {
    std::string reason;
    const std::optional<CollectiveCase> which = collectiveCase(row, catalog, reason);
    if (!which) {
        if (why)
            *why = reason;
        return std::nullopt;
    }
    const Inputs inputs = collectiveInputs(*which, catalog, profile);
    CollectivePrediction out;
    out.measured = which->measured;
    out.seconds = collectiveSeconds(*which, inputs);
    const double scatter = row.ep                           ? scatterExchange
                           : which->group.insideOneDomain() ? scatterInside
                                                            : scatterAcross;
    const double sd = std::hypot(scatter, spreadOfConstants(*which, catalog, profile, inputs, out.seconds));
    out.low = out.seconds * std::exp(-tenthQuantile * sd);
    out.high = out.seconds * std::exp(tenthQuantile * sd);
    return out;
}

} // namespace alidade
