// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/scenario/resolve_parts.h"

#include <algorithm>

namespace alidade::resolving {

namespace {

/// What the plan needs of the machine, whatever it was named as.
struct Machine {
    std::string id, countNoun;
    const Gpu* gpu = nullptr;
    int gpusPerNode = 1, nvlinkDomain = 1;
    std::int64_t paidItems = 1;                        ///< instances or UltraServers
    std::int64_t gpus = 0;                             ///< of all of them
    std::optional<double> networkPerGpu, nvlinkPerGpu; ///< bytes/s per direction
    double memoryPerGpu = 0;
    std::string network;
    std::string memorySource, networkSource, nvlinkSource;
    SourceKind kind = SourceKind::catalog;
};

template <class Entry>
std::string unknown(std::string_view pointer, std::string_view what, const std::string& id,
                    const std::vector<Entry>& entries) {
    std::vector<std::string> ids;
    for (const Entry& entry : entries) {
        ids.push_back(entry.id);
    }
    const std::string near = nearestName(id, ids);
    return std::string(pointer) + ": there is no " + std::string(what) + " '" + id + "' in the catalog" +
           (near.empty() ? "" : "; the nearest is '" + near + "'");
}

std::string fromInstance(Context& context, const Instance& instance, Machine& machine) {
    machine.gpu = context.catalog.gpu(instance.gpu);
    if (!machine.gpu) {
        return unknown("/cluster/instance", "GPU", instance.gpu, context.catalog.gpus);
    }
    machine.gpusPerNode = instance.gpus;
    machine.nvlinkDomain = instance.nvlinkDomain;
    if (instance.efaPerDirection && instance.efaGeneration) {
        machine.networkPerGpu = instance.efaPerDirection->si() / instance.gpus;
        machine.network = "efa" + std::to_string(*instance.efaGeneration);
        machine.networkSource =
            instance.id + ", EFA / GPUs: " + citation(instance.provenance, "efa_bandwidth_gb_per_s_total");
    }
    if (machine.gpu->nvlinkPerDirection) {
        machine.nvlinkPerGpu = machine.gpu->nvlinkPerDirection->si();
        machine.nvlinkSource = machine.gpu->id + ": " +
                               citation(machine.gpu->provenance, "nvlink_bandwidth_gb_per_s_per_direction");
    }
    machine.memoryPerGpu =
        instance.gpuMemory ? instance.gpuMemory->si() / instance.gpus : machine.gpu->memory.si();
    machine.memorySource = instance.id + ", accelerator memory / accelerators: " +
                           citation(instance.provenance, "accelerator_memory_gb_total");
    return {};
}

std::string fromUltraServer(Context& context, const std::string& id, Machine& machine) {
    const UltraServer* ultra = context.catalog.ultraserver(id);
    if (!ultra) {
        return unknown("/cluster/ultraserver", "UltraServer", id, context.catalog.ultraservers);
    }
    const Instance* instance = context.catalog.instance(ultra->instance);
    if (!instance) {
        return unknown("/cluster/ultraserver", "instance", ultra->instance, context.catalog.instances);
    }
    if (std::string wrong = fromInstance(context, *instance, machine); !wrong.empty()) {
        return wrong;
    }
    machine.id = ultra->id;
    machine.nvlinkDomain = ultra->nvlinkDomain;
    machine.paidItems = context.spec.cluster.ultraservers.value_or(1);
    machine.gpus = machine.paidItems * ultra->gpus;
    context.out.spec.cluster.ultraservers = machine.paidItems;
    return {};
}

std::string fromCustom(Context& context, Machine& machine) {
    const CustomClusterSpec& custom = context.spec.cluster.custom;
    machine.gpu = context.catalog.gpu(*custom.gpu);
    if (!machine.gpu) {
        return unknown("/cluster/custom/gpu", "GPU", *custom.gpu, context.catalog.gpus);
    }
    machine.id = "custom " + machine.gpu->name;
    machine.kind = SourceKind::user;
    machine.gpusPerNode = static_cast<int>(custom.gpusPerNode.value_or(8));
    machine.nvlinkDomain = static_cast<int>(custom.nvlinkDomain.value_or(machine.gpusPerNode));
    machine.paidItems = context.spec.cluster.instances.value_or(1);
    machine.gpus = machine.paidItems * machine.gpusPerNode;
    machine.network = custom.network.value_or("infiniband");
    machine.networkPerGpu = custom.networkBytesPerSPerGpuPerDirection;
    machine.networkSource = "scenario";
    if (custom.nvlinkBytesPerSPerGpuPerDirection) {
        machine.nvlinkPerGpu = custom.nvlinkBytesPerSPerGpuPerDirection;
        machine.nvlinkSource = "scenario";
    } else if (machine.gpu->nvlinkPerDirection) {
        machine.nvlinkPerGpu = machine.gpu->nvlinkPerDirection->si();
        machine.nvlinkSource = machine.gpu->id + ": " +
                               citation(machine.gpu->provenance, "nvlink_bandwidth_gb_per_s_per_direction");
    }
    machine.memoryPerGpu = custom.memoryBytesPerGpu.value_or(machine.gpu->memory.si());
    machine.memorySource =
        custom.memoryBytesPerGpu ? "scenario" : citation(machine.gpu->provenance, "hbm_capacity_gb");
    context.out.spec.cluster.instances = machine.paidItems;
    context.out.spec.cluster.custom.gpusPerNode = machine.gpusPerNode;
    context.out.spec.cluster.custom.nvlinkDomain = machine.nvlinkDomain;
    context.out.spec.cluster.custom.network = machine.network;
    return {};
}

std::string findMachine(Context& context, Machine& machine) {
    const ClusterSpec& cluster = context.spec.cluster;
    const int named =
        (cluster.instance ? 1 : 0) + (cluster.ultraserver ? 1 : 0) + (cluster.custom.gpu ? 1 : 0);
    if (named != 1) {
        return named == 0
                   ? "/cluster: a machine is missing; name an instance, an ultraserver or a custom one"
                   : "/cluster: more than one machine is named; keep one of instance, ultraserver and custom";
    }
    if (cluster.ultraserver) {
        return fromUltraServer(context, *cluster.ultraserver, machine);
    }
    if (cluster.custom.gpu) {
        return fromCustom(context, machine);
    }
    const Instance* instance = context.catalog.instance(*cluster.instance);
    if (!instance) {
        return unknown("/cluster/instance", "instance", *cluster.instance, context.catalog.instances);
    }
    machine.id = instance->id;
    machine.paidItems = cluster.instances.value_or(1);
    machine.gpus = machine.paidItems * instance->gpus;
    context.out.spec.cluster.instances = machine.paidItems;
    if (std::string wrong = fromInstance(context, *instance, machine); !wrong.empty()) {
        return wrong;
    }
    if (instance->ultraserverOnly) {
        // Without the UltraServer around it, only the GPUs of one instance share NVLink.
        machine.nvlinkDomain = std::min(machine.nvlinkDomain, instance->gpus);
        warn(context, "cluster.instance",
             instance->id +
                 " is rented only inside an UltraServer; name the ultraserver to get its NVLink domain");
    }
    return {};
}

void setGpu(Context& context, const Machine& machine) {
    const Gpu& gpu = *machine.gpu;
    const auto put = [&](Input input, double value, std::string_view key) {
        set(context, input, value, gpu.id + ": " + citation(gpu.provenance, key), SourceKind::catalog);
    };
    const auto reporting = gpu.bf16 ? gpu.bf16 : gpu.fp16;
    if (reporting) {
        put(Input::reportingPeak, reporting->si(), gpu.bf16 ? "dense_bf16_tflops" : "dense_fp16_tflops");
    }
    put(Input::memoryBandwidth, gpu.memoryBandwidth.si(), "hbm_bandwidth_gb_per_s");
    put(Input::nominalMemory, gpu.memory.si(), "hbm_capacity_gb");
    if (gpu.c2cPerDirection || gpu.pciePerDirection) {
        put(Input::hostBandwidth, (gpu.c2cPerDirection ? gpu.c2cPerDirection : gpu.pciePerDirection)->si(),
            gpu.c2cPerDirection ? "nvlink_c2c_gb_per_s_per_direction" : "pcie_x16_gb_per_s_per_direction");
    }
    if (gpu.power) {
        put(Input::gpuPower, gpu.power->si(), "tdp_w");
    }
}

} // namespace

std::string resolveCluster(Context& context) {
    Machine machine;
    if (std::string wrong = findMachine(context, machine); !wrong.empty()) {
        return wrong;
    }
    context.gpu = machine.gpu;
    context.network = machine.network;
    context.gpusPerNode = machine.gpusPerNode;
    const ClusterSpec& cluster = context.spec.cluster;
    const std::int64_t gpus = cluster.gpus.value_or(machine.gpus);
    if (gpus > machine.gpus) {
        illegal(context, "cluster.gpus",
                "The plan asks for " + std::to_string(gpus) + " GPUs, the cluster has " +
                    std::to_string(machine.gpus));
    }
    context.gpusAvailable = static_cast<int>(std::min(gpus, machine.gpus));
    context.out.spec.cluster.gpus = context.gpusAvailable;
    context.out.priceItem = machine.id;
    context.out.clusterName = formatCount(machine.paidItems) + " x " + machine.id;
    context.out.gpusPerNode = machine.gpusPerNode;
    context.out.nvlinkDomain = machine.nvlinkDomain;
    context.out.networkBound = machine.network.starts_with("efa") ? Bound::efa : Bound::network;

    set(context, Input::paidItems, static_cast<double>(machine.paidItems), "scenario", SourceKind::user);
    set(context, Input::gpus, context.gpusAvailable, "scenario", SourceKind::user);
    set(context, Input::capacity, machine.memoryPerGpu, machine.memorySource, machine.kind);
    set(context, Input::nvlinkBandwidth, machine.nvlinkPerGpu.value_or(0), machine.nvlinkSource,
        machine.kind);
    set(context, Input::networkBandwidth, machine.networkPerGpu.value_or(0), machine.networkSource,
        machine.kind);
    setGpu(context, machine);

    if (!machine.nvlinkPerGpu) {
        context.out.nvlinkDomain = 1;
    }
    const char* place = cluster.ultraserver  ? "cluster.ultraserver"
                        : cluster.custom.gpu ? "cluster.custom"
                                             : "cluster.instance";
    const bool several = context.gpusAvailable > 1;
    if (several && machine.gpusPerNode > 1 && context.out.nvlinkDomain <= 1) {
        notModelled(context, place,
                    "Collectives over PCIe, between the GPUs of " + machine.id +
                        " without NVLink, are not modelled yet; use one GPU, or an instance with NVLink");
    } else if (context.gpusAvailable > context.out.nvlinkDomain && machine.networkPerGpu.value_or(0) <= 0) {
        illegal(context, place,
                "The catalog knows no network (EFA) of " + machine.id + ", and " +
                    formatCount(context.gpusAvailable) + " GPUs do not fit one NVLink domain of " +
                    std::to_string(context.out.nvlinkDomain) +
                    "; use fewer, or a machine whose network is known");
    }
    if (cluster.topology) {
        notModelled(context, "cluster.topology", "An imported topology is not modelled yet; leave it out");
    }
    context.out.spec.cluster.rankOrder = cluster.rankOrder.value_or("tp-cp-ep-dp-pp");
    context.out.spec.cluster.placement = cluster.placement.value_or(std::vector<std::string>{"packed"});
    if (*context.out.spec.cluster.placement != std::vector<std::string>{"packed"}) {
        notModelled(context, "cluster.placement", "Only packed placement is modelled yet");
    }
    return {};
}

} // namespace alidade::resolving
