// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/variable.h"

#include "model/base/calendar.h"
#include "model/base/text.h"
#include "model/catalog/catalog.h"
#include "model/estimate/figures.h"
#include "model/estimate/resolved_estimate.h"
#include "model/units/parse.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace alidade {

namespace {

/// Inputs that may be one number under two names: the first leads.
constexpr std::array<std::pair<Input, Input>, 4> twins{
    {{Input::peak, Input::reportingPeak},
     {Input::peak, Input::expertPeak},
     {Input::reportingPeak, Input::latentPeak},
     {Input::gemmComputeEfficiency, Input::headGemmEfficiency}}};

} // namespace

const Inputs& inputsOf(const Scenario& scenario) {
    return scenario.pools.empty() ? scenario.inputs : scenario.pools.back().inputs;
}

const InputOrigins& originsOf(const Scenario& scenario) {
    return scenario.pools.empty() ? scenario.origins : scenario.pools.back().origins;
}

bool mayVary(const Scenario& scenario, Input input) {
    const double value = inputsOf(scenario)[input];
    return familyOf(input) >= InputFamily::machine && input != Input::gpus && input != Input::paidItems &&
           input != Input::baseItems && value != 0 && std::isfinite(value);
}

const Parameter* uncertainParameter(const Scenario& scenario, const Profile& profile, Input input) {
    const double value = inputsOf(scenario)[input];
    const auto& origin = originsOf(scenario)[static_cast<std::size_t>(input)];
    const auto found = std::ranges::find_if(profile.parameters, [&](const Parameter& p) {
        return p.logSd > 0 && p.name == inputInfo(input).name && p.value == value &&
               origin.source == p.source;
    });
    return found == profile.parameters.end() ? nullptr : &*found;
}

std::string noSuchFigure(const Estimate& estimate, const std::string& path) {
    std::vector<std::string> known;
    forEachFigureOfQuestions(estimate, [&known](const FigureT<double>& each) { known.push_back(each.path); });
    const std::string near = nearestName(path, known);
    return quoted(path) + " is not a figure of this estimate" +
           (near.empty() ? "" : "; the nearest is '" + near + "'");
}

Input leadingInput(const Scenario& scenario, Input input) {
    const auto at = [](Input i) { return static_cast<std::size_t>(i); };
    for (const auto& [first, second] : twins) {
        const bool same = inputsOf(scenario)[first] == inputsOf(scenario)[second] &&
                          originsOf(scenario)[at(first)].source == originsOf(scenario)[at(second)].source;
        if (input == second && same)
            return first;
    }
    return input;
}

Result<Variable> Variable::named(std::string_view path, const Scenario& scenario) {
    if (const Field* field = findField(path)) {
        if (!belongsTo(field->appliesTo, scenario.spec.workload)) {
            return Error{std::string(path) + " is a field of " + std::string(kindName(field->appliesTo)) +
                         ", and this scenario is " + std::string(kindName(scenario.spec.workload))};
        }
        return Variable(*field);
    }
    std::vector<std::string> known;
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (!mayVary(scenario, input))
            continue;
        known.emplace_back(inputInfo(input).name);
        if (known.back() == path)
            return Variable(input);
    }
    for (const Field& each : fieldTable())
        known.emplace_back(each.path);
    const std::string near = nearestName(path, known);
    return Error{"there is no field and no number of the catalog or the calibration " + quoted(path) +
                 " in this scenario" + (near.empty() ? "" : "; the nearest is '" + near + "'")};
}

std::string Variable::path() const {
    return field_ ? std::string(field_->path) : std::string(inputInfo(*input_).name);
}

std::string Variable::label() const {
    return field_ ? std::string(field_->label) : std::string(inputInfo(*input_).label);
}

Dimension Variable::dimension() const { return field_ ? field_->dimension : inputInfo(*input_).dimension; }

bool Variable::isNumber() const {
    return !field_ || field_->kind == FieldKind::integer || field_->kind == FieldKind::quantity;
}

bool Variable::isInteger() const { return field_ && field_->kind == FieldKind::integer; }

double Variable::minimum() const { return field_ ? field_->minimum : 0; }

