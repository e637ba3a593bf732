// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"
#include "model/advice/suggestion.h"

#include <vector>

namespace alidade {

/// suggest(); afterwards the evaluator reports the cost of the search.
std::vector<Suggestion> suggestWith(Evaluator& evaluator, const ScenarioSpec& spec, std::size_t most);

} // namespace alidade
