// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/cost/rental.h"
#include "model/kernels/bound.h"
#include "model/plan/run_plan.h"
#include "model/plan/serving_plan.h"
#include "model/plan/training_plan.h"
#include "model/scenario/problem.h"
#include "model/scenario/spec.h"
#include "model/topology/placement_facts.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

struct RoleScenarios;
struct TestTimePlan;

/// A resolved scenario. Contains values only; nothing is left to look up.
struct Scenario {
    ScenarioSpec spec; ///< completed with framework defaults and derived values
    Architecture model;
    TrainingPlan plan;
    RunPlan run; ///< of training
    Inputs inputs;
    InputOrigins origins;
    /// Serving: one pool, or prefill and decode; empty for training and for illegal plans. `inputs` equals
    /// the inputs of the last pool.
    std::vector<ServingPool> pools;
    bool transfersOverNvlink = false, transferOverlaps = true; ///< of the KV cache, between two pools
    bool isServing() const { return spec.workload.isServing(); }
    /// Serving with samples, a selection or a budget; null: a request is one sequence.
    std::shared_ptr<const TestTimePlan> testTime;
    /// Reinforcement learning: its two sides, each a separate scenario; null for illegal plans.
    std::shared_ptr<const RoleScenarios> roles;
    bool isReinforcement() const { return spec.workload.isReinforcement(); }
    bool hasTokens = false, hasPrice = false, hasGoodput = false;
    int gpusPerNode = 1, nvlinkDomain = 1;
    int hosts = 1;                           ///< rented instances
    int networkLayers = 0;                   ///< of the machine's own fabric
    int networkCards = 0;                    ///< per instance; 0: unknown
    std::string hostType;                    ///< instance type; empty: a custom machine
    std::optional<PlacementFacts> placement; ///< absent on the machine's own fabric, packed
    Bound networkBound = Bound::efa;         ///< bound that network time between nodes is charged to

    std::vector<Problem> problems; ///< legality and modeling problems; errors mean that it does not run
    bool legal = true;             ///< breaks no rule
    bool modeled = true;           ///< everything in it is modeled
    std::string modelName, clusterName;
    std::string priceItem, priceDate, priceSource;
    std::string priceId;         ///< in the catalog; empty: the scenario's own price, or none
    std::string priceValidUntil; ///< last day of the price; empty: no end is known
    RentalTerms rental;          ///< how the time of the machines is billed; with a base, of the rest
    RentalTerms baseRental;      ///< how that of the base is billed, where there is one
    std::string basePriceDate, basePriceSource;
    bool hasBase() const { return inputs[Input::baseItems] > 0; }
    /// How the machines are bought that the base leaves, or all where it leaves none: a word of the scenario.
    std::string mainPurchase() const {
        const bool isAllBase = hasBase() && inputs[Input::baseItems] >= inputs[Input::paidItems];
        return (isAllBase ? spec.order.base.purchase : spec.cluster.purchase).value_or("");
    }
    std::vector<TransferTier> transfer; ///< prices of the data sent to the internet; empty: none is
    std::string catalogVersion, profileName;
    bool runs() const { return legal && modeled; }
};

/// Looks up the IDs of a spec and fills in omitted fields.
/// \returns an error only for a meaningless request (unknown ID, missing required field); its message begins
/// with a JSON pointer. Illegal or unmodeled settings are problems inside the Scenario.
Result<Scenario> resolve(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile);

} // namespace alidade
