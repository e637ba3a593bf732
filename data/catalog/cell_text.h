// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes the texts of a catalog table's cells.
#pragma once

#include "data/catalog/kind.h"
#include "model/catalog/catalog.h"

#include <optional>
#include <string>
#include <string_view>

namespace alidade::data {

/// A canonical value (see CatalogChange), or why the text was refused.
struct CellReading {
    std::optional<std::string> value;
    std::string reason;   ///< if refused: "what is wrong; how to fix it"
    std::string proposal; ///< if refused: a likely correction that would be accepted; empty: none is known

    explicit operator bool() const { return value.has_value(); }
};

/// Reads a typed text for one key of one kind. Numbers may have any unit of the dimension ("400 Gbps", "3.35
/// TB/s", "141 GB", "80 GiB"); without one the unit of the column applies. An empty text is "unknown" where
/// that is allowed. Keywords, dates, lists (with commas), yes and no, and ids of other entries are recognized
/// in common spellings. Never throws.
/// \param effective catalog in which ids of other entries are looked up
CellReading readCell(const Catalog& effective, CatalogKind kind, std::string_view key, std::string_view text);

/// Returns the text of a cell, without the unit: "3350", "yes", "on-demand, spot"; empty: unknown.
std::string shownValue(CatalogKind kind, std::string_view key, const std::string& value);

/// Returns the text of a cell while it is edited: with its unit, so that `readCell` reads the same value.
std::string editedValue(CatalogKind kind, std::string_view key, const std::string& value);

/// Returns a number in the column's unit, for sorting; nullopt for everything else.
std::optional<double> numberOf(const std::string& value);

} // namespace alidade::data
