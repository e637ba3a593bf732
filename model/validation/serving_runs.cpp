// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/serving_runs.h"

#include "model/estimate/evaluate_serving.h"
#include "model/validation/published_scenario.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade {

namespace {

std::string firstError(const Scenario& scenario) {
    for (const Problem& problem : scenario.problems)
        if (problem.severity == Severity::error)
            return problem.message;
    return "the model does not run this configuration";
}

} // namespace

Result<ServingRuns> ServingRuns::of(const ScenarioSpec& spec, const ServingRun& run, const Catalog& catalog,
                                    const Profile& profile) {
    const ServingRunKind kind = run.kind;
    ServingRuns out;
    out.run_ = run;
    out.requests_ = spec.workload.concurrency.value_or(0);
    out.input_ = spec.workload.inputTokens.value_or(1);
    out.output_ = spec.workload.outputTokens.value_or(1);
    std::vector<ScenarioSpec> specs;
    if (kind == ServingRunKind::together) {
        const std::string phase = spec.workload.phase.value_or("both");
        const double replicas = static_cast<double>(spec.plan.dataParallel.value_or(1));
        out.prompts_ = phase != "decode";
        out.answers_ = phase != "prefill" && out.output_ > 1;
        if (out.prompts_) {
            ScenarioSpec& prompts = specs.emplace_back(spec);
            prompts.workload.phase = "prefill";
            prompts.workload.outputTokens = 1;
            prompts.plan.chunkTokens =
                static_cast<std::int64_t>(std::ceil(out.requests_ / replicas * out.input_));
        }
        if (out.answers_)
            specs.emplace_back(spec).workload.phase = "decode";
    } else {
        specs.push_back(spec);
    }
    for (const ScenarioSpec& each : specs) {
        Result<Scenario> scenario = resolve(each, catalog, profile);
        if (!scenario)
            return Error{scenario.error()};
        if (!scenario->runs() || scenario->pools.empty())
            return Error{firstError(*scenario)};
        out.scenarios_.push_back(std::move(*scenario));
        if (kind != ServingRunKind::steady && kind != ServingRunKind::rounds)
            for (ServingPool& pool : out.scenarios_.back().pools)
                pool.inputs[Input::loopJitter] = 0;
    }
    return out;
}

std::vector<ServingRuns::PoolInputs> ServingRuns::inputs() const {
    std::vector<PoolInputs> out(scenarios_.size());
    for (std::size_t i = 0; i < scenarios_.size(); ++i)
        for (std::size_t pool = 0; pool < scenarios_[i].pools.size(); ++pool)
            out[i][pool] = scenarios_[i].pools[pool].inputs;
    return out;
}

bool ServingRuns::evaluate(std::size_t run, const PoolInputs& inputs, ServingTotals& scratch) const {
    evaluateServing<double>(scenarios_[run], std::span(inputs).first(scenarios_[run].pools.size()), scratch,
                            nullptr, ServingDetail::means);
    return scratch.fits;
}

/// \param scratch of the loop without end; overwritten
LoopRun ServingRuns::loopRun(const PoolInputs& inputs, ServingTotals& scratch) const {
    const ServingPool& pool = scenarios_[0].pools[0];
    const Inputs& in = inputs[0];
    const PoolTotalsT<double>& engine = scratch.decoding();
    const double decode = engine.decode.seconds;
    const double own = engine.state.prefillTime + (pool.plan.mixedPrefill ? decode : 0);
    LoopRun out;
    out.users = std::min(in[Input::concurrency], scratch.maxConcurrency) / std::max(1, pool.plan.workers);
    out.requestsPerUser = run_.requestsPerUser;
    out.lengthCv = in[Input::outputTokensCv];
    out.answer = output_ * scratch.itl;
    out.promptsOfOthers = std::max(0.0, scratch.itl - decode) * output_;
    out.burst = out.promptsOfOthers;
    out.waitInSteadyState = std::max(0.0, engine.state.ttft - engine.state.queueWait - own);
    out.answerAlone = out.answer;
    if (run_.requestsPerUser > 0 && out.users > 1) {
        PoolInputs alone = inputs;
        alone[0][Input::concurrency] = 1;
        if (evaluate(0, alone, scratch))
            out.answerAlone = output_ * scratch.itl;
        // Prompts that are queued at once share steps.
        const double together = std::floor(std::min(out.users, in[Input::chunkTokens] / input_));
        if (together > 1) {
            alone[0][Input::inputTokens] = input_ * together;
            alone[0][Input::inputTokensCv] = 0;
            if (evaluate(0, alone, scratch)) {
                out.burst =
                    std::min(out.burst, (out.users - 1) / together * scratch.decoding().state.prefillTime);
            }
        }
    }
    return out;
}

std::optional<ServingRuns::LoopStart> ServingRuns::loopStart(const PoolInputs& inputs,
                                                             ServingTotals& scratch) const {
    if (run_.kind != ServingRunKind::rounds || scenarios_[0].pools.size() != 1 ||
        !evaluate(0, inputs, scratch) || !scratch.stable) {
        return std::nullopt;
    }
    const double ttft = scratch.ttft;
    return LoopStart{.ttft = ttft, .run = loopRun(inputs, scratch)};
}

