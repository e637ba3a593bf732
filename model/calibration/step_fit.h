// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/map_fit.h"
#include "model/catalog/catalog.h"
#include "model/scenario/scenario.h"
#include "model/training/step_cost.h"

#include <memory>
#include <string>
#include <vector>

namespace alidade {

/// One measured training step and the classes that it belongs to.
struct MeasuredStep {
    std::string id;
    std::string source;                       ///< publication
    std::string group = {};                   ///< sweep that the row belongs to
    std::shared_ptr<const ScenarioSpec> spec; ///< what was run
    double seconds = 0;                       ///< of a step, > 0
    double weight = 0;                        ///< 1 / (rows of its group)
};

/// What is left out together: rows of one publication, or of one architecture (layers, hidden size, experts),
/// whatever its releases are called.
enum class LeftOut : std::uint8_t { source, model };

/// A step with the constants that its prediction depends on.
class BoundSteps {
public:
    /// Resolves each step and finds which constants of the profile feed it. Constants with a prior are the
    /// ones to fit. Steps that do not resolve or run are left out: see `rejected`.
    BoundSteps(const std::vector<MeasuredStep>& steps, const Catalog& catalog, const Profile& profile);

    struct Step {
        MeasuredStep measured;
        Scenario scenario;
        std::string model; ///< key of its architecture
        struct Feed {
            std::size_t parameter = 0; ///< index in `fitted`
            Input input{};
            double scale = 1; ///< input = scale x parameter
        };
        std::vector<Feed> feeds;
        std::size_t band = 0; ///< index in the profile of the constant that gives its band; none: its size
        const std::string& key(LeftOut by) const { return by == LeftOut::source ? measured.source : model; }
    };
    struct Rejected {
        std::string id, why;
    };

    const std::vector<Step>& steps() const { return steps_; }
    const std::vector<Rejected>& rejected() const { return rejected_; }
    const Profile& profile() const { return profile_; }
    const std::vector<std::size_t>& fitted() const {
        return fitted_;
    } ///< indices of the profile's parameters

    /// ln(predicted step time). \param parameters transformed values of `fitted`; \param scratch overwritten
    double logTime(std::size_t step, const std::vector<double>& parameters, Totals& scratch) const;

    /// The transformed values of a profile with the same parameters, and back.
    std::vector<double> valuesOf(const Profile& profile) const;
    double toValue(std::size_t fitted, double transformed) const;
    FitPrior priorOf(std::size_t fitted) const;
    /// d ln(value) / d(transformed).
    double logSlope(std::size_t fitted, double transformed) const;

private:
    const Parameter& parameter(std::size_t fitted) const { return profile_.parameters[fitted_[fitted]]; }

    Profile profile_;
    std::vector<std::size_t> fitted_;
    std::vector<Step> steps_;
    std::vector<Rejected> rejected_;
};

struct StepFitOptions {
    double sd = 0.08;   ///< of ln(measured / law) of one group of rows: what the law leaves out
    double huber = 0.3; ///< near the median: the figures that are judged are absolute errors
    int mostIterations = 200;
    double tolerance = 1e-4;
    unsigned threads = 1; ///< for leaving out; the result does not depend on it
    std::stop_token stop = {};
};

/// Fits the constants to all steps, or to those with a weight in `weights` (same order as the steps).
MapFit fitSteps(const BoundSteps& steps, const StepFitOptions& options, const std::vector<double>& start = {},
                const std::vector<double>* weights = nullptr);

/// ln(predicted / measured) of each step by constants that were fitted without its class.
std::vector<double> leftOutErrors(const BoundSteps& steps, const MapFit& all, LeftOut by,
                                  const StepFitOptions& options);

/// The profile with fitted values, posterior deviations and data shares; bands (`time_log_sd...` with a
/// prior) such that 80 % of the left-out errors of their rows, by weight, lie inside the 10 to 90 % range.
Profile fittedProfile(const BoundSteps& steps, const MapFit& fit, const std::vector<double>& leftOut);

/// Sd of a normal distribution whose 10 to 90 % range holds 80 % of the errors by weight.
double bandSd(std::vector<std::pair<double, double>> errorAndWeight);

} // namespace alidade
