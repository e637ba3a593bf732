// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/document/outcome.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// Something that may go otherwise than planned, with what the plan comes to if it does: the scenario with
/// that one change, estimated again.
struct Risk {
    std::string id{};             ///< "interruptions", "price", "gemm", "memory", "fewer_machines", ...
    std::string text{};           ///< what may happen
    std::string remedy{};         ///< what is done about it
    std::optional<double> odds{}; ///< probability, 0..1; absent: not known
    Edit set{};                   ///< the change: of fields,
    VariableSettings numbers{};   ///< and of numbers of catalog or calibration
    PlanResult result{};          ///< of the changed plan
    /// Differences from the plan, where both have the figure.
    std::optional<double> days{};
    std::optional<Cents> total{};
};

/// The probability that a number whose ln is normal with this standard deviation exceeds its median at least
/// `factor` times; 0..1.
double chanceOfFactor(double factor, double logSd);

/// The risks of a plan that runs and fits. Of a run: fewer machines at once, slower matrix products, twice
/// the interruptions (or a goodput five points lower, where it is given), the high end of the memory, a price
/// one percent higher, the deadline. Of reinforcement learning: longer responses, fewer machines, the price.
/// Of a service: more load, slower kernels, one machine less, the price.
/// \param base of the scenario itself
std::vector<Risk> risksOf(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                          const Scenario& scenario, const Estimate& estimate, const PlanResult& base);

} // namespace alidade
