// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/signal.h"

#include <algorithm>
#include <cassert>

namespace alidade {

namespace {

using enum Signal;
using Scope = SignalScope;
using Kind = SignalKind;

constexpr std::array infos = {
    SignalInfo{smClock, "sm_clock", "SM clock", Scope::gpu, Kind::gauge, "Hz"},
    SignalInfo{gpuTemperature, "gpu_temperature", "GPU temperature", Scope::gpu, Kind::gauge, "degC"},
    SignalInfo{memoryTemperature, "memory_temperature", "HBM temperature", Scope::gpu, Kind::gauge, "degC"},
    SignalInfo{gpuPower, "gpu_power", "Power", Scope::gpu, Kind::gauge, "W"},
    SignalInfo{gpuUtilization, "gpu_utilization", "GPU busy", Scope::gpu, Kind::gauge, "ratio"},
    SignalInfo{memoryUsed, "memory_used", "GPU memory used", Scope::gpu, Kind::gauge, "bytes"},
    SignalInfo{tensorActive, "tensor_active", "Tensor pipe active", Scope::gpu, Kind::gauge, "ratio"},
    SignalInfo{smActive, "sm_active", "SM active", Scope::gpu, Kind::gauge, "ratio"},
    SignalInfo{engineActive, "engine_active", "Graphics engine active", Scope::gpu, Kind::gauge, "ratio"},
    SignalInfo{dramActive, "dram_active", "HBM active", Scope::gpu, Kind::gauge, "ratio"},
    SignalInfo{nvlinkTransmit, "nvlink_transmit", "NVLink sent", Scope::gpu, Kind::gauge, "bytes/s"},
    SignalInfo{nvlinkReceive, "nvlink_receive", "NVLink received", Scope::gpu, Kind::gauge, "bytes/s"},
    SignalInfo{pcieTransmit, "pcie_transmit", "PCIe sent", Scope::gpu, Kind::gauge, "bytes/s"},
    SignalInfo{pcieReceive, "pcie_receive", "PCIe received", Scope::gpu, Kind::gauge, "bytes/s"},
    SignalInfo{xid, "xid", "XID", Scope::gpu, Kind::code, "1"},
    SignalInfo{eccSingleBit, "ecc_single_bit", "ECC errors, single bit", Scope::gpu, Kind::events, "1"},
    SignalInfo{eccDoubleBit, "ecc_double_bit", "ECC errors, double bit", Scope::gpu, Kind::events, "1"},
    SignalInfo{rowsRemappedUncorrectable, "rows_remapped_uncorrectable", "Rows remapped, uncorrectable",
               Scope::gpu, Kind::gauge, "1"},
    SignalInfo{rowsRemappedCorrectable, "rows_remapped_correctable", "Rows remapped, correctable", Scope::gpu,
               Kind::gauge, "1"},
    SignalInfo{rowRemapFailure, "row_remap_failure", "Row remap failure", Scope::gpu, Kind::gauge, "1"},
    SignalInfo{rowRemapPending, "row_remap_pending", "Row remap pending", Scope::gpu, Kind::gauge, "1"},
    SignalInfo{powerViolation, "power_violation", "Throttled by power", Scope::gpu, Kind::rate, "ratio"},
    SignalInfo{thermalViolation, "thermal_violation", "Throttled by heat", Scope::gpu, Kind::rate, "ratio"},
    SignalInfo{nvlinkErrors, "nvlink_errors", "NVLink errors", Scope::gpu, Kind::events, "1"},
    SignalInfo{efaTransmit, "efa_transmit", "EFA sent", Scope::node, Kind::rate, "bytes/s"},
    SignalInfo{efaReceive, "efa_receive", "EFA received", Scope::node, Kind::rate, "bytes/s"},
    SignalInfo{efaRetransmitted, "efa_retransmitted", "EFA retransmitted", Scope::device, Kind::rate,
               "bytes/s"},
    SignalInfo{efaRetransmitTimeouts, "efa_retransmit_timeouts", "EFA retransmit timeouts", Scope::device,
               Kind::events, "1"},
    SignalInfo{efaImpairedConnections, "efa_impaired_connections", "EFA impaired connections", Scope::device,
               Kind::events, "1"},
    SignalInfo{efaUnresponsiveRemotes, "efa_unresponsive_remotes", "EFA unresponsive remotes", Scope::device,
               Kind::events, "1"},
    SignalInfo{targetUp, "target_up", "Exporter answers", Scope::node, Kind::gauge, "1"},
    SignalInfo{bootTime, "boot_time", "Boot time", Scope::node, Kind::gauge, "s"},
    SignalInfo{hostMemoryAvailable, "host_memory_available", "Host memory available", Scope::node,
               Kind::gauge, "bytes"},
    SignalInfo{lustreRead, "lustre_read", "Lustre read", Scope::node, Kind::rate, "bytes/s"},
    SignalInfo{lustreWrite, "lustre_write", "Lustre written", Scope::node, Kind::rate, "bytes/s"},
    SignalInfo{nodeComputeTime, "node_compute_time", "Own compute time of a step", Scope::node, Kind::gauge,
               "s"},
    SignalInfo{stepTime, "step_time", "Step time", Scope::job, Kind::gauge, "s"},
    SignalInfo{stepsPerSecond, "steps_per_second", "Steps", Scope::job, Kind::rate, "1/s"},
    SignalInfo{tokensPerSecond, "tokens_per_second", "Training throughput", Scope::job, Kind::rate,
               "tokens/s"},
    SignalInfo{modelFlopsUtilization, "mfu", "MFU as the job reports it", Scope::job, Kind::gauge, "ratio"},
    SignalInfo{modelFlopsPerGpu, "model_flops_per_gpu", "Model FLOP/s per GPU as the job reports it",
               Scope::job, Kind::gauge, "FLOP/s"},
    SignalInfo{loss, "loss", "Loss", Scope::job, Kind::gauge, "1"},
    SignalInfo{lastStep, "last_step", "Time of the last step", Scope::job, Kind::gauge, "s"},
    SignalInfo{checkpointShare, "checkpoint_share", "Time in checkpoints", Scope::job, Kind::rate, "ratio"},
    SignalInfo{dataStallShare, "data_stall_share", "Time waiting for data", Scope::job, Kind::rate, "ratio"},
    SignalInfo{requestsRunning, "requests_running", "Requests running", Scope::engine, Kind::gauge, "1"},
    SignalInfo{requestsWaiting, "requests_waiting", "Requests waiting", Scope::engine, Kind::gauge, "1"},
    SignalInfo{requestsPerSecond, "requests_per_second", "Requests", Scope::engine, Kind::rate, "1/s"},
    SignalInfo{promptTokensPerSecond, "prompt_tokens_per_second", "Prompt tokens", Scope::engine, Kind::rate,
               "tokens/s"},
    SignalInfo{generationTokensPerSecond, "generation_tokens_per_second", "Generated tokens", Scope::engine,
               Kind::rate, "tokens/s"},
    SignalInfo{preemptionsPerSecond, "preemptions_per_second", "Preemptions", Scope::engine, Kind::rate,
               "1/s"},
    SignalInfo{kvCacheUse, "kv_cache_use", "KV cache in use", Scope::engine, Kind::gauge, "ratio"},
    SignalInfo{prefixHitShare, "prefix_hit_share", "Prefix cache hits", Scope::engine, Kind::rate, "ratio"},
    SignalInfo{promptTokens, "prompt_tokens", "Prompt length", Scope::engine, Kind::distribution, "tokens"},
    SignalInfo{outputTokens, "output_tokens", "Output length", Scope::engine, Kind::distribution, "tokens"},
    SignalInfo{timeToFirstToken, "ttft", "Time to first token", Scope::engine, Kind::distribution, "s"},
    SignalInfo{interTokenLatency, "itl", "Inter-token latency", Scope::engine, Kind::distribution, "s"},
    SignalInfo{timePerOutputToken, "tpot", "Time per output token", Scope::engine, Kind::distribution, "s"},
    SignalInfo{endToEndLatency, "e2e", "End-to-end latency", Scope::engine, Kind::distribution, "s"},
    SignalInfo{queueTime, "queue_time", "Queue time", Scope::engine, Kind::distribution, "s"},
    SignalInfo{prefillTime, "prefill_time", "Prefill time of a request", Scope::engine, Kind::distribution,
               "s"},
    SignalInfo{prefillShare, "prefill_share", "Time in prefill", Scope::engine, Kind::rate, "ratio"},
    SignalInfo{decodeTime, "decode_time", "Decode time of a request", Scope::engine, Kind::distribution, "s"},
    SignalInfo{kvCacheBlocks, "kv_cache_tokens", "KV cache size", Scope::engine, Kind::gauge, "tokens"},
};

constexpr bool inOrder() {
    for (std::size_t i = 0; i < infos.size(); ++i)
        if (static_cast<std::size_t>(infos[i].signal) != i)
            return false;
    return true;
}
static_assert(inOrder());

} // namespace

std::span<const SignalInfo> allSignals() { return infos; }

const SignalInfo& signalInfo(Signal signal) { return infos[static_cast<std::size_t>(signal)]; }

std::optional<Signal> signalOf(std::string_view id) {
    const auto found = std::ranges::find(infos, id, &SignalInfo::id);
    return found == infos.end() ? std::nullopt : std::optional(found->signal);
}

} // namespace alidade
