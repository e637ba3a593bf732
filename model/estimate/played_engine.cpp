// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/played_engine.h"

#include "model/serving/pool_model.h"
#include "model/serving/simulation.h"
#include "model/serving/validity.h"

#include <algorithm>
#include <memory>

namespace alidade {

namespace {

RequestLoad loadOfWorker(const ServingPool& pool, const PlayedLoad& load) {
    return workerLoad(pool.inputs, load.requestsPerSecond, load.concurrency);
}

} // namespace

PlayedLoad presentLoad(const Scenario& scenario) {
    const Inputs& in = scenario.pools.front().inputs;
    return {in[Input::requestRate], in[Input::concurrency]};
}

Played play(const Scenario& scenario, const ServingTotals& closed, const PlayedLoad& load) {
    constexpr double mostSamples = 4; // beyond, a run would take minutes
    const ServingPool& pool = scenario.pools.front();
    // Samples of a question come together, so that they tell less than as many requests.
    const double together = std::clamp(pool.inputs[Input::samplesPerPrompt], 1.0, mostSamples);
    const int requests = static_cast<int>(5000 * together);
    const PoolTotalsT<double>& form = closed.pools.front();
    const auto scratch = std::make_unique<ServingStepCost<double>>();
    const EngineStep step(pool.plan, pool.inputs, pool.networkBound, *scratch);
    Played out;
    out.result =
        simulate(loadOfWorker(pool, load), engineLimits(pool.plan, pool.inputs, form.memory), step,
                 SimulationOptions{.seed = playedSeed, .requests = requests, .warmUp = requests / 4});
    out.state = out.result.state;
    // What does not come out of playing is the closed form's.
    if (out.state.stable)
        out.state.prefillTime = form.state.prefillTime;
    out.state.utilization = form.state.utilization;
    if (load.requestsPerSecond > 0) // a finite sample comes at nearly that rate
        out.state.requestsPerSecond = form.state.requestsPerSecond;
    return out;
}

bool canPlay(const Scenario& scenario, const ServingTotals& closed) {
    return closed.fits && closed.stable && scenario.runs() && scenario.pools.size() == 1;
}

bool wantsPlaying(const Scenario& scenario, const ServingTotals& closed, const PlayedLoad& load) {
    return canPlay(scenario, closed) && closedFormLimit(loadOfWorker(scenario.pools.front(), load),
                                                        closed.pools.front().state) != ClosedFormLimit::none;
}

} // namespace alidade
