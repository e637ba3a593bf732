// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/catalog.h"

#include "model/catalog/price_choice.h"

#include <algorithm>

namespace alidade {
namespace {

template <class T>
const T* byId(const std::vector<T>& entries, std::string_view id) {
    const auto found = std::ranges::find(entries, id, &T::id);
    return found == entries.end() ? nullptr : &*found;
}

} // namespace

const Gpu* Catalog::gpu(std::string_view id) const { return byId(gpus, id); }
const Instance* Catalog::instance(std::string_view id) const { return byId(instances, id); }
const UltraServer* Catalog::ultraserver(std::string_view id) const { return byId(ultraservers, id); }
const Architecture* Catalog::model(std::string_view id) const { return byId(models, id); }
const Framework* Catalog::framework(std::string_view id) const { return byId(frameworks, id); }
const Framework* Catalog::engine(std::string_view id) const { return byId(engines, id); }

const Topology* Catalog::topology(std::string_view name) const {
    const auto found = std::ranges::find(topologies, name, &Topology::name);
    return found == topologies.end() ? nullptr : &*found;
}

const Profile* Catalog::profile(std::string_view name) const {
    if (name.empty() || name == "default")
        return &defaultProfile;
    const auto found = std::ranges::find(profiles, name, &Profile::name);
    return found == profiles.end() ? nullptr : &*found;
}

const Profile& Catalog::profileOrDefault(const std::optional<std::string>& name) const {
    const Profile* named = profile(name.value_or(""));
    return named ? *named : defaultProfile;
}

const EfaGeneration* Catalog::efaGeneration(int version) const {
    const auto found = std::ranges::find(efa, version, &EfaGeneration::version);
    return found == efa.end() ? nullptr : &*found;
}

const Price* Catalog::price(std::string_view item, std::string_view region, Purchase purchase,
                            std::string_view day) const {
    return preferredPrice(prices, day, [&](const Price& price) {
        return price.purchase == purchase && price.item == item && price.region == region;
    });
}

} // namespace alidade
