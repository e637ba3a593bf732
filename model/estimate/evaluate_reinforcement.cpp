// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/evaluate_reinforcement.h"

#include "model/cost/order.h"
#include "model/cost/rental.h"
#include "model/cost/run_cost.h"
#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/rent.h"
#include "model/estimate/serving_estimate.h"
#include "model/reliability/power.h"
#include "model/serving/pool_model.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alidade {

namespace {

template <class N>
N leaf(const N& like, double value, const char* name, Dimension dimension, const char* source) {
    return derivedLeaf(like, value, name, dimension, source);
}

Inputs plain(const Inputs& in) { return in; }
Inputs plain(const InputsT<Traced>& in) {
    Inputs out;
    for (std::size_t i = 0; i < inputCount; ++i)
        out.values[i] = in.values[i].value();
    return out;
}

/// Context of a sequence in the middle of its response.
double middleContext(const Inputs& in) { return in[Input::inputTokens] + in[Input::outputTokens] / 2; }

/// Sequences that an engine can work on at once: by its KV cache, in which the responses of a prompt share
/// the prompt, and by its largest batch.
double placesOf(const Inputs& own, const Inputs& in, const ServingMemoryT<double>& memory) {
    const SequenceMemory sequence{.bytesPerToken = memory.sequence.bytesPerToken,
                                  .windowBytesPerToken = memory.sequence.windowBytesPerToken,
                                  .window = memory.sequence.window,
                                  .constantBytes = memory.sequence.constantBytes,
                                  .blockTokens = in[Input::kvBlock]};
    const double prompt = in[Input::inputTokens];
    const double shared = std::max(1.0, own[Input::samplesPerPrompt]);
    const double one =
        sequence.meanBytesAt(middleContext(in)) - (1 - 1 / shared) * sequence.bytesPerToken * prompt;
    const double ranks = in[Input::attentionDataParallel];
    const double fit = ranks * std::max(0.0, memory.kvCapacity) / std::max(1.0, one);
    const double most = in[Input::largestBatch] > 0 ? ranks * in[Input::largestBatch] : fit;
    return std::max(1.0, std::min(fit, most));
}

/// Generation: the engines of the rollout work through all responses.
template <class N>
void generation(const Scenario& scenario, const RlInputsT<N>& inputs, RlTotalsT<N>& out) {
    const RoleScenarios& roles = *scenario.roles;
    const ServingPool& pool = roles.rollout.pools.front();
    const Inputs own = plain(inputs.own), in = plain(inputs.rollout);
    const ServingContext<double> context(pool.plan, in, pool.networkBound);
    ServingMemoryT<double> memory;
    servingMemory(context, memory);
    out.places = placesOf(own, in, memory);
    const double made = own[Input::sequencesPerStep] / own[Input::keptShare];
    RolloutLoad load{
        .sequences = made,
        .engines = in[Input::workers],
        .places = out.places,
        .ahead =
            roles.placement == RolePlacement::async && roles.partialRollout ? own[Input::stalenessSteps] : 0,
        .lengths = {in[Input::outputTokens], roles.responseCv, own[Input::responseLimit], roles.runaway}};
    const auto scratch = std::make_unique<ServingStepCost<double>>();
    const EngineStep step(pool.plan, in, pool.networkBound, *scratch);
    const EngineLimits limits = engineLimits(pool.plan, in, memory);
    const double prompt = in[Input::inputTokens];
    out.rollout = rollout(load, [&](double batch, double madeTokens) {
        return (step({.decodeSequences = batch, .decodeContext = prompt + madeTokens}) +
                own[Input::rlStepOverhead]) /
               limits.tokensPerStep;
    });
    const N& like = inputs.own[Input::sequencesPerStep];
    const N steps = leaf(like, out.rollout.steps, "engine_steps", Dimension::number,
                         "tokens of the response that ends the rollout, waves of waiting ones included");
    const N perStep =
        leaf(like, out.rollout.seconds / std::max(1.0, out.rollout.steps), "engine_step_time",
             Dimension::seconds, "mean over the rollout, while the sequences under way get fewer");
    const N decode = named(steps * perStep * inputs.own[Input::rlEngineFactor], "decode_time",
                           Dimension::seconds, "engine steps x their mean time");
    // Each prompt is computed once; its responses share the cache.
    const double chunk = std::min(in[Input::chunkTokens], prompt * made / in[Input::workers]);
    const double perPrompt = step({.prefillTokens = chunk,
                                   .prefillCached = 0,
                                   .prompts = std::max(1.0, chunk / prompt),
                                   .decodeSequences = 0,
                                   .decodeContext = 0}) /
                             chunk * prompt;
    out.prefill = named(inputs.own[Input::sequencesPerStep] /
                            (inputs.own[Input::samplesPerPrompt] * inputs.own[Input::keptShare]) /
                            inputs.rollout[Input::workers] *
                            leaf(like, perPrompt, "prompt_time", Dimension::seconds, "prefill of one prompt"),
                        "prefill_time", Dimension::seconds, "prompts of an engine, each once");
    out.generation = named(decode + out.prefill + inputs.own[Input::rlEngineOverhead], "generation_time",
                           Dimension::seconds, "decoding, prompts, and what surrounds the engines");
    // What the step spends its time on at the mean batch.
    step({.decodeSequences = std::max(1.0, out.rollout.meanBatch), .decodeContext = middleContext(in)});
    BoundTimes<double> byBound;
    for (std::size_t i = 0; i < stepParts.size(); ++i) {
        const auto part = static_cast<StepPart>(i);
        byBound[onNetwork(part) ? pool.networkBound : stepParts[i].bound] += scratch->parts[i];
    }
    out.generationBound = static_cast<Bound>(
        std::max_element(byBound.seconds.begin(), byBound.seconds.end()) - byBound.seconds.begin());
}

/// The passes of training over the responses of a step.
template <class N>
void passes(const Scenario& scenario, const RlInputsT<N>& inputs, RlTotalsT<N>& out) {
    const RoleScenarios& roles = *scenario.roles;
    const InputsT<N>& own = inputs.own;
    evaluate(roles.train, inputs.train, out.update);
    const TotalsT<N>& u = out.update;
    const auto part = [&u](StepPart p) -> const N& { return u.parts[static_cast<std::size_t>(p)]; };
    const N& like = own[Input::sequencesPerStep];
    const N share = leaf(like, roles.updateShare, "update_share", Dimension::ratio,
                         "tokens of an update / tokens of full micro-batches");
    const N fixed = named(part(StepPart::optimizer) + part(StepPart::gradientReduce) +
                              part(StepPart::parameterGather) + part(StepPart::overhead),
                          "update_fixed_time", Dimension::seconds, "optimizer, gradients, weights");
    const N& factor = own[scenario.model.moe ? Input::rlUpdateFactorMoe : Input::rlUpdateFactor];
    const N trained = leaf(like, 1 + (roles.critic ? roles.criticWork : 0), "trained_models",
                           Dimension::number, "the model, and the critic by its FLOP");
    const N host = u.microbatches * own[Input::rlMicrobatchTime];
    const N one = named((u.stepTime - fixed) * share * factor + fixed + host, "one_update_time",
                        Dimension::seconds, "forward and backward passes, and the step of the optimizer");
    out.updates = named(own[Input::updatesPerStep] * own[Input::updateEpochs] * one * trained +
                            own[Input::rlPassOverhead],
                        "update_time", Dimension::seconds, "updates x epochs, of all trained models");
    const StageCost<N>& slowest = u.stages[static_cast<std::size_t>(u.slowestStage)];
    const N fill =
        u.microbatches * own[Input::updatesPerStep] * share + inputs.train[Input::pipelineParallel] - 1;
    const N pass =
        named(fill * slowest.forward * factor * own[Input::rlScoreFactor] +
                  own[Input::updatesPerStep] * host / 3 + own[Input::rlPassOverhead],
              "score_pass_time", Dimension::seconds, "a forward pass over the responses of a step");
    out.logProb = pass;
    out.reference = roles.reference ? pass : N(0);
    out.values = roles.critic ? named(pass * leaf(like, roles.criticWork, "critic_work", Dimension::ratio,
                                                  "FLOP of a token, relative to the model"),
                                      "values_time", Dimension::seconds)
                              : N(0);
    out.reward = roles.rewardModel
                     ? named(pass * leaf(like, roles.rewardWork, "reward_work", Dimension::ratio,
                                         "FLOP of a token, relative to the model"),
                             "reward_time", Dimension::seconds, "a forward pass of the reward model")
                     : own[Input::rewardTime];
}

/// Trained weights to the engines.
template <class N>
void weights(const Scenario& scenario, const RlInputsT<N>& inputs, RlTotalsT<N>& out) {
    const RoleScenarios& roles = *scenario.roles;
    const InputsT<N>& own = inputs.own;
    const N parameters =
        leaf(own[Input::sequencesPerStep], roles.parameters, "parameters", Dimension::number, "of the model");
    out.weightBytes = named(2 * parameters, "weight_bytes", Dimension::bytes, "16 bits a parameter, once");
    // Every sender works on its share, and each engine needs a whole copy: the slower of the two.
    const bool inside = roles.weightLink == Bound::nvlink;
    const N& link = inputs.train[inside ? Input::nvlinkBandwidth : Input::networkBandwidth];
    using std::min;
    const N ends = min(inputs.train[Input::gpus],
                       inputs.rollout[Input::tensorParallel] * inputs.rollout[Input::pipelineParallel]);
    const N wire = valueOf(link) > 0 ? named(link * ends, "wire_rate", Dimension::bytesPerSecond,
                                             "of the GPUs that hold one copy")
                                     : N(1e12);
    const N& rate = own[scenario.model.moe ? Input::rlSyncRateMoe : Input::rlSyncRate];
    out.sync = named(weightSyncTime(out.weightBytes, own[Input::rlSyncFixed], rate, wire), "weight_sync_time",
                     Dimension::seconds, "fixed time and software rate of the path, not below the wire");
}

template <class N>
N ofKinds(const StageCost<N>& stage, std::initializer_list<MemoryKind> kinds) {
    N out{};
    for (const MemoryKind kind : kinds)
        out += stage.memory[static_cast<std::size_t>(kind)];
    return out;
}

/// Memory of both sides, and what has to leave the GPUs between the phases.
template <class N>
void memory(const Scenario& scenario, const RlInputsT<N>& inputs, RlTotalsT<N>& out) {
    using std::max;
    using std::min;
    const RoleScenarios& roles = *scenario.roles;
    const InputsT<N>& own = inputs.own;
    const bool colocated = roles.placement == RolePlacement::colocated;
    const N& like = own[Input::sequencesPerStep];
    RlMemoryTotals<N>& m = out.memory;
    const StageCost<N>& worst = out.update.stages[static_cast<std::size_t>(out.update.worstStage)];
    const N models = leaf(like, 1 + (roles.critic ? roles.criticSize : 0), "trained_models_size",
                          Dimension::number, "the model, and the critic by its parameters");
    const N optimizer =
        named(models * ofKinds(worst, {MemoryKind::optimizer}), "optimizer_states", Dimension::bytes);
    const N weights = named(models * ofKinds(worst, {MemoryKind::weights, MemoryKind::gradients}),
                            "weights_and_gradients", Dimension::bytes);
    m.trainerStates = named(optimizer + weights, "trainer_states", Dimension::bytes,
                            "weights, gradients and optimizer states");
    m.trainerWork = named(out.update.memoryTotal - ofKinds(worst, {MemoryKind::optimizer, MemoryKind::weights,
                                                                   MemoryKind::gradients}),
                          "trainer_work", Dimension::bytes, "activations, logits, buffers and the rest");
    // Frozen weights are kept sharded over all training GPUs, in 16 bits.
    m.reference = roles.reference ? named(out.weightBytes / inputs.train[Input::gpus], "reference_weights",
                                          Dimension::bytes, "16 bits a parameter, over the training GPUs")
                                  : N(0);
    m.reserve = named(inputs.train[Input::capacity] * inputs.train[Input::memoryReserve], "reserve_bytes",
                      Dimension::bytes);
    const ServingPool& pool = roles.rollout.pools.front();
    const ServingContext<N> context(pool.plan, inputs.rollout, pool.networkBound);
    ServingMemoryT<N> engine;
    servingMemory(context, engine);
    m.engineWeights = engine.weights;
    m.engineWork = named(engine.activations + engine.workspace, "engine_work", Dimension::bytes);
    const N middle = named(inputs.rollout[Input::inputTokens] + inputs.rollout[Input::outputTokens] / 2,
                           "middle_context", Dimension::tokens);
    const N each = named(sequenceBytes(engine.sequence, middle), "kv_bytes_per_sequence", Dimension::bytes);
    const double peak = std::min(out.places, out.rollout.profile[0].batch);
    m.kvUsed = named(min(max(N(0), engine.kvCapacity),
                         each * leaf(like, peak, "peak_batch", Dimension::number, "of an engine") /
                             inputs.rollout[Input::attentionDataParallel]),
                     "kv_cache_in_use", Dimension::bytes, "at the start of the rollout");
    const N longest = inputs.rollout[Input::inputTokens] + own[Input::responseLimit];
    m.kvNeeded = named(min(m.kvUsed, sequenceBytes(engine.sequence, longest)), "kv_cache_needed",
                       Dimension::bytes, "one response of the longest kind");
    const N room = named(inputs.rollout[Input::capacity] - engine.reserve, "engine_share", Dimension::bytes,
                         "what the engine may take");
    m.engineFits = valueOf(engine.kvCapacity) >= valueOf(sequenceBytes(engine.sequence, longest));
    out.offload = N(0);
    out.offloaded = PhaseOffload::none;
    m.trainerLeft = N(0);
    m.engineLeft = N(0);
    const N& host = inputs.train[Input::hostBandwidth];
    if (colocated) {
        // The engine takes its share of the memory; the trainer must leave it.
        const N free = inputs.rollout[Input::capacity] - room;
        const N everything = m.trainerStates + m.reference + own[Input::rlResidue];
        const auto left = [&](PhaseOffload what) {
            return what == PhaseOffload::none        ? everything
                   : what == PhaseOffload::optimizer ? N(everything - optimizer)
                                                     : own[Input::rlResidue];
        };
        out.offloaded = roles.offload;
        if (roles.offload == PhaseOffload::automatic) {
            out.offloaded = PhaseOffload::all;
            for (const PhaseOffload what : {PhaseOffload::none, PhaseOffload::optimizer}) {
                if (valueOf(left(what)) <= valueOf(free)) {
                    out.offloaded = what;
                    break;
                }
            }
        }
        m.trainerLeft = named(left(out.offloaded), "trainer_left", Dimension::bytes,
                              "of the trainer, while the engine runs");
        m.engineLeft = own[Input::rlResidue];
        const N moved = named(max(N(0), everything - m.trainerLeft), "offloaded_bytes", Dimension::bytes,
                              "of one GPU, to the host and back");
        if (valueOf(moved) > 0 && valueOf(host) > 0) {
            out.offload = named(2 * moved / (host * own[Input::rlOffloadEfficiency]), "offload_time",
                                Dimension::seconds, "to the host and back");
        }
        m.engineFits = m.engineFits && valueOf(m.trainerLeft) <= valueOf(free);
    }
    m.engineTotal = named(m.engineWeights + m.engineWork + m.kvUsed + m.trainerLeft, "rollout_memory",
                          Dimension::bytes, "of one GPU, while it generates");
    m.engineNeeded =
        named(m.engineWeights + m.engineWork + m.kvNeeded + m.trainerLeft, "rollout_memory_needed",
              Dimension::bytes, "of one GPU; the cache takes the remaining free memory");
    m.trainTotal = named(m.trainerStates + m.trainerWork + m.reference + m.engineLeft, "training_memory",
                         Dimension::bytes, "of one GPU, while it trains");
    const N trainHeadroom = inputs.train[Input::capacity] - m.reserve - m.trainTotal;
    const N engineHeadroom =
        inputs.rollout[Input::capacity] - (colocated ? N(0) : engine.reserve) - m.engineNeeded;
    m.trainFits = valueOf(trainHeadroom) >= 0;
    m.headroom =
        named(min(trainHeadroom, engineHeadroom), "headroom_bytes", Dimension::bytes, "of the fuller phase");
    out.fits = m.trainFits && m.engineFits;
}

/// Puts the phases of a step together.
template <class N>
void compose(const Scenario& scenario, const RlInputsT<N>& inputs, RlTotalsT<N>& out) {
    using std::max;
    const RoleScenarios& roles = *scenario.roles;
    const InputsT<N>& own = inputs.own;
    const N scores = named(out.logProb + out.reference + out.values, "score_time", Dimension::seconds,
                           "log-probabilities and values");
    // A reward model runs on the training side; rules and sandboxes run alongside the engines.
    const N before = roles.rewardModel ? N(0) : out.reward;
    const N trainReward = roles.rewardModel ? out.reward : N(0);
    out.trainSide =
        named(scores + trainReward + out.updates, "training_side", Dimension::seconds, "scores and updates");
    N sides;
    if (roles.placement == RolePlacement::async) {
        // Streaming: the last update waits for the last responses. They are scored while others are
        // generated.
        out.rolloutSide =
            named(out.generation + out.trainSide / own[Input::updatesPerStep], "rollout_side",
                  Dimension::seconds, "generation, and the update that takes its last responses");
        sides = named(max(out.rolloutSide, out.trainSide), "longer_side", Dimension::seconds);
        out.rolloutSide = out.generation;
    } else {
        out.rolloutSide =
            named(out.generation + before, "rollout_side", Dimension::seconds, "generation and rewards");
        sides = rlStepTime(roles.placement, out.generation, before, out.trainSide, N(0));
    }
    out.stepTime =
        named(sides + out.sync + out.offload, "rl_step_time", Dimension::seconds,
              roles.placement == RolePlacement::colocated || roles.placement == RolePlacement::split
                  ? "phases after each other, and the weights"
                  : "longer side, and the weights");
    const N kept = own[Input::sequencesPerStep];
    out.tokensPerStep =
        named(kept * (inputs.rollout[Input::inputTokens] + inputs.rollout[Input::outputTokens]),
              "tokens_per_step", Dimension::tokens, "prompts and responses");
    out.tokensPerSecond =
        named(out.tokensPerStep / out.stepTime, "tokens_per_second", Dimension::tokensPerSecond);
    out.responseTokensPerSecond = named(kept * inputs.rollout[Input::outputTokens] / out.stepTime,
                                        "response_tokens_per_second", Dimension::tokensPerSecond);
    out.tokensPerSecondPerGpu = named(out.tokensPerSecond / own[Input::gpus], "tokens_per_second_per_gpu",
                                      Dimension::tokensPerSecond);
    const N one(1);
    const bool colocated = roles.placement == RolePlacement::colocated;
    const N waits = colocated ? before : N(0); // both sides wait for rules
    out.rolloutIdle = named(colocated ? N(waits / out.stepTime)
                                      : N(max(N(0), one - (out.rolloutSide + out.sync) / out.stepTime)),
                            "rollout_idle_share", Dimension::ratio, "of the step, waiting");
    out.trainIdle =
        named(colocated ? out.rolloutIdle : N(max(N(0), one - (out.trainSide + out.sync) / out.stepTime)),
              "training_idle_share", Dimension::ratio, "of the step, waiting");
    out.idle =
        named((out.rolloutIdle * inputs.rollout[Input::gpus] + out.trainIdle * inputs.train[Input::gpus]) /
                  (inputs.rollout[Input::gpus] + inputs.train[Input::gpus]),
              "idle_share", Dimension::ratio, "of all GPU time");
    out.staleness = roles.placement == RolePlacement::oneStepOff ? one
                    : roles.placement == RolePlacement::async    ? own[Input::stalenessSteps]
                                                                 : N(0);
    const double active = static_cast<double>(roles.activeParameters);
    const N flops = rlFlopsPerToken<N>(
        leaf(kept, active, "active_parameters", Dimension::number, "weights that a token is multiplied with"),
        roles.algorithm, own[Input::updateEpochs]);
    out.flopsPerSecondPerGpu = named(flops * out.tokensPerSecondPerGpu, "model_flops_per_second_per_gpu",
                                     Dimension::flopPerSecond, "all phases");
}

/// The rent of all steps, as it is billed.
template <class N>
void bill(const Scenario& scenario, const InputsT<N>& own, RlTotalsT<N>& out) {
    const N hours = out.runTime / secondsPerHour;
    if (scenario.hasBase() && isBillable(valueOf(hours))) {
        const RunRentT<N> rent = rentWithBase(scenario, own, hours, own[Input::stepsOfRun]);
        if (scenario.rental.paysBeyondUse() || scenario.baseRental.paysBeyondUse()) {
            out.idleHours =
                named(rent.idleHours, "idle_hours", Dimension::number, "hours that are paid - hours in use");
        }
        if (scenario.hasPrice)
            out.dollarsPerRun = named(rent.dollars, "dollars_per_run", Dimension::dollars, "base and rest");
        return;
    }
    const bool beyondUse = scenario.rental.paysBeyondUse();
    if (beyondUse) {
        const N paid = billedTime(own[Input::stepsOfRun], valueOf(hours), scenario.rental);
        out.idleHours = named(own[Input::paidItems] * paid - out.hours, "idle_hours", Dimension::number,
                              "hours that are paid - hours in use");
    }
    if (!scenario.hasPrice)
        return;
    const N rent = beyondUse ? (out.hours + out.idleHours) * own[Input::price] : hours * out.dollarsPerHour;
    if (!isBillable(valueOf(hours))) {
        out.dollarsPerRun = named(rent, "dollars_per_run", Dimension::dollars);
        return;
    }
    const Cents billed = rentOf(static_cast<int>(valueOf(own[Input::paidItems])), valueOf(hours),
                                nanoDollars(valueOf(own[Input::price])), scenario.rental);
    out.dollarsPerRun = named(asBilled(rent, billed), "dollars_per_run", Dimension::dollars,
                              "rent for the time of all steps");
}

template <class N>
void money(const Scenario& scenario, const RlInputsT<N>& inputs, RlTotalsT<N>& out) {
    const InputsT<N>& own = inputs.own;
    out.gpuHoursPer1000Steps =
        named(1000 * out.stepTime / secondsPerHour * own[Input::gpus], "gpu_hours_per_1000_steps",
              Dimension::number, "step time x GPUs in use");
    if (scenario.hasPrice) {
        out.dollarsPerHour = named(rentPerHour(own), "dollars_per_hour", Dimension::dollarsPerHour);
        out.dollarsPer1000Steps = named(1000 * out.stepTime / secondsPerHour * out.dollarsPerHour,
                                        "dollars_per_1000_steps", Dimension::dollars, "rent x step time");
    }
    if (scenario.hasTokens) {
        out.runTime = named(own[Input::stepsOfRun] * out.stepTime, "run_time", Dimension::seconds,
                            "steps x step time, nothing lost");
        out.hours =
            named(own[Input::paidItems] * out.runTime / secondsPerHour, "hours_in_use", Dimension::number);
        bill(scenario, own, out);
        const N gpu = named(inputs.train[Input::gpuPower] * own[Input::powerUtilization], "busy_power",
                            Dimension::watts, "computing");
        const N watts = named(own[Input::gpus] * facilityPower(own, gpu, "node_power"), "mean_watts",
                              Dimension::watts, "all GPUs busy");
        out.energyKwh = named(kilowattHours(watts, N(out.runTime / secondsPerHour)), "energy_kwh",
                              Dimension::number, "power, with host and PUE, x hours");
    }
}

} // namespace

bool canEvaluateReinforcement(const Scenario& scenario) {
    return scenario.modeled && scenario.roles && canEvaluate(scenario.roles->train) &&
           canEvaluateServing(scenario.roles->rollout);
}

template <class N>
void evaluateReinforcement(const Scenario& scenario, const RlInputsT<N>& inputs, RlTotalsT<N>& out) {
    generation(scenario, inputs, out);
    passes(scenario, inputs, out);
    weights(scenario, inputs, out);
    memory(scenario, inputs, out);
    compose(scenario, inputs, out);
    money(scenario, inputs, out);
}

template void evaluateReinforcement(const Scenario&, const RlInputsT<double>&, RlTotalsT<double>&);
template void evaluateReinforcement(const Scenario&, const RlInputsT<Traced>&, RlTotalsT<Traced>&);

} // namespace alidade
