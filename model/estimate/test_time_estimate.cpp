// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/test_time_estimate.h"

#include "model/estimate/evaluate_serving.h"
#include "model/scenario/test_time_plan.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace alidade {

namespace {

/// Scoring by a model on its own machine, of which it is charged the time that it uses.
struct Scoring {
    double scorings = 0;   ///< of a question
    double seconds = 0;    ///< in the latency of a question
    double gpuSeconds = 0; ///< of a question
    double dollars = 0;    ///< of a question; 0 without a price
    bool hasPrice = true;
};

Scoring scoringOf(const TestTimePlan& plan, double longest) {
    if (!plan.verifier)
        return {};
    const Scenario& verifier = *plan.verifier;
    const auto totals = std::make_unique<ServingTotals>();
    constexpr double seldom = 1e-6; // requests/s: nothing else is in the engine
    evaluateServingAt(verifier, seldom, 0, *totals, ServingDetail::means);
    Scoring out{.hasPrice = verifier.hasPrice};
    if (!totals->fits) {
        out.seconds = out.gpuSeconds = out.dollars = std::numeric_limits<double>::infinity();
        return out;
    }
    const double rate = totals->maxRequestRate;
    const bool beams = plan.selection == AnswerSelection::beamSearch;
    out.scorings = plan.samples * plan.steps(plan.lengths.mean());
    // The samples that ended before the last one are scored by then; beams wait for one another's scores.
    const double together = beams ? plan.samples / rate : 0;
    out.seconds = plan.steps(longest) * std::max(totals->ttft, together);
    out.gpuSeconds = out.scorings / rate * verifier.inputs[Input::gpus];
    out.dollars = out.scorings / rate * totals->dollarsPerHour / secondsPerHour;
    return out;
}

/// Deviation of a quantile of the latency from its mean: squares of independent deviations add, with their
/// signs, so that a greater one never makes a quantile smaller.
double deviation(const TestTimePlan& plan, double p, double longest, double perToken, double ttft,
                 double ttftQuantile) {
    const bool allCut = plan.lengths.mean() >= plan.lengths.limit() * (1 - 1e-9);
    const double samples = allCut ? 0 : (plan.lengths.longestQuantile(plan.samples, p) - longest) * perToken;
    const double first = ttftQuantile > 0 ? ttftQuantile - ttft : 0; // 0: no percentiles were asked for
    const double square = samples * std::abs(samples) + first * std::abs(first);
    return std::copysign(std::sqrt(std::abs(square)), square);
}

} // namespace

