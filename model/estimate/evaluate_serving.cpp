// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/evaluate_serving.h"

#include "model/estimate/rent.h"
#include "model/serving/kv_transfer.h"
#include "model/serving/pool_model.h"
#include "model/serving/steady_state.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>

namespace alidade {

namespace {

/// Plain numbers of some inputs.
const Inputs& plain(const Inputs& in, Inputs&) { return in; }
const Inputs& plain(const InputsT<Traced>& in, Inputs& room) {
    for (std::size_t i = 0; i < inputCount; ++i)
        room.values[i] = in.values[i].value();
    return room;
}

template <class N>
const ServingMemoryT<double> plainMemory(const ServingMemoryT<N>& m) {
    ServingMemoryT<double> out;
    out.kvCapacity = valueOf(m.kvCapacity);
    out.kvOffloaded = valueOf(m.kvOffloaded);
    out.sequence = {.bytesPerToken = valueOf(m.sequence.bytesPerToken),
                    .windowBytesPerToken = valueOf(m.sequence.windowBytesPerToken),
                    .window = valueOf(m.sequence.window),
                    .constantBytes = valueOf(m.sequence.constantBytes)};
    return out;
}

/// One pool under evaluation: its inputs, and the same as plain numbers.
template <class N>
struct PoolView {
    const ServingPool& pool;
    const InputsT<N>& in;
    const Inputs& values;
    EngineLimits limits{};
    PoolTotalsT<N>& out;
};

template <class N>
N leaf(const InputsT<N>& in, double value, const char* name, Dimension dimension, const char* source) {
    return derivedLeaf(in[Input::tensorParallel], value, name, dimension, source);
}

template <class N>
N longestContext(const PoolView<N>& v) {
    return named(v.limits.decodes ? v.in[Input::inputTokens] + v.in[Input::outputTokens]
                                  : v.in[Input::inputTokens],
                 "full_context", Dimension::tokens, "a request of mean length at its end");
}

/// Memory of one GPU, and what it can hold.
template <class N>
void evaluateMemory(PoolView<N>& v) {
    using std::max;
    using std::min;
    const ServingContext<N> context(v.pool.plan, v.in, v.pool.networkBound);
    PoolTotalsT<N>& out = v.out;
    servingMemory(context, out.memory);
    v.limits = engineLimits(v.pool.plan, v.values, plainMemory(out.memory));
    const N& prompt = v.in[Input::inputTokens];
    const N mean = !v.limits.decodes   ? prompt
                   : v.limits.reserves ? longestContext(v)
                                       : named(prompt + v.in[Input::outputTokens] / 2, "mean_context",
                                               Dimension::tokens, "prompt + half of the answer");
    const N shared = min(v.in[Input::sharedPrompt], prompt);
    out.kvPerSequence =
        valueOf(shared) > 0
            ? named(sequenceBytes(out.memory.sequence, mean) - out.memory.sequence.bytesPerToken * shared,
                    "kv_bytes_per_sequence", Dimension::bytes,
                    "of one GPU, at mean age, with its part of the shared prompt")
            : named(sequenceBytes(out.memory.sequence, mean), "kv_bytes_per_sequence", Dimension::bytes,
                    "of one GPU, at mean age");
    const N room = named(max(N(0), out.memory.kvCapacity + out.memory.kvOffloaded), "kv_room",
                         Dimension::bytes, "of one GPU");
    const N& ranks = v.in[Input::attentionDataParallel];
    const N fit = named(ranks * room / out.kvPerSequence, "sequences_in_memory", Dimension::number,
                        "room / sequence, of all attention-data ranks");
    out.maxConcurrency = valueOf(v.in[Input::largestBatch]) > 0
                             ? named(min(ranks * v.in[Input::largestBatch], fit), "max_concurrency",
                                     Dimension::number, "KV cache and largest batch")
                             : fit;
    const N perToken = named(out.kvPerSequence / mean, "kv_bytes_per_mean_token", Dimension::bytes);
    out.kvTokens = named(ranks * room / perToken, "kv_tokens", Dimension::tokens, "of one replica");
    const N one = named(sequenceBytes(out.memory.sequence, longestContext(v)), "kv_bytes_of_a_request",
                        Dimension::bytes, "at its full length");
    out.fits = valueOf(room) >= valueOf(one) && valueOf(out.memory.kvCapacity) > 0;
    out.kvInUse = one;
}

/// Closes the memory once it is known how many sequences are in the engine.
template <class N>
void closeMemory(PoolView<N>& v) {
    using std::max;
    using std::min;
    PoolTotalsT<N>& out = v.out;
    if (out.fits) {
        const N used = out.inFlight * out.kvPerSequence / v.in[Input::attentionDataParallel];
        out.kvInUse = named(min(max(out.kvInUse, used), max(out.kvInUse, out.memory.kvCapacity)),
                            "kv_cache_in_use", Dimension::bytes, "sequences in the engine, one at least");
    }
    out.memoryTotal = named(out.memory.weights + out.memory.activations + out.memory.workspace + out.kvInUse,
                            "memory_total", Dimension::bytes, "of one GPU");
    out.headroom = named(v.in[Input::capacity] - out.memory.reserve - out.memoryTotal, "headroom_bytes",
                         Dimension::bytes, "capacity - reserve - total");
}

/// One full prefill chunk alone in a step; independent of the load.
template <class N>
void evaluatePrefillStep(PoolView<N>& v) {
    const LoadMeans means = loadMeans(workerLoad(v.values, 1, 0), v.limits);
    if (!v.limits.prefills || means.prompt <= 0)
        return;
    const ServingContext<N> context(v.pool.plan, v.in, v.pool.networkBound);
    const double chunk = std::min(means.prompt, v.limits.chunkTokens);
    servingStep(context,
                {.prefillTokens = leaf(v.in, chunk, "chunk", Dimension::tokens,
                                       "the mean prompt without what is cached, at most a chunk"),
                 .prefillCached = leaf(v.in, means.cached, "cached_before", Dimension::tokens,
                                       "prefix cache and earlier chunks, mean"),
                 .prompts = N(chunk / means.prompt),
                 .decodeSequences = N(0),
                 .decodeContext = N(0)},
                v.out.prefill);
}

/// The decode step of a pool at its equilibrium.
template <class N>
void evaluateDecodeStep(PoolView<N>& v) {
    const ServingContext<N> context(v.pool.plan, v.in, v.pool.networkBound);
    PoolTotalsT<N>& out = v.out;
    const ServingState& state = out.state;
    const LoadMeans means = loadMeans(workerLoad(v.values, 1, 0), v.limits);
    const auto number = [&](double value, const char* name, const char* source) {
        return leaf(v.in, value, name, Dimension::number, source);
    };
    out.batch = number(v.limits.decodes ? state.batch : state.inFlight, "batch", "equilibrium of the engine");
    out.inFlight = number(state.inFlight, "requests_in_engine", "equilibrium of the engine");
    out.utilization =
        number(state.utilization, "utilization", "load / largest stable load, prefill included");
    if (v.limits.decodes) {
        servingStep(context,
                    {.prefillTokens = N(0),
                     .prefillCached = N(0),
                     .prompts = N(0),
                     .decodeSequences = number(std::max(state.batch, 1e-9), "decode_batch", "equilibrium"),
                     .decodeContext = leaf(v.in, means.decodeContext, "mean_decode_context",
                                           Dimension::tokens, "prompt + half of the answer")},
                    out.decode);
    }
}

template <class N>
void closePool(PoolView<N>& v) {
    evaluateDecodeStep(v);
    closeMemory(v);
    if (v.pool.hasPrice)
        v.out.dollarsPerHour = named(rentPerHour(v.in), "dollars_per_hour", Dimension::dollarsPerHour);
}

/// Finds the equilibrium of one worker. \param rate, concurrency of the whole deployment
template <class N>
ServingState solve(const PoolView<N>& v, double rate, double concurrency, ServingStepCost<double>& scratch,
                   ServingDetail detail) {
    const EngineStep step(v.pool.plan, v.values, v.pool.networkBound, scratch);
    return steadyState(workerLoad(v.values, rate, concurrency), v.limits, step, detail);
}

template <class N>
double maximumRate(const PoolView<N>& v, ServingStepCost<double>& scratch) {
    const EngineStep step(v.pool.plan, v.values, v.pool.networkBound, scratch);
    return maximumRequestRate(workerLoad(v.values, 1, 0), v.limits, step) * v.values[Input::workers];
}

/// Prefill and decode apart: the rate at which requests in flight are those of the closed loop, or the rate
/// that is asked for.
template <class N>
void solvePools(PoolView<N>& prefill, PoolView<N>& decode, const N& transfer,
                ServingStepCost<double>& scratch, ServingDetail detail) {
    const auto at = [&](double rate, ServingDetail wanted = ServingDetail::means) {
        prefill.out.state = solve(prefill, rate, 0, scratch, wanted);
        decode.out.state = solve(decode, rate, 0, scratch, wanted);
        return rate * (prefill.out.state.ttft + valueOf(transfer) + decode.out.state.e2e);
    };
    const double concurrency = decode.values[Input::concurrency];
    if (concurrency <= 0) {
        at(decode.values[Input::requestRate], detail);
        return;
    }
    constexpr double full = 0.95; // of the smaller pool: beyond it, waiting has no steady length
    double low = 0, high = full * std::min(maximumRate(prefill, scratch), maximumRate(decode, scratch));
    const double most = at(high, detail);
    if (most >= concurrency) {
        for (int i = 0; i < 14; ++i) {
            const double middle = 0.5 * (low + high);
            (at(middle) > concurrency ? high : low) = middle;
        }
        at(0.5 * (low + high), detail);
    } else if (high > 0) { // the rest waits in front of the deployment
        ServingState& first = prefill.out.state;
        const double waits = (concurrency - most) / high;
        first.queueWait += waits;
        first.ttft += waits;
        first.e2e += waits;
        first.queued += concurrency - most;
        for (double* quantile : {&first.ttftPercentiles.p50, &first.ttftPercentiles.p90,
                                 &first.ttftPercentiles.p95, &first.ttftPercentiles.p99}) {
            *quantile += waits;
        }
    }
}

/// Percentiles of a sum of two independent waits: their deviations from the mean add as squares.
Percentiles sumOf(const Percentiles& a, double meanA, const Percentiles& b, double meanB, double constant) {
    const auto add = [&](double x, double y) {
        return constant + meanA + meanB +
               std::copysign(std::hypot(x - meanA, y - meanB), (x - meanA) + (y - meanB));
    };
    return {add(a.p50, b.p50), add(a.p90, b.p90), add(a.p95, b.p95), add(a.p99, b.p99)};
}

/// Chance that a request finds the engine at work.
double busyShare(const InputsT<double>& in, const ServingState& state) {
    return in[Input::concurrency] > 0 ? std::clamp(state.inFlight - 1, 0.0, 1.0)
                                      : 1 - std::exp(-state.inFlight);
}

/// Time of a request outside the engine's steps: on the way, and in steps that pass before it is scheduled
/// and after its token is there, if any are under way.
template <class N>
N timeOutside(const PoolView<N>& prefill, const N& gap) {
    const InputsT<N>& in = prefill.in;
    const N busy = leaf(in, busyShare(prefill.values, prefill.out.state), "engine_busy", Dimension::ratio,
                        "others are in the engine");
    const ServingPhase phase = prefill.pool.plan.phase;
    return named(phase == ServingPhase::both
                     ? in[Input::servingRequestOverhead] + in[Input::servingWaitedSteps] * busy * gap
                 : phase == ServingPhase::prefill ? in[Input::servingRequestOverhead]
                                                  : N(0),
                 "time_outside_steps", Dimension::seconds, "overhead + waited steps x gap while busy");
}

/// (E2E - TTFT) / (output tokens - 1), s: of the mean answer, played or in closed form. In closed form it is
/// the gap between tokens.
double timePerToken(const ServingState& state, double outputTokens) {
    constexpr double rounding = 1e-12;
    const double perToken = (state.e2e - state.ttft) / (outputTokens - 1);
    return outputTokens > 1 && std::isfinite(perToken) &&
                   std::abs(perToken - state.itl) > rounding * state.itl
               ? perToken
               : state.itl;
}

template <class N>
void latencies(PoolView<N>& prefill, PoolView<N>& decode, const N& transfer, ServingTotalsT<N>& out) {
    const bool apart = &prefill.pool != &decode.pool;
    const ServingState &p = prefill.out.state, &d = decode.out.state;
    const auto seconds = [&](double value, const char* name, const char* source) {
        return leaf(decode.in, value, name, Dimension::seconds, source);
    };
    const bool prefills = prefill.limits.prefills;
    const double chunks = prefills && valueOf(prefill.out.prefill.seconds) > 0
                              ? p.prefillTime / valueOf(prefill.out.prefill.seconds)
                              : 0;
    // The first token leaves before its prompt's fixed cost, which delays the others, unless another engine
    // computes those.
    const double after =
        chunks > 0 && decode.limits.decodes ? prefill.values[Input::servingPromptOverhead] : 0;
    const double delay = apart ? 0 : after;
    out.stable = p.stable && d.stable;
    out.itl = out.tpot = N(0);
    if (decode.limits.decodes) {
        const N pure =
            named(decode.out.decode.seconds / leaf(decode.in, decode.limits.tokensPerStep, "tokens_per_step",
                                                   Dimension::number, "1 without speculation"),
                  "decode_gap", Dimension::seconds, "decode step / tokens of it");
        const double tokens = decode.values[Input::outputTokens];
        out.itl = named(pure + seconds(d.itl - valueOf(pure) + delay / (tokens - 1), "gap_from_prefill",
                                       "prefill steps between decode steps, at equilibrium"),
                        "itl", Dimension::seconds, "decode step + prefill between");
        out.tpot = named(out.itl + seconds(timePerToken(d, tokens) - d.itl, "tpot_against_itl",
                                           "mean over requests, not gaps"),
                         "tpot", Dimension::seconds, "(e2e - ttft) / (output tokens - 1)");
    }
    const N outside = timeOutside(prefill, out.itl);
    const double later = valueOf(outside) - prefill.limits.requestOverhead; // than the engine counts
    // In a closed loop, those who wait outside are not in the queue.
    const double queue = p.queueWait + (apart ? d.ttft : 0);
    const double queueLeft =
        valueOf(decode.in[Input::concurrency]) > 0 ? std::max(0.0, queue - later) : queue;
    constexpr double nothing = 1e-9; // s; tails of distributions are not waiting
    out.queueTime = seconds(queueLeft > nothing ? queueLeft : 0, "queue_time", "equilibrium of the engine");
    out.prefillTime =
        prefills ? named(prefill.out.prefill.seconds * leaf(decode.in, chunks, "prefill_steps",
                                                            Dimension::number, "chunks of the mean prompt") -
                             seconds(after, "prompt_overhead", "after the first token"),
                         "prefill_time", Dimension::seconds, "steps of the prompt alone, to its first token")
                 : N(0);
    const double shared = p.ttft - p.queueWait - p.prefillTime - prefill.limits.requestOverhead;
    const N rest = seconds(std::abs(shared) > nothing ? shared : 0, "ttft_in_shared_steps",
                           "waiting for steps and sharing them with other requests");
    out.ttft = named(outside + out.queueTime + out.prefillTime + rest + transfer, "ttft", Dimension::seconds,
                     "outside + queue + prefill + shared steps + hand-over");
    out.e2e =
        decode.limits.decodes
            ? named(out.ttft + seconds(d.e2e - d.ttft + delay, "answer_time", "decode steps of a request"),
                    "e2e", Dimension::seconds, "ttft + time of the answer")
            : out.ttft;
    out.itlPercentiles = d.itlPercentiles;
    out.ttftPercentiles = apart
                              ? sumOf(p.ttftPercentiles, p.ttft, d.ttftPercentiles, d.ttft, valueOf(transfer))
                              : p.ttftPercentiles;
    out.outsideEngine = later + queueLeft - queue - after;
    const bool known = p.ttftPercentiles.p99 > 0; // were asked for
    for (double* each : {&out.ttftPercentiles.p50, &out.ttftPercentiles.p90, &out.ttftPercentiles.p95,
                         &out.ttftPercentiles.p99}) {
        *each += known ? out.outsideEngine : 0;
    }
}

template <class N>
void throughput(const Scenario& scenario, PoolView<N>& prefill, PoolView<N>& decode, ServingTotalsT<N>& out) {
    const bool apart = &prefill.pool != &decode.pool;
    const InputsT<N>& in = decode.in;
    const ServingState& state = decode.out.state;
    const bool closed = !apart && decode.values[Input::concurrency] > 0;
    // A closed loop sends the next request when one is done: what it spends outside the engine slows it.
    const double rate =
        closed ? state.requestsPerSecond * state.e2e / valueOf(out.e2e) : state.requestsPerSecond;
    out.requestsPerSecond = named(
        leaf(in, rate, "requests_per_second_and_worker", Dimension::number, "equilibrium of the engine") *
            in[Input::workers],
        "requests_per_second", Dimension::number, "of all replicas");
    // A prefill gives the first token.
    out.outputTokensPerSecond =
        named(decode.limits.decodes ? out.requestsPerSecond * in[Input::outputTokens] : out.requestsPerSecond,
              "output_tokens_per_second", Dimension::tokensPerSecond);
    out.inputTokensPerSecond = named(out.requestsPerSecond * in[Input::inputTokens],
                                     "input_tokens_per_second", Dimension::tokensPerSecond);
    const N gpus = apart ? prefill.in[Input::gpus] + in[Input::gpus] : in[Input::gpus];
    out.outputTokensPerSecondPerGpu = named(out.outputTokensPerSecond / gpus,
                                            "output_tokens_per_second_per_gpu", Dimension::tokensPerSecond);
    out.concurrency = named(out.requestsPerSecond * out.e2e, "requests_in_flight", Dimension::number,
                            "rate x time in the system (Little)");
    out.maxConcurrency = named(decode.out.maxConcurrency * in[Input::workers] +
                                   (apart ? prefill.out.maxConcurrency * prefill.in[Input::workers] : N(0)),
                               "max_concurrency_of_deployment", Dimension::number, "of all replicas");
    out.prefillShare =
        apart ? prefill.in[Input::gpus] / gpus
              : leaf(in, decode.out.state.prefillShare, "prefill_share", Dimension::ratio, "equilibrium");
    constexpr double never = 1e-6; // a tail of a distribution, nothing that anyone will see
    const double preemptions = decode.out.state.preemptionsPerRequest;
    out.preemptionsPerRequest = leaf(in, preemptions < never ? 0 : preemptions, "preemptions_per_request",
                                     Dimension::number, "equilibrium");
    (void)scenario;
}

/// Dollars of a million tokens. Input tokens pay for the GPU time of prefill, output tokens for that of
/// decoding; of pools apart, each pays for its own.
template <class N>
void money(PoolView<N>& prefill, PoolView<N>& decode, ServingTotalsT<N>& out) {
    const bool apart = &prefill.pool != &decode.pool;
    const N all = apart ? prefill.out.dollarsPerHour + decode.out.dollarsPerHour : decode.out.dollarsPerHour;
    out.dollarsPerHour = named(all, "dollars_per_hour", Dimension::dollarsPerHour);
    out.dollarsPerMillionInputTokens = out.dollarsPerMillionOutputTokens = out.dollarsPerMillionTokens = N(0);
    if (!out.stable || !out.fits)
        return;
    const ServingState& state = decode.out.state;
    assert(state.prefillShare <= 1 + 1e-9);
    const double busy = state.batch > 0 ? state.prefillShare : 1;
    const N share = leaf(decode.in, busy, "prefill_share", Dimension::ratio,
                         "GPU time of prefill / of prefill and decode");
    const N input = apart ? prefill.out.dollarsPerHour : out.dollarsPerHour * share;
    const N output = apart ? decode.out.dollarsPerHour : out.dollarsPerHour * (1 - share);
    const auto perMillion = [](const N& dollars, const N& rate, const char* name) {
        return named(dollars / (secondsPerHour * rate) * 1e6, name, Dimension::dollars, "rent / tokens");
    };
    out.dollarsPerMillionInputTokens =
        perMillion(input, out.inputTokensPerSecond, "dollars_per_million_input_tokens");
    out.dollarsPerMillionOutputTokens =
        perMillion(output, out.outputTokensPerSecond, "dollars_per_million_output_tokens");
    out.dollarsPerMillionTokens =
        perMillion(out.dollarsPerHour, out.inputTokensPerSecond + out.outputTokensPerSecond,
                   "dollars_per_million_tokens");
}

/// Room for the steps of the solver: the decode step of plain totals, which is written last.
ServingStepCost<double>& scratchOf(PoolTotalsT<double>& pool, std::unique_ptr<ServingStepCost<double>>&) {
    return pool.decode;
}
ServingStepCost<double>& scratchOf(PoolTotalsT<Traced>&, std::unique_ptr<ServingStepCost<double>>& own) {
    own = std::make_unique<ServingStepCost<double>>();
    return *own;
}

/// Handing the cache of the mean prompt from one pool to the other.
template <class N>
N handOver(const Scenario& scenario, const PoolView<N>& prefill, const PoolView<N>& decode) {
    using std::min;
    const auto rate = [&](const InputsT<N>& in) {
        return (scenario.transfersOverNvlink ? in[Input::nvlinkBandwidth] : in[Input::networkBandwidth]) *
               in[Input::servingTransferEfficiency];
    };
    const N bandwidth = named(min(rate(prefill.in), rate(decode.in)), "transfer_rate",
                              Dimension::bytesPerSecond, "of one GPU");
    const LoadMeans means = loadMeans(workerLoad(prefill.values, 1, 0), prefill.limits);
    const N steps = leaf(prefill.in, means.prompt / std::min(means.prompt, prefill.limits.chunkTokens),
                         "prefill_steps", Dimension::number, "chunks of the mean prompt");
    return kvHandOver(
        prefill.out.memory, decode.out.memory, prefill.in[Input::inputTokens], bandwidth,
        prefill.in[scenario.transfersOverNvlink ? Input::nvlinkStepLatency : Input::networkLatency],
        prefill.in[Input::layers], prefill.out.prefill.seconds * steps, scenario.transferOverlaps);
}

} // namespace

template <class N>
void evaluateServing(const Scenario& scenario, std::span<const InputsT<N>> pools, ServingTotalsT<N>& out,
                     const ServingState* played, ServingDetail detail) {
    std::array<Inputs, 2> room;
    const std::size_t last = scenario.pools.size() - 1;
    out.poolCount = static_cast<int>(last + 1);
    PoolView<N> first{
        .pool = scenario.pools[0], .in = pools[0], .values = plain(pools[0], room[0]), .out = out.pools[0]};
    PoolView<N> second{.pool = scenario.pools[last],
                       .in = pools[last],
                       .values = plain(pools[last], room[1]),
                       .out = out.pools[last]};
    PoolView<N>& prefill = first;
    PoolView<N>& decode = last > 0 ? second : first;
    evaluateMemory(prefill);
    if (last > 0)
        evaluateMemory(decode);
    out.fits = prefill.out.fits && decode.out.fits;
    out.stable = false;
    if (!out.fits || !scenario.runs()) {
        closeMemory(prefill);
        if (last > 0)
            closeMemory(decode);
        return;
    }
    std::unique_ptr<ServingStepCost<double>> own;
    ServingStepCost<double>& scratch = scratchOf(decode.out, own);
    N transfer{};
    evaluatePrefillStep(prefill);
    if (last > 0) {
        transfer = handOver(scenario, prefill, decode);
        decode.out.transferTime = transfer;
    }
    if (played) {
        prefill.out.state = played[0];
        decode.out.state = played[last];
    } else if (last > 0) {
        solvePools(prefill, decode, transfer, scratch, detail);
    } else {
        decode.out.state = solve(decode, decode.values[Input::requestRate], decode.values[Input::concurrency],
                                 scratch, detail);
    }
    out.limitingPool = last > 0 && decode.out.state.utilization >= prefill.out.state.utilization ? 1 : 0;
    const auto largest = [&](const PoolView<N>& v) {
        const ServingState& state = v.out.state;
        const double one =
            state.requestsPerSecond / std::min(state.utilization, 1.0); // of an overload it is the largest
        return leaf(v.in, one * v.values[Input::workers], "largest_rate", Dimension::number,
                    "every place of the batch taken");
    };
    using std::min;
    out.maxRequestRate = last > 0 ? min(largest(prefill), largest(decode)) : largest(decode);
    closePool(prefill);
    if (last > 0)
        closePool(decode);
    latencies(prefill, decode, transfer, out);
    throughput(scenario, prefill, decode, out);
    money(prefill, decode, out);
}

std::vector<Inputs> poolInputs(const Scenario& scenario, std::vector<Inputs> memory) {
    memory.clear();
    for (const ServingPool& pool : scenario.pools)
        memory.push_back(pool.inputs);
    return memory;
}

template void evaluateServing(const Scenario&, std::span<const InputsT<double>>, ServingTotalsT<double>&,
                              const ServingState*, ServingDetail);
template void evaluateServing(const Scenario&, std::span<const InputsT<Traced>>, ServingTotalsT<Traced>&,
                              const ServingState*, ServingDetail);

void evaluateServingAt(const Scenario& scenario, double requestsPerSecond, double concurrency,
                       ServingTotals& out, ServingDetail detail, const ServingState* played) {
    std::array<Inputs, 2> inputs;
    for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
        inputs[i] = scenario.pools[i].inputs;
        inputs[i][Input::requestRate] = requestsPerSecond;
        inputs[i][Input::concurrency] = concurrency;
    }
    evaluateServing<double>(scenario, std::span(inputs).first(scenario.pools.size()), out, played, detail);
}

} // namespace alidade
