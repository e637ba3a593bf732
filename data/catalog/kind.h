// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace alidade::data {

/// The kinds of `catalog list KIND` and of catalog documents.
enum class CatalogKind : std::uint8_t {
    gpus,
    instances,
    ultraservers,
    efa,
    storage,
    prices,
    models,
    frameworks,
    engines,
    scenarios,
};

inline constexpr std::array<std::string_view, 10> catalogKindNames = {
    "gpus",   "instances", "ultraservers", "efa",     "storage",
    "prices", "models",    "frameworks",   "engines", "scenarios"};

constexpr std::string_view name(CatalogKind kind) { return catalogKindNames[static_cast<std::size_t>(kind)]; }

constexpr std::optional<CatalogKind> catalogKind(std::string_view text) {
    for (std::size_t i = 0; i < catalogKindNames.size(); ++i)
        if (catalogKindNames[i] == text)
            return static_cast<CatalogKind>(i);
    return std::nullopt;
}

} // namespace alidade::data
