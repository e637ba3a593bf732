// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/variable.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade {

/// What one variable does to the figure.
struct SensitivityBar {
    Variable variable;
    double value = 0;                         ///< present
    double lowValue = 0, highValue = 0;       ///< value x (1 - step), x (1 + step), within its range
    std::optional<double> low, high;          ///< the figure there; absent: it does not run
    std::optional<double> derivative;         ///< of the figure by the variable, at the present value, SI
    double span = 0;                          ///< largest change of the figure, absolute
    std::optional<Bound> lowBound, highBound; ///< what limits the step there
    /// From here on more (or less, where that is what helps) of it changes the figure by less than a tenth as
    /// much as at the present value; absent: not within tenfold, or not asked for.
    std::optional<double> saturatesAt;
};

/// How much of the uncertainty of the figure comes from not knowing one constant.
struct Ignorance {
    std::string path; ///< of the constant; "residual": what the model leaves out
    std::string label;
    double shareOfVariance = 0; ///< 0..1; the shares sum to 1
    std::string measurement;    ///< that would remove it
    double logSdAfter = 0;      ///< of the figure, once this is known
};

/// How far each number is varied.
struct SensitivityRange {
    double step = 0.1; ///< share of the value, up and down
    /// Constants of the calibration from their own 10 % to their 90 % quantile instead, and nothing else.
    bool ownError = false;
    bool saturation = false; ///< also look where the figure stops following
};

struct Sensitivity {
    std::string figure;
    Dimension dimension = Dimension::number;
    double value = 0;
    std::vector<SensitivityBar> inputs; ///< largest span first; those without effect are left out
    std::vector<Ignorance> ignorance;   ///< largest share first; empty if the figure has no error band
    double logSd = 0;                   ///< of the model's error on the figure; 0: exact
    /// The measurements that together halve the band, the most useful first; empty: no set of them does,
    /// because too much of it is what the model leaves out.
    std::vector<std::string> halving;
};

/// Standard deviation of ln of a constant of the calibration as the scenario uses it; 0: exact, or no
/// constant.
double constantLogSd(const Scenario& scenario, const Profile& profile, Input input);

/// What `step` more or less (0.1: 10 %) of each number of the scenario, the catalog and the calibration does
/// to a figure, each by re-evaluation. Parallel degrees and other choices are not numbers that vary by
/// percent, and are left out. Serving: the closed form, without the simulation, whose noise would drown small
/// changes.
/// \returns an error if the scenario does not run or has no such figure
Result<Sensitivity> sensitivity(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                const std::string& figure, const SensitivityRange& range,
                                const std::stop_token& stop = {});
inline Result<Sensitivity> sensitivity(const ScenarioSpec& spec, const Catalog& catalog,
                                       const Profile& profile, const std::string& figure, double step) {
    return sensitivity(spec, catalog, profile, figure, SensitivityRange{.step = step});
}

/// The figure that sums a scenario up: its headline.
std::string headlineFigure(const Estimate& estimate);

} // namespace alidade
