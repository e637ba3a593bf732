// SPDX-License-Identifier: GPL-3.0-or-later
// Merges a newer shipped catalog with a user's changes.
#pragma once

#include "data/catalog/user_catalog.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alidade::data {

enum class ConflictKind : std::uint8_t {
    valueMoved,   ///< the shipped value under a change has changed
    entryGone,    ///< a changed entry is no longer shipped
    entryArrived, ///< an entry that the user added is shipped now
    entryMoved,   ///< the values of an entry that the user removed have changed
};

struct MergeConflict {
    ConflictKind conflict = ConflictKind::valueMoved;
    std::size_t change = 0; ///< index in the list
    CatalogKind kind = CatalogKind::gpus;
    std::string entry;
    std::string key;        ///< of valueMoved
    std::string oldShipped; ///< canonical; empty: unknown or not one value
    std::string newShipped; ///< canonical; empty: gone
    std::string yours;      ///< canonical; empty: removed
    std::string oldVersion; ///< of the shipped catalogs
    std::string newVersion;
};

/// Returns what the user must decide if `shipped` is newer than the catalog over which the changes were made.
/// Until then the user's value applies. A change to the value that is now shipped is not a conflict.
std::vector<MergeConflict> conflicts(const Catalog& shipped, const UserCatalog& user);

enum class Settlement : std::uint8_t { yours, shipped };

/// Returns the list followed by the changes that settle a conflict. "Yours" for an entry that is gone adds it
/// again with all its values if `oldShipped` has it; otherwise the changes stay set aside.
UserCatalog settled(const Catalog& shipped, const Catalog* oldShipped, const UserCatalog& user,
                    const MergeConflict& conflict, Settlement settlement, const Signature& signature);

} // namespace alidade::data
