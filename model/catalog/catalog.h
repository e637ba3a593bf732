// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/framework.h"
#include "model/catalog/profile.h"
#include "model/hardware/hardware.h"
#include "model/topology/topology.h"
#include "model/workload/architecture.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Everything that is known of hardware, prices, models and software: immutable once it is built. Shared
/// between threads as `std::shared_ptr<const Catalog>`.
struct Catalog {
    std::string version; ///< date of the shipped catalog, ISO 8601
    std::vector<Gpu> gpus;
    std::vector<Instance> instances;
    std::vector<UltraServer> ultraservers;
    std::vector<EfaGeneration> efa;
    std::vector<StorageTier> storage;
    std::vector<Price> prices;
    std::vector<Architecture> models;
    std::vector<Framework> frameworks; ///< that train
    std::vector<Framework> engines;    ///< that serve
    std::vector<Topology> topologies;  ///< imported; none is shipped
    Profile defaultProfile; ///< the constants of the model: what a scenario's calibration "default" means
    std::vector<Profile> profiles; ///< calibrations that scenarios may name; none is shipped

    /// Pointers into this catalog; nullptr if the id is unknown.
    const Gpu* gpu(std::string_view id) const;
    const Instance* instance(std::string_view id) const;
    const UltraServer* ultraserver(std::string_view id) const;
    const EfaGeneration* efaGeneration(int version) const;
    const Architecture* model(std::string_view id) const;
    const Framework* framework(std::string_view id) const;
    const Framework* engine(std::string_view id) const;
    const Topology* topology(std::string_view name) const;
    /// The default one where the name is empty or "default".
    const Profile* profile(std::string_view name) const;
    /// The one that a scenario names; the default one where there is none of that name.
    const Profile& profileOrDefault(const std::optional<std::string>& name) const;
    /// The current price of an item for a region and a way to pay; nullptr if none is known.
    const Price* price(std::string_view item, std::string_view region, Purchase purchase) const;
};

/// The nearest of some known words by edit distance, for error messages; empty if none is near.
std::string nearestName(std::string_view word, const std::vector<std::string>& known);

} // namespace alidade
