// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: the net effect of a list of changes, entry by entry.
#pragma once

#include "data/catalog/user_catalog.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alidade::data {

/// The changes in force of one entry, as indices in the list.
struct EntryChanges {
    CatalogKind kind = CatalogKind::gpus;
    std::string id;
    std::optional<std::size_t> added;
    std::optional<std::size_t> removed;
    std::vector<std::pair<std::string, std::size_t>> values; ///< by key, in the order of the changes

    std::optional<std::size_t> valueChange(std::string_view key) const;
};

/// Returns whether a key equals another one or is part of it: "moe.routed_experts" in "moe".
bool liesIn(std::string_view key, std::string_view outer);

/// Returns the entries in the list, in the order of their first change; also those without a net effect.
std::vector<EntryChanges> folded(const UserCatalog& user);

/// Returns the element of `folded` for one entry; nullopt if the list does not contain it.
std::optional<EntryChanges> foldedEntry(const UserCatalog& user, CatalogKind kind, const std::string& id);

} // namespace alidade::data
