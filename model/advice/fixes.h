// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"
#include "model/scenario/problem.h"
#include "model/scenario/spec.h"

#include <optional>

namespace alidade {

/// The smallest change after which a scenario runs and fits, verified by evaluating it: one field of the
/// plan; else the nearest batch that divides; else the fastest layout on the same machines; else more or
/// different machines, whichever costs least. nullopt if none of these helps.
std::optional<Fix> nearestFix(const ScenarioSpec& spec, Evaluator& evaluator);

} // namespace alidade
