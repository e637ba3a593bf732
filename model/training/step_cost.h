// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_algorithm.h"
#include "model/explain/traced.h"
#include "model/kernels/bound.h"
#include "model/kernels/phase.h"
#include "model/reliability/data_loading.h"
#include "model/reliability/power.h"
#include "model/reliability/run_core.h"
#include "model/schedule/stage_times.h"
#include "model/topology/group_kind.h"
#include "model/workload/layer_kinds.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <string_view>

namespace alidade {

/// A list with room for a fixed number of entries: an evaluation allocates nothing.
template <class T, std::size_t Capacity>
class FixedList {
public:
    void push(const T& value) {
        assert(size_ < Capacity);
        items_[size_++] = value;
    }
    T& operator[](std::size_t i) { return items_[i]; }
    const T* begin() const { return items_.data(); }
    const T* end() const { return items_.data() + size_; }
    const T& operator[](std::size_t i) const { return items_[i]; }
    std::size_t size() const { return size_; }
    void clear() { size_ = 0; }

private:
    std::array<T, Capacity> items_{};
    std::size_t size_ = 0;
};

/// Seconds by what limits them; exclusive.
template <class N>
struct BoundTimes {
    std::array<N, allBounds.size()> seconds{};
    N& operator[](Bound b) { return seconds[static_cast<std::size_t>(b)]; }
    const N& operator[](Bound b) const { return seconds[static_cast<std::size_t>(b)]; }
};

/// One kernel of a layer: per GPU and micro-batch.
template <class N>
struct OpCost {
    const char* name = "";
    Phase phase{};
    N flops{}, bytes{}, seconds{}, intensity{}, efficiency{};
    Bound bound = Bound::compute;
    N launch{};                  ///< of the seconds
    Bound work = Bound::compute; ///< what the other seconds are spent on: compute or HBM
};

/// One collective: of a layer per GPU and micro-batch, or of a step per GPU.
template <class N>
struct CommCost {
    std::string_view op, group;
    GroupKind kind{}; ///< which ranks `group` means
    Phase phase{};
    Bound fabric = Bound::nvlink;
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring; ///< that the price assumes
    N bytes{}, wireBytes{}, networkBytes{}, nvlinkBytes{}, seconds{}, exposed{};
};

/// The exclusive parts of a step. Those up to `offload` are spent in layers, for each micro-batch.
enum class StepPart : std::uint8_t {
    compute,
    hbm,
    launch,
    tensorNvlink,
    tensorNetwork,
    contextNvlink,
    contextNetwork,
    expertNvlink,
    expertNetwork,
    shardedGather,
    shardedReduce,
    offload,
    pipelineTransfer,
    bubble,
    gradientReduce,
    parameterGather,
    optimizer,
    overhead,
    reference,
    straggler,
    dataLoading
};
struct StepPartInfo {
    const char* name;
    Bound bound;
};
inline constexpr std::array<StepPartInfo, 21> stepParts{
    {{"Compute", Bound::compute},
     {"HBM traffic", Bound::hbm},
     {"Launches and host", Bound::latency},
     {"Tensor parallelism over NVLink", Bound::nvlink},
     {"Tensor parallelism over the network", Bound::efa},
     {"Context parallelism over NVLink", Bound::nvlink},
     {"Context parallelism over the network", Bound::efa},
     {"Expert exchange over NVLink", Bound::nvlink},
     {"Expert exchange over the network", Bound::efa},
     {"Exposed weight gathering of sharded layers", Bound::exposed},
     {"Exposed gradient reduction of sharded layers", Bound::exposed},
     {"Offloading to the host", Bound::c2c},
     {"Pipeline transfers", Bound::efa},
     {"Pipeline bubble", Bound::bubble},
     {"Exposed gradient reduction", Bound::exposed},
     {"Exposed parameter gathering", Bound::exposed},
     {"Optimizer", Bound::optimizer},
     {"Fixed cost of a step", Bound::latency},
     {"Scores of the reference model", Bound::compute},
     {"Waiting for the slowest GPU", Bound::straggler},
     {"Waiting for training data", Bound::storage}}};
constexpr std::size_t layerPartCount = static_cast<std::size_t>(StepPart::offload) + 1;

/// Parts whose time is charged to the network of the machine, whatever it is.
constexpr bool onNetwork(StepPart part) {
    return part == StepPart::tensorNetwork || part == StepPart::contextNetwork ||
           part == StepPart::expertNetwork;
}

/// Seconds of a layer by part of the step; exclusive.
template <class N>
struct PartTimes {
    std::array<N, layerPartCount> seconds{};
    N& operator[](StepPart p) { return seconds[static_cast<std::size_t>(p)]; }
    const N& operator[](StepPart p) const { return seconds[static_cast<std::size_t>(p)]; }
};

/// One layer and micro-batch on one GPU in all. Seconds contain exposed communication and recomputation.
template <class N>
struct LayerTotals {
    N forward{}, backwardInput{}, backwardWeight{}; ///< recomputation is part of backwardInput
    N seconds{};                                    ///< their sum
    N executedFlops{};
    PartTimes<N> byPart; ///< sums to `seconds`
    int launches =
        0; ///< kernels and collectives that the host launches; 0 in training, which never counts them
};

/// The same with each of its kernels and collectives. Both lists are empty where only the totals were asked
/// for (LayerMemo, EngineStep).
template <class N>
struct LayerCost : LayerTotals<N> {
    FixedList<OpCost<N>, 224> ops; ///< latent attention, experts and shared experts with adapters, run again
    FixedList<CommCost<N>, 48> communication;
    bool listed = true; ///< false: serving adds neither to the lists

