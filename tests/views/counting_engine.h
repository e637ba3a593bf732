// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "tests/data/shipped_catalog.h"
#include "views/document/document.h"
#include "views/document/engine.h"

#include <atomic>
#include <string>

namespace alidade::test {

/// The real engine, with its calls counted.
struct CountedModel {
    std::atomic<int> estimates = 0;

    views::Engine engine() {
        views::Engine real = views::modelEngine();
        return {.estimate =
                    [this, real](const ScenarioSpec& spec, const Catalog& catalog) {
                        ++estimates;
                        return real.estimate(spec, catalog);
                    },
                .suggest = real.suggest,
                .explain = real.explain};
    }
};

inline Result<Estimate> estimateOf(const ScenarioSpec& spec, const Catalog& catalog) {
    return views::modelEngine().estimate(spec, catalog);
}

inline ScenarioSpec sampleSpec(const std::string& id = "llama-3.1-405b-2048xp5.48xlarge") {
    return *data::readScenario(*data::sampleScenarioText(id), id);
}

} // namespace alidade::test
