// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: reads and writes an entry by its list of fields.
#pragma once

#include "data/catalog/field.h"
#include "data/json/json.h"
#include "data/json/reader.h"

#include <functional>
#include <type_traits>
#include <utility>

namespace alidade::data {

/// Whether a document gives a whole entry or some of its values.
enum class Completeness : bool { whole, partial };

/// A choice of a particular entry.
struct ChoiceSlot {
    const std::vector<std::string>* words;
    std::size_t now;                      ///< index into `words`
    std::function<void(std::size_t)> set; ///< to another index
};

/// Where a particular entry keeps the value of a field. Code that takes a slot is compiled once for all kinds
/// of entry, which are many.
using Slot =
    std::variant<std::string*, bool*, int*, std::optional<bool>*, std::optional<int>*, std::optional<double>*,
                 Bytes*, BytesPerSecond*, DollarsPerHour*, std::optional<Bytes>*,
                 std::optional<BytesPerSecond>*, std::optional<FlopPerSecond>*, std::optional<Seconds>*,
                 std::optional<Watts>*, std::vector<std::string>*, ChoiceSlot>;

/// Returns where `entry` keeps the value of `field`. (std::visit would make a table of functions of each type
/// of entry.)
template <class T>
Slot slotOf(const Field<T>& field, T& entry) {
    Slot out;
    const auto take = [&]<class M>(const M* member) {
        if (member == nullptr)
            return;
        if constexpr (std::is_same_v<M, Choice<T>>) {
            auto set = [change = member->set, &entry](std::size_t index) { change(entry, index); };
            out = ChoiceSlot{&member->words, member->get(entry), std::move(set)};
        } else {
            out = &(entry.**member);
        }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (take(std::get_if<I>(&field.member)), ...);
    }(std::make_index_sequence<std::variant_size_v<typename Field<T>::Member>>());
    return out;
}

/// Returns the numbers that a field may have: those given, or all of its type.
NumberRange rangeOf(const FieldInfo& field, const Slot& slot);

/// Reads a field that is present into its slot; null makes it unknown where it can be.
void readSlot(ObjectReader& in, const FieldInfo& field, const Slot& slot);

/// Returns a field's value as a JSON value in the document's unit; discarded if it is unknown or empty.
nlohmann::ordered_json slotValue(const FieldInfo& field, const Slot& slot);

/// Reads the fields that are present into `out`; a whole entry must have the required ones.
template <class T>
void readFields(ObjectReader& in, const std::vector<Field<T>>& fields, T& out, Completeness completeness) {
    for (const Field<T>& field : fields) {
        if (field.required && (completeness == Completeness::whole || in.isNull(field.key)))
            in.require({field.key});
        readSlot(in, field, slotOf(field, out));
    }
}

/// \copydoc slotValue
template <class T>
nlohmann::ordered_json fieldValue(const Field<T>& field, const T& entry) {
    return slotValue(field, slotOf(field, const_cast<T&>(entry))); // only read
}

template <class T>
void writeFields(nlohmann::ordered_json& out, const std::vector<Field<T>>& fields, const T& entry) {
    for (const Field<T>& field : fields) {
        nlohmann::ordered_json value = fieldValue(field, entry);
        if (!value.is_discarded())
            out[field.key] = std::move(value);
    }
}

/// Reads what an entry has besides its plain fields. The generic entry has nothing more.
template <class T>
void readParts(ObjectReader&, T&, Completeness) {}
void readParts(ObjectReader& in, Instance& out, Completeness completeness);
void readParts(ObjectReader& in, Architecture& out, Completeness completeness);
void readParts(ObjectReader& in, Framework& out, Completeness completeness);

template <class T>
void writeParts(nlohmann::ordered_json&, const T&) {}
void writeParts(nlohmann::ordered_json& out, const Instance& entry);
void writeParts(nlohmann::ordered_json& out, const Architecture& entry);
void writeParts(nlohmann::ordered_json& out, const Framework& entry);

/// Returns the keys of those further parts.
template <class T>
std::vector<std::string> partKeys() {
    return {};
}
template <>
std::vector<std::string> partKeys<Instance>();
template <>
std::vector<std::string> partKeys<Architecture>();
template <>
std::vector<std::string> partKeys<Framework>();

/// Returns all keys that a source of an entry may refer to.
template <class T>
std::vector<std::string> entryKeys() {
    std::vector<std::string> keys = {"id", "notes", "conflicts"};
    for (const Field<T>& field : fieldsOf<T>())
        keys.emplace_back(field.key);
    for (std::string& key : partKeys<T>())
        keys.push_back(std::move(key));
    return keys;
}

} // namespace alidade::data
