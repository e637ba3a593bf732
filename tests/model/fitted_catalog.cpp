// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/fitted_catalog.h"

#include "tests/model/usual_constants.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alidade::tests {

namespace {

Gpu gpu(const char* id, const char* name, const char* architecture, double bf16, double memory,
        double bandwidth) {
    Gpu out;
    out.id = id;
    out.name = name;
    out.vendor = "NVIDIA";
    out.architecture = architecture;
    out.bf16 = out.fp16 = FlopPerSecond::si(bf16);
    out.memory = Bytes::si(memory);
    out.memoryBandwidth = BytesPerSecond::si(bandwidth);
    out.pciePerDirection = BytesPerSecond::si(64e9);
    out.pcieGeneration = 5;
    out.power = Watts::si(700);
    return out;
}

std::vector<Gpu> gpus() {
    Gpu h100 = gpu("h100-sxm", "H100", "Hopper", 1e15, 80e9, 3.2e12);
    h100.fp8 = FlopPerSecond::si(2e15);
    h100.streamingMultiprocessors = 125;
    h100.nvlinkPerDirection = BytesPerSecond::si(450e9);
    h100.nvlinkSharp = true;
    h100.deviceReportedMemory = Bytes::si(85e9);
    Gpu h200 = h100;
    h200.id = "h200-sxm";
    h200.name = "H200";
    h200.memory = Bytes::si(141e9);
    h200.deviceReportedMemory.reset();
    Gpu a100 = gpu("a100-80gb-sxm", "A100", "Ampere", 3e14, 80e9, 2e12);
    a100.nvlinkPerDirection = BytesPerSecond::si(300e9);
    a100.power = Watts::si(400);
    Gpu gb200 = gpu("gb200", "GB200", "Blackwell", 2.5e15, 186e9, 8e12);
    gb200.fp8 = FlopPerSecond::si(5e15);
    gb200.fp4 = FlopPerSecond::si(1e16);
    gb200.nvlinkPerDirection = BytesPerSecond::si(900e9);
    gb200.c2cPerDirection = BytesPerSecond::si(450e9);
    gb200.power = Watts::si(1200);
    Gpu l40s = gpu("l40s", "L40S", "Ada", 3.6e14, 48e9, 8.64e11);
    l40s.fp8 = FlopPerSecond::si(7.2e14);
    l40s.power = Watts::si(350);
    return {h100, h200, a100, gb200, l40s};
}

std::vector<Instance> instances() {
    Instance p5;
    p5.id = "p5.48xlarge";
    p5.gpu = "h100-sxm";
    p5.gpus = p5.nvlinkDomain = 8;
    p5.gpuMemory = Bytes::si(640e9);
    p5.efaGeneration = 2;
    p5.efaPerDirection = BytesPerSecond::si(400e9);
    p5.nvmeReadIops = 4'000'000;
    p5.nvmeWriteIops = 2'000'000;
    return {p5};
}

Architecture dense() {
    Architecture out;
    out.id = "llama-3.1-8b";
    out.name = "Llama 3.1 8B";
    out.layers = 32;
    out.hiddenSize = 4096;
    out.attentionHeads = 32;
    out.kvHeads = 8;
    out.headDim = 128;
    out.ffnIntermediateSize = 14336;
    out.vocabSize = 128256;
    out.maxContextTokens = 131072;
    out.nativeWeightFormat = "bf16";
    return out;
}

Architecture experts() {
    Architecture out = dense();
    out.id = "qwen3-30b-a3b";
    out.name = "Qwen3 30B-A3B";
    out.layers = 48;
    out.hiddenSize = 2048;
    out.kvHeads = 4;
    out.ffnIntermediateSize = 0;
    out.vocabSize = 151936;
    out.moe = MoeShape();
    out.moe->routedExperts = 128;
    out.moe->expertsPerToken = 8;
    out.moe->expertIntermediateSize = 768;
    return out;
}

Framework framework(const char* id, const char* stack, std::vector<std::string> software,
                    std::vector<std::pair<std::string, std::string>> defaults) {
    Framework out;
    out.id = out.name = id;
    out.stack = stack;
    out.software = std::move(software);
    out.defaults = std::move(defaults);
    return out;
}

std::vector<Framework> frameworks() {
    const std::vector<std::pair<std::string, std::string>> megatron{
        {"plan.sharding", "zero1"},         {"plan.micro_batch", "1"},
        {"plan.optimizer", "adam"},         {"plan.recompute", "none"},
        {"plan.overlap.tensor", "0 %"},     {"plan.overlap.gradient", "44 %"},
        {"plan.attention_kernel", "cudnn"}, {"plan.cuda_graph_scope", "partial"},
        {"plan.dispatcher", "deepep"}};
    std::vector<std::pair<std::string, std::string>> bridge = megatron;
    bridge.emplace_back("plan.expert_tensor_parallel", "1");
    const std::vector<std::pair<std::string, std::string>> torch{
        {"plan.sharding", "fsdp2"},         {"plan.micro_batch", "1"},
        {"plan.optimizer", "adam"},         {"plan.recompute", "none"},
        {"plan.overlap.tensor", "0 %"},     {"plan.overlap.gradient", "90 %"},
        {"plan.attention_kernel", "cudnn"}, {"plan.cuda_graph_scope", "partial"},
        {"plan.dispatcher", "nccl"}};
    std::vector<Framework> out{framework("megatron-core", "megatron", {"Megatron-Core"}, megatron),
                               framework("megatron-bridge", "megatron-bridge", {"Megatron Bridge"}, bridge),
                               framework("torchtitan", "fsdp", {"torchtitan"}, torch),
                               framework("torchtitan-eager", "fsdp-eager", {"torchtitan ... eager"}, torch),
                               framework("transformers", "fsdp-eager", {"TRL"}, torch),
                               framework("deepspeed", "deepspeed", {"DeepSpeed"}, torch)};
    out[0].overlapped = {{"plan.overlap.tensor", "62 %"}, {"plan.overlap.expert", "75 %"}};
    out[2].overlapped = {{"plan.overlap.gradient", "95 %"}};
    return out;
}

std::vector<Framework> engines() {
    const auto engine = [](const char* id, const char* stack, const char* words) {
        Framework out = framework(id, stack, {words},
                                  {{"plan.chunk_tokens", "8192"},
                                   {"plan.max_batch", "256"},
                                   {"plan.mixed_prefill", "true"},
                                   {"plan.kv_block", "16"},
                                   {"plan.memory_utilization", "90 %"},
                                   {"plan.cuda_graphs", "true"}});
        out.memoryShare = "all";
        out.cacheOfRequest = "growing";
        return out;
    };
    return {engine("vllm", "vllm", "vLLM"), engine("sglang-0.5.9", "sglang", "SGLang")};
}

/// A catalog without any price knows no region.
Price price() {
    Price out;
    out.item = "p5.48xlarge";
    out.id = "p5.48xlarge/us-east-2";
    out.region = "us-east-2";
    out.rate = DollarsPerHour::si(55 / 3600.0);
    out.date = "2026-01-01";
    return out;
}

} // namespace

