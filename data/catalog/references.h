// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: which entries name which.
#pragma once

#include "data/catalog/kind.h"
#include "model/catalog/catalog.h"

#include <string>
#include <vector>

namespace alidade::data {

/// One entry names another.
struct Reference {
    CatalogKind kind = CatalogKind::gpus;
    const std::string* entry = nullptr; ///< id of the one that names
    const char* key = "";
    CatalogKind target = CatalogKind::gpus; ///< of two kinds that may be meant the one that has it
    std::string id;                         ///< of the one that is named; of EFA its version as a text
    bool found = false;
};

/// Every reference of a catalog, in the order of the kinds. Pointers into the catalog.
std::vector<Reference> referencesOf(const Catalog& catalog);

} // namespace alidade::data
