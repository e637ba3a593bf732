// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/evaluate_serving.h"
#include "tests/model/serving_rig.h"

#include <memory>

// What the tests of a whole service share: an engine whose steps take round numbers of seconds.
namespace alidade::test {

/// Two replicas of 2 GPUs, each with the model of serving_rig.h in 2 layers. Kernels take no time: a decode
/// step is 0.01 s, one with prompts 0.02 s more for each. Requests of 100 + 11 tokens; 6 per second.
///
/// Memory of a GPU, bytes: 200,000, of which 20,000 are left alone; 30,000 of weights (two bytes each, half
/// of 20,000 and 10,000 of 16 bits), 64 x 2 x (4 x 64 + 3 x 96 / 2) = 51,200 of activations, 1,000 of
/// workspace: 97,800 are left for caches of 2 x 128 a token.
struct ServiceRig {
    Scenario scenario;
    std::unique_ptr<ServingTotals> totals = std::make_unique<ServingTotals>();
    /// What an engine does, as if it had been played.
    std::vector<ServingState> states{given()};

    ServiceRig() {
        ServingRig small;
        ServingPool pool;
        pool.plan = small.plan;
        pool.plan.workers = 2;
        pool.plan.kinds = {small.layer};
        pool.plan.layersOfKind = {2};
        pool.plan.heaviest.split = 20'000;
        pool.plan.heaviest.sixteenBit = 5000;
        pool.plan.tensorGroup = {.ranks = 2, .ranksPerNvlinkDomain = 2, .ranksPerNode = 2};
        pool.plan.expertGroup = pool.plan.pipelineGroup = pool.plan.tensorGroup;
        pool.hasPrice = true;
        Inputs& in = pool.inputs;
        in = small.in;
        in[Input::memoryBandwidth] = in[Input::nvlinkBandwidth] = 1e30;
        in[Input::servingAllReduceEfficiency] = in[Input::allReduceEfficiency] = 1;
        in[Input::servingExchangeEfficiency] = in[Input::networkEfficiency] = in[Input::networkSpeedup] = 1;
        in[Input::servingStepOverhead] = 0.01;
        in[Input::servingPromptOverhead] = 0.02;
        in[Input::servingRequestOverhead] = 0.03;
        in[Input::servingWaitedSteps] = 1.5;
        in[Input::inputTokens] = 100;
        in[Input::outputTokens] = 11;
        in[Input::requestRate] = 6;
        in[Input::arrivalCv] = 1;
        in[Input::workers] = 2;
        in[Input::gpus] = 4;
        in[Input::layers] = 2;
        in[Input::price] = 8;
        in[Input::paidItems] = 3;
        in[Input::capacity] = in[Input::deviceMemory] = 200'000;
        in[Input::memoryUtilization] = 0.9;
        in[Input::servingWorkspace] = 1000;
        in[Input::servingMemorySpread] = 0.3;
        in[Input::kvBlock] = 1;
        scenario.pools = {pool};
        scenario.inputs = in;
        scenario.hasPrice = true;
        scenario.spec.workload.kind = WorkloadKind::serving;
        scenario.clusterName = "machines";
    }

    static ServingState given() {
        return {.requestsPerSecond = 3,
                .batch = 2,
                .inFlight = 2.5,
                .queued = 1.5,
                .utilization = 0.6,
                .prefillTime = 0.06,
                .queueWait = 0.5,
                .ttft = 0.6,
                .itl = 0.05,
                .e2e = 1.2,
                .prefillShare = 0.25,
                .preemptionsPerRequest = 0.125,
                .ttftPercentiles = {.p50 = 0.7, .p90 = 0.8, .p95 = 0.9, .p99 = 1},
                .itlPercentiles = {.p50 = 0.05, .p90 = 0.06, .p95 = 0.07, .p99 = 0.08}};
    }

    Inputs& in(std::size_t pool = 0) { return scenario.pools[pool].inputs; }
    ServingPlan& plan(std::size_t pool = 0) { return scenario.pools[pool].plan; }

    /// A prefill and a decode pool of these replicas.
    void splitPools() {
        scenario.pools.push_back(scenario.pools[0]);
        plan(0).phase = ServingPhase::prefill;
        plan(1).phase = ServingPhase::decode;
        states.push_back(given());
    }

    /// At the given states.
    const ServingTotals& evaluated() {
        evaluateServing<double>(scenario, poolInputs(scenario), *totals, states.data());
        return *totals;
    }
};

} // namespace alidade::test
