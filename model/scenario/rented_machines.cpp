// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/rented_machines.h"

#include "model/hardware/purchase.h"

#include <algorithm>

namespace alidade {

std::int64_t machineCount(const ScenarioSpec& spec) {
    const ClusterSpec& c = spec.cluster;
    return (c.ultraserver ? c.ultraservers : c.instances).value_or(1);
}

bool isMachineCount(std::string_view path) {
    return path == "cluster.instances" || path == "cluster.ultraservers";
}

void setMachineCount(ScenarioSpec& spec, std::int64_t count) {
    ClusterSpec& c = spec.cluster;
    (c.ultraserver ? c.ultraservers : c.instances) = count;
    (c.ultraserver ? c.instances : c.ultraservers).reset();
}

Edit machineCountEdit(const ScenarioSpec& spec, std::int64_t count) {
    Edit out{{spec.cluster.ultraserver ? "cluster.ultraservers" : "cluster.instances", std::to_string(count)},
             {"cluster.gpus", ""},
             {"plan.data_parallel", ""}};
    const RolePlanSpec& roles = spec.roles.read();
    const auto& given = roles.rolloutGpus ? roles.rolloutGpus : roles.trainGpus;
    if (given) { // in two pools: in the same proportion, the other pool takes what is left
        const std::int64_t scaled = std::max<std::int64_t>(1, *given * count / machineCount(spec));
        out.emplace_back("plan.rollout.gpus", roles.rolloutGpus ? std::to_string(scaled) : "");
        out.emplace_back("plan.train.gpus", roles.rolloutGpus ? "" : std::to_string(scaled));
    }
    if (roles.train.dataParallel || roles.rollout.dataParallel) {
        out.emplace_back("plan.train.data_parallel", "");
        out.emplace_back("plan.rollout.data_parallel", "");
    }
    return out;
}

int gpusOfMachine(const Catalog& catalog, const std::string& id) {
    if (const UltraServer* ultra = catalog.ultraserver(id))
        return ultra->gpus;
    const Instance* instance = catalog.instance(id);
    return instance ? instance->gpus : 0;
}

std::int64_t rentedGpus(const ScenarioSpec& spec, const Catalog& catalog) {
    const ClusterSpec& c = spec.cluster;
    if (!c.ultraserver && !c.instance)
        return c.custom.gpusPerNode.value_or(0) * machineCount(spec);
    return gpusOfMachine(catalog, c.ultraserver ? *c.ultraserver : *c.instance) * machineCount(spec);
}

Edit machineEdit(const Catalog& catalog, const std::string& id, std::int64_t count) {
    const bool ultra = catalog.ultraserver(id) != nullptr;
    const std::string machines = std::to_string(count);
    return {{"cluster.instance", ultra ? "" : id},
            {"cluster.instances", ultra ? "" : machines},
            {"cluster.ultraserver", ultra ? id : ""},
            {"cluster.ultraservers", ultra ? machines : ""},
            {"cluster.gpus", ""},
            {"cluster.region", ""},
            {"plan.data_parallel", ""}};
}

Edit withoutStatedPrice(const ScenarioSpec& spec) {
    const ClusterSpec& cluster = spec.cluster;
    Edit out;
    if (cluster.dollarsPerInstanceHour && takesTypedRate(cluster.purchase.value_or("custom")))
        out = {{"cluster.purchase", ""}, {"cluster.dollars_per_instance_hour", ""}};
    if (spec.order.base.dollarsPerInstanceHour) {
        for (const char* path : {"order.base.instances", "order.base.purchase", "order.base.commitment",
                                 "order.base.dollars_per_instance_hour", "order.base.discount"}) {
            out.emplace_back(path, "");
        }
    }
    return out;
}

std::vector<std::string> trainingInstances(const Catalog& catalog) {
    std::vector<std::string> out;
    for (const Instance& instance : catalog.instances) {
        const Gpu* gpu = catalog.gpu(instance.gpu);
        if (gpu && gpu->bf16 && instance.gpus >= 8 && instance.nvlinkDomain >= 8 &&
            instance.efaPerDirection && !instance.ultraserverOnly) {
            out.push_back(instance.id);
        }
    }
    return out;
}

std::vector<std::string> servingInstances(const Catalog& catalog) {
    std::vector<std::string> out;
    for (const Instance& instance : catalog.instances) {
        const Gpu* gpu = catalog.gpu(instance.gpu);
        // Rates of collectives over PCIe are assumed: no machine is advised because of them.
        const bool measured = instance.gpus == 1 || instance.nvlinkDomain > 1;
        if (gpu && gpu->bf16 && instance.gpus >= 1 && measured && !instance.ultraserverOnly)
            out.push_back(instance.id);
    }
    return out;
}

} // namespace alidade
