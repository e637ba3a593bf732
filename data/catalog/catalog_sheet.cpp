// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_sheet.h"

#include "data/catalog/catalog_builder.h"
#include "data/catalog/catalog_check.h"
#include "data/catalog/catalog_table.h"
#include "data/catalog/cell_text.h"
#include "data/catalog/entry_json.h"
#include "data/catalog/user_catalog_apply.h"
#include "data/catalog/user_catalog_fold.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace alidade::data {
namespace {

template <class T>
using ById = std::unordered_map<std::string_view, const T*>;

template <class T>
ById<T> byId(const std::vector<T>& entries) {
    ById<T> out;
    out.reserve(entries.size());
    for (const T& entry : entries)
        out.emplace(entry.id, &entry);
    return out;
}

template <class T>
const T* find(const ById<T>& entries, std::string_view id) {
    const auto found = entries.find(id);
    return found == entries.end() ? nullptr : found->second;
}

struct SheetSource {
    const Catalog& shipped;
    const UserCatalog& user;
    const AppliedCatalog& applied;
    CatalogKind kind;

    std::string problemOf(std::optional<std::size_t> change) const {
        const SetAside* aside = change ? applied.setAsideOf(*change) : nullptr;
        return aside == nullptr ? std::string() : aside->message;
    }
};

void showValue(EffectiveValue& out, const SheetSource& from, const std::string& key,
               const nlohmann::ordered_json& value) {
    out.value = canonicalText(value);
    out.text = shownValue(from.kind, key, out.value);
    if (value.is_number())
        out.number = value.get<double>();
}

/// \param now the effective entry; \param before the shipped one; one of them may be null
template <class T>
EffectiveValue cellOf(const SheetSource& from, const T* now, const T* before, const EntryChanges* plan,
                      const std::string& key, const nlohmann::ordered_json& value,
                      const nlohmann::ordered_json& shippedValue) {
    EffectiveValue out;
    const std::string top(keyPath(key).top);
    out.change = plan == nullptr ? std::nullopt : plan->valueChange(key);
    if (plan != nullptr && !out.change && key != top)
        out.change = plan->valueChange(top);
    out.problem = from.problemOf(out.change);
    if (before != nullptr) {
        out.shipped = canonicalText(shippedValue);
        out.shippedText = shownValue(from.kind, key, out.shipped);
        if (!shippedValue.is_discarded())
            out.shippedSource = citation(before->provenance, top);
    }
    showValue(out, from, key, value);
    if (out.change && out.problem.empty()) {
        const Source source = userSource(from.user.changes[*out.change], {});
        out.source = source.title + (source.date.empty() ? "" : " (" + source.date + ")");
    } else if (out.change) {
        // A change that is set aside stays in its cell and is marked.
        out.value = from.user.changes[*out.change].value;
        out.text = shownValue(from.kind, key, out.value);
        out.number = numberOf(out.value);
        out.source = out.shippedSource;
    } else if (!value.is_discarded()) {
        // The source of a change to another value of the same part precedes the source of this value.
        out.source = before != nullptr ? out.shippedSource : citation(now->provenance, top);
    }
    return out;
}

/// Returns the values of an entry in the order of `catalogKeys`.
template <class T>
std::vector<nlohmann::ordered_json> rowValues(const T& entry, CatalogKind kind) {
    const std::vector<CatalogKey>& keys = catalogKeys(kind);
    std::vector<nlohmann::ordered_json> out;
    out.reserve(keys.size());
    for (const Field<T>& field : fieldsOf<T>())
        out.push_back(fieldValue(field, entry));
    nlohmann::ordered_json parts = nlohmann::ordered_json::object();
    writeParts(parts, entry);
    for (const auto* texts : {&entry.provenance.notes, &entry.provenance.conflicts})
        if (!texts->empty())
            parts[texts == &entry.provenance.notes ? "notes" : "conflicts"] = *texts;
    for (std::size_t i = out.size(); i < keys.size(); ++i) {
        const KeyPath path = keyPath(keys[i].key);
        nlohmann::ordered_json value(nlohmann::ordered_json::value_t::discarded);
        if (const auto top = parts.find(path.top); top != parts.end()) {
            if (path.inner.empty())
                value = *top;
            else if (const auto inner = top->find(path.inner); inner != top->end())
                value = *inner;
        }
        out.push_back(std::move(value));
    }
    return out;
}

template <class T>
SheetRow rowOf(const SheetSource& from, const std::string& id, const T* now, const T* before,
               const EntryChanges* plan) {
    SheetRow row;
    row.id = id;
    const bool removed = plan != nullptr && plan->removed && now == nullptr;
    if (removed)
        row.state = EntryState::removed;
    else if (plan != nullptr && plan->added)
        row.state = EntryState::added;
    else if (plan != nullptr && !plan->values.empty())
        row.state = EntryState::changed;
    if (plan != nullptr) {
        row.problem = from.problemOf(plan->removed);
        if (row.problem.empty())
            row.problem = from.problemOf(plan->added);
    }
    const T none{};
    const T& shown = now != nullptr ? *now : before != nullptr ? *before : none;
    row.name = entryName(*from.applied.catalog, shown);
    const std::vector<CatalogKey>& keys = catalogKeys(from.kind);
    const std::vector<nlohmann::ordered_json> values = rowValues(shown, from.kind);
    const std::vector<nlohmann::ordered_json> shippedValues =
        before != nullptr ? rowValues(*before, from.kind) : values;
    row.cells.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        row.cells.push_back(cellOf(from, &shown, before, plan, keys[i].key, values[i], shippedValues[i]));
    return row;
}

template <class T>
std::vector<SheetRow> rowsOf(const SheetSource& from, const std::vector<T>& now,
                             const std::vector<T>& before) {
    const ById<T> shipped = byId(before), present = byId(now);
    const std::vector<EntryChanges> entries = folded(from.user);
    std::unordered_map<std::string_view, const EntryChanges*> plans;
    for (const EntryChanges& entry : entries)
        if (entry.kind == from.kind)
            plans.emplace(entry.id, &entry);
    std::vector<SheetRow> rows;
    rows.reserve(now.size());
    for (const T& entry : now) {
        const auto plan = plans.find(entry.id);
        rows.push_back(rowOf(from, entry.id, &entry, find(shipped, entry.id),
                             plan == plans.end() ? nullptr : plan->second));
    }
    for (const EntryChanges& plan : entries) {
        const T* old = find(shipped, plan.id);
        if (plan.kind != from.kind || present.contains(plan.id))
            continue;
        if (old != nullptr ? plan.removed.has_value() : plan.added.has_value())
            rows.push_back(rowOf<T>(from, plan.id, nullptr, old, &plan));
    }
    return rows;
}

template <class Entries>
auto entryIn(const Entries& entries, const std::string& id) -> const EntryOf<Entries>* {
    const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.id == id; });
    return found == entries.end() ? nullptr : &*found;
}

