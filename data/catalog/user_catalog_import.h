// SPDX-License-Identifier: GPL-3.0-or-later
// Imports another user catalog.
#pragma once

#include "data/catalog/user_catalog.h"

#include <memory>
#include <string>
#include <vector>

namespace alidade::data {

/// One effect of an import on the effective catalog.
struct ImportStep {
    std::size_t change = 0; ///< index in the imported list of the change that causes it
    CatalogKind kind = CatalogKind::gpus;
    std::string entry;
    std::string key;     ///< empty: the entry as a whole is added, replaced, removed or restored
    std::string now;     ///< canonical value before; empty: none
    std::string then;    ///< canonical value after; empty: none
    bool own = false;    ///< a change of the user's own would no longer apply
    std::string problem; ///< why it would be set aside; empty: it would take effect
};

/// Returns what `imported` would change in `mine`, without what is already the same. In the order of the
/// imported list.
std::vector<ImportStep> importSteps(const std::shared_ptr<const Catalog>& shipped, const UserCatalog& mine,
                                    const UserCatalog& imported);

/// Returns `mine` followed by the imported changes with their history, without those of the values or entries
/// of the changes whose index is in `leftOut`. A change that is identical in `mine` is not repeated.
UserCatalog withImported(const UserCatalog& mine, const UserCatalog& imported,
                         const std::vector<std::size_t>& leftOut = {});

} // namespace alidade::data
