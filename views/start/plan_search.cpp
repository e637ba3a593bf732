// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/plan_search.h"

#include "model/estimate/estimate.h"

#include <algorithm>
#include <optional>
#include <string>

namespace alidade::views {

namespace {

std::vector<ScenarioSpec> trainingLayouts(const ScenarioSpec& base) {
    std::vector<ScenarioSpec> layouts;
    for (const std::int64_t tensor : {1, 2, 4, 8})
        for (const std::int64_t pipeline : {1, 2, 4, 8, 16})
            for (const char* recompute : {"none", "selective", "full"}) {
                ScenarioSpec spec = base;
                spec.plan.tensorParallel = tensor;
                spec.plan.pipelineParallel = pipeline;
                spec.plan.recompute = std::vector<std::string>{recompute};
                if (tensor > 1)
                    spec.plan.sequenceParallel = true;
                layouts.push_back(std::move(spec));
            }
    return layouts;
}

std::vector<ScenarioSpec> servingLayouts(const ScenarioSpec& base) {
    std::vector<ScenarioSpec> layouts;
    for (const char* weights : {"", "fp8"}) {
        ScenarioSpec spec = base;
        if (*weights != 0)
            spec.plan.weights = weights;
        for (const std::int64_t tensor : {1, 2, 4, 8, 16}) {
            spec.plan.tensorParallel = tensor;
            layouts.push_back(spec);
        }
        spec.plan.tensorParallel = 1;
        for (const std::int64_t experts : {8, 16, 32}) {
            spec.plan.expertParallel = spec.plan.attentionDataParallel = experts;
            layouts.push_back(spec);
        }
    }
    return layouts;
}

/// More is better; absent: the estimate has no answer.
std::optional<double> scoreOf(const Estimate& estimate) {
    if (estimate.training)
        return estimate.training->tokensPerSecond;
    if (!estimate.serving)
        return std::nullopt;
    const double rate = estimate.serving->requestRateWithinTargets.value_or(estimate.serving->maxRequestRate);
    // What misses its targets at any rate is still told apart by its latency.
    return rate > 0 ? rate : -estimate.serving->e2e;
}

} // namespace

std::vector<ScenarioSpec> usualLayouts(const ScenarioSpec& base) {
    return base.workload.isServing() ? servingLayouts(base) : trainingLayouts(base);
}

void PlanChoice::consider(int index, const Estimate* estimate) {
    if (estimate == nullptr || !estimate->runs)
        return;
    if (const auto score = scoreOf(*estimate); estimate->fits && score && *score > bestScore_) {
        best_ = index;
        bestScore_ = *score;
    }
    if (!estimate->fits && estimate->memory && -estimate->memory->headroomBytes < leastLack_) {
        nearest_ = index;
        leastLack_ = -estimate->memory->headroomBytes;
    }
}

int PlanChoice::index() const { return best_ >= 0 ? best_ : std::max(nearest_, 0); }

} // namespace alidade::views
