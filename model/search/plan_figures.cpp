// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/plan_figures.h"

#include "model/catalog/catalog.h"
#include "model/estimate/assemble_serving.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/evaluate_serving.h"
#include "model/estimate/serving_energy.h"
#include "model/estimate/serving_estimate.h"
#include "model/estimate/test_time_estimate.h"

#include <algorithm>
#include <array>
#include <limits>

namespace alidade {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

using OfTraining = double (*)(const Scenario&, const Totals&);
using OfServing = double (*)(const Scenario&, const ServingTotals&);

constexpr double known(bool is, double value) { return is ? value : unknown; }

double gpusOf(const Scenario& s) {
    double gpus = 0;
    for (const ServingPool& pool : s.pools)
        gpus += pool.plan.workers * pool.plan.replicaGpus();
    return s.isServing() ? gpus : s.inputs[Input::gpus];
}

PlanFigure training(std::string_view path, std::string_view label, Dimension dimension, bool more,
                    FigureError error, OfTraining get) {
    return {path, label, dimension, AppliesTo::training, more, error, get, nullptr};
}

PlanFigure serving(std::string_view path, std::string_view label, Dimension dimension, bool more,
                   FigureError error, OfServing get) {
    return {path, label, dimension, AppliesTo::serving, more, error, nullptr, get};
}

PlanFigure both(std::string_view path, std::string_view label, Dimension dimension, bool more,
                FigureError error, OfTraining ofTraining, OfServing ofServing) {
    return {path, label, dimension, AppliesTo::both, more, error, ofTraining, ofServing};
}

using OfReinforcement = double (*)(const Scenario&, const RlTotals&);

PlanFigure reinforcement(std::string_view path, std::string_view label, Dimension dimension, bool more,
                         FigureError error, OfReinforcement get) {
    return {path, label, dimension, AppliesTo::reinforcement, more, error, nullptr, nullptr, get};
}

/// Gives figures of the other kinds their value in reinforcement learning.
void addReinforcement(std::vector<PlanFigure>& figures) {
    const auto set = [&](std::string_view path, OfReinforcement get) {
        std::ranges::find(figures, path, &PlanFigure::path)->ofReinforcement = get;
    };
    using S = Scenario;
    set("memory.total_bytes",
        [](const S&, const RlTotals& t) { return std::max(t.memory.engineNeeded, t.memory.trainTotal); });
    set("memory.headroom_bytes", [](const S&, const RlTotals& t) { return t.memory.headroom; });
    set("cost.dollars_per_hour",
        [](const S& s, const RlTotals& t) { return known(s.hasPrice, t.dollarsPerHour); });
    set("cost.dollars_per_run",
        [](const S& s, const RlTotals& t) { return known(s.hasPrice && s.hasTokens, t.dollarsPerRun); });
    set("gpus", [](const S& s, const RlTotals&) { return s.inputs[Input::gpus]; });
}

template <class Get>
double ofQuestions(const Scenario& scenario, const ServingTotals& totals, Get get) {
    if (!scenario.testTime)
        return unknown;
    const std::vector<Inputs> pools = poolInputs(scenario);
    return get(testTimeOf<double>(scenario, pools, totals));
}

template <double TestTime::* Member>
double question(const Scenario& scenario, const ServingTotals& totals) {
    return ofQuestions(scenario, totals, [](const TestTime& t) { return t.*Member; });
}

template <std::optional<double> TestTime::* Member>
double questionCost(const Scenario& scenario, const ServingTotals& totals) {
    return ofQuestions(scenario, totals, [](const TestTime& t) { return (t.*Member).value_or(unknown); });
}

double energyPerMillionTokens(const Scenario& scenario, const ServingTotals& totals) {
    if (!hasPower(scenario))
        return unknown;
    const std::vector<Inputs> pools = poolInputs(scenario);
    return servingEnergy<double>(scenario, pools, totals).kilowattHoursPerMillionTokens;
}

/// Of answered questions, before the memory.
void addQuestions(std::vector<PlanFigure>& figures) {
    using enum Dimension;
    constexpr bool more = true, less = false;
    const auto each = [](std::string_view path, std::string_view label, Dimension dimension,
                         bool moreIsBetter, OfServing get) {
        PlanFigure out = serving(path, label, dimension, moreIsBetter, FigureError::time, get);
        out.ofQuestions = true;
        return out;
    };
    figures.insert(
        std::ranges::find(figures, "memory.total_bytes", &PlanFigure::path),
        {each("serving.test_time.latency_s", "Question latency", seconds, less, question<&TestTime::latency>),
         each("serving.test_time.latency_percentiles_s.p50", "Question latency P50", seconds, less,
              question<&TestTime::latencyMedian>),
         each("serving.test_time.latency_percentiles_s.p90", "Question latency P90", seconds, less,
              question<&TestTime::latencyP90>),
         each("serving.test_time.latency_percentiles_s.p99", "Question latency P99", seconds, less,
              question<&TestTime::latencyP99>),
         each("serving.test_time.questions_per_s", "Questions per second", number, more,
              question<&TestTime::questionsPerSecond>),
         each("serving.test_time.max_questions_per_s", "Largest stable question rate", number, more,
              question<&TestTime::maxQuestionsPerSecond>),
         each("serving.test_time.dollars_per_1000_questions", "Cost per 1,000 questions", dollars, less,
              questionCost<&TestTime::dollarsPer1000Questions>),
         each("serving.test_time.least_dollars_per_1000_questions", "Least cost per 1,000 questions", dollars,
              less, questionCost<&TestTime::leastDollarsPer1000Questions>)});
}

std::vector<PlanFigure> makeFigures() {
    using enum Dimension;
    constexpr bool more = true, less = false;
    constexpr FigureError none = FigureError::none, time = FigureError::time, ttft = FigureError::firstToken,
                          mem = FigureError::memory;
    using S = Scenario;
    std::vector<PlanFigure> out{
        training("training.step_time_s", "Step time", seconds, less, time,
                 [](const S&, const Totals& t) { return t.stepTime; }),
        training("training.tokens_per_s", "Tokens per second", tokensPerSecond, more, time,
                 [](const S&, const Totals& t) { return t.tokensPerSecond; }),
        training("training.tokens_per_s_per_gpu", "Tokens per second per GPU", tokensPerSecond, more, time,
                 [](const S&, const Totals& t) { return t.tokensPerSecondPerGpu; }),
        training("training.mfu", "MFU", ratio, more, time, [](const S&, const Totals& t) { return t.mfu; }),
        training("training.run_time_s", "Run time", seconds, less, time,
                 [](const S& s, const Totals& t) { return known(s.hasTokens, t.runTime); }),
        serving("serving.ttft_s", "TTFT", seconds, less, ttft,
                [](const S&, const ServingTotals& t) { return t.ttft; }),
        serving("serving.itl_s", "ITL", seconds, less, time,
                [](const S&, const ServingTotals& t) { return t.itl; }),
        serving("serving.tpot_s", "Time per output token", seconds, less, time,
                [](const S&, const ServingTotals& t) { return t.tpot; }),
        serving("serving.e2e_s", "Request time", seconds, less, time,
                [](const S&, const ServingTotals& t) { return t.e2e; }),
        serving("serving.output_tokens_per_s", "Output tokens per second", tokensPerSecond, more, time,
                [](const S&, const ServingTotals& t) { return t.outputTokensPerSecond; }),
        serving("serving.output_tokens_per_s_per_gpu", "Output tokens per second per GPU", tokensPerSecond,
                more, time, [](const S&, const ServingTotals& t) { return t.outputTokensPerSecondPerGpu; }),
        serving("serving.tokens_per_s_per_user", "Tokens per second per user", tokensPerSecond, more, time,
                [](const S&, const ServingTotals& t) { return known(t.tpot > 0, 1 / t.tpot); }),
        serving("serving.max_concurrency", "Most concurrent requests", number, more, none,
                [](const S&, const ServingTotals& t) { return t.maxConcurrency; }),
        serving("serving.max_requests_per_s", "Largest stable request rate", number, more, time,
                [](const S&, const ServingTotals& t) { return t.maxRequestRate; }),
        serving("serving.ttft_percentiles_s.p50", "TTFT P50", seconds, less, ttft,
                [](const S&, const ServingTotals& t) { return t.ttftPercentiles.p50; }),
        serving("serving.ttft_percentiles_s.p90", "TTFT P90", seconds, less, ttft,
                [](const S&, const ServingTotals& t) { return t.ttftPercentiles.p90; }),
        serving("serving.ttft_percentiles_s.p95", "TTFT P95", seconds, less, ttft,
                [](const S&, const ServingTotals& t) { return t.ttftPercentiles.p95; }),
        serving("serving.ttft_percentiles_s.p99", "TTFT P99", seconds, less, ttft,
                [](const S&, const ServingTotals& t) { return t.ttftPercentiles.p99; }),
        serving("serving.itl_percentiles_s.p50", "ITL P50", seconds, less, time,
                [](const S&, const ServingTotals& t) { return t.itlPercentiles.p50; }),
        serving("serving.itl_percentiles_s.p90", "ITL P90", seconds, less, time,
                [](const S&, const ServingTotals& t) { return t.itlPercentiles.p90; }),
        serving("serving.itl_percentiles_s.p95", "ITL P95", seconds, less, time,
                [](const S&, const ServingTotals& t) { return t.itlPercentiles.p95; }),
        serving("serving.itl_percentiles_s.p99", "ITL P99", seconds, less, time,
                [](const S&, const ServingTotals& t) { return t.itlPercentiles.p99; }),
        both(
            "memory.total_bytes", "Memory", bytes, less, mem,
            [](const S&, const Totals& t) { return t.memoryTotal; },
            [](const S&, const ServingTotals& t) { return t.fullest().memoryTotal; }),
        both(
            "memory.headroom_bytes", "Memory headroom", bytes, more, none,
            [](const S&, const Totals& t) { return t.headroom; },
            [](const S&, const ServingTotals& t) { return t.fullest().headroom; }),
        both(
            "cost.dollars_per_hour", "Rent per hour", dollarsPerHour, less, none,
            [](const S& s, const Totals& t) { return known(s.hasPrice, t.dollarsPerHour); },
            [](const S& s, const ServingTotals& t) { return known(s.hasPrice, t.dollarsPerHour); }),
        training(
            "cost.dollars_per_run", "Rent of the run", dollars, less, time,
            [](const S& s, const Totals& t) { return known(s.hasPrice && s.hasTokens, t.dollarsPerRun); }),
        both(
            "cost.dollars_per_million_tokens", "Cost per million tokens", dollars, less, time,
            [](const S& s, const Totals& t) {
                return known(s.hasPrice && s.hasTokens, t.dollarsPerMillionTokens);
            },
            [](const S& s, const ServingTotals& t) {
                return known(s.hasPrice && t.dollarsPerMillionTokens > 0, t.dollarsPerMillionTokens);
            }),
        serving("cost.dollars_per_million_input_tokens", "Cost per million input tokens", dollars, less, time,
                [](const S& s, const ServingTotals& t) {
                    return known(s.hasPrice && t.dollarsPerMillionInputTokens > 0,
                                 t.dollarsPerMillionInputTokens);
                }),
        serving("cost.dollars_per_million_output_tokens", "Cost per million output tokens", dollars, less,
                time,
                [](const S& s, const ServingTotals& t) {
                    return known(s.hasPrice && t.dollarsPerMillionOutputTokens > 0,
                                 t.dollarsPerMillionOutputTokens);
                }),
        training("cost.energy_kwh", "Energy of the run, kWh", number, less, time,
                 [](const S& s, const Totals& t) { return known(s.hasPrice && s.hasTokens, t.energyKwh); }),
        serving("serving.energy.kwh_per_million_tokens", "Energy per million tokens, kWh", number, less, time,
                energyPerMillionTokens),
        both(
            "gpus", "GPUs", number, less, none, [](const S& s, const Totals&) { return gpusOf(s); },
            [](const S& s, const ServingTotals&) { return gpusOf(s); }),
        reinforcement("reinforcement_learning.step_time_s", "Step time", seconds, less, time,
                      [](const S&, const RlTotals& t) { return t.stepTime; }),
        reinforcement("reinforcement_learning.tokens_per_s", "Tokens per second", tokensPerSecond, more, time,
                      [](const S&, const RlTotals& t) { return t.tokensPerSecond; }),
        reinforcement("reinforcement_learning.tokens_per_s_per_gpu", "Tokens per second per GPU",
                      tokensPerSecond, more, time,
                      [](const S&, const RlTotals& t) { return t.tokensPerSecondPerGpu; }),
        reinforcement("reinforcement_learning.dollars_per_1000_steps", "1,000 steps", dollars, less, time,
                      [](const S& s, const RlTotals& t) { return known(s.hasPrice, t.dollarsPer1000Steps); }),
        reinforcement("reinforcement_learning.idle_share", "Idle share", ratio, less, time,
                      [](const S&, const RlTotals& t) { return t.idle; }),
        reinforcement("reinforcement_learning.staleness_steps", "Staleness", number, less, none,
                      [](const S&, const RlTotals& t) { return t.staleness; }),
    };
    addReinforcement(out);
    addQuestions(out);
    return out;
}

} // namespace

