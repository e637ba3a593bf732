// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fleet_page.h"
#include "app/cli/json_parts.h"
#include "model/units/constants.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json percentilesJson(const Percentiles& p) {
    return {{"p50", finite(p.p50)}, {"p90", finite(p.p90)}, {"p95", finite(p.p95)}, {"p99", finite(p.p99)}};
}

/// The most in each hour.
template <class Value>
Json hourly(const std::vector<Value>& steps, double step) {
    Json out = Json::array();
    const auto each = static_cast<std::size_t>(std::max(1.0, std::round(secondsPerHour / step)));
    for (std::size_t i = 0; i < steps.size(); i += each) {
        const auto first = steps.begin() + static_cast<std::ptrdiff_t>(i);
        const auto last = steps.begin() + static_cast<std::ptrdiff_t>(std::min(steps.size(), i + each));
        out.push_back(*std::max_element(first, last));
    }
    return out;
}

Json serviceJson(const data::FleetFile& file, const PlacedService& placed) {
    const ServiceOption& option = placed.option;
    const ReplicaPlan& plan = option.plan;
    const FleetService& service = file.fleet.services[placed.service];
    Json out{{"name", service.name},
             {"pool", file.fleet.pools[option.pool].name},
             {"layout", option.layout},
             {"gpus_per_replica", option.gpus},
             {"requests_per_s_per_replica", option.facts.rate},
             {"max_requests_per_s_per_replica", option.facts.stableRate},
             {"verified_by_simulation", option.verified && option.playable},
             {"lead_s", option.facts.lead},
             {"weight_load_s", option.loadSeconds},
             {"extra_replicas", option.extra},
             {"replicas", {{"min", plan.least()}, {"max", plan.most()}}},
             {"peak_requests_per_s", service.traffic.peak()},
             {"peak",
              {{"requests_per_s_per_replica", placed.peakRate},
               {"utilization", placed.utilization},
               {"ttft_s", finite(placed.ttft)},
               {"itl_s", finite(placed.itl)}}},
             {"slo_percentile", placed.percentile}};
    if (placed.ttftTarget)
        out["ttft_slo_s"] = *placed.ttftTarget;
    if (placed.itlTarget)
        out["itl_slo_s"] = *placed.itlTarget;
    out["on_time"] = {{"share", plan.onTime()},
                      {"target", service.onTime},
                      {"late_requests", plan.late},
                      {"late_s", plan.lateSeconds},
                      {"requests", plan.requests}};
    out["dollars_per_month"] = placed.dollars;
    out["dollars_per_million_tokens"] = placed.dollarsPerMillionTokens;
    out["replicas_per_hour"] = hourly(plan.serving, plan.step);
    return out;
}

Json poolJson(const data::FleetFile& file, const PlannedPool& pool) {
    const FleetPool& asked = file.fleet.pools[pool.pool];
    Json lines = Json::array();
    for (const OrderLine& line : pool.lines) {
        lines.push_back({{"name", line.text},
                         {"quantity", static_cast<double>(line.quantity) / 1000},
                         {"unit", line.unit},
                         {"dollars_per_unit", static_cast<double>(line.price) / 1e9},
                         {"dollars", dollarsOf(line.amount)}});
    }
    return {{"name", asked.name},
            {"instance", asked.machine},
            {"instances", {{"min", pool.least}, {"max", pool.most}, {"available", asked.maxInstances}}},
            {"spare_instances", asked.spares},
            {"base_instances", pool.split.base},
            {"capacity_block_instances", pool.split.blocks},
            {"burst_instances", pool.split.onDemand},
            {"instances_per_hour", hourly(pool.demand.counts, pool.demand.step)},
            {"lines", std::move(lines)},
            {"dollars_per_month", dollarsOf(pool.total)}};
}

Json planJson(const data::FleetFile& file, const FleetPlan& plan) {
    Json services = Json::array(), pools = Json::array();
    for (const PlacedService& each : plan.services)
        services.push_back(serviceJson(file, each));
    for (const PlannedPool& each : plan.pools)
        pools.push_back(poolJson(file, each));
    return {{"dollars_per_month", dollarsOf(plan.total)},
            {"services", std::move(services)},
            {"pools", std::move(pools)}};
}

Json replayJson(const data::FleetFile& file, const ServiceReplay& replay) {
    Json hours = Json::array();
    for (const ReplayHour& each : replay.hours) {
        hours.push_back({{"requests", each.requests},
                         {"ttft_s", finite(each.ttft)},
                         {"itl_s", finite(each.itl)},
                         {"ttft_on_time", each.onTime}});
    }
    return {{"service", file.fleet.services[replay.service].name},
            {"requests", replay.requests},
            {"seconds", replay.seconds},
            {"complete", replay.complete},
            {"meets_targets", replay.meetsTargets},
            {"ttft_percentiles_s", percentilesJson(replay.ttft)},
            {"itl_percentiles_s", percentilesJson(replay.itl)},
            {"ttft_s", finite(replay.ttftAtTarget)},
            {"itl_s", finite(replay.itlAtTarget)},
            {"ttft_on_time", replay.onTime},
            {"prefix_cache_hit", replay.prefixHit},
            {"replicas", {{"min", replay.leastReplicas}, {"max", replay.mostReplicas}}},
            {"hours", std::move(hours)}};
}

} // namespace

std::string fleetJson(const data::FleetFile& file, const FleetAnswer& answer,
                      const std::vector<ServiceReplay>& replays) {
    Json out{{"alidade", 1}, {"name", file.fleet.name}, {"feasible", answer.best.has_value()}};
    if (!answer.whyNot.empty())
        out["why_not"] = answer.whyNot;
    out["complete"] = answer.complete;
    out["counts"] = {{"assignments", answer.assignments}, {"priced", answer.tried}};
    out["best"] = answer.best ? planJson(file, *answer.best) : Json(nullptr);
    out["second"] = nullptr;
    if (answer.second) {
        out["second"] = planJson(file, *answer.second);
        out["second"]["more_dollars_per_month"] = dollarsOf(answer.second->total - answer.best->total);
    }
    Json prices = Json::array();
    for (std::size_t pool = 0; pool < answer.prices.size(); ++pool) {
        for (const PoolPrice& each : answer.prices[pool]) {
            prices.push_back({{"pool", file.fleet.pools[pool].name},
                              {"purchase", each.terms.purchase},
                              {"region", each.region},
                              {"dollars_per_instance_hour", static_cast<double>(each.price) / 1e9},
                              {"date", each.date},
                              {"source", each.source}});
        }
    }
    out["prices"] = std::move(prices);
    out["notes"] = answer.notes;
    Json rejected = Json::array();
    for (const RejectedOption& each : answer.rejected) {
        rejected.push_back({{"service", file.fleet.services[each.service].name},
                            {"pool", file.fleet.pools[each.pool].name},
                            {"layout", each.layout},
                            {"why", reasonText(each.reason)},
                            {"detail", each.detail}});
    }
    out["rejected"] = std::move(rejected);
    if (!replays.empty()) {
        Json played = Json::array();
        for (const ServiceReplay& each : replays)
            played.push_back(replayJson(file, each));
        out["replay"] = std::move(played);
    }
    return dumped(out);
}

} // namespace alidade::cli
