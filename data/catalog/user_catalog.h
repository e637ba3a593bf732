// SPDX-License-Identifier: GPL-3.0-or-later
// A user's catalog: a list of changes to the shipped one. Values and pure functions; a shipped value is never
// overwritten. Cell texts are in cell_text.h, rows and columns in catalog_sheet.h, files in
// user_catalog_json.h, merging a newer shipped catalog in catalog_merge.h.
#pragma once

#include "data/catalog/kind.h"
#include "model/base/result.h"
#include "model/catalog/catalog.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// What one change does. The list of changes is also its history: a value that was changed twice has two
/// `set`s of which the later one applies, and undone changes record who undid them.
enum class ChangeAction : std::uint8_t {
    set,      ///< one value of an entry
    add,      ///< a new entry
    remove,   ///< an entry is removed
    reset,    ///< one value (with `key`) or a whole entry follows the shipped catalog again
    restore,  ///< a removed entry comes back, with the changes that it had
    withdraw, ///< an added entry is withdrawn; a shipped entry with its id applies again
};

/// One edit of a catalog. Values are JSON texts in the unit of the document: "989.5", "\"Hopper\"", "true",
/// "[\"on-demand\"]", "null" for unknown; in canonical form (see `canonical`), so that equal texts are equal
/// values.
struct CatalogChange {
    ChangeAction action = ChangeAction::set;
    CatalogKind kind = CatalogKind::gpus; ///< not scenarios
    std::string entry;                    ///< id
    std::string key;                      ///< "hbm_bandwidth_gb_per_s", "moe.routed_experts", "notes"
    std::string value;                    ///< set: the new value; add: the whole entry as an object
    std::string copyOf;                   ///< add: id of the entry that it was made from; may be empty
    std::string note;                     ///< why
    std::string who;
    std::string when;             ///< RFC 3339, "2026-11-20T14:05:00Z"; may be empty
    std::optional<Source> source; ///< source of the value, if it is from elsewhere
    /// The shipped value (remove, add: the whole shipped entry) that it replaced; empty: none.
    std::string shipped;
    std::string shippedVersion; ///< date of the shipped catalog at that time; may be empty

    bool operator==(const CatalogChange&) const;
};

/// The changes in chronological order. Undo removes the last one.
struct UserCatalog {
    std::vector<CatalogChange> changes;

    bool operator==(const UserCatalog&) const = default;
};

/// A change that does not apply (any longer): it has no effect, but stays in the list.
struct SetAside {
    std::size_t change = 0; ///< index in the list
    std::string message;    ///< "what is wrong; how to fix it"
};

struct AppliedCatalog {
    std::shared_ptr<const Catalog> catalog; ///< never null
    std::vector<SetAside> setAside;         ///< by index
    /// Returns why a change has no effect; nullptr if it has one.
    const SetAside* setAsideOf(std::size_t change) const;
};

/// Applies the changes to the shipped catalog. Entries that were changed or added are marked
/// `provenance.user`; a changed value has its own source before the shipped ones.
AppliedCatalog applyChanges(const std::shared_ptr<const Catalog>& shipped, const UserCatalog& user);

/// Who makes a change, when and why; every edit below records this in its changes.
struct Signature {
    std::string who;
    std::string when; ///< RFC 3339
    std::string note;
    std::optional<Source> source = {};
};

/// Changes one value of one entry. `value` is canonical, as `readCell` returns it. Refused if the entry or
/// the key does not exist, or if the value is invalid for that key.
/// \param effective result of `applyChanges`
Result<CatalogChange> changeValue(const Catalog& shipped, const Catalog& effective, CatalogKind kind,
                                  const std::string& entry, const std::string& key, const std::string& value,
                                  const Signature& signature);

/// Adds a new entry: `values` are pairs of a key and its canonical value; they must include those that the
/// kind requires. Refused if the id is taken or empty.
Result<CatalogChange> addEntry(const Catalog& shipped, const Catalog& effective, CatalogKind kind,
                               const std::string& id,
                               const std::vector<std::pair<std::string, std::string>>& values,
                               const Signature& signature);

/// Adds a new entry with the values and sources of another one.
Result<CatalogChange> duplicateEntry(const Catalog& effective, CatalogKind kind, const std::string& of,
                                     const std::string& id, const Signature& signature);

/// Adds a new model from an imported architecture. A number is appended to an id that is taken.
Result<CatalogChange> addModel(const Catalog& effective, const Architecture& model,
                               const Signature& signature);

/// Returns `wanted`, or `wanted-2`, `wanted-3`, ... if an entry has that id.
std::string freeId(const Catalog& effective, CatalogKind kind, const std::string& wanted);

/// An entry that refers to another one.
struct Dependant {
    CatalogKind kind = CatalogKind::gpus;
    std::string entry;
    std::string key; ///< that holds the reference

    bool operator==(const Dependant&) const = default;
};

/// Returns the entries that refer to an entry, in the order of the kinds; if `indirect`, also those that
/// refer to these in turn.
std::vector<Dependant> dependants(const Catalog& effective, CatalogKind kind, const std::string& entry,
                                  bool indirect = false);

/// What to do with the dependants of an entry that is removed.
enum class WithDependants : bool { refuse, removeToo };

/// Removes an entry. Refused if it does not exist, or if others refer to it and are not removed with it (the
/// error names them). Dependants are removed first, so that the catalog is consistent after each change. If
/// the entry was changed before, its removal does not restore the shipped one.
Result<std::vector<CatalogChange>> removeEntry(const Catalog& effective, CatalogKind kind,
                                               const std::string& entry, WithDependants withDependants,
                                               const Signature& signature);

/// Resets to the shipped value (of an added entry: the value that it was added with). Refused if nothing was
/// changed.
Result<CatalogChange> resetValue(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                 const std::string& key, const Signature& signature);
/// The same for all values of an entry.
Result<CatalogChange> resetEntry(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                 const Signature& signature);
/// Restores a removed entry. Refused if the entry is not removed.
Result<CatalogChange> restoreEntry(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                   const Signature& signature);

/// Returns the indices of the changes in force, that is, not replaced or undone by later ones. Sorted.
std::vector<std::size_t> changesInForce(const UserCatalog& user);
/// Returns the change that currently sets a value, if any.
std::optional<std::size_t> changeInForce(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                         const std::string& key);

/// Returns every change of one value, the oldest first: its `set`s and what undid them, and what added,
/// removed or restored its entry. With an empty key: of the entry and all its values.
std::vector<std::size_t> historyOf(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                   const std::string& key = {});

/// Returns a one-line description: "Memory bandwidth of h100-sxm: 3350 -> 3000 GB/s".
std::string describe(const CatalogChange& change);

/// Returns the value in canonical form; an error if it is invalid for that key.
Result<std::string> canonical(CatalogKind kind, const std::string& key, const std::string& value);

} // namespace alidade::data
