// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/plan_figures.h"

#include <string>
#include <vector>

namespace alidade {

struct Catalog;
struct Profile;

/// What the errors of a scenario's figures are made of, so that the error of a difference between two
/// scenarios can be computed: what both share cancels.
struct FigureErrors {
    /// A constant of the calibration that is not known exactly.
    struct Constant {
        std::string name, source;
        double value = 0;
        double logSd = 0; ///< of ln of the constant
        std::vector<double>
            slopes; ///< d ln(figure) / d ln(constant), in the order of planFigures(); NaN: none
    };

    std::string machine;           ///< instance type or UltraServer; empty: a custom one
    std::vector<double> logSd;     ///< of ln of each figure's error, in the order of planFigures(); 0: exact
    std::vector<double> timeParts; ///< what determines the time of a step, s: equal ones are the same step
    std::vector<Constant> constants;
};

/// Evaluates the scenario once more for each constant that it uses. Serving: the closed form.
/// \returns an error if the scenario does not resolve; no constants if it does not run
Result<FigureErrors> figureErrors(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile);

/// Standard deviation of ln(a figure of `b` / the same figure of `a`). The covariance of the two errors is
/// - that of the constants that both use, from the slopes of both;
/// - on one machine at least what published runs show (errorCorrelationOnOneMachine), as what the model
///   leaves out is in part the same there;
/// - all of it where both run the very same step, as where only price or number of tokens differs.
/// \param figure place in planFigures()
double ratioLogSd(const FigureErrors& a, const FigureErrors& b, std::size_t figure);

/// The change of a figure from one scenario to another.
struct FigureChange {
    double before = 0, after = 0;
    double logSd = 0;     ///< of ln(after / before)
    bool certain = false; ///< the 80 % interval of the ratio does not contain 1
    double ratio() const { return after / before - 1; }
    double difference() const { return after - before; }
};
FigureChange figureChange(const FigureErrors& a, const FigureErrors& b, std::size_t figure, double before,
                          double after);

} // namespace alidade
