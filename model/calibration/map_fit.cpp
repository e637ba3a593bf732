// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/map_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <thread>

namespace alidade {

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr double mostConfounded = 0.95;
constexpr double longestMove = 1; ///< of a parameter in one iteration: a factor e

/// State of a fit at one set of parameters.
class FitState {
public:
    FitState(const MapProblem& problem, const MapOptions& options)
        : in_(problem)
        , options_(options) {
        if (problem.dependents.empty()) {
            all_.resize(problem.points.size());
            for (std::size_t i = 0; i < all_.size(); ++i)
                all_[i] = i;
        }
    }

    const Matrix& slopes() const { return jacobian_; }

    std::vector<double> predict(const std::vector<double>& theta) const {
        std::vector<double> out(in_.points.size(), 0);
        for (std::size_t i = 0; i < out.size(); ++i)
            if (in_.points[i].weight > 0)
                out[i] = in_.predict(i, theta);
        return out;
    }

    double cost(const std::vector<double>& theta, const std::vector<double>& predicted) const {
        double sum = 0;
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            const FitPoint& p = in_.points[i];
            if (p.weight > 0) {
                const double u = std::abs(p.measured - predicted[i]) / p.sd;
                const double k = options_.huber;
                sum += p.weight * (u <= k ? u * u : 2 * k * u - k * k);
            }
        }
        for (std::size_t j = 0; j < theta.size(); ++j) {
            const double u = (theta[j] - in_.priors[j].mean) / in_.priors[j].sd;
            sum += u * u;
        }
        return sum;
    }

    /// Slopes of all predictions at theta.
    void differentiate(const std::vector<double>& theta, const std::vector<double>& predicted) {
        jacobian_ = Matrix::Zero(static_cast<Index>(predicted.size()), static_cast<Index>(theta.size()));
        std::atomic<std::size_t> next = 0;
        const auto columns = [&] {
            std::vector<double> moved = theta;
            for (std::size_t j; (j = next++) < theta.size();)
                differentiate(j, moved, predicted);
        };
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < options_.threads; ++i)
            others.emplace_back(columns);
        columns();
    }

    /// Normal equations J'WJ + Lambda and J'Wr - Lambda (theta - mean) with the slopes taken last.
    void linearize(const std::vector<double>& theta, const std::vector<double>& predicted, Matrix& normal,
                   Vector& gradient) const {
        const auto parameters = static_cast<Index>(theta.size());
        const auto points = static_cast<Index>(predicted.size());
        Vector weights = Vector::Zero(points), residuals = Vector::Zero(points);
        for (Index i = 0; i < points; ++i) {
            const FitPoint& p = in_.points[static_cast<std::size_t>(i)];
            if (p.weight > 0) {
                residuals(i) = p.measured - predicted[static_cast<std::size_t>(i)];
                const double u = std::abs(residuals(i)) / p.sd;
                weights(i) = p.weight / (p.sd * p.sd) * (u <= options_.huber ? 1 : options_.huber / u);
            }
        }
        normal = jacobian_.transpose() * weights.asDiagonal() * jacobian_;
        gradient = jacobian_.transpose() * (weights.asDiagonal() * residuals);
        for (Index j = 0; j < parameters; ++j) {
            const FitPrior& prior = in_.priors[static_cast<std::size_t>(j)];
            const double precision = 1 / (prior.sd * prior.sd);
            normal(j, j) += precision;
            gradient(j) -= precision > 0 ? precision * (theta[static_cast<std::size_t>(j)] - prior.mean) : 0;
        }
    }

private:
    /// One column of the slopes. A prediction that is not finite on one side, such as the latency of an
    /// engine that is just saturated there, leaves the slope of the other. \param moved the point; as it was
    /// on return
    void differentiate(std::size_t j, std::vector<double>& moved, const std::vector<double>& predicted) {
        const double at = moved[j], step = options_.differenceStep;
        const bool central = options_.keepSlopes == 0;
        const auto column = static_cast<Index>(j);
        const auto take = [&](double distance, bool second) {
            moved[j] = at + distance;
            for (const std::size_t i : dependents(j)) {
                if (in_.points[i].weight <= 0)
                    continue;
                double& slope = jacobian_(static_cast<Index>(i), column);
                const double found = (in_.predict(i, moved) - predicted[i]) / distance;
                if (!second)
                    slope = found;
                else if (std::isfinite(found))
                    slope = std::isfinite(slope) ? (slope + found) / 2 : found;
            }
        };
        take(step, false);
        if (central)
            take(-step, true);
        moved[j] = at;
        for (const std::size_t i : dependents(j)) {
            double& slope = jacobian_(static_cast<Index>(i), column);
            slope = std::isfinite(slope) ? slope : 0;
        }
    }

    const std::vector<std::size_t>& dependents(std::size_t parameter) const {
        return in_.dependents.empty() ? all_ : in_.dependents[parameter];
    }

    const MapProblem& in_;
    const MapOptions& options_;
    std::vector<std::size_t> all_;
    Matrix jacobian_; ///< points x parameters
};

