// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/validation_fit.h"

#include "model/estimate/evaluate.h"
#include "model/validation/error_figures.h"
#include "model/validation/summaries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace alidade {

namespace {

constexpr std::string_view stepTime = "step_time_s";

bool isFitted(const ValidationRow& row) {
    static const std::set<std::string, std::less<>> quantities{std::string(stepTime), "tokens_per_s_per_gpu",
                                                               "model_flops_per_s_per_gpu", "mfu"};
    return row.kind == RowKind::training && row.complete && row.scenario && row.measured > 0 &&
           row.predicted > 0 && (row.rowKind == "benchmark" || row.rowKind == "production") &&
           (row.quality == "high" || row.quality == "medium") && quantities.contains(row.quantity);
}

/// Rates of training fall as the step takes longer: their errors are those of the step time, upside down.
double rateSign(const ValidationRow& row) {
    return row.kind == RowKind::serving || row.quantity == stepTime ? 1 : -1;
}

/// Rows are told apart by id and quantity.
std::string keyOf(const ValidationRow& row) { return row.id + '\n' + row.quantity; }

std::string describe(const Parameter& p) {
    std::string out = p.name;
    for (const std::string* key : {&p.gpu, &p.precision, &p.stack})
        if (*key != "*")
            out += " " + *key;
    return out;
}

ErrorFigures figuresOf(const BoundRows& rows, const std::vector<double>& logErrors) {
    std::vector<std::pair<double, double>> errors;
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < logErrors.size(); ++i) {
        const double w = rows.rows()[i].weight;
        errors.emplace_back(std::abs(std::expm1(logErrors[i])), w);
        sum += w * errors.back().first;
        weight += w;
    }
    return errors.empty() ? ErrorFigures{} : ErrorFigures{weightedQuantile(errors, 0.5), sum / weight};
}

std::vector<double> logErrors(const BoundRows& rows, const std::vector<double>& parameters) {
    std::vector<double> out;
    for (std::size_t i = 0; i < rows.rows().size(); ++i)
        out.push_back(rows.logValue(i, parameters) - std::log(rows.rows()[i].measured));
    return out;
}

/// How certain a figure of serving is, sd of ln(measured / law), and what a row of it counts for. Of a sweep
/// of n rows with equal weights 1/n, errors are partly common: it counts as the root of n rows.
struct ServingClass {
    std::string_view quantity;
    double sd;
};
constexpr ServingClass servingClasses[] = {{"tpot_s", 0.08},
                                           {"itl_s", 0.08},
                                           {"prefill_s", 0.3},
                                           {"ttft_s", 0.5},
                                           {"output_tokens_per_s", 0.15},
                                           {"output_tokens_per_s_per_gpu", 0.15}};

const ServingClass* servingClassOf(const ValidationRow& row) {
    const auto found = std::ranges::find(servingClasses, row.quantity, &ServingClass::quantity);
    const bool judged =
        row.kind == RowKind::serving && isJudged(row) && row.measured > 0 && row.predicted > 0;
    if (found == std::end(servingClasses) || !judged || !row.scenario ||
        row.scenario->workload.phase.has_value()) {
        return nullptr;
    }
    const bool offline = row.rowKind == "offline", open = row.scenario->workload.requestRatePerS.has_value();
    const bool closed = row.rowKind == "server (closed loop)";
    // Throughput and first tokens of a benchmark are those of a whole run with its start and end, which are
    // known where its requests are counted.
    const bool counted = row.requestsPerUser > 0;
    const bool saturated =
        closed && (counted || (row.scenario->plan.tuning == "as_run" && row.quality == "A"));
    const WorkloadSpec& asked = row.scenario->workload;
    const bool together = asked.inputTokensCv == 0 && asked.outputTokensCv == 0 &&
                          asked.concurrency.value_or(1) > 1 && !counted;
    const bool fits = row.quantity == "ttft_s"                    ? closed && !together
                      : row.quantity.starts_with("output_tokens") ? offline || saturated
                                                                  : !open;
    return fits && !row.scenario->plan.speculative.draftTokens ? found : nullptr;
}

