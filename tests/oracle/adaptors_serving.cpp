// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/evaluate_serving.h"
#include "model/fleet/autoscaling.h"
#include "model/serving/batch_distribution.h"
#include "model/serving/fleet.h"
#include "model/serving/speculation.h"
#include "model/serving/steady_state.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/queueing.h"
#include "tests/oracle/serving_setup.h"

#include <cmath>
#include <memory>
#include <span>

namespace alidade::oracle {

using namespace reference;

namespace {

/// An engine with a place for each server, whose sequences do not slow each other.
Json waiting(const Json& a) {
    const double offered = number(a, "rho_total"), servers = number(a, "c", 1);
    const auto gap = [](double) { return 1.0; };
    return BatchDistribution(offered, gap, servers, offered / servers, 1, 1).waiting();
}

Json wait(const Json& a) {
    return queueWait(whole(a, "c", 1), number(a, "lam"), number(a, "service"), number(a, "ca2", 1),
                     number(a, "cs2", 1));
}

Json waitPercentile(const Json& a) {
    return queueWaitPercentile(whole(a, "c", 1), number(a, "lam"), number(a, "service"), number(a, "q"),
                               number(a, "ca2", 1), number(a, "cs2", 1));
}

Json equilibrium(const Json& a) {
    const LinearEquilibrium<double> e =
        linearEquilibrium(number(a, "lam"), number(a, "prompt"), number(a, "output"), number(a, "t0"),
                          number(a, "cp"), number(a, "cd"));
    return {{"rho", e.load}, {"itl", e.step}, {"batch", e.batch}, {"chunk", e.chunk}};
}

/// An engine step of one layer. Attention has as much of the FLOP as of the bytes, so that the same roof
/// bounds it and the matrices: their sum is then the roofline of the whole step.
Json decode(const Json& a) {
    const double batch = number(a, "batch"), context = number(a, "ctx");
    const double weightBytes = number(a, "weight_bytes"),
                 cacheBytes = batch * context * number(a, "kv_token");
    const double flops = number(a, "flop_token"), ofAttention = cacheBytes / (cacheBytes + weightBytes);
    const double heads = flops * ofAttention / (4 * context), weights = flops * (1 - ofAttention) / 2;
    ServingSetup setup;
    setup.addLayers(1);
    setup.in[Input::attentionHeads] = heads; // of one element, like the hidden state
    setup.in[Input::ffnSize] = (weights - 2 * heads - 2) / 3;
    setup.in[Input::denseWeightBytes] = weightBytes / weights;
    setup.in[Input::kvElementBytes] = number(a, "kv_token") / 2;
    setup.in[Input::peak] = setup.in[Input::reportingPeak] = number(a, "peak");
    setup.in[Input::memoryBandwidth] = number(a, "hbm");
    setup.in[Input::servingGemmEfficiency] = setup.in[Input::servingAttentionEfficiency] = number(a, "eta_c");
    setup.in[Input::servingMemoryEfficiency] = setup.in[Input::servingAttentionMemoryEfficiency] =
        number(a, "eta_m");
    setup.in[Input::servingStepOverhead] = number(a, "overhead");
    setup.plan.tensorGroup = {.ranks = 2, .ranksPerNvlinkDomain = 2};
    setup.in[Input::nvlinkBandwidth] = setup.in[Input::servingAllReduceEfficiency] = 1;
    setup.in[Input::servingAllReduceLatency] = number(a, "comm", 0) / 2; // behind attention and MLP
    return setup.decodeSeconds(batch, context);
}

Json tokens(const Json& a) { return speculativeTokens(number(a, "alpha"), number(a, "gamma")); }

/// Steps that only read weights, so that verifying a guess costs nothing; the draft is one of their layers.
Json speedup(const Json& a) {
    if (number(a, "verify_cost", 1) != 1)
        throw Refused("verifying costs what the larger batch costs");
    ServingSetup setup;
    setup.addLayers(static_cast<int>(std::lround(1 / number(a, "draft_cost"))));
    setup.in[Input::ffnSize] = setup.in[Input::denseWeightBytes] = 1;
    setup.in[Input::peak] = setup.in[Input::reportingPeak] = 1e30;
    const double plain = setup.decodeSeconds(1, 0);
    setup.in[Input::draftTokens] = number(a, "gamma");
    setup.in[Input::acceptance] = number(a, "alpha");
    const double gained = engineLimits(setup.plan, setup.in, setup.memory()).tokensPerStep;
    return gained * plain / setup.decodeSeconds(1, 0);
}

/// Requests/s of a prefill or a decode worker whose steps do so many tokens/s.
double workerRate(const RequestLoad& load, bool prefills, double tokensPerSecond) {
    EngineLimits limits{.prefills = prefills, .decodes = !prefills};
    return maximumRequestRate(load, limits, [&](const StepWork& work) {
        return (prefills ? work.prefillTokens : work.decodeSequences) / tokensPerSecond;
    });
}

/// Workers by the rates of one. The prefill gives the first token, so that `output` tokens are decoded.
Json pools(const Json& a) {
    const RequestLoad load{.inputTokens = number(a, "prompt"), .outputTokens = number(a, "output") + 1};
    const double prefill = workerRate(load, true, number(a, "prefill_tps"));
    const double decoding = workerRate(load, false, number(a, "decode_tps"));
    const double rate = number(a, "lam") / number(a, "util", 1);
    return {{"prefill", rate / prefill}, {"decode", rate / decoding}, {"ratio", decoding / prefill}};
}

Json transfer(const Json& a) {
    return kvTransferTime(number(a, "tokens"), number(a, "kv_token"), number(a, "bandwidth"),
                          number(a, "alpha"), number(a, "blocks", 1));
}

/// A deployment whose engine is told to run in the state of the case.
Json pareto(const Json& a) {
    ServingSetup setup;
    setup.addLayers(1);
    setup.in[Input::capacity] = setup.in[Input::deviceMemory] = 1e12;
    setup.in[Input::memoryUtilization] = setup.in[Input::kvElementBytes] = 1;
    setup.in[Input::inputTokens] = setup.in[Input::outputTokens] = 100;
    setup.in[Input::gpus] = setup.in[Input::paidItems] = number(a, "gpus");
    setup.in[Input::price] = number(a, "price_gpu_hour");
    const double batch = number(a, "batch"), gap = number(a, "t_step") / number(a, "tokens_per_step", 1);
    setup.in[Input::requestRate] = batch / gap / setup.in[Input::outputTokens];
    Scenario scenario;
    scenario.pools.push_back(
        {.instance = {}, .plan = setup.plan, .inputs = setup.in, .origins = {}, .hasPrice = true});
    const ServingState state{.requestsPerSecond = setup.in[Input::requestRate],
                             .batch = batch,
                             .inFlight = batch,
                             .itl = gap,
                             .tpot = gap,
                             .e2e = gap * (setup.in[Input::outputTokens] - 1)};
    const auto totals = std::make_unique<ServingTotals>();
    evaluateServing<double>(scenario, std::span(&setup.in, 1), *totals, &state);
    return {{"tps_user", 1 / totals->itl},
            {"tps_gpu", totals->outputTokensPerSecondPerGpu},
            {"usd_per_mtok", totals->dollarsPerMillionOutputTokens}};
}

/// As many as the peak needs, always. Headroom of the cases is a share of the capacity, of the program of the
/// rate.
Json engines(const Json& a) {
    const ReplicaPlan plan = scaleReplicas(
        {.rates = {number(a, "lam_peak")}},
        {.rate = number(a, "lam_max"), .stableRate = number(a, "lam_max")},
        {.kind = ScalingKind::fixed, .headroom = 1 / (1 - number(a, "headroom")) - 1}, whole(a, "spare", 0));
    return plan.most();
}

} // namespace

void addServing(Adaptors& table) {
    table["erlang_c"] = waiting;
    table["queue_wait"] = wait;
    table["queue_wait_percentile"] = waitPercentile;
    table["serving_equilibrium"] = equilibrium;
    table["decode_step"] = decode;
    table["spec_tokens"] = tokens;
    table["spec_speedup"] = speedup;
    table["disagg_ratio"] = pools;
    table["kv_transfer_time"] = transfer;
    table["pareto_point"] = pareto;
    table["replicas"] = engines;
}

} // namespace alidade::oracle
