// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/engine/engine.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

// What the tests of serving on the shipped catalog share.
namespace alidade::test {

inline ScenarioSpec chat() {
    ScenarioSpec s;
    s.workload.kind = WorkloadKind::serving;
    s.workload.model = "llama-3.1-70b";
    s.workload.inputTokens = 2000;
    s.workload.outputTokens = 300;
    s.workload.requestRatePerS = 4;
    s.cluster.instance = "p5en.48xlarge";
    s.plan.engine = "vllm";
    s.plan.tensorParallel = 4;
    s.plan.weights = "fp8";
    return s;
}

inline Estimate run(const ScenarioSpec& spec, EstimateOptions options = {}) {
    options.fixes = false;
    const auto e = estimate(spec, *shippedCatalog(), shippedCatalog()->defaultProfile, options);
    if (!e)
        qFatal("%s", e.error().c_str());
    return *e;
}

inline bool close(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// Is something said at this place in these words?
inline bool has(const Estimate& e, const std::string& place, const std::string& words) {
    return std::ranges::any_of(e.problems, [&](const Problem& p) {
        return p.place.starts_with(place) && p.message.find(words) != std::string::npos;
    });
}

} // namespace alidade::test
