// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/user_catalog_import.h"

#include "data/catalog/entry_json.h"
#include "data/catalog/user_catalog_fold.h"

#include <algorithm>
#include <optional>

namespace alidade::data {
namespace {

struct Merged {
    UserCatalog user;
    std::vector<std::size_t> origin; ///< of the changes after the first ones: index in the imported list
};

bool isLeftOut(const CatalogChange& change, const UserCatalog& imported,
               const std::vector<std::size_t>& leftOut) {
    return std::ranges::any_of(leftOut, [&](std::size_t index) {
        const CatalogChange& left = imported.changes[index];
        return left.kind == change.kind && left.entry == change.entry &&
               (left.key.empty() || left.key == change.key);
    });
}

Merged merged(const UserCatalog& mine, const UserCatalog& imported, const std::vector<std::size_t>& leftOut) {
    Merged out{mine, {}};
    for (std::size_t i = 0; i < imported.changes.size(); ++i) {
        const CatalogChange& change = imported.changes[i];
        if (std::ranges::find(mine.changes, change) != mine.changes.end() ||
            isLeftOut(change, imported, leftOut))
            continue;
        out.user.changes.push_back(change);
        out.origin.push_back(i);
    }
    return out;
}

/// Returns the canonical value of a key (empty: the whole entry); empty: no such entry.
std::string valueIn(const Catalog& catalog, CatalogKind kind, const std::string& id, const std::string& key) {
    std::string out;
    withEntries(catalog, kind, [&](const auto& entries) {
        const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.id == id; });
        if (found != entries.end())
            out = key.empty() ? canonicalText(entryToJson(*found)) : canonicalText(entryValue(*found, key));
    });
    return out;
}

class Steps {
public:
    Steps(const std::shared_ptr<const Catalog>& shipped, const UserCatalog& mine, const UserCatalog& imported)
        : mine_(mine)
        , imported_(imported)
        , merged_(merged(mine, imported, {}))
        , before_(applyChanges(shipped, mine))
        , after_(applyChanges(shipped, merged_.user)) {}

    std::vector<ImportStep> find() {
        for (const EntryChanges& entry : folded(imported_))
            stepsOf(entry.kind, entry.id);
        std::ranges::stable_sort(out_, {}, &ImportStep::change);
        return std::move(out_);
    }

private:
    void stepsOf(CatalogKind kind, const std::string& id) {
        const EntryChanges none{kind, id, {}, {}, {}};
        const EntryChanges now = foldedEntry(mine_, kind, id).value_or(none);
        const EntryChanges then = foldedEntry(merged_.user, kind, id).value_or(none);
        if (now.added != then.added || now.removed != then.removed) {
            const auto change = then.removed != now.removed && then.removed ? then.removed : then.added;
            addStep(kind, id, {}, change, now.added || now.removed || !now.values.empty());
            if (now.added != then.added || then.removed)
                return; // the values come with the entry
        }
        std::vector<std::string> keys;
        for (const auto* values : {&now.values, &then.values}) {
            for (const auto& [key, index] : *values)
                if (std::ranges::find(keys, key) == keys.end())
                    keys.push_back(key);
        }
        for (const std::string& key : keys) {
            const auto mine = now.valueChange(key), theirs = then.valueChange(key);
            if (mine != theirs)
                addStep(kind, id, key, theirs, mine.has_value());
        }
    }

    void addStep(CatalogKind kind, const std::string& id, const std::string& key,
                 std::optional<std::size_t> change, bool own) {
        ImportStep step;
        step.kind = kind;
        step.entry = id;
        step.key = key;
        step.own = own;
        step.now = valueIn(*before_.catalog, kind, id, key);
        step.then = valueIn(*after_.catalog, kind, id, key);
        if (change && *change >= mine_.changes.size()) {
            step.change = merged_.origin[*change - mine_.changes.size()];
            if (const SetAside* aside = after_.setAsideOf(*change)) {
                step.problem = aside->message;
                step.then = imported_.changes[step.change].value;
            }
        } else {
            step.change = lastOf(kind, id, key);
        }
        if (step.now != step.then)
            out_.push_back(std::move(step));
    }

    /// Returns the last imported change of a value, which undid another one.
    std::size_t lastOf(CatalogKind kind, const std::string& id, const std::string& key) const {
        for (std::size_t i = merged_.origin.size(); i-- > 0;) {
            const CatalogChange& change = imported_.changes[merged_.origin[i]];
            if (change.kind == kind && change.entry == id &&
                (change.key.empty() || key.empty() || liesIn(key, change.key) || liesIn(change.key, key)))
                return merged_.origin[i];
        }
        return 0;
    }

    const UserCatalog& mine_;
    const UserCatalog& imported_;
    Merged merged_;
    AppliedCatalog before_, after_;
    std::vector<ImportStep> out_;
};

} // namespace

std::vector<ImportStep> importSteps(const std::shared_ptr<const Catalog>& shipped, const UserCatalog& mine,
                                    const UserCatalog& imported) {
    return Steps(shipped, mine, imported).find();
}

UserCatalog withImported(const UserCatalog& mine, const UserCatalog& imported,
                         const std::vector<std::size_t>& leftOut) {
    return merged(mine, imported, leftOut).user;
}

} // namespace alidade::data
