// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/posttraining/rollout.h"
#include "model/scenario/role_scenarios.h"
#include "model/serving/serving_memory.h"
#include "model/serving/serving_step_cost.h"
#include "model/training/step_cost.h"

#include <array>

namespace alidade {

/// The inputs of the whole and of its two sides.
template <class N>
struct RlInputsT {
    const InputsT<N>& own;
    const InputsT<N>& train;
    const InputsT<N>& rollout;
};

/// Memory of one GPU while the engines run and while training runs, by owner.
template <class N>
struct RlMemoryTotals {
    N trainerStates{}; ///< weights, gradients and optimizer states of all trained models
    N trainerWork{};   ///< activations and the rest of training at its peak
    N reference{};     ///< frozen weights of the reference model
    N trainerLeft{};   ///< of the trainer, while the engines run on the same GPUs
    N engineWeights{}, engineWork{};
    N kvUsed{};       ///< at the peak of the rollout; the engine gives it what is free
    N kvNeeded{};     ///< for one response of the longest kind, at most what is used
    N engineLeft{};   ///< of the sleeping engine, while training runs on the same GPUs
    N engineTotal{};  ///< a GPU of the engines at its peak, all owners
    N engineNeeded{}; ///< the same with no more cache than is needed: what has to fit
    N trainTotal{};   ///< a GPU of training at its peak, all owners
    N reserve{};      ///< of training
    N headroom{};     ///< of the fuller one
    bool engineFits = false, trainFits = false;
};

/// Everything that an evaluation of a scenario of reinforcement learning finds. Large: keep it and evaluate
/// into it again.
template <class N>
struct RlTotalsT {
    TotalsT<N> update; ///< one update, from which the passes of training follow
    ServingStepCost<N> step;
    Rollout rollout; ///< plain numbers
    double places = 0;
    N generation{}, prefill{}, reward{}, logProb{}, reference{}, values{}, updates{}, sync{}, offload{};
    Bound generationBound = Bound::hbm;
    N rolloutSide{}, trainSide{}; ///< seconds of a step that each side works
    N stepTime{};
    N tokensPerStep{}, tokensPerSecond{}, responseTokensPerSecond{}, tokensPerSecondPerGpu{};
    N rolloutIdle{}, trainIdle{}, idle{};
    N weightBytes{};
    N flopsPerSecondPerGpu{};
    N staleness{};
    RlMemoryTotals<N> memory;
    PhaseOffload offloaded = PhaseOffload::none;
    bool fits = false;
    N dollarsPerHour{}, dollarsPer1000Steps{}, gpuHoursPer1000Steps{}, runTime{}, hours{}, dollarsPerRun{},
        energyKwh{};
    N idleHours{}; ///< paid in Capacity Blocks, not used
};
using RlTotals = RlTotalsT<double>;

/// The one cost path of reinforcement learning: generation by the serving model, log-probabilities and
/// updates by the training model, the weights by the volume that crosses the link. Pure.
/// \param out overwritten
/// \pre canEvaluateReinforcement(scenario)
template <class N>
void evaluateReinforcement(const Scenario& scenario, const RlInputsT<N>& inputs, RlTotalsT<N>& out);

extern template void evaluateReinforcement(const Scenario&, const RlInputsT<double>&, RlTotalsT<double>&);
extern template void evaluateReinforcement(const Scenario&, const RlInputsT<Traced>&, RlTotalsT<Traced>&);

/// Can this scenario be evaluated at all?
bool canEvaluateReinforcement(const Scenario& scenario);

/// The inputs that a scenario resolved to.
inline RlInputsT<double> rlInputs(const Scenario& scenario) {
    return {scenario.inputs, scenario.roles->train.inputs, scenario.roles->rollout.pools.front().inputs};
}

/// The constant that the band of the step time follows from.
inline Input rlTimeSpread(const Scenario& scenario) {
    return scenario.model.moe ? Input::rlTimeLogSdMoe : Input::rlTimeLogSd;
}

} // namespace alidade
