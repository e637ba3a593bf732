// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <stop_token>
#include <vector>

namespace alidade {

/// What is known of a parameter before the data: a normal distribution (of its logarithm or logit, as the
/// caller pleases).
struct FitPrior {
    double mean = 0;
    double sd = 1; ///< > 0; infinity: nothing is known
};

/// A measurement as a logarithm.
struct FitPoint {
    double measured = 0; ///< ln of the measured value
    double sd = 0.05;    ///< of ln(measured / true law), > 0
    double weight = 1;   ///< 0 leaves it out
};

/// Constants from measurements and priors: maximum a posteriori.
struct MapProblem {
    std::vector<FitPrior> priors;
    std::vector<FitPoint> points;
    /// ln of what the law says for a point. Must be pure.
    std::function<double(std::size_t point, const std::vector<double>& parameters)> predict;
    /// For each parameter the points that it can change; empty: every parameter may change every point.
    std::vector<std::vector<std::size_t>> dependents;
    std::vector<double> start = {}; ///< empty: the means of the priors
};

struct MapOptions {
    /// Residuals beyond so many sd count linearly (Huber 1964). Infinity: least squares; 0.3: nearly least
    /// absolute deviations, whose fit a few wrong rows cannot move.
    double huber = 1.5;
    int mostIterations = 200;
    double tolerance = 1e-9; ///< stop when no parameter moves by more (in sd of its prior, or absolute)
    /// Stop when an iteration with its own slopes lowers the cost by less: parameters that the data barely
    /// determine, and kinks, move on for ever at a cost that no longer means anything.
    double leastGain = 0;
    double differenceStep = 1e-4;
    /// Iterations that keep the slopes of an earlier one while they still lead downhill; then slopes are
    /// taken to one side only. For predictions that cost much.
    int keepSlopes = 0;
    /// The law is smooth and curved: steps that overshoot are damped the more. Steps across kinks, which gain
    /// little too, go on better without.
    bool curved = false;
    unsigned threads = 1; ///< that ask for predictions at once; the result does not depend on it
    std::stop_token stop = {};
};

/// Two parameters that the data cannot tell apart.
struct ConfoundedPair {
    std::size_t first = 0, second = 0;
    double correlation = 0; ///< |.| > 0.95
};

struct MapFit {
    std::vector<double> parameters;
    std::vector<double> sd;         ///< posterior
    std::vector<double> dataShare;  ///< 0: only the prior speaks, 1: measured
    std::vector<double> covariance; ///< of parameters, row by row
    std::vector<double> predicted;  ///< ln, of each point
    std::vector<double> slopes;     ///< d predicted / d parameter, point by point
    std::vector<ConfoundedPair> confounded;
    double cost = 0;
    int iterations = 0;
    bool converged = false;
    double correlation(std::size_t i, std::size_t j) const;
};

/// Minimizes sum w rho((y - f(theta)) / sd) + sum ((theta - mean) / sd)^2 by Levenberg-Marquardt with
/// iteratively reweighted residuals. Same input, same result to the last bit.
/// \pre predict(start) is finite for every point with weight.
MapFit fitMap(const MapProblem& problem, const MapOptions& options = {});

/// What fitMap minimizes, at one set of parameters. \param huber see MapOptions
double mapCost(const MapProblem& problem, double huber, const std::vector<double>& parameters);

} // namespace alidade
