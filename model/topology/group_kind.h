// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace alidade {

/// Kinds of groups of communicating ranks, by what divides them.
enum class GroupKind : std::uint8_t {
    tensor,
    context,
    data,    ///< replicas that hold the same dense weights: data x context ranks
    shard,   ///< ranks of the data group that share training state (hsdp: a subset)
    replica, ///< ranks of the data group at equal positions in its shard groups (hsdp)
    pipeline,
    expert,
    expertTensor,
    expertData, ///< replicas that hold the same experts
};
inline constexpr std::array<GroupKind, 9> allGroupKinds{
    GroupKind::tensor, GroupKind::context,      GroupKind::data,
    GroupKind::shard,  GroupKind::replica,      GroupKind::pipeline,
    GroupKind::expert, GroupKind::expertTensor, GroupKind::expertData};

/// Returns a unique word for each kind: "tp", "cp", "dp", "dp-shard", "dp-replica", "pp", "ep", "etp", "edp".
constexpr std::string_view groupWord(GroupKind kind) {
    constexpr std::array<std::string_view, allGroupKinds.size()> words{
        "tp", "cp", "dp", "dp-shard", "dp-replica", "pp", "ep", "etp", "edp"};
    return words[static_cast<std::size_t>(kind)];
}

/// The kind of a word; std::nullopt: there is none.
constexpr std::optional<GroupKind> groupOfWord(std::string_view word) {
    for (const GroupKind kind : allGroupKinds)
        if (groupWord(kind) == word)
            return kind;
    return std::nullopt;
}

/// Groups that a rank order names, fastest first.
inline constexpr std::string_view usualRankOrder = "tp-cp-ep-dp-pp";

/// Returns the display name: "Tensor", "Data", "Expert data".
constexpr std::string_view groupLabel(GroupKind kind) {
    constexpr std::array<std::string_view, allGroupKinds.size()> labels{
        "Tensor",   "Context", "Data",          "Sharding",   "Shard replicas",
        "Pipeline", "Expert",  "Expert tensor", "Expert data"};
    return labels[static_cast<std::size_t>(kind)];
}

/// Whether plans put the groups of a kind inside an NVLink domain where it can hold them: they talk in every
/// layer, or hold the shards of a layer between them.
constexpr bool staysInDomain(GroupKind kind) {
    return kind == GroupKind::tensor || kind == GroupKind::context || kind == GroupKind::shard ||
           kind == GroupKind::expert || kind == GroupKind::expertTensor;
}

/// How the bytes of a group travel between its members.
enum class TrafficPattern : std::uint8_t {
    ring,      ///< to the next member, over all network cards of the group in a domain
    tree,      ///< double binary tree of the domains, up and down, over the same cards
    pat,       ///< to the domains 1, 2, 4 ... further on, the nearer ones more
    allToAll,  ///< equally to each other member
    neighbors, ///< from stage to stage and back
};

/// Bit set of group kinds.
using GroupKinds = std::uint16_t;
constexpr GroupKinds bitOf(GroupKind kind) {
    return static_cast<GroupKinds>(1U << static_cast<unsigned>(kind));
}

} // namespace alidade
