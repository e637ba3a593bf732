// SPDX-License-Identifier: GPL-3.0-or-later
// The catalog that is a person's own: a list of changes over the shipped one. Values and pure functions; a
// shipped value is never overwritten. Texts of cells are in cell_text.h, rows and columns in catalog_sheet.h,
// files in user_catalog_json.h, a newer shipped catalog in catalog_merge.h.
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

/// What one change does. The list of changes is also its own history: a value that was changed twice has two
/// `set`s of which the later counts, and what was taken back says who took it back.
enum class ChangeAction : std::uint8_t {
    set,      ///< one value of an entry
    add,      ///< a new entry
    remove,   ///< an entry goes
    reset,    ///< one value (with `key`) or a whole entry follows the shipped catalog again
    restore,  ///< a removed entry comes back, with the changes that it had
    withdraw, ///< an added entry is taken back; what is shipped under its id counts
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
    std::optional<Source> source; ///< where the value is from, if somebody else says so
    /// The shipped value (remove, add: the whole shipped entry) over which it was made; empty: there is none.
    std::string shipped;
    std::string shippedVersion; ///< date of the shipped catalog at that time; may be empty

    bool operator==(const CatalogChange&) const;
};

/// In the order in which they were made. Undo takes the last one off.
struct UserCatalog {
    std::vector<CatalogChange> changes;

    bool operator==(const UserCatalog&) const = default;
};

/// A change that does not fit (any more): it alone has no effect, and stays in the list.
struct SetAside {
    std::size_t change = 0; ///< index in the list
    std::string message;    ///< "what is wrong; what would be right"
};

struct AppliedCatalog {
    std::shared_ptr<const Catalog> catalog; ///< never null
    std::vector<SetAside> setAside;         ///< by index
    /// Why a change has no effect; nullptr: it has.
    const SetAside* setAsideOf(std::size_t change) const;
};

/// The shipped catalog with the changes over it. Entries that were changed or added are marked
/// `provenance.user`; a changed value has a source of its own before the shipped ones.
AppliedCatalog applyChanges(const std::shared_ptr<const Catalog>& shipped, const UserCatalog& user);

/// Who makes a change, when and why: what every edit below writes into its changes.
struct Signature {
    std::string who;
    std::string when; ///< RFC 3339
    std::string note;
    std::optional<Source> source = {};
};

/// One value of one entry. `value` is canonical, as `readCell` gives it. Refused where the entry or the key
/// does not exist, or where the value is none for that key.
/// \param effective what `applyChanges` gave
Result<CatalogChange> changeValue(const Catalog& shipped, const Catalog& effective, CatalogKind kind,
                                  const std::string& entry, const std::string& key, const std::string& value,
                                  const Signature& signature);

/// A new entry from nothing: `values` are pairs of a key and its canonical value; those that the kind
/// requires must be there. Refused where the id is taken or empty.
Result<CatalogChange> addEntry(const Catalog& shipped, const Catalog& effective, CatalogKind kind,
                               const std::string& id,
                               const std::vector<std::pair<std::string, std::string>>& values,
                               const Signature& signature);

/// A new entry with the values of another one, whose sources it keeps.
Result<CatalogChange> duplicateEntry(const Catalog& effective, CatalogKind kind, const std::string& of,
                                     const std::string& id, const Signature& signature);

/// A new model from an imported architecture. An id that is taken gets a number behind it.
Result<CatalogChange> addModel(const Catalog& effective, const Architecture& model,
                               const Signature& signature);

/// `wanted`, or `wanted-2`, `wanted-3`, ... if an entry has that id.
std::string freeId(const Catalog& effective, CatalogKind kind, const std::string& wanted);

/// An entry that names another one.
struct Dependant {
    CatalogKind kind = CatalogKind::gpus;
    std::string entry;
    std::string key; ///< in which it names it

    bool operator==(const Dependant&) const = default;
};

/// What names an entry, in the order of the kinds; with what names those in turn, if `indirect`.
std::vector<Dependant> dependants(const Catalog& effective, CatalogKind kind, const std::string& entry,
                                  bool indirect = false);

/// What to do with the dependants of an entry that is to be removed.
enum class WithDependants : bool { refuse, removeToo };

/// Refused where the entry does not exist, or where others name it and they are not to go with it (the error
/// says which). Dependants go first, so that each change alone leaves a catalog that fits. An entry that was
/// changed before is removed without the shipped one under it.
Result<std::vector<CatalogChange>> removeEntry(const Catalog& effective, CatalogKind kind,
                                               const std::string& entry, WithDependants withDependants,
                                               const Signature& signature);

/// Back to the shipped value (of an added entry: the value that it was added with). Refused where nothing was
/// changed.
Result<CatalogChange> resetValue(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                 const std::string& key, const Signature& signature);
/// The same of all values of an entry.
Result<CatalogChange> resetEntry(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                 const Signature& signature);
/// Refused where the entry is not removed.
Result<CatalogChange> restoreEntry(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                   const Signature& signature);

/// Indices of the changes that count now: not the ones that later changes replaced or took back. Sorted.
std::vector<std::size_t> changesInForce(const UserCatalog& user);
/// The change that sets a value now, if one does.
std::optional<std::size_t> changeInForce(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                         const std::string& key);

/// Every change of one value, the oldest first: its `set`s and what took them back, and what added, removed
/// or restored its entry. With an empty key: of the entry and all its values.
std::vector<std::size_t> historyOf(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                   const std::string& key = {});

/// One line for a person: "Memory bandwidth of h100-sxm: 3350 -> 3000 GB/s".
std::string describe(const CatalogChange& change);

/// The same value in the one form in which it is kept; an error where it is none for that key.
Result<std::string> canonical(CatalogKind kind, const std::string& key, const std::string& value);

} // namespace alidade::data
