// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/kernels/bound.h"
#include "model/plan/serving_plan.h"
#include "model/plan/training_plan.h"
#include "model/scenario/problem.h"
#include "model/scenario/spec.h"
#include "model/topology/placement_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// A resolved scenario: values only, nothing to look up any more.
struct Scenario {
    ScenarioSpec spec; ///< filled in: defaults of the framework and derived values
    Architecture model;
    TrainingPlan plan;
    Inputs inputs;
    InputOrigins origins;
    /// Serving: one pool, or prefill and decode; empty in training, and where the plan is illegal. The last
    /// one's inputs are `inputs`.
    std::vector<ServingPool> pools;
    bool transfersOverNvlink = false, transferOverlaps = true; ///< of the KV cache, between two pools
    bool isServing() const { return spec.workload.isServing(); }
    bool hasTokens = false, hasPrice = false, hasGoodput = false;
    int gpusPerNode = 1, nvlinkDomain = 1;
    int hosts = 1;                           ///< instances that are rented
    int networkLayers = 0;                   ///< of the machine's own fabric
    int networkCards = 0;                    ///< of one instance; 0: not known
    std::string hostType;                    ///< instance type; empty: a custom machine
    std::optional<PlacementFacts> placement; ///< absent on the machine's own fabric, packed
    Bound networkBound = Bound::efa;         ///< what time on the network between nodes is charged to

    std::vector<Problem> problems; ///< of legality and modelling; errors mean that it does not run
    bool legal = true;             ///< no rule is broken
    bool modelled = true;          ///< everything in it is modelled
    std::string modelName, clusterName;
    std::string priceItem, priceDate, priceSource;
    /// How long before the end of a Capacity Block its machines are taken away; 0: paid by the hour.
    double blockEndHours = 0;
    std::string catalogVersion, profileName;
    bool runs() const { return legal && modelled; }
};

/// Looks up the ids of a spec and fills in what it leaves out.
/// \returns an error only for a request that means nothing (unknown id, missing required field); its message
/// begins with a JSON pointer. What is illegal or not modelled is a problem inside the Scenario.
Result<Scenario> resolve(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile);

} // namespace alidade
