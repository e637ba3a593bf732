// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/figure_errors.h"

#include "model/base/quantiles.h"
#include "model/catalog/catalog.h"
#include "model/estimate/assemble.h"
#include "model/estimate/assemble_serving.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/evaluate_reinforcement.h"
#include "model/estimate/evaluate_serving.h"
#include "model/estimate/serving_estimate.h"
#include "model/explore/variable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace alidade {

namespace {

/// Far below any error, far above the rounding of a figure.
constexpr double slopeStep = 1e-4;

/// The figures of one scenario; evaluates in memory that it keeps.
class Evaluator {
public:
    /// \returns the figures in the order of planFigures(), NaN where there is none; empty: it does not run
    std::vector<double> figures(const Scenario& s) {
        const bool can = s.isServing()         ? canEvaluateServing(s)
                         : s.isReinforcement() ? canEvaluateReinforcement(s)
                                               : canEvaluate(s);
        if (!s.runs() || !can)
            return {};
        if (s.isReinforcement())
            evaluateReinforcement(s, rlInputs(s), *reinforcement_);
        else if (s.isServing())
            evaluateServing<double>(s, poolInputs(s), *serving_, nullptr, ServingDetail::percentiles);
        else
            evaluate(s, s.inputs, *training_);
        std::vector<double> out;
        for (const PlanFigure& each : planFigures()) {
            out.push_back(!each.isOf(s.spec.workload) ? std::nan("")
                          : s.isReinforcement()       ? each.ofReinforcement(s, *reinforcement_)
                          : s.isServing()             ? each.ofServing(s, *serving_)
                                                      : each.ofTraining(s, *training_));
        }
        return out;
    }

    /// Of the last scenario; see FigureErrors::timeParts.
    std::vector<double> timeParts(const Scenario& s) const {
        if (s.isReinforcement()) {
            const RlTotals& t = *reinforcement_;
            return {t.generation, t.reward,  t.logProb, t.reference, t.values,
                    t.updates,    t.offload, t.sync,    t.stepTime};
        }
        if (!s.isServing()) {
            std::vector<double> out(training_->parts.begin(), training_->parts.end());
            out.push_back(training_->stepTime);
            return out;
        }
        return {serving_->ttft, serving_->itl, serving_->tpot, serving_->outputTokensPerSecond,
                serving_->prefillShare};
    }

private:
    std::unique_ptr<Totals> training_ = std::make_unique<Totals>();
    std::unique_ptr<ServingTotals> serving_ = std::make_unique<ServingTotals>();
    std::unique_ptr<RlTotals> reinforcement_ = std::make_unique<RlTotals>();
};

double figureLogSd(const Scenario& scenario, const PlanFigure& figure) {
    return figure.isOf(scenario.spec.workload) ? logSdOf(scenario, figure) : 0;
}

} // namespace

Result<FigureErrors> figureErrors(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) {
    const Explorer explorer(spec, catalog, profile, false);
    const Result<Scenario> scenario = explorer.scenarioWith({});
    if (!scenario)
        return Error{scenario.error()};
    FigureErrors out;
    out.machine = scenario->priceItem;
    for (const PlanFigure& each : planFigures())
        out.logSd.push_back(scenario->runs() ? figureLogSd(*scenario, each) : 0);
    Evaluator evaluator;
    const std::vector<double> present = evaluator.figures(*scenario);
    if (present.empty())
        return out;
    out.timeParts = evaluator.timeParts(*scenario);
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        const Parameter* parameter = isConstant(input) && mayVary(*scenario, input)
                                         ? uncertainParameter(*scenario, profile, input)
                                         : nullptr;
        if (parameter == nullptr || leadingInput(*scenario, input) != input)
            continue;
        const Result<Scenario> changed =
            explorer.scenarioWith({{Variable(input), FieldValue(parameter->value * (1 - slopeStep))}});
        const std::vector<double> there = changed ? evaluator.figures(*changed) : std::vector<double>();
        if (there.empty())
            continue;
        FigureErrors::Constant constant{.name = parameter->name,
                                        .source = std::string(parameter->source),
                                        .value = parameter->value,
                                        .logSd = parameter->logSd,
                                        .slopes = {}};
        for (std::size_t f = 0; f < present.size(); ++f)
            constant.slopes.push_back(std::log(there[f] / present[f]) / std::log(1 - slopeStep));
        out.constants.push_back(std::move(constant));
    }
    return out;
}

namespace {

/// Covariance of the errors that two scenarios have from the constants that both use.
double sharedByConstants(const FigureErrors& a, const FigureErrors& b, std::size_t figure) {
    double out = 0;
    for (const FigureErrors::Constant& mine : a.constants) {
        const auto other = std::ranges::find_if(b.constants, [&mine](const FigureErrors::Constant& each) {
            return each.name == mine.name && each.source == mine.source && each.value == mine.value;
        });
        if (other == b.constants.end())
            continue;
        const double both = mine.slopes[figure] * other->slopes[figure] * mine.logSd * other->logSd;
        out += std::isfinite(both) ? both : 0;
    }
    return out;
}

bool isSameStep(const FigureErrors& a, const FigureErrors& b) {
    constexpr double rounding = 1e-9;
    return a.machine == b.machine && !a.timeParts.empty() &&
           std::ranges::equal(a.timeParts, b.timeParts, [](double x, double y) {
               return std::abs(x - y) <= rounding * std::max(std::abs(x), std::abs(y));
           });
}

} // namespace

double ratioLogSd(const FigureErrors& a, const FigureErrors& b, std::size_t figure) {
    const double first = a.logSd[figure], second = b.logSd[figure], most = first * second;
    double covariance = sharedByConstants(a, b, figure);
    if (a.machine == b.machine)
        covariance = std::max(covariance, errorCorrelationOnOneMachine * most);
    if (planFigures()[figure].error != FigureError::memory && isSameStep(a, b))
        covariance = most;
    covariance = std::clamp(covariance, 0.0, most);
    return std::sqrt(std::max(0.0, first * first + second * second - 2 * covariance));
}

FigureChange figureChange(const FigureErrors& a, const FigureErrors& b, std::size_t figure, double before,
                          double after) {
    FigureChange out{.before = before, .after = after, .logSd = ratioLogSd(a, b, figure)};
    if (before == after)
        return out; // the same, for certain
    out.certain = !(before * after > 0) || std::abs(std::log(after / before)) > quantile90 * out.logSd;
    return out;
}

} // namespace alidade
