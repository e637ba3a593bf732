// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/framework.h"
#include "model/kernels/bound.h"
#include "model/plan/inputs.h"
#include "model/plan/serving_weights.h"
#include "model/topology/group_shape.h"
#include "model/workload/layer_kinds.h"

#include <array>
#include <string>
#include <vector>

namespace alidade {

/// The part of serving that a group of replicas handles.
enum class ServingPhase : std::uint8_t { both, prefill, decode };

/// The non-numeric choices of one pool of engine replicas, and its degrees as integers. A replica
/// spans tensor x pipeline x attention-data GPUs; its experts are spread over all GPUs of a stage: `expert`
/// of them hold different experts, the rest split each expert's columns.
struct ServingPlan {
    int tensorParallel = 1, pipelineParallel = 1, attentionDataParallel = 1;
    int expertParallel = 1, expertTensorParallel = 1;
    int workers = 1;
    ServingPhase phase = ServingPhase::both;
    std::string denseFormat, expertFormat;      ///< "fp8": keys of their constants in the profile
    bool narrowMlp = false;                     ///< dense MLPs and shared experts: the experts' format
    bool narrowOutput = false;                  ///< output projections of attention: the experts' format
    MemoryShare memoryShare = MemoryShare::all; ///< the memory that the utilization refers to
    bool mixedPrefill = true;                   ///< prefill chunks share a step with decodes
    bool cudaGraphs = true;
    bool reducesInSwitch = false;  ///< large all-reduces go to NCCL with NVLink SHARP
    bool fusedReductions = false;  ///< all-reduces include the norm behind them, in TensorRT-LLM's kernels
    bool fusedExperts = false;     ///< FP4 that the GPU multiplies: routing and products in one call
    bool reservesRequests = false; ///< a request reserves cache for its whole length at its start
    bool cacheReadByQueryHead = false; ///< decodes read a group's cache for each of its query heads
    bool smallSinkHeads = false;       ///< attention sinks on heads of at most 64 elements
    bool gatedFfn = true;
    bool latentAttention = false, queryCompressed = false;
    bool attentionGate = false;
    bool fullHeadNorms = false; ///< norms of queries and keys over all heads, of all tensor-parallel ranks
    bool latentExperts = false;
    bool draftModule = false; ///< the model includes a multi-token-prediction module for drafting
    int sparseTokens = 0;     ///< tokens that sparse attention reads; 0: all
    int sparseIndexHeads = 0, sparseIndexDim = 0; ///< of its indexer: heads, elements of one and of a key
    int norms = 2;                                ///< of a decoder layer
    std::vector<LayerKind> kinds;
    std::array<int, mostLayerKinds> layersOfKind{};
    StageParameters heaviest; ///< parameters of the pipeline stage with the most bytes
    LayerKind prediction;     ///< decoder layer of a multi-token-prediction module
    GroupShape tensorGroup, expertGroup, pipelineGroup;
    int replicaGpus() const { return tensorParallel * pipelineParallel * attentionDataParallel; }
};

/// One pool of a serving scenario. Contains values only.
struct ServingPool {
    std::string instance; ///< machine the pool runs on
    ServingPlan plan;
    Inputs inputs;
    InputOrigins origins;
    Bound networkBound = Bound::efa;
    int nvlinkDomain = 1;
    bool hasPrice = false;
};

} // namespace alidade
