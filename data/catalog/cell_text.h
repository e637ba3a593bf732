// SPDX-License-Identifier: GPL-3.0-or-later
// What a person types into a cell of a catalog table, and what stands in it.
#pragma once

#include "data/catalog/kind.h"
#include "model/catalog/catalog.h"

#include <optional>
#include <string>
#include <string_view>

namespace alidade::data {

/// A canonical value (see CatalogChange), or why there is none.
struct CellReading {
    std::optional<std::string> value;
    std::string reason;   ///< refused: "what is wrong; what would be right"
    std::string proposal; ///< refused: a text that would be accepted and may be meant; empty: none is known

    explicit operator bool() const { return value.has_value(); }
};

/// Reads a typed text for one key of one kind. Numbers may have any unit of the dimension ("400 Gbps", "3.35
/// TB/s", "141 GB", "80 GiB"); without one the unit of the column is meant. An empty text is "unknown" where
/// that may be. Words, dates, lists (with commas), yes and no, and ids of other entries are recognised as
/// people write them. Never throws, whatever the text.
/// \param effective where ids of other entries are looked up
CellReading readCell(const Catalog& effective, CatalogKind kind, std::string_view key, std::string_view text);

/// What stands in the cell, without the unit: "3350", "yes", "on-demand, spot"; empty: unknown.
std::string shownValue(CatalogKind kind, std::string_view key, const std::string& value);

/// What stands in the cell while it is edited: with its unit, read by `readCell` as the same value again.
std::string editedValue(CatalogKind kind, std::string_view key, const std::string& value);

/// A number of the column's unit, for sorting; nullopt for everything else.
std::optional<double> numberOf(const std::string& value);

} // namespace alidade::data
