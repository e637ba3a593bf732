// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/shared_text.h"
#include "model/explain/traced.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace alidade {

/// Every number that the cost of a scenario depends on: enum-indexed, so that evaluation, sensitivity and
/// calibration address them alike. SI units; counts are whole numbers.
enum class Input : std::uint8_t {
    // architecture
    layers,
    hiddenSize,
    attentionHeads,
    kvHeads,
    headDim,
    ffnSize,
    ffnMatrices, ///< 3 with a gate, else 2
    vocabulary,
    finalNormParameters,
    learnedPositions,
    mlaQueryRank,
    mlaKvRank,
    mlaNopeDim,
    mlaRopeDim,
    valueHeadDim,
    routedExperts,
    expertsPerToken,
    expertFfnSize,
    expertHiddenSize,
    sharedFfnSize,
    mambaInner,
    mambaStates,
    mambaHeads,
    mambaState,
    deltaKeys,
    deltaValues,
    deltaHeads,
    mtpDepth,
    // workload
    sequenceLength,
    globalBatch,
    tokens,
    loraRank,
    inputTokens,  ///< serving: mean prompt
    outputTokens, ///< serving: mean answer
    inputTokensCv,
    outputTokensCv,
    concurrency, ///< of the whole deployment; 0: open loop
    requestRate, ///< per second, of the whole deployment; 0: closed loop
    arrivalCv,
    prefixCacheHit,
    // plan
    tensorParallel,
    pipelineParallel,
    virtualPipeline,
    dataParallel,
    microBatch,
    contextParallel,
    expertParallel,
    expertTensorParallel,
    expertDataParallel,
    shardRanks,
    expertShardRanks,
    expertImbalance,
    expertRows,
    offloadOptimizer,
    offloadActivations,
    overlapTensor,
    overlapGradient,
    overlapExpert,
    overlapPipeline,
    plannedGoodput,
    attentionDataParallel,
    workers, ///< replicas of the engine
    chunkTokens,
    largestBatch, ///< 0: as memory allows
    memoryUtilisation,
    draftTokens,
    acceptance,
    kvBlock,
    kvOffload,      ///< bytes of host memory per GPU that hold KV cache
    weightsOffload, ///< share of the weights in host memory
    denseWeightBytes,
    expertWeightBytes,
    kvElementBytes,
    denseOperandBytes,
    expertOperandBytes,
    // machine
    gpus,      ///< that the plan uses
    paidItems, ///< instances or UltraServers that are paid for
    peak,
    expertPeak,    ///< serving: of the format that the experts compute in
    reportingPeak, ///< of BF16: what MFU divides by
    memoryBandwidth,
    nvlinkBandwidth,  ///< per GPU and direction
    networkBandwidth, ///< per GPU and direction
    hostBandwidth,
    capacity,
    deviceMemory,
    nominalMemory,
    gpuPower,
    price, ///< per paid item
    // constants of the profile
    gemmComputeEfficiency,
    headGemmEfficiency, ///< what gemmComputeEfficiency is in 16 bits
    gemmMemoryEfficiency,
    gemmLaunch,
    gemmExtraK,
    quantPasses,
    attentionEfficiency,
    attentionHalfLength,
    attentionBackwardRatio,
    attentionLaunch,
    attentionScoreBytes, ///< of attention that is not fused; 0: FlashAttention
    elementwisePasses,
    hostTimePerLayer,
    allGatherLatency,
    allGatherFill,
    allGatherEfficiency,
    reduceScatterLatency,
    reduceScatterFill,
    reduceScatterEfficiency,
    allReduceLatency,
    allReduceFill,
    allReduceEfficiency,
    nvlinkStepLatency,
    networkLatency,
    networkHopLatency,
    networkEfficiency,
    networkSpeedup,
    gradientBuckets,
    expertGemmEfficiency,
    expertPadTokens,
    expertPermuteBytes,
    expertDispatchBytes,
    expertCombineBytes,
    sinkAttentionFactor,
    unfusedProductPasses,
    ringAttentionFactor,
    scanEfficiency,
    hostTimePerMoeLayer,
    hostGraphShare,
    networkHostTime,
    networkProxyFactor,
    allToAllLatency,
    allToAllFill,
    allToAllEfficiency,
    networkAllToAllEfficiency,
    networkFill,
    dispatchLatency,
    dispatchEfficiencyNvlink,
    networkDispatchLatency,
    networkDispatchEfficiency,
    gatherBytes,
    gatheredLayers,
    gatheredParameters,
    hostEfficiency,
    hostOptimizerBandwidth,
    offloadedBytes,
    savedInputShare,
    perOpKeptShare,
    stepOverhead,
    optimizerTraffic,
    optimizerFlops,
    stragglerSpread,
    weightBytes,
    gradientBytes,
    gradientReduceBytes,
    optimizerBytes,
    activationBytes,
    logitsBytes,
    contextMemory,
    communicationMemory,
    fragmentation,
    memoryReserve,
    timeLogSd,
    timeLogSdMoe,
    timeLogSdExpertsNetwork,
    memoryLogSd,
    gpuHoursPerFailure,
    restartTime,
    checkpointStall,
    powerUtilisation,
    hostPowerPerGpu,
    pue,
    // constants of serving engines
    servingGemmEfficiency,
    servingLibraryFactor,
    servingMemoryEfficiency,
    servingGemmLaunch,
    servingGemmExtraK,
    servingQuantTime,
    servingElementwiseTime,
    servingAttentionEfficiency,
    servingAttentionHalfLength,
    servingSinkFactor,
    servingAttentionMemoryEfficiency,
    servingAttentionLaunch,
    servingLatentEfficiency,
    servingLinearTime,
    servingLinearMemoryEfficiency,
    servingScanEfficiency,
    servingExpertEfficiency,
    servingWeightOnlyFactor,
    servingExpertMemoryEfficiency,
    servingExpertLaunch,
    servingExpertQuantTime,
    servingExpertPad,
    servingExpertSkew,
    servingPermuteBytes,
    servingAllReduceLatency,
    servingAllReduceFill,
    servingAllReduceEfficiency,
    servingExchangeLatency,
    servingExchangeEfficiency,
    servingHostPerKernel,
    servingStepOverhead,
    servingSequenceOverhead,
    servingStageTime,
    servingRequestOverhead,
    servingWaitedSteps,
    servingWorkspace,
    servingSampleBytes,
    servingTransferEfficiency,
    servingHostLinkEfficiency,
    servingTimeLogSd,
    servingTimeLogSdMoe,
    servingTtftLogSd,
    servingThroughputLogSd,
    count
};
constexpr std::size_t inputCount = static_cast<std::size_t>(Input::count);

/// What an input is called in formulas, and what it measures.
struct InputInfo {
    const char* name;  ///< identifier, in formulas and profiles: "nvlink_bandwidth"
    const char* label; ///< for a person: "NVLink per GPU and direction"
    Dimension dimension;
};
const InputInfo& inputInfo(Input input);

/// Where the value of one input comes from.
struct InputOrigin {
    SharedText source;
    SourceKind kind = SourceKind::assumed;
    bool used = false; ///< an input that plays no part in this scenario is not listed
};

/// The inputs as numbers of type N: `double` for evaluation, `Traced` leaves for an explanation.
template <class N>
struct InputsT {
    std::array<N, inputCount> values{};
    N& operator[](Input i) { return values[static_cast<std::size_t>(i)]; }
    const N& operator[](Input i) const { return values[static_cast<std::size_t>(i)]; }
};
using Inputs = InputsT<double>;
using InputOrigins = std::array<InputOrigin, inputCount>;

/// Leaves of a trace for the same values.
InputsT<Traced> tracedInputs(Trace& trace, const Inputs& inputs, const InputOrigins& origins);

} // namespace alidade
