// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/serving_step.h"
#include "model/serving/serving_totals.h"

namespace alidade {

/// Seconds of an engine step as a function of its work: what the closed form and the simulation share.
class EngineStep {
public:
    EngineStep(const ServingPlan& plan, const Inputs& inputs, Bound networkKind,
               ServingStepCost<double>& scratch)
        : context_(plan, inputs, networkKind)
        , scratch_(&scratch) {}
    double operator()(const StepWork& work) const {
        scratch_->setListed(false);
        servingStep(context_,
                    {.prefillTokens = work.prefillTokens,
                     .prefillCached = work.prefillCached,
                     .prompts = work.prompts,
                     .decodeSequences = work.decodeSequences,
                     .decodeContext = work.decodeContext},
                    *scratch_);
        scratch_->setListed(true); // for who takes the same memory for a step that is shown
        return scratch_->seconds;
    }

private:
    ServingContext<double> context_;
    ServingStepCost<double>* scratch_;
};

/// Does a pool make tokens after the first one? Not a prefill side, nor where an answer is one token.
inline bool decodes(const ServingPlan& plan, const Inputs& in) {
    return plan.phase != ServingPhase::prefill && in[Input::outputTokens] > 1;
}

/// The KV cache of one sequence and the limits of one worker, as the equilibrium takes them.
EngineLimits engineLimits(const ServingPlan& plan, const Inputs& in, const ServingMemoryT<double>& memory);

/// What one worker of a pool is asked for. \param requestsPerSecond of the whole pool, open loop; 0: closed
RequestLoad workerLoad(const Inputs& in, double requestsPerSecond, double concurrency);

} // namespace alidade
