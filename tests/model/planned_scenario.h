// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/document/plan_document.h"
#include "model/estimate/resolved_estimate.h"
#include "tests/model/small_catalog.h"

#include <utility>
#include <vector>

namespace alidade::test {

/// A plan of small_catalog.h with its estimate.
struct Planned {
    ScenarioSpec spec;
    Scenario scenario;
    Estimate estimate;
    PlanResult result;

    explicit Planned(ScenarioSpec of)
        : spec(std::move(of))
        , scenario(*resolve(spec, smallCatalog(), smallCatalog().defaultProfile))
        , estimate(estimateResolved(scenario, {.loadLimit = false, .fixes = false}))
        , result(planResult(scenario, estimate)) {}

    std::vector<Risk> risks() const {
        return risksOf(spec, smallCatalog(), smallCatalog().defaultProfile, scenario, estimate, result);
    }
};

} // namespace alidade::test
