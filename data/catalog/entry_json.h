// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: entries and their values as JSON.
#pragma once

#include "data/catalog/entries.h"
#include "data/catalog/field_io.h"
#include "data/catalog/provenance_json.h"
#include "data/catalog/values.h"

#include <string>
#include <string_view>

namespace alidade::data {

template <class Entries>
using EntryOf = typename std::remove_cvref_t<Entries>::value_type;

/// Returns the text of a canonical value; the members of objects are sorted.
inline std::string canonicalText(const nlohmann::json& value) {
    return value.is_discarded() ? std::string("null")
                                : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
inline std::string canonicalText(const nlohmann::ordered_json& value) {
    return value.is_discarded() ? std::string("null") : canonicalText(nlohmann::json(value));
}

/// "moe" and "routed_experts" of "moe.routed_experts"; the second is empty if there is no dot.
struct KeyPath {
    std::string_view top;
    std::string_view inner;
};
inline KeyPath keyPath(std::string_view key) {
    const std::size_t dot = key.find('.');
    return dot == std::string_view::npos ? KeyPath{key, {}}
                                         : KeyPath{key.substr(0, dot), key.substr(dot + 1)};
}

/// Returns the entry as in a document, with its sources, notes and conflicts.
template <class T>
nlohmann::ordered_json entryToJson(const T& entry) {
    nlohmann::ordered_json out = {{"id", entry.id}};
    writeFields(out, fieldsOf<T>(), entry);
    writeParts(out, entry);
    const Provenance& provenance = entry.provenance;
    if (!provenance.notes.empty())
        out["notes"] = provenance.notes;
    if (!provenance.conflicts.empty())
        out["conflicts"] = provenance.conflicts;
    for (const Source& source : provenance.sources)
        out["sources"].push_back(sourceToJson(source));
    return out;
}

/// Returns one value of an entry as in a document; discarded: unknown, or no such key.
template <class T>
nlohmann::ordered_json entryValue(const T& entry, std::string_view key) {
    for (const Field<T>& field : fieldsOf<T>())
        if (field.key == key)
            return fieldValue(field, entry);
    const nlohmann::ordered_json nothing(nlohmann::ordered_json::value_t::discarded);
    if (key == "notes" || key == "conflicts") {
        const auto& texts = key == "notes" ? entry.provenance.notes : entry.provenance.conflicts;
        return texts.empty() ? nothing : nlohmann::ordered_json(texts);
    }
    nlohmann::ordered_json parts = nlohmann::ordered_json::object();
    writeParts(parts, entry);
    const KeyPath path = keyPath(key);
    const auto top = parts.find(path.top);
    if (top == parts.end())
        return nothing;
    if (path.inner.empty())
        return *top;
    const auto inner = top->find(path.inner);
    return inner == top->end() ? nothing : *inner;
}

} // namespace alidade::data