/// Levenberg's step; parameters without any hold keep still.
Vector dampedStep(const Matrix& normal, const Vector& gradient, double damping) {
    Matrix damped = normal;
    for (Index j = 0; j < damped.rows(); ++j)
        damped(j, j) += damping * std::max(normal(j, j), 1e-12);
    return damped.ldlt().solve(gradient);
}

/// What follows for the damping from the part of a promised decrease that came true (the gain ratio of
/// trust-region methods). Where that is poor, less damping would only lead to the other side of a curved
/// valley, and down by next to nothing, again and again.
double dampingFactor(double gain) {
    constexpr double good = 0.75, poor = 0.25;
    return gain >= good ? 0.1 : gain >= poor ? 1 : 4;
}

void describe(const MapProblem& problem, const Matrix& normal, MapFit& out) {
    const auto n = static_cast<std::size_t>(normal.rows());
    const Matrix covariance = normal.inverse();
    out.covariance.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            out.covariance[i * n + j] = covariance(static_cast<Index>(i), static_cast<Index>(j));
        const double variance = out.covariance[i * n + i];
        out.sd.push_back(std::sqrt(variance));
        out.dataShare.push_back(
            std::clamp(1 - variance / (problem.priors[i].sd * problem.priors[i].sd), 0.0, 1.0));
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j)
            if (const double r = out.correlation(i, j); std::abs(r) > mostConfounded)
                out.confounded.push_back({i, j, r});
    }
}

} // namespace

double MapFit::correlation(std::size_t i, std::size_t j) const {
    return covariance[i * parameters.size() + j] / (sd[i] * sd[j]);
}

MapFit fitMap(const MapProblem& problem, const MapOptions& options) {
    assert(problem.dependents.empty() || problem.dependents.size() == problem.priors.size());
    MapFit out;
    out.parameters = problem.start;
    if (out.parameters.empty())
        for (const FitPrior& prior : problem.priors)
            out.parameters.push_back(prior.mean);
    assert(out.parameters.size() == problem.priors.size());
    FitState state(problem, options);
    out.predicted = state.predict(out.parameters);
    out.cost = state.cost(out.parameters, out.predicted);
    Matrix normal;
    Vector gradient;
    double damping = 1e-3;
    constexpr double leastDamping = 1e-12, mostDamping = 1e10;
    int kept = options.keepSlopes; // iterations with the slopes at hand
    while (out.iterations < options.mostIterations && !out.converged && !options.stop.stop_requested()) {
        ++out.iterations;
        const bool fresh = kept >= options.keepSlopes;
        kept = fresh ? 0 : kept + 1;
        if (fresh)
            state.differentiate(out.parameters, out.predicted);
        state.linearize(out.parameters, out.predicted, normal, gradient);
        for (bool accepted = false; !accepted;) {
            const Vector step = dampedStep(normal, gradient, damping);
            if (!step.allFinite()) { // the start itself predicts nothing: there is no way on from it
                out.iterations = options.mostIterations;
                break;
            }
            std::vector<double> theta = out.parameters;
            double furthest = 0;
            Vector moves = step;
            for (std::size_t j = 0; j < theta.size(); ++j) {
                double& move = moves(static_cast<Index>(j));
                move = std::clamp(move, -longestMove, longestMove);
                theta[j] += move;
                furthest = std::max(furthest, std::abs(move) / std::min(problem.priors[j].sd, 1.0));
            }
            const double promised = 2 * gradient.dot(moves) - moves.dot(normal * moves);
            const std::vector<double> predicted = state.predict(theta);
            const double cost = state.cost(theta, predicted);
            const double gain = (out.cost - cost) / promised;
            if (cost <= out.cost) { // also false for a prediction that is not a number
                accepted = true;
                if (fresh && out.cost - cost < options.leastGain)
                    furthest = 0;
                out.parameters = theta;
                out.predicted = predicted;
                out.cost = cost;
                damping = options.curved ? damping * dampingFactor(gain) : damping / 10;
                damping = std::clamp(damping, leastDamping, mostDamping);
            } else if (!fresh) { // these slopes have done their part
                kept = options.keepSlopes;
                furthest = 2 * options.tolerance;
                accepted = true;
            } else if ((damping *= 10) > mostDamping) {
                furthest = 0;
                accepted = true;
            }
            if (!fresh && furthest <= options.tolerance) // only new slopes tell the end
                kept = options.keepSlopes;
            else
                out.converged = furthest <= options.tolerance;
        }
    }
    if (options.keepSlopes == 0 || !out.converged)
        state.differentiate(out.parameters, out.predicted);
    state.linearize(out.parameters, out.predicted, normal, gradient);
    for (std::size_t i = 0; i < problem.points.size(); ++i)
        for (std::size_t j = 0; j < problem.priors.size(); ++j)
            out.slopes.push_back(state.slopes()(static_cast<Index>(i), static_cast<Index>(j)));
    describe(problem, normal, out);
    return out;
}

double mapCost(const MapProblem& problem, double huber, const std::vector<double>& parameters) {
    const MapOptions options{.huber = huber};
    const FitState state(problem, options);
    return state.cost(parameters, state.predict(parameters));
}

} // namespace alidade
