// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/normal.h"
#include "model/validation/predict_row.h"
#include "model/validation/prediction.h"
#include "model/validation/published_scenario.h"
#include "model/validation/published_serving_scenario.h"
#include "model/validation/serving_runs.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>

namespace alidade {

namespace {

constexpr const char* doesNotFit = "does not fit into the memory of its GPUs";

/// 10 % and 90 % quantiles of a quantity, from the constant that gives its band.
Prediction withBand(double value, std::string_view quantity, const Scenario& scenario) {
    const double wide =
        std::exp(normalQuantile(0.9) * scenario.pools.back().inputs[servingSpreadOf(scenario, quantity)]);
    return {value, value / wide, value * wide};
}

/// Slope and intercept of the time between tokens over the context; an error says what is wrong.
Result<PublishedItlLine> lineOf(const ScenarioSpec& asked, const Catalog& catalog, const Profile& profile,
                                ServingTotals& scratch) {
    constexpr std::array contexts = {2'048.0, referenceContext, 49'152.0, 98'304.0};
    double sumX = 0, sumY = 0, sumXx = 0, sumXy = 0;
    for (const double context : contexts) {
        ScenarioSpec spec = asked;
        // The context grows from the prompt by the answer.
        spec.workload.inputTokens = std::max(1.0, context - *spec.workload.outputTokens / 2);
        const auto runs = ServingRuns::of(spec, ServingRun{}, catalog, profile);
        if (!runs)
            return Error{runs.error()};
        const auto figures = runs->figures(runs->inputs(), scratch);
        if (!figures)
            return Error{doesNotFit};
        sumX += context;
        sumY += figures->itl;
        sumXx += context * context;
        sumXy += context * figures->itl;
    }
    constexpr double n = contexts.size();
    const double slope = (n * sumXy - sumX * sumY) / (n * sumXx - sumX * sumX);
    return PublishedItlLine{.intercept = (sumY - slope * sumX) / n, .slope = slope};
}

/// 0 if the source does not say.
double requestsPerUser(const PublishedServing& row) {
    if (row.load.requests && row.load.concurrency.value_or(0) > 0)
        return *row.load.requests / *row.load.concurrency;
    // docs/dynamo_deployment_guide.md of that repository: "concurrency * 10" requests.
    return row.source.locator.starts_with("ai-dynamo/aiconfigurator") ? 10 : 0;
}

ValidationRow describe(const PublishedServing& row, const PublishedServingScenario& scenario,
                       const Catalog& catalog) {
    ValidationRow out;
    out.id = row.id;
    out.group = row.source.title + ": " + row.model;
    out.quality = row.quality;
    out.assumed = scenario.assumed;
    out.kind = RowKind::serving;
    out.rowKind = row.load.mode;
    out.model = row.model;
    out.family = scenario.architecture->moe ? "moe" : "dense";
    out.gpu = publishedGpu(row.hardware.gpu, catalog);
    out.precision = scenario.spec->plan.weights.value_or("");
    out.framework = scenario.spec->plan.engine.value_or(row.engine);
    out.software = row.engine + ' ' + row.engineVersion;
    out.release = softwareRelease(out.software);
    out.sourceTitle = row.source.title;
    out.sourceLocator = row.source.locator;
    out.sourceTable = row.source.table;
    out.sourceRow = row.source.row;
    out.sourceDate = row.source.date;
    out.notes = row.notes;
    out.gpus = row.hardware.gpus.value_or(0);
    out.nodes = row.hardware.nodes;
    out.requestsPerUser = requestsPerUser(row);
    out.pollInterval = row.load.pollInterval.value_or(1);
    const ParameterCount count = countParameters(*scenario.architecture);
    out.parameters = static_cast<double>(count.total);
    out.activeParameters = static_cast<double>(count.active);
    out.scenario = scenario.spec;
    return out;
}

/// The quantity under which a throughput of a direction counts: per GPU where the source prints it so, or has
/// only that.
std::string throughputName(const PublishedServing& row, const std::string& name,
                           const std::optional<double>& total, const std::optional<double>& perGpu) {
    const bool printsPerGpu = row.printed.ends_with("_per_gpu") || saysWord(row.printed, "per 8-GPU node");
    return perGpu && (printsPerGpu || !total) ? name + "_per_gpu" : name;
}

/// Sources that give means over requests of different lengths average the ratios of the requests: a short one
/// from the start of the run, beside everyone's prompts, weighs as much as a long one. Where they give the
/// whole latency too, the model's figure follows: the mean time over the mean tokens.
std::optional<double> timePerToken(const PublishedServing& row) {
    const PublishedServingFigures& m = row.measured;
    const double tokens = row.load.outputTokens.value_or(0);
    const bool vary = !row.load.lengths.empty() && row.load.lengths != "fixed";
    return m.tpot && m.ttft && m.e2e && vary && tokens > 1 ? (*m.e2e - *m.ttft) / (tokens - 1) : m.tpot;
}

void addFigures(ValidationReport& report, const ValidationRow& row, const PublishedServing& published,
                const ServingFigures& f, const Scenario& scenario) {
    const PublishedServingFigures& m = published.measured;
    // A prefill without a queue is the time to the first token: one figure under two names counts once.
    const bool twice = m.prefill && m.ttft == m.prefill;
    const std::string output =
        throughputName(published, "output_tokens_per_s", m.outputTokensPerS, m.outputTokensPerSPerGpu);
    const std::string input =
        throughputName(published, "input_tokens_per_s", m.inputTokensPerS, m.inputTokensPerSPerGpu);
    const std::pair<std::string, std::optional<double>> measured[] = {
        {"ttft_s", twice ? std::nullopt : m.ttft},
        {"prefill_s", m.prefill},
        {"tpot_s", timePerToken(published)},
        {"itl_s", m.itl},
        {"e2e_s", m.e2e},
        {output, output.ends_with("_per_gpu") ? m.outputTokensPerSPerGpu : m.outputTokensPerS},
        {input, input.ends_with("_per_gpu") ? m.inputTokensPerSPerGpu : m.inputTokensPerS}};
    for (const auto& [name, value] : measured) {
        if (value) {
            addPrediction(report, row, name, *value,
                          withBand(*figureOf(f, name, *published.hardware.gpus), name, scenario));
        }
    }
    if (m.tokensPerSPerUser) {
        // TensorRT-LLM divides the answer by the whole latency, prompt included.
        const double perUser = published.engine.starts_with("TensorRT-LLM")
                                   ? *row.scenario->workload.outputTokens / f.e2e
                                   : 1 / f.tpot;
        addPrediction(report, row, "tokens_per_s_per_user", *m.tokensPerSPerUser,
                      withBand(perUser, "tokens_per_s_per_user", scenario));
    }
}

} // namespace

void predictServing(const PublishedServing& row, const Catalog& catalog, const Profile& profile,
                    ValidationReport& report) {
    const PublishedServingScenario published = publishedServingScenario(row, catalog);
    if (!published.spec) {
        report.skipped.push_back({row.id, published.lacks});
        return;
    }
    const ValidationRow described = describe(row, published, catalog);
    const auto runs = ServingRuns::of(*published.spec, servingRunOf(described), catalog, profile);
    if (!runs) {
        report.skipped.push_back({row.id, runs.error()});
        return;
    }
    const Scenario& scenario = runs->scenarios().back();
    ValidationReport own;
    const auto scratch = std::make_unique<ServingTotals>();
    if (row.measured.itlLine) {
        const auto line = lineOf(*published.spec, catalog, profile, *scratch);
        if (!line) {
            report.skipped.push_back({row.id, line.error()});
            return;
        }
        addPrediction(own, described, "itl_intercept_s", row.measured.itlLine->intercept,
                      withBand(line->intercept, "itl_intercept_s", scenario));
        addPrediction(own, described, "itl_s_per_context_token", row.measured.itlLine->slope,
                      withBand(line->slope, "itl_s_per_context_token", scenario));
    } else {
        const auto figures = runs->figures(runs->inputs(), *scratch);
        if (!figures) {
            report.skipped.push_back({row.id, doesNotFit});
            return;
        }
        addFigures(own, described, row, *figures, scenario);
    }
    if (!std::ranges::all_of(own.rows, [](const auto& each) { return std::isfinite(each.predicted); })) {
        report.skipped.push_back({row.id, "under this load the model finds no steady state"});
        return;
    }
    std::ranges::move(own.rows, std::back_inserter(report.rows));
}

} // namespace alidade
