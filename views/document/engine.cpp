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

Result<Estimate> guardedDetail(const Engine& engine, const ScenarioSpec& spec, const Catalog& catalog,
                               const EstimateOptions& parts) {
    try {
        return engine.detail ? engine.detail(spec, catalog, parts)
                             : Result<Estimate>(Error{"this engine gives no details"});
    } catch (const std::exception& e) {
        return Error{std::string("the details failed inside the program: ") + e.what()};
    }
}

Engine modelEngine(const std::string& today) {
    return {.estimate =
                [today](const ScenarioSpec& spec, const Catalog& catalog) {
                    return estimate(spec, catalog, catalog.defaultProfile, {.today = today});
                },
            .suggest = [](const ScenarioSpec& spec,
                          const Catalog& catalog) { return suggest(spec, catalog, catalog.defaultProfile); },
            .explain =
                [](const ScenarioSpec& spec, const Catalog& catalog, const std::string& path) {
                    return explainFigure(spec, catalog, catalog.defaultProfile, path);
                },
            .detail =
                [](const ScenarioSpec& spec, const Catalog& catalog, const EstimateOptions& parts) {
                    return estimate(spec, catalog, catalog.defaultProfile, parts);
                }};
}

} // namespace alidade::views
