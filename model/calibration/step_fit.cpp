// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/step_fit.h"

#include "model/base/quantiles.h"
#include "model/estimate/evaluate.h"
#include "model/validation/error_figures.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>

namespace alidade {

BoundSteps::BoundSteps(const std::vector<MeasuredStep>& steps, const Catalog& catalog, const Profile& profile)
    : BoundRows(profile, false) {
    for (const MeasuredStep& measured : steps) {
        const Result<Scenario> scenario = resolve(*measured.spec, catalog, marked());
        if (!scenario || !scenario->runs()) {
            rejected_.push_back({measured.id, !scenario ? scenario.error()
                                              : scenario->problems.empty()
                                                  ? "does not run"
                                                  : scenario->problems.front().message});
            continue;
        }
        const Step& step = steps_.emplace_back(Step{*scenario, feedsOf(scenario->inputs, scenario->origins)});
        std::set<std::size_t> parameters;
        for (const Feed& feed : step.feeds)
            parameters.insert(feed.parameter);
        const auto spread = static_cast<std::size_t>(stepTimeSpread(*scenario));
        rows_.push_back({.id = measured.id,
                         .source = measured.source,
                         .release = measured.release,
                         .group = measured.group,
                         .model = architectureKey(scenario->model),
                         .measured = measured.seconds,
                         .weight = measured.weight,
                         .parameters = {parameters.begin(), parameters.end()},
                         .band = constantOf(scenario->origins[spread])});
    }
}

double BoundSteps::logValue(std::size_t row, const std::vector<double>& parameters) const {
    thread_local const auto scratch = std::make_unique<Totals>();
    const Step& step = steps_[row];
    Inputs inputs = step.scenario.inputs;
    for (const Feed& feed : step.feeds)
        inputs[feed.input] = feed.scale * toValue(feed.parameter, parameters[feed.parameter]);
    evaluate<double>(step.scenario, inputs, *scratch);
    return std::log(scratch->stepTime);
}

namespace {

/// Predictions as linear functions of the parameters.
std::function<double(std::size_t, const std::vector<double>&)> linearAbout(const BoundRows& rows,
                                                                           const MapFit& fit) {
    return [&rows, &fit](std::size_t i, const std::vector<double>& parameters) {
        double out = fit.predicted[i];
        for (const std::size_t j : rows.rows()[i].parameters)
            out += fit.slopes[i * parameters.size() + j] * (parameters[j] - fit.parameters[j]);
        return out;
    };
}

MapProblem problemOf(const BoundRows& rows, const StepFitOptions& options,
                     const std::vector<double>* weights) {
    MapProblem problem;
    problem.dependents.resize(rows.fitted().size());
    for (std::size_t j = 0; j < rows.fitted().size(); ++j)
        problem.priors.push_back(rows.priorOf(j));
    for (std::size_t i = 0; i < rows.rows().size(); ++i) {
        const BoundRow& row = rows.rows()[i];
        problem.points.push_back({.measured = std::log(row.measured),
                                  .sd = row.sd > 0 ? row.sd : options.sd,
                                  .weight = weights ? (*weights)[i] : row.weight});
        for (const std::size_t j : row.parameters)
            problem.dependents[j].push_back(i);
    }
    problem.predict = [&rows](std::size_t i, const std::vector<double>& parameters) {
        return rows.logValue(i, parameters);
    };
    return problem;
}

MapOptions mapOptions(const StepFitOptions& options) {
    return {.huber = options.huber,
            .mostIterations = options.mostIterations,
            .tolerance = options.tolerance,
            .leastGain = options.leastGain,
            .keepSlopes = options.keepSlopes,
            .threads = options.threads,
            .stop = options.stop};
}

} // namespace

MapFit fitRows(const BoundRows& rows, const StepFitOptions& options, const std::vector<double>& start,
               const std::vector<double>* weights) {
    MapProblem problem = problemOf(rows, options, weights);
    problem.start = start;
    return fitMap(problem, mapOptions(options));
}

std::vector<double> leftOutErrors(const BoundRows& rows, const MapFit& all, LeftOut by,
                                  const StepFitOptions& options) {
    std::map<std::string, std::size_t> firstOf; // row of each class
    for (std::size_t i = 0; i < rows.rows().size(); ++i)
        firstOf.emplace(rows.rows()[i].key(by), i);
    const std::vector<std::pair<std::string, std::size_t>> classes(firstOf.begin(), firstOf.end());
    std::vector<double> errors(rows.rows().size(), 0);
    std::atomic<std::size_t> next = 0;
    StepFitOptions each = options;
    each.threads = 1;            // a class each
    if (options.linearLeftOut) { // costs nothing
        each.keepSlopes = 0;
        each.mostIterations = 100;
    }
    const auto work = [&] {
        for (std::size_t k; (k = next++) < classes.size() && !options.stop.stop_requested();) {
            const BoundRow& one = rows.rows()[classes[k].second];
            std::vector<double> weights;
            for (const BoundRow& row : rows.rows())
                weights.push_back(one.isLeftOutWith(row, by) ? 0 : row.weight);
            MapProblem problem = problemOf(rows, each, &weights);
            problem.start = all.parameters;
            if (options.linearLeftOut)
                problem.predict = linearAbout(rows, all);
            const MapFit without = fitMap(problem, mapOptions(each));
            for (std::size_t i = 0; i < errors.size(); ++i) {
                const BoundRow& row = rows.rows()[i];
                if (row.key(by) == classes[k].first)
                    errors[i] = rows.logValue(i, without.parameters) - std::log(row.measured);
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < options.threads; ++i)
            others.emplace_back(work);
        work();
    }
    return errors;
}

double bandSd(std::vector<std::pair<double, double>> errorAndWeight) {
    constexpr double inside = 0.8;
    for (auto& [error, weight] : errorAndWeight)
        error = std::abs(error);
    return weightedQuantile(std::move(errorAndWeight), inside) / quantile90;
}

double shrunkBandSd(const std::vector<std::pair<double, double>>& own,
                    const std::vector<std::pair<double, double>>& pooled) {
    double all = 0;
    for (const auto& each : pooled)
        all += each.second;
    std::vector<std::pair<double, double>> errors = own;
    for (const auto& [error, weight] : pooled)
        errors.emplace_back(error, weight * pooledSweeps / all);
    return bandSd(std::move(errors));
}

Profile fittedProfile(const BoundRows& rows, const MapFit& fit, const std::vector<double>& leftOut) {
    Profile out = rows.profile();
    for (std::size_t j = 0; j < rows.fitted().size(); ++j) {
        Parameter& p = out.parameters[rows.fitted()[j]];
        p.value = rows.toValue(j, fit.parameters[j]);
        p.logSd = fit.sd[j] * rows.logSlope(j, fit.parameters[j]);
        p.dataShare = fit.dataShare[j];
        p.kind = SourceKind::fitted;
    }
    for (std::size_t b = 0; b < out.parameters.size(); ++b) {
        if (!out.parameters[b].prior || !isBand(out.parameters[b]))
            continue;
        // The entry for any software is of all rows of its class, others of their own with the class behind
        // them.
        std::vector<std::pair<double, double>> own, pooled;
        for (std::size_t i = 0; i < leftOut.size(); ++i) {
            const BoundRow& row = rows.rows()[i];
            if (row.band < out.parameters.size() && out.parameters[row.band].name == out.parameters[b].name) {
                pooled.emplace_back(leftOut[i], row.weight);
                if (row.band == b)
                    own.push_back(pooled.back());
            }
        }
        const bool general = out.parameters[b].stack == "*";
        if (!pooled.empty()) {
            out.parameters[b].value = general ? bandSd(pooled) : shrunkBandSd(own, pooled);
            out.parameters[b].kind = SourceKind::fitted;
        }
    }
    return out;
}

} // namespace alidade