/// Calls visit(source, now, before, plan) for an entry that exists in any of them.
template <class Visit>
void withOne(const Catalog& shipped, const UserCatalog& user, const AppliedCatalog& applied, CatalogKind kind,
             const std::string& entry, Visit&& visit) {
    const SheetSource from{shipped, user, applied, kind};
    const std::optional<EntryChanges> plan = foldedEntry(user, kind, entry);
    withEntries(*applied.catalog, kind, [&](const auto& now) {
        using T = EntryOf<decltype(now)>;
        withEntries(shipped, kind, [&](const auto& before) {
            if constexpr (std::is_same_v<EntryOf<decltype(before)>, T>) {
                const T* present = entryIn(now, entry);
                const T* old = entryIn(before, entry);
                if (present != nullptr || old != nullptr || (plan && plan->added))
                    visit(from, present, old, plan ? &*plan : nullptr);
            }
        });
    });
}

} // namespace

std::vector<SheetRow> catalogSheet(const Catalog& shipped, const UserCatalog& user,
                                   const AppliedCatalog& applied, CatalogKind kind) {
    std::vector<SheetRow> rows;
    const SheetSource from{shipped, user, applied, kind};
    withEntries(*applied.catalog, kind, [&](const auto& now) {
        withEntries(shipped, kind, [&](const auto& before) {
            if constexpr (std::is_same_v<decltype(before), decltype(now)>)
                rows = rowsOf(from, now, before);
        });
    });
    return rows;
}

std::optional<SheetRow> catalogSheetRow(const Catalog& shipped, const UserCatalog& user,
                                        const AppliedCatalog& applied, CatalogKind kind,
                                        const std::string& entry) {
    std::optional<SheetRow> row;
    withOne(shipped, user, applied, kind, entry,
            [&](const SheetSource& from, const auto* now, const auto* before, const EntryChanges* plan) {
                row = rowOf(from, entry, now, before, plan);
            });
    return row;
}

std::optional<EffectiveValue> effectiveValue(const Catalog& shipped, const UserCatalog& user,
                                             const AppliedCatalog& applied, CatalogKind kind,
                                             const std::string& entry, const std::string& key) {
    std::optional<EffectiveValue> out;
    withOne(shipped, user, applied, kind, entry,
            [&](const SheetSource& from, const auto* now, const auto* before, const EntryChanges* plan) {
                using T = std::remove_cvref_t<decltype(*now)>;
                const T none{};
                const T& shown = now != nullptr ? *now : before != nullptr ? *before : none;
                const nlohmann::ordered_json value = entryValue(shown, key);
                const nlohmann::ordered_json old = entryValue(before != nullptr ? *before : none, key);
                const bool known = catalogKey(kind, key) != nullptr || !value.is_discarded() ||
                                   !old.is_discarded() || (plan != nullptr && plan->valueChange(key));
                if (known)
                    out = cellOf(from, &shown, before, plan, key, value, old);
            });
    return out;
}

std::vector<EntryWarning> catalogWarnings(const AppliedCatalog& applied, const UserCatalog& user) {
    CatalogBuilder builder(*applied.catalog);
    for (const EntryChanges& entry : folded(user))
        if (entry.added || !entry.values.empty())
            builder.watch(entry.kind, entry.id);
    checkContents(builder);
    std::vector<EntryWarning> out;
    for (const CatalogProblem& problem : builder.problems()) {
        // A watched entry has "kind/id" as its file; faults of a user's sources are not reported.
        const std::size_t slash = problem.file.find('/');
        const auto kind = catalogKind(problem.file.substr(0, slash));
        std::string key = problem.pointer.empty() ? std::string() : problem.pointer.substr(1);
        if (slash == std::string::npos || !kind || key == "sources")
            continue;
        out.push_back({*kind, problem.file.substr(slash + 1), std::move(key), problem.message});
    }
    return out;
}

} // namespace alidade::data
