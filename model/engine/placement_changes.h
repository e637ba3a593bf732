// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/engine/engine.h"
#include "model/estimate/cluster_map.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace alidade {

// What if a machine goes, a spare comes in, a leaf is drained, ranks are placed otherwise: changes of the
// spec, each of which can be priced by estimating again. Pure functions.

/// Leaves hosts out, with no spare in their place: fewer machines work, and the plan has fewer replicas.
/// \returns an error where they have no ranks, or no replica is left
Result<Fix> removeHosts(const ScenarioSpec& spec, const ClusterMap& map, std::span<const int> hosts,
                        const Catalog& catalog, const Profile& profile);

/// Leaves a host out and lets an idle one take its ranks: the nearest in the network, where hosts are listed.
/// \returns an error where there is no spare
Result<Fix> swapInSpare(const ScenarioSpec& spec, const ClusterMap& map, int host);

/// Leaves hosts out, with or without ranks; spares take their ranks as far as there are any, else the plan
/// has fewer replicas.
/// \returns an error where no replica is left
Result<Fix> excludeHosts(const ScenarioSpec& spec, const ClusterMap& map, std::span<const int> hosts,
                         const Catalog& catalog, const Profile& profile);

/// Leaves out all hosts below a network node; spares take their ranks as far as there are any.
Result<Fix> drainNode(const ScenarioSpec& spec, const ClusterMap& map, int node, const Catalog& catalog,
                      const Profile& profile);

/// Other ways to put the same ranks on the same hosts: sorted by the tree, packed, other rank orders.
std::vector<Fix> otherPlacements(const ScenarioSpec& spec);

/// otherPlacements, and where groups straddle NVLink domains those that keep them inside, with hosts left out
/// (placementsInDomains).
std::vector<Fix> placementWays(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile);

/// What a change of placement brings, found by estimating again.
struct PricedChange {
    Fix change;
    bool runs = false;                                         ///< and fits
    std::string reason{};                                      ///< why it does not run
    double stepTime = 0, stepTimeDifference = 0;               ///< s; a decode step of a service
    double tokensPerSecond = 0, tokensPerSecondDifference = 0; ///< output tokens of a service
    std::optional<double> dollarsPerHour{}, dollarsPerHourDifference{};
    std::optional<double> dollarsPerRun{}, dollarsPerRunDifference{};
    int hostsInUse = 0, hostsInUseDifference = 0; ///< 0, 0: not placed on a fabric before or after
};
PricedChange priced(const ScenarioSpec& spec, const Fix& change, const Catalog& catalog,
                    const Profile& profile);

/// Part of a step by which a placement that leaves replicas out, or lists the hosts, must be faster than one
/// that does not.
inline constexpr double leastGainOfCostlier = 0.01;
/// Whether one change of placement is to be preferred to another: it runs, and the step is shorter.
bool isBetterPlacement(const PricedChange& a, const PricedChange& b);

/// The best of placementWays (isBetterPlacement); none if nothing beats the present placement.
std::optional<PricedChange> improvePlacement(const ScenarioSpec& spec, const Catalog& catalog,
                                             const Profile& profile);

} // namespace alidade