StepFitOptions servingOptions(StepFitOptions options) {
    options.huber = 1.5; // sweeps of one model agree with each other more than any law with all of them
    options.tolerance = 1e-2;
    options.mostIterations = 80;
    options.leastGain = 5e-3;
    options.keepSlopes = 5;
    options.linearLeftOut = true;
    return options;
}

void addTo(FitRecord& record, const BoundRows& rows) {
    std::map<std::string, std::set<std::string>> ids;
    for (const BoundRow& row : rows.rows())
        ids[row.source].insert(row.id.substr(0, row.id.find('\n')));
    for (const auto& [title, distinct] : ids)
        record.fittedTo.push_back({title, static_cast<int>(distinct.size())});
}

/// Fits one kind of rows and adds what was found to the calibration.
void fitKind(const BoundRows& rows, const StepFitOptions& options, Calibration& out) {
    out.rejected.insert(out.rejected.end(), rows.rejected().begin(), rows.rejected().end());
    if (rows.rows().empty())
        return;
    const bool first = out.rows == 0;
    const MapFit fit = fitRows(rows, options);
    const std::vector<double> leftOut = leftOutErrors(rows, fit, LeftOut::model, options);
    StepFitOptions linear = options; // many small classes
    linear.linearLeftOut = true;
    out.profile = fittedProfile(rows, fit, leftOutErrors(rows, fit, LeftOut::together, linear));
    addTo(out.record, rows);
    std::vector<double> priors;
    for (std::size_t j = 0; j < rows.fitted().size(); ++j)
        priors.push_back(rows.priorOf(j).mean);
    const FitRecord errors{.before = figuresOf(rows, logErrors(rows, priors)),
                           .after = figuresOf(rows, logErrors(rows, fit.parameters)),
                           .leftOutModel = figuresOf(rows, leftOut)};
    if (first) {
        out.record.before = errors.before;
        out.record.after = errors.after;
        out.record.leftOutModel = errors.leftOutModel;
    } else {
        out.record.serving = {errors.before, errors.after, errors.leftOutModel};
    }
    for (const ConfoundedPair& pair : fit.confounded) {
        const auto& parameters = out.profile.parameters;
        out.confounded.push_back(describe(parameters[rows.fitted()[pair.first]]) + " and " +
                                 describe(parameters[rows.fitted()[pair.second]]));
    }
    std::set<std::string> groups;
    for (const BoundRow& row : rows.rows())
        groups.insert(row.group);
    out.rows += static_cast<int>(rows.rows().size());
    out.groups += static_cast<int>(groups.size());
    out.iterations += fit.iterations;
    out.converged = (first || out.converged) && fit.converged;
}

/// A band that is as wide as the errors of some rows.
struct PredictedBand {
    std::string_view name, stack;
    RowKind kind;
    bool memory = false;
    std::string_view family; ///< empty: all
};

/// Nothing is fitted to published peaks, nor to the steps of fine-tuning: their errors are those of the rows
/// as they are predicted.
constexpr std::array<PredictedBand, 3> predictedBands{
    {{.name = "memory_log_sd", .stack = "*", .kind = RowKind::training, .memory = true, .family = {}},
     {.name = "memory_log_sd", .stack = "finetune", .kind = RowKind::finetune, .memory = true, .family = {}},
     {.name = "time_log_sd", .stack = "finetune", .kind = RowKind::finetune, .family = "dense"}}};

/// Width of the bands that follow from rows as they are predicted: the judged ones, of memory those whose
/// source says what is recomputed and how large a micro-batch is.
void fitPredictedBands(const ValidationReport& report, Profile& profile) {
    for (const PredictedBand& each : predictedBands) {
        std::vector<std::pair<double, double>> errors;
        for (const ValidationRow& row : report.rows) {
            const bool memory = row.quantity == "peak_memory_bytes";
            if (row.kind == each.kind && memory == each.memory && isJudged(row) && row.predicted > 0 &&
                (!memory || knowsConfiguration(row)) && (each.family.empty() || row.family == each.family)) {
                errors.emplace_back(std::log(row.predicted / row.measured), row.weight);
            }
        }
        const auto band = std::ranges::find_if(profile.parameters, [&](const Parameter& p) {
            return p.name == each.name && p.stack == each.stack && p.prior;
        });
        if (!errors.empty() && band != profile.parameters.end()) {
            band->value = bandSd(errors);
            band->kind = SourceKind::fitted;
        }
    }
}

