// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/references.h"

#include <string_view>
#include <unordered_set>

namespace alidade::data {
namespace {

using Ids = std::unordered_set<std::string_view>;

template <class T>
Ids idsOf(const std::vector<T>& entries) {
    Ids out;
    out.reserve(entries.size());
    for (const T& entry : entries)
        out.insert(entry.id);
    return out;
}

} // namespace

std::vector<Reference> referencesOf(const Catalog& catalog) {
    const Ids gpus = idsOf(catalog.gpus), instances = idsOf(catalog.instances),
              ultraservers = idsOf(catalog.ultraservers);
    std::vector<Reference> out;
    out.reserve(2 * catalog.instances.size() + 2 * catalog.ultraservers.size() + catalog.storage.size() +
                catalog.prices.size());
    const auto refer = [&](CatalogKind kind, const std::string& entry, const char* key, CatalogKind target,
                           const std::string& id,
                           bool found) { out.push_back({kind, &entry, key, target, id, found}); };
    for (const Instance& instance : catalog.instances) {
        refer(CatalogKind::instances, instance.id, "gpu", CatalogKind::gpus, instance.gpu,
              gpus.contains(instance.gpu));
        if (instance.efaGeneration)
            refer(CatalogKind::instances, instance.id, "efa_generation", CatalogKind::efa,
                  std::to_string(*instance.efaGeneration),
                  catalog.efaGeneration(*instance.efaGeneration) != nullptr);
    }
    for (const UltraServer& server : catalog.ultraservers) {
        refer(CatalogKind::ultraservers, server.id, "gpu", CatalogKind::gpus, server.gpu,
              gpus.contains(server.gpu));
        if (!server.instance.empty())
            refer(CatalogKind::ultraservers, server.id, "instance", CatalogKind::instances, server.instance,
                  instances.contains(server.instance));
    }
    for (const StorageTier& tier : catalog.storage)
        if (!tier.instance.empty())
            refer(CatalogKind::storage, tier.id, "instance", CatalogKind::instances, tier.instance,
                  instances.contains(tier.instance));
    for (const Price& price : catalog.prices) {
        const bool isServer = ultraservers.contains(price.item);
        refer(CatalogKind::prices, price.id, "item",
              isServer ? CatalogKind::ultraservers : CatalogKind::instances, price.item,
              isServer || instances.contains(price.item));
    }
    return out;
}

} // namespace alidade::data
