// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/explore/sensitivity.h"
#include "model/explore/solve.h"
#include "model/explore/sweep.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace alidade::cli {

/// A value as in a scenario file; words of a list as typed, "" for an absent one.
nlohmann::ordered_json valueJson(const FieldValue& value);
/// A value as --set reads it back.
std::string valueText(const Variable& variable, const FieldValue& value);

// Each for a person, and as the documented object.
/// \param figures the columns to print; the first is drawn as bars
std::string sweepText(const Sweep& sweep, const std::vector<const PlanFigure*>& figures,
                      const Terminal& terminal);
std::string sweepJson(const Sweep& sweep);
/// One row a point: values, runs, fits, bound, all figures.
std::string sweepCsv(const Sweep& sweep);
/// \param ownError the inputs were varied by their own error, not by `step`
std::string sensitivityText(const Sensitivity& sensitivity, double step, bool ownError,
                            const Terminal& terminal);
std::string sensitivityJson(const Sensitivity& sensitivity);
std::string solutionText(const Variable& variable, const Solution& solution, const Goal& goal,
                         const Terminal& terminal);
std::string solutionJson(const Variable& variable, const Solution& solution);

} // namespace alidade::cli