template <class N>
TestTimeT<N> testTimeOf(const Scenario& scenario, std::span<const InputsT<N>> pools,
                        const ServingTotalsT<N>& totals) {
    const TestTimePlan& plan = *scenario.testTime;
    const InputsT<N>& in = pools.back();
    const auto leaf = [&](double value, const char* name, Dimension dimension, const char* source) {
        return derivedLeaf(in[Input::tensorParallel], value, name, dimension, source);
    };
    const double longest = plan.lengths.meanOfLongest(plan.samples);
    const Scoring scoring = scoringOf(plan, longest);
    TestTimeT<N> out;
    out.asked = plan.asked();
    out.samples = static_cast<std::int64_t>(plan.samples);
    out.selection = scenario.spec.workload.testTime.selection.value_or("none");
    out.verifier = plan.verifier ? plan.verifier->modelName : "";
    const N samples = leaf(plan.samples, "samples", Dimension::number, "scenario");
    out.tokensPerQuestion =
        named(samples * in[Input::outputTokens], "tokens_per_question", Dimension::tokens, "samples x mean");
    out.longestSample = leaf(longest, "longest_sample", Dimension::tokens,
                             "expected longest of the samples, log-normal lengths");
    out.selectionTime = leaf(scoring.seconds, "selection_time", Dimension::seconds,
                             "prefill of the verifier, alone on its machine");
    out.latency =
        named(totals.ttft + (out.longestSample - 1) * totals.tpot + out.selectionTime, "question_latency",
              Dimension::seconds, "ttft + (longest sample - 1) x tpot + selection");
    const auto quantile = [&](double p, double ttft, const char* name) {
        const double apart = deviation(plan, p, longest, valueOf(totals.tpot), valueOf(totals.ttft), ttft);
        return named(out.latency + leaf(apart, "deviation_of_quantile", Dimension::seconds,
                                        "longest sample and ttft, independent"),
                     name, Dimension::seconds, "mean + deviation");
    };
    out.latencyMedian = quantile(0.5, totals.ttftPercentiles.p50, "question_latency_p50");
    out.latencyP90 = quantile(0.9, totals.ttftPercentiles.p90, "question_latency_p90");
    out.latencyP99 = quantile(0.99, totals.ttftPercentiles.p99, "question_latency_p99");
    out.questionsPerSecond = named(totals.requestsPerSecond / samples, "questions_per_second",
                                   Dimension::number, "sequences per second / samples");
    out.maxQuestionsPerSecond = named(totals.maxRequestRate / samples, "max_questions_per_second",
                                      Dimension::number, "largest rate of sequences / samples");
    out.questionsInFlight = named(out.questionsPerSecond * out.latency, "questions_in_flight",
                                  Dimension::number, "rate x time in the system (Little)");
    const auto& sequence = totals.decoding().memory.sequence;
    const N prompt = named(sequenceBytes(sequence, in[Input::inputTokens]), "kv_bytes_of_the_prompt",
                           Dimension::bytes, "of one GPU");
    const N whole = named(sequenceBytes(sequence, in[Input::inputTokens] + in[Input::outputTokens]),
                          "kv_bytes_of_a_sample", Dimension::bytes, "with its prompt, of one GPU");
    out.kvPerQuestion = named(prompt + samples * (whole - prompt) + (samples - 1) * sequence.constantBytes,
                              "kv_bytes_per_question", Dimension::bytes, "prompt + samples x their tokens");
    N gpus = in[Input::gpus];
    if (pools.size() > 1)
        gpus = gpus + pools[0][Input::gpus];
    const N generating =
        named(gpus / out.questionsPerSecond, "gpu_seconds_of_sampling", Dimension::seconds, "of a question");
    const N verifying = leaf(scoring.gpuSeconds, "gpu_seconds_of_scoring", Dimension::seconds,
                             "of a question, on a full machine of the verifier");
    out.verifierGpus = named(out.questionsPerSecond * verifying, "verifier_gpus", Dimension::number,
                             "questions per second x GPU seconds of scoring");
    out.verifierShare = named(verifying / (generating + verifying), "verifier_share", Dimension::ratio,
                              "scoring / sampling and scoring");
    if (scenario.hasPrice && scoring.hasPrice) {
        const N verifier = leaf(scoring.dollars, "dollars_of_scoring", Dimension::dollars,
                                "rent of the verifier's machine for the time it takes");
        const auto dollarsAt = [&](const N& rate, const char* name) {
            const N sampling = named(totals.dollarsPerHour / (secondsPerHour * rate), "dollars_of_sampling",
                                     Dimension::dollars, "rent / questions");
            return named(1000 * (sampling + verifier), name, Dimension::dollars, "sampling + scoring");
        };
        out.leastDollarsPer1000Questions =
            dollarsAt(out.maxQuestionsPerSecond, "least_dollars_per_1000_questions");
        if (totals.stable)
            out.dollarsPer1000Questions = dollarsAt(out.questionsPerSecond, "dollars_per_1000_questions");
    }
    return out;
}

template TestTimeT<double> testTimeOf(const Scenario&, std::span<const InputsT<double>>,
                                      const ServingTotalsT<double>&);
template TestTimeT<Traced> testTimeOf(const Scenario&, std::span<const InputsT<Traced>>,
                                      const ServingTotalsT<Traced>&);

} // namespace alidade
