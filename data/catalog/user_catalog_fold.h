// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: what a list of changes comes to, entry by entry.
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

/// Whether a key is another one or lies in it: "moe.routed_experts" in "moe".
bool liesIn(std::string_view key, std::string_view outer);

/// The entries that the list names, in the order of their first change; also those to which nothing is done
/// in the end.
std::vector<EntryChanges> folded(const UserCatalog& user);

/// What `folded` has of one entry; nullopt: the list does not name it.
std::optional<EntryChanges> foldedEntry(const UserCatalog& user, CatalogKind kind, const std::string& id);

} // namespace alidade::data
