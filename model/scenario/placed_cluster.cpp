// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/placed_cluster.h"

namespace alidade {

FabricShape fabricShape(const Scenario& scenario) {
    const Inputs& in = scenario.inputs;
    return {.hosts = scenario.hosts,
            .gpusPerHost = scenario.gpusPerNode,
            .nvlinkDomain = scenario.nvlinkDomain,
            .layers = scenario.networkLayers,
            .speeds = {.nvlinkBandwidth = in[Input::nvlinkBandwidth],
                       .networkBandwidth = in[Input::networkBandwidth],
                       .networkLatency = in[Input::networkLatency],
                       .hopLatency = in[Input::networkHopLatency],
                       .networkCards = scenario.networkCards},
            .oversubscription = scenario.spec.cluster.oversubscription.value_or(1)};
}

std::optional<RankLayout> rankLayout(const Scenario& scenario) {
    const TrainingPlan& plan = scenario.plan;
    const std::int64_t dense = std::int64_t{plan.tensorParallel} * plan.contextParallel * plan.dataParallel;
    const std::int64_t experts =
        std::int64_t{plan.expertTensorParallel} * plan.expertParallel * plan.expertDataParallel;
    if (scenario.model.moe && dense != experts)
        return std::nullopt;
    return RankLayout({.tensor = plan.tensorParallel,
                       .context = plan.contextParallel,
                       .data = plan.dataParallel,
                       .pipeline = plan.pipelineParallel,
                       .expertTensor = plan.expertTensorParallel,
                       .expert = plan.expertParallel,
                       .expertData = plan.expertDataParallel,
                       .shard = static_cast<int>(scenario.inputs[Input::shardRanks]),
                       .expertShard = static_cast<int>(scenario.inputs[Input::expertShardRanks])},
                      scenario.spec.cluster.rankOrder.value_or(std::string(usualRankOrder)));
}

RankLayout rankLayout(const ServingPlan& plan) {
    return RankLayout::serving(plan.tensorParallel, plan.attentionDataParallel, plan.pipelineParallel,
                               plan.workers);
}

HostChoice hostsOf(const Scenario& scenario, const Topology* topology) {
    return chooseHosts(scenario.spec.cluster, topology,
                       {.type = scenario.hostType, .gpus = scenario.gpusPerNode, .hosts = scenario.hosts});
}

} // namespace alidade
