// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/suggestion.h"
#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "model/estimate/options.h"

#include <string>
#include <string_view>

namespace alidade {

/// Resolves a spec and estimates it. A scenario that cannot run or does not fit is an answer, not an error;
/// an error is a request that means nothing: an id that the catalog does not have, a required field that is
/// missing. Its message begins with the JSON pointer: "/workload/model: ...".
Result<Estimate> estimate(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                          EstimateOptions options = {});

/// How one number of the documented JSON comes about. `path` is dotted: "training.step_time_s",
/// "training.layers.1.ops.3.seconds", "memory.parts.0.bytes"; see figurePath for other ways to write it. A
/// term of its formula follows after >: "training.step_time_s>gpu_time>stage_time".
Result<Explanation> explainFigure(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                  std::string_view path);

/// The changes of plan that gain most tokens per second per dollar (per second without a price), best first,
/// each of which still runs and fits. For a scenario that runs and fits; else empty. Of a service those that
/// lower the price of its tokens while it carries its load and keeps the targets that it keeps; then those
/// that answer sooner for the same money.
std::vector<Suggestion> suggest(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                std::size_t most = 3);

} // namespace alidade
