// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/engine.h"

#include <exception>
#include <string>
#include <vector>

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

Result<const Profile*> profileOf(const ScenarioSpec& spec, const Catalog& catalog) {
    const std::string name = spec.calibration.value_or("default");
    if (const Profile* profile = catalog.profile(name))
        return profile;
    std::vector<std::string> known{"default"};
    for (const Profile& each : catalog.profiles)
        known.push_back(each.name);
    const std::string near = nearestName(name, known);
    return Error{"/calibration: the workspace has no calibration '" + name + "'; " +
                 (near.empty() ? std::string("use default") : "did you mean '" + near + "'?")};
}

Engine modelEngine(const std::string& today) {
    return {.estimate = [today](const ScenarioSpec& spec, const Catalog& catalog) -> Result<Estimate> {
                const auto profile = profileOf(spec, catalog);
                return profile ? estimate(spec, catalog, **profile, {.today = today})
                               : Result<Estimate>(Error{profile.error()});
            },
            .suggest =
                [](const ScenarioSpec& spec, const Catalog& catalog) {
                    const auto profile = profileOf(spec, catalog);
                    return profile ? suggest(spec, catalog, **profile) : std::vector<Suggestion>{};
                },
            .explain = [](const ScenarioSpec& spec, const Catalog& catalog,
                          const std::string& path) -> Result<Explanation> {
                const auto profile = profileOf(spec, catalog);
                return profile ? explainFigure(spec, catalog, **profile, path)
                               : Result<Explanation>(Error{profile.error()});
            },
            .detail = [](const ScenarioSpec& spec, const Catalog& catalog,
                         const EstimateOptions& parts) -> Result<Estimate> {
                const auto profile = profileOf(spec, catalog);
                return profile ? estimate(spec, catalog, **profile, parts)
                               : Result<Estimate>(Error{profile.error()});
            }};
}

} // namespace alidade::views
