// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// Explains a step below a traced number: each of `steps` names a term in the formula of the previous one. A
/// term computed outside the traced operations (a count, a quantile) has no formula, only its value and
/// source. nullopt: there is no such term, or it is an input.
std::optional<Explanation> explainStep(const Traced& x, const std::vector<std::string>& steps);

/// Whether explainStep() can explain a term, that is, whether it is not an input.
inline bool hasStep(const ExplainedTerm& term) { return term.kind == SourceKind::derived; }

} // namespace alidade
