// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace alidade {

/// What can be measured on a running cluster, whatever an exporter calls it. Values are in SI base units: the
/// mapping from metrics has done away with MiB, MHz, ms, percent and nanoseconds.
enum class Signal : std::uint8_t {
    // of a GPU (DCGM)
    smClock,
    gpuTemperature,
    memoryTemperature,
    gpuPower,
    gpuUtilization,
    memoryUsed,
    tensorActive,
    smActive,
    engineActive,
    dramActive,
    nvlinkTransmit,
    nvlinkReceive,
    pcieTransmit,
    pcieReceive,
    xid,
    eccSingleBit,
    eccDoubleBit,
    rowsRemappedUncorrectable,
    rowsRemappedCorrectable,
    rowRemapFailure,
    rowRemapPending,
    powerViolation,
    thermalViolation,
    nvlinkErrors,
    // of an EFA device, or of all devices of a node
    efaTransmit,
    efaReceive,
    efaRetransmitted,
    efaRetransmitTimeouts,
    efaImpairedConnections,
    efaUnresponsiveRemotes,
    // of a node
    targetUp,
    bootTime,
    hostMemoryAvailable,
    lustreRead,
    lustreWrite,
    nodeComputeTime,
    // of a training job
    stepTime,
    stepsPerSecond,
    tokensPerSecond,
    modelFlopsUtilization,
    modelFlopsPerGpu,
    loss,
    lastStep,
    checkpointShare,
    dataStallShare,
    // of a serving engine
    requestsRunning,
    requestsWaiting,
    requestsPerSecond,
    promptTokensPerSecond,
    generationTokensPerSecond,
    preemptionsPerSecond,
    kvCacheUse,
    prefixHitShare,
    promptTokens,
    outputTokens,
    timeToFirstToken,
    interTokenLatency,
    timePerOutputToken,
    endToEndLatency,
    queueTime,
    prefillTime,
    prefillShare,
    decodeTime,
    kvCacheBlocks,
};

/// What a row of measured values belongs to.
enum class SignalScope : std::uint8_t { gpu, device, node, job, engine };

/// What a value of the grid means.
enum class SignalKind : std::uint8_t {
    gauge,        ///< the value at that instant
    rate,         ///< per second, mean over the window before that instant
    events,       ///< how many in the step before that instant; may be fractional (extrapolated)
    distribution, ///< mean and percentiles of what ended in the window before that instant
    code,         ///< a number that names something; never averaged
};

struct SignalInfo {
    Signal signal;
    std::string_view id;    ///< in mappings and JSON: "tensor_active"
    std::string_view label; ///< for a person: "Tensor pipe active"
    SignalScope scope;
    SignalKind kind;
    std::string_view unit; ///< "s", "bytes", "bytes/s", "Hz", "W", "degC", "ratio", "tokens/s", "1", ...
};

/// All of them, in the order of the enumeration.
std::span<const SignalInfo> allSignals();

const SignalInfo& signalInfo(Signal signal);

/// The signal of this id. nullopt: there is none.
std::optional<Signal> signalOf(std::string_view id);

} // namespace alidade
