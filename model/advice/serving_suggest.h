// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/serving_evaluator.h"
#include "model/advice/suggestion.h"

#include <vector>

namespace alidade {

/// suggest() for a service; afterwards the evaluator reports the cost of the search.
std::vector<Suggestion> suggestForService(ServingEvaluator& evaluator, const ScenarioSpec& spec,
                                          std::size_t most);

} // namespace alidade
