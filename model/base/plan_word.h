// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace alidade {

/// A word of scenario files and its meaning.
template <class E>
struct PlanWord {
    std::string_view word;
    E value;
};

/// Returns the meaning of a word, or nullopt if the table does not contain it.
/// \tparam Row PlanWord, or a row with more than a word and its value
template <class Row, std::size_t n>
constexpr std::optional<decltype(Row::value)> meaningOf(const std::array<Row, n>& table,
                                                        std::string_view word) {
    for (const Row& each : table)
        if (each.word == word)
            return each.value;
    return {};
}

template <class Row, std::size_t n>
std::vector<std::string_view> wordsOf(const std::array<Row, n>& table) {
    std::vector<std::string_view> out;
    for (const Row& each : table)
        out.push_back(each.word);
    return out;
}

} // namespace alidade
