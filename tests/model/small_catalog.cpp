// SPDX-License-Identifier: GPL-3.0-or-later
#include "small_catalog.h"

#include <string>

namespace alidade::test {

namespace {

struct Constant {
    const char* name;
    double value, logSd;
};
constexpr Constant constants[] = {
    // clang-format off
    {"gemm_compute_efficiency", 0.7, 0.058},
    {"gemm_memory_efficiency", 0.84, 0.08},
    {"gemm_launch", 3.5e-6, 0.3},
    {"gemm_extra_k", 100, 0.5},
    {"quantisation_passes", 0.8, 0.39},
    {"attention_efficiency", 0.59, 0.11},
    {"attention_half_length", 700, 0.29},
    {"attention_backward_ratio", 0.89, 0.077},
    {"attention_score_bytes", 0, 0},
    {"attention_launch", 1.3e-5, 0.3},
    {"elementwise_passes", 1.3, 0.29},
    {"host_time_per_layer", 0.0008, 0.4},
    {"all_gather_latency", 4.4e-6, 0.15},
    {"all_gather_fill", 6.2e-9, 0.12},
    {"all_gather_efficiency", 0.88, 0.029},
    {"reduce_scatter_latency", 4.6e-6, 0.33},
    {"reduce_scatter_fill", 5.1e-9, 0.27},
    {"reduce_scatter_efficiency", 0.88, 0.042},
    {"all_reduce_latency", 2.6e-5, 0.34},
    {"all_reduce_fill", 7.6e-9, 0.26},
    {"all_reduce_efficiency", 0.7, 0.029},
    {"all_to_all_latency", 7.6e-6, 0.14},
    {"all_to_all_fill", 4.6e-9, 0.24},
    {"all_to_all_efficiency", 0.8, 0.061},
    {"nvlink_step_latency", 8.7e-7, 0.12},
    {"own_part_share", 0.45, 0.2},
    {"bulk_step_factor", 4, 0.3},
    {"dispatch_latency", 2.3e-5, 0.39},
    {"dispatch_efficiency_nvlink", 0.68, 0.066},
    {"network_latency", 2.8e-5, 0.3},
    {"network_fill", 3e-8, 0.25},
    {"network_efficiency", 0.93, 0.05},
    {"network_all_to_all_efficiency", 0.89, 0.071},
    {"network_hop_latency", 7.5e-7, 0.5},
    {"network_speedup", 1, 0},
    {"network_speedup_limit", 0.97, 0.02},
    {"network_tree_efficiency", 0.92, 0.05},
    {"network_pat_efficiency", 0.75, 0.1},
    {"network_bulk_sync", 2.7, 0.2},
    {"network_low_latency_share", 0.025, 0.6},
    {"network_dispatch_latency", 0.0013, 0.19},
    {"network_dispatch_efficiency", 0.87, 0.072},
    {"gradient_buckets", 8, 0.3},
    {"step_overhead", 0.04, 0.5},
    {"optimizer_traffic", 30, 0.1},
    {"straggler_spread", 0.0061, 0.48},
    {"weight_bytes", 2, 0},
    {"gradient_bytes", 4, 0},
    {"gradient_reduce_bytes", 4, 0},
    {"optimizer_bytes", 12, 0},
    {"activation_bytes", 2, 0},
    {"logits_bytes", 10, 0.2},
    {"unfused_product_passes", 3, 0.38},
    {"expert_bias_bytes", 28, 0.3},
    {"network_proxy_factor", 1.1, 0.14},
    {"context_memory", 1100000000.0, 0.3},
    {"communication_memory", 1100000000.0, 0.3},
    {"fragmentation", 1.1, 0.03},
    {"memory_reserve", 0.02, 0},
    {"time_log_sd", 0.094, 0.3},
    {"memory_log_sd", 0.092, 0.3},
    {"time_log_sd_moe", 0.12, 0.3},
    {"gpu_hours_per_failure", 51000, 0.5},
    {"failure_log_sd", 0.5, 0},
    {"planned_interruptions", 0.11, 0.5},
    {"restart_time", 300, 0.4},
    {"restart_growth", 94, 0.4},
    {"failure_detection", 200, 0.7},
    {"standby_restart", 65, 0.4},
    {"checkpointless_restart", 50, 0.3},
    {"peer_checkpoint_stall", 0.04, 0.7},
    {"nvme_drive_write", 1100000000.0, 0.4},
    {"nvme_drive_read", 2200000000.0, 0.4},
    {"checkpoint_stall", 0.7, 0.5},
    {"checkpoint_writer_rate", 1500000000.0, 0.3},
    {"tcp_client_rate", 2600000000.0, 0.5},
    {"power_utilisation", 0.98, 0.03},
    {"idle_power", 0.1, 0.2},
    {"waiting_power", 0.5, 0.3},
    {"fan_power", 0.2, 0.2},
    {"host_power_per_gpu", 200, 0.15},
    {"serving_power_compute", 14, 0.2},
    {"serving_power_memory", 1.4, 0.3},
    {"serving_power_floor", 0.1, 0.5},
    {"pue", 1.1, 0.03},
    {"grid_carbon", 0.4, 0.1},
    {"expert_gemm_efficiency", 0.9, 0.091},
    {"expert_pad_tokens", 80, 0.4},
    {"expert_output_bytes", 0, 0},
    {"expert_permute_backward", 1.6, 0},
    {"expert_permute_bytes", 15, 0.35},
    {"expert_row_time", 6.3e-9, 0.36},
    {"expert_dispatch_bytes", 2, 0},
    {"expert_combine_bytes", 2, 0},
    {"sink_attention_factor", 0.27, 0.21},
    {"ring_attention_factor", 1, 0.1},
    {"scan_efficiency", 0.029, 0.24},
    {"host_time_per_moe_layer", 0.0098, 0.072},
    {"host_time_per_expert", 0.0009, 0.4},
    {"host_graph_share", 0.56, 0.12},
    {"adapter_kernel_share", 0.36, 0.2},
    {"network_host_time", 0.015, 0.15},
    {"parameter_gather_bytes", 2, 0},
    {"gathered_layers", 2, 0.3},
    {"gathered_vocabularies", 1, 0.2},
    {"loss_parallel_bytes", 0, 0},
    {"loss_hole_bytes", 0, 0},
    {"recompute_fragmentation", 1, 0},
    {"gathered_parameters", 0, 0},
    {"layer_gather_efficiency", 1, 0},
    {"dequantisation_traffic", 8, 0.4},
    {"rl_engine_factor", 1, 0.2},
    {"rl_engine_overhead", 10, 0.5},
    {"rl_step_overhead", 0.004, 0.5},
    {"rl_update_factor", 1.2, 0.2},
    {"rl_update_factor_moe", 1.3, 0.3},
    {"rl_score_factor", 1, 0.2},
    {"rl_microbatch_time", 0.05, 0.5},
    {"rl_pass_overhead", 1, 0.7},
    {"rl_offload_efficiency", 0.5, 0.3},
    {"rl_residue", 4000000000.0, 0.4},
    {"rl_time_log_sd", 0.32, 0.3},
    {"rl_time_log_sd_moe", 0.22, 0.3},
    {"rl_sync_fixed", 1, 0.7},
    {"rl_sync_rate", 17000000000.0, 0.7},
    {"rl_sync_rate_moe", 17000000000.0, 0.7},
    {"host_efficiency", 0.8, 0.1},
    {"offloaded_bytes", 8, 0},
    {"host_optimizer_bandwidth", 17000000000.0, 0.34},
    {"saved_input_share", 1, 0},
    {"norm_input_bytes", 2, 0},
    {"unfused_kept_bytes", 0, 0},
    {"per_op_kept_share", 0.4, 0.1},
    {"optimizer_flops", 0, 0},
    {"time_log_sd_experts_network", 0.18, 0.3},
    {"serving_gemm_launch", 3.2e-6, 0.14},
    {"serving_gemm_efficiency", 0.74, 0.075},
    {"serving_memory_efficiency", 0.89, 0.03},
    {"serving_gemm_extra_k", 140, 0.69},
    {"serving_library_factor", 1.1, 0.086},
    {"serving_quantisation_time", 0, 0.3},
    {"serving_attention_launch", 8e-6, 0.27},
    {"serving_attention_memory_efficiency", 0.89, 0.044},
    {"serving_attention_efficiency", 0.61, 0.099},
    {"serving_attention_half_length", 870, 0.38},
    {"serving_sink_factor", 0.57, 0.29},
    {"serving_latent_efficiency", 0.5, 0.3},
    {"serving_elementwise_time", 4.9e-6, 0.24},
    {"serving_linear_time", 1.4e-5, 0.38},
    {"serving_linear_memory_efficiency", 0.61, 0.12},
    {"serving_scan_efficiency", 0.1, 0.3},
    {"serving_expert_launch", 2.4e-5, 0.28},
    {"serving_expert_efficiency", 0.5, 0.17},
    {"serving_weight_only_factor", 0.5, 0.3},
    {"serving_expert_memory_efficiency", 0.71, 0.089},
    {"serving_expert_quantisation_time", 0, 0.3},
    {"serving_expert_pad", 0.8, 0.28},
    {"serving_expert_skew", 1.2, 0.16},
    {"serving_untuned_experts", 1, 0},
    {"serving_permute_bytes", 16, 0.23},
    {"serving_all_reduce_latency", 4.6e-6, 0.39},
    {"serving_all_reduce_fill", 1.1e-8, 0.22},
    {"serving_all_reduce_efficiency", 0.68, 0.14},
    {"serving_exchange_latency", 2.7e-5, 0.44},
    {"serving_exchange_fill", 1.1e-8, 0.48},
    {"serving_exchange_efficiency", 0.49, 0.3},
    {"serving_host_per_kernel", 5.5e-6, 0.5},
    {"serving_step_overhead", 0.00084, 0.21},
    {"serving_sequence_overhead", 8.2e-6, 0.47},
    {"serving_row_factor", 1, 0},
    {"serving_prompt_overhead", 1e-5, 0},
    {"serving_stage_time", 1.5e-5, 0.4},
    {"serving_request_overhead", 0.026, 0.46},
    {"serving_waited_steps", 2.3, 0.48},
    {"serving_workspace", 2500000000.0, 0.3},
    {"serving_memory_spread", 0.3, 0},
    {"serving_sample_bytes", 10, 0.3},
    {"serving_sort_bytes", 0, 0},
    {"serving_front_end_time", 0, 0},
    {"serving_transfer_efficiency", 0.8, 0.3},
    {"serving_host_link_efficiency", 0.8, 0.3},
    {"serving_time_log_sd", 0.09, 0.3},
    {"serving_time_log_sd_moe", 0.16, 0.3},
    {"serving_ttft_log_sd", 0.27, 0.3},
    {"serving_throughput_log_sd", 0.18, 0.3},
    // clang-format on
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
    for (const Constant& each : constants) {
        Parameter parameter;
        parameter.name = each.name;
        parameter.gpu = parameter.precision = parameter.stack = "*";
        parameter.value = each.value;
        parameter.logSd = each.logSd;
        parameter.source = std::string("measured: ") + each.name;
        parameter.kind = SourceKind::fitted;
        out.defaultProfile.parameters.push_back(parameter);
    }
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
