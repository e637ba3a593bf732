// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/reinforcement_estimate.h"

#include "model/cost/storage_price.h"
#include "model/estimate/assemble_parts.h"
#include "model/estimate/evaluate_reinforcement.h"
#include "model/estimate/run_order.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <memory>

namespace alidade {

namespace {

/// Places phases after each other.
template <class N>
class Lane {
public:
    Lane(std::vector<RlPhaseT<N>>& phases, std::string pool)
        : phases_(phases)
        , pool_(std::move(pool)) {}
    void add(const char* name, const N& seconds, Bound bound, bool exposed = true) {
        if (valueOf(seconds) <= 0)
            return;
        phases_.push_back({name, pool_, now_, seconds, exposed ? seconds : N(0), bound});
        now_ = named(now_ + seconds, "phase_start", Dimension::seconds, "end of the phases before");
    }
    const N& now() const { return now_; }
    void waitFor(const N& time) { now_ = time; }

private:
    std::vector<RlPhaseT<N>>& phases_;
    std::string pool_;
    N now_{};
};

template <class N>
Bound trainingBound(const Scenario& scenario, const TotalsT<N>& update) {
    BoundTimes<double> byBound;
    for (std::size_t i = 0; i < stepParts.size(); ++i) {
        const auto part = static_cast<StepPart>(i);
        const Bound bound = onNetwork(part)                      ? scenario.networkBound
                            : part == StepPart::pipelineTransfer ? update.pipelineFabric
                                                                 : stepParts[i].bound;
        byBound[bound] += valueOf(update.parts[i]);
    }
    return largestShare(byBound);
}

template <class N>
void fillPhases(const Scenario& scenario, const RlTotalsT<N>& t, ReinforcementT<N>& out) {
    using std::max;
    const RoleScenarios& roles = *scenario.roles;
    const bool shared = roles.placement == RolePlacement::colocated;
    const bool turns = shared || roles.placement == RolePlacement::split;
    const Bound compute = trainingBound(roles.train, t.update);
    const bool trainingLonger = valueOf(t.trainSide) >= valueOf(t.rolloutSide);
    Lane<N> rollout(out.phases, shared ? "all" : "rollout"),
        training(out.phases, shared ? "all" : "training");
    const bool rolloutExposed = turns || !trainingLonger;
    rollout.add("generation", t.generation, t.generationBound, rolloutExposed);
    if (!roles.rewardModel && roles.placement != RolePlacement::async)
        rollout.add("reward", t.reward, Bound::latency, rolloutExposed);
    if (shared)
        rollout.add("offload", t.offload, Bound::c2c);
    if (turns)
        training.waitFor(rollout.now());
    const bool trainingExposed = turns || trainingLonger;
    training.add("log_prob", t.logProb, compute, trainingExposed);
    training.add("reference", t.reference, compute, trainingExposed);
    training.add("values", t.values, compute, trainingExposed);
    if (roles.rewardModel)
        training.add("reward", t.reward, compute, trainingExposed);
    training.add("update", t.updates, compute, trainingExposed);
    const N end =
        named(t.stepTime - t.sync, "weight_sync_start", Dimension::seconds, "when both sides are done");
    training.waitFor(end);
    training.add("weight_sync", t.sync, roles.weightLink);
    if (!shared) {
        rollout.waitFor(end);
        rollout.add("weight_sync", t.sync, roles.weightLink, false);
    }
    std::ranges::stable_sort(out.phases, {}, [](const RlPhaseT<N>& p) { return valueOf(p.start); });
}

template <class N>
std::vector<MemoryPartT<N>> partsOf(std::vector<MemoryPartT<N>> parts) {
    std::erase_if(parts, [](const MemoryPartT<N>& part) { return valueOf(part.bytes) <= 0; });
    return parts;
}

template <class N>
std::vector<MemoryPartT<N>> partsOfRollout(const RlMemoryTotals<N>& m, const N& cache) {
    return partsOf<N>({{"Engine weights", m.engineWeights},
                       {"KV cache", cache},
                       {"Engine activations and workspace", m.engineWork},
                       {"Left of the trainer", m.trainerLeft}});
}

template <class N>
std::vector<MemoryPartT<N>> partsOfUpdate(const RlMemoryTotals<N>& m) {
    return partsOf<N>({{"Weights, gradients and optimizer states", m.trainerStates},
                       {"Activations, logits and buffers", m.trainerWork},
                       {"Reference model", m.reference},
                       {"Left of the engine", m.engineLeft}});
}

template <class N>
void fillPools(const Scenario& scenario, const RlInputsT<N>& in, const RlTotalsT<N>& t,
               ReinforcementT<N>& out) {
    const RoleScenarios& roles = *scenario.roles;
    const RlMemoryTotals<N>& m = t.memory;
    const RlMemoryT<N> generating{"generation", m.engineTotal, partsOfRollout(m, m.kvUsed)};
    const RlMemoryT<N> updating{"update", m.trainTotal, partsOfUpdate(m)};
    const N usable =
        named(in.train[Input::capacity] - m.reserve, "usable_bytes", Dimension::bytes, "capacity - reserve");
    if (roles.placement == RolePlacement::colocated) {
        out.pools.push_back(
            {"all", static_cast<int>(valueOf(in.own[Input::gpus])), t.idle, usable, {generating, updating}});
        return;
    }
    out.pools.push_back({"rollout",
                         static_cast<int>(valueOf(in.rollout[Input::gpus])),
                         t.rolloutIdle,
                         in.rollout[Input::capacity],
                         {generating}});
    out.pools.push_back(
        {"training", static_cast<int>(valueOf(in.train[Input::gpus])), t.trainIdle, usable, {updating}});
}

/// The file system for checkpoints of all trained models. They are taken between steps: none lengthens one.
template <class N>
void fillStorage(const Scenario& scenario, const RlInputsT<N>& in, const RlTotalsT<N>& t,
                 ReinforcementT<N>& out) {
    const RoleScenarios& roles = *scenario.roles;
    out.checkpointBytes = t.update.run.checkpointBytes;
    if (roles.critic) {
        const N models = derivedLeaf(in.own[Input::sequencesPerStep], 1 + roles.criticSize, "saved_models",
                                     Dimension::number, "the model, and the critic by its size");
        out.checkpointBytes = named(out.checkpointBytes * models, "checkpoint_bytes", Dimension::bytes,
                                    "of all trained models");
    }
    out.storageBytes = provisionedCapacity(in.train, out.checkpointBytes);
    out.storage = roles.train.spec.run.storage.value_or("");
    out.storageDollarsPerMonth =
        billedGigabytes(valueOf(out.storageBytes)) * valueOf(in.train[Input::storagePrice]);
}

template <class N>
ReinforcementT<N> reinforcementOf(const Scenario& scenario, const RlInputsT<N>& in, const RlTotalsT<N>& t) {
    const RoleScenarios& roles = *scenario.roles;
    ReinforcementT<N> out;
    out.stepTime = t.stepTime;
    out.tokensPerStep = t.tokensPerStep;
    out.tokensPerSecond = t.tokensPerSecond;
    out.responseTokensPerSecond = t.responseTokensPerSecond;
    out.tokensPerSecondPerGpu = t.tokensPerSecondPerGpu;
    out.gpuHoursPer1000Steps = t.gpuHoursPer1000Steps;
    if (scenario.hasPrice)
        out.dollarsPer1000Steps = t.dollarsPer1000Steps;
    if (scenario.hasTokens)
        out.runTime = t.runTime;
    out.staleness = t.staleness;
    out.idleShare = t.idle;
    out.flopsPerSecondPerGpu = t.flopsPerSecondPerGpu;
    out.weightBytes = t.weightBytes;
    const bool turns = roles.placement == RolePlacement::colocated || roles.placement == RolePlacement::split;
    out.limit = turns ? "both" : valueOf(t.trainSide) >= valueOf(t.rolloutSide) ? "training" : "rollout";
    fillStorage(scenario, in, t, out);
    fillPhases(scenario, t, out);
    fillPools(scenario, in, t, out);
    const N& like = in.own[Input::sequencesPerStep];
    out.longest = derivedLeaf(like, t.rollout.longest, "longest_response", Dimension::tokens,
                              "order statistic of the lengths, at most the limit");
    out.tailSeconds = derivedLeaf(like, t.rollout.tailSeconds, "tail_time", Dimension::seconds,
                                  "less than half of the first batch under way");
    out.tailShare = t.rollout.tailShare;
    const ResponseLengths lengths(valueOf(in.rollout[Input::outputTokens]), roles.responseCv,
                                  valueOf(in.own[Input::responseLimit]), roles.runaway);
    out.cutShare = lengths.cutShare();
    out.meanBatch = t.rollout.meanBatch;
    out.places = t.places;
    out.engines = static_cast<int>(valueOf(in.rollout[Input::workers]));
    out.refillEnd = t.rollout.refillEnd;
    const double first = std::max(1e-9, t.rollout.profile[0].batch);
    for (const RolloutPoint& point : t.rollout.profile)
        out.rollout.push_back({point.seconds, point.batch / first});
    out.updates = static_cast<int>(valueOf(in.own[Input::updatesPerStep]));
    return out;
}

/// The phase that needs more, as every estimate has it. The cache of an engine gives way to the rest.
template <class N>
MemoryT<N> memoryOf(const RlInputsT<N>& in, const RlTotalsT<N>& t) {
    const RlMemoryTotals<N>& m = t.memory;
    const bool training = valueOf(m.trainTotal) >= valueOf(m.engineNeeded);
    MemoryT<N> out;
    out.capacityBytes = in.train[Input::capacity];
    out.nominalBytes = in.train[Input::nominalMemory];
    out.totalBytes = training ? m.trainTotal : m.engineNeeded;
    out.parts = training ? partsOfUpdate(m) : partsOfRollout(m, m.kvNeeded);
    out.reserveBytes = training ? m.reserve : N(0);
    out.headroomBytes = named(out.capacityBytes - out.reserveBytes - out.totalBytes, "headroom_bytes",
                              Dimension::bytes, "capacity - reserve - total");
    const Band<N> limits = band(out.totalBytes, in.train[Input::memoryLogSd], Dimension::bytes);
    out.lowBytes = limits.low;
    out.highBytes = limits.high;
    out.stages.push_back({0, out.totalBytes, out.parts});
    return out;
}

template <class N>
CostT<N> costOf(const Scenario& scenario, const RlInputsT<N>& in, const RlTotalsT<N>& t) {
    CostT<N> out;
    out.dollarsPerHour = t.dollarsPerHour;
    describePrice(scenario, out);
    out.dollarsPerMillionTokens = named(t.dollarsPerHour / (secondsPerHour * t.tokensPerSecond) * 1e6,
                                        "dollars_per_million_tokens", Dimension::dollars, "rent / tokens");
    if (scenario.hasTokens) {
        out.dollarsPerRun = t.dollarsPerRun;
        out.energyKwh = t.energyKwh;
        const double hours = valueOf(t.runTime) / secondsPerHour;
        if (isBillable(hours))
            addRentLines(scenario, in.own, t.hours, t.idleHours, out);
    }
    return out;
}

template <class N>
HeadlineT<N> headlineOf(const Scenario& scenario, const RlInputsT<N>& in, const RlTotalsT<N>& t,
                        const ReinforcementT<N>& rl) {
    HeadlineT<N> out;
    out.name = "Step time";
    out.unit = "s";
    out.value = t.stepTime;
    const Band<N> limits = band(t.stepTime, in.own[rlTimeSpread(scenario)], Dimension::seconds);
    out.low = limits.low;
    out.high = limits.high;
    BoundTimes<N> byBound;
    for (const RlPhaseT<N>& phase : rl.phases)
        byBound[phase.bound] += phase.exposed;
    out.bottleneck = largestShare(byBound);
    out.bottleneckShare =
        named(named(byBound[out.bottleneck], "bottleneck_time", Dimension::seconds) / t.stepTime,
              "bottleneck_share", Dimension::ratio, "largest class / step");
    return out;
}

/// \param totals null where nothing could be evaluated
template <class N>
EstimateT<N> assembled(const Scenario& scenario, const InputsT<N>& own, const RlInputsT<N>* in,
                       const RlTotalsT<N>* totals) {
    EstimateT<N> out = describedEstimate(scenario, own);
    if (!totals)
        return out;
    for (const auto& [side, inputs] :
         {std::pair(&scenario.roles->train, &in->train), std::pair(&scenario.roles->rollout, &in->rollout)}) {
        for (AssumptionT<N>& each : assumptionsOf(*side, *inputs))
            if (std::ranges::find(out.assumptions, each.name, &AssumptionT<N>::name) == out.assumptions.end())
                out.assumptions.push_back(std::move(each));
    }
    const auto rl = std::make_shared<ReinforcementT<N>>(reinforcementOf(scenario, *in, *totals));
    out.memory = memoryOf(*in, *totals);
    out.fits = totals->fits;
    out.runs = scenario.runs();
    if (out.runs) {
        out.headline = headlineOf(scenario, *in, *totals, *rl);
        if (scenario.hasPrice)
            out.cost = costOf(scenario, *in, *totals);
        out.reinforcement = rl;
        addRunOrder(scenario, out);
    }
    return out;
}

std::string gigabytes(double bytes) { return formatQuantity(bytes, Dimension::bytes); }

void reportMemory(const Scenario& scenario, const RlTotals& t, Estimate& out) {
    if (out.fits)
        return;
    const RoleScenarios& roles = *scenario.roles;
    const RlMemoryTotals<double>& m = t.memory;
    const double capacity = roles.train.inputs[Input::capacity];
    if (!m.trainFits) {
        out.problems.push_back({Severity::error,
                                "/plan/train",
                                "Training does not fit: " + gigabytes(m.trainTotal) + " per GPU, " +
                                    gigabytes(capacity - m.reserve) +
                                    " usable; weights, gradients and optimizer states take " +
                                    gigabytes(m.trainerStates),
                                {}});
    }
    if (!m.engineFits) {
        const Inputs& in = roles.rollout.pools.front().inputs;
        const bool colocated = roles.placement == RolePlacement::colocated;
        out.problems.push_back(
            {Severity::error,
             colocated ? "/plan/rollout/memory_utilization" : "/plan/rollout/tensor_parallel",
             colocated && t.offloaded != PhaseOffload::all
                 ? "The engine and the trainer do not fit together: the engine may use " +
                       formatQuantity(in[Input::memoryUtilization], Dimension::ratio) + " of " +
                       gigabytes(capacity) + ", and the trainer leaves " + gigabytes(m.trainerLeft) +
                       " on each GPU; offload more in the rollout, or lower the engine's share"
                 : "The engine does not fit: weights take " + gigabytes(m.engineWeights) +
                       " of a GPU, and the longest response needs KV cache besides; use more tensor "
                       "parallelism or a larger share of the memory",
             {}});
    }
}

void reportBalance(const Scenario& scenario, const RlTotals& t, Estimate& out) {
    const RoleScenarios& roles = *scenario.roles;
    constexpr double much = 0.25; // of a step
    if (roles.placement == RolePlacement::oneStepOff || roles.placement == RolePlacement::async) {
        const bool training = t.rolloutIdle > t.trainIdle;
        const double idle = std::max(t.rolloutIdle, t.trainIdle);
        if (idle > much) {
            out.problems.push_back(
                {Severity::warning,
                 "/plan/rollout/gpus",
                 std::string(training ? "Training" : "The rollout") + " bounds the step; the " +
                     (training ? "rollout" : "training") + " pool waits " +
                     formatQuantity(idle * t.stepTime, Dimension::seconds) + " of " +
                     formatQuantity(t.stepTime, Dimension::seconds) + ": share the GPUs out differently",
                 {}});
        }
    }
    if (roles.algorithm == RlAlgorithm::dapo && scenario.spec.workload.reinforcement.keptShare == 1.0) {
        out.problems.push_back({Severity::info,
                                "/workload/kept_share",
                                "DAPO drops prompts whose answers are all right or all wrong; set the share "
                                "that is kept, as measured in the run",
                                {}});
    }
}

} // namespace

Estimate reinforcementEstimate(const Scenario& scenario) {
    if (!canEvaluateReinforcement(scenario))
        return assembled<double>(scenario, scenario.inputs, nullptr, nullptr);
    const auto totals = std::make_unique<RlTotals>();
    const RlInputsT<double> inputs = rlInputs(scenario);
    evaluateReinforcement(scenario, inputs, *totals);
    Estimate out = assembled<double>(scenario, scenario.inputs, &inputs, totals.get());
    reportMemory(scenario, *totals, out);
    if (out.runs && out.fits)
        reportBalance(scenario, *totals, out);
    return out;
}

EstimateT<Traced> tracedReinforcementEstimate(const Scenario& scenario, Trace& trace) {
    const InputsT<Traced> own = tracedInputs(trace, scenario.inputs, scenario.origins);
    if (!canEvaluateReinforcement(scenario))
        return assembled<Traced>(scenario, own, nullptr, nullptr);
    const Scenario& train = scenario.roles->train;
    const ServingPool& engine = scenario.roles->rollout.pools.front();
    const InputsT<Traced> ofTrain = tracedInputs(trace, train.inputs, train.origins);
    const InputsT<Traced> ofRollout = tracedInputs(trace, engine.inputs, engine.origins);
    const RlInputsT<Traced> inputs{own, ofTrain, ofRollout};
    const auto totals = std::make_unique<RlTotalsT<Traced>>();
    evaluateReinforcement(scenario, inputs, *totals);
    return assembled<Traced>(scenario, own, &inputs, totals.get());
}

} // namespace alidade
