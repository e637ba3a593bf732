// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_keys.h"

#include "data/catalog/entries.h"
#include "data/catalog/entry_json.h"

#include <algorithm>
#include <array>

namespace alidade::data {
namespace {

template <class M>
ValueKind valueKindOf() {
    if constexpr (std::is_same_v<M, std::string>)
        return ValueKind::text;
    else if constexpr (std::is_same_v<M, bool> || std::is_same_v<M, std::optional<bool>>)
        return ValueKind::truth;
    else if constexpr (std::is_same_v<M, int> || std::is_same_v<M, std::optional<int>>)
        return ValueKind::wholeNumber;
    else if constexpr (std::is_same_v<M, std::vector<std::string>>)
        return ValueKind::texts;
    else
        return ValueKind::number;
}

CatalogKey keyOf(const FieldInfo& field, const Slot& slot, const std::string& object) {
    CatalogKey key;
    key.key = object.empty() ? field.key : object + '.' + field.key;
    key.label = field.label;
    key.unit = field.unit.label;
    key.required = field.required;
    key.object = object;
    std::visit(
        [&](const auto& where) {
            using Where = std::remove_cvref_t<decltype(where)>;
            if constexpr (!std::is_pointer_v<Where>) {
                key.value = ValueKind::choice;
                key.words = *where.words;
                key.mayBeUnknown = false;
            } else {
                using V = std::remove_pointer_t<Where>;
                key.value = valueKindOf<V>();
                key.mayBeUnknown = !std::is_same_v<V, int> && !std::is_same_v<V, bool> && !field.required;
            }
        },
        slot);
    if (key.value == ValueKind::number || key.value == ValueKind::wholeNumber) {
        const NumberRange range = rangeOf(field, slot);
        key.low = range.low;
        key.high = range.high;
    }
    return key;
}

template <class T>
void append(std::vector<CatalogKey>& out, const std::vector<Field<T>>& fields, const std::string& object) {
    T entry{};
    for (const Field<T>& field : fields)
        out.push_back(keyOf(field, slotOf(field, entry), object));
}

template <class T>
void appendParts(std::vector<CatalogKey>&, const T&) {}

void appendParts(std::vector<CatalogKey>& out, const Instance&) {
    CatalogKey cards;
    cards.key = "network_card_layout";
    cards.label = "Network card layout";
    cards.value = ValueKind::fixed;
    out.push_back(cards);
}

void appendParts(std::vector<CatalogKey>& out, const Architecture&) {
    for (const Group<Architecture>& group : architectureGroups())
        append(out, group.fields, group.key);
    append(out, fieldsOf<MlaShape>(), "mla");
    append(out, fieldsOf<MoeShape>(), "moe");
    append(out, fieldsOf<SparseIndexer>(), "sparse_indexer");
    append(out, fieldsOf<Mamba2Shape>(), "mamba2");
    append(out, fieldsOf<GatedDeltaNetShape>(), "gated_deltanet");
}

struct Naming {
    CatalogKind kind;
    std::string_view key;
    std::vector<CatalogKind> targets;
};

const std::vector<Naming>& namings() {
    using enum CatalogKind;
    static const std::vector<Naming> list = {
        {instances, "gpu", {gpus}},
        {ultraservers, "gpu", {gpus}},
        {ultraservers, "instance", {instances}},
        {storage, "instance", {instances}},
        {prices, "item", {instances, CatalogKind::ultraservers}},
    };
    return list;
}

std::vector<CatalogKey> keysOf(CatalogKind kind) {
    std::vector<CatalogKey> out;
    const Catalog none;
    withEntries(none, kind, [&](const auto& entries) {
        using T = EntryOf<decltype(entries)>;
        append(out, fieldsOf<T>(), {});
        appendParts(out, T{});
    });
    if (out.empty())
        return out;
    for (CatalogKey& key : out) {
        for (const Naming& naming : namings()) {
            if (naming.kind == kind && naming.key == key.key) {
                key.value = ValueKind::reference;
                key.refersTo = naming.targets;
            }
        }
        if (kind == CatalogKind::prices &&
            (key.key == "date" || key.key == "valid_from" || key.key == "valid_until"))
            key.value = ValueKind::date;
    }
    for (const auto& [name, label] : {std::pair("notes", "Notes"), std::pair("conflicts", "Conflicts")}) {
        CatalogKey key;
        key.key = name;
        key.label = label;
        key.value = ValueKind::texts;
        out.push_back(std::move(key));
    }
    return out;
}

} // namespace

const std::vector<CatalogKey>& catalogKeys(CatalogKind kind) {
    static const std::array<std::vector<CatalogKey>, catalogKindNames.size()> all = [] {
        std::array<std::vector<CatalogKey>, catalogKindNames.size()> keys;
        for (std::size_t i = 0; i < keys.size(); ++i)
            keys[i] = keysOf(static_cast<CatalogKind>(i));
        return keys;
    }();
    return all[static_cast<std::size_t>(kind)];
}

const CatalogKey* catalogKey(CatalogKind kind, std::string_view key) {
    const std::vector<CatalogKey>& keys = catalogKeys(kind);
    const auto found = std::ranges::find(keys, key, &CatalogKey::key);
    return found == keys.end() ? nullptr : &*found;
}

} // namespace alidade::data
