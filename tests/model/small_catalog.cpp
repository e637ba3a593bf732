// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/small_catalog.h"

#include "tests/model/usual_constants.h"

#include <algorithm>
#include <string>
#include <vector>

namespace alidade::test {

namespace {

/// Where the constants are not the usual ones: those of EFA, and of servers as they were measured.
struct OwnConstant {
    const char* name;
    double value, logSd;
};
constexpr OwnConstant own[] = {
    {"quantisation_passes", 0.8, 0.39},
    {"elementwise_passes", 1.3, 0.29},
    {"host_time_per_layer", 0.0008, 0.4},
    {"network_latency", 2.8e-5, 0.3},
    {"network_fill", 3e-8, 0.25},
    {"network_efficiency", 0.93, 0.05},
    {"network_all_to_all_efficiency", 0.89, 0.071},
    {"network_dispatch_latency", 0.0013, 0.19},
    {"network_dispatch_efficiency", 0.87, 0.072},
    {"step_overhead", 0.04, 0.5},
    {"network_proxy_factor", 1.1, 0.14},
    {"time_log_sd_moe", 0.12, 0.3},
    {"grid_carbon", 0.4, 0.1},
    {"network_host_time", 0.015, 0.15},
    {"serving_library_factor", 1.1, 0.086},
    {"serving_expert_launch", 2.4e-5, 0.28},
    {"serving_exchange_latency", 2.7e-5, 0.44},
    {"serving_step_overhead", 0.00084, 0.21},
    {"serving_sequence_overhead", 8.2e-6, 0.47},
    {"serving_request_overhead", 0.026, 0.46},
    {"serving_waited_steps", 2.3, 0.48},
    {"serving_ttft_log_sd", 0.27, 0.3},
};

Gpu gpuOf(const char* id, const char* architecture, double sixteenBit, double memory) {
    Gpu out;
    out.id = id;
    out.name = std::string("GPU ") + id;
    out.vendor = "NVIDIA";
    out.architecture = architecture;
    out.bf16 = out.fp16 = FlopPerSecond::si(sixteenBit);
    out.memory = Bytes::si(memory);
    out.memoryBandwidth = BytesPerSecond::si(memory * 40);
    out.nvlinkPerDirection = BytesPerSecond::si(4e11);
    out.pciePerDirection = BytesPerSecond::si(5e10);
    out.pcieGeneration = 5;
    out.power = Watts::si(700);
    return out;
}

Instance instanceOf(const char* id, const Gpu& gpu, int gpus) {
    Instance out;
    out.id = id;
    out.family = id;
    out.gpu = gpu.id;
    out.gpus = out.nvlinkDomain = gpus;
    out.gpuMemory = Bytes::si(gpu.memory.si() * gpus);
    out.networkCards = 4 * gpus;
    out.topologyNetworkNodes = 3;
    out.nvmeDrives = 8;
    if (gpus > 1) {
        out.efaGeneration = 2;
        out.efaPerDirection = BytesPerSecond::si(5e10 * gpus);
        out.gpuDirectRdma = true;
    }
    return out;
}

Price priceOf(const char* item, const char* region, Purchase purchase, double rate) {
    Price out;
    out.id = std::string(item) + "/" + region;
    out.item = item;
    out.region = region;
    out.purchase = purchase;
    out.rate = DollarsPerHour::si(rate);
    out.date = "2026-11-01";
    return out;
}

Architecture denseModel(const char* id, int layers, int hidden, int ffn) {
    Architecture out;
    out.id = id;
    out.name = std::string("Model ") + id;
    out.family = "made-up";
    out.layers = layers;
    out.hiddenSize = hidden;
    out.headDim = 128;
    out.attentionHeads = hidden / out.headDim;
    out.kvHeads = 8;
    out.ffnIntermediateSize = ffn;
    out.vocabSize = 128'000;
    out.maxContextTokens = 131'072;
    out.nativeWeightFormat = "bf16";
    return out;
}

Architecture expertModel() {
    Architecture out = denseModel("moe", 24, 2048, 4096);
    MoeShape moe;
    moe.routedExperts = 16;
    moe.expertsPerToken = 2;
    moe.expertIntermediateSize = 2048;
    out.moe = moe;
    return out;
}

std::vector<Parameter> constantsOf() {
    std::vector<Parameter> out = usualConstants();
    for (const OwnConstant& each : own) {
        auto found = std::ranges::find(out, each.name, &Parameter::name);
        if (found == out.end()) {
            found = out.insert(out.end(), out.front());
            found->name = each.name;
            found->unit.clear();
        }
        found->value = each.value;
        found->logSd = each.logSd;
    }
    for (Parameter& each : out)
        each.source = std::string("measured: ") + each.name;
    return out;
}

Catalog made() {
    Catalog out;
    out.version = "2026-11-20";
    Gpu a = gpuOf("a", "Hopper", 1e15, 8e10);
    a.fp8 = FlopPerSecond::si(2e15);
    const Gpu b = gpuOf("b", "Ampere", 3e14, 4e10);
    out.gpus = {a, b};
    Instance part = instanceOf("a.4u", a, 4);
    part.ultraserverOnly = true;
    part.nvlinkDomain = 16;
    out.instances = {instanceOf("a.8", a, 8), instanceOf("a.1", a, 1), instanceOf("b.8", b, 8), part};
    UltraServer ultra;
    ultra.id = "u-a.16";
    ultra.instance = part.id;
    ultra.instances = 4;
    ultra.gpu = a.id;
    ultra.gpus = ultra.nvlinkDomain = 16;
    out.ultraservers = {ultra};
    EfaGeneration efa;
    efa.id = "efa2";
    efa.version = 2;
    efa.rdmaRead = efa.rdmaWrite = true;
    out.efa = {efa};
    StorageTier lustre;
    lustre.id = "lustre";
    lustre.name = "Lustre";
    lustre.service = "fsx_lustre";
    lustre.throughputPerTib = BytesPerSecond::si(1e9);
    lustre.clientMax = BytesPerSecond::si(1e10);
    lustre.minCapacity = lustre.capacityStep = Bytes::si(2.4e12);
    lustre.dollarsPerGbMonth = 0.5;
    out.storage = {lustre};
    out.prices = {priceOf("a.8", "us-east-2", Purchase::onDemand, 40),
                  priceOf("a.8", "us-east-2", Purchase::capacityBlock, 30),
                  priceOf("a.8", "us-west-2", Purchase::onDemand, 44),
                  priceOf("a.1", "us-east-2", Purchase::onDemand, 5),
                  priceOf("b.8", "us-east-2", Purchase::onDemand, 16),
                  priceOf("u-a.16", "us-east-2", Purchase::onDemand, 100)};
    out.models = {denseModel("dense", 32, 4096, 14'336), denseModel("small", 16, 2048, 8192), expertModel()};
    Framework trainer;
    trainer.id = trainer.stack = "trainer";
    trainer.name = "Trainer";
    trainer.defaults = {{"plan.sharding", "zero1"},         {"plan.micro_batch", "1"},
                        {"plan.optimizer", "adam"},         {"plan.recompute", "none"},
                        {"plan.overlap.tensor", "0 %"},     {"plan.overlap.gradient", "50 %"},
                        {"plan.attention_kernel", "cudnn"}, {"plan.dispatcher", "deepep"}};
    trainer.overlapped = {{"plan.overlap.tensor", "60 %"}, {"plan.overlap.expert", "75 %"}};
    out.frameworks = {trainer};
    Framework engine;
    engine.id = engine.stack = "engine";
    engine.name = "Engine";
    engine.memoryShare = "all";
    engine.cacheOfRequest = "growing";
    engine.defaults = {
        {"plan.memory_utilization", "90 %"}, {"plan.max_batch", "256"}, {"plan.chunk_tokens", "8192"},
        {"plan.mixed_prefill", "true"},      {"plan.kv_block", "16"},   {"plan.kv_cache", "bf16"},
        {"plan.cuda_graphs", "true"}};
    out.engines = {engine};
    out.defaultProfile.date = "2026-11-20";
    out.defaultProfile.parameters = constantsOf();
    return out;
}

} // namespace

const Catalog& smallCatalog() {
    static const Catalog catalog = made();
    return catalog;
}

ScenarioSpec trainingSpec() {
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::training;
    out.workload.model = "dense";
    out.workload.sequenceLength = 4096;
    out.workload.globalBatch = 64;
    out.workload.tokens = 1e11;
    out.cluster.instance = "a.8";
    out.cluster.instances = 2;
    out.cluster.region = "us-east-2";
    out.cluster.purchase = "on_demand";
    out.plan.framework = "trainer";
    out.plan.tensorParallel = 4;
    return out;
}

ScenarioSpec servingSpec(double requestsPerSecond) {
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::serving;
    out.workload.model = "dense";
    out.workload.inputTokens = 1000;
    out.workload.outputTokens = 100;
    out.workload.requestRatePerS = requestsPerSecond;
    out.cluster.instance = "a.8";
    out.cluster.instances = 1;
    out.cluster.region = "us-east-2";
    out.cluster.purchase = "on_demand";
    out.plan.engine = "engine";
    out.plan.tensorParallel = 2;
    return out;
}

ScenarioSpec reinforcementSpec() {
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::reinforcementLearning;
    out.workload.model = "dense";
    ReinforcementSpec& task = out.workload.reinforcement;
    task.algorithm = "grpo";
    task.promptsPerStep = 64;
    task.samplesPerPrompt = 8;
    task.promptTokens = 512;
    task.responseTokens = 2000;
    task.responseLimit = 8192;
    task.steps = 100;
    out.cluster.instance = "a.8";
    out.cluster.instances = 2;
    out.cluster.region = "us-east-2";
    out.cluster.purchase = "on_demand";
    RolePlanSpec& roles = out.roles.write();
    roles.placement = "colocated";
    roles.rollout.engine = "engine";
    roles.rollout.tensorParallel = 2;
    roles.train.framework = "trainer";
    roles.train.tensorParallel = 4;
    return out;
}

} // namespace alidade::test
