// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_algorithm.h"
#include "model/cost/order.h"
#include "model/estimate/run_estimate.h"
#include "model/explain/traced.h"
#include "model/kernels/bound.h"
#include "model/kernels/phase.h"
#include "model/scenario/problem.h"
#include "model/scenario/spec.h"
#include "model/serving/percentiles.h"
#include "model/topology/group_kind.h"
#include "model/topology/placement_facts.h"

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

    Dimension dimension() const {
        return unit == "tokens/s" ? Dimension::tokensPerSecond : Dimension::seconds;
    }
};

template <class N>
struct ShareT { ///< exclusive; the parts of a breakdown sum to its whole
    std::string name;
    N seconds{};
    Bound bound = Bound::compute;
};

template <class N>
struct OperationT { ///< per GPU, layer and micro-batch
    std::string name;
    Phase phase = Phase::forward;
    N flops{}, bytes{}, seconds{};
    Bound bound = Bound::compute;
    N intensity{};               ///< FLOP per byte of HBM traffic; 0 without FLOP
    N efficiency{};              ///< share of the roof that bounds it (peak FLOP/s, or HBM bandwidth), 0..1
    N launch{};                  ///< of the seconds: launch and ramp, which a step counts as latency
    Bound work = Bound::compute; ///< what a step counts the other seconds as; only alongside a launch
};

template <class N>
struct CommunicationT { ///< per GPU, layer and micro-batch; outside layers per GPU and step
    std::string op;     ///< "all_gather", ...
    std::string group;  ///< "tp", "cp", "ep", "etp", "dp", "pp"
    Bound fabric = Bound::nvlink;
    Phase phase = Phase::forward;
    N bytes{};     ///< the NCCL buffer
    N wireBytes{}; ///< what one GPU sends
    N seconds{}, exposed{};
    N networkBytes{}; ///< of the bytes that one GPU sends, over its share of the network cards
    N nvlinkBytes{};  ///< the same over NVLink
    GroupKind kind{}; ///< which ranks `group` means: "dp" is said of dense weights and of experts
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring; ///< that the price assumes
};

template <class N>
struct LayerT {
    std::string kind;         ///< "embedding", "transformer", "moe", "head"
    std::string title;        ///< for a person: "MoE layer, latent attention"
    int count = 0;            ///< of this kind in the model
    std::optional<int> stage; ///< where it is, if on one stage only
    N seconds{}; ///< forward and backward of one layer and micro-batch, with exposed communication
    Bound bound = Bound::compute; ///< the largest share of these seconds
    std::vector<OperationT<N>> ops;
    std::vector<CommunicationT<N>> communication;
};

template <class N>
struct StageT {
    int stage = 0;
    int layers = 0;
    N forward{}, backwardInput{}, backwardWeight{}; ///< seconds per micro-batch
    N memoryBytes{};
};

/// One operation of the pipeline timeline.
struct TimelineEvent {
    int stage = 0, microbatch = 0, chunk = 0;
    char kind = 'F'; ///< F forward, B backward (input gradient), W weight gradient
    double start = 0, end = 0;
};

/// How the tokens of one micro-batch spread over the experts of a layer, in the mean.
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
    std::vector<CommunicationT<N>> communication; ///< outside layers: between stages, at the ends of a step
    std::optional<ExpertLoadT<N>> expertLoad;     ///< absent without experts
    std::vector<TimelineEvent> timeline;          ///< only where asked for
    double timelineMakespan =
        0; ///< seconds of the drawn pipeline; the closed form that the step uses is alongside it
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

/// A group of engine replicas that do the same work: the whole deployment, or the prefill or the decode side
/// of a disaggregated one.
template <class N>
struct PoolT {
    std::string name;     ///< "engine", "prefill" or "decode"
    std::string instance; ///< machine that it runs on
    int workers = 1;      ///< replicas
    int gpus = 0;         ///< of all workers
    int tensorParallel = 1, pipelineParallel = 1, expertParallel = 1, attentionDataParallel = 1;
    N batch{};          ///< requests that one worker decodes (prefill pool: prefills) at once, mean
    N maxConcurrency{}; ///< requests that one worker can hold: KV cache and largest batch
    N kvTokens{};       ///< tokens of KV cache of one worker
    N utilization{};    ///< 0..1, load / largest load that is stable
    N stepTime{};       ///< s, one engine step at that batch
    N transferTime{};   ///< s of TTFT that handing the KV cache over adds; decode pool only
    std::optional<N> dollarsPerHour;
    MemoryT<N> memory; ///< of one GPU
};