    void reset() { setTotals({}); }
    void setTotals(const LayerTotals<N>& totals) {
        static_cast<LayerTotals<N>&>(*this) = totals;
        ops.clear();
        communication.clear();
    }
};

/// Parameters that one rank holds: dense ones, split over tensor parallelism, and those of routed experts.
template <class N>
struct HeldParameters {
    N dense{}, experts{};
    HeldParameters& operator+=(const HeldParameters& other) {
        dense += other.dense;
        experts += other.experts;
        return *this;
    }
};

/// What a decoder layer of one kind takes of the memory of a rank.
template <class N>
struct LayerHolds {
    HeldParameters<N> parameters;
    HeldParameters<N> adapters; ///< 0 without
    N kept{};                   ///< bytes that a micro-batch leaves for the backward pass
    N whole{};                  ///< of it if only modules were recomputed: while the layer runs again
    N gradients{};              ///< bytes of gradients inside the layer while its backward pass runs
};

/// What occupies memory on a GPU at the peak.
enum class MemoryKind : std::uint8_t {
    weights,
    gradients,
    optimizer,
    activations,
    logits,
    communication,
    gathered,
    context,
    fragmentation
};
inline constexpr std::array<const char*, 9> memoryKindNames{
    "Weights",         "Gradients",       "Optimizer states",
    "Activations",     "Logits and loss", "Communication buffers",
    "Gathered layers", "CUDA context",    "Fragmentation"};

template <class N>
struct StageCost {
    int layers = 0;
    N forward{}, backwardInput{}, backwardWeight{}; ///< seconds per micro-batch
    N seconds{};
    N parameters{}; ///< dense ones, held by one rank
    N expertParameters{};
    N trainable{}, trainableExperts{}; ///< of them, with gradients and optimizer state
    std::array<N, memoryKindNames.size()> memory{};
    N memoryTotal{};
};

constexpr std::size_t mostStages = mostPipelineStages; ///< pipeline stages that an evaluation keeps apart
constexpr std::size_t mostVirtualStages = 1024;        ///< chunks of all stages together

/// Everything that an evaluation finds; plain data. Large (about 200 kB for double): keep it and evaluate
/// into it again.
template <class N>
struct TotalsT {
    LayerCost<N> embedding, head,
        prediction; ///< prediction: one multi-token-prediction module with its logits
    std::array<LayerCost<N>, mostLayerKinds> layers{}; ///< one of each kind
    std::array<LayerHolds<N>, mostLayerKinds> holds{}; ///< the same for memory
    LayerHolds<N> predictionHolds{};
    int kindCount = 0;
    std::array<StageCost<N>, mostStages> stages{};
    std::array<StageSeconds<N>, mostVirtualStages> virtualStages{}; ///< in the order of the model's layers
    int virtualStageCount = 0;                                      ///< 0 without a pipeline
    FixedList<CommCost<N>, 8> stepCommunication; ///< outside layers: between stages, at the ends of a step
    N pipelineHop{};                             ///< exposed seconds of a transfer between stages
    int stageCount = 0;
    int slowestStage = 0; ///< by time
    int worstStage = 0;   ///< by memory
    std::array<N, stepParts.size()> parts{};
    N stepTime{}, tokensPerSecond{}, tokensPerSecondPerGpu{}, modelFlops{}, modelFlopsPerSecondPerGpu{},
        mfu{}, hfu{};
    N microbatches{};
    N expertTokens{}; ///< routed tokens that a rank computes for one micro-batch, mean; 0 without experts
    Bound pipelineFabric = Bound::efa;
    // memory of one GPU of the worst stage
    N memoryTotal{}, reserve{}, headroom{};
    bool fits = false;
    // run and money; zero where the scenario has no tokens or no price
    RunCore<N> run;
    DataLoading<N> data;
    N dataRate{};  ///< bytes/s of training data that the steps take
    N dataSaved{}; ///< s of a step that a cache on the local drives saves
    RunPower<N> power;
    N goodput{}, runTime{}, dollarsPerHour{}, instanceHours{}, idleHours{}, dollarsPerRun{},
        dollarsPerMillionTokens{}, energyKwh{}, carbonKg{};
};
using Totals = TotalsT<double>;

} // namespace alidade
