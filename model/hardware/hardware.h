// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/provenance.h"
#include "model/units/quantity.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Number formats of a matrix multiplication, as in a scenario's `plan.precision`.
enum class Precision : std::uint8_t { fp16, bf16, fp8, mxfp8, nvfp4 };
constexpr std::string_view wordOf(Precision precision) {
    switch (precision) {
    case Precision::fp16:
        return "fp16";
    case Precision::bf16:
        return "bf16";
    case Precision::fp8:
        return "fp8";
    case Precision::mxfp8:
        return "mxfp8";
    case Precision::nvfp4:
        return "nvfp4";
    }
    return {};
} ///< "bf16", as in profiles and scenarios

/// An accelerator. Peaks are dense (no structured sparsity); absent: the GPU has no such units, or the value
/// is unknown.
struct Gpu {
    std::string id; ///< "h100-sxm"
    std::string name;
    std::string vendor;
    std::string architecture; ///< "Hopper"
    std::string formFactor;
    std::optional<FlopPerSecond> fp32, tf32, bf16, fp16, fp8, fp4, int8;
    std::string memoryType;
    Bytes memory;                              ///< nominal capacity of one GPU
    std::optional<Bytes> deviceReportedMemory; ///< what the driver or EC2 reports
    BytesPerSecond memoryBandwidth;            ///< 0: not published
    std::optional<double> l2CacheMib;
    std::optional<int> streamingMultiprocessors;
    std::string computeCapability;
    std::optional<int> nvlinkGeneration;
    std::optional<int> nvlinkLinks;
    std::optional<BytesPerSecond>
        nvlinkPerDirection;   ///< one GPU sends at this rate while receiving at the same rate
    bool nvlinkSharp = false; ///< reductions inside the NVSwitch
    std::optional<int> pcieGeneration;
    std::optional<BytesPerSecond> pciePerDirection;
    std::optional<BytesPerSecond> c2cPerDirection;                      ///< NVLink-C2C to the host CPU
    std::optional<Watts> power;                                         ///< TDP
    std::optional<FlopPerSecond> measuredBf16Matmul, measuredFp8Matmul; ///< best public microbenchmark
    Provenance provenance;

    /// Dense peak of a format; nullopt if the GPU does not support it. MXFP8 runs at the FP8 rate, NVFP4 at
    /// the FP4 rate.
    std::optional<FlopPerSecond> peak(Precision precision) const;
};

/// Network cards of one kind in an instance.
struct NetworkCardGroup {
    int cards = 0;
    std::optional<BytesPerSecond> peakPerDirection; ///< of one card
    std::optional<int> maxInterfaces;
    std::string index; ///< card numbers, where relevant: "1,3,5"
    std::string role;  ///< "EFA only"; empty: not specified
};

/// An EC2 instance type.
struct Instance {
    std::string id; ///< "p5.48xlarge"
    std::string family;
    std::string gpu; ///< id of its accelerator
    int gpus = 0;
    std::optional<Bytes> gpuMemory;               ///< all accelerators, the AWS figure: capacity for "fits"
    std::optional<Bytes> deviceReportedGpuMemory; ///< of one accelerator
    std::optional<int> vcpus;
    std::optional<double> memoryGib;
    std::string cpu;
    std::string cpuArchitecture; ///< "x86_64", "arm64"
    std::optional<int> nitroVersion;
    std::optional<int> efaGeneration;              ///< 1..4; absent: no EFA
    std::optional<BytesPerSecond> efaPerDirection; ///< whole instance, per direction
    std::optional<int> efaInterfaces;              ///< maximum number of attachable interfaces
    std::optional<int> networkCards;
    std::vector<NetworkCardGroup> networkCardGroups;
    std::string networkText; ///< as AWS prints it
    std::string nvlinkTopology;
    std::optional<int> nvlinkGeneration;
    std::optional<BytesPerSecond>
        nvlinkAggregateBidirectional; ///< sum over GPUs of both directions, as AWS prints
    int nvlinkDomain = 1;             ///< GPUs connected by NVLink
    std::optional<bool> gpuDirectRdma, rdmaRead, rdmaWrite;
    std::optional<BytesPerSecond> ebsThroughput; ///< maximum
    std::optional<BytesPerSecond> ebsBaselineThroughput;
    std::optional<int> ebsIops;
    std::optional<int> nvmeDrives;
    std::optional<Bytes> nvmeEach;                  ///< one drive
    std::optional<Bytes> nvme;                      ///< local storage, all drives, EC2 API figure
    std::optional<Bytes> nvmeRaw;                   ///< as marketed (30.72 TB), where published
    std::optional<int> nvmeReadIops, nvmeWriteIops; ///< all drives, 4 KiB random
    std::optional<int> pcieGenerationHostToGpu;
    std::optional<int> topologyNetworkNodes; ///< layers that DescribeInstanceTopology returns
    bool ultraserverOnly = false;
    std::vector<std::string> usageClasses; ///< "on-demand", "capacity-block", "spot"
    Provenance provenance;
};

