// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// A value of an outline: a word, a list, or members in their order.
struct OutlineNode {
    std::size_t line = 0; ///< from 1
    std::string word;     ///< of a scalar, quotes removed
    std::vector<OutlineNode> items;
    std::vector<OutlineNode> members;
    std::string key; ///< of a member

    const OutlineNode* member(std::string_view name) const; ///< nullptr without
    bool isWord() const { return items.empty() && members.empty(); }
};

/// Reads the part of YAML that Slurm's topology.yaml is written in: indented members and lists, words with or
/// without quotes, short lists in brackets, comments. Anchors, tags, folded texts and tabs are refused.
/// The error begins with the number of the line: "12: what is wrong; how to fix it".
Result<OutlineNode> readOutline(std::string_view text);

} // namespace alidade::data