std::optional<ServingFigures> ServingRuns::steady(const PoolInputs& inputs, ServingTotals& scratch) const {
    if (!evaluate(0, inputs, scratch))
        return std::nullopt;
    ServingFigures out{.ttft = scratch.ttft,
                       .tpot = scratch.tpot,
                       .itl = scratch.itl,
                       .e2e = scratch.e2e,
                       .prefill = scratch.prefillTime,
                       .outputTokensPerS = scratch.outputTokensPerSecond,
                       .inputTokensPerS = scratch.inputTokensPerSecond};
    if (run_.kind == ServingRunKind::rounds && scenarios_[0].pools.size() == 1 && scratch.stable) {
        const LoopRun run = loopRun(inputs, scratch);
        out.ttft += firstTokenDelay(run);
        out.outputTokensPerS *= throughputShare(run);
        out.inputTokensPerS *= throughputShare(run);
        // A request comes anywhere between two looks of an engine that has others; an idle one looks at once.
        const double wait = requests_ > 1 ? (run_.pollInterval - 1) / 2 * out.itl : 0, before = out.e2e;
        out.ttft += wait;
        out.e2e += wait;
        out.outputTokensPerS *= before / out.e2e;
        out.inputTokensPerS *= before / out.e2e;
    }
    // A finite run: engines are full while requests wait; the last ones have them to themselves.
    const double held = scratch.maxConcurrency, waves = std::floor(requests_ / held);
    const double last = requests_ - waves * held;
    if (run_.kind == ServingRunKind::finite && waves >= 1 && last >= 1) {
        PoolInputs fewer = inputs;
        for (Inputs& pool : fewer)
            pool[Input::concurrency] = last;
        if (evaluate(0, fewer, scratch)) {
            const double seconds = waves * held * output_ / out.outputTokensPerS +
                                   last * output_ / scratch.outputTokensPerSecond;
            out.outputTokensPerS = requests_ * output_ / seconds;
            out.inputTokensPerS = requests_ * input_ / seconds;
        }
    }
    return out;
}

/// The prompts of a batch share one step: what an engine of prompts alone does that may take them all into
/// it.
std::optional<ServingFigures> ServingRuns::together(const std::vector<PoolInputs>& inputs,
                                                    ServingTotals& scratch) const {
    ServingFigures out;
    if (prompts_) {
        if (!evaluate(0, inputs[0], scratch))
            return std::nullopt;
        const bool single = requests_ <= scenarios_[0].pools[0].plan.workers;
        out.ttft = single ? scratch.ttft : requests_ * input_ / scratch.inputTokensPerSecond;
        out.prefill = single ? scratch.prefillTime : out.ttft;
    }
    if (answers_) {
        const std::size_t run = prompts_ ? 1 : 0;
        if (!evaluate(run, inputs[run], scratch))
            return std::nullopt;
        out.tpot = out.itl = scratch.tpot;
    }
    out.e2e = out.ttft + (output_ - 1) * out.tpot;
    out.outputTokensPerS = requests_ * output_ / out.e2e;
    out.inputTokensPerS = requests_ * input_ / out.e2e;
    return out;
}

std::optional<ServingFigures> ServingRuns::figures(const std::vector<PoolInputs>& inputs,
                                                   ServingTotals& scratch) const {
    return run_.kind == ServingRunKind::together ? together(inputs, scratch) : steady(inputs[0], scratch);
}

namespace {

ServingRunKind kindOf(const ValidationRow& row) {
    if (row.rowKind == "static batch" || row.rowKind == "single-stream" ||
        saysWord(row.notes, "no in-flight batching")) {
        return ServingRunKind::together;
    }
    if (row.rowKind == "server (closed loop)")
        return ServingRunKind::rounds;
    const bool whole = row.scenario && !row.scenario->workload.phase && row.scenario->workload.concurrency;
    const bool counted = std::ranges::find(row.assumed, "workload.concurrency") == row.assumed.end();
    if (row.rowKind != "offline")
        return ServingRunKind::steady;
    return whole && counted ? ServingRunKind::finite : ServingRunKind::inProcess;
}

} // namespace

ServingRun servingRunOf(const ValidationRow& row) {
    return {.kind = kindOf(row), .requestsPerUser = row.requestsPerUser, .pollInterval = row.pollInterval};
}

Input servingSpreadOf(const Scenario& scenario, std::string_view quantity) {
    if (quantity == "ttft_s" || quantity == "prefill_s")
        return Input::servingTtftLogSd; // prefill is the larger part of the first token's time
    if (quantity.find("tokens_per_s") != std::string_view::npos && quantity != "tokens_per_s_per_user")
        return Input::servingThroughputLogSd;
    return scenario.model.moe ? Input::servingTimeLogSdMoe : Input::servingTimeLogSd;
}

std::optional<double> figureOf(const ServingFigures& f, std::string_view quantity, double gpus) {
    const std::pair<std::string_view, double> known[] = {
        {"ttft_s", f.ttft},
        {"prefill_s", f.prefill},
        {"tpot_s", f.tpot},
        {"itl_s", f.itl},
        {"e2e_s", f.e2e},
        {"output_tokens_per_s", f.outputTokensPerS},
        {"input_tokens_per_s", f.inputTokensPerS},
        {"output_tokens_per_s_per_gpu", f.outputTokensPerS / gpus},
        {"input_tokens_per_s_per_gpu", f.inputTokensPerS / gpus}};
    const auto found = std::ranges::find(known, quantity, &std::pair<std::string_view, double>::first);
    return found == std::end(known) ? std::nullopt : std::optional(found->second);
}

} // namespace alidade
