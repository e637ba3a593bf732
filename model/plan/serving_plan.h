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

/// The part of serving that a group of replicas does.
enum class ServingPhase : std::uint8_t { both, prefill, decode };

/// The choices of one pool of engine replicas that are not numbers, and its degrees as integers. A replica
/// spans tensor x pipeline x attention-data GPUs; its experts are spread over all GPUs of a stage: `expert`
/// of them hold different experts, the rest split each expert's columns.
struct ServingPlan {
    int tensorParallel = 1, pipelineParallel = 1, attentionDataParallel = 1;
    int expertParallel = 1, expertTensorParallel = 1;
    int workers = 1;
    ServingPhase phase = ServingPhase::both;
    std::string denseFormat, expertFormat;      ///< "fp8": keys of their constants in the profile
    MemoryShare memoryShare = MemoryShare::all; ///< what the memory utilisation is of
    bool mixedPrefill = true;                   ///< prefill chunks ride with decodes in one step
    bool cudaGraphs = true;
    bool reservesRequests = false; ///< a request takes the cache of its whole length from its start
    bool smallSinkHeads = false;   ///< attention sinks on heads of at most 64 elements
    bool gatedFfn = true;
    bool latentAttention = false, queryCompressed = false;
    bool attentionGate = false;
    bool headNorms = false;
    bool latentExperts = false;
    bool draftModule = false; ///< the model brings a multi-token-prediction module to draft with
    int sparseTokens = 0;     ///< tokens that sparse attention reads; 0: all
    int sparseIndexDim = 0;   ///< elements per token that its indexer reads
    std::vector<LayerKind> kinds;
    std::array<int, mostLayerKinds> layersOfKind{};
    StageParameters heaviest; ///< parameters of the pipeline stage that holds most
    LayerKind prediction;     ///< decoder layer of a multi-token-prediction module
    GroupShape tensorGroup, expertGroup, pipelineGroup;
    int replicaGpus() const { return tensorParallel * pipelineParallel * attentionDataParallel; }
};

/// One pool of a serving scenario: values only.
struct ServingPool {
    std::string instance; ///< machine that it runs on
    ServingPlan plan;
    Inputs inputs;
    InputOrigins origins;
    Bound networkBound = Bound::efa;
    int nvlinkDomain = 1;
    bool hasPrice = false;
};

} // namespace alidade
