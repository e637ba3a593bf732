// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/scenario/resolve_parts.h"

#include <algorithm>
#include <cmath>

namespace alidade::resolving {

namespace {

/// The machine properties that the plan needs, however the machine was specified.
struct Machine {
    std::string id, countNoun;
    const Gpu* gpu = nullptr;
    int gpusPerNode = 1, nvlinkDomain = 1;
    bool pcie = false;                   ///< the links inside a domain are PCIe
    std::optional<std::int64_t> written; ///< instances or UltraServers in the scenario
    std::int64_t paidItems = 1;
    std::int64_t gpus = 0; ///< of all paid items
    int hostsPerItem = 1;
    std::int64_t gpusPerItem = 0; ///< 0: those of a host
    int networkLayers = assumedLayers, networkCards = 0;
    std::string hostType;                              ///< instance type; empty: custom
    std::optional<double> networkPerGpu, nvlinkPerGpu; ///< bytes/s per direction
    double memoryPerGpu = 0;
    double visibleMemory = 0; ///< bytes per GPU available to programs
    std::string network;
    SharedText memorySource, visibleSource, networkSource, nvlinkSource;
    SourceKind memoryKind = SourceKind::catalog, networkKind = SourceKind::catalog,
               nvlinkKind = SourceKind::catalog;
};

template <class Entry>
std::string unknown(std::string_view pointer, std::string_view what, const std::string& id,
                    const std::vector<Entry>& entries) {
    std::vector<std::string> ids;
    for (const Entry& entry : entries)
        ids.push_back(entry.id);
    const std::string near = nearestName(id, ids);
    return std::string(pointer) + ": there is no " + std::string(what) + " '" + id + "' in the catalog" +
           (near.empty() ? "" : "; the nearest is '" + near + "'");
}

/// Accelerators of other vendors have kernels and links that no constant describes.
bool isModeled(const Gpu& gpu) { return gpu.vendor == "NVIDIA"; }

/// GPUs without NVLink exchange data over PCIe, as one domain. Where the instance lets them address each
/// other (GPUDirect), each gets its link; elsewhere NCCL copies through host memory, where a byte crosses a
/// link twice and both directions share the memory of the host.
/// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html, NCCL_P2P_DISABLE, NCCL_SHM_DISABLE
void overPcie(const Instance& instance, Machine& machine) {
    // Shares of the wire rate, estimated for the machines of AWS from measurements of others: direct, 54.3 of
    // 64 GB/s between RTX PRO 6000 (PCIe 5.0, https://github.com/lukealonso/p2pmark); through host memory, 28
    // GB/s (0.44) between 8 and 35 GB/s (0.55) between 4 RTX 5090, which have no direct path
    // (https://github.com/NVIDIA/nccl/issues/1639). Older hosts have fewer memory channels for each GPU.
    constexpr double staged = 0.4, direct = 0.85;
    if (!machine.gpu->pciePerDirection)
        return;
    const bool peers = instance.gpuDirectRdma.value_or(false);
    const int own = machine.gpu->pcieGeneration.value_or(0);
    const int host = instance.pcieGenerationHostToGpu.value_or(own);
    const double slower = host < own ? std::exp2(host - own) : 1; // each generation doubles the rate
    machine.nvlinkPerGpu = machine.gpu->pciePerDirection->si() * slower * (peers ? direct : staged);
    machine.nvlinkDomain = instance.gpus;
    machine.nvlinkKind = SourceKind::assumed;
    machine.pcie = true;
    machine.nvlinkSource = std::string(peers ? "estimate: PCIe between GPUs, 85 % of "
                                             : "estimate: PCIe through host memory, 40 % of ") +
                           "x16 of generation " + std::to_string(std::min(host, own));
}

std::string fromInstance(Context& context, const Instance& instance, Machine& machine) {
    machine.gpu = context.catalog.gpu(instance.gpu);
    if (!machine.gpu)
        return unknown("/cluster/instance", "GPU", instance.gpu, context.catalog.gpus);
    machine.gpusPerNode = instance.gpus;
    machine.nvlinkDomain = instance.nvlinkDomain;
    machine.hostType = instance.id;
    machine.networkLayers = instance.topologyNetworkNodes.value_or(assumedLayers);
    machine.networkCards = instance.networkCards.value_or(0);
    if (instance.efaPerDirection && instance.efaGeneration) {
        machine.networkPerGpu = instance.efaPerDirection->si() / instance.gpus;
        machine.network = "efa" + std::to_string(*instance.efaGeneration);
        machine.networkSource = citation(instance.id, ", EFA / GPUs: ", instance.provenance,
                                         "efa_bandwidth_gb_per_s_per_direction");
        machine.networkKind = catalogKind(instance.provenance, "efa_bandwidth_gb_per_s_per_direction");
    }
    if (!machine.gpu->nvlinkPerDirection && isModeled(*machine.gpu) && instance.gpus > 1) {
        overPcie(instance, machine);
    } else if (machine.gpu->nvlinkPerDirection) {
        machine.nvlinkPerGpu = machine.gpu->nvlinkPerDirection->si();
        machine.nvlinkKind = catalogKind(machine.gpu->provenance, "nvlink_bandwidth_gb_per_s_per_direction");
        machine.nvlinkSource = citation(machine.gpu->id, ": ", machine.gpu->provenance,
                                        "nvlink_bandwidth_gb_per_s_per_direction");
    }
    machine.memoryPerGpu =
        instance.gpuMemory ? instance.gpuMemory->si() / instance.gpus : machine.gpu->memory.si();
    machine.memorySource = citation(instance.id, ", accelerator memory / accelerators: ", instance.provenance,
                                    "gpu_memory_gb_total");
    machine.memoryKind = catalogKind(instance.provenance, "gpu_memory_gb_total");
    // The nominal figure is rounded down. Programs see what the driver reports minus what it reserves,
    // according to vLLM logs: 79.1 GiB of 80 (H100), 139.8 of 141 (H200), 178.4 of 179.1 (B200), 39.4 of 40
    // (A100).
    constexpr double visible = 0.99;
    machine.visibleMemory = machine.memoryPerGpu;
    machine.visibleSource = machine.memorySource;
    if (instance.deviceReportedGpuMemory && context.out.isServing()) {
        machine.visibleMemory = visible * instance.deviceReportedGpuMemory->si();
        machine.visibleSource = citation(instance.id, ", 99 % of the reported memory: ", instance.provenance,
                                         "gpu_memory_mib_each_reported");
    }
    return {};
}

std::string fromUltraServer(Context& context, const std::string& id, Machine& machine) {
    const UltraServer* ultra = context.catalog.ultraserver(id);
    if (!ultra)
        return unknown("/cluster/ultraserver", "UltraServer", id, context.catalog.ultraservers);
    if (ultra->instance.empty()) {
        return "/cluster/ultraserver: the catalog does not list the instances of " + ultra->id +
               "; add them to its entry or choose another UltraServer";
    }
    const Instance* instance = context.catalog.instance(ultra->instance);
    if (!instance)
        return unknown("/cluster/ultraserver", "instance", ultra->instance, context.catalog.instances);
    if (std::string wrong = fromInstance(context, *instance, machine); !wrong.empty())
        return wrong;
    machine.id = ultra->id;
    machine.nvlinkDomain = ultra->nvlinkDomain;
    machine.hostsPerItem = std::max(1, ultra->instances);
    machine.gpusPerItem = ultra->gpus;
    machine.written = context.spec.cluster.ultraservers;
    return {};
}

std::string fromCustom(Context& context, Machine& machine) {
    const CustomClusterSpec& custom = context.spec.cluster.custom;
    machine.gpu = context.catalog.gpu(*custom.gpu);
    if (!machine.gpu)
        return unknown("/cluster/custom/gpu", "GPU", *custom.gpu, context.catalog.gpus);
    machine.id = "custom " + machine.gpu->name;
    machine.memoryKind = machine.networkKind = machine.nvlinkKind = SourceKind::user;
    machine.gpusPerNode = static_cast<int>(custom.gpusPerNode.value_or(8));
    machine.nvlinkDomain = static_cast<int>(custom.nvlinkDomain.value_or(machine.gpusPerNode));
    machine.written = context.spec.cluster.instances;
    machine.network = custom.network.value_or("infiniband");
    machine.networkPerGpu = custom.networkBytesPerSPerGpuPerDirection;
    machine.networkSource = "scenario";
    if (custom.nvlinkBytesPerSPerGpuPerDirection) {
        machine.nvlinkPerGpu = custom.nvlinkBytesPerSPerGpuPerDirection;
        machine.nvlinkSource = "scenario";
    } else if (machine.gpu->nvlinkPerDirection) {
        machine.nvlinkPerGpu = machine.gpu->nvlinkPerDirection->si();
        machine.nvlinkSource = citation(machine.gpu->id, ": ", machine.gpu->provenance,
                                        "nvlink_bandwidth_gb_per_s_per_direction");
    }
    machine.memoryPerGpu = custom.memoryBytesPerGpu.value_or(machine.gpu->memory.si());
    machine.memorySource = originOr(custom.memoryBytesPerGpu.has_value(),
                                    citation("", "", machine.gpu->provenance, "hbm_capacity_gb"));
    machine.visibleMemory = machine.memoryPerGpu;
    machine.visibleSource = machine.memorySource;
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
                   ? "/cluster: no machine is set; set an instance, an ultraserver or a custom machine"
                   : "/cluster: more than one machine is set; keep one of instance, ultraserver and custom";
    }
    if (cluster.ultraserver)
        return fromUltraServer(context, *cluster.ultraserver, machine);
    if (cluster.custom.gpu)
        return fromCustom(context, machine);
    const Instance* instance = context.catalog.instance(*cluster.instance);
    if (!instance)
        return unknown("/cluster/instance", "instance", *cluster.instance, context.catalog.instances);
    machine.id = instance->id;
    machine.written = cluster.instances;
    if (std::string wrong = fromInstance(context, *instance, machine); !wrong.empty())
        return wrong;
    if (instance->ultraserverOnly && !cluster.topology) { // a topology defines the domains itself
        // Without the UltraServer around it, only the GPUs of one instance share NVLink.
        machine.nvlinkDomain = std::min(machine.nvlinkDomain, instance->gpus);
        warn(context, "cluster.instance",
             instance->id +
                 " is available only in an UltraServer; set the ultraserver to get its NVLink domain");
    }
    return {};
}

void setGpu(Context& context, const Machine& machine) {
    const Gpu& gpu = *machine.gpu;
    const auto put = [&](Input input, double value, std::string_view key) {
        set(context, input, value, citation(gpu.id, ": ", gpu.provenance, key),
            catalogKind(gpu.provenance, key));
    };
    const auto reporting = gpu.bf16 ? gpu.bf16 : gpu.fp16;
    if (reporting)
        put(Input::reportingPeak, reporting->si(), gpu.bf16 ? "dense_bf16_tflops" : "dense_fp16_tflops");
    put(Input::memoryBandwidth, gpu.memoryBandwidth.si(), "hbm_bandwidth_gb_per_s");
    put(Input::nominalMemory, gpu.memory.si(), "hbm_capacity_gb");
    if (gpu.c2cPerDirection || gpu.pciePerDirection) {
        put(Input::hostBandwidth, (gpu.c2cPerDirection ? gpu.c2cPerDirection : gpu.pciePerDirection)->si(),
            gpu.c2cPerDirection ? "nvlink_c2c_gb_per_s_per_direction" : "pcie_x16_gb_per_s_per_direction");
    }
    if (gpu.power)
        put(Input::gpuPower, gpu.power->si(), "tdp_w");
}

constexpr std::int64_t mostPlacedGpus = 4'194'304; ///< maximum that a fabric is built for

/// NVLink domains among the hosts that ranks can be placed on.
struct Domains {
    std::int64_t count = 0;
    int largest = 1; ///< GPUs
};

Domains domainsOf(const Fabric& fabric, const HostChoice& hosts) {
    std::vector<int> gpus(static_cast<std::size_t>(fabric.domains), 0);
    std::vector<bool> unfit(static_cast<std::size_t>(fabric.hosts()), false);
    for (const int host : hosts.unfit)
        unfit[static_cast<std::size_t>(host)] = true;
    for (int gpu = 0; gpu < fabric.gpus(); ++gpu)
        if (!unfit[static_cast<std::size_t>(fabric.hostOf(gpu))])
            ++gpus[static_cast<std::size_t>(fabric.domainOf(gpu))];
    Domains out;
    for (const int each : gpus) {
        out.count += each > 0 ? 1 : 0;
        out.largest = std::max(out.largest, each);
    }
    return out;
}

/// Determines the number of machines and the hosts that ranks can be placed on. \returns an error message
std::string countMachines(Context& context, Machine& machine) {
    const ClusterSpec& cluster = context.spec.cluster;
    const bool ultra = cluster.ultraserver.has_value();
    const Topology* topology = nullptr;
    if (cluster.topology) {
        topology = context.catalog.topology(*cluster.topology);
        if (!topology) {
            std::vector<std::string> names;
            for (const Topology& each : context.catalog.topologies)
                names.push_back(each.name);
            const std::string near = nearestName(*cluster.topology, names);
            return "/cluster/topology: no topology '" + *cluster.topology + "' has been imported" +
                   (near.empty() ? "; import it, or leave the field out" : "; the nearest is '" + near + "'");
        }
    }
    const bool plain =
        !cluster.placement || (cluster.placement->size() == 1 && cluster.placement->front() == "packed");
    const bool own =
        !topology && plain && !cluster.excludedHosts && cluster.oversubscription.value_or(1) <= 1;
    machine.paidItems = machine.written.value_or(1);
    std::int64_t usable = machine.paidItems * machine.hostsPerItem;
    machine.gpus = machine.paidItems *
                   (machine.gpusPerItem > 0 ? machine.gpusPerItem : std::int64_t{machine.gpusPerNode});
    if (!own) {
        const std::int64_t most = mostPlacedGpus / machine.gpusPerNode;
        if (usable > most) {
            illegal(context, "cluster.placement",
                    "Ranks can be placed on at most " + formatCount(most) + " such machines");
        }
        HostMachine wanted{machine.hostType, machine.gpusPerNode, static_cast<int>(std::min(usable, most))};
        context.hosts = chooseHosts(cluster, topology, wanted);
        if (topology && topology->incomplete) {
            warn(context, "cluster.topology",
                 topology->name +
                     " is incomplete: the response it was imported from ends with a NextToken, so hosts "
                     "are missing; import all pages of aws ec2 describe-instance-topology");
        }
        FabricShape shape{.hosts = wanted.hosts,
                          .gpusPerHost = machine.gpusPerNode,
                          .nvlinkDomain = machine.nvlinkPerGpu ? machine.nvlinkDomain : 1,
                          .layers = machine.networkLayers,
                          .speeds = {},
                          .oversubscription = cluster.oversubscription.value_or(1)};
        context.fabric = topology ? importedFabric(*topology, shape) : catalogFabric(shape);
        // A topology without a machine of this kind is a single error; the plan is checked as if there were
        // no topology.
        if (topology && context.hosts.fit > 0) {
            const Domains domains = domainsOf(*context.fabric, context.hosts);
            machine.nvlinkDomain = std::min(machine.nvlinkDomain, domains.largest);
            if (!machine.written)
                machine.paidItems = ultra ? domains.count : context.hosts.fit;
            usable = machine.paidItems * machine.hostsPerItem;
            const std::string few = topology->name + " has " + formatCount(context.hosts.fit) +
                                    " such hosts, not " + formatCount(usable) + "; ";
            if (machine.written && context.hosts.fit < usable) {
                if (ultra) { // a rack may have lost a host
                    warn(context, "cluster.ultraservers", few + "the others are ignored");
                } else {
                    illegal(context, "cluster.instances",
                            few + "rent at most that many, or import a newer topology");
                }
            }
        }
        if (context.hosts.fit > 0)
            usable = std::min<std::int64_t>(usable, context.hosts.usable);
        for (Problem& problem : context.hosts.problems) {
            context.out.legal = context.out.legal && problem.severity != Severity::error;
            context.out.problems.push_back(std::move(problem));
        }
        machine.gpus = std::max<std::int64_t>(usable, 1) * machine.gpusPerNode;
    }
    (ultra ? context.out.spec.cluster.ultraservers : context.out.spec.cluster.instances) = machine.paidItems;
    context.out.hosts = static_cast<int>(std::min(machine.paidItems * machine.hostsPerItem, mostPlacedGpus));
    context.out.networkLayers = machine.networkLayers;
    context.out.networkCards = machine.networkCards;
    context.out.hostType = machine.hostType;
    return {};
}

} // namespace