double Variable::maximum() const {
    if (field_)
        return field_->maximum > field_->minimum ? field_->maximum : std::numeric_limits<double>::infinity();
    return dimension() == Dimension::ratio ? 1 : std::numeric_limits<double>::infinity();
}

FieldValue Variable::value(const Scenario& scenario) const {
    return field_ ? field_->get(scenario.spec) : FieldValue(inputsOf(scenario)[*input_]);
}

Result<FieldValue> Variable::parse(std::string_view text) const {
    if (field_) {
        Result<FieldValue> value = parseField(*field_, text);
        const std::string wrong = value ? checkField(*field_, *value) : value.error();
        return wrong.empty() ? value : Error{path() + ": " + wrong};
    }
    const Result<double> value = parseQuantity(text, dimension());
    if (!value)
        return Error{path() + ": " + value.error()};
    if (!(*value > 0) || *value > maximum()) {
        return Error{path() + ": " + quoted(text) + " must be above 0" +
                     (dimension() == Dimension::ratio ? " and at most 1" : "")};
    }
    return FieldValue(*value);
}

FieldValue Variable::valueOf(double number) const {
    return isInteger() ? FieldValue(static_cast<std::int64_t>(std::llround(number))) : FieldValue(number);
}

std::optional<double> placeOf(const Variable& variable, const FieldValue& value) {
    if (const auto* text = std::get_if<std::string>(&value); text && variable.isDate()) {
        const auto day = dayOfDate(*text);
        return day ? std::optional<double>(*day) : std::nullopt;
    }
    return variable.isNumber() ? numberOf(value) : std::nullopt;
}

std::optional<double> numberOf(const FieldValue& value) {
    if (const auto* n = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*n);
    if (const auto* x = std::get_if<double>(&value))
        return *x;
    return std::nullopt;
}

void applyNumbers(Scenario& scenario, const VariableSettings& settings) {
    for (const auto& [variable, value] : settings) {
        if (variable.field())
            continue;
        const Input changed = *variable.input();
        const double number = *numberOf(value), before = inputsOf(scenario)[changed];
        std::vector<Input> together{changed};
        for (const auto& [first, second] : twins)
            if (first == changed && leadingInput(scenario, second) == first)
                together.push_back(second);
        for (const Input input : together) {
            scenario.inputs[input] = number;
            for (ServingPool& pool :
                 scenario.pools) { // of two pools on different machines: by the same factor
                double& own = pool.inputs[input];
                own = before != 0 ? own * number / before : number;
            }
        }
    }
}

ScenarioSpec Explorer::specWith(const VariableSettings& settings) const {
    ScenarioSpec spec = spec_;
    for (const auto& [variable, value] : settings)
        if (variable.field())
            variable.field()->set(spec, value);
    return spec;
}

Result<Scenario> Explorer::scenarioWith(const VariableSettings& settings) const {
    Result<Scenario> out = resolve(specWith(settings), catalog_, profile_);
    if (out)
        applyNumbers(*out, settings);
    return out;
}

Result<Estimate> Explorer::with(const VariableSettings& settings, const Edit& plan) const {
    Result<Scenario> scenario = Error{};
    if (plan.empty()) {
        scenario = scenarioWith(settings);
    } else if (const auto spec = applyEdit(specWith(settings), plan)) {
        scenario = resolve(*spec, catalog_, profile_);
        if (scenario)
            applyNumbers(*scenario, settings);
    }
    if (!scenario)
        return Error{scenario.error()};
    return estimateResolved(*scenario, {.simulate = simulate_, .loadLimit = false, .fixes = false});
}

ExploredFigure Explorer::figureAndBound(const std::string& path, const VariableSettings& settings) const {
    const Result<Estimate> estimate = with(settings);
    if (!estimate || !estimate->runs || (estimate->scenario.workload.isServing() && !estimate->fits))
        return {};
    ExploredFigure out;
    const auto found = findFigure(*estimate, path);
    if (found && std::isfinite(found->value))
        out.value = found->value;
    if (estimate->headline)
        out.bound = estimate->headline->bottleneck;
    return out;
}

} // namespace alidade
