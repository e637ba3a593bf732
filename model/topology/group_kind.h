// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace alidade {

/// Ranks that communicate with each other, by what divides them.
enum class GroupKind : std::uint8_t {
    tensor,
    context,
    data,    ///< replicas that hold the same dense weights: data x context ranks
    shard,   ///< of the data group, those that divide training state (hsdp: a part of it)
    replica, ///< of the data group, equal places of its shard groups (hsdp)
    pipeline,
    expert,
    expertTensor,
    expertData, ///< replicas that hold the same experts
};
inline constexpr std::array<GroupKind, 9> allGroupKinds{
    GroupKind::tensor, GroupKind::context,      GroupKind::data,
    GroupKind::shard,  GroupKind::replica,      GroupKind::pipeline,
    GroupKind::expert, GroupKind::expertTensor, GroupKind::expertData};

/// A word for each, unique: "tp", "cp", "dp", "dp-shard", "dp-replica", "pp", "ep", "etp", "edp".
constexpr std::string_view groupWord(GroupKind kind) {
    constexpr std::array<std::string_view, allGroupKinds.size()> words{
        "tp", "cp", "dp", "dp-shard", "dp-replica", "pp", "ep", "etp", "edp"};
    return words[static_cast<std::size_t>(kind)];
}

/// For a person: "Tensor", "Data", "Expert data".
constexpr std::string_view groupLabel(GroupKind kind) {
    constexpr std::array<std::string_view, allGroupKinds.size()> labels{
        "Tensor",   "Context", "Data",          "Sharding",   "Replicas of shards",
        "Pipeline", "Expert",  "Expert tensor", "Expert data"};
    return labels[static_cast<std::size_t>(kind)];
}

/// How the bytes of a group travel between its members.
enum class TrafficPattern : std::uint8_t {
    ring,       ///< to the next member; over all network cards that the group has in a domain
    allToAll,   ///< to each other member alike
    neighbours, ///< from stage to stage and back
};

/// Bits of group kinds.
using GroupKinds = std::uint16_t;
constexpr GroupKinds bitOf(GroupKind kind) {
    return static_cast<GroupKinds>(1U << static_cast<unsigned>(kind));
}

} // namespace alidade
