// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/kind.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// What a value of a catalog entry can be.
enum class ValueKind : std::uint8_t {
    text,
    number,
    wholeNumber,
    truth,     ///< yes or no
    choice,    ///< one of some words
    texts,     ///< a list
    date,      ///< "2026", "2026-11" or "2026-11-20"
    reference, ///< id of an entry of another kind
    fixed,     ///< shown, but not to be typed: network cards
};

/// One key of the entries of a kind, as a column of a table.
struct CatalogKey {
    std::string key;   ///< "hbm_capacity_gb", "moe.routed_experts"
    std::string label; ///< "Memory"
    std::string unit;  ///< "GB"; empty: a plain number or no number
    ValueKind value = ValueKind::text;
    double low = 0, high = 0;               ///< of numbers, in the column's unit
    bool required = false;                  ///< every entry has a value
    bool mayBeUnknown = true;               ///< the cell may be emptied
    std::vector<std::string> words = {};    ///< of a choice
    std::vector<CatalogKind> refersTo = {}; ///< kinds whose ids are meant
    std::string object = {};                ///< "moe": the part of the entry that it belongs to; empty: none
};

/// The keys of a kind in the order in which they are shown, without `id`, with "notes" and "conflicts" at the
/// end. Those of frameworks and engines without their defaults, of which each entry has its own. Empty for
/// scenarios.
const std::vector<CatalogKey>& catalogKeys(CatalogKind kind);

/// nullptr: no such key.
const CatalogKey* catalogKey(CatalogKind kind, std::string_view key);

} // namespace alidade::data
