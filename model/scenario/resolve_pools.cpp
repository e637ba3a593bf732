// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/scenario/resolve_parts.h"

#include <algorithm>

namespace alidade::resolving {

namespace {

bool written(const PoolSpec& pool) {
    return pool.instance || pool.workers || pool.tensorParallel || pool.pipelineParallel ||
           pool.expertParallel || pool.attentionDataParallel || pool.maxBatch;
}

/// Returns the scenario of one pool alone: its machine and degrees, everything else unchanged.
ScenarioSpec poolSpec(const ScenarioSpec& spec, const PoolSpec& pool, const char* phase,
                      const Catalog& catalog) {
    ScenarioSpec out = spec;
    out.plan.disaggregated = {};
    out.order.base = {}; // of all pools together
    out.workload.phase = phase;
    const auto take = [](auto& to, const auto& from) {
        if (from)
            to = from;
    };
    take(out.plan.tensorParallel, pool.tensorParallel);
    take(out.plan.pipelineParallel, pool.pipelineParallel);
    take(out.plan.expertParallel, pool.expertParallel);
    take(out.plan.attentionDataParallel, pool.attentionDataParallel);
    take(out.plan.maxBatch, pool.maxBatch);
    out.plan.dataParallel = pool.workers.value_or(1);
    const std::int64_t gpus = *out.plan.dataParallel * out.plan.tensorParallel.value_or(1) *
                              out.plan.pipelineParallel.value_or(1) *
                              out.plan.attentionDataParallel.value_or(1);
    if (pool.instance) {
        out.cluster.instance = pool.instance;
        out.cluster.ultraserver.reset();
        out.cluster.ultraservers.reset();
        out.cluster.custom = {};
        out.cluster.topology.reset(); // belongs to the other machine
        out.cluster.placement.reset();
        out.cluster.excludedHosts.reset();
        const Instance* instance = catalog.instance(*pool.instance);
        const std::int64_t perItem = instance ? std::max(1, instance->gpus) : 1;
        out.cluster.instances = (gpus + perItem - 1) / perItem;
    }
    out.cluster.gpus = gpus;
    return out;
}

/// Maps a problem of a pool's own scenario to its place in the whole one.
Problem placed(Problem problem, const std::string& pool) {
    for (const char* field : {"tensor_parallel", "pipeline_parallel", "expert_parallel",
                              "attention_data_parallel", "max_batch"}) {
        if (problem.place == std::string("/plan/") + field)
            problem.place = "/plan/disaggregated/" + pool + "/" + field;
    }
    if (problem.place == "/plan/data_parallel")
        problem.place = "/plan/disaggregated/" + pool + "/workers";
    problem.message = (pool == "prefill" ? "Prefill: " : "Decode: ") + problem.message;
    return problem;
}

/// Gives a pool its share of the base. \pre `out` has the whole of it
void shareBase(const Scenario& out, ServingPool& pool, double share) {
    constexpr auto items = static_cast<std::size_t>(Input::baseItems),
                   price = static_cast<std::size_t>(Input::basePrice);
    pool.hasPrice = out.hasPrice;
    pool.inputs[Input::price] = out.inputs[Input::price];
    pool.inputs[Input::baseItems] = out.inputs[Input::baseItems] * share;
    pool.inputs[Input::basePrice] = out.inputs[Input::basePrice];
    pool.origins[items] = {"share of the GPUs in use", SourceKind::derived, true};
    pool.origins[price] = out.origins[price];
}

} // namespace

bool hasPools(const ScenarioSpec& spec) {
    return written(spec.plan.disaggregated.prefill) || written(spec.plan.disaggregated.decode);
}

std::string resolvePools(Context& context) {
    Scenario& out = context.out;
    const DisaggregatedSpec& apart = context.spec.plan.disaggregated;
    out.pools.clear();
    double gpus = 0, shared = 0;
    for (const bool prefill : {true, false}) {
        const std::string name = prefill ? "prefill" : "decode";
        const PoolSpec& pool = prefill ? apart.prefill : apart.decode;
        const auto alone =
            resolveFrom(poolSpec(context.spec, pool, name.c_str(), context.catalog), context.catalog,
                        context.profile, pool.instance ? 0 : static_cast<int>(shared));
        if (!alone)
            return alone.error();
        out.legal = out.legal && alone->legal;
        out.modeled = out.modeled && alone->modeled;
        for (const Problem& problem : alone->problems) {
            const bool shares = problem.severity != Severity::error &&
                                (problem.place == "/plan/data_parallel" ||
                                 (!pool.instance && problem.place.starts_with("/cluster/")));
            if (!shares) // the other pool uses what one leaves; machine problems are reported once
                out.problems.push_back(placed(problem, name));
        }
        out.pools.push_back(alone->pools.front());
        if (!pool.instance && alone->placement) // the later pool's ranks follow the others'
            out.placement = alone->placement;
        const bool pricedTogether = out.hasBase() && !pool.instance;
        out.hasPrice = out.hasPrice && (alone->hasPrice || pricedTogether);
        gpus += alone->inputs[Input::gpus];
        shared += pool.instance ? 0 : alone->inputs[Input::gpus];
        PoolSpec& filled = prefill ? out.spec.plan.disaggregated.prefill : out.spec.plan.disaggregated.decode;
        filled.workers = alone->spec.plan.dataParallel;
        filled.tensorParallel = alone->spec.plan.tensorParallel;
        filled.pipelineParallel = alone->spec.plan.pipelineParallel;
        filled.expertParallel = alone->spec.plan.expertParallel;
        filled.attentionDataParallel = alone->spec.plan.attentionDataParallel;
        // Both pools use the engine's formats and limits.
        const PlanSpec kept = out.spec.plan;
        out.spec.plan = alone->spec.plan;
        out.spec.plan.disaggregated = kept.disaggregated;
        out.spec.plan.tensorParallel = context.spec.plan.tensorParallel;
        out.spec.plan.pipelineParallel = context.spec.plan.pipelineParallel;
        out.spec.plan.expertParallel = context.spec.plan.expertParallel;
        out.spec.plan.attentionDataParallel = context.spec.plan.attentionDataParallel;
        out.spec.plan.dataParallel = context.spec.plan.dataParallel;
        out.spec.plan.maxBatch = context.spec.plan.maxBatch;
    }
    if (shared > context.gpusAvailable) {
        illegal(context, "plan.disaggregated.decode.workers",
                "The pools need " + formatCount(static_cast<std::int64_t>(shared)) +
                    " GPUs; the cluster has " + formatCount(context.gpusAvailable));
    } else if (shared > 0 && shared < context.gpusAvailable) {
        warn(context, "plan.disaggregated.decode.workers",
             formatCount(context.gpusAvailable - static_cast<std::int64_t>(shared)) +
                 " GPUs are idle but billed");
    }
    // The cost of machines that both pools share is split by GPUs in use.
    const double paid = out.inputs[Input::paidItems];
    for (const bool prefill : {true, false}) {
        ServingPool& pool = out.pools[prefill ? 0 : 1];
        if (!(prefill ? apart.prefill : apart.decode).instance && shared > 0) {
            pool.inputs[Input::paidItems] = paid * pool.inputs[Input::gpus] / shared;
            pool.origins[static_cast<std::size_t>(Input::paidItems)] = {"share of the GPUs in use",
                                                                        SourceKind::derived, true};
            if (out.hasBase())
                shareBase(out, pool, pool.inputs[Input::gpus] / shared);
        }
    }
    out.spec.workload.phase = "both";
    DisaggregatedSpec& filled = out.spec.plan.disaggregated;
    const ServingPool &first = out.pools[0], &second = out.pools[1];
    const bool oneDomain = first.instance == second.instance && gpus <= out.nvlinkDomain;
    filled.transfer = apart.transfer.value_or(oneDomain ? "nvlink" : "efa");
    filled.overlap = apart.overlap.value_or(true);
    out.transfersOverNvlink = *filled.transfer == "nvlink";
    out.transferOverlaps = *filled.overlap;
    if (out.transfersOverNvlink && !oneDomain) {
        illegal(context, "plan.disaggregated.transfer",
                "The pools do not share an NVLink domain; set the transfer to efa");
    }
    if (!out.transfersOverNvlink &&
        (first.inputs[Input::networkBandwidth] <= 0 || second.inputs[Input::networkBandwidth] <= 0)) {
        illegal(context, "plan.disaggregated.transfer",
                "The catalog has no network between the pools; place both in one NVLink domain");
    }
    out.spec.cluster.gpus = static_cast<std::int64_t>(gpus);
    const double base = out.inputs[Input::baseItems];
    out.inputs = second.inputs;
    out.origins = second.origins;
    set(context, Input::paidItems, paid, "scenario", SourceKind::user);
    if (base > 0)
        set(context, Input::baseItems, base, "scenario", SourceKind::user);
    return {};
}

} // namespace alidade::resolving
