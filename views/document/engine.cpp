// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/engine.h"

#include <exception>

namespace alidade::views {

Result<Estimate> guardedEstimate(const Engine& engine, const ScenarioSpec& spec, const Catalog& catalog) {
    try {
        return engine.estimate(spec, catalog);
    } catch (const std::exception& e) {
        return Error{std::string("the estimate failed inside the program: ") + e.what()};
    }
}

Result<Explanation> guardedExplanation(const Engine& engine, const ScenarioSpec& spec, const Catalog& catalog,
                                       const std::string& path) {
    try {
        return engine.explain ? engine.explain(spec, catalog, path)
                              : Result<Explanation>(Error{"this engine explains nothing"});
    } catch (const std::exception& e) {
        return Error{std::string("the explanation failed inside the program: ") + e.what()};
    }
}

Result<Estimate> guardedTimeline(const Engine& engine, const ScenarioSpec& spec, const Catalog& catalog) {
    try {
        return engine.timeline ? engine.timeline(spec, catalog)
                               : Result<Estimate>(Error{"this engine plays no schedule"});
    } catch (const std::exception& e) {
        return Error{std::string("the schedule failed inside the program: ") + e.what()};
    }
}

Engine modelEngine() {
    return {
        .estimate = [](const ScenarioSpec& spec,
                       const Catalog& catalog) { return estimate(spec, catalog, catalog.defaultProfile); },
        .suggest = [](const ScenarioSpec& spec,
                      const Catalog& catalog) { return suggest(spec, catalog, catalog.defaultProfile); },
        .explain =
            [](const ScenarioSpec& spec, const Catalog& catalog, const std::string& path) {
                return explainFigure(spec, catalog, catalog.defaultProfile, path);
            },
        .timeline =
            [](const ScenarioSpec& spec, const Catalog& catalog) {
                return estimate(spec, catalog, catalog.defaultProfile, {.timeline = true, .fixes = false});
            }};
}

} // namespace alidade::views
