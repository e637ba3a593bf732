// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"
#include "model/kernels/bound.h"
#include "model/kernels/phase.h"

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
    const T* begin() const { return items_.data(); }
    const T* end() const { return items_.data() + size_; }
    const T& operator[](std::size_t i) const { return items_[i]; }
    std::size_t size() const { return size_; }

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

/// One kernel of a layer: per GPU and microbatch.
template <class N>
struct OpCost {
    const char* name = "";
    Phase phase{};
    N flops{}, bytes{}, seconds{}, intensity{}, efficiency{};
    Bound bound = Bound::compute;
};

/// One collective of a layer: per GPU and microbatch.
template <class N>
struct CommCost {
    std::string_view op, group;
    Phase phase{};
    Bound fabric = Bound::nvlink;
    N bytes{}, wireBytes{}, seconds{}, exposed{};
};

/// One layer and microbatch on one GPU. Seconds contain exposed communication and recomputation.
template <class N>
struct LayerCost {
    FixedList<OpCost<N>, 40> ops;
    FixedList<CommCost<N>, 16> communication;
    N forward{}, backwardInput{}, backwardWeight{}; ///< recomputation is part of backwardInput
    N seconds{};                                    ///< their sum
    N executedFlops{};
    BoundTimes<N> byBound; ///< sums to `seconds`
};

/// What occupies memory on a GPU at the peak.
enum class MemoryKind : std::uint8_t {
    weights,
    gradients,
    optimizer,
    activations,
    logits,
    communication,
    context,
    fragmentation
};
inline constexpr std::array<const char*, 8> memoryKindNames{"Weights",          "Gradients",
                                                            "Optimizer states", "Activations",
                                                            "Logits and loss",  "Communication buffers",
                                                            "CUDA context",     "Fragmentation"};

template <class N>
struct StageCost {
    int layers = 0;
    N forward{}, backwardInput{}, backwardWeight{}; ///< seconds per microbatch
    N seconds{};
    N parameters{}; ///< held by one rank
    std::array<N, memoryKindNames.size()> memory{};
    N memoryTotal{};
};

/// The exclusive parts of a step.
enum class StepPart : std::uint8_t {
    compute,
    hbm,
    launch,
    tensorNvlink,
    tensorNetwork,
    pipelineTransfer,
    bubble,
    gradientReduce,
    parameterGather,
    optimizer,
    overhead,
    straggler
};
struct StepPartInfo {
    const char* name;
    Bound bound;
};
inline constexpr std::array<StepPartInfo, 12> stepParts{
    {{"Compute", Bound::compute},
     {"HBM traffic", Bound::hbm},
     {"Launches and host", Bound::latency},
     {"Tensor parallelism over NVLink", Bound::nvlink},
     {"Tensor parallelism over the network", Bound::efa},
     {"Pipeline transfers", Bound::efa},
     {"Pipeline bubble", Bound::bubble},
     {"Gradient reduction left uncovered", Bound::exposed},
     {"Parameter gathering left uncovered", Bound::exposed},
     {"Optimizer", Bound::optimizer},
     {"Fixed cost of a step", Bound::latency},
     {"Waiting for the slowest GPU", Bound::straggler}}};

constexpr std::size_t mostStages = 256; ///< pipeline stages that an evaluation keeps apart

/// Everything that an evaluation finds; plain data. Large (about 60 kB for double): keep it and evaluate into
/// it again.
template <class N>
struct TotalsT {
    LayerCost<N> embedding, transformer, head;
    std::array<StageCost<N>, mostStages> stages{};
    int stageCount = 0;
    int slowestStage = 0; ///< by time
    int worstStage = 0;   ///< by memory
    std::array<N, stepParts.size()> parts{};
    N stepTime{}, tokensPerSecond{}, tokensPerSecondPerGpu{}, modelFlops{}, modelFlopsPerSecondPerGpu{},
        mfu{}, hfu{};
    N microbatches{};
    Bound pipelineFabric = Bound::efa;
    // memory of one GPU of the worst stage
    N memoryTotal{}, reserve{}, headroom{};
    bool fits = false;
    // run and money; zero where the scenario has no tokens or no price
    N goodput{}, runTime{}, dollarsPerHour{}, instanceHours{}, dollarsPerRun{}, dollarsPerMillionTokens{},
        energyKwh{};
};
using Totals = TotalsT<double>;

} // namespace alidade
