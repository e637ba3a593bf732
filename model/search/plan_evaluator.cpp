// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/plan_evaluator.h"

#include "model/base/quantiles.h"
#include "model/estimate/assemble.h"
#include "model/estimate/assemble_serving.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/evaluate_serving.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/serving_estimate.h"

#include <algorithm>
#include <cmath>

namespace alidade {

PlanEvaluator::PlanEvaluator(const Catalog& catalog, const Profile& profile)
    : catalog_(catalog)
    , profile_(profile) {}

PlanEvaluator::~PlanEvaluator() = default;

PlanOutcome PlanEvaluator::tryOut(const ScenarioSpec& spec, bool percentiles) {
    auto scenario = resolve(spec, catalog_, profile_);
    if (!scenario) {
        scenario_.reset();
        error_ = scenario.error();
        return PlanOutcome::illegal;
    }
    scenario_ = *std::move(scenario);
    const Scenario& s = *scenario_;
    if (!s.runs()) {
        return PlanOutcome::illegal;
    }
    if (!s.isServing()) {
        if (!canEvaluate(s)) {
            return PlanOutcome::illegal;
        }
        if (!training_) {
            training_ = std::make_unique<Totals>();
        }
        evaluate(s, s.inputs, *training_);
        return outcomeOf(s);
    }
    if (!canEvaluateServing(s)) {
        return PlanOutcome::illegal;
    }
    if (!serving_) {
        serving_ = std::make_unique<ServingTotals>();
    }
    inputs_.clear();
    for (const ServingPool& pool : s.pools) {
        inputs_.push_back(pool.inputs);
    }
    evaluateServing<double>(s, inputs_, *serving_, nullptr,
                            percentiles ? ServingDetail::percentiles : ServingDetail::means);
    return outcomeOf(s);
}

PlanOutcome PlanEvaluator::tryInputs(const Scenario& scenario, const Inputs& inputs) {
    if (!scenario.isServing()) {
        evaluate(scenario, inputs, *training_);
        return outcomeOf(scenario);
    }
    // Of two pools, what differs from the last pool's inputs changes in both.
    const Inputs& before = scenario.pools.back().inputs;
    inputs_.clear();
    for (const ServingPool& pool : scenario.pools) {
        Inputs changed = pool.inputs;
        for (std::size_t i = 0; i < inputCount; ++i) {
            const double factor = inputs.values[i] / before.values[i];
            if (inputs.values[i] != before.values[i]) {
                changed.values[i] = before.values[i] != 0 ? changed.values[i] * factor : inputs.values[i];
            }
        }
        inputs_.push_back(changed);
    }
    evaluateServing<double>(scenario, inputs_, *serving_);
    return outcomeOf(scenario);
}

PlanOutcome PlanEvaluator::outcomeOf(const Scenario& scenario) const {
    if (!scenario.isServing()) {
        return training_->fits ? PlanOutcome::carries : PlanOutcome::unfit;
    }
    return !serving_->fits     ? PlanOutcome::unfit
           : !serving_->stable ? PlanOutcome::overloaded
                               : PlanOutcome::carries;
}

Problem PlanEvaluator::whyIllegal() const {
    if (!scenario_) {
        const std::size_t colon = error_.find(": ");
        const bool placed = error_.starts_with('/') && colon != std::string::npos;
        return {Severity::error,
                placed ? error_.substr(0, colon) : "",
                placed ? error_.substr(colon + 2) : error_,
                {}};
    }
    const auto first = std::ranges::find(scenario_->problems, Severity::error, &Problem::severity);
    return first != scenario_->problems.end()
               ? *first
               : Problem{Severity::error, "/plan", "The layers cannot be dealt to the stages", {}};
}

std::string PlanEvaluator::largestMemoryPart() const {
    if (scenario_->isServing()) {
        const auto& memory = serving_->fullest().memory;
        return memory.weights >= serving_->fullest().kvInUse ? "weights" : "KV cache";
    }
    const auto& memory = training_->stages[static_cast<std::size_t>(training_->worstStage)].memory;
    std::string name =
        memoryKindNames[static_cast<std::size_t>(std::ranges::max_element(memory) - memory.begin())];
    name[0] = static_cast<char>(name[0] - 'A' + 'a');
    return name;
}

bool PlanEvaluator::missesTargets() const {
    if (!scenario_->isServing()) {
        return false;
    }
    const ServingTargets targets = servingTargets(*scenario_);
    return targets.any() && !meets(targets, *serving_);
}

double PlanEvaluator::figureOf(const Scenario& scenario, const PlanFigure& figure) const {
    return scenario.isServing() ? figure.ofServing(scenario, *serving_)
                                : figure.ofTraining(scenario, *training_);
}

double PlanEvaluator::logSd(const PlanFigure& figure) const {
    const Scenario& s = *scenario_;
    const Inputs& in = s.isServing() ? s.pools.back().inputs : s.inputs;
    switch (figure.error) {
    case FigureError::none:
        return 0;
    case FigureError::memory:
        return s.isServing() ? std::log(memoryHigh() / serving_->fullest().memoryTotal) / quantile90
                             : in[Input::memoryLogSd];
    case FigureError::firstToken:
        return in[Input::servingTtftLogSd];
    case FigureError::time:
        break;
    }
    return in[s.isServing() ? servingSpread(s) : stepTimeSpread(s)];
}

double PlanEvaluator::memoryHigh() const {
    if (!scenario_->isServing()) {
        return training_->memoryTotal * std::exp(quantile90 * scenario_->inputs[Input::memoryLogSd]);
    }
    const auto& pool = serving_->fullest();
    return pool.memoryTotal + engineMemorySpread * (pool.memory.activations + pool.memory.workspace);
}

double PlanEvaluator::usableMemory() const {
    if (!scenario_->isServing()) {
        return training_->memoryTotal + training_->headroom;
    }
    const auto& pool = serving_->fullest();
    return pool.memoryTotal + pool.headroom;
}

} // namespace alidade