/// One point of the curve of latency against load. Plain numbers: the curve is an outcome.
struct LoadPoint {
    double requestsPerSecond = 0; ///< of the whole deployment
    double concurrency = 0;       ///< requests in flight
    double outputTokensPerSecond = 0;
    double utilization = 0;
    double ttft = 0, itl = 0;                     ///< means, s
    double ttftPercentile = 0, itlPercentile = 0; ///< at the scenario's percentile, s
    double dollarsPerMillionOutputTokens = 0;     ///< 0 without a price
    bool meetsTargets = true;
};

/// A distribution as values at equally spaced probabilities: entry i of n is the quantile (i + 0.5) / n.
struct Distribution {
    std::vector<double> ttft, itl, tpot, e2e; ///< s
    std::int64_t requests = 0;                ///< that were simulated
    std::uint64_t seed = 0;
};

/// Answered questions of a service that draws several samples for each: cost-model section 8.
template <class N>
struct TestTimeT {
    /// More than one sample, or a selection; otherwise a question is a request, which the estimate does not
    /// say twice.
    bool asked = false;
    std::int64_t samples = 1; ///< sequences of a question
    std::string selection;    ///< "none", "majority", "best_of_n", "beam_search"
    std::string verifier;     ///< name of the model; empty: a rule, which takes no time
    N tokensPerQuestion{};    ///< output tokens of all samples, mean
    N longestSample{};        ///< tokens of the longest sample, expected
    N selectionTime{};        ///< s after the samples, or between their steps, that scoring takes
    N latency{};              ///< s from the arrival of a question to its answer, mean
    N latencyMedian{}, latencyP90{}, latencyP99{};
    N questionsPerSecond{};    ///< of the whole deployment
    N maxQuestionsPerSecond{}; ///< that are stable
    N questionsInFlight{};     ///< mean: rate x latency
    /// Bytes on each GPU of a replica that a question takes at most: its prompt once, and all samples at
    /// their mean length.
    N kvPerQuestion{};
    N verifierGpus{};  ///< GPUs in addition to the deployment that scoring keeps busy
    N verifierShare{}; ///< of the GPU time of a question, 0..1
    /// The rent of the deployment and of the machines of the verifier for the time that it uses them; absent
    /// without a price, and where the load is not carried.
    std::optional<N> dollarsPer1000Questions;
    /// The same at the largest stable rate, which no load changes; absent without a price.
    std::optional<N> leastDollarsPer1000Questions;
};

/// Power and energy of a service at its load. Host and building (PUE) are included unless said otherwise.
template <class N>
struct ServingEnergyT {
    N gpuWatts{};                      ///< of one GPU alone, mean of the deployment
    N watts{};                         ///< of the deployment
    N joulesPerOutputToken{};          ///< of a prefill side: per input token
    N kilowattHoursPerMillionTokens{}; ///< of input and output
    N kilowattHoursPerMonth{};         ///< 730 hours
    N carbonKgPerMonth{};              ///< CO2e, location-based, of the Region's grid
};

