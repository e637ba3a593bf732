// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/fitted_catalog.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alidade::tests {

namespace {

/// Constants of the order of those of H100, with two digits: value, unit, sd of the logarithm.
struct Constant {
    const char* name;
    double value;
    const char* unit;
    double logSd;
};
constexpr Constant constants[] = {
    {"gemm_compute_efficiency", 0.7, "ratio", 0.058},
    {"gemm_memory_efficiency", 0.84, "ratio", 0.08},
    {"gemm_launch", 3.5e-6, "s", 0.3},
    {"gemm_extra_k", 100, "1", 0.5},
    {"attention_efficiency", 0.59, "ratio", 0.11},
    {"attention_half_length", 700, "tokens", 0.29},
    {"attention_backward_ratio", 0.89, "ratio", 0.077},
    {"attention_score_bytes", 0, "bytes", 0},
    {"attention_launch", 1.3e-5, "s", 0.3},
    {"elementwise_passes", 1.3, "1", 0.3},
    {"host_time_per_layer", 0.0008, "s", 0.3},
    {"all_gather_latency", 4.4e-6, "s", 0.15},
    {"all_gather_fill", 6.2e-9, "s/sqrt(bytes)", 0.12},
    {"all_gather_efficiency", 0.88, "ratio", 0.029},
    {"reduce_scatter_latency", 4.6e-6, "s", 0.33},
    {"reduce_scatter_fill", 5.1e-9, "s/sqrt(bytes)", 0.27},
    {"reduce_scatter_efficiency", 0.88, "ratio", 0.042},
    {"all_reduce_latency", 2.6e-5, "s", 0.34},
    {"all_reduce_fill", 7.6e-9, "s/sqrt(bytes)", 0.26},
    {"all_reduce_efficiency", 0.7, "ratio", 0.029},
    {"all_to_all_latency", 7.6e-6, "s", 0.14},
    {"all_to_all_fill", 4.6e-9, "s/sqrt(bytes)", 0.24},
    {"all_to_all_efficiency", 0.8, "ratio", 0.061},
    {"nvlink_step_latency", 8.7e-7, "s", 0.12},
    {"own_part_share", 0.45, "ratio", 0.2},
    {"bulk_step_factor", 4, "1", 0.3},
    {"dispatch_latency", 2.3e-5, "s", 0.39},
    {"dispatch_efficiency_nvlink", 0.68, "ratio", 0.066},
    {"network_latency", 8.1e-6, "s", 0.38},
    {"network_fill", 1.8e-8, "s/sqrt(bytes)", 0.23},
    {"network_efficiency", 0.94, "ratio", 0.049},
    {"network_all_to_all_efficiency", 0.9, "ratio", 0.08},
    {"network_hop_latency", 7.5e-7, "s", 0.5},
    {"network_speedup", 1, "1", 0},
    {"network_speedup_limit", 0.97, "ratio", 0.02},
    {"network_tree_efficiency", 0.92, "ratio", 0.05},
    {"network_pat_efficiency", 0.75, "ratio", 0.1},
    {"network_bulk_sync", 2.7, "1", 0.2},
    {"network_low_latency_share", 0.025, "ratio", 0.6},
    {"network_dispatch_latency", 1.8e-5, "s", 0.99},
    {"network_dispatch_efficiency", 0.9, "ratio", 0.061},
    {"gradient_buckets", 8, "1", 0.3},
    {"step_overhead", 0.041, "s", 0.17},
    {"optimizer_traffic", 30, "bytes", 0.1},
    {"straggler_spread", 0.0061, "ratio", 0.48},
    {"weight_bytes", 2, "bytes", 0},
    {"gradient_bytes", 4, "bytes", 0},
    {"gradient_reduce_bytes", 4, "bytes", 0},
    {"optimizer_bytes", 12, "bytes", 0},
    {"activation_bytes", 2, "bytes", 0},
    {"logits_bytes", 10, "bytes", 0.2},
    {"unfused_product_passes", 3, "1", 0.38},
    {"expert_bias_bytes", 28, "bytes", 0.3},
    {"network_proxy_factor", 1, "1", 0},
    {"context_memory", 1.1e9, "bytes", 0.3},
    {"communication_memory", 1.1e9, "bytes", 0.3},
    {"fragmentation", 1.1, "1", 0.03},
    {"memory_reserve", 0.02, "ratio", 0},
    {"time_log_sd", 0.094, "1", 0.3},
    {"memory_log_sd", 0.092, "1", 0.3},
    {"time_log_sd_moe", 0.19, "1", 0.3},
    {"gpu_hours_per_failure", 51000, "h", 0.5},
    {"failure_log_sd", 0.5, "1", 0},
    {"planned_interruptions", 0.11, "ratio", 0.5},
    {"restart_time", 300, "s", 0.4},
    {"restart_growth", 94, "s", 0.4},
    {"failure_detection", 200, "s", 0.7},
    {"standby_restart", 65, "s", 0.4},
    {"checkpointless_restart", 50, "s", 0.3},
    {"peer_checkpoint_stall", 0.04, "s", 0.7},
    {"nvme_drive_write", 1.1e9, "bytes/s", 0.4},
    {"nvme_drive_read", 2.2e9, "bytes/s", 0.4},
    {"checkpoint_stall", 0.7, "s", 0.5},
    {"checkpoint_writer_rate", 1.5e9, "bytes/s", 0.3},
    {"serial_writer_rate", 6e8, "bytes/s", 0.2},
    {"tcp_client_rate", 2.6e9, "bytes/s", 0.5},
    {"power_utilisation", 0.98, "ratio", 0.03},
    {"idle_power", 0.1, "ratio", 0.2},
    {"waiting_power", 0.5, "ratio", 0.3},
    {"fan_power", 0.2, "ratio", 0.2},
    {"host_power_per_gpu", 200, "W", 0.15},
    {"serving_power_compute", 14, "1", 0.2},
    {"serving_power_memory", 1.4, "1", 0.3},
    {"serving_power_floor", 0.1, "ratio", 0.5},
    {"pue", 1.1, "1", 0.03},
    {"grid_carbon", 0.4, "1", 0.5},
    {"expert_gemm_efficiency", 0.9, "ratio", 0.091},
    {"expert_pad_tokens", 80, "tokens", 0.4},
    {"expert_output_bytes", 0, "bytes", 0},
    {"expert_permute_backward", 1.6, "1", 0},
    {"expert_permute_bytes", 15, "bytes", 0.35},
    {"expert_row_time", 6.3e-9, "s", 0.36},
    {"expert_dispatch_bytes", 2, "bytes", 0},
    {"expert_combine_bytes", 2, "bytes", 0},
    {"sink_attention_factor", 0.27, "ratio", 0.21},
    {"ring_attention_factor", 1, "1", 0.1},
    {"scan_efficiency", 0.029, "ratio", 0.24},
    {"host_time_per_moe_layer", 0.0098, "s", 0.072},
    {"host_time_per_expert", 0.0009, "s", 0.4},
    {"host_graph_share", 0.56, "ratio", 0.12},
    {"adapter_kernel_share", 0.36, "ratio", 0.2},
    {"parameter_gather_bytes", 2, "bytes", 0},
    {"gathered_layers", 2, "1", 0.3},
    {"gathered_vocabularies", 1, "1", 0.2},
    {"loss_parallel_bytes", 0, "bytes", 0},
    {"loss_hole_bytes", 0, "bytes", 0},
    {"recompute_fragmentation", 1, "1", 0},
    {"gathered_parameters", 0, "1", 0},
    {"layer_gather_efficiency", 1, "ratio", 0},
    {"dequantisation_traffic", 8, "bytes", 0.4},
    {"rl_engine_factor", 1, "1", 0.2},
    {"rl_engine_overhead", 10, "s", 0.5},
    {"rl_step_overhead", 0.004, "s", 0.5},
    {"rl_update_factor", 1.2, "1", 0.2},
    {"rl_update_factor_moe", 1.3, "1", 0.3},
    {"rl_score_factor", 1, "1", 0.2},
    {"rl_microbatch_time", 0.05, "s", 0.5},
    {"rl_pass_overhead", 1, "s", 0.7},
    {"rl_offload_efficiency", 0.5, "ratio", 0.3},
    {"rl_residue", 4e9, "bytes", 0.4},
    {"rl_time_log_sd", 0.32, "1", 0.3},
    {"rl_time_log_sd_moe", 0.22, "1", 0.3},
    {"rl_sync_fixed", 1, "s", 0.7},
    {"rl_sync_rate", 1.7e10, "bytes/s", 0.7},
    {"rl_sync_rate_moe", 1.7e10, "bytes/s", 0.7},
    {"host_efficiency", 0.8, "ratio", 0.1},
    {"offloaded_bytes", 8, "bytes", 0},
    {"host_optimizer_bandwidth", 1.7e10, "bytes/s", 0.34},
    {"saved_input_share", 1, "1", 0},
    {"norm_input_bytes", 2, "bytes", 0},
    {"unfused_kept_bytes", 0, "bytes", 0},
    {"per_op_kept_share", 0.4, "ratio", 0.1},
    {"optimizer_flops", 0, "FLOP", 0},
    {"time_log_sd_experts_network", 0.18, "1", 0.3},
    {"serving_gemm_launch", 3.2e-6, "s", 0.14},
    {"serving_gemm_efficiency", 0.74, "ratio", 0.075},
    {"serving_memory_efficiency", 0.89, "ratio", 0.03},
    {"serving_gemm_extra_k", 140, "1", 0.69},
    {"serving_library_factor", 1, "1", 0.3},
    {"serving_quantisation_time", 0, "s", 0.3},
    {"serving_attention_launch", 8e-6, "s", 0.27},
    {"serving_attention_memory_efficiency", 0.89, "ratio", 0.044},
    {"serving_attention_efficiency", 0.61, "ratio", 0.099},
    {"serving_attention_half_length", 870, "tokens", 0.38},
    {"serving_sink_factor", 0.57, "1", 0.29},
    {"serving_latent_efficiency", 0.5, "ratio", 0.3},
    {"serving_elementwise_time", 4.9e-6, "s", 0.24},
    {"serving_linear_time", 1.4e-5, "s", 0.38},
    {"serving_linear_memory_efficiency", 0.61, "ratio", 0.12},
    {"serving_scan_efficiency", 0.1, "ratio", 0.3},
    {"serving_expert_launch", 2e-5, "s", 0.3},
    {"serving_expert_efficiency", 0.5, "ratio", 0.17},
    {"serving_weight_only_factor", 0.5, "1", 0.3},
    {"serving_expert_memory_efficiency", 0.71, "ratio", 0.089},
    {"serving_expert_quantisation_time", 0, "s", 0.3},
    {"serving_expert_pad", 0.8, "1", 0.28},
    {"serving_expert_skew", 1.2, "1", 0.16},
    {"serving_untuned_experts", 1, "1", 0},
    {"serving_permute_bytes", 16, "bytes", 0.23},
    {"serving_all_reduce_latency", 4.6e-6, "s", 0.39},
    {"serving_all_reduce_fill", 1.1e-8, "1", 0.22},
    {"serving_all_reduce_efficiency", 0.68, "ratio", 0.14},
    {"serving_exchange_latency", 2.5e-5, "s", 0.3},
    {"serving_exchange_fill", 1.1e-8, "1", 0.48},
    {"serving_exchange_efficiency", 0.49, "ratio", 0.3},
    {"serving_host_per_kernel", 5.5e-6, "s", 0.5},
    {"serving_step_overhead", 0.001, "s", 0.3},
    {"serving_sequence_overhead", 8e-6, "s", 0.3},
    {"serving_row_factor", 1, "1", 0},
    {"serving_prompt_overhead", 1e-5, "s", 0},
    {"serving_stage_time", 1.5e-5, "s", 0.4},
    {"serving_request_overhead", 0.03, "s", 0.3},
    {"serving_waited_steps", 2, "1", 0.3},
    {"serving_workspace", 2.5e9, "bytes", 0.3},
    {"serving_memory_spread", 0.3, "ratio", 0},
    {"serving_sample_bytes", 10, "bytes", 0.3},
    {"serving_sort_bytes", 0, "bytes", 0},
    {"serving_front_end_time", 0, "s", 0},
    {"serving_transfer_efficiency", 0.8, "ratio", 0.3},
    {"serving_host_link_efficiency", 0.8, "ratio", 0.3},
    {"serving_time_log_sd", 0.09, "1", 0.3},
    {"serving_time_log_sd_moe", 0.16, "1", 0.3},
    {"serving_ttft_log_sd", 0.36, "1", 0.3},
    {"serving_throughput_log_sd", 0.18, "1", 0.3},
};

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
    for (const Constant& each : constants) {
        Parameter& p = out.defaultProfile.parameters.emplace_back();
        p.name = each.name;
        p.gpu = p.precision = p.stack = "*";
        p.value = each.value;
        p.unit = each.unit;
        p.logSd = each.logSd;
        p.source = "a test";
        p.kind = SourceKind::fitted;
    }
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
