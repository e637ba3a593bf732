// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/assemble.h"

#include "model/cost/run_cost.h"
#include "model/estimate/assemble_parts.h"
#include "model/estimate/assemble_run.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/run_order.h"
#include "model/units/constants.h"
#include "model/units/dimension.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

/// What a part of a step is charged to on this machine: its network may be no EFA.
template <class N>
Bound boundOf(StepPart part, const Scenario& scenario, const TotalsT<N>& totals) {
    if (onNetwork(part))
        return scenario.networkBound;
    return part == StepPart::pipelineTransfer ? totals.pipelineFabric
                                              : stepParts[static_cast<std::size_t>(part)].bound;
}

/// The experts' share of work, where the model has experts.
template <class N>
std::optional<ExpertLoadT<N>> expertLoadOf(const Scenario& scenario, const InputsT<N>& in,
                                           const TotalsT<N>& t) {
    if (!scenario.model.moe)
        return {};
    ExpertLoadT<N> out;
    out.experts = scenario.model.moe->routedExperts;
    out.expertsPerToken = scenario.model.moe->expertsPerToken;
    out.expertRanks = scenario.plan.expertParallel;
    out.expertsPerRank = out.experts / out.expertRanks;
    out.tokensPerRank = t.expertTokens;
    out.tokensPerExpert = named(t.expertTokens * in[Input::expertParallel] / in[Input::routedExperts],
                                "tokens_per_expert", Dimension::tokens, "mean, of one rank and micro-batch");
    out.imbalance = in[Input::expertImbalance];
    out.paddedTokensPerExpert = named(out.tokensPerExpert + in[Input::expertPadTokens],
                                      "padded_tokens_per_expert", Dimension::tokens);
    out.capacityFactor = scenario.spec.plan.capacityFactor;
    return out;
}

template <class N>
TrainingT<N> trainingOf(const Scenario& scenario, const InputsT<N>& in, const TotalsT<N>& t) {
    TrainingT<N> out;
    out.stepTime = t.stepTime;
    out.tokensPerSecond = t.tokensPerSecond;
    out.tokensPerSecondPerGpu = t.tokensPerSecondPerGpu;
    out.modelFlopsPerSecondPerGpu = t.modelFlopsPerSecondPerGpu;
    out.mfu = t.mfu;
    out.hfu = t.hfu;
    out.mfuPeakFlopsPerSecond = in[Input::reportingPeak];
    out.flopsConvention =
        "3 x forward; causal attention counted as s/2 keys (Megatron-LM); dense 16-bit peak";
    if (scenario.hasTokens)
        out.runTime = t.runTime;
    out.goodput = t.goodput;
    out.microbatches = t.microbatches;
    for (std::size_t i = 0; i < stepParts.size(); ++i) {
        if (valueOf(t.parts[i]) != 0) {
            out.breakdown.push_back(
                {stepParts[i].name, t.parts[i], boundOf(static_cast<StepPart>(i), scenario, t)});
        }
    }
    const int last = headStage(scenario.plan);
    const auto bound = [&](StepPart part) { return boundOf(part, scenario, t); };
    out.layers.push_back(layerOf(t.embedding, bound, "embedding", "Token embedding", 1, 0));
    for (std::size_t k = 0; k < scenario.plan.kinds.size(); ++k) {
        int count = 0;
        std::optional<int> only;
        for (int i = 0; i < t.stageCount; ++i) {
            const int here = scenario.plan.stageKinds[static_cast<std::size_t>(i)][k];
            only = here == 0 ? only : count == 0 ? std::optional(i) : std::nullopt;
            count += here;
        }
        const LayerKind& kind = scenario.plan.kinds[k];
        out.layers.push_back(layerOf(t.layers[k], bound, kind.word, kind.title, count,
                                     t.stageCount > 1 ? only : std::nullopt));
    }
    if (scenario.model.mtpLayers > 0) {
        out.layers.push_back(
            layerOf(t.prediction, bound, "mtp", "Multi-token prediction", scenario.model.mtpLayers, last));
    }
    out.layers.push_back(layerOf(t.head, bound, "head", "Logits and loss", 1, last));
    for (const CommCost<N>& comm : t.stepCommunication)
        out.communication.push_back(communicationOf(comm));
    out.expertLoad = expertLoadOf(scenario, in, t);
    for (int i = 0; i < t.stageCount; ++i) {
        const StageCost<N>& s = t.stages[static_cast<std::size_t>(i)];
        out.stages.push_back({i, s.layers, s.forward, s.backwardInput, s.backwardWeight, s.memoryTotal});
    }
    return out;
}

