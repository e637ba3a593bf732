// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_keys.h"
#include "data/catalog/references.h"
#include "data/catalog/user_catalog_apply.h"
#include "data/catalog/user_catalog_fold.h"
#include "data/json/gate.h"
#include "model/scenario/fields.h"

#include <algorithm>

namespace alidade::data {
namespace {

using SortedJson = nlohmann::json;

CatalogChange signedChange(ChangeAction action, CatalogKind kind, const std::string& entry,
                           const Signature& signature) {
    CatalogChange change;
    change.action = action;
    change.kind = kind;
    change.entry = entry;
    change.note = signature.note;
    change.who = signature.who;
    change.when = signature.when;
    change.source = signature.source;
    return change;
}

template <class Visit>
bool withEntry(const Catalog& catalog, CatalogKind kind, const std::string& id, Visit&& visit) {
    bool found = false;
    withEntries(catalog, kind, [&](const auto& entries) {
        const auto entry =
            std::ranges::find_if(entries, [&](const auto& candidate) { return candidate.id == id; });
        if (entry == entries.end())
            return;
        found = true;
        visit(*entry);
    });
    return found;
}

bool hasEntry(const Catalog& catalog, CatalogKind kind, const std::string& id) {
    return withEntry(catalog, kind, id, [](const auto&) {});
}

Error noEntry(const Catalog& catalog, CatalogKind kind, const std::string& id) {
    std::vector<std::string> known;
    withEntries(catalog, kind, [&](const auto& entries) {
        for (const auto& entry : entries)
            known.push_back(entry.id);
    });
    return Error{"no entry '" + id + "' in " + std::string(name(kind)) + suggestion(id, known)};
}

Error noKey(CatalogKind kind, const std::string& key) {
    std::vector<std::string> known;
    for (const CatalogKey& candidate : catalogKeys(kind))
        known.push_back(candidate.key);
    return Error{"entries of " + std::string(name(kind)) + " have no '" + key + "'" + suggestion(key, known)};
}

/// Returns whether a key is a default value of software, which is a field of a scenario.
bool isSoftwareDefault(CatalogKind kind, std::string_view key) {
    if (kind != CatalogKind::frameworks && kind != CatalogKind::engines)
        return false;
    const std::vector<std::string> tops = partKeys<Framework>();
    const KeyPath path = keyPath(key);
    return !path.inner.empty() && std::ranges::find(tops, path.top) != tops.end();
}

Result<std::string> canonicalDefault(std::string_view path, const SortedJson& value) {
    const alidade::Field* field = findField(path);
    if (field == nullptr)
        return Error{"a scenario has no field '" + std::string(path) + "'"};
    if (!value.is_string())
        return Error{describe(value) + " where the text of a scenario field is expected"};
    if (const auto read = parseField(*field, value.get<std::string>()); !read)
        return Error{std::string(path) + ": " + read.error()};
    return canonicalText(nlohmann::ordered_json(value));
}

/// Creates the optional parts of an entry, so that a single value of them can be read.
template <class T>
void makeWhole(T&) {}
void makeWhole(Architecture& entry) {
    entry.mla.emplace();
    entry.moe.emplace();
    entry.sparseIndexer.emplace();
    entry.mamba2.emplace();
    entry.gatedDeltaNet.emplace();
}

bool isPart(CatalogKind kind, const std::string& key) {
    return std::ranges::any_of(catalogKeys(kind), [&](const CatalogKey& k) { return k.object == key; });
}

} // namespace

bool CatalogChange::operator==(const CatalogChange& other) const {
    const auto sameSource = [](const std::optional<Source>& a, const std::optional<Source>& b) {
        if (!a || !b)
            return a.has_value() == b.has_value();
        return a->title == b->title && a->url == b->url && a->path == b->path && a->date == b->date &&
               a->authority == b->authority && a->textChecked == b->textChecked && a->fields == b->fields;
    };
    return action == other.action && kind == other.kind && entry == other.entry && key == other.key &&
           value == other.value && copyOf == other.copyOf && note == other.note && who == other.who &&
           when == other.when && shipped == other.shipped && shippedVersion == other.shippedVersion &&
           sameSource(source, other.source);
}

Result<std::string> canonical(CatalogKind kind, const std::string& key, const std::string& value) {
    const Result<SortedJson> json = parseJson(value);
    if (!json)
        return Error{json.error()};
    if (isSoftwareDefault(kind, key))
        return canonicalDefault(keyPath(key).inner, *json);
    const CatalogKey* known = catalogKey(kind, key);
    if (known == nullptr && !isPart(kind, key))
        return noKey(kind, key);
    if (json->is_null())
        return known != nullptr && !known->mayBeUnknown
                   ? Result<std::string>(Error{"this value cannot be unknown; enter a value"})
                   : Result<std::string>(std::string("null"));
    const KeyPath path = keyPath(key);
    SortedJson values = SortedJson::object();
    if (path.inner.empty())
        values[key] = *json;
    else
        values[std::string(path.top)][std::string(path.inner)] = *json;
    std::string out;
    std::vector<JsonFault> faults;
    const Catalog none;
    withEntries(none, kind, [&](const auto& entries) {
        EntryOf<decltype(entries)> entry;
        if (known != nullptr)
            makeWhole(entry);
        readValues(values, entry, faults);
        out = canonicalText(entryValue(entry, key));
    });
    if (!faults.empty())
        return Error{faults.front().message};
    const bool isEmpty = json->is_null() || *json == "";
    if (known != nullptr && known->value == ValueKind::date && !(isEmpty && !known->required) &&
        !isDate(json->get<std::string>()))
        return Error{"'" + json->get<std::string>() + "' is not a date; use the form \"2026-11-20\""};
    if (known != nullptr && known->required && out == "null")
        return Error{"this value cannot be unknown; enter a value"};
    return out;
}

Result<CatalogChange> changeValue(const Catalog& shipped, const Catalog& effective, CatalogKind kind,
                                  const std::string& entry, const std::string& key, const std::string& value,
                                  const Signature& signature) {
    if (!hasEntry(effective, kind, entry))
        return noEntry(effective, kind, entry);
    const Result<std::string> right = canonical(kind, key, value);
    if (!right)
        return Error{right.error()};
    CatalogChange change = signedChange(ChangeAction::set, kind, entry, signature);
    change.key = key;
    change.value = *right;
    if (withEntry(shipped, kind, entry,
                  [&](const auto& found) { change.shipped = canonicalText(entryValue(found, key)); }))
        change.shippedVersion = shipped.version;
    return change;
}

Result<CatalogChange> addEntry(const Catalog& shipped, const Catalog& effective, CatalogKind kind,
                               const std::string& id,
                               const std::vector<std::pair<std::string, std::string>>& values,
                               const Signature& signature) {
    if (hasEntry(effective, kind, id) || hasEntry(shipped, kind, id))
        return Error{"the id '" + id + "' is taken; '" + freeId(effective, kind, id) + "' is free"};
    nlohmann::ordered_json entry = {{"id", id}};
    for (const auto& [key, text] : values) {
        const Result<std::string> right = canonical(kind, key, text);
        if (!right)
            return Error{key + ": " + right.error()};
        const KeyPath path = keyPath(key);
        auto value = nlohmann::ordered_json::parse(*right);
        if (path.inner.empty())
            entry[key] = std::move(value);
        else
            entry[std::string(path.top)][std::string(path.inner)] = std::move(value);
    }
    CatalogChange change = signedChange(ChangeAction::add, kind, id, signature);
    change.value = canonicalText(entry);
    std::vector<JsonFault> faults;
    withEntries(effective, kind, [&](const auto& entries) {
        wholeEntry<EntryOf<decltype(entries)>>(change.value, id, faults);
    });
    if (!faults.empty())
        return Error{faults.front().pointer + ": " + faults.front().message};
    return change;
}

Result<CatalogChange> duplicateEntry(const Catalog& effective, CatalogKind kind, const std::string& of,
                                     const std::string& id, const Signature& signature) {
    if (id.empty())
        return Error{"the id is empty; enter at least one character"};
    if (hasEntry(effective, kind, id))
        return Error{"the id '" + id + "' is taken; '" + freeId(effective, kind, id) + "' is free"};
    CatalogChange change = signedChange(ChangeAction::add, kind, id, signature);
    change.copyOf = of;
    if (!withEntry(effective, kind, of, [&](const auto& found) {
            auto copy = found;
            copy.id = id;
            change.value = canonicalText(entryToJson(copy));
        }))
        return noEntry(effective, kind, of);
    return change;
}

Result<CatalogChange> addModel(const Catalog& effective, const Architecture& model,
                               const Signature& signature) {
    Architecture named = model;
    named.id = freeId(effective, CatalogKind::models, model.id.empty() ? "model" : model.id);
    CatalogChange change = signedChange(ChangeAction::add, CatalogKind::models, named.id, signature);
    change.value = canonicalText(entryToJson(named));
    std::vector<JsonFault> faults;
    wholeEntry<Architecture>(change.value, named.id, faults);
    if (!faults.empty())
        return Error{faults.front().pointer + ": " + faults.front().message};
    return change;
}

std::string freeId(const Catalog& effective, CatalogKind kind, const std::string& wanted) {
    std::string id = wanted;
    for (int n = 2; hasEntry(effective, kind, id); ++n)
        id = wanted + '-' + std::to_string(n);
    return id;
}

std::vector<Dependant> dependants(const Catalog& effective, CatalogKind kind, const std::string& entry,
                                  bool indirect) {
    const std::vector<Reference> references = referencesOf(effective);
    std::vector<Dependant> out;
    const auto collect = [&](CatalogKind targetKind, const std::string& target) {
        std::string wanted = target;
        if (targetKind == CatalogKind::efa)
            withEntry(effective, targetKind, target,
                      [&](const auto& found) { wanted = canonicalText(entryValue(found, "version")); });
        for (const Reference& reference : references) {
            const Dependant dependant{reference.kind, *reference.entry, reference.key};
            if (reference.target == targetKind && reference.id == wanted &&
                std::ranges::find(out, dependant) == out.end())
                out.push_back(dependant);
        }
    };
    collect(kind, entry);
    for (std::size_t i = 0; indirect && i < out.size(); ++i)
        collect(out[i].kind, std::string(out[i].entry));
    return out;
}

Result<std::vector<CatalogChange>> removeEntry(const Catalog& effective, CatalogKind kind,
                                               const std::string& entry, WithDependants withDependants,
                                               const Signature& signature) {
    if (!hasEntry(effective, kind, entry))
        return noEntry(effective, kind, entry);
    const std::vector<Dependant> users = dependants(effective, kind, entry, true);
    if (!users.empty() && withDependants == WithDependants::refuse) {
        constexpr std::size_t most = 4;
        std::string text = entry + " is in use by ";
        for (std::size_t i = 0; i < std::min(users.size(), most); ++i)
            text += (i == 0 ? "" : ", ") + users[i].entry + " (" + std::string(name(users[i].kind)) + ")";
        if (users.size() > most)
            text += " and " + std::to_string(users.size() - most) + " more";
        return Error{text + "; remove these too, or change their references first"};
    }
    std::vector<CatalogChange> out;
    const auto add = [&](CatalogKind of, const std::string& id) {
        const bool there = std::ranges::any_of(
            out, [&](const CatalogChange& change) { return change.kind == of && change.entry == id; });
        if (there)
            return;
        CatalogChange& change = out.emplace_back(signedChange(ChangeAction::remove, of, id, signature));
        withEntry(effective, of, id, [&](const auto& found) {
            if (found.provenance.user)
                return;
            change.shipped = canonicalText(entryToJson(found));
            change.shippedVersion = effective.version;
        });
    };
    for (auto user = users.rbegin(); user != users.rend(); ++user)
        add(user->kind, user->entry);
    add(kind, entry);
    return out;
}

Result<CatalogChange> resetValue(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                 const std::string& key, const Signature& signature) {
    const auto plan = foldedEntry(user, kind, entry);
    const bool any = plan && std::ranges::any_of(plan->values,
                                                 [&](const auto& value) { return liesIn(value.first, key); });
    if (!any || key.empty())
        return Error{"'" + key + "' of " + entry + " is not changed"};
    CatalogChange change = signedChange(ChangeAction::reset, kind, entry, signature);
    change.key = key;
    return change;
}

Result<CatalogChange> resetEntry(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                 const Signature& signature) {
    const auto plan = foldedEntry(user, kind, entry);
    if (!plan || plan->values.empty())
        return Error{"no value of " + entry + " is changed"};
    return signedChange(ChangeAction::reset, kind, entry, signature);
}

Result<CatalogChange> restoreEntry(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                   const Signature& signature) {
    const auto plan = foldedEntry(user, kind, entry);
    if (!plan || !plan->removed)
        return Error{entry + " is not removed"};
    return signedChange(ChangeAction::restore, kind, entry, signature);
}

std::vector<std::size_t> changesInForce(const UserCatalog& user) {
    std::vector<std::size_t> out;
    for (const EntryChanges& entry : folded(user)) {
        if (entry.added)
            out.push_back(*entry.added);
        if (entry.removed)
            out.push_back(*entry.removed);
        for (const auto& [key, index] : entry.values)
            out.push_back(index);
    }
    std::ranges::sort(out);
    return out;
}

std::optional<std::size_t> changeInForce(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                         const std::string& key) {
    const auto plan = foldedEntry(user, kind, entry);
    return plan ? plan->valueChange(key) : std::nullopt;
}

std::vector<std::size_t> historyOf(const UserCatalog& user, CatalogKind kind, const std::string& entry,
                                   const std::string& key) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < user.changes.size(); ++i) {
        const CatalogChange& change = user.changes[i];
        if (change.kind == kind && change.entry == entry &&
            (key.empty() || change.key.empty() || liesIn(key, change.key)))
            out.push_back(i);
    }
    return out;
}

std::string describe(const CatalogChange& change) {
    const CatalogKey* key = catalogKey(change.kind, change.key);
    const std::string label = key != nullptr ? key->label : change.key;
    const std::string unit = key != nullptr && !key->unit.empty() ? ' ' + key->unit : std::string();
    const auto shown = [](const std::string& value) {
        const auto json = nlohmann::ordered_json::parse(value, nullptr, false);
        const std::string text = shownText(json);
        return text.empty() ? std::string("unknown") : text;
    };
    switch (change.action) {
    case ChangeAction::set:
        return label + " of " + change.entry + ": " +
               (change.shipped.empty() ? "" : shown(change.shipped) + " -> ") + shown(change.value) + unit;
    case ChangeAction::add:
        return change.copyOf.empty() ? "Added " + change.entry
                                     : "Added " + change.entry + " as a copy of " + change.copyOf;
    case ChangeAction::remove:
        return "Removed " + change.entry;
    case ChangeAction::reset:
        return change.key.empty() ? "Reset " + change.entry : "Reset " + label + " of " + change.entry;
    case ChangeAction::restore:
        return "Restored " + change.entry;
    case ChangeAction::withdraw:
        return "Withdrew " + change.entry;
    }
    return {};
}

} // namespace alidade::data
