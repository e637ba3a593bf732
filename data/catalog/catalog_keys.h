// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/kind.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// The kinds of values of a catalog entry.
enum class ValueKind : std::uint8_t {
    text,
    number,
    wholeNumber,
    truth,     ///< yes or no
    choice,    ///< one of some words
    texts,     ///< a list
    date,      ///< "2026", "2026-11" or "2026-11-20"
    reference, ///< id of an entry of another kind
    fixed,     ///< read-only: network cards
};

/// One key of the entries of a kind, as a column of a table.
struct CatalogKey {
    std::string key;   ///< "hbm_capacity_gb", "moe.routed_experts"
    std::string label; ///< "Memory"
    std::string unit;  ///< "GB"; empty: dimensionless or not a number
    ValueKind value = ValueKind::text;
    double low = 0, high = 0;               ///< of numbers, in the column's unit
    bool required = false;                  ///< every entry has a value
    bool mayBeUnknown = true;               ///< the cell may be cleared
    std::vector<std::string> words = {};    ///< of a choice
    std::vector<CatalogKind> refersTo = {}; ///< kinds of the entries that it refers to
    std::string object = {};                ///< "moe": the part of the entry that it belongs to; empty: none
};

/// Returns the keys of a kind in display order, without `id`, with "notes" and "conflicts" at the end. Those
/// of frameworks and engines do not include the defaults, which differ by entry. Empty for scenarios.
const std::vector<CatalogKey>& catalogKeys(CatalogKind kind);

/// Returns nullptr if there is no such key.
const CatalogKey* catalogKey(CatalogKind kind, std::string_view key);

} // namespace alidade::data
