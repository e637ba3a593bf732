// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/sensitivity.h"

#include "model/base/quantiles.h"
#include "model/estimate/figures.h"
#include "model/search/plan_figures.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

/// Far below any step of a person, far above the rounding of a figure.
constexpr double derivativeStep = 1e-5;

/// Fields that are numbers and no choices: their value may be a little more or less.
bool variesByPercent(const Field& field) {
    return !field.degree && (field.kind == FieldKind::quantity || field.path == "workload.sequence_length" ||
                             field.path == "workload.global_batch");
}

std::vector<Variable> variablesOf(const Scenario& scenario) {
    std::vector<Variable> out;
    for (const Field& field : fieldTable()) {
        const Variable variable(field);
        const auto value = variesByPercent(field) && belongsTo(field.appliesTo, scenario.spec.workload)
                               ? numberOf(variable.value(scenario))
                               : std::nullopt;
        if (value && *value != 0)
            out.push_back(variable);
    }
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (mayVary(scenario, input) && leadingInput(scenario, input) == input)
            out.emplace_back(input);
    }
    return out;
}

/// Where the figure stops following a continuous number in the direction that helps.
std::optional<double> saturation(const Explorer& explorer, const SensitivityBar& bar,
                                 const std::string& figure, double base) {
    constexpr double stillFollows = 0.1;
    const PlanFigure* known = findPlanFigure(figure);
    if (!known || !bar.derivative || bar.variable.isInteger() || !(base > 0))
        return std::nullopt;
    const double present = *bar.derivative * bar.value / base; // d ln figure / d ln value
    const bool upwards = (present > 0) == known->moreIsBetter;
    double x = bar.value, y = base;
    for (const double factor : {1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0}) {
        const double next = upwards ? bar.value * factor : bar.value / factor;
        if (next > bar.variable.maximum() || next < bar.variable.minimum())
            break;
        const auto there = explorer.figure(figure, {{bar.variable, bar.variable.valueOf(next)}});
        if (!there || !(*there > 0))
            break;
        if (std::abs(std::log(*there / y) / std::log(next / x)) < stillFollows * std::abs(present))
            return x;
        x = next;
        y = *there;
    }
    return std::nullopt;
}

SensitivityBar barOf(const Explorer& explorer, const Variable& variable, const std::string& figure,
                     double value, double base, double lowFactor, double highFactor) {
    SensitivityBar out{.variable = variable,
                       .value = value,
                       .low = {},
                       .high = {},
                       .derivative = {},
                       .lowBound = {},
                       .highBound = {},
                       .saturatesAt = {}};
    const auto within = [&](double x) { return std::clamp(x, variable.minimum(), variable.maximum()); };
    const auto at = [&](double x) {
        return explorer.figureAndBound(figure, {{variable, variable.valueOf(x)}});
    };
    out.lowValue = *numberOf(variable.valueOf(within(value * lowFactor)));
    out.highValue = *numberOf(variable.valueOf(within(value * highFactor)));
    const ExploredFigure low = at(out.lowValue), high = at(out.highValue);
    out.low = low.value;
    out.high = high.value;
    out.lowBound = low.bound;
    out.highBound = high.bound;
    for (const auto& each : {out.low, out.high})
        out.span = std::max(out.span, each ? std::abs(*each - base) : 0.0);
    if (out.span > 0 && !variable.isInteger()) {
        const double below = within(value * (1 - derivativeStep)),
                     above = within(value * (1 + derivativeStep));
        const auto lower = at(below).value, upper = at(above).value;
        if (lower && upper && above > below)
            out.derivative = (*upper - *lower) / (above - below);
    }
    return out;
}

const char* measurementFor(Input input) {
    switch (familyOf(input)) {
    case InputFamily::network:
        return "nccl-tests between nodes (alidade calibrate --nccl-log)";
    case InputFamily::fabric:
        return "nccl-tests inside an NVLink domain (alidade calibrate --nccl-log)";
    case InputFamily::memory:
        return "peak memory of the running job";
    case InputFamily::reliability:
        return "failures and power of the running cluster";
    case InputFamily::serving:
    case InputFamily::servingExperts:
        return "metrics of the running engine (alidade calibrate --prometheus)";
    default:
        return "step times of the running job (alidade calibrate --prometheus or --steps)";
    }
}

} // namespace

double constantLogSd(const Scenario& scenario, const Profile& profile, Input input) {
    const Parameter* parameter = uncertainParameter(scenario, profile, input);
    return parameter ? parameter->logSd : 0;
}

