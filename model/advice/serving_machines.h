// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/serving_evaluator.h"

#include <limits>
#include <optional>

namespace alidade {

/// The smallest number of the current machines with which a scenario reaches a level with some headroom,
/// keeping its layout. nullopt if even `most` machines do not suffice, or if the bill is not below the limit.
/// Latencies fall with the number of replicas, so bisection works.
std::optional<std::int64_t> fewestMachines(const ScenarioSpec& spec, ServiceLevel level, std::int64_t most,
                                           ServingEvaluator& evaluator,
                                           double billBelow = std::numeric_limits<double>::infinity());

/// More of the same machines that reach a level, with a layout, as one edit; if that fails, the cheapest
/// other instance type. nullopt if none works.
std::optional<Edit> moreServers(const ScenarioSpec& spec, ServiceLevel level, ServingEvaluator& evaluator);

} // namespace alidade
