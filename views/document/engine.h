// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/engine/engine.h"

#include <functional>

namespace alidade::views {

/// The functions that a document computes with. Called on a worker thread; a test puts its own here, to
/// count, delay or fail them.
struct Engine {
    std::function<Result<Estimate>(const ScenarioSpec&, const Catalog&)> estimate;
    std::function<std::vector<Suggestion>(const ScenarioSpec&, const Catalog&)> suggest;
    std::function<Result<Explanation>(const ScenarioSpec&, const Catalog&, const std::string& path)> explain;
    /// An estimate with parts that few views show (timeline, load curve, distribution): see DetailSource.
    std::function<Result<Estimate>(const ScenarioSpec&, const Catalog&, const EstimateOptions& parts)>
        detail = {};
};

/// The estimate, or why there is none; an exception becomes an error.
Result<Estimate> guardedEstimate(const Engine& engine, const ScenarioSpec& spec, const Catalog& catalog);

/// How a figure comes about, or why there is no explanation.
Result<Explanation> guardedExplanation(const Engine& engine, const ScenarioSpec& spec, const Catalog& catalog,
                                       const std::string& path);

/// The estimate with these parts, or why there is none.
Result<Estimate> guardedDetail(const Engine& engine, const ScenarioSpec& spec, const Catalog& catalog,
                               const EstimateOptions& parts);

/// The constants that a scenario names: the catalog's default profile, or one of its profiles. \returns an
/// error that names the nearest known one
Result<const Profile*> profileOf(const ScenarioSpec& spec, const Catalog& catalog);

/// The real ones, with the profile that the scenario names: the catalog's default one, or one of the
/// catalog's profiles.
/// \param today "2026-11-20", by which old prices are marked; empty: none is
Engine modelEngine(const std::string& today = {});

} // namespace alidade::views