template <class N>
std::vector<MemoryPartT<N>> memoryParts(const StageCost<N>& stage) {
    std::vector<MemoryPartT<N>> out;
    for (std::size_t i = 0; i < memoryKindNames.size(); ++i)
        out.push_back({memoryKindNames[i], stage.memory[i]});
    return out;
}

template <class N>
MemoryT<N> memoryOf(const InputsT<N>& in, const TotalsT<N>& t) {
    MemoryT<N> out;
    out.capacityBytes = in[Input::capacity];
    out.nominalBytes = in[Input::nominalMemory];
    out.reserveBytes = t.reserve;
    out.totalBytes = t.memoryTotal;
    out.headroomBytes = t.headroom;
    const Band<N> limits = band(t.memoryTotal, in[Input::memoryLogSd], Dimension::bytes);
    out.lowBytes = limits.low;
    out.highBytes = limits.high;
    out.worstStage = t.worstStage;
    out.parts = memoryParts(t.stages[static_cast<std::size_t>(t.worstStage)]);
    for (int i = 0; i < t.stageCount; ++i) {
        const StageCost<N>& s = t.stages[static_cast<std::size_t>(i)];
        out.stages.push_back({i, s.memoryTotal, memoryParts(s)});
    }
    return out;
}

template <class N>
CostT<N> costOf(const Scenario& scenario, const InputsT<N>& in, const TotalsT<N>& t) {
    CostT<N> out;
    out.dollarsPerHour = t.dollarsPerHour;
    describePrice(scenario, out);
    if (scenario.hasTokens) {
        out.dollarsPerRun = t.dollarsPerRun;
        out.dollarsPerMillionTokens = t.dollarsPerMillionTokens;
        out.energyKwh = t.energyKwh;
        const double hours = valueOf(in[Input::tokens] / t.tokensPerSecond / t.goodput) / secondsPerHour;
        if (!isBillable(hours))
            return out;
        addRentLines(scenario, in, t.instanceHours, t.idleHours, out);
    }
    return out;
}

template <class N>
HeadlineT<N> headlineOf(const Scenario& scenario, const TrainingT<N>& training, const InputsT<N>& in,
                        const TotalsT<N>& t) {
    HeadlineT<N> out;
    out.name = "Throughput";
    out.unit = "tokens/s";
    out.value = t.tokensPerSecond;
    const Band<N> limits = band(t.tokensPerSecond, in[stepTimeSpread(scenario)], Dimension::tokensPerSecond);
    out.low = limits.low;
    out.high = limits.high;
    BoundTimes<N> byBound;
    for (const ShareT<N>& share : training.breakdown)
        byBound[share.bound] += share.seconds;
    out.bottleneck = largestShare(byBound);
    out.bottleneckShare =
        named(named(byBound[out.bottleneck], "bottleneck_time", Dimension::seconds) / t.stepTime,
              "bottleneck_share", Dimension::ratio, "largest class / step");
    return out;
}

} // namespace

bool canEvaluate(const Scenario& scenario) {
    return scenario.modeled &&
           scenario.plan.stageLayers.size() == static_cast<std::size_t>(scenario.plan.pipelineParallel) &&
           std::all_of(scenario.plan.stageLayers.begin(), scenario.plan.stageLayers.end(),
                       [](int n) { return n >= 0; });
}

template <class N>
EstimateT<N> assemble(const Scenario& scenario, const InputsT<N>& inputs, const TotalsT<N>* totals) {
    EstimateT<N> out = describedEstimate(scenario, inputs);
    if (!totals)
        return out;
    out.memory = memoryOf(inputs, *totals);
    // Said not to fit only where even the low end of the band does not: see surelyOutOfMemory. (What is
    // searched for or suggested fits by the estimate itself.)
    out.fits = valueOf(out.memory->lowBytes) <= valueOf(out.memory->capacityBytes - out.memory->reserveBytes);
    out.runs = scenario.runs();
    if (out.runs) {
        out.training = trainingOf(scenario, inputs, *totals);
        out.run = assembleRun(scenario, inputs, *totals);
        out.headline = headlineOf(scenario, *out.training, inputs, *totals);
        if (scenario.hasPrice) {
            out.cost = costOf(scenario, inputs, *totals);
            addRunOrder(scenario, out);
        }
    }
    return out;
}

template EstimateT<double> assemble(const Scenario&, const InputsT<double>&, const TotalsT<double>*);
template EstimateT<Traced> assemble(const Scenario&, const InputsT<Traced>&, const TotalsT<Traced>*);

} // namespace alidade
