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

Engine modelEngine() {
    return {
        .estimate = [](const ScenarioSpec& spec,
                       const Catalog& catalog) { return estimate(spec, catalog, catalog.defaultProfile); },
        .suggest = [](const ScenarioSpec& spec,
                      const Catalog& catalog) { return suggest(spec, catalog, catalog.defaultProfile); }};
}

} // namespace alidade::views
