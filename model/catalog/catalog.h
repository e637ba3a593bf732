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

/// All known hardware, prices, models and software; immutable once built. Shared between threads as
/// `std::shared_ptr<const Catalog>`.
struct Catalog {
    std::string version; ///< date of the shipped catalog, ISO 8601
    std::vector<Gpu> gpus;
    std::vector<Instance> instances;
    std::vector<UltraServer> ultraservers;
    std::vector<EfaGeneration> efa;
    std::vector<StorageTier> storage;
    std::vector<Price> prices;
    TransferPrices transfer; ///< of data that leaves AWS for the internet
    std::vector<Architecture> models;
    std::vector<Framework> frameworks; ///< for training
    std::vector<Framework> engines;    ///< for serving
    std::vector<Topology> topologies;  ///< imported; none is shipped
    Profile defaultProfile;            ///< the constants of the model; scenarios refer to it as "default"
    std::vector<Profile> profiles;     ///< calibrations that scenarios may name; none is shipped

    /// Pointers into this catalog; nullptr if the id is unknown.
    const Gpu* gpu(std::string_view id) const;
    const Instance* instance(std::string_view id) const;
    const UltraServer* ultraserver(std::string_view id) const;
    const EfaGeneration* efaGeneration(int version) const;
    const Architecture* model(std::string_view id) const;
    const Framework* framework(std::string_view id) const;
    const Framework* engine(std::string_view id) const;
    const Topology* topology(std::string_view name) const;
    /// The default profile if the name is empty or "default".
    const Profile* profile(std::string_view name) const;
    /// The profile that a scenario names; the default profile if there is no such profile.
    const Profile& profileOrDefault(const std::optional<std::string>& name) const;
    /// The price of an item in a region with a purchase option on a day; nullptr if unknown.
    /// \param day see isInForce
    const Price* price(std::string_view item, std::string_view region, Purchase purchase,
                       std::string_view day = {}) const;
};

/// The known word nearest by edit distance, for error messages; empty if none is near.
std::string nearestName(std::string_view word, const std::vector<std::string>& known);

} // namespace alidade
