// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/fleet.h"
#include "model/serving/speculation.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/decode_step.h"
#include "tests/oracle/reference/queueing.h"
#include "tests/oracle/reference/serving.h"

namespace alidade::oracle {

using namespace reference;

namespace {

Json waiting(const Json& a) { return erlangC(whole(a, "c", 1), number(a, "rho_total")); }

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

Json decode(const Json& a) {
    return decodeStepTime(DecodeWork<double>{.batch = number(a, "batch"),
                                             .context = number(a, "ctx"),
                                             .weightBytes = number(a, "weight_bytes"),
                                             .kvBytesPerToken = number(a, "kv_token"),
                                             .flopsPerToken = number(a, "flop_token"),
                                             .peakFlops = number(a, "peak"),
                                             .hbmRate = number(a, "hbm"),
                                             .computeShare = number(a, "eta_c"),
                                             .hbmShare = number(a, "eta_m"),
                                             .overhead = number(a, "overhead"),
                                             .collectives = number(a, "comm", 0)});
}

Json tokens(const Json& a) { return speculativeTokens(number(a, "alpha"), number(a, "gamma")); }

Json speedup(const Json& a) {
    return speculativeSpeedup(number(a, "alpha"), number(a, "gamma"), number(a, "draft_cost"),
                              number(a, "verify_cost", 1));
}

Json pools(const Json& a) {
    const PoolSizes<double> p =
        poolSizes(number(a, "lam"), number(a, "prompt"), number(a, "output"), number(a, "prefill_tps"),
                  number(a, "decode_tps"), number(a, "util", 1));
    return {{"prefill", p.prefill}, {"decode", p.decode}, {"ratio", p.ratio}};
}

Json transfer(const Json& a) {
    return kvTransferTime(number(a, "tokens"), number(a, "kv_token"), number(a, "bandwidth"),
                          number(a, "alpha"), number(a, "blocks", 1));
}

Json pareto(const Json& a) {
    const ParetoPoint<double> p = paretoPoint(number(a, "batch"), number(a, "t_step"), number(a, "gpus"),
                                              number(a, "price_gpu_hour"), number(a, "tokens_per_step", 1));
    return {{"tps_user", p.tokensPerUser},
            {"tps_gpu", p.tokensPerGpu},
            {"usd_per_mtok", p.dollarsPerMillionTokens}};
}

Json engines(const Json& a) {
    return replicasFor(number(a, "lam_peak"), number(a, "lam_max"), number(a, "headroom"),
                       number(a, "spare", 0));
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
