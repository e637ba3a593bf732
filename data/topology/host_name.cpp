// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/host_name.h"

#include <algorithm>

namespace alidade::data {

bool isHostName(std::string_view name) {
    constexpr std::size_t longest = 253; // of the domain name system
    const auto isWord = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const auto isInner = [&](char c) { return isWord(c) || c == '-' || c == '.'; };
    return !name.empty() && name.size() <= longest && isWord(name.front()) && isWord(name.back()) &&
           std::ranges::all_of(name, isInner);
}

} // namespace alidade::data
