// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/serving_evaluator.h"

#include "model/estimate/evaluate_serving.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/serving_estimate.h"
#include "model/units/constants.h"

namespace alidade {

ServingEvaluator::ServingEvaluator(const Catalog& catalog, const Profile& profile)
    : catalog_(catalog)
    , profile_(profile)
    , totals_(std::make_unique<ServingTotals>()) {}

ServiceLevel ServingEvaluator::tryOut(const ScenarioSpec& spec) {
    const ServiceLevel level = tryMeans(spec);
    return level == ServiceLevel::carries ? judgeLatencies() : level;
}

ServiceLevel ServingEvaluator::tryMeans(const ScenarioSpec& spec) {
    ++tried_;
    auto scenario = resolve(spec, catalog_, profile_);
    if (!scenario || !scenario->runs() || !canEvaluateServing(*scenario))
        return ServiceLevel::none;
    scenario_ = *std::move(scenario);
    evaluateServing<double>(*scenario_, poolInputs(*scenario_), *totals_, nullptr, ServingDetail::means);
    return !totals_->fits                     ? ServiceLevel::none
           : !totals_->stable                 ? ServiceLevel::fits
           : servingTargets(*scenario_).any() ? ServiceLevel::carries
                                              : ServiceLevel::meets;
}

ServiceLevel ServingEvaluator::judgeLatencies() {
    evaluateServing<double>(*scenario_, poolInputs(*scenario_), *totals_);
    return meets(servingTargets(*scenario_), *totals_) ? ServiceLevel::meets : ServiceLevel::carries;
}

ServiceCost ServingEvaluator::cost() const {
    double gpus = 0;
    for (const ServingPool& pool : scenario_->pools)
        gpus += pool.inputs[Input::gpus];
    ServiceCost out{.bill = scenario_->hasPrice ? totals_->dollarsPerHour : gpus, .time = totals_->e2e};
    const double tokens = totals_->inputTokensPerSecond + totals_->outputTokensPerSecond;
    out.perToken = tokens > 0 ? out.bill / tokens / secondsPerHour : 0;
    return out;
}

double ServingEvaluator::load() const {
    const WorkloadSpec& workload = scenario_->spec.workload;
    const double rate = workload.requestRatePerS.value_or(0) * samplesOf(workload);
    return rate > 0 ? rate / totals_->maxRequestRate : 0;
}

bool ServingEvaluator::estimateAgrees(const ScenarioSpec& spec) {
    if (!hasTargets(spec))
        return true;
    const auto scenario = resolve(spec, catalog_, profile_);
    return scenario && meetsItsTargets(*scenario);
}

bool hasTargets(const ScenarioSpec& spec) { return spec.workload.ttftSloS || spec.workload.itlSloS; }

Edit withoutNeedless(const ScenarioSpec& spec, Edit edit, ServingEvaluator& evaluator) {
    if (edit.size() <= 1)
        return edit;
    struct Outcome {
        ServiceLevel level;
        double bill, time;
        bool operator==(const Outcome&) const = default;
    };
    const auto outcome = [&](const Edit& each) -> std::optional<Outcome> {
        const auto changed = applyEdit(spec, each);
        const ServiceLevel level = changed ? evaluator.tryOut(*changed) : ServiceLevel::none;
        if (level == ServiceLevel::none)
            return {};
        const ServiceCost cost = evaluator.cost();
        return Outcome{level, cost.bill, cost.time};
    };
    const auto whole = outcome(edit);
    for (std::size_t i = 0; i < edit.size() && edit.size() > 1;) {
        Edit shorter = edit;
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
        if (outcome(shorter) == whole)
            edit = std::move(shorter);
        else
            ++i;
    }
    return edit;
}

} // namespace alidade
