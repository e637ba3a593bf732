// SPDX-License-Identifier: GPL-3.0-or-later
// Another user catalog into one's own.
#pragma once

#include "data/catalog/user_catalog.h"

#include <memory>
#include <string>
#include <vector>

namespace alidade::data {

/// One thing that an import would change in the catalog that counts.
struct ImportStep {
    std::size_t change = 0; ///< index in the imported list of the change that does it
    CatalogKind kind = CatalogKind::gpus;
    std::string entry;
    std::string key;     ///< empty: the entry as a whole is added, replaced, removed or restored
    std::string now;     ///< canonical value before; empty: none
    std::string then;    ///< canonical value after; empty: none
    bool own = false;    ///< a change of one's own would no longer count
    std::string problem; ///< why it would be set aside; empty: it would count
};

/// What `imported` would change over `mine`; not what is the same already. In the order of the imported list.
std::vector<ImportStep> importSteps(const std::shared_ptr<const Catalog>& shipped, const UserCatalog& mine,
                                    const UserCatalog& imported);

/// `mine` with the imported changes behind it, with their history; without those of the values or entries of
/// the changes whose index is in `leftOut`. A change that `mine` has word for word is not there twice.
UserCatalog withImported(const UserCatalog& mine, const UserCatalog& imported,
                         const std::vector<std::size_t>& leftOut = {});

} // namespace alidade::data
