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
#include <array>
#include <cmath>
#include <utility>

namespace alidade {

PlanEvaluator::PlanEvaluator(const Catalog& catalog, const Profile& profile,
                             std::function<void(Scenario&)> adjust)
    : resolver_(catalog, profile)
    , adjust_(std::move(adjust)) {}

PlanEvaluator::~PlanEvaluator() = default;

PlanOutcome PlanEvaluator::tryOut(const ScenarioSpec& spec, bool percentiles,
                                  std::optional<LayoutFields> changed) {
    if (!changed) // even if this one is illegal, the next ones are on its machines
        layers_.clear();
    scenario_ = &resolver_.resolve(spec, changed);
    if (!resolved())
        return PlanOutcome::illegal;
    if (adjust_) {
        adjusted_ = *scenario_;
        adjust_(**adjusted_);
        scenario_ = &*adjusted_;
    }
    const Scenario& s = scenario();
    if (!changed || !std::exchange(knowsKind_, true)) {
        serves_ = s.isServing();
        reinforces_ = s.isReinforcement();
    }
    if (!s.runs())
        return PlanOutcome::illegal;
    if (reinforces_) {
        if (!canEvaluateReinforcement(s))
            return PlanOutcome::illegal;
        if (!reinforcement_)
            reinforcement_ = std::make_unique<RlTotals>();
        evaluateReinforcement(s, rlInputs(s), *reinforcement_);
        return outcome();
    }
    if (!serves_) {
        if (!canEvaluate(s))
            return PlanOutcome::illegal;
        if (!training_)
            training_ = std::make_unique<Totals>();
        if (changed && !adjust_)
            evaluateIfFits(s, layers_, *training_);
        else
            evaluate(s, s.inputs, *training_);
        return outcome();
    }
    if (!canEvaluateServing(s))
        return PlanOutcome::illegal;
    if (!serving_)
        serving_ = std::make_unique<ServingTotals>();
    inputs_ = poolInputs(s, std::move(inputs_));
    evaluateServing<double>(s, inputs_, *serving_, nullptr,
                            percentiles ? ServingDetail::percentiles : ServingDetail::means);
    return outcome();
}

PlanOutcome PlanEvaluator::outcome() const {
    if (reinforces_)
        return reinforcement_->fits ? PlanOutcome::carries : PlanOutcome::unfit;
    if (!serves_)
        return training_->fits ? PlanOutcome::carries : PlanOutcome::unfit;
    return !serving_->fits     ? PlanOutcome::unfit
           : !serving_->stable ? PlanOutcome::overloaded
                               : PlanOutcome::carries;
}

Problem PlanEvaluator::whyIllegal() const {
    const std::string message(illegalMessage());
    if (!resolved()) {
        const std::string& error = scenario_->error();
        const std::size_t place = error.size() - message.size(); // of "/plan/framework: message"
        return {Severity::error, place > 2 ? error.substr(0, place - 2) : "", message, {}};
    }
    const auto first = std::ranges::find(scenario().problems, Severity::error, &Problem::severity);
    return first != scenario().problems.end() ? *first : Problem{Severity::error, "/plan", message, {}};
}

std::string_view PlanEvaluator::illegalMessage() const {
    if (!resolved()) {
        const std::string_view error = scenario_->error();
        const std::size_t colon = error.find(": ");
        return error.starts_with('/') && colon != std::string_view::npos ? error.substr(colon + 2) : error;
    }
    const auto first = std::ranges::find(scenario().problems, Severity::error, &Problem::severity);
    return first != scenario().problems.end() ? std::string_view(first->message)
                                              : "The layers cannot be dealt to the stages";
}

namespace {

std::string unfitBecauseOf(std::string_view part) {
    return "Does not fit: " + std::string(part) + " take most of the memory";
}

/// Of each part of a training plan's memory.
std::array<std::string, memoryKindNames.size()> unfitTexts() {
    std::array<std::string, memoryKindNames.size()> out;
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::string name = memoryKindNames[i];
        name[0] = static_cast<char>(name[0] - 'A' + 'a');
        out[i] = unfitBecauseOf(name);
    }
    return out;
}

} // namespace

std::string_view PlanEvaluator::whyUnfit() const {
    if (reinforces_) {
        static const std::string engine = unfitBecauseOf("engine"),
                                 trainer = unfitBecauseOf("weights, gradients and optimizer states");
        return reinforcement_->memory.trainFits ? engine : trainer;
    }
    if (serves_) {
        static const std::string weights = unfitBecauseOf("weights"), cache = unfitBecauseOf("KV cache");
        const auto& memory = serving_->fullest().memory;
        return memory.weights >= serving_->fullest().kvInUse ? weights : cache;
    }
    static const std::array<std::string, memoryKindNames.size()> texts = unfitTexts();
    const auto& memory = training_->stages[static_cast<std::size_t>(training_->worstStage)].memory;
    return texts[static_cast<std::size_t>(std::ranges::max_element(memory) - memory.begin())];
}

bool PlanEvaluator::missesTargets() const {
    if (!serves_)
        return false;
    const ServingTargets targets = servingTargets(scenario());
    return targets.any() && !meets(targets, *serving_);
}

double PlanEvaluator::figure(const PlanFigure& figure) const {
    return reinforces_ ? figure.ofReinforcement(scenario(), *reinforcement_)
           : serves_   ? figure.ofServing(scenario(), *serving_)
                       : figure.ofTraining(scenario(), *training_);
}

double PlanEvaluator::logSd(const PlanFigure& figure) const {
    if (figure.error == FigureError::memory && serves_)
        return std::log(memoryHigh() / serving_->fullest().memoryTotal) / quantile90;
    return logSdOf(scenario(), figure);
}

std::optional<Estimate> PlanEvaluator::estimate() const {
    if (reinforces_)
        return std::nullopt;
    return serves_ ? servingEstimate(scenario(), {.loadLimit = false})
                   : assemble(scenario(), scenario().inputs, training_.get());
}

double PlanEvaluator::memoryHigh() const {
    if (reinforces_) {
        const double spread = scenario().roles->train.inputs[Input::memoryLogSd];
        return std::max(reinforcement_->memory.engineNeeded,
                        reinforcement_->memory.trainTotal * std::exp(quantile90 * spread));
    }
    if (!serves_)
        return training_->memoryTotal * std::exp(quantile90 * scenario().inputs[Input::memoryLogSd]);
    const auto& pool = serving_->fullest();
    const double spread = scenario().pools.back().inputs[Input::servingMemorySpread];
    return pool.memoryTotal + spread * (pool.memory.activations + pool.memory.workspace);
}

double PlanEvaluator::usableMemory() const {
    if (reinforces_) {
        const auto& memory = reinforcement_->memory;
        return std::max(memory.engineNeeded, memory.trainTotal) + memory.headroom;
    }
    if (!serves_)
        return training_->memoryTotal + training_->headroom;
    const auto& pool = serving_->fullest();
    return pool.memoryTotal + pool.headroom;
}

} // namespace alidade
