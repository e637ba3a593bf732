// SPDX-License-Identifier: GPL-3.0-or-later
// A newer shipped catalog under a user's changes.
#pragma once

#include "data/catalog/user_catalog.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alidade::data {

enum class ConflictKind : std::uint8_t {
    valueMoved,   ///< the shipped value under a change is another one now
    entryGone,    ///< a changed entry is not shipped any more
    entryArrived, ///< an entry that the user added is shipped now
    entryMoved,   ///< an entry that the user removed has other values now
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

/// What a person must decide when `shipped` is newer than the one under which the changes were made. Until it
/// is settled the user's value counts. A change that says what is shipped now is none.
std::vector<MergeConflict> conflicts(const Catalog& shipped, const UserCatalog& user);

enum class Settlement : std::uint8_t { yours, shipped };

/// The list with the changes that settle a conflict behind it. "Yours" of an entry that is gone adds it again
/// with all its values if `oldShipped` has it; without one the changes stay set aside.
UserCatalog settled(const Catalog& shipped, const Catalog* oldShipped, const UserCatalog& user,
                    const MergeConflict& conflict, Settlement settlement, const Signature& signature);

} // namespace alidade::data
