// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/positive_fit.h"

#include "model/calibration/map_fit.h"

#include <cassert>
#include <cmath>

namespace alidade {

PositiveFit fitPositive(const std::vector<std::vector<double>>& basis, const std::vector<double>& measured,
                        const std::vector<double>& start) {
    assert(basis.size() == measured.size());
    MapProblem problem;
    problem.priors.assign(start.size(), {.sd = std::numeric_limits<double>::infinity()});
    for (const double each : start)
        problem.start.push_back(std::log(each));
    for (const double each : measured)
        problem.points.push_back({.measured = std::log(each), .sd = 1});
    problem.predict = [&basis](std::size_t point, const std::vector<double>& logs) {
        double sum = 0;
        for (std::size_t j = 0; j < logs.size(); ++j)
            sum += std::exp(logs[j]) * basis[point][j];
        return std::log(sum);
    };
    const MapFit fit =
        fitMap(problem,
               {.huber = std::numeric_limits<double>::infinity(), .mostIterations = 400, .tolerance = 1e-12});
    PositiveFit out;
    for (const double each : fit.parameters)
        out.theta.push_back(std::exp(each));
    for (std::size_t i = 0; i < measured.size(); ++i) {
        out.meanAbsError +=
            std::abs(std::exp(fit.predicted[i]) / measured[i] - 1) / static_cast<double>(measured.size());
    }
    return out;
}

CollectiveLaw fitCollective(CollectiveOp op, int ranks, const std::vector<double>& bytes,
                            const std::vector<double>& seconds, bool withFill) {
    std::vector<std::vector<double>> basis;
    for (const double each : bytes) {
        const double wire = each * wireFactor<double>(op, ranks);
        basis.push_back(withFill ? std::vector{1.0, std::sqrt(wire), wire} : std::vector{1.0, wire});
    }
    // Starts at 10 us, 1e-8 s/sqrt(B) and 400 GB/s: within a factor of a hundred of any fabric of today.
    const std::vector<double> start =
        withFill ? std::vector{1e-5, 1e-8, 1 / 4e11} : std::vector{1e-5, 1 / 4e11};
    const PositiveFit fit = fitPositive(basis, seconds, start);
    return {.alpha = fit.theta.front(),
            .gamma = withFill ? fit.theta[1] : 0,
            .bandwidth = 1 / fit.theta.back(),
            .meanAbsError = fit.meanAbsError};
}

} // namespace alidade
