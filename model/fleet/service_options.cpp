// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/service_options.h"

#include "model/estimate/evaluate_serving.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/serving_estimate.h"
#include "model/scenario/edit.h"
#include "model/scenario/rented_machines.h"
#include "model/scenario/scenario.h"
#include "model/serving/validity.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alidade {

namespace {

constexpr double hardlyAny = 1e-3; // requests/s: the latencies of an empty engine

std::int64_t replicaGpus(const PlanSpec& plan) {
    return plan.tensorParallel.value_or(1) * plan.pipelineParallel.value_or(1) *
           plan.attentionDataParallel.value_or(1);
}

/// Prefill and decode in separate pools: the deployment of the scenario is the replica.
bool isDisaggregated(const PlanSpec& plan) {
    const PoolSpec& p = plan.disaggregated.prefill;
    return p.workers || p.tensorParallel || p.attentionDataParallel || p.expertParallel || p.instance;
}

std::string layoutOf(const ScenarioSpec& spec) {
    if (isDisaggregated(spec.plan))
        return "disaggregated";
    const PlanSpec& plan = spec.plan;
    std::string out = "tensor " + std::to_string(plan.tensorParallel.value_or(1));
    if (plan.pipelineParallel.value_or(1) > 1)
        out += " x pipeline " + std::to_string(*plan.pipelineParallel);
    if (plan.attentionDataParallel.value_or(1) > 1)
        out += " x attention data " + std::to_string(*plan.attentionDataParallel);
    return out;
}

std::string firstError(const Scenario& scenario) {
    for (const Problem& problem : scenario.problems)
        if (problem.severity == Severity::error)
            return problem.message;
    return {};
}

/// What the targets say of an engine that is nearly empty.
std::optional<RejectionReason> missedWhenEmpty(const ServingTargets& targets, const ServingTotals& totals) {
    if (targets.ttft && !(quantileOf(totals.ttftPercentiles, targets.percentile) <= *targets.ttft))
        return RejectionReason::missesTtft;
    if (targets.itl && !(quantileOf(totals.itlPercentiles, targets.percentile) <= *targets.itl))
        return RejectionReason::missesItl;
    return std::nullopt;
}

std::string missedText(RejectionReason reason, const ServingTargets& targets, const ServingTotals& totals) {
    const bool first = reason == RejectionReason::missesTtft;
    const Percentiles& found = first ? totals.ttftPercentiles : totals.itlPercentiles;
    return formatQuantity(quantileOf(found, targets.percentile), Dimension::seconds) + " at p" +
           formatQuantity(targets.percentile, Dimension::number) + " without load; the target is " +
           formatQuantity(first ? *targets.ttft : *targets.itl, Dimension::seconds);
}

double heaviestWeights(const Scenario& scenario, const ServingTotals& totals) {
    double out = 0;
    for (std::size_t i = 0; i < scenario.pools.size(); ++i)
        out = std::max(out, totals.pools[i].memory.weights);
    return out;
}

} // namespace

std::string_view reasonText(RejectionReason reason) {
    switch (reason) {
    case RejectionReason::notLegal:
        return "cannot run";
    case RejectionReason::doesNotFit:
        return "does not fit";
    case RejectionReason::missesTtft:
        return "misses TTFT at any load";
    case RejectionReason::missesItl:
        return "misses ITL at any load";
    case RejectionReason::late:
        return "too many requests while replicas start";
    case RejectionReason::tooFewInstances:
        return "not enough instances";
    case RejectionReason::noPrice:
        return "no price";
    case RejectionReason::dominated:
        return "another layout carries as much";
    }
    return {};
}

std::int64_t slotOf(std::int64_t replicaGpus, std::int64_t machineGpus) {
    if (replicaGpus >= machineGpus)
        return machinesFor(replicaGpus, machineGpus) * machineGpus;
    std::int64_t slot = 1;
    for (std::int64_t factor = 2; slot < replicaGpus;)
        if (machineGpus % (slot * factor) == 0)
            slot *= factor;
        else
            ++factor;
    return slot;
}

ScenarioSpec replicaOn(const FleetService& service, const FleetPool& pool, const Catalog& catalog,
                       int tensorParallel) {
    ScenarioSpec out = service.spec;
    if (tensorParallel > 0)
        out.plan.tensorParallel = tensorParallel;
    const std::int64_t machineGpus = std::max(1, gpusOfMachine(catalog, pool.machine));
    const bool apart = isDisaggregated(out.plan);
    const std::int64_t gpus = apart ? std::max<std::int64_t>(machineGpus, rentedGpus(service.spec, catalog))
                                    : replicaGpus(out.plan);
    const std::int64_t machines = machinesFor(gpus, machineGpus);
    out = applyEdit(out, machineEdit(catalog, pool.machine, machines)).value_or(out);
    out.cluster.custom = {};
    out.cluster.topology.reset();
    out.cluster.placement.reset();
    out.cluster.excludedHosts.reset();
    out.cluster.oversubscription.reset();
    if (!apart) {
        out.plan.dataParallel = 1;
        out.cluster.gpus = gpus;
    }
    out.cluster.region.reset();
    out.cluster.purchase.reset();
    out.cluster.dollarsPerInstanceHour.reset();
    out.cluster.commitment.reset();
    out.cluster.discount.reset();
    out.order.base = {};
    out.workload.concurrency.reset();
    out.workload.requestRatePerS = hardlyAny;
    return out;
}

