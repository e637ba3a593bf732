// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/serving_evaluator.h"
#include "model/advice/suggestion.h"

#include <vector>

namespace alidade {

/// suggest() of a service, with an evaluator that tells afterwards what the search cost.
std::vector<Suggestion> suggestForService(ServingEvaluator& evaluator, const ScenarioSpec& spec,
                                          std::size_t most);

} // namespace alidade
