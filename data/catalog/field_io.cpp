// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/field_io.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace alidade::data {
namespace {

using Json = nlohmann::ordered_json;

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

double toSi(double value, const FieldUnit& unit) { return value * unit.multiply / unit.divide; }

/// Returns the document's number, without the rounding errors of the two factors.
double fromSi(double si, const FieldUnit& unit) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.15g", si * unit.divide / unit.multiply);
    return std::strtod(buffer, nullptr);
}

/// Reads one value of kind V by its key; nullopt if it is absent or wrong.
template <class V>
std::optional<V> readValue(ObjectReader& in, const FieldInfo& field, const NumberRange& range) {
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

template <class M>
void readMember(ObjectReader& in, const FieldInfo& field, const NumberRange& range, M& out) {
    if (in.isNull(field.key)) {
        in.allow(field.key);
        if constexpr (!std::is_same_v<M, int> &&
                      !std::is_same_v<M, bool>) // these cannot be unknown: unchanged
            out = M{};
    } else if constexpr (IsOptional<M>::value) {
        if (auto value = readValue<typename IsOptional<M>::Value>(in, field, range))
            out = std::move(value);
    } else if (auto value = readValue<M>(in, field, range)) {
        out = std::move(*value);
    }
}

Json numberValue(double si, const FieldUnit& unit) {
    constexpr double exactIntegers = 9007199254740992.0;
    const double shown = fromSi(si, unit);
    return shown == std::floor(shown) && std::abs(shown) < exactIntegers
               ? Json(static_cast<std::int64_t>(shown))
               : Json(shown);
}

template <class V>
Json valueOf(const FieldInfo& field, const V& value) {
    const Json nothing(Json::value_t::discarded);
    if constexpr (IsOptional<V>::value)
        return value ? valueOf(FieldInfo{field.key, field.label, field.unit, 0, 0, false}, *value) : nothing;
    else if constexpr (std::is_same_v<V, std::string> || std::is_same_v<V, std::vector<std::string>>)
        return value.empty() ? nothing : Json(value);
    else if constexpr (std::is_same_v<V, bool>)
        return Json(value);
    else if constexpr (std::is_same_v<V, int>)
        return value == 0 && field.low > 0 ? nothing : Json(value); // 0 means unknown
    else if constexpr (std::is_same_v<V, double>)
        return numberValue(value, field.unit);
    else
        return value.si() == 0 && field.low > 0 ? nothing : numberValue(value.si(), field.unit);
}

} // namespace

NumberRange rangeOf(const FieldInfo& field, const Slot& slot) {
    constexpr double widestInteger = std::numeric_limits<int>::max();
    const bool whole =
        std::holds_alternative<int*>(slot) || std::holds_alternative<std::optional<int>*>(slot);
    const double usual = whole ? widestInteger : std::numeric_limits<double>::max();
    return {field.low, field.high == 0 ? usual : field.high, field.unit.label};
}

void readSlot(ObjectReader& in, const FieldInfo& field, const Slot& slot) {
    const NumberRange range = rangeOf(field, slot);
    std::visit(
        [&](const auto& where) {
            if constexpr (!std::is_pointer_v<std::remove_cvref_t<decltype(where)>>) {
                if (const auto index = in.choice(field.key, *where.words))
                    where.set(*index);
            } else {
                readMember(in, field, range, *where);
            }
        },
        slot);
}

Json slotValue(const FieldInfo& field, const Slot& slot) {
    return std::visit(
        [&](const auto& where) -> Json {
            if constexpr (!std::is_pointer_v<std::remove_cvref_t<decltype(where)>>)
                return Json((*where.words)[where.now]);
            else
                return valueOf(field, *where);
        },
        slot);
}

} // namespace alidade::data
