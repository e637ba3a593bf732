// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/inputs.h"

namespace alidade {

namespace {

constexpr std::array<InputInfo, inputCount> infos{{
    {"layers", "Layers", Dimension::number},
    {"hidden_size", "Hidden size", Dimension::number},
    {"attention_heads", "Attention heads", Dimension::number},
    {"kv_heads", "KV heads", Dimension::number},
    {"head_dim", "Head size", Dimension::number},
    {"ffn_intermediate_size", "MLP width", Dimension::number},
    {"ffn_matrices", "Matrices of the MLP", Dimension::number},
    {"vocab_size", "Vocabulary", Dimension::number},
    {"other_layer_parameters", "Norms and biases of a layer", Dimension::number},
    {"final_norm_parameters", "Final norm", Dimension::number},
    {"learned_positions", "Learned positions", Dimension::number},
    {"sequence_length", "Sequence length", Dimension::tokens},
    {"global_batch", "Global batch", Dimension::number},
    {"tokens", "Tokens of the run", Dimension::tokens},
    {"tensor_parallel", "Tensor parallel", Dimension::number},
    {"pipeline_parallel", "Pipeline parallel", Dimension::number},
    {"virtual_pipeline", "Virtual pipeline chunks", Dimension::number},
    {"data_parallel", "Data parallel", Dimension::number},
    {"micro_batch", "Micro-batch", Dimension::number},
    {"overlap_tensor", "Tensor-parallel traffic hidden by compute", Dimension::ratio},
    {"overlap_gradient", "Backward pass that hides gradient traffic", Dimension::ratio},
    {"planned_goodput", "Goodput as planned", Dimension::ratio},
    {"gpus", "GPUs of the plan", Dimension::number},
    {"paid_items", "Instances or UltraServers paid for", Dimension::number},
    {"peak", "Peak of the GEMM precision", Dimension::flopPerSecond},
    {"bf16_peak", "Dense 16-bit peak", Dimension::flopPerSecond},
    {"hbm_bandwidth", "HBM bandwidth", Dimension::bytesPerSecond},
    {"nvlink_bandwidth", "NVLink per GPU and direction", Dimension::bytesPerSecond},
    {"network_bandwidth", "Network per GPU and direction", Dimension::bytesPerSecond},
    {"capacity_bytes", "Memory per GPU", Dimension::bytes},
    {"nominal_memory_bytes", "Nominal memory of the GPU", Dimension::bytes},
    {"gpu_power", "GPU power (TDP)", Dimension::watts},
    {"price", "Price of an instance or UltraServer", Dimension::dollarsPerHour},
    {"gemm_compute_efficiency", "GEMM: sustained share of the peak", Dimension::ratio},
    {"gemm_memory_efficiency", "HBM: share of bandwidth reached", Dimension::ratio},
    {"gemm_launch", "GEMM: launch and ramp", Dimension::seconds},
    {"gemm_extra_k", "GEMM: prologue and epilogue, as reduction length", Dimension::number},
    {"quantisation_passes", "Quantisation: passes over HBM", Dimension::number},
    {"attention_efficiency", "Attention: share of the peak, long sequences", Dimension::ratio},
    {"attention_half_length", "Attention: length at half efficiency", Dimension::tokens},
    {"attention_backward_ratio", "Attention: backward against forward efficiency", Dimension::ratio},
    {"attention_launch", "Attention: launch and ramp", Dimension::seconds},
    {"elementwise_passes", "Elementwise traffic against fully fused kernels", Dimension::number},
    {"host_time_per_layer", "Host: launching one layer", Dimension::seconds},
    {"all_gather_latency", "NVLink all-gather: latency", Dimension::seconds},
    {"all_gather_fill", "NVLink all-gather: pipeline fill", Dimension::number},
    {"all_gather_efficiency", "NVLink all-gather: share of the wire rate", Dimension::ratio},
    {"reduce_scatter_latency", "NVLink reduce-scatter: latency", Dimension::seconds},
    {"reduce_scatter_fill", "NVLink reduce-scatter: pipeline fill", Dimension::number},
    {"reduce_scatter_efficiency", "NVLink reduce-scatter: share of the wire rate", Dimension::ratio},
    {"all_reduce_latency", "NVLink all-reduce: latency", Dimension::seconds},
    {"all_reduce_fill", "NVLink all-reduce: pipeline fill", Dimension::number},
    {"all_reduce_efficiency", "NVLink all-reduce: bus bandwidth against the wire rate", Dimension::number},
    {"nvlink_step_latency", "NVLink: latency of one step", Dimension::seconds},
    {"network_latency", "Network: message latency", Dimension::seconds},
    {"network_hop_latency", "Network: latency of a switch", Dimension::seconds},
    {"network_efficiency", "Network: share of line rate", Dimension::ratio},
    {"network_speedup", "Network: collectives against the generation before", Dimension::number},
    {"gradient_buckets", "Buckets of a gradient reduction", Dimension::number},
    {"step_overhead", "Fixed cost of a step", Dimension::seconds},
    {"optimizer_traffic", "Optimizer: bytes moved per parameter", Dimension::bytes},
    {"straggler_spread", "Spread of step times between GPUs", Dimension::ratio},
    {"weight_bytes", "Weights: bytes per parameter", Dimension::bytes},
    {"gradient_bytes", "Gradients: bytes per parameter", Dimension::bytes},
    {"gradient_reduce_bytes", "Gradient reduction: bytes per parameter", Dimension::bytes},
    {"optimizer_bytes", "Optimizer states: bytes per parameter", Dimension::bytes},
    {"activation_bytes", "Activations: bytes per element", Dimension::bytes},
    {"logits_bytes", "Logits and loss: bytes per logit", Dimension::bytes},
    {"context_memory", "CUDA context", Dimension::bytes},
    {"communication_memory", "Communication buffers", Dimension::bytes},
    {"fragmentation", "Allocator fragmentation", Dimension::number},
    {"memory_reserve", "Memory kept free", Dimension::ratio},
    {"time_log_sd", "Error of the step time (sd of ln)", Dimension::number},
    {"memory_log_sd", "Error of the memory (sd of ln)", Dimension::number},
    {"gpu_hours_per_failure", "GPU-hours per failure", Dimension::number},
    {"restart_time", "Restart after a failure", Dimension::seconds},
    {"checkpoint_stall", "Stall of a checkpoint", Dimension::seconds},
    {"power_utilisation", "Average draw against TDP", Dimension::ratio},
    {"host_power_per_gpu", "Host power per GPU", Dimension::watts},
    {"pue", "Power usage effectiveness", Dimension::number},
}};
static_assert(infos.back().name != nullptr, "each input has its line");

} // namespace

const InputInfo& inputInfo(Input input) { return infos[static_cast<std::size_t>(input)]; }

InputsT<Traced> tracedInputs(Trace& trace, const Inputs& inputs, const InputOrigins& origins) {
    InputsT<Traced> out;
    for (std::size_t i = 0; i < inputCount; ++i) {
        out.values[i] = Traced::leaf(trace, inputs.values[i], infos[i].name, infos[i].dimension,
                                     origins[i].source, origins[i].kind);
    }
    return out;
}

} // namespace alidade
