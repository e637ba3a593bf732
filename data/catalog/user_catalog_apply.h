// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: reads the values of changes.
#pragma once

#include "data/catalog/architecture_json.h"
#include "data/catalog/entry_json.h"
#include "data/catalog/user_catalog.h"
#include "data/json/reader.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

/// Returns the source of a user's value. An empty key: of a whole entry.
Source userSource(const CatalogChange& change, std::string key);

/// Reads some values into an entry, as a user's document does.
template <class T>
void readValues(const nlohmann::json& values, T& entry, std::vector<JsonFault>& faults) {
    ObjectReader in(values, {}, faults);
    readFields(in, fieldsOf<T>(), entry, Completeness::partial);
    readParts(in, entry, Completeness::partial);
    std::vector<std::string> notes = in.texts("notes"), conflicts = in.texts("conflicts");
    if (in.has("notes"))
        entry.provenance.notes = std::move(notes);
    if (in.has("conflicts"))
        entry.provenance.conflicts = std::move(conflicts);
    in.finish();
}

/// Reads a complete entry; nullopt if there are faults.
template <class T>
std::optional<T> wholeEntry(const std::string& text, const std::string& id, std::vector<JsonFault>& faults) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) {
        addFault(faults, {{}, "the entry is not a JSON object"});
        return std::nullopt;
    }
    ObjectReader in(json, {}, faults);
    T entry;
    entry.id = id;
    if (id.empty())
        in.fault("id", "the id is empty; enter at least one character");
    in.allow("id");
    readFields(in, fieldsOf<T>(), entry, Completeness::whole);
    readParts(in, entry, Completeness::whole);
    readProvenance(in, {}, entry.provenance);
    in.finish();
    if constexpr (std::is_same_v<T, Architecture>) {
        if (faults.empty())
            checkArchitecture(entry, {}, faults);
    }
    return faults.empty() ? std::optional(std::move(entry)) : std::nullopt;
}

} // namespace alidade::data
