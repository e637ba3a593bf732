// SPDX-License-Identifier: GPL-3.0-or-later
// The entries of a kind as an editable table: effective values, shipped values, and who changed them.
#pragma once

#include "data/catalog/catalog_keys.h"
#include "data/catalog/user_catalog.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

/// A value with both of its sources.
struct EffectiveValue {
    std::string value;            ///< canonical; "null": unknown
    std::string text;             ///< without the unit; empty: unknown
    std::optional<double> number; ///< in the column's unit
    std::string source;           ///< "Title (date)", or a note that there is none
    std::string shipped;          ///< canonical; empty: the entry is not shipped
    std::string shippedText;      ///< without the unit
    std::string shippedSource;
    std::optional<std::size_t> change; ///< that sets it: index in the list
    std::string problem;               ///< why that change is set aside; empty: it is in effect
    bool changed() const { return change.has_value(); }
};

enum class EntryState : std::uint8_t { shipped, changed, added, removed };

struct SheetRow {
    std::string id;
    std::string name; ///< "8 x H100 SXM5 80 GB"
    EntryState state = EntryState::shipped;
    std::vector<EffectiveValue> cells; ///< one for each of `catalogKeys`
    std::string problem; ///< why the change that added or removed it is set aside; empty: it is in effect
};

/// Returns every entry in the order of the catalog, then the removed ones with their shipped values, then
/// those whose addition is set aside.
std::vector<SheetRow> catalogSheet(const Catalog& shipped, const UserCatalog& user,
                                   const AppliedCatalog& applied, CatalogKind kind);

/// Returns one row of that table; nullopt: no such entry.
std::optional<SheetRow> catalogSheetRow(const Catalog& shipped, const UserCatalog& user,
                                        const AppliedCatalog& applied, CatalogKind kind,
                                        const std::string& entry);

/// Returns one cell of that table; nullopt: no such entry or key. Also for defaults of software
/// ("defaults.plan.sharding").
std::optional<EffectiveValue> effectiveValue(const Catalog& shipped, const UserCatalog& user,
                                             const AppliedCatalog& applied, CatalogKind kind,
                                             const std::string& entry, const std::string& key);

/// An inconsistency in a changed or added entry: a sum, a generation, a duplicate price.
struct EntryWarning {
    CatalogKind kind = CatalogKind::gpus;
    std::string entry;
    std::string key; ///< empty: the whole entry
    std::string message;
};

/// Returns warnings about the entries that the user changed or added, not about the shipped ones.
std::vector<EntryWarning> catalogWarnings(const AppliedCatalog& applied, const UserCatalog& user);

} // namespace alidade::data
