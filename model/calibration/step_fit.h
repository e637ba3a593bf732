// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/bound_rows.h"

#include <memory>

namespace alidade {

/// One measured training step and the classes that it belongs to.
struct MeasuredStep {
    std::string id;
    std::string source;                       ///< publication
    std::string release = {};                 ///< of the software
    std::string group = {};                   ///< sweep that the row belongs to
    std::shared_ptr<const ScenarioSpec> spec; ///< what was run
    double seconds = 0;                       ///< of a step, > 0
    double weight = 0;                        ///< 1 / (rows of its group)
};

/// Training steps with the constants that their times depend on.
class BoundSteps : public BoundRows {
public:
    /// Resolves each step and finds which constants of the profile feed it. Steps that do not resolve or run
    /// are left out: see `rejected`.
    BoundSteps(const std::vector<MeasuredStep>& steps, const Catalog& catalog, const Profile& profile);
    double logValue(std::size_t row, const std::vector<double>& parameters) const override;

private:
    struct Step {
        Scenario scenario;
        std::vector<Feed> feeds;
    };
    std::vector<Step> steps_;
};

struct StepFitOptions {
    double sd = 0.08;   ///< of ln(measured / law) of a row that brings none: what the law leaves out
    double huber = 0.3; ///< near the median: the figures that are judged are absolute errors
    int mostIterations = 200;
    /// Fits without a class take the logarithms of all predictions for linear about the fit to all rows.
    bool linearLeftOut = false;
    double tolerance = 1e-4;
    double leastGain = 1e-3; ///< see MapOptions; a row one deviation off costs 1
    int keepSlopes = 0;      ///< see MapOptions
    unsigned threads = 1;    ///< the result does not depend on it
    std::stop_token stop = {};
};

/// Fits the constants to all rows, or to those with a weight in `weights` (same order as the rows).
MapFit fitRows(const BoundRows& rows, const StepFitOptions& options, const std::vector<double>& start = {},
               const std::vector<double>* weights = nullptr);

/// ln(predicted / measured) of each row by constants that were fitted without its class.
std::vector<double> leftOutErrors(const BoundRows& rows, const MapFit& all, LeftOut by,
                                  const StepFitOptions& options);

/// The profile with fitted values, posterior deviations and data shares; bands (`..._log_sd...` with a
/// prior) such that 80 % of the left-out errors of their rows, by weight, lie inside the 10 to 90 % range.
Profile fittedProfile(const BoundRows& rows, const MapFit& fit, const std::vector<double>& leftOut);

/// The band of rows of one kind of software: 80 % of their left-out errors lie inside, by weight, as in split
/// conformal prediction (Lei et al. 2018, arXiv 1604.04173, section 2.2). Few rows say little about their own
/// spread, so that all rows of the class (dense, MoE) count as `pooledSweeps` sweeps more of them.
/// \param own, pooled errors and weights; a sweep weighs 1
double shrunkBandSd(const std::vector<std::pair<double, double>>& own,
                    const std::vector<std::pair<double, double>>& pooled);
inline constexpr double pooledSweeps = 3;

/// Sd of a normal distribution whose 10 to 90 % range holds 80 % of the errors by weight.
double bandSd(std::vector<std::pair<double, double>> errorAndWeight);

} // namespace alidade
