// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/cost/order.h"
#include "model/cost/storage_price.h"
#include "model/fleet/autoscaling.h"
#include "model/fleet/purchase_split.h"
#include "model/hardware/purchase.h"
#include "model/scenario/spec.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade {

// Several services on shared pools of machines: which service runs where, how many replicas over a week, how
// the machines are bought, for the smallest bill within all targets.

/// One service of a fleet.
struct FleetService {
    std::string name;
    /// Model, lengths of requests, targets and layout of a replica; its machines and its load are not used.
    ScenarioSpec spec;
    TrafficProfile traffic;
    double onTime = 0.99;             ///< share of the requests that must come while targets are met, 0..1
    bool searchLayouts = false;       ///< try other tensor-parallel degrees than the one in the spec
    std::vector<std::string> pools{}; ///< names of those that it may run on; empty: all
    ScalingPolicy scaling{};
};

/// One way to buy an instance.
struct PurchaseTerms {
    std::string purchase = "on_demand"; ///< as in a scenario's cluster.purchase
    std::optional<double> dollarsPerInstanceHour, discount;
    std::optional<std::string> commitment;
};

/// How the instances of a pool may be bought that are paid all the time, and those beyond.
inline constexpr std::array basePurchases{Purchase::reserved, Purchase::capacityBlock, Purchase::onDemand,
                                          Purchase::custom};
inline constexpr std::array burstPurchases{Purchase::onDemand, Purchase::capacityBlock, Purchase::custom};

/// Machines of one type that services share.
struct FleetPool {
    std::string name, machine; ///< machine: id of an instance type or UltraServer
    std::optional<std::string> region;
    int maxInstances = 0;                ///< that can be had, >= 0
    int spares = 0;                      ///< instances that run without load, for failures
    std::optional<PurchaseTerms> base;   ///< paid all the time
    std::optional<int> baseInstances;    ///< absent: the cheapest number
    std::vector<PurchaseTerms> burst;    ///< on_demand, capacity_block or custom; custom is paid by use
    std::string storage = "s3-standard"; ///< catalog id of what weights are read from
};

struct Fleet {
    std::string name;
    std::vector<FleetService> services;
    std::vector<FleetPool> pools;
};

/// A service on a pool in one layout: what a replica takes and carries.
struct ServiceOption {
    std::size_t pool = 0;
    ScenarioSpec spec;     ///< one replica
    std::string layout;    ///< "tensor 2"
    std::int64_t gpus = 1; ///< of a replica
    std::int64_t slot = 1; ///< GPUs of an instance that it blocks; of a large replica, those of all of its
    ReplicaFacts facts;
    double loadSeconds = 0; ///< of the lead: reading the weights
    bool verified = false;  ///< rate: checked by the simulation, where that can play it
    bool playable = true;   ///< false: prefill and decode in separate pools, in closed form alone
    int extra = 0;          ///< replicas beyond the policy's that the share of requests on time takes
    ReplicaPlan plan;
};

enum class RejectionReason : std::uint8_t {
    notLegal, ///< breaks a rule, is not modeled or means nothing
    doesNotFit,
    missesTtft, ///< at any load
    missesItl,
    late,            ///< too many requests come while replicas start, whatever the policy
    tooFewInstances, ///< alone on the pool
    noPrice,
    dominated, ///< another layout on the same pool carries as much with no more GPUs
};
std::string_view reasonText(RejectionReason reason);

struct RejectedOption {
    std::size_t service = 0, pool = 0;
    std::string layout;
    RejectionReason reason = RejectionReason::notLegal;
    std::string detail; ///< a sentence; may be empty
};

/// A price as it was looked up.
struct PoolPrice {
    PurchaseTerms terms;
    NanoDollars price = 0;
    std::string region, source, date;
};

/// Where a service runs and how well.
struct PlacedService {
    std::size_t service = 0;
    ServiceOption option;
    /// At the busiest moment, per replica: requests/s, and latencies at the percentile of the targets.
    double peakRate = 0, utilization = 0;
    double ttft = 0, itl = 0;
    double percentile = 90;
    std::optional<double> ttftTarget, itlTarget;
    double gpuHours = 0;                ///< of a period, of its slots
    double dollars = 0;                 ///< of a month: its share of the pool's bill by GPU-hours
    double dollarsPerMillionTokens = 0; ///< of input and output tokens
};

/// A pool in use.
struct PlannedPool {
    std::size_t pool = 0;
    InstanceDemand demand; ///< spares included
    PurchaseSplit split;
    std::vector<OrderLine> lines; ///< of a month of 730 hours
    Cents total = 0;
    int most = 0, least = 0; ///< instances
};

struct FleetPlan {
    std::vector<PlacedService> services; ///< in the order of the fleet
    std::vector<PlannedPool> pools;      ///< those in use, in the order of the fleet
    Cents total = 0;                     ///< of a month
};

struct FleetAnswer {
    std::optional<FleetPlan> best;
    /// The cheapest other assignment of services to pools and layouts; its replicas are not verified.
    std::optional<FleetPlan> second;
    std::vector<std::vector<PoolPrice>> prices; ///< of each pool: base first, if it has one
    std::vector<RejectedOption> rejected;
    std::vector<std::string> notes; ///< sentences: terms without a price, which are not used
    std::uint64_t assignments = 0;  ///< of all services to the options that are left
    std::uint64_t tried = 0;        ///< of them, those that the bound left to price
    std::string whyNot;             ///< a sentence; empty if there is a best one
    bool complete = true;           ///< false: stopped early
};

/// The cheapest fleet within all targets. \pre names are unique, traffic has one period
/// \param progress share that is done, 0..1
/// \returns an error for a fleet that means nothing: an unknown machine or scenario field
Result<FleetAnswer> planFleet(const Fleet& fleet, const Catalog& catalog, const Profile& profile,
                              const std::stop_token& stop = {},
                              const std::function<void(double)>& progress = {});

} // namespace alidade
