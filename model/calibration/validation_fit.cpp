// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/validation_fit.h"

#include "model/estimate/evaluate.h"
#include "model/validation/error_figures.h"

#include <cmath>
#include <map>
#include <set>

namespace alidade {

namespace {

constexpr std::string_view stepTime = "step_time_s";

bool isFitted(const ValidationRow& row) {
    static const std::set<std::string, std::less<>> quantities{std::string(stepTime), "tokens_per_s_per_gpu",
                                                               "model_flops_per_s_per_gpu", "mfu"};
    return row.kind == "training" && row.complete && row.scenario && row.measured > 0 && row.predicted > 0 &&
           (row.rowKind == "benchmark" || row.rowKind == "production") &&
           (row.quality == "high" || row.quality == "medium") && quantities.contains(row.quantity);
}

/// Rates fall as the step takes longer: their errors are those of the step time, upside down.
double rateSign(const ValidationRow& row) { return row.quantity == stepTime ? 1 : -1; }

/// Rows are told apart by id and quantity.
std::string keyOf(const ValidationRow& row) { return row.id + '\n' + row.quantity; }

std::string describe(const Parameter& p) {
    std::string out = p.name;
    for (const std::string* key : {&p.gpu, &p.precision, &p.stack}) {
        if (*key != "*") {
            out += " " + *key;
        }
    }
    return out;
}

ErrorFigures figuresOf(const BoundSteps& steps, const std::vector<double>& logErrors) {
    std::vector<std::pair<double, double>> errors;
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < logErrors.size(); ++i) {
        const double w = steps.steps()[i].measured.weight;
        errors.emplace_back(std::abs(std::expm1(logErrors[i])), w);
        sum += w * errors.back().first;
        weight += w;
    }
    return errors.empty() ? ErrorFigures{} : ErrorFigures{weightedQuantile(errors, 0.5), sum / weight};
}

std::vector<double> logErrors(const BoundSteps& steps, const std::vector<double>& parameters) {
    const auto scratch = std::make_unique<Totals>();
    std::vector<double> out;
    for (std::size_t i = 0; i < steps.steps().size(); ++i) {
        out.push_back(steps.logTime(i, parameters, *scratch) - std::log(steps.steps()[i].measured.seconds));
    }
    return out;
}

std::vector<FitRecord::Publication> publications(const BoundSteps& steps) {
    std::map<std::string, int> rows;
    for (const BoundSteps::Step& step : steps.steps()) {
        ++rows[step.measured.source];
    }
    std::vector<FitRecord::Publication> out;
    for (const auto& [title, count] : rows) {
        out.push_back({title, count});
    }
    return out;
}

} // namespace

std::vector<MeasuredStep> measuredSteps(const ValidationReport& report, const Catalog& catalog,
                                        const Profile& profile) {
    std::vector<MeasuredStep> out;
    const auto totals = std::make_unique<Totals>();
    for (const ValidationRow& row : report.rows) {
        if (!isFitted(row)) {
            continue;
        }
        double seconds = row.measured;
        if (row.quantity != stepTime) {
            const Result<Scenario> scenario = resolve(*row.scenario, catalog, profile);
            if (!scenario || !scenario->runs()) {
                continue;
            }
            evaluate<double>(*scenario, scenario->inputs, *totals);
            seconds = totals->stepTime * row.predicted / row.measured;
        }
        out.push_back({.id = keyOf(row),
                       .source = row.sourceTitle,
                       .group = row.group,
                       .spec = row.scenario,
                       .seconds = seconds,
                       .weight = row.weight});
    }
    return out;
}

Calibration calibrate(const ValidationReport& report, const Catalog& catalog, const Profile& profile,
                      const StepFitOptions& options) {
    const BoundSteps steps(measuredSteps(report, catalog, profile), catalog, profile);
    const MapFit fit = fitSteps(steps, options);
    const std::vector<double> leftOut = leftOutErrors(steps, fit, LeftOut::model, options);
    Calibration out;
    out.profile = fittedProfile(steps, fit, leftOut);
    out.rejected = steps.rejected();
    std::vector<double> priors;
    for (std::size_t j = 0; j < steps.fitted().size(); ++j) {
        priors.push_back(steps.priorOf(j).mean);
    }
    out.record = {.fittedTo = publications(steps),
                  .before = figuresOf(steps, logErrors(steps, priors)),
                  .after = figuresOf(steps, logErrors(steps, fit.parameters)),
                  .leftOutModel = figuresOf(steps, leftOut)};
    for (const ConfoundedPair& pair : fit.confounded) {
        out.confounded.push_back(describe(profile.parameters[steps.fitted()[pair.first]]) + " and " +
                                 describe(profile.parameters[steps.fitted()[pair.second]]));
    }
    std::set<std::string> groups;
    for (const BoundSteps::Step& step : steps.steps()) {
        groups.insert(step.measured.group);
    }
    out.rows = static_cast<int>(steps.steps().size());
    out.groups = static_cast<int>(groups.size());
    out.iterations = fit.iterations;
    out.converged = fit.converged;
    return out;
}

std::vector<ValidationRow> leftOutRows(const ValidationReport& report, const Catalog& catalog,
                                       const Profile& profile, LeftOut by, const StepFitOptions& options) {
    const BoundSteps steps(measuredSteps(report, catalog, profile), catalog, profile);
    const std::vector<double> errors = leftOutErrors(steps, fitSteps(steps, options), by, options);
    std::map<std::string, double> errorOf;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        errorOf[steps.steps()[i].measured.id] = errors[i];
    }
    std::vector<ValidationRow> out;
    for (const ValidationRow& row : report.rows) {
        const auto found = errorOf.find(keyOf(row));
        if (found == errorOf.end()) {
            continue;
        }
        ValidationRow& left = out.emplace_back(row);
        left.predicted = row.measured * std::exp(rateSign(row) * found->second);
        left.error = left.predicted / left.measured - 1;
        left.low = row.low * left.predicted / row.predicted;
        left.high = row.high * left.predicted / row.predicted;
    }
    return out;
}

} // namespace alidade
