// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/serving_evaluator.h"
#include "model/estimate/estimate.h"

#include <optional>

namespace alidade {

/// The smallest change after which a serving scenario runs, fits, carries its load and meets its targets,
/// verified by evaluating it: one field of the plan; else narrower formats that the GPU computes in; else
/// another layout on the same machines; else more machines; else the cheapest other machines. If none gets
/// that far, the change that gets furthest. nullopt if none improves on the current state.
std::optional<Fix> nearestServingFix(const ScenarioSpec& spec, ServingEvaluator& evaluator);

/// Attaches that change to the errors of a serving estimate and to missed targets, or notes that no change
/// helps.
void adviseService(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                   Estimate& estimate);

} // namespace alidade