namespace {

std::vector<Ignorance> ignoranceOf(const Scenario& scenario, const Profile& profile,
                                   const Sensitivity& sensitivity) {
    const PlanFigure* known = findPlanFigure(sensitivity.figure);
    const double band = known ? logSdOf(scenario, *known) : 0;
    std::vector<Ignorance> out;
    if (!(band > 0))
        return out;
    double explained = 0;
    for (const SensitivityBar& bar : sensitivity.inputs) {
        const auto input = bar.variable.input();
        const double sd = input && bar.variable.kind() == Variable::Kind::constant
                              ? constantLogSd(scenario, profile, *input)
                              : 0;
        if (sd > 0 && bar.derivative) {
            const double share = *bar.derivative * bar.value / sensitivity.value * sd; // of ln of the figure
            out.push_back(
                {bar.variable.path(), bar.variable.label(), share * share, measurementFor(*input), 0});
            explained += share * share;
        }
    }
    // The band is measured on published runs and holds the constants' errors, too.
    const double total = std::max(band * band, explained);
    out.push_back({"residual", "What the model leaves out", total - explained,
                   "no single one: calibrating on the running job narrows it", 0});
    for (Ignorance& each : out) {
        each.shareOfVariance /= total;
        each.logSdAfter = band * std::sqrt(std::max(0.0, 1 - each.shareOfVariance));
    }
    constexpr double least = 1e-4;
    std::erase_if(out, [](const Ignorance& each) { return each.shareOfVariance < least; });
    std::ranges::stable_sort(out, std::ranges::greater{}, &Ignorance::shareOfVariance);
    return out;
}

} // namespace

std::string headlineFigure(const Estimate& estimate) {
    if (estimate.scenario.workload.isReinforcement())
        return "reinforcement_learning.step_time_s";
    if (!estimate.scenario.workload.isServing())
        return "training.tokens_per_s";
    const std::string name = estimate.headline ? std::string(estimate.headline->name) : "";
    return name == "Input throughput"    ? "serving.input_tokens_per_s"
           : name == "Output throughput" ? "serving.output_tokens_per_s"
                                         : "serving.tpot_s";
}

namespace {

/// The fewest measurements that leave at most half of the band: a quarter of the variance.
std::vector<std::string> halvingOf(const std::vector<Ignorance>& ignorance) {
    std::vector<std::string> out;
    double left = 1;
    // One measurement tells about several constants: what it removes is the sum of their shares.
    std::vector<std::pair<std::string, double>> shares;
    for (const Ignorance& each : ignorance) {
        if (each.path == "residual")
            continue;
        const auto known =
            std::ranges::find(shares, each.measurement, &std::pair<std::string, double>::first);
        if (known == shares.end())
            shares.emplace_back(each.measurement, each.shareOfVariance);
        else
            known->second += each.shareOfVariance;
    }
    std::ranges::stable_sort(shares, std::ranges::greater{}, &std::pair<std::string, double>::second);
    for (const auto& [measurement, share] : shares) {
        if (left <= 0.25)
            break;
        left -= share;
        out.push_back(measurement);
    }
    return left <= 0.25 ? out : std::vector<std::string>{};
}

} // namespace

Result<Sensitivity> sensitivity(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                const std::string& figure, const SensitivityRange& range,
                                const std::stop_token& stop) {
    const Explorer explorer(spec, catalog, profile, false);
    const Result<Scenario> scenario = explorer.scenarioWith({});
    if (!scenario)
        return Error{scenario.error()};
    const Result<Estimate> estimate = explorer.with({});
    if (!estimate->runs || (scenario->isServing() && !estimate->fits))
        return Error{"the scenario does not run; estimate it for the reason and a fix"};
    const auto found = findFigure(*estimate, figure);
    if (!found)
        return Error{noSuchFigure(*estimate, figure)};
    Sensitivity out{.figure = figure, .dimension = found->dimension, .value = found->value};
    if (!std::isfinite(out.value))
        return Error{figure + " is not finite here: more requests arrive than the service can handle"};
    const PlanFigure* known = findPlanFigure(figure);
    out.logSd = known ? logSdOf(*scenario, *known) : 0;
    for (const Variable& variable : variablesOf(*scenario)) {
        if (stop.stop_requested())
            return Error{"stopped"};
        const double sd = variable.kind() == Variable::Kind::constant
                              ? constantLogSd(*scenario, profile, *variable.input())
                              : 0;
        if (range.ownError && !(sd > 0))
            continue;
        const double low = range.ownError ? std::exp(-quantile90 * sd) : 1 - range.step,
                     high = range.ownError ? std::exp(quantile90 * sd) : 1 + range.step;
        SensitivityBar bar =
            barOf(explorer, variable, figure, *numberOf(variable.value(*scenario)), out.value, low, high);
        const double least = 1e-9 * std::abs(out.value);
        if (bar.span > least || !bar.low || !bar.high)
            out.inputs.push_back(std::move(bar));
    }
    std::ranges::stable_sort(out.inputs, std::ranges::greater{}, &SensitivityBar::span);
    if (range.saturation) {
        constexpr std::size_t most = 12;
        for (std::size_t i = 0; i < std::min(most, out.inputs.size()) && !stop.stop_requested(); ++i)
            out.inputs[i].saturatesAt = saturation(explorer, out.inputs[i], figure, out.value);
    }
    out.ignorance = ignoranceOf(*scenario, profile, out);
    out.halving = halvingOf(out.ignorance);
    return out;
}

} // namespace alidade
