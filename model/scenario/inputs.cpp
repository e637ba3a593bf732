// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/inputs.h"

namespace alidade {

namespace {

constexpr std::array<InputInfo, inputCount> infos{{
    {"layers", Dimension::number},
    {"hidden_size", Dimension::number},
    {"attention_heads", Dimension::number},
    {"kv_heads", Dimension::number},
    {"head_dim", Dimension::number},
    {"ffn_intermediate_size", Dimension::number},
    {"ffn_matrices", Dimension::number},
    {"vocab_size", Dimension::number},
    {"other_layer_parameters", Dimension::number},
    {"final_norm_parameters", Dimension::number},
    {"learned_positions", Dimension::number},
    {"sequence_length", Dimension::tokens},
    {"global_batch", Dimension::number},
    {"tokens", Dimension::tokens},
    {"tensor_parallel", Dimension::number},
    {"pipeline_parallel", Dimension::number},
    {"virtual_pipeline", Dimension::number},
    {"data_parallel", Dimension::number},
    {"micro_batch", Dimension::number},
    {"overlap_tensor", Dimension::ratio},
    {"overlap_gradient", Dimension::ratio},
    {"planned_goodput", Dimension::ratio},
    {"gpus", Dimension::number},
    {"paid_items", Dimension::number},
    {"peak", Dimension::flopPerSecond},
    {"bf16_peak", Dimension::flopPerSecond},
    {"hbm_bandwidth", Dimension::bytesPerSecond},
    {"nvlink_bandwidth", Dimension::bytesPerSecond},
    {"network_bandwidth", Dimension::bytesPerSecond},
    {"capacity_bytes", Dimension::bytes},
    {"nominal_memory_bytes", Dimension::bytes},
    {"gpu_power", Dimension::watts},
    {"price", Dimension::dollarsPerHour},
    {"gemm_compute_efficiency", Dimension::ratio},
    {"gemm_memory_efficiency", Dimension::ratio},
    {"gemm_launch", Dimension::seconds},
    {"gemm_extra_k", Dimension::number},
    {"quantisation_passes", Dimension::number},
    {"attention_efficiency", Dimension::ratio},
    {"attention_half_length", Dimension::tokens},
    {"attention_backward_ratio", Dimension::ratio},
    {"attention_launch", Dimension::seconds},
    {"elementwise_passes", Dimension::number},
    {"host_time_per_layer", Dimension::seconds},
    {"all_gather_latency", Dimension::seconds},
    {"all_gather_fill", Dimension::number},
    {"all_gather_efficiency", Dimension::ratio},
    {"reduce_scatter_latency", Dimension::seconds},
    {"reduce_scatter_fill", Dimension::number},
    {"reduce_scatter_efficiency", Dimension::ratio},
    {"all_reduce_latency", Dimension::seconds},
    {"all_reduce_fill", Dimension::number},
    {"all_reduce_efficiency", Dimension::number},
    {"nvlink_step_latency", Dimension::seconds},
    {"network_latency", Dimension::seconds},
    {"network_hop_latency", Dimension::seconds},
    {"network_efficiency", Dimension::ratio},
    {"network_speedup", Dimension::number},
    {"gradient_buckets", Dimension::number},
    {"step_overhead", Dimension::seconds},
    {"optimizer_traffic", Dimension::bytes},
    {"straggler_spread", Dimension::ratio},
    {"weight_bytes", Dimension::bytes},
    {"gradient_bytes", Dimension::bytes},
    {"gradient_reduce_bytes", Dimension::bytes},
    {"optimizer_bytes", Dimension::bytes},
    {"activation_bytes", Dimension::bytes},
    {"logits_bytes", Dimension::bytes},
    {"context_memory", Dimension::bytes},
    {"communication_memory", Dimension::bytes},
    {"fragmentation", Dimension::number},
    {"memory_reserve", Dimension::ratio},
    {"time_log_sd", Dimension::number},
    {"memory_log_sd", Dimension::number},
    {"gpu_hours_per_failure", Dimension::number},
    {"restart_time", Dimension::seconds},
    {"checkpoint_stall", Dimension::seconds},
    {"power_utilisation", Dimension::ratio},
    {"host_power_per_gpu", Dimension::watts},
    {"pue", Dimension::number},
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
