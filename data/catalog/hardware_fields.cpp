// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/field.h"
#include "model/hardware/purchase.h"
#include "model/units/constants.h"

namespace alidade::data {
namespace {

constexpr FieldUnit plain;
constexpr FieldUnit teraflops{"TFLOP/s", 1e12};
constexpr FieldUnit petaflops{"PFLOP/s", 1e15};
constexpr FieldUnit teraops{"TOP/s", 1e12};
constexpr FieldUnit gigabytes{"GB", 1e9};
constexpr FieldUnit terabytes{"TB", 1e12};
constexpr FieldUnit mebibytes{"MiB", bytesPerMib};
constexpr FieldUnit gibibytes{"GiB", bytesPerGib};
constexpr FieldUnit gigabytesPerSecond{"GB/s", 1e9};
constexpr FieldUnit terabytesPerSecond{"TB/s", 1e12};
constexpr FieldUnit megabytesPerSecond{"MB/s", 1e6};
constexpr FieldUnit gigabitsPerSecond{"Gbit/s", 1e9, 8};
constexpr FieldUnit microseconds{"us", 1, 1e6};
constexpr FieldUnit percent{"%", 1, 100};
constexpr FieldUnit watts{"W"};
constexpr FieldUnit mib{"MiB"};
constexpr FieldUnit gib{"GiB"};
constexpr FieldUnit dollarsPerHour{"$/h"};
constexpr FieldUnit dollarsPerGbMonth{"$/(GB month)"};

} // namespace

template <>
const std::vector<Field<Gpu>>& fieldsOf<Gpu>() {
    static const std::vector<Field<Gpu>> fields = {
        {"name", "Name", &Gpu::name, plain, 0, 0, true},
        {"vendor", "Vendor", &Gpu::vendor},
        {"architecture", "Architecture", &Gpu::architecture},
        {"form_factor", "Form factor", &Gpu::formFactor},
        {"dense_fp32_tflops", "FP32", &Gpu::fp32, teraflops, 0.1, 1e6},
        {"dense_tf32_tflops", "TF32 dense", &Gpu::tf32, teraflops, 0.1, 1e6},
        {"dense_bf16_tflops", "BF16 dense", &Gpu::bf16, teraflops, 0.1, 1e6},
        {"dense_fp16_tflops", "FP16 dense", &Gpu::fp16, teraflops, 0.1, 1e6},
        {"dense_fp8_tflops", "FP8 dense", &Gpu::fp8, teraflops, 0.1, 1e6},
        {"dense_fp4_tflops", "FP4 dense", &Gpu::fp4, teraflops, 0.1, 1e6},
        {"dense_int8_tops", "INT8 dense", &Gpu::int8, teraops, 0.1, 1e6},
        {"memory_type", "Memory type", &Gpu::memoryType},
        {"hbm_capacity_gb", "Memory", &Gpu::memory, gigabytes, 1, 1e5, true},
        {"device_reported_memory_mib", "Reported memory", &Gpu::deviceReportedMemory, mebibytes, 1, 1e9},
        {"hbm_bandwidth_gb_per_s", "Memory bandwidth", &Gpu::memoryBandwidth, gigabytesPerSecond, 1, 1e6},
        {"l2_cache_mib", "L2 cache", &Gpu::l2CacheMib, mib, 0.1, 1e5},
        {"sm_count", "Multiprocessors", &Gpu::streamingMultiprocessors, plain, 1, 1e5},
        {"compute_capability", "Compute capability", &Gpu::computeCapability},
        {"nvlink_generation", "NVLink generation", &Gpu::nvlinkGeneration, plain, 1, 20},
        {"nvlink_links", "NVLink links", &Gpu::nvlinkLinks, plain, 1, 1000},
        {"nvlink_bandwidth_gb_per_s_per_direction", "NVLink per direction", &Gpu::nvlinkPerDirection,
         gigabytesPerSecond, 1, 1e6},
        {"nvlink_sharp", "NVLink SHARP", &Gpu::nvlinkSharp},
        {"pcie_generation", "PCIe generation", &Gpu::pcieGeneration, plain, 1, 20},
        {"pcie_x16_gb_per_s_per_direction", "PCIe x16 per direction", &Gpu::pciePerDirection,
         gigabytesPerSecond, 1, 1e5},
        {"nvlink_c2c_gb_per_s_per_direction", "NVLink-C2C per direction", &Gpu::c2cPerDirection,
         gigabytesPerSecond, 1, 1e5},
        {"tdp_w", "Power (TDP)", &Gpu::power, watts, 1, 1e5},
        {"measured_bf16_matmul_tflops", "BF16 matmul, measured", &Gpu::measuredBf16Matmul, teraflops, 0.1,
         1e6},
        {"measured_fp8_matmul_tflops", "FP8 matmul, measured", &Gpu::measuredFp8Matmul, teraflops, 0.1, 1e6},
    };
    return fields;
}

template <>
const std::vector<Field<NetworkCardGroup>>& fieldsOf<NetworkCardGroup>() {
    static const std::vector<Field<NetworkCardGroup>> fields = {
        {"cards", "Cards", &NetworkCardGroup::cards, plain, 1, 1e4, true},
        {"peak_gbps", "Peak per direction", &NetworkCardGroup::peakPerDirection, gigabitsPerSecond, 0.1, 1e6},
        {"max_interfaces", "Interfaces", &NetworkCardGroup::maxInterfaces, plain, 1, 1e4},
        {"index", "Card numbers", &NetworkCardGroup::index},
        {"role", "Role", &NetworkCardGroup::role},
    };
    return fields;
}

template <>
const std::vector<Field<Instance>>& fieldsOf<Instance>() {
    using I = Instance;
    static const std::vector<Field<I>> fields = {
        {"family", "Family", &I::family},
        {"gpu", "GPU", &I::gpu, plain, 0, 0, true},
        {"gpus", "GPUs", &I::gpus, plain, 1, 1024, true},
        {"gpu_memory_gb_total", "Total GPU memory", &I::gpuMemory, gigabytes, 1, 1e6},
        {"gpu_memory_mib_each_reported", "Reported GPU memory", &I::deviceReportedGpuMemory, mebibytes, 1,
         1e9},
        {"vcpus", "vCPUs", &I::vcpus, plain, 1, 1e5},
        {"memory_gib", "Memory", &I::memoryGib, gib, 0.5, 1e6},
        {"cpu", "CPU", &I::cpu},
        {"cpu_architecture", "CPU architecture", &I::cpuArchitecture},
        {"nitro_version", "Nitro", &I::nitroVersion, plain, 1, 20},
        {"efa_generation", "EFA", &I::efaGeneration, plain, 1, 20},
        {"efa_bandwidth_gb_per_s_per_direction", "EFA per direction", &I::efaPerDirection, gigabytesPerSecond,
         0.1, 1e5},
        {"efa_interfaces_max", "EFA interfaces", &I::efaInterfaces, plain, 1, 1e4},
        {"network_cards", "Network cards", &I::networkCards, plain, 1, 1e4},
        {"network_bandwidth_text", "Network performance", &I::networkText},
        {"nvlink_topology", "NVLink topology", &I::nvlinkTopology},
        {"nvlink_generation", "NVLink generation", &I::nvlinkGeneration, plain, 1, 20},
        {"nvlink_bandwidth_tb_per_s_total_bidirectional", "Total NVLink, bidirectional",
         &I::nvlinkAggregateBidirectional, terabytesPerSecond, 0.01, 1e4},
        {"nvlink_domain_gpus", "NVLink domain", &I::nvlinkDomain, plain, 1, 1e5},
        {"gpudirect_rdma", "GPUDirect RDMA", &I::gpuDirectRdma},
        {"rdma_read", "RDMA read", &I::rdmaRead},
        {"rdma_write", "RDMA write", &I::rdmaWrite},
        {"ebs_max_throughput_mb_per_s", "EBS maximum", &I::ebsThroughput, megabytesPerSecond, 1, 1e7},
        {"ebs_baseline_throughput_mb_per_s", "EBS baseline", &I::ebsBaselineThroughput, megabytesPerSecond, 1,
         1e7},
        {"ebs_max_iops", "EBS IOPS", &I::ebsIops, plain, 1, 1e8},
        {"local_nvme_count", "NVMe drives", &I::nvmeDrives, plain, 1, 1000},
        {"local_nvme_gb_each", "NVMe drive size", &I::nvmeEach, gigabytes, 1, 1e6},
        {"local_nvme_gb_total", "Total NVMe", &I::nvme, gigabytes, 1, 1e7},
        {"local_nvme_tb_raw", "NVMe as marketed", &I::nvmeRaw, terabytes, 0.001, 1e4},
        {"local_nvme_read_iops", "NVMe read IOPS", &I::nvmeReadIops, plain, 1, 1e9},
        {"local_nvme_write_iops", "NVMe write IOPS", &I::nvmeWriteIops, plain, 1, 1e9},
        {"pcie_generation_host_to_gpu", "PCIe host to GPU", &I::pcieGenerationHostToGpu, plain, 1, 20},
        {"instance_topology_network_nodes", "Topology layers", &I::topologyNetworkNodes, plain, 1, 16},
        {"ultraserver_only", "UltraServer only", &I::ultraserverOnly},
        {"usage_classes", "Usage classes", &I::usageClasses},
    };
    return fields;
}

template <>
const std::vector<Field<UltraServer>>& fieldsOf<UltraServer>() {
    using U = UltraServer;
    static const std::vector<Field<U>> fields = {
        {"instance", "Instance", &U::instance},
        {"instances", "Instances", &U::instances, plain, 1, 1e4},
        {"gpu", "GPU", &U::gpu, plain, 0, 0, true},
        {"gpus", "GPUs", &U::gpus, plain, 1, 1e5, true},
        {"nvlink_domain_gpus", "NVLink domain", &U::nvlinkDomain, plain, 1, 1e5},
        {"gpu_memory_tb_total", "Total GPU memory", &U::gpuMemory, terabytes, 0.01, 1e4},
        {"gpu_memory_gb_total_table", "GPU memory, AWS table", &U::gpuMemoryTable, gigabytes, 1, 1e7},
        {"gpu_memory_bandwidth_tb_per_s_total", "Total memory bandwidth", &U::memoryBandwidth,
         terabytesPerSecond, 0.1, 1e6},
        {"efa_generation", "EFA", &U::efaGeneration, plain, 1, 20},
        {"efa_bandwidth_gb_per_s_per_direction", "EFA per direction", &U::efaPerDirection, gigabytesPerSecond,
         0.1, 1e6},
        {"nvlink_bandwidth_tb_per_s_total_bidirectional", "Total NVLink, bidirectional",
         &U::nvlinkAggregateBidirectional, terabytesPerSecond, 0.01, 1e5},
        {"vcpus", "vCPUs", &U::vcpus, plain, 1, 1e6},
        {"memory_gib", "Memory", &U::memoryGib, gib, 0.5, 1e7},
        {"host_cpus", "CPUs", &U::hostCpus, plain, 1, 1e5},
        {"local_nvme_tb_total", "Total NVMe", &U::nvme, terabytes, 0.001, 1e5},
        {"ebs_bandwidth_gbps", "EBS", &U::ebsThroughput, gigabitsPerSecond, 0.1, 1e6},
        {"dense_fp8_pflops_total", "Total FP8 dense", &U::fp8, petaflops, 0.1, 1e6},
        {"scale_up_interconnect", "Scale-up interconnect", &U::scaleUpInterconnect},
        {"capacity_model", "Capacity model", &U::capacityModel},
        {"zones", "Zones", &U::zones},
    };
    return fields;
}

template <>
const std::vector<Field<EfaGeneration>>& fieldsOf<EfaGeneration>() {
    using E = EfaGeneration;
    static const std::vector<Field<E>> fields = {
        {"version", "Version", &E::version, plain, 1, 20, true},
        {"nitro_version", "Nitro", &E::nitroVersion, plain, 1, 20},
        {"max_aggregate_gb_per_s_per_direction", "Maximum per instance and direction",
         &E::maxAggregatePerDirection, gigabytesPerSecond, 0.1, 1e5},
        {"per_card_gb_per_s_per_direction", "Per card and direction", &E::perCardPerDirection,
         gigabytesPerSecond, 0.1, 1e5},
        {"latency_vs_previous_percent", "Latency vs. previous", &E::latencyVsPrevious, percent, -100, 1000},
        {"collectives_vs_previous_percent", "Collectives vs. previous", &E::collectivesVsPrevious, percent,
         -100, 1000},
        {"rdma_read", "RDMA read", &E::rdmaRead},
        {"rdma_write", "RDMA write", &E::rdmaWrite},
        {"nccl_plugin_latency_us", "NCCL plugin latency", &E::pluginLatency, microseconds, 0.01, 1e5},
        {"instances", "Instance types", &E::instances},
    };
    return fields;
}

template <>
const std::vector<Field<StorageTier>>& fieldsOf<StorageTier>() {
    using S = StorageTier;
    static const std::vector<Field<S>> fields = {
        {"name", "Name", &S::name, plain, 0, 0, true},
        {"service", "Service", &S::service, plain, 0, 0, true},
        {"instance", "Instance", &S::instance},
        {"deployment", "Deployment", &S::deployment},
        {"medium", "Medium", &S::medium},
        {"throughput_mb_per_s_per_tib", "Disk per TiB", &S::throughputPerTib, megabytesPerSecond, 1, 1e6},
        {"throughput_burst_mb_per_s_per_tib", "Disk burst per TiB", &S::throughputBurstPerTib,
         megabytesPerSecond, 1, 1e6},
        {"network_mb_per_s_per_tib", "Network per TiB", &S::networkPerTib, megabytesPerSecond, 1, 1e6},
        {"network_burst_mb_per_s_per_tib", "Network burst per TiB", &S::networkBurstPerTib,
         megabytesPerSecond, 1, 1e6},
        {"throughput_max_mb_per_s", "Maximum throughput", &S::maxThroughput, megabytesPerSecond, 1, 1e9},
        {"client_max_gbps", "Per client", &S::clientMax, gigabitsPerSecond, 0.1, 1e5},
        {"client_max_gbps_efa", "Per client over EFA", &S::clientMaxEfa, gigabitsPerSecond, 0.1, 1e5},
        {"client_max_gbps_gpudirect", "Per client with GPUDirect Storage", &S::clientMaxGpuDirect,
         gigabitsPerSecond, 0.1, 1e5},
        {"cache_ram_gib_per_tib", "Cache per TiB", &S::cacheGibPerTib, gib, 0.01, 1e4},
        {"capacity_gb", "Capacity", &S::capacity, gigabytes, 1, 1e9},
        {"raw_capacity_tb", "Capacity as marketed", &S::rawCapacity, terabytes, 0.001, 1e6},
        {"drives", "Drives", &S::drives, plain, 1, 1e4},
        {"min_capacity_gib", "Minimum capacity", &S::minCapacity, gibibytes, 0, 1e9},
        {"capacity_step_gib", "Capacity step", &S::capacityStep, gibibytes, 1, 1e9},
        {"efa_min_capacity_gib", "Minimum capacity with EFA", &S::efaMinCapacity, gibibytes, 1, 1e9},
        {"read_iops", "Read IOPS", &S::readIops, plain, 1, 1e9},
        {"write_iops", "Write IOPS", &S::writeIops, plain, 1, 1e9},
        {"reads_per_s", "Reads per second", &S::readsPerSecond, plain, 1, 1e9},
        {"writes_per_s", "Writes per second", &S::writesPerSecond, plain, 1, 1e9},
        {"latency", "Latency", &S::latency},
        {"replicated", "Replicated", &S::replicated},
        {"efa_supported", "EFA", &S::efaSupported},
        {"usd_per_gb_month", "Price (us-east-1)", &S::dollarsPerGbMonth, dollarsPerGbMonth, 0, 1000},
    };
    return fields;
}

const std::vector<std::string>& purchaseWords() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> out;
        for (const PurchaseTexts& each : purchaseTexts)
            out.emplace_back(each.word);
        return out;
    }();
    return words;
}

template <>
const std::vector<Field<Price>>& fieldsOf<Price>() {
    using P = Price;
    static const std::vector<Field<P>> fields = {
        {"item", "Item", &P::item, plain, 0, 0, true},
        {"region", "Region", &P::region, plain, 0, 0, true},
        {"purchase", "Purchase",
         Choice<P>{purchaseWords(), [](const P& p) { return static_cast<std::size_t>(p.purchase); },
                   [](P& p, std::size_t i) { p.purchase = static_cast<Purchase>(i); }},
         plain, 0, 0, true},
        {"terms", "Terms", &P::terms},
        {"usd_per_hour", "Price", &P::rate, dollarsPerHour, 0.0001, 1e6, true},
        {"date", "Date", &P::date, plain, 0, 0, true},
        {"valid_from", "Valid from", &P::validFrom},
        {"valid_until", "Valid until", &P::validUntil},
        {"current", "Current", &P::current},
    };
    return fields;
}

} // namespace alidade::data