/// Several instances in one NVLink domain, rented together.
struct UltraServer {
    std::string id;       ///< "u-p6e-gb200x72"
    std::string instance; ///< id of its component
    int instances = 0;
    std::string gpu;
    int gpus = 0;
    int nvlinkDomain = 0;
    std::optional<Bytes> gpuMemory;      ///< as the AWS post prints (13.4 TB)
    std::optional<Bytes> gpuMemoryTable; ///< as the AWS table prints (13,320 GB)
    std::optional<int> efaGeneration;
    std::optional<BytesPerSecond> efaPerDirection; ///< whole UltraServer
    std::optional<BytesPerSecond> nvlinkAggregateBidirectional;
    std::optional<BytesPerSecond> memoryBandwidth; ///< all accelerators
    std::optional<int> vcpus;
    std::optional<double> memoryGib;
    std::optional<int> hostCpus; ///< sockets
    std::optional<Bytes> nvme;
    std::optional<BytesPerSecond> ebsThroughput;
    std::optional<FlopPerSecond> fp8; ///< dense peak, all accelerators
    std::string scaleUpInterconnect;
    std::string capacityModel;
    std::vector<std::string> zones; ///< where it is available
    Provenance provenance;
};

/// One generation of the Elastic Fabric Adapter.
struct EfaGeneration {
    std::string id; ///< "efa3"
    int version = 0;
    std::optional<int> nitroVersion;
    std::optional<BytesPerSecond> maxAggregatePerDirection; ///< of one instance
    std::optional<BytesPerSecond> perCardPerDirection;
    std::optional<double> latencyVsPrevious; ///< -0.35: packet latency 35 % lower than the generation before
    std::optional<double> collectivesVsPrevious; ///< +0.18: collective performance 18 % higher
    std::optional<bool> rdmaRead, rdmaWrite;
    std::optional<Seconds>
        pluginLatency; ///< value that aws-ofi-nccl reports to NCCL; a tuning weight, not a latency
    std::vector<std::string> instances;
    Provenance provenance;
};

/// A storage service or tier, or the local storage of an instance type.
struct StorageTier {
    std::string id;
    std::string name;
    std::string service;                            ///< "fsx_lustre", "s3", "instance_store", "ebs"
    std::optional<BytesPerSecond> throughputPerTib; ///< baseline disk throughput per TiB provisioned
    std::optional<BytesPerSecond> maxThroughput;
    std::optional<BytesPerSecond> throughputBurstPerTib;
    std::optional<BytesPerSecond> networkPerTib,
        networkBurstPerTib; ///< of the file servers, per TiB provisioned
    std::optional<BytesPerSecond> clientMax, clientMaxEfa, clientMaxGpuDirect; ///< one client instance
    std::optional<double> cacheGibPerTib;                                      ///< file-server memory
    std::optional<Bytes> capacity;    ///< of an instance store, all drives
    std::optional<Bytes> rawCapacity; ///< as marketed, all drives
    std::optional<Bytes> minCapacity; ///< smallest that can be provisioned
    std::optional<Bytes> capacityStep;
    std::optional<Bytes> efaMinCapacity; ///< smallest with EFA
    std::optional<int> drives;
    std::optional<int> readIops, writeIops;             ///< 4 KiB random, all drives
    std::optional<int> readsPerSecond, writesPerSecond; ///< requests of an object store, per prefix or bucket
    std::string instance;                               ///< of an instance store: its instance type
    std::string deployment;
    std::string medium;
    std::string latency;
    bool efaSupported = false;
    std::optional<bool> replicated;
    std::optional<double> dollarsPerGbMonth; ///< us-east-1
    Provenance provenance;
};

/// Purchase option of an instance; the words of a scenario's `cluster.purchase` (purchase.h).
enum class Purchase : std::uint8_t {
    onDemand,
    capacityBlock,
    reserved,
    spot,
    custom,
    savingsPlan,
    trainingPlan ///< SageMaker HyperPod flexible training plan
};

/// A price of one instance (or UltraServer) hour in one region.
struct Price {
    std::string id;   ///< "p5.48xlarge/us-east-2/on_demand"
    std::string item; ///< instance or UltraServer id
    std::string region;
    Purchase purchase = Purchase::onDemand;
    std::string terms;   ///< e.g. "1 year, no upfront"; empty for on-demand
    DollarsPerHour rate; ///< of the whole instance or UltraServer
    std::string date;    ///< when it was valid or retrieved
    /// First and last day on which it is charged, "2027-01-01"; empty: not limited. See isInForce.
    std::string validFrom, validUntil;
    bool current = true; ///< false: kept for history
    Provenance provenance;
};

/// Data sent to the internet, by the volume of a month.
struct TransferTier {
    std::optional<double> upToGb; ///< of the month; absent: the last tier
    double dollarsPerGb = 0;
};
struct TransferPrices {
    std::vector<TransferTier> tiers; ///< ascending
    Provenance provenance;
};

} // namespace alidade
