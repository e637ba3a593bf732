// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/assemble_serving.h"

#include "model/base/not_measured.h"
#include "model/estimate/assemble_order.h"
#include "model/estimate/assemble_parts.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/serving_energy.h"
#include "model/estimate/test_time_estimate.h"
#include "model/serving/pool_model.h"

#include <algorithm>

namespace alidade {

namespace {

/// What a part of a step is charged to on the machine of a pool.
Bound boundIn(const ServingPool& pool, StepPart part) {
    if (part == StepPart::pipelineTransfer)
        return pool.plan.pipelineGroup.insideOneDomain() ? Bound::nvlink : pool.networkBound;
    return onNetwork(part) ? pool.networkBound : stepParts[static_cast<std::size_t>(part)].bound;
}

template <class N>
std::vector<ShareT<N>> breakdownOf(const ServingPool& pool, const ServingStepCost<N>& step) {
    std::vector<ShareT<N>> out;
    for (std::size_t i = 0; i < stepParts.size(); ++i)
        if (valueOf(step.parts[i]) != 0)
            out.push_back({stepParts[i].name, step.parts[i], boundIn(pool, static_cast<StepPart>(i))});
    return out;
}

template <class N>
std::vector<LayerT<N>> layersOf(const ServingPool& pool, const InputsT<N>& in,
                                const ServingStepCost<N>& step) {
    const auto bound = [&](StepPart part) { return boundIn(pool, part); };
    std::vector<LayerT<N>> out;
    for (std::size_t k = 0; k < pool.plan.kinds.size(); ++k) {
        const LayerKind& kind = pool.plan.kinds[k];
        out.push_back(layerOf(step.layers[k], bound, kind.word, kind.title, pool.plan.layersOfKind[k]));
    }
    if (step.draft.ops.size() > 0) {
        out.push_back(layerOf(step.draft, bound, "draft", "Draft of one token",
                              static_cast<int>(valueOf(in[Input::draftTokens]))));
    }
    out.push_back(layerOf(step.head, bound, "head", "Output layer and sampling", 1));
    return out;
}

/// The experts' share of work in a decode step, where the model has experts.
template <class N>
std::optional<ExpertLoadT<N>> expertLoadOf(const Scenario& scenario, const ServingPool& pool,
                                           const InputsT<N>& in, const PoolTotalsT<N>& t) {
    if (!scenario.model.moe || !decodes(pool.plan, pool.inputs))
        return {};
    ExpertLoadT<N> out;
    out.experts = scenario.model.moe->routedExperts;
    out.expertsPerToken = scenario.model.moe->expertsPerToken;
    out.expertRanks = pool.plan.expertParallel;
    out.expertsPerRank = std::max(1, out.experts / out.expertRanks);
    out.tokensPerRank =
        named(t.batch * (1 + in[Input::draftTokens]) * in[Input::expertsPerToken] / in[Input::expertParallel],
              "routed_tokens_per_rank", Dimension::tokens, "rows of a decode step x top-k / expert ranks");
    out.tokensPerExpert = named(out.tokensPerRank * in[Input::expertParallel] / in[Input::routedExperts],
                                "tokens_per_expert", Dimension::tokens, "mean, of one decode step");
    out.imbalance = in[Input::expertImbalance];
    out.paddedTokensPerExpert = out.tokensPerExpert;
    return out;
}

template <class N>
MemoryT<N> memoryOf(const InputsT<N>& in, const PoolTotalsT<N>& t) {
    MemoryT<N> out;
    out.capacityBytes = in[Input::capacity];
    out.nominalBytes = in[Input::nominalMemory];
    out.reserveBytes = t.memory.reserve;
    out.totalBytes = t.memoryTotal;
    out.headroomBytes = t.headroom;
    // Weights and caches are counted, not estimated: the band is that of what the engine takes beside them.
    const N spread = named(in[Input::servingMemorySpread] * (t.memory.activations + t.memory.workspace),
                           "memory_spread", Dimension::bytes, "of activations and workspace");
    out.lowBytes = named(t.memoryTotal - spread, "low", Dimension::bytes);
    out.highBytes = named(t.memoryTotal + spread, "high", Dimension::bytes);
    out.parts = {{"Weights", t.memory.weights},
                 {"KV cache", t.kvInUse},
                 {"Activations", t.memory.activations},
                 {"Engine workspace", t.memory.workspace}};
    out.stages = {{0, out.totalBytes, out.parts}};
    return out;
}

template <class N>
PoolT<N> poolOf(const Scenario& scenario, std::size_t index, const InputsT<N>& in, const PoolTotalsT<N>& t) {
    const ServingPool& pool = scenario.pools[index];
    PoolT<N> out;
    out.name = pool.plan.phase == ServingPhase::both      ? "engine"
               : pool.plan.phase == ServingPhase::prefill ? "prefill"
                                                          : "decode";
    out.instance = pool.instance;
    out.workers = pool.plan.workers;
    out.gpus = pool.plan.workers * pool.plan.replicaGpus();
    out.tensorParallel = pool.plan.tensorParallel;
    out.pipelineParallel = pool.plan.pipelineParallel;
    out.expertParallel = pool.plan.expertParallel;
    out.attentionDataParallel = pool.plan.attentionDataParallel;
    out.batch = t.batch;
    out.maxConcurrency = t.maxConcurrency;
    out.kvTokens = t.kvTokens;
    out.utilization = t.utilization;
    out.stepTime = decodes(pool.plan, pool.inputs) ? t.decode.seconds : t.prefill.seconds;
    out.transferTime = t.transferTime;
    if (pool.hasPrice)
        out.dollarsPerHour = t.dollarsPerHour;
    out.memory = memoryOf(in, t);
    return out;
}

template <class N>
PercentilesT<N> percentilesOf(const InputsT<N>& in, const Percentiles& p, const char* name) {
    const auto leaf = [&](double value) {
        return derivedLeaf(in[Input::tensorParallel], value, name, Dimension::seconds,
                           "distribution at equilibrium");
    };
    return {leaf(p.p50), leaf(p.p90), leaf(p.p95), leaf(p.p99)};
}

template <class N>
ServingT<N> servingOf(const Scenario& scenario, std::span<const InputsT<N>> pools,
                      const ServingTotalsT<N>& t) {
    const std::size_t last = pools.size() - 1;
    const ServingPool &first = scenario.pools[0], &second = scenario.pools[last];
    const InputsT<N>& in = pools[last];
    ServingT<N> out;
    out.ttft = t.ttft;
    out.itl = t.itl;
    out.tpot = t.tpot;
    out.e2e = t.e2e;
    out.queueTime = t.queueTime;
    out.prefillTime = t.prefillTime;
    out.outputTokensPerSecond = t.outputTokensPerSecond;
    out.inputTokensPerSecond = t.inputTokensPerSecond;
    out.outputTokensPerSecondPerGpu = t.outputTokensPerSecondPerGpu;
    out.requestsPerSecond = t.requestsPerSecond;
    if (!t.stable) {
        out.tokensPerSecondPerUser =
            derivedLeaf(in[Input::tensorParallel], noSteadyValue, "tokens_per_second_per_user",
                        Dimension::tokensPerSecond, "no request is served in a steady time");
    } else if (valueOf(t.tpot) > 0) {
        out.tokensPerSecondPerUser =
            named(1 / t.tpot, "tokens_per_second_per_user", Dimension::tokensPerSecond, "1 / tpot");
    }
    out.maxConcurrency = t.maxConcurrency;
    out.batch = t.decoding().batch;
    out.concurrency = t.concurrency;
    out.utilization = t.pools[static_cast<std::size_t>(t.limitingPool)].utilization;
    out.maxRequestRate = t.maxRequestRate;
    out.preemptionsPerRequest = t.preemptionsPerRequest;
    out.ttftPercentiles = percentilesOf(in, t.ttftPercentiles, "ttft_percentile");
    out.itlPercentiles = percentilesOf(in, t.itlPercentiles, "itl_percentile");
    const ServingTargets targets = servingTargets(scenario);
    out.ttftTarget = targets.ttft;
    out.itlTarget = targets.itl;
    out.targetPercentile = targets.percentile;
    out.prompts = takesPrompts(scenario.spec.workload);
    out.answers = makesTokens(scenario.spec.workload);
    out.prefillShare = t.prefillShare;
    if (out.answers) {
        out.stepTime = t.decoding().decode.seconds;
        out.breakdown = breakdownOf(second, t.decoding().decode);
        out.layers = layersOf(second, in, t.decoding().decode);
    }
    if (out.prompts) {
        out.prefillStepTime = t.prefilling().prefill.seconds;
        out.prefillBreakdown = breakdownOf(first, t.prefilling().prefill);
        out.prefillLayers = layersOf(first, pools[0], t.prefilling().prefill);
    }
    out.expertLoad = expertLoadOf(scenario, second, in, t.decoding());
    for (std::size_t i = 0; i < pools.size(); ++i)
        out.pools.push_back(poolOf(scenario, i, pools[i], t.pools[i]));
    if (hasPower(scenario))
        out.energy = servingEnergy(scenario, pools, t);
    if (scenario.testTime)
        out.testTime = testTimeOf<N>(scenario, pools, t);
    return out;
}

template <class N>
HeadlineT<N> headlineOf(const Scenario& scenario, const ServingT<N>& serving, const InputsT<N>& in,
                        const ServingTotalsT<N>& t) {
    HeadlineT<N> out;
    const bool prefillOnly = !serving.answers;
    const bool closed = valueOf(in[Input::concurrency]) > 0;
    // With a given rate the throughput is no finding: what users feel is.
    out.name = prefillOnly ? "Input throughput" : closed ? "Output throughput" : "Time per output token";
    out.unit = prefillOnly || closed ? "tokens/s" : "s";
    out.value = prefillOnly ? t.inputTokensPerSecond : closed ? t.outputTokensPerSecond : t.tpot;
    const Band<N> limits = band(out.value, in[servingSpread(scenario)], out.dimension());
    out.low = limits.low;
    out.high = limits.high;
    BoundTimes<N> byBound;
    const auto& breakdown = prefillOnly ? serving.prefillBreakdown : serving.breakdown;
    for (const ShareT<N>& share : breakdown)
        byBound[share.bound] += share.seconds;
    out.bottleneck = largestShare(byBound);
    const N& step = prefillOnly ? serving.prefillStepTime : serving.stepTime;
    out.bottleneckShare = named(named(byBound[out.bottleneck], "bottleneck_time", Dimension::seconds) / step,
                                "bottleneck_share", Dimension::ratio, "largest class / step");
    return out;
}

/// The rent of an hour in two lines. \param items that are paid for, in all pools
template <class N>
void addBaseAndRest(const Scenario& scenario, std::span<const InputsT<N>> pools, const N& items,
                    const char* unit, CostT<N>& out) {
    const N& price = pools[0][Input::price];
    N base = pools[0][Input::baseItems];
    if (pools.size() > 1)
        base = named(base + pools[1][Input::baseItems], "base_items", Dimension::number, "of both pools");
    const N rest = named(items - base, "rest_items", Dimension::number);
    const std::string item = " x " + (scenario.priceItem.empty() ? scenario.clusterName : scenario.priceItem);
    const auto add = [&](const char* name, const N& count, const N& ofOne) {
        const std::int64_t machines = std::llround(valueOf(count));
        if (machines > 0) {
            out.lines.push_back({name + formatCount(machines) + item, count, unit, ofOne,
                                 named(count * ofOne, "line_dollars", Dimension::dollarsPerHour)});
        }
    };
    add("Base: ", base, pools[0][Input::basePrice]);
    add("Rest: ", rest, price);
}

template <class N>
CostT<N> costOf(const Scenario& scenario, std::span<const InputsT<N>> pools, const ServingT<N>& serving,
                const ServingTotalsT<N>& t) {
    CostT<N> out;
    out.dollarsPerHour = t.dollarsPerHour;
    describePrice(scenario, out);
    if (valueOf(t.dollarsPerMillionTokens) > 0)
        out.dollarsPerMillionTokens = t.dollarsPerMillionTokens;
    if (valueOf(t.dollarsPerMillionInputTokens) > 0)
        out.dollarsPerMillionInputTokens = t.dollarsPerMillionInputTokens;
    if (valueOf(t.dollarsPerMillionOutputTokens) > 0)
        out.dollarsPerMillionOutputTokens = t.dollarsPerMillionOutputTokens;
    out.order = serviceOrder(scenario, serving.energy ? valueOf(serving.energy->kilowattHoursPerMonth) : 0);
    const char* unit =
        scenario.spec.cluster.ultraserver ? "UltraServers for an hour" : "instances for an hour";
    const DisaggregatedSpec& apart = scenario.spec.plan.disaggregated;
    if (!apart.prefill.instance && !apart.decode.instance) { // all on the machines of the cluster
        N items = pools[0][Input::paidItems];
        if (pools.size() > 1) {
            items =
                named(items + pools[1][Input::paidItems], "paid_items", Dimension::number, "of both pools");
        }
        if (scenario.hasBase()) {
            addBaseAndRest(scenario, pools, items, unit, out);
            return out;
        }
        out.lines.push_back({scenario.clusterName, items, unit, pools[0][Input::price], t.dollarsPerHour});
        return out;
    }
    for (std::size_t i = 0; i < pools.size(); ++i) {
        out.lines.push_back({(i == 0 ? "Prefill on " : "Decode on ") + scenario.pools[i].instance,
                             pools[i][Input::paidItems], unit, pools[i][Input::price],
                             t.pools[i].dollarsPerHour});
    }
    return out;
}

} // namespace

Input servingSpread(const Scenario& scenario) {
    if (scenario.inputs[Input::concurrency] > 0)
        return Input::servingThroughputLogSd;
    return scenario.model.moe ? Input::servingTimeLogSdMoe : Input::servingTimeLogSd;
}

template <class N>
EstimateT<N> assembleServing(const Scenario& scenario, std::span<const InputsT<N>> pools,
                             const ServingTotalsT<N>* totals) {
    EstimateT<N> out = describedEstimate(scenario, pools.back());
    int gpus = 0;
    for (const ServingPool& pool : scenario.pools)
        gpus += pool.plan.workers * pool.plan.replicaGpus();
    out.gpus = gpus;
    if (!totals)
        return out;
    // The memory that decides is that of the fuller pool.
    std::size_t fullest = 0;
    for (std::size_t i = 1; i < pools.size(); ++i)
        if (valueOf(totals->pools[i].headroom) < valueOf(totals->pools[fullest].headroom))
            fullest = i;
    out.memory = memoryOf(pools[fullest], totals->pools[fullest]);
    out.fits = totals->fits;
    out.runs = scenario.runs();
    if (out.runs && out.fits) { // a plan that does not fit has no times and no price
        out.serving = servingOf(scenario, pools, *totals);
        out.headline = headlineOf(scenario, *out.serving, pools.back(), *totals);
        if (scenario.hasPrice)
            out.cost = costOf(scenario, pools, *out.serving, *totals);
    }
    return out;
}

template EstimateT<double> assembleServing(const Scenario&, std::span<const InputsT<double>>,
                                           const ServingTotalsT<double>*);
template EstimateT<Traced> assembleServing(const Scenario&, std::span<const InputsT<Traced>>,
                                           const ServingTotalsT<Traced>*);

} // namespace alidade
