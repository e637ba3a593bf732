// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/user_catalog_fold.h"

#include <algorithm>
#include <map>

namespace alidade::data {
namespace {

void foldIn(EntryChanges& entry, const CatalogChange& change, std::size_t index) {
    const auto forget = [&](std::string_view key) {
        std::erase_if(entry.values, [&](const auto& value) { return liesIn(value.first, key); });
    };
    switch (change.action) {
    case ChangeAction::set:
        forget(change.key);
        entry.values.emplace_back(change.key, index);
        return;
    case ChangeAction::add:
        entry.added = index;
        entry.removed.reset();
        entry.values.clear();
        return;
    case ChangeAction::remove:
        entry.removed = index;
        return;
    case ChangeAction::restore:
        entry.removed.reset();
        return;
    case ChangeAction::withdraw:
        entry.added.reset();
        entry.removed.reset();
        entry.values.clear();
        return;
    case ChangeAction::reset:
        if (change.key.empty())
            entry.values.clear();
        else
            forget(change.key);
        return;
    }
}

} // namespace

bool liesIn(std::string_view key, std::string_view outer) {
    return key.starts_with(outer) && (key.size() == outer.size() || key[outer.size()] == '.');
}

std::optional<std::size_t> EntryChanges::valueChange(std::string_view key) const {
    const auto found =
        std::ranges::find(values, key, [](const auto& value) -> const std::string& { return value.first; });
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::vector<EntryChanges> folded(const UserCatalog& user) {
    std::vector<EntryChanges> entries;
    std::map<std::pair<CatalogKind, std::string_view>, std::size_t> places;
    for (std::size_t i = 0; i < user.changes.size(); ++i) {
        const CatalogChange& change = user.changes[i];
        const auto [place, isNew] = places.try_emplace({change.kind, change.entry}, entries.size());
        if (isNew)
            entries.push_back({change.kind, change.entry, {}, {}, {}});
        foldIn(entries[place->second], change, i);
    }
    return entries;
}

std::optional<EntryChanges> foldedEntry(const UserCatalog& user, CatalogKind kind, const std::string& id) {
    std::optional<EntryChanges> entry;
    for (std::size_t i = 0; i < user.changes.size(); ++i) {
        const CatalogChange& change = user.changes[i];
        if (change.kind != kind || change.entry != id)
            continue;
        if (!entry)
            entry = EntryChanges{kind, id, {}, {}, {}};
        foldIn(*entry, change, i);
    }
    return entry;
}

} // namespace alidade::data
