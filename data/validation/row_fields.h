// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/validation/published.h"

#include <initializer_list>

namespace alidade::data {

// What the readers of published rows have in common.

constexpr int mostOfAnything = 100'000'000; ///< that is counted
constexpr double micro = 1e-6, milli = 1e-3, giga = 1e9, tera = 1e12;

/// Empty if absent.
inline std::string textOr(ObjectReader& from, std::string_view key) {
    return from.text(key).value_or(std::string());
}

/// A whole number, at least 0 or what is said.
inline std::optional<int> counted(ObjectReader& from, std::string_view key, int least = 0) {
    return from.integer(key, least, mostOfAnything);
}

/// A number >= 0, in units of `scale`.
inline std::optional<double> scaled(ObjectReader& from, std::string_view key, double scale = 1) {
    const auto number = from.number(key, {0, 1e30, {}});
    return number ? std::optional(*number * scale) : std::nullopt;
}

/// GPUs of an NVLink domain: `scale_up_domain`, else the rack of GPUs that are sold in NVL72 racks alone,
/// else the node. \pre GPU and node of `hardware` are read
inline int scaleUpDomainOf(ObjectReader& from, const PublishedHardware& hardware) {
    const int otherwise = hardware.gpu.starts_with("GB") ? 72 : hardware.gpusPerNode;
    return from.integer("scale_up_domain", 1, mostOfAnything).value_or(otherwise);
}

/// One of a few words; empty if absent.
inline std::string wordOf(ObjectReader& from, std::string_view key, const std::vector<std::string>& legal) {
    const auto index = from.choice(key, legal);
    return index ? legal[*index] : std::string();
}

/// Makes keys known that no prediction needs.
inline void ignoreKeys(ObjectReader& row, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys)
        row.allow(key);
}

} // namespace alidade::data
