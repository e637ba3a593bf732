// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: every value of an entry in the order of its fields, including its parts.
#pragma once

#include "data/catalog/field_io.h"

namespace alidade::data {

/// One value of an entry as in the document.
struct EntryValue {
    std::string key; ///< "moe.routed_experts"
    const char* label;
    const char* unit;
    std::string sourceKey;        ///< the top-level key of the entry: "moe"
    nlohmann::ordered_json value; ///< discarded: unknown
};

template <class T>
void appendFields(std::vector<EntryValue>& out, const std::string& prefix,
                  const std::vector<Field<T>>& fields, const T& entry) {
    for (const Field<T>& field : fields)
        out.push_back({prefix.empty() ? field.key : prefix + '.' + field.key, field.label, field.unit.label,
                       prefix.empty() ? field.key : prefix, fieldValue(field, entry)});
}

/// Appends the values of what is not a plain field. The generic entry has none.
template <class T>
void appendParts(std::vector<EntryValue>&, const T&) {}
void appendParts(std::vector<EntryValue>& out, const Instance& entry);
void appendParts(std::vector<EntryValue>& out, const Architecture& entry);
void appendParts(std::vector<EntryValue>& out, const Framework& entry);

template <class T>
std::vector<EntryValue> valuesOf(const T& entry) {
    std::vector<EntryValue> out;
    appendFields(out, {}, fieldsOf<T>(), entry);
    appendParts(out, entry);
    return out;
}

/// Returns the display text of network cards: "16 x 200 Gbit/s (EFA only)".
/// \param cards the array of the document
std::string cardsShown(const nlohmann::ordered_json& cards);

/// Returns the display text of a value, without its unit: "80", "yes", "on-demand, spot"; empty if unknown.
std::string shownText(const nlohmann::ordered_json& value);

} // namespace alidade::data
