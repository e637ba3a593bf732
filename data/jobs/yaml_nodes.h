// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/jobs/shell_reader.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace alidade::data::handoff {

// Reading of nodes that may be missing or of another kind.

inline int lineOf(const YAML::Node& node) { return std::max(0, node.Mark().line + 1); }

inline std::string scalar(const YAML::Node& node) {
    return node.IsDefined() && node.IsScalar() ? node.Scalar() : std::string();
}

/// A child of a map; an undefined node where there is none.
inline YAML::Node at(const YAML::Node& node, const char* key) {
    if (node.IsDefined() && node.IsMap())
        if (const YAML::Node child = node[key]; child.IsDefined())
            return child;
    return YAML::Node(YAML::NodeType::Undefined);
}

inline YAML::Node at(const YAML::Node& node, std::initializer_list<const char*> path) {
    std::vector<YAML::Node> all{node};
    for (const char* key : path)
        all.push_back(at(all.back(), key));
    return all.back();
}

inline std::optional<std::int64_t> whole(const YAML::Node& node) {
    const std::string text = scalar(node);
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
        return {};
    return std::strtoll(text.c_str(), nullptr, 10);
}

/// Whether a word is left open by a template, alone or after an option: "$NODES", "--nnodes=${NODES}".
inline bool isTemplated(std::string_view word) {
    if (const std::size_t equals = word.find('='); word.starts_with("--") && equals != std::string_view::npos)
        word.remove_prefix(equals + 1);
    if (!word.starts_with('$') || word.size() < 2)
        return false;
    word.remove_prefix(1);
    if (word.front() == '{' && word.back() == '}')
        word = word.substr(1, word.size() - 2);
    return !word.empty() &&
           std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// The first count of instances that a template leaves open; an undefined node where there is none.
/// \param left nodes that are still visited
inline YAML::Node templatedCount(const YAML::Node& node, int& left) {
    if (--left > 0 && node.IsDefined() && node.IsMap()) {
        for (const char* key : {"replicas", "parallelism", "numNodes", "size", "nodeCount"})
            if (const YAML::Node count = at(node, key); isTemplated(scalar(count)))
                return count;
        for (const auto& each : node)
            if (const YAML::Node found = templatedCount(each.second, left); found.IsDefined())
                return found;
    } else if (left > 0 && node.IsDefined() && node.IsSequence()) {
        for (const auto& each : node)
            if (const YAML::Node found = templatedCount(each, left); found.IsDefined())
                return found;
    }
    return YAML::Node(YAML::NodeType::Undefined);
}

/// A word of a command. A script begins in the line after the | of a block; in another text it has no
/// separate lines.
/// \param lines that the mark of the node points into
inline ShellWord wordOf(const YAML::Node& node, const std::vector<std::string_view>& lines) {
    const auto line = static_cast<std::size_t>(std::max(0, node.Mark().line));
    const auto column = static_cast<std::size_t>(std::max(0, node.Mark().column));
    const bool block = line < lines.size() && lines[line].substr(0, column + 1).ends_with('|') &&
                       column < lines[line].size();
    return {scalar(node), lineOf(node) + (block ? 1 : 0), false, !block};
}

class JobReader;

/// `squeue --json`: the first job. \returns whether the document is that
bool readSqueue(JobReader& reader, const YAML::Node& document);

/// Values of the llm-d-modelservice chart. \returns whether the document is that
bool readLlmD(JobReader& reader, const YAML::Node& document);

/// Instances of a cluster of ParallelCluster; of one with a base and a rest, both.
/// \returns whether the document is one
bool readParallelCluster(JobReader& reader, const YAML::Node& document);

} // namespace alidade::data::handoff
