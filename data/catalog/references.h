// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: references between entries.
#pragma once

#include "data/catalog/kind.h"
#include "model/catalog/catalog.h"

#include <string>
#include <vector>

namespace alidade::data {

/// A reference from one entry to another.
struct Reference {
    CatalogKind kind = CatalogKind::gpus;
    const std::string* entry = nullptr; ///< id of the referring entry
    const char* key = "";
    CatalogKind target = CatalogKind::gpus; ///< if two kinds are possible, the one that has the id
    std::string id;                         ///< of the referenced entry; for EFA its version as a text
    bool found = false;
};

/// Returns every reference of a catalog, in the order of the kinds. They point into the catalog.
std::vector<Reference> referencesOf(const Catalog& catalog);

} // namespace alidade::data
