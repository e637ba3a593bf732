// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/search.h"

#include <cstdint>
#include <vector>

namespace alidade {

/// In which order the plans of a shard are tried: first some from everywhere in its part of the space, so
/// that what is found early says something of all machines and degrees; then what is left, one after the
/// other.
class WorkOrder {
public:
    /// Plans from begin to before end.
    struct Range {
        std::uint64_t begin = 0, end = 0;
    };

    /// \param slow a plan takes so long that threads share even the plans of a small space
    WorkOrder(std::uint64_t plans, const SearchShard& shard, bool slow);

    /// Parts to be handed to threads; together they are all plans of the shard, each once.
    std::uint64_t parts() const { return spread() + (chunks_ + chunksOfPart_ - 1) / chunksOfPart_; }
    /// The first parts, which come from everywhere: a power of two, each at most mostOfSpread plans; 0 if the
    /// shard is too small.
    std::uint64_t spread() const { return picked_.size(); }
    /// The plans of a part, in ascending ranges.
    void ranges(std::uint64_t part, std::vector<Range>& out) const;

    static constexpr std::uint64_t mostSpread = 256, mostOfSpread = 16;
    /// Of these every n-th belongs to a shard.
    static constexpr std::uint64_t blockPlans = 256;

private:
    Range chunk(std::uint64_t at) const;

    std::uint64_t plans_;
    SearchShard shard_;
    std::uint64_t chunkPlans_;
    std::uint64_t chunks_; ///< of the shard
    std::uint64_t chunksOfPart_;
    std::vector<std::uint64_t> picked_; ///< the chunks that come first, ascending
};

} // namespace alidade
