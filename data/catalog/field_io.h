// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: reads and writes an entry by its list of fields.
#pragma once

#include "data/catalog/field.h"
#include "data/json/reader.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <type_traits>

namespace alidade::data {

/// Whether a document gives a whole entry or some of its values.
enum class Completeness : bool { whole, partial };

namespace detail {

template <class V>
struct IsOptional : std::false_type {};
template <class V>
struct IsOptional<std::optional<V>> : std::true_type {
    using Value = V;
};

template <class V>
concept QuantityType = requires(V v) {
    { V::si(1.0) } -> std::same_as<V>;
    { v.si() } -> std::same_as<double>;
};

inline double toSi(double value, const FieldUnit& unit) { return value * unit.multiply / unit.divide; }

/// Returns the document's number, without the rounding errors of the two factors.
inline double fromSi(double si, const FieldUnit& unit) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.15g", si * unit.divide / unit.multiply);
    return std::strtod(buffer, nullptr);
}

template <class T>
NumberRange rangeOf(const Field<T>& field) {
    constexpr double widestInteger = 2147483647;
    const bool whole = std::holds_alternative<int T::*>(field.member) ||
                       std::holds_alternative<std::optional<int> T::*>(field.member);
    const double usual = whole ? widestInteger : std::numeric_limits<double>::max();
    return {field.low, field.high == 0 ? usual : field.high, field.unit.label};
}

/// Reads one value of kind V by its key; nullopt if it is absent or wrong.
template <class V, class T>
std::optional<V> readValue(ObjectReader& in, const Field<T>& field) {
    const NumberRange range = rangeOf(field);
    if constexpr (std::is_same_v<V, std::string>) {
        return in.text(field.key);
    } else if constexpr (std::is_same_v<V, bool>) {
        return in.boolean(field.key);
    } else if constexpr (std::is_same_v<V, int>) {
        return in.integer(field.key, static_cast<int>(range.low), static_cast<int>(range.high), range.unit);
    } else if constexpr (std::is_same_v<V, std::vector<std::string>>) {
        return in.value(field.key) == nullptr ? std::nullopt : std::optional(in.texts(field.key));
    } else {
        const std::optional<double> number = in.number(field.key, range);
        if (!number)
            return std::nullopt;
        if constexpr (std::is_same_v<V, double>)
            return toSi(*number, field.unit);
        else
            return V::si(toSi(*number, field.unit));
    }
}

template <class T, class M>
void readMember(ObjectReader& in, const Field<T>& field, M T::* member, T& out) {
    if (in.isNull(field.key)) {
        in.allow(field.key);
        if constexpr (!std::is_same_v<M, int> &&
                      !std::is_same_v<M, bool>) // these cannot be unknown: unchanged
            out.*member = M{};
    } else if constexpr (IsOptional<M>::value) {
        if (auto value = readValue<typename IsOptional<M>::Value>(in, field))
            out.*member = std::move(value);
    } else if (auto value = readValue<M>(in, field)) {
        out.*member = std::move(*value);
    }
}

template <class T>
void readMember(ObjectReader& in, const Field<T>& field, const Choice<T>& choice, T& out) {
    if (const auto index = in.choice(field.key, choice.words))
        choice.set(out, *index);
}

} // namespace detail

/// Reads the fields that are present into `out`; a whole entry must have the required ones.
template <class T>
void readFields(ObjectReader& in, const std::vector<Field<T>>& fields, T& out, Completeness completeness) {
    for (const Field<T>& field : fields) {
        if (field.required && (completeness == Completeness::whole || in.isNull(field.key)))
            in.require({field.key});
        std::visit([&](const auto& member) { detail::readMember(in, field, member, out); }, field.member);
    }
}

/// Returns a field's value as a JSON value in the document's unit; discarded if it is unknown or empty.
template <class T>
nlohmann::ordered_json fieldValue(const Field<T>& field, const T& entry) {
    using Json = nlohmann::ordered_json;
    const Json nothing(Json::value_t::discarded);
    const auto number = [&](double value) {
        constexpr double exactIntegers = 9007199254740992.0;
        const double shown = detail::fromSi(value, field.unit);
        return shown == std::floor(shown) && std::abs(shown) < exactIntegers
                   ? Json(static_cast<std::int64_t>(shown))
                   : Json(shown);
    };
    const auto convert = [&](const auto& value) -> Json {
        using V = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<V, std::string>)
            return value.empty() ? nothing : Json(value);
        else if constexpr (std::is_same_v<V, std::vector<std::string>>)
            return value.empty() ? nothing : Json(value);
        else if constexpr (std::is_same_v<V, bool> || std::is_same_v<V, int>)
            return Json(value);
        else if constexpr (std::is_same_v<V, double>)
            return number(value);
        else
            return number(value.si());
    };
    return std::visit(
        [&](const auto& member) -> Json {
            using M = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<M, Choice<T>>) {
                return Json(member.words[member.get(entry)]);
            } else {
                const auto& value = entry.*member;
                using V = std::decay_t<decltype(value)>;
                if constexpr (detail::IsOptional<V>::value)
                    return value ? convert(*value) : nothing;
                else if constexpr (detail::QuantityType<V>)
                    return value.si() == 0 && field.low > 0 ? nothing : convert(value); // 0 means unknown
                else if constexpr (std::is_same_v<V, int>)
                    return value == 0 && field.low > 0 ? nothing : convert(value);
                else
                    return convert(value);
            }
        },
        field.member);
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
