// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/serving_evaluator.h"
#include "model/estimate/estimate.h"

#include <optional>

namespace alidade {

/// The nearest change after which a serving scenario runs, fits, carries its load and meets its targets,
/// verified by evaluating it: one field of the plan; else narrower formats that the GPU computes in; else
/// another layout on the same machines; else more of them; else other ones, those with the smallest bill.
/// Where nothing gets as far, the change that gets furthest. nullopt if none gets further than it is.
std::optional<Fix> nearestServingFix(const ScenarioSpec& spec, ServingEvaluator& evaluator);

/// Attaches that change to the errors of a serving estimate and to the targets that it misses, or says that
/// there is none.
void adviseService(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                   Estimate& estimate);

} // namespace alidade