Catalog fittedCatalog() {
    Catalog out;
    out.version = "2026-01-01";
    out.gpus = gpus();
    out.instances = instances();
    out.models = {dense(), experts()};
    out.frameworks = frameworks();
    out.engines = engines();
    out.prices = {price()};
    out.defaultProfile.parameters = test::usualConstants();
    return out;
}

Parameter& constantIn(Profile& profile, std::string_view name) {
    for (Parameter& each : profile.parameters)
        if (each.name == name)
            return each;
    throw std::out_of_range("there is no constant of that name");
}

void makeExact(Profile& profile, const std::vector<std::string_view>& except) {
    for (Parameter& each : profile.parameters)
        if (std::ranges::find(except, each.name) == except.end())
            each.logSd = 0;
}

ScenarioSpec smallTraining() {
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::training;
    out.workload.model = "llama-3.1-8b";
    out.workload.sequenceLength = 4096;
    out.workload.globalBatch = 64;
    out.cluster.custom.gpu = "h100-sxm";
    out.cluster.custom.gpusPerNode = out.cluster.custom.nvlinkDomain = 8;
    out.cluster.custom.network = "infiniband";
    out.cluster.custom.networkBytesPerSPerGpuPerDirection = 50e9;
    out.cluster.instances = 2;
    out.plan.framework = "megatron-core";
    out.plan.tensorParallel = 2;
    out.plan.dataParallel = 8;
    out.plan.microBatch = 1;
    out.plan.precision = "bf16";
    return out;
}

ScenarioSpec smallServing() {
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::serving;
    out.workload.model = "llama-3.1-8b";
    out.workload.inputTokens = 1000;
    out.workload.outputTokens = 200;
    out.workload.inputTokensCv = out.workload.outputTokensCv = 0;
    out.workload.concurrency = 16;
    out.cluster.custom.gpu = "h100-sxm";
    out.cluster.custom.gpusPerNode = 1;
    out.cluster.instances = 1;
    out.plan.engine = "vllm";
    out.plan.tuning = "vendor";
    out.plan.tensorParallel = out.plan.dataParallel = 1;
    out.plan.weights = "bf16";
    return out;
}

} // namespace alidade::tests