double weightLoadSeconds(double bytesPerGpu, std::int64_t gpus, const std::string& storage,
                         const Catalog& catalog) {
    constexpr double usualClient = 12.5e9; // bytes/s: 100 Gbit/s of a node, as for checkpoints
    const auto tier = std::ranges::find(catalog.storage, storage, &StorageTier::id);
    const double client =
        tier != catalog.storage.end() && tier->clientMax ? tier->clientMax->si() : usualClient;
    return bytesPerGpu * static_cast<double>(gpus) / client;
}

std::pair<std::optional<ServiceOption>, RejectedOption>
serviceCapacity(const FleetService& service, const FleetPool& pool, const Catalog& catalog,
                const Profile& profile, int tensorParallel, bool simulate) {
    ServiceOption option;
    option.spec = replicaOn(service, pool, catalog, tensorParallel);
    option.layout = layoutOf(option.spec);
    RejectedOption rejected{.layout = option.layout, .detail = {}};
    const auto reject = [&](RejectionReason reason, std::string detail) {
        rejected.reason = reason;
        rejected.detail = std::move(detail);
        return std::pair(std::optional<ServiceOption>{}, rejected);
    };
    const Result<Scenario> scenario = resolve(option.spec, catalog, profile);
    if (!scenario || !scenario->runs() || !canEvaluateServing(*scenario))
        return reject(RejectionReason::notLegal, scenario ? firstError(*scenario) : scenario.error());
    const auto totals = std::make_unique<ServingTotals>();
    evaluateServingAt(*scenario, scenario->pools.front().inputs[Input::requestRate], 0, *totals);
    if (!totals->fits)
        return reject(RejectionReason::doesNotFit, {});
    const ServingTargets targets = servingTargets(*scenario);
    if (const auto missed = missedWhenEmpty(targets, *totals))
        return reject(*missed, missedText(*missed, targets, *totals));
    const double samples = samplesOf(option.spec.workload); // sequences of a request
    option.facts.stableRate = totals->maxRequestRate / samples;
    option.facts.rate = targets.any() ? requestRateWithin(*scenario, targets, *totals, simulate) / samples
                                      : closedFormUtilization * option.facts.stableRate;
    if (!(option.facts.rate > 2 * hardlyAny))
        return reject(targets.ttft ? RejectionReason::missesTtft : RejectionReason::missesItl, {});
    const std::int64_t machineGpus = gpusOfMachine(catalog, pool.machine);
    option.gpus = isDisaggregated(option.spec.plan) ? machineCount(option.spec) * machineGpus
                                                    : replicaGpus(option.spec.plan);
    option.slot = slotOf(option.gpus, machineGpus);
    option.loadSeconds =
        weightLoadSeconds(heaviestWeights(*scenario, *totals),
                          std::min<std::int64_t>(option.gpus, scenario->gpusPerNode), pool.storage, catalog);
    option.facts.lead = service.scaling.instanceStart + option.loadSeconds + service.scaling.engineStart;
    option.verified = simulate;
    option.playable = scenario->pools.size() == 1;
    return {std::move(option), rejected};
}

bool planReplicas(const FleetService& service, ServiceOption& option) {
    constexpr int mostExtra = 64;
    const auto onTime = [&] { return option.plan.onTime() >= service.onTime; };
    for (option.extra = 0; option.extra <= mostExtra; option.extra += 1 + option.extra / 4) {
        option.plan = scaleReplicas(service.traffic, option.facts, service.scaling, option.extra);
        if (onTime())
            return true;
    }
    option.extra = 0;
    ScalingPolicy always = service.scaling;
    always.kind = ScalingKind::fixed;
    option.plan = scaleReplicas(service.traffic, option.facts, always);
    return onTime();
}

std::vector<int> degreesToTry(const FleetService& service, std::int64_t machineGpus) {
    std::vector<int> out{0};
    const PlanSpec& plan = service.spec.plan;
    if (!service.searchLayouts || isDisaggregated(plan) || plan.attentionDataParallel.value_or(1) > 1 ||
        plan.pipelineParallel.value_or(1) > 1) {
        return out;
    }
    for (int degree = 1; degree <= std::min<std::int64_t>(machineGpus, 16); degree *= 2)
        if (degree != plan.tensorParallel.value_or(1))
            out.push_back(degree);
    return out;
}

bool dominates(const ServiceOption& better, const ServiceOption& other) {
    const auto times = static_cast<double>(other.slot / better.slot);
    return times >= 1 && times * better.facts.rate >= other.facts.rate &&
           better.facts.lead <= other.facts.lead;
}

} // namespace alidade
