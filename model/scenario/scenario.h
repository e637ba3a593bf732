// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/collectives/group_shape.h"
#include "model/kernels/bound.h"
#include "model/scenario/inputs.h"
#include "model/scenario/problem.h"
#include "model/scenario/spec.h"
#include "model/training/schedule/pipeline_schedule.h"

#include <string>
#include <vector>

namespace alidade {

enum class Sharding : std::uint8_t { none, zero1 };

/// The choices of a dense training plan that are not numbers, and the degrees as integers.
struct TrainingPlan {
    int tensorParallel = 1, pipelineParallel = 1, virtualPipeline = 1, dataParallel = 1;
    int microBatch = 1;
    std::int64_t microbatches = 1; ///< per step and replica
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
    Sharding sharding = Sharding::zero1;
    Precision precision = Precision::bf16;
    bool sequenceParallel = false;
    bool gatedFfn = true;
    bool recomputeFull = false, recomputeCore = false, recomputeNorms = false, recomputeGlu = false;
    bool tiedEmbeddings = false;
    bool nvlinkSharp = false;
    bool embeddingsAsLayers = false; ///< (L + 2) divides by p v: embedding and head take a layer's place each
    std::vector<int> stageLayers;    ///< decoder layers of each stage; empty if the plan is illegal
    GroupShape tensorGroup, dataGroup, pipelineGroup;
};

/// A resolved scenario: values only, nothing to look up any more.
struct Scenario {
    ScenarioSpec spec; ///< filled in: defaults of the framework and derived values
    Architecture model;
    TrainingPlan plan;
    Inputs inputs;
    InputOrigins origins;
    bool hasTokens = false, hasPrice = false, hasGoodput = false;
    int gpusPerNode = 1, nvlinkDomain = 1;
    Bound networkBound = Bound::efa; ///< what time on the network between nodes is charged to
    std::vector<Problem> problems;   ///< of legality and modelling; errors mean that it does not run
    bool legal = true;               ///< no rule is broken
    bool modelled = true;            ///< everything in it is modelled
    std::string modelName, clusterName;
    std::string priceItem, priceDate, priceSource;
    std::string catalogVersion, profileName;
    bool runs() const { return legal && modelled; }
};

/// Looks up the ids of a spec and fills in what it leaves out.
/// \returns an error only for a request that means nothing (unknown id, missing required field); its message
/// begins with a JSON pointer. What is illegal or not modelled is a problem inside the Scenario.
Result<Scenario> resolve(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile);

} // namespace alidade