void addLeftOut(const BoundRows& rows, LeftOut by, const StepFitOptions& options,
                std::map<std::string, double>& errorOf) {
    if (rows.rows().empty())
        return;
    const std::vector<double> errors = leftOutErrors(rows, fitRows(rows, options), by, options);
    for (std::size_t i = 0; i < errors.size(); ++i)
        errorOf[rows.rows()[i].id] = errors[i];
}

} // namespace

std::vector<MeasuredStep> measuredSteps(const ValidationReport& report, const Catalog& catalog,
                                        const Profile& profile) {
    std::vector<MeasuredStep> out;
    const auto totals = std::make_unique<Totals>();
    for (const ValidationRow& row : report.rows) {
        if (!isFitted(row))
            continue;
        double seconds = row.measured;
        if (row.quantity != stepTime) {
            const Result<Scenario> scenario = resolve(*row.scenario, catalog, profile);
            if (!scenario || !scenario->runs())
                continue;
            evaluate<double>(*scenario, scenario->inputs, *totals);
            seconds = totals->stepTime * row.predicted / row.measured;
        }
        out.push_back({.id = keyOf(row),
                       .source = row.sourceTitle,
                       .release = row.release,
                       .group = row.group,
                       .spec = row.scenario,
                       .seconds = seconds,
                       .weight = row.weight});
    }
    return out;
}

std::vector<MeasuredServing> measuredServing(const ValidationReport& report) {
    std::vector<MeasuredServing> out;
    for (const ValidationRow& row : report.rows) {
        if (const ServingClass* kind = servingClassOf(row)) {
            out.push_back({.id = keyOf(row),
                           .source = row.sourceTitle,
                           .release = row.release,
                           .group = row.group,
                           .spec = row.scenario,
                           .run = servingRunOf(row),
                           .quantity = row.quantity,
                           .gpus = static_cast<double>(row.gpus),
                           .measured = row.measured,
                           .weight = row.weight,
                           .sd = kind->sd * std::pow(row.weight, 0.25)});
        }
    }
    return out;
}

Calibration calibrate(const ValidationReport& report, const Catalog& catalog, const Profile& profile,
                      const StepFitOptions& options) {
    Calibration out;
    out.profile = profile;
    fitKind(BoundSteps(measuredSteps(report, catalog, profile), catalog, profile), options, out);
    fitKind(BoundServing(measuredServing(report), catalog, out.profile), servingOptions(options), out);
    fitPredictedBands(report, out.profile);
    std::ranges::sort(out.record.fittedTo, {}, &FitRecord::Publication::title);
    return out;
}

std::vector<ValidationRow> leftOutRows(const ValidationReport& report, const Catalog& catalog,
                                       const Profile& profile, LeftOut by, const StepFitOptions& options) {
    std::map<std::string, double> errorOf;
    StepFitOptions ofSteps = options;
    ofSteps.linearLeftOut |= by == LeftOut::together || by == LeftOut::release; // many small classes
    addLeftOut(BoundSteps(measuredSteps(report, catalog, profile), catalog, profile), by, ofSteps, errorOf);
    addLeftOut(BoundServing(measuredServing(report), catalog, profile), by, servingOptions(options), errorOf);
    std::vector<ValidationRow> out;
    for (const ValidationRow& row : report.rows) {
        const auto found = errorOf.find(keyOf(row));
        if (found == errorOf.end())
            continue;
        ValidationRow& left = out.emplace_back(row);
        left.predicted = row.measured * std::exp(rateSign(row) * found->second);
        left.error = left.predicted / left.measured - 1;
        left.low = row.low * left.predicted / row.predicted;
        left.high = row.high * left.predicted / row.predicted;
    }
    return out;
}

} // namespace alidade
