// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"
#include "model/kernels/bound.h"
#include "model/kernels/phase.h"
#include "model/scenario/problem.h"
#include "model/scenario/spec.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

// The answer to a scenario: an immutable value, the same for the window, the command line and the reports.
// Members are named and united as in the documented JSON (SI base units). The structs are templates over the
// number type so that the explanation of a figure runs the very same code (see explain/traced.h); everybody
// else uses `Estimate`.

/// The headline figure with its 10 % and 90 % quantiles.
template <class N>
struct HeadlineT {
    std::string name, unit;
    N value{}, low{}, high{};
    Bound bottleneck = Bound::compute;
    N bottleneckShare{}; ///< of the step
};

template <class N>
struct ShareT { ///< exclusive; the parts of a breakdown sum to its whole
    std::string name;
    N seconds{};
    Bound bound = Bound::compute;
};

template <class N>
struct OperationT { ///< per GPU, layer and microbatch
    std::string name;
    Phase phase = Phase::forward;
    N flops{}, bytes{}, seconds{};
    Bound bound = Bound::compute;
    N intensity{};  ///< FLOP per byte of HBM traffic; 0 without FLOP
    N efficiency{}; ///< share of the roof that bounds it (peak FLOP/s, or HBM bandwidth), 0..1
};

template <class N>
struct CommunicationT { ///< per GPU, layer and microbatch
    std::string op;     ///< "all_gather", ...
    std::string group;  ///< "tp", "cp", "ep", "etp", "dp", "pp"
    Bound fabric = Bound::nvlink;
    Phase phase = Phase::forward;
    N bytes{};     ///< the NCCL buffer
    N wireBytes{}; ///< what one GPU sends
    N seconds{}, exposed{};
};

template <class N>
struct LayerT {
    std::string kind;         ///< "embedding", "transformer", "moe", "head"
    std::string title;        ///< for a person: "MoE layer, latent attention"
    int count = 0;            ///< of this kind in the model
    std::optional<int> stage; ///< where it is, if on one stage only
    N seconds{}; ///< forward and backward of one layer and microbatch, with exposed communication
    Bound bound = Bound::compute; ///< the largest share of these seconds
    std::vector<OperationT<N>> ops;
    std::vector<CommunicationT<N>> communication;
};

template <class N>
struct StageT {
    int stage = 0;
    int layers = 0;
    N forward{}, backwardInput{}, backwardWeight{}; ///< seconds per microbatch
    N memoryBytes{};
};

/// One operation of the pipeline timeline.
struct TimelineEvent {
    int stage = 0, microbatch = 0, chunk = 0;
    char kind = 'F'; ///< F forward, B backward (input gradient), W weight gradient
    double start = 0, end = 0;
};

/// How the tokens of one microbatch spread over the experts of a layer, in the mean.
template <class N>
struct ExpertLoadT {
    int experts = 0, expertsPerToken = 0;
    int expertRanks = 1; ///< GPUs that share the experts
    int expertsPerRank = 0;
    N tokensPerRank{}; ///< routed tokens of one rank
    N tokensPerExpert{};
    N imbalance{};             ///< busiest rank / mean that the estimate uses
    N paddedTokensPerExpert{}; ///< what its GEMMs compute
    std::optional<double> capacityFactor;
};

template <class N>
struct TrainingT {
    N stepTime{}, tokensPerSecond{}, tokensPerSecondPerGpu{}, modelFlopsPerSecondPerGpu{}, mfu{}, hfu{};
    N mfuPeakFlopsPerSecond{};
    std::string flopsConvention;
    std::optional<N>
        runTime;      ///< seconds of the whole run, lost time included; absent without workload.tokens
    N goodput{};      ///< share of the run time that the steps take
    N microbatches{}; ///< per step and replica
    std::vector<ShareT<N>> breakdown;
    std::vector<LayerT<N>> layers;
    std::vector<StageT<N>> stages;
    std::optional<ExpertLoadT<N>> expertLoad; ///< absent without experts
    std::vector<TimelineEvent> timeline;      ///< only where asked for
    double timelineMakespan =
        0; ///< seconds of the drawn pipeline; the closed form that the step uses is beside it
    double timelineClosedForm = 0;
};

template <class N>
struct MemoryPartT {
    std::string name;
    N bytes{};
};

template <class N>
struct StageMemoryT {
    int stage = 0;
    N totalBytes{};
    std::vector<MemoryPartT<N>> parts; ///< the same names in the same order on each stage
};

template <class N>
struct MemoryT {
    N capacityBytes{}; ///< the instance's accelerator memory / accelerators (the AWS figure)
    N nominalBytes{};  ///< the GPU's nominal figure
    N reserveBytes{}, totalBytes{}, headroomBytes{};
    N lowBytes{}, highBytes{}; ///< 10 % and 90 % quantiles of the total
    int worstStage = 0;
    std::vector<MemoryPartT<N>> parts; ///< of the worst stage; sum to the total
    std::vector<StageMemoryT<N>> stages;
};

template <class N>
struct CostLineT {
    std::string name;
    N quantity{};
    std::string unit; ///< "instance-hours"
    N dollarsPerUnit{}, dollars{};
};

template <class N>
struct CostT {
    N dollarsPerHour{};
    std::optional<N> dollarsPerRun, dollarsPerMillionTokens, energyKwh;
    std::vector<CostLineT<N>> lines;
    std::string priceDate, priceSource, region, purchase;
};

/// A value that the answer rests on.
template <class N>
struct AssumptionT {
    std::string name; ///< identifier, as in formulas and profiles
    N value{};
    std::string unit;
    std::string source;
    SourceKind kind = SourceKind::assumed;
    Dimension dimension = Dimension::number;
    std::string label{}; ///< for a person
};

template <class N>
struct EstimateT {
    ScenarioSpec scenario; ///< with everything filled in
    bool runs = false;     ///< legal, and everything in it is modelled
    bool fits = false;     ///< memory
    std::vector<Problem> problems;
    std::optional<HeadlineT<N>> headline;
    std::optional<TrainingT<N>> training; ///< absent where `runs` is false
    std::optional<MemoryT<N>> memory;     ///< absent only where the memory is not modelled
    std::optional<CostT<N>> cost;
    std::vector<AssumptionT<N>> assumptions;
    // For a person
    std::string modelName, clusterName; ///< "Llama 3.1 405B", "2,048 x p5.48xlarge"
    int gpus = 0;                       ///< that the plan uses
    std::string catalogVersion, profileName;
};

using Estimate = EstimateT<double>;
using Operation = OperationT<double>;
using Communication = CommunicationT<double>;
using Layer = LayerT<double>;
using ExpertLoad = ExpertLoadT<double>;
using Stage = StageT<double>;
using Training = TrainingT<double>;
using Memory = MemoryT<double>;
using Cost = CostT<double>;

} // namespace alidade
