// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/visit_memory.h"
#include "model/estimate/visit_training.h"

namespace alidade {

// The "serving" part of the documented estimate; see visit.h for what a visitor is.

template <class N, class V>
void numberIf(bool known, std::string_view key, const N& value, Dimension dimension, V& v,
              std::string_view meaning) {
    if (known)
        v.number(key, value, dimension, meaning);
    else
        v.null(key);
}

template <class N, class V>
void visitPercentiles(std::string_view key, bool known, const PercentilesT<N>& percentiles, V& v,
                      std::string_view meaning) {
    v.beginObject(key);
    numberIf(known, "p50", percentiles.p50, Dimension::seconds, v, meaning);
    numberIf(known, "p90", percentiles.p90, Dimension::seconds, v, meaning);
    numberIf(known, "p95", percentiles.p95, Dimension::seconds, v, meaning);
    numberIf(known, "p99", percentiles.p99, Dimension::seconds, v, meaning);
    v.endObject();
}

template <class N, class V>
void visitPool(const PoolT<N>& pool, V& v) {
    using enum Dimension;
    v.beginObject({});
    v.text("name", pool.name);
    v.text("instance", pool.instance);
    v.integer("workers", pool.workers, "replicas of the model");
    v.integer("gpus", pool.gpus, "of all replicas");
    v.integer("tensor_parallel", pool.tensorParallel, "GPUs that share each matrix");
    v.integer("pipeline_parallel", pool.pipelineParallel, "stages of the pipeline");
    v.integer("expert_parallel", pool.expertParallel, "GPUs that share the experts of a layer");
    v.integer("attention_data_parallel", pool.attentionDataParallel,
              "groups that attend to different requests");
    v.number("batch", pool.batch, number, "requests that one replica works on at once, mean");
    v.number("max_concurrency", pool.maxConcurrency, number, "requests that one replica can hold");
    v.number("kv_tokens", pool.kvTokens, tokens, "tokens of KV cache of one replica");
    v.number("utilization", pool.utilization, ratio, "load / largest load that is stable");
    v.number("step_time_s", pool.stepTime, seconds, "one engine step");
    v.number("transfer_s", pool.transferTime, seconds, "handing the KV cache over");
    if (pool.dollarsPerHour)
        v.number("dollars_per_hour", *pool.dollarsPerHour, Dimension::dollarsPerHour, "rent of this pool");
    visitMemory(pool.memory, v);
    v.endObject();
}

/// \param prompts, answers what the load has; figures of what it does not have are unknown
template <class V>
void visitLoadPoint(const LoadPoint& point, bool prompts, bool answers, V& v) {
    using enum Dimension;
    v.beginObject({});
    v.constant("requests_per_s", point.requestsPerSecond, number, "of the whole deployment");
    v.constant("concurrency", point.concurrency, number, "requests in flight");
    v.constant("output_tokens_per_s", point.outputTokensPerSecond, tokensPerSecond, "of the deployment");
    v.constant("utilization", point.utilization, ratio, "load / largest load that is stable");
    const auto constantIf = [&v](bool known, std::string_view key, double value, Dimension dimension,
                                 std::string_view meaning) {
        if (known)
            v.constant(key, value, dimension, meaning);
        else
            v.null(key);
    };
    constantIf(prompts, "ttft_s", point.ttft, seconds, "mean");
    constantIf(answers, "itl_s", point.itl, seconds, "mean");
    constantIf(prompts, "ttft_percentile_s", point.ttftPercentile, seconds, "at the scenario's percentile");
    constantIf(answers, "itl_percentile_s", point.itlPercentile, seconds, "at the scenario's percentile");
    constantIf(point.dollarsPerMillionOutputTokens > 0, "dollars_per_million_output_tokens",
               point.dollarsPerMillionOutputTokens, dollars, "at this load");
    v.flag("meets_targets", point.meetsTargets);
    v.endObject();
}

template <class V>
void visitQuantiles(std::string_view key, const std::vector<double>& values, V& v) {
    v.beginArray(key);
    for (const double value : values)
        v.constant({}, value, Dimension::seconds, "quantile (i + 0.5) / n of the simulated requests");
    v.endArray();
}

template <class V>
void visitDistribution(const Distribution& distribution, V& v) {
    v.beginObject("distribution");
    v.integer("requests", distribution.requests, "requests that were simulated");
    v.integer("seed", static_cast<std::int64_t>(distribution.seed), "of the simulation");
    visitQuantiles("ttft_s", distribution.ttft, v);
    visitQuantiles("itl_s", distribution.itl, v);
    visitQuantiles("tpot_s", distribution.tpot, v);
    visitQuantiles("e2e_s", distribution.e2e, v);
    v.endObject();
}

template <class N, class V>
void visitTestTime(const TestTimeT<N>& t, V& v) {
    using enum Dimension;
    v.beginObject("test_time");
    v.integer("samples", t.samples, "sequences that a question draws");
    v.text("selection", t.selection);
    if (!t.verifier.empty())
        v.text("verifier", t.verifier);
    v.number("tokens_per_question", t.tokensPerQuestion, tokens, "output tokens of all samples, mean");
    v.number("longest_sample_tokens", t.longestSample, tokens, "of the sample that ends last, expected");
    v.number("latency_s", t.latency, seconds, "mean time from a question to its answer");
    v.beginObject("latency_percentiles_s");
    v.number("p50", t.latencyMedian, seconds, "median time from a question to its answer");
    v.number("p90", t.latencyP90, seconds, "quantile of the time from a question to its answer");
    v.number("p99", t.latencyP99, seconds, "quantile of the time from a question to its answer");
    v.endObject();
    v.number("selection_s", t.selectionTime, seconds, "part of the latency that scoring takes");
    v.number("questions_per_s", t.questionsPerSecond, number, "questions that are answered per second");
    v.number("max_questions_per_s", t.maxQuestionsPerSecond, number, "largest rate that is stable");
    v.number("questions_in_flight", t.questionsInFlight, number, "mean, rate x latency");
    v.number("kv_bytes_per_question", t.kvPerQuestion, bytes,
             "on each GPU of a replica: the prompt once, all samples at their mean length");
    v.number("verifier_gpus", t.verifierGpus, number,
             "GPUs in addition to the deployment that scoring keeps busy");
    v.number("verifier_share", t.verifierShare, ratio, "of the GPU time of a question");
    if (t.dollarsPer1000Questions)
        v.number("dollars_per_1000_questions", *t.dollarsPer1000Questions, dollars, "at this load");
    else
        v.null("dollars_per_1000_questions");
    if (t.leastDollarsPer1000Questions) {
        v.number("least_dollars_per_1000_questions", *t.leastDollarsPer1000Questions, dollars,
                 "at the largest rate that is stable");
    } else {
        v.null("least_dollars_per_1000_questions");
    }
    v.endObject();
}

template <class N, class V>
void visitServingEnergy(const ServingEnergyT<N>& e, V& v) {
    using enum Dimension;
    v.beginObject("energy");
    v.number("gpu_watts", e.gpuWatts, watts, "of one GPU alone, mean of the deployment");
    v.number("mean_watts", e.watts, watts, "of the deployment, hosts and PUE included");
    v.number("joules_per_output_token", e.joulesPerOutputToken, number,
             "hosts and PUE included; of a prefill side alone, per input token");
    v.number("kwh_per_million_tokens", e.kilowattHoursPerMillionTokens, number,
             "input and output, hosts and PUE included, kWh");
    v.number("kwh_per_month", e.kilowattHoursPerMonth, number, "of 730 hours at this load, kWh");
    v.number("kg_co2e_per_month", e.carbonKgPerMonth, number, "location-based, of the Region's grid, kg");
    v.endObject();
}

template <class N, class V>
void visitServing(const ServingT<N>& s, V& v) {
    using enum Dimension;
    v.beginObject("serving");
    numberIf(s.prompts, "ttft_s", s.ttft, seconds, v, "mean time from arrival to the first token");
    numberIf(s.answers, "itl_s", s.itl, seconds, v, "mean gap between output tokens");
    numberIf(s.answers, "tpot_s", s.tpot, seconds, v, "(e2e - ttft) / (output tokens - 1) of a request");
    v.number("e2e_s", s.e2e, seconds, "mean time from arrival to the last token");
    v.number("queue_s", s.queueTime, seconds, "part of ttft before the prefill begins");
    numberIf(s.prompts, "prefill_s", s.prefillTime, seconds, v, "part of ttft that the prefill takes");
    v.number("output_tokens_per_s", s.outputTokensPerSecond, tokensPerSecond,
             "of the whole deployment; of one side alone, the first token counts on either");
    v.number("input_tokens_per_s", s.inputTokensPerSecond, tokensPerSecond, "of the whole deployment");
    v.number("output_tokens_per_s_per_gpu", s.outputTokensPerSecondPerGpu, tokensPerSecond,
             "per GPU of the plan");
    v.number("requests_per_s", s.requestsPerSecond, number, "requests that are finished per second");
    numberIf(s.answers, "tokens_per_s_per_user", s.tokensPerSecondPerUser, tokensPerSecond, v, "1 / tpot");
    v.number("max_concurrency", s.maxConcurrency, number, "requests that the deployment can hold");
    v.number("batch", s.batch, number, "requests that one decoding replica works on, mean");
    v.number("concurrency", s.concurrency, number, "requests in flight, mean");
    v.number("utilization", s.utilization, ratio, "load / largest load that is stable");
    v.number("max_requests_per_s", s.maxRequestRate, number, "largest rate that is stable");
    if (s.requestRateWithinTargets) {
        v.constant("requests_per_s_within_targets", *s.requestRateWithinTargets, number,
                   "largest rate that meets the targets");
    }
    v.number("preemptions_per_request", s.preemptionsPerRequest, number,
             "times that a request loses its KV cache and is computed again");
    visitPercentiles("ttft_percentiles_s", s.prompts, s.ttftPercentiles, v,
                     "quantile of the time to the first token");
    visitPercentiles("itl_percentiles_s", s.answers, s.itlPercentiles, v,
                     "quantile of the gaps between output tokens");
    v.flag("simulated", s.simulated);
    if (s.meetsTargets)
        v.flag("meets_targets", *s.meetsTargets);
    numberIf(s.answers, "step_time_s", s.stepTime, seconds, v, "one decode step");
    numberIf(s.prompts, "prefill_step_time_s", s.prefillStepTime, seconds, v,
             "one step with a full prefill chunk");
    v.number("prefill_share", s.prefillShare, ratio, "of the GPU time");
    visitBreakdown("breakdown", s.breakdown, v, "part of a decode step, exclusive");
    visitBreakdown("prefill_breakdown", s.prefillBreakdown, v, "part of a prefill step, exclusive");
    visitLayers("layers", s.layers, v, "one layer in a decode step, with exposed communication");
    visitLayers("prefill_layers", s.prefillLayers, v,
                "one layer in a prefill step, with exposed communication");
    v.beginArray("pools");
    for (const PoolT<N>& pool : s.pools)
        visitPool(pool, v);
    v.endArray();
    if (s.testTime && s.testTime->asked)
        visitTestTime(*s.testTime, v);
    if (s.energy)
        visitServingEnergy(*s.energy, v);
    if (!s.loadCurve.empty()) {
        v.beginArray("load_curve");
        for (const LoadPoint& point : s.loadCurve)
            visitLoadPoint(point, s.prompts, s.answers, v);
        v.endArray();
    }
    if (s.distribution)
        visitDistribution(*s.distribution, v);
    v.endObject();
}

} // namespace alidade