std::string resolveCluster(Context& context) {
    Machine machine;
    if (std::string wrong = findMachine(context, machine); !wrong.empty())
        return wrong;
    if (std::string wrong = countMachines(context, machine); !wrong.empty())
        return wrong;
    context.gpu = machine.gpu;
    context.network = machine.network;
    context.gpusPerNode = machine.gpusPerNode;
    const ClusterSpec& cluster = context.spec.cluster;
    const std::int64_t gpus = cluster.gpus.value_or(machine.gpus);
    if (gpus > machine.gpus) {
        illegal(context, "cluster.gpus",
                "The plan needs " + std::to_string(gpus) + " GPUs; the cluster has " +
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
    set(context, Input::capacity, machine.memoryPerGpu, machine.memorySource, machine.memoryKind);
    if (context.out.isServing())
        set(context, Input::deviceMemory, machine.visibleMemory, machine.visibleSource, machine.memoryKind);
    set(context, Input::nvlinkBandwidth, machine.nvlinkPerGpu.value_or(0), machine.nvlinkSource,
        machine.nvlinkKind);
    set(context, Input::networkBandwidth, machine.networkPerGpu.value_or(0), machine.networkSource,
        machine.networkKind);
    setGpu(context, machine);

    if (!machine.nvlinkPerGpu)
        context.out.nvlinkDomain = 1;
    const char* place = cluster.ultraserver  ? "cluster.ultraserver"
                        : cluster.custom.gpu ? "cluster.custom"
                                             : "cluster.instance";
    const bool several = context.gpusAvailable > 1;
    if (!isModeled(*machine.gpu)) {
        notModeled(context, place,
                   machine.gpu->name +
                       " is not modeled: no published measurement sets its kernels and links; use an "
                       "instance with NVIDIA GPUs");
    } else if (several && machine.gpusPerNode > 1 && context.out.nvlinkDomain <= 1) {
        notModeled(context, place,
                   "The catalog has neither NVLink nor PCIe for " + machine.gpu->name +
                       "; add a rate to its entry, or use one GPU");
    } else if (context.gpusAvailable > context.out.nvlinkDomain && machine.networkPerGpu.value_or(0) <= 0) {
        illegal(context, place,
                "The catalog has no network (EFA) for " + machine.id + ", and " +
                    formatCount(context.gpusAvailable) + " GPUs do not fit in one NVLink domain of " +
                    std::to_string(context.out.nvlinkDomain) +
                    "; use fewer GPUs or a machine whose network is known");
    }
    if (machine.pcie && several && context.out.modeled) {
        warn(context, place,
             "The GPUs of " + machine.id +
                 " have no NVLink: traffic inside an instance goes over PCIe, at a rate that no published "
                 "measurement confirms. Figures named NVLink refer to it");
    }
    context.out.spec.cluster.rankOrder = cluster.rankOrder.value_or(std::string(usualRankOrder));
    context.out.spec.cluster.placement = cluster.placement.value_or(std::vector<std::string>{"packed"});
    return {};
}

} // namespace alidade::resolving
