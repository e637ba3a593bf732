// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/search/search_counts.h"

#include <cmath>

namespace alidade::data {

nlohmann::ordered_json countsJson(const SearchCounts& counts) {
    return {{"evaluated", counts.evaluated},
            {"pruned", counts.pruned},
            {"illegal", counts.illegal},
            {"unfit", counts.unfit},
            {"missed", counts.missed}};
}

SearchCounts countsOf(ObjectReader& reader) {
    SearchCounts out;
    if (auto counts = reader.object("counts")) {
        out = {.evaluated = countOf(*counts, "evaluated"),
               .pruned = countOf(*counts, "pruned"),
               .illegal = countOf(*counts, "illegal"),
               .unfit = countOf(*counts, "unfit"),
               .missed = countOf(*counts, "missed")};
        counts->finish();
    }
    return out;
}

std::uint64_t countOf(ObjectReader& reader, std::string_view key) {
    const auto value = reader.number(key, {0, mostExact, {}});
    if (value && std::floor(*value) != *value)
        reader.fault(key, "must be a whole number");
    return value ? static_cast<std::uint64_t>(*value) : 0;
}

} // namespace alidade::data