template <class N>
struct ServingT {
    bool prompts = true; ///< false: of a decode side alone, and all figures of prompts are 0 or empty
    bool answers = true; ///< false: nothing follows the first token, and all figures of it are 0 or empty
    N ttft{};            ///< s, mean time from arrival to the first token
    N itl{};             ///< s, mean gap between output tokens
    N tpot{};            ///< s, (e2e - ttft) / (output tokens - 1)
    N e2e{};             ///< s, mean time from arrival to the last token
    N queueTime{};       ///< s of ttft that a request waits before its prefill
    N prefillTime{};     ///< s of ttft that its prefill takes
    /// Of answers as users see them: the first token, which a prefill gives and a decode goes on from, counts
    /// in the output of either side where one is planned alone.
    N outputTokensPerSecond{}, inputTokensPerSecond{}, outputTokensPerSecondPerGpu{}, requestsPerSecond{};
    N tokensPerSecondPerUser{}; ///< 1 / tpot
    N maxConcurrency{};         ///< requests that the whole deployment can hold
    N batch{};                  ///< requests that one decoding worker works on, mean
    N concurrency{};            ///< requests in flight in the whole deployment, mean
    N utilization{};            ///< 0..1, of the pool that limits
    N maxRequestRate{};         ///< requests/s of the whole deployment that are stable
    std::optional<double>
        requestRateWithinTargets; ///< largest that meets the targets; absent without targets
    N preemptionsPerRequest{};
    PercentilesT<N> ttftPercentiles, itlPercentiles;
    /// Latencies are the simulation's: the closed form does not hold there, or a simulated engine contradicts
    /// what it says about the targets.
    bool simulated = false;
    bool confirmed = false; ///< latencies are the closed form's, and a simulation agrees about the targets
    std::optional<double> ttftTarget, itlTarget; ///< s, at `targetPercentile`
    double targetPercentile = 90;
    std::optional<bool> meetsTargets;        ///< absent without targets
    N stepTime{};                            ///< s, one decode step
    N prefillStepTime{};                     ///< s, one step that carries a full prefill chunk
    N prefillShare{};                        ///< of the GPU time, 0..1; what input tokens are charged with
    std::vector<ShareT<N>> breakdown;        ///< of one decode step
    std::vector<ShareT<N>> prefillBreakdown; ///< of one prefill step
    std::vector<LayerT<N>> layers;           ///< in a decode step, per GPU
    std::vector<LayerT<N>> prefillLayers;    ///< in a prefill step, per GPU
    std::vector<PoolT<N>> pools;
    std::optional<ExpertLoadT<N>> expertLoad; ///< of a decode step; absent without experts
    std::optional<TestTimeT<N>> testTime;     ///< absent where a request is one sequence
    std::optional<ServingEnergyT<N>> energy;  ///< absent where the power of the GPUs is not known
    std::vector<LoadPoint> loadCurve;         ///< only where asked for
    std::optional<Distribution> distribution; ///< of the simulation, only where asked for
};

template <class N>
struct CostLineT {
    std::string name;
    N quantity{};
    std::string unit; ///< "instance-hours"
    N dollarsPerUnit{}, dollars{};
};

/// The part of the machines that is bought in another way than the rest.
struct CostBase {
    int items = 0, rest = 0;          ///< instances or UltraServers
    std::string purchase, commitment; ///< words of a scenario
    std::string priceDate, priceSource;
};

template <class N>
struct CostT {
    N dollarsPerHour{};
    std::optional<N> dollarsPerRun, dollarsPerMillionTokens, energyKwh;
    /// Of serving: the rent shared between input and output tokens by the GPU time that prefill and decode
    /// take; in a disaggregated deployment each pool pays for its own.
    std::optional<N> dollarsPerMillionInputTokens, dollarsPerMillionOutputTokens;
    std::vector<CostLineT<N>> lines;
    /// What to buy, to the cent: machines with the storage and the shares that the scenario asks for, which
    /// dollarsPerRun is without. Absent where the time of use is not known.
    std::optional<Order> order;
    std::optional<OrderBand> orderBand; ///< absent: the time of use is given, or its band is not known
    std::string priceDate, priceSource, region, purchase;
    std::optional<CostBase> base; ///< absent: all are bought in one way; else purchase and price are those of
                                  ///< the rest, if there is one
    std::string priceValidUntil;  ///< last day of the price; empty: no end is known
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
struct ReinforcementT; // estimate/reinforcement.h

template <class N>
struct EstimateT {
    ScenarioSpec scenario; ///< with everything filled in
    bool runs = false;     ///< legal, and everything in it is modeled
    bool fits = false;     ///< memory
    std::vector<Problem> problems;
    std::optional<HeadlineT<N>> headline;
    std::optional<TrainingT<N>> training; ///< absent where `runs` is false, and in serving
    std::optional<ServingT<N>> serving;   ///< absent where `runs` is false, and in training
    /// Of reinforcement learning, which has neither of them; null where `runs` is false.
    std::shared_ptr<const ReinforcementT<N>> reinforcement;
    std::optional<RunT<N>> run;       ///< of training that runs: its storage, failures and energy
    std::optional<MemoryT<N>> memory; ///< absent only where the memory is not modeled
    std::optional<CostT<N>> cost;
    std::vector<AssumptionT<N>> assumptions;
    std::optional<PlacementFacts> topology; ///< absent on the machine's own fabric, packed
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
using Serving = ServingT<double>;
using TestTime = TestTimeT<double>;
using Pool = PoolT<double>;
using Cost = CostT<double>;

} // namespace alidade
