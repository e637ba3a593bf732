// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/serving_evaluator.h"

#include <limits>
#include <optional>

namespace alidade {

/// The fewest of the present machines with which a scenario reaches a level with some room for more load, its
/// layout kept; absent if not
/// even `most` do, or if their bill is not below a limit. Latencies fall with the number of replicas, so that
/// halving finds it.
std::optional<std::int64_t> fewestMachines(const ScenarioSpec& spec, ServiceLevel level, std::int64_t most,
                                           ServingEvaluator& evaluator,
                                           double billBelow = std::numeric_limits<double>::infinity());

/// More of the same machines that reach a level, with a layout, as one edit; where they do not, of the other
/// instance types those with the smallest bill. nullopt if none does.
std::optional<Edit> moreServers(const ScenarioSpec& spec, ServiceLevel level, ServingEvaluator& evaluator);

} // namespace alidade
