// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/sensitivity.h"

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
    const AppliesTo other = scenario.isServing() ? AppliesTo::training : AppliesTo::serving;
    for (const Field& field : fieldTable()) {
        const Variable variable(field);
        const auto value = variesByPercent(field) && field.appliesTo != other
                               ? numberOf(variable.value(scenario))
                               : std::nullopt;
        if (value && *value != 0) {
            out.push_back(variable);
        }
    }
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (mayVary(scenario, input) && leadingInput(scenario, input) == input) {
            out.emplace_back(input);
        }
    }
    return out;
}

SensitivityBar barOf(const Explorer& explorer, const Variable& variable, const std::string& figure,
                     double value, double base, double step) {
    SensitivityBar out{.variable = variable, .value = value, .low = {}, .high = {}, .derivative = {}};
    const auto within = [&](double x) { return std::clamp(x, variable.minimum(), variable.maximum()); };
    const auto at = [&](double x) { return explorer.figure(figure, {{variable, variable.valueOf(x)}}); };
    out.lowValue = *numberOf(variable.valueOf(within(value * (1 - step))));
    out.highValue = *numberOf(variable.valueOf(within(value * (1 + step))));
    out.low = at(out.lowValue);
    out.high = at(out.highValue);
    for (const auto& each : {out.low, out.high}) {
        out.span = std::max(out.span, each ? std::abs(*each - base) : 0.0);
    }
    if (out.span > 0 && !variable.isInteger()) {
        const double below = within(value * (1 - derivativeStep)),
                     above = within(value * (1 + derivativeStep));
        const auto low = at(below), high = at(above);
        if (low && high && above > below) {
            out.derivative = (*high - *low) / (above - below);
        }
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

/// Standard deviation of ln of a constant; 0 if it is exact.
double constantLogSd(const Scenario& scenario, const Profile& profile, Input input) {
    const double value = inputsOf(scenario)[input];
    const auto& origin = originsOf(scenario)[static_cast<std::size_t>(input)];
    for (std::size_t i = 0; i < profile.parameters.size(); ++i) {
        const Parameter& p = profile.parameters[i];
        if (p.name == inputInfo(input).name && p.value == value && origin.source == p.source) {
            return p.logSd;
        }
    }
    return 0;
}

std::vector<Ignorance> ignoranceOf(const Scenario& scenario, const Profile& profile,
                                   const Sensitivity& sensitivity) {
    const PlanFigure* known = findPlanFigure(sensitivity.figure);
    const double band = known ? logSdOf(scenario, *known) : 0;
    std::vector<Ignorance> out;
    if (!(band > 0)) {
        return out;
    }
    double explained = 0;
    for (const SensitivityBar& bar : sensitivity.inputs) {
        const auto input = bar.variable.input();
        const double sd = input && bar.variable.kind() == Variable::Kind::constant
                              ? constantLogSd(scenario, profile, *input)
                              : 0;
        if (sd > 0 && bar.derivative) {
            const double share = *bar.derivative * bar.value / sensitivity.value * sd; // of ln of the figure
            out.push_back({bar.variable.path(), bar.variable.label(), share * share, measurementFor(*input)});
            explained += share * share;
        }
    }
    // The band is measured on published runs and holds the constants' errors, too.
    const double total = std::max(band * band, explained);
    out.push_back({"residual", "What the model leaves out", total - explained,
                   "no single one: calibrating on the running job narrows it"});
    for (Ignorance& each : out) {
        each.shareOfVariance /= total;
    }
    constexpr double least = 1e-4;
    std::erase_if(out, [](const Ignorance& each) { return each.shareOfVariance < least; });
    std::ranges::stable_sort(out, std::ranges::greater{}, &Ignorance::shareOfVariance);
    return out;
}

} // namespace

std::string headlineFigure(const Estimate& estimate) {
    if (!estimate.scenario.workload.isServing()) {
        return "training.tokens_per_s";
    }
    const std::string name = estimate.headline ? std::string(estimate.headline->name) : "";
    return name == "Input throughput"    ? "serving.input_tokens_per_s"
           : name == "Output throughput" ? "serving.output_tokens_per_s"
                                         : "serving.tpot_s";
}

Result<Sensitivity> sensitivity(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                const std::string& figure, double step) {
    const Explorer explorer(spec, catalog, profile, false);
    const Result<Scenario> scenario = explorer.scenarioWith({});
    if (!scenario) {
        return Error{scenario.error()};
    }
    const Result<Estimate> estimate = explorer.with({});
    if (!estimate->runs || (scenario->isServing() && !estimate->fits)) {
        return Error{"the scenario does not run; estimate it for the reason and a fix"};
    }
    const auto found = findFigure(*estimate, figure);
    if (!found) {
        return Error{noSuchFigure(*estimate, figure)};
    }
    Sensitivity out{.figure = figure, .dimension = found->dimension, .value = found->value};
    if (!std::isfinite(out.value)) {
        return Error{figure + " is not finite here: more requests arrive than the service carries"};
    }
    for (const Variable& variable : variablesOf(*scenario)) {
        SensitivityBar bar =
            barOf(explorer, variable, figure, *numberOf(variable.value(*scenario)), out.value, step);
        const double least = 1e-9 * std::abs(out.value);
        if (bar.span > least || !bar.low || !bar.high) {
            out.inputs.push_back(std::move(bar));
        }
    }
    std::ranges::stable_sort(out.inputs, std::ranges::greater{}, &SensitivityBar::span);
    out.ignorance = ignoranceOf(*scenario, profile, out);
    return out;
}

} // namespace alidade
