// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/document/outcome.h"
#include "model/plan/inputs.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// A value that a buyer signs for: if it is another one, time or money of this plan change noticeably.
struct KeyAssumption {
    std::string name; ///< identifier, as in formulas and profiles, or path of a field
    std::string label, source;
    double value = 0;
    Dimension dimension = Dimension::number;
    SourceKind kind = SourceKind::assumed;
    double low = 0, high = 0; ///< its own 10 % and 90 % quantiles, or a tenth less and more
    bool ownError = false;    ///< false: a tenth, as no error of it is known
    /// At the worse of its ends: the value, the change of the figure as a share, and the differences
    /// from the plan.
    double worse = 0;
    double change = 0;
    std::optional<double> days;
    std::optional<Cents> total;
    bool carries = true; ///< the plan still runs, fits and carries its load there
};

inline constexpr std::size_t mostKeyAssumptions = 10;
/// Below this share of the figure an assumption does not matter.
inline constexpr double leastEffect = 0.005;

/// The assumptions that matter to a plan, largest effect first; of a run on its cost, of a service on the
/// price of its tokens or its headline figure: each constant of the calibration is taken to both ends of its
/// own error, price, peak, memory bandwidth and given goodput a tenth down and up, and the scenario is
/// estimated again. \pre the scenario runs and fits
std::vector<KeyAssumption> keyAssumptions(const ScenarioSpec& spec, const Catalog& catalog,
                                          const Profile& profile, const Scenario& scenario,
                                          const Estimate& estimate, const PlanResult& base);

} // namespace alidade
