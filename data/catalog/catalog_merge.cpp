// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_merge.h"

#include "data/catalog/entry_json.h"
#include "data/catalog/user_catalog_fold.h"

#include <algorithm>
#include <optional>

namespace alidade::data {
namespace {

/// Returns the whole entry as canonical text; empty if there is none.
std::string wholeText(const Catalog& catalog, CatalogKind kind, const std::string& id) {
    std::string out;
    withEntries(catalog, kind, [&](const auto& entries) {
        const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.id == id; });
        if (found != entries.end())
            out = canonicalText(entryToJson(*found));
    });
    return out;
}

std::string valueText(const Catalog& catalog, CatalogKind kind, const std::string& id,
                      const std::string& key) {
    std::string out;
    withEntries(catalog, kind, [&](const auto& entries) {
        const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.id == id; });
        if (found != entries.end())
            out = canonicalText(entryValue(*found, key));
    });
    return out;
}

/// Returns the values of an entry, without sources, notes and conflicts.
nlohmann::json bareEntry(const std::string& text) {
    nlohmann::json entry = nlohmann::json::parse(text, nullptr, false);
    if (entry.is_object())
        for (const char* key : {"sources", "notes", "conflicts"})
            entry.erase(key);
    return entry;
}

bool sameValues(const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() && bareEntry(a) == bareEntry(b);
}

class ConflictFinder {
public:
    ConflictFinder(const Catalog& shipped, const UserCatalog& user)
        : shipped_(shipped)
        , user_(user) {}

    std::vector<MergeConflict> find() {
        for (const EntryChanges& plan : folded(user_))
            look(plan);
        return std::move(out_);
    }

private:
    void look(const EntryChanges& plan) {
        const std::string now = wholeText(shipped_, plan.kind, plan.id);
        if (plan.added) {
            const CatalogChange& added = user_.changes[*plan.added];
            if (!now.empty() && !sameValues(now, added.shipped) && !sameValues(now, added.value))
                add(ConflictKind::entryArrived, *plan.added, now, added.value);
            return;
        }
        if (plan.removed) {
            const CatalogChange& removed = user_.changes[*plan.removed];
            if (!now.empty() && !removed.shipped.empty() && !sameValues(now, removed.shipped))
                add(ConflictKind::entryMoved, *plan.removed, now, {});
            return;
        }
        if (now.empty()) {
            if (!plan.values.empty())
                add(ConflictKind::entryGone, plan.values.back().second, {}, {});
            return;
        }
        for (const auto& [key, index] : plan.values) {
            const CatalogChange& change = user_.changes[index];
            const std::string value = valueText(shipped_, plan.kind, plan.id, key);
            if (!change.shipped.empty() && value != change.shipped && value != change.value)
                add(ConflictKind::valueMoved, index, value, change.value);
        }
    }

    void add(ConflictKind what, std::size_t index, std::string newShipped, std::string yours) {
        const CatalogChange& change = user_.changes[index];
        const bool ofValue = what == ConflictKind::valueMoved;
        out_.push_back({what, index, change.kind, change.entry, ofValue ? change.key : std::string(),
                        what == ConflictKind::entryGone ? std::string() : change.shipped,
                        std::move(newShipped), std::move(yours), change.shippedVersion, shipped_.version});
    }

    const Catalog& shipped_;
    const UserCatalog& user_;
    std::vector<MergeConflict> out_;
};

class Settler {
public:
    Settler(const Catalog& shipped, UserCatalog user, const MergeConflict& conflict,
            const Signature& signature)
        : shipped_(shipped)
        , conflict_(conflict)
        , signature_(signature)
        , out_(std::move(user)) {}

    UserCatalog yours(const Catalog* oldShipped) {
        const auto plan = foldedEntry(out_, conflict_.kind, conflict_.entry);
        if (!plan)
            return std::move(out_);
        switch (conflict_.conflict) {
        case ConflictKind::valueMoved:
        case ConflictKind::entryMoved:
            again(conflict_.change, conflict_.newShipped);
            break;
        case ConflictKind::entryArrived:
            again(conflict_.change, conflict_.newShipped);
            againAll(*plan);
            break;
        case ConflictKind::entryGone:
            if (const std::string old =
                    oldShipped != nullptr ? wholeText(*oldShipped, conflict_.kind, conflict_.entry) : "";
                !old.empty()) {
                make(ChangeAction::add).value = old;
                againAll(*plan);
            }
            break;
        }
        return std::move(out_);
    }

    UserCatalog shipped() {
        switch (conflict_.conflict) {
        case ConflictKind::valueMoved:
            make(ChangeAction::reset).key = conflict_.key;
            break;
        case ConflictKind::entryGone:
            make(ChangeAction::reset);
            break;
        case ConflictKind::entryArrived:
            make(ChangeAction::withdraw);
            break;
        case ConflictKind::entryMoved:
            make(ChangeAction::restore);
            break;
        }
        return std::move(out_);
    }

private:
    CatalogChange& make(ChangeAction action) {
        CatalogChange change;
        change.action = action;
        change.kind = conflict_.kind;
        change.entry = conflict_.entry;
        change.note = signature_.note;
        change.who = signature_.who;
        change.when = signature_.when;
        out_.changes.push_back(std::move(change));
        return out_.changes.back();
    }

    /// Repeats the change over the current shipped value. It keeps its reason and source unless there is a
    /// new one.
    void again(std::size_t index, const std::string& shippedNow) {
        CatalogChange change = out_.changes[index];
        change.shipped = shippedNow;
        change.shippedVersion = shippedNow.empty() ? std::string() : shipped_.version;
        if (!signature_.note.empty())
            change.note = signature_.note;
        change.who = signature_.who;
        change.when = signature_.when;
        out_.changes.push_back(std::move(change));
    }

    void againAll(const EntryChanges& plan) {
        for (const auto& [key, index] : plan.values)
            again(index, valueText(shipped_, plan.kind, plan.id, key));
    }

    const Catalog& shipped_;
    const MergeConflict& conflict_;
    const Signature& signature_;
    UserCatalog out_;
};

} // namespace

std::vector<MergeConflict> conflicts(const Catalog& shipped, const UserCatalog& user) {
    return ConflictFinder(shipped, user).find();
}

UserCatalog settled(const Catalog& shipped, const Catalog* oldShipped, const UserCatalog& user,
                    const MergeConflict& conflict, Settlement settlement, const Signature& signature) {
    Settler settler(shipped, user, conflict, signature);
    return settlement == Settlement::yours ? settler.yours(oldShipped) : settler.shipped();
}

} // namespace alidade::data