bool PlanFigure::isOf(const WorkloadSpec& workload) const {
    if (ofQuestions &&
        !(workload.testTime.written() && takesPrompts(workload) && workload.phase != "prefill")) {
        return false;
    }
    return workload.isReinforcement() ? ofReinforcement != nullptr
           : workload.isServing()     ? ofServing != nullptr
                                      : ofTraining != nullptr;
}

double logSdOf(const Scenario& scenario, const PlanFigure& figure) {
    if (scenario.isReinforcement()) {
        const bool ofTime = figure.error == FigureError::time;
        return ofTime ? scenario.inputs[rlTimeSpread(scenario)]
               : figure.error == FigureError::memory && scenario.roles
                   ? scenario.roles->train.inputs[Input::memoryLogSd]
                   : 0;
    }
    const bool serving = scenario.isServing();
    const Inputs& in = serving ? scenario.pools.back().inputs : scenario.inputs;
    switch (figure.error) {
    case FigureError::time:
        return in[serving ? servingSpread(scenario) : stepTimeSpread(scenario)];
    case FigureError::firstToken:
        return in[Input::servingTtftLogSd];
    case FigureError::memory:
        return serving ? 0 : in[Input::memoryLogSd];
    case FigureError::none:
        break;
    }
    return 0;
}

double mostPairLogSd(const Scenario& scenario) {
    if (scenario.isServing())
        return 0.08;
    return scenario.isReinforcement() ? 0.14 : scenario.model.moe ? 0.17 : 0.13;
}

std::span<const PlanFigure> planFigures() {
    static const std::vector<PlanFigure> table = makeFigures();
    return table;
}

const PlanFigure* findPlanFigure(std::string_view path) {
    const auto all = planFigures();
    const auto found = std::ranges::find(all, path, &PlanFigure::path);
    return found == all.end() ? nullptr : &*found;
}

std::string nearestPlanFigure(std::string_view path) {
    std::vector<std::string> known;
    for (const PlanFigure& each : planFigures())
        known.emplace_back(each.path);
    return nearestName(std::string(path), known);
}

} // namespace alidade
