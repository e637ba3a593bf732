// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/json.h"
#include "data/json/reader.h"
#include "model/search/search.h"

#include <cstdint>
#include <string_view>

namespace alidade::data {

/// 2^53: whole numbers up to it are exact in JSON.
inline constexpr double mostExact = 9007199254740992.0;

/// What became of the plans of a space, as answers and files have it.
nlohmann::ordered_json countsJson(const SearchCounts& counts);
/// The same from the key "counts"; faults where it is wrong.
SearchCounts countsOf(ObjectReader& reader);

/// A whole number, 0 to 2^53; a fault where it is none, 0 where it is missing.
std::uint64_t countOf(ObjectReader& reader, std::string_view key);

} // namespace alidade::data
