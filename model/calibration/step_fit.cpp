// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/step_fit.h"

#include "model/estimate/evaluate.h"
#include "model/validation/error_figures.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <set>
#include <thread>

namespace alidade {

namespace {

constexpr std::string_view tag = "#";

/// Shares lie between 0 and 1 and are fitted as logits, everything else as logarithms.
bool isShare(const Parameter& parameter) { return parameter.unit == "ratio"; }

double transformed(const Parameter& parameter, double value) {
    return isShare(parameter) ? std::log(value / (1 - value)) : std::log(value);
}

/// A copy in which each parameter's source is its index: resolving with it tells which constant feeds which
/// input, by the same rules that every other scenario is resolved with.
Profile tagged(const Profile& profile) {
    Profile out = profile;
    for (std::size_t i = 0; i < out.parameters.size(); ++i) {
        out.parameters[i].source = std::string(tag) + std::to_string(i);
    }
    return out;
}

std::optional<std::size_t> tagOf(const InputOrigin& origin) {
    if (!origin.source.starts_with(tag)) {
        return std::nullopt;
    }
    return std::stoul(origin.source.substr(tag.size()));
}

std::string architectureKey(const Architecture& model) {
    return std::to_string(model.layers) + " layers, " + std::to_string(model.hiddenSize) + " wide, " +
           std::to_string(model.moe ? model.moe->routedExperts : 0) + " experts";
}

} // namespace

BoundSteps::BoundSteps(const std::vector<MeasuredStep>& steps, const Catalog& catalog, const Profile& profile)
    : profile_(profile) {
    std::vector<std::size_t> place(profile.parameters.size(), profile.parameters.size());
    for (std::size_t i = 0; i < profile.parameters.size(); ++i) {
        const Parameter& each = profile.parameters[i];
        if (each.prior && !each.name.starts_with("time_log_sd")) {
            place[i] = fitted_.size();
            fitted_.push_back(i);
        }
    }
    const Profile marked = tagged(profile);
    for (const MeasuredStep& measured : steps) {
        const Result<Scenario> scenario = resolve(*measured.spec, catalog, marked);
        if (!scenario || !scenario->runs()) {
            rejected_.push_back({measured.id, !scenario ? scenario.error()
                                              : scenario->problems.empty()
                                                  ? "does not run"
                                                  : scenario->problems.front().message});
            continue;
        }
        Step& step = steps_.emplace_back();
        step.measured = measured;
        step.scenario = *scenario;
        step.band = profile.parameters.size();
        step.model = architectureKey(scenario->model);
        for (std::size_t i = 0; i < inputCount; ++i) {
            const auto from = tagOf(scenario->origins[i]);
            if (from && place[*from] < fitted_.size() && profile.parameters[*from].value > 0) {
                step.feeds.push_back({place[*from], static_cast<Input>(i),
                                      scenario->inputs.values[i] / profile.parameters[*from].value});
            }
        }
        if (const auto band = tagOf(scenario->origins[static_cast<std::size_t>(stepTimeSpread(*scenario))])) {
            step.band = *band;
        }
    }
}

double BoundSteps::logTime(std::size_t step, const std::vector<double>& parameters, Totals& scratch) const {
    const Step& s = steps_[step];
    Inputs inputs = s.scenario.inputs;
    for (const Step::Feed& feed : s.feeds) {
        inputs[feed.input] = feed.scale * toValue(feed.parameter, parameters[feed.parameter]);
    }
    evaluate<double>(s.scenario, inputs, scratch);
    return std::log(scratch.stepTime);
}

std::vector<double> BoundSteps::valuesOf(const Profile& profile) const {
    assert(profile.parameters.size() == profile_.parameters.size());
    std::vector<double> out;
    for (const std::size_t i : fitted_) {
        out.push_back(transformed(profile.parameters[i], profile.parameters[i].value));
    }
    return out;
}

double BoundSteps::toValue(std::size_t fitted, double value) const {
    return isShare(parameter(fitted)) ? 1 / (1 + std::exp(-value)) : std::exp(value);
}

double BoundSteps::logSlope(std::size_t fitted, double value) const {
    return isShare(parameter(fitted)) ? 1 - toValue(fitted, value) : 1;
}

FitPrior BoundSteps::priorOf(std::size_t fitted) const {
    const Parameter& p = parameter(fitted);
    const double mean = transformed(p, p.prior->value);
    return {mean, p.prior->logSd / logSlope(fitted, mean)};
}

MapFit fitSteps(const BoundSteps& steps, const StepFitOptions& options, const std::vector<double>& start,
                const std::vector<double>* weights) {
    MapProblem problem;
    problem.start = start;
    problem.dependents.resize(steps.fitted().size());
    for (std::size_t j = 0; j < steps.fitted().size(); ++j) {
        problem.priors.push_back(steps.priorOf(j));
    }
    for (std::size_t i = 0; i < steps.steps().size(); ++i) {
        const BoundSteps::Step& step = steps.steps()[i];
        problem.points.push_back({.measured = std::log(step.measured.seconds),
                                  .sd = options.sd,
                                  .weight = weights ? (*weights)[i] : step.measured.weight});
        std::set<std::size_t> parameters;
        for (const auto& feed : step.feeds) {
            parameters.insert(feed.parameter);
        }
        for (const std::size_t j : parameters) {
            problem.dependents[j].push_back(i);
        }
    }
    const auto scratch = std::make_unique<Totals>();
    problem.predict = [&steps, &scratch](std::size_t i, const std::vector<double>& parameters) {
        return steps.logTime(i, parameters, *scratch);
    };
    return fitMap(problem, {.huber = options.huber,
                            .mostIterations = options.mostIterations,
                            .tolerance = options.tolerance,
                            .stop = options.stop});
}

std::vector<double> leftOutErrors(const BoundSteps& steps, const MapFit& all, LeftOut by,
                                  const StepFitOptions& options) {
    std::set<std::string> distinct;
    for (const BoundSteps::Step& step : steps.steps()) {
        distinct.insert(step.key(by));
    }
    const std::vector<std::string> keys(distinct.begin(), distinct.end());
    std::vector<double> errors(steps.steps().size(), 0);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        const auto scratch = std::make_unique<Totals>();
        for (std::size_t k; (k = next++) < keys.size() && !options.stop.stop_requested();) {
            std::vector<double> weights;
            for (const BoundSteps::Step& step : steps.steps()) {
                weights.push_back(step.key(by) == keys[k] ? 0 : step.measured.weight);
            }
            const MapFit without = fitSteps(steps, options, all.parameters, &weights);
            for (std::size_t i = 0; i < errors.size(); ++i) {
                const BoundSteps::Step& step = steps.steps()[i];
                if (step.key(by) == keys[k]) {
                    errors[i] =
                        steps.logTime(i, without.parameters, *scratch) - std::log(step.measured.seconds);
                }
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < options.threads; ++i) {
            others.emplace_back(work);
        }
        work();
    }
    return errors;
}

double bandSd(std::vector<std::pair<double, double>> errorAndWeight) {
    constexpr double inside = 0.8, quantile = 1.2815515655446004; // of the standard normal at 0.9
    for (auto& [error, weight] : errorAndWeight) {
        error = std::abs(error);
    }
    return weightedQuantile(std::move(errorAndWeight), inside) / quantile;
}

Profile fittedProfile(const BoundSteps& steps, const MapFit& fit, const std::vector<double>& leftOut) {
    Profile out = steps.profile();
    for (std::size_t j = 0; j < steps.fitted().size(); ++j) {
        Parameter& p = out.parameters[steps.fitted()[j]];
        p.value = steps.toValue(j, fit.parameters[j]);
        p.logSd = fit.sd[j] * steps.logSlope(j, fit.parameters[j]);
        p.dataShare = fit.dataShare[j];
        p.kind = SourceKind::fitted;
    }
    for (std::size_t b = 0; b < out.parameters.size(); ++b) {
        if (!out.parameters[b].prior || !out.parameters[b].name.starts_with("time_log_sd")) {
            continue;
        }
        std::vector<std::pair<double, double>> errors;
        for (std::size_t i = 0; i < leftOut.size(); ++i) {
            if (steps.steps()[i].band == b) {
                errors.emplace_back(leftOut[i], steps.steps()[i].measured.weight);
            }
        }
        if (!errors.empty()) {
            out.parameters[b].value = bandSd(errors);
            out.parameters[b].kind = SourceKind::fitted;
        }
    }
    return out;
}

} // namespace alidade
