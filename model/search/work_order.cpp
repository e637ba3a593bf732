// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/work_order.h"

#include "model/base/random.h"

#include <algorithm>
#include <bit>

namespace alidade {

namespace {

constexpr std::uint64_t manyParts = 4096; ///< enough to keep all threads busy to the end

/// 0, 1/2, 1/4, 3/4, 1/8, ...: the place of the k-th of `count`, a power of two, so that the first ones of
/// any number lie apart.
std::uint64_t apart(std::uint64_t k, std::uint64_t count) {
    std::uint64_t out = 0;
    for (std::uint64_t bit = 1; bit < count; bit <<= 1) {
        out = out << 1 | (k & 1);
        k >>= 1;
    }
    return out;
}

} // namespace

WorkOrder::WorkOrder(std::uint64_t plans, const SearchShard& shard, bool slow)
    : plans_(plans)
    , shard_(shard)
    , chunkPlans_(slow ? 1 : mostOfSpread) {
    const std::uint64_t all = (plans + blockPlans - 1) / blockPlans;
    const std::uint64_t blocks = all / shard.of + (shard.index < all % shard.of ? 1 : 0);
    chunks_ = blocks * (blockPlans / chunkPlans_);
    while (chunks_ > 0 && chunk(chunks_ - 1).begin >= plans_) // the last block of the space may be shorter
        --chunks_;
    // A part should be a few milliseconds of work, and long enough for runs of illegal plans, which end with
    // it.
    chunksOfPart_ = 16 * std::clamp<std::uint64_t>(chunks_ / (16 * manyParts), 1, 256);
    const std::uint64_t spread = std::bit_floor(std::min(mostSpread, chunks_ / 2));
    for (std::uint64_t i = 0; i < spread; ++i) {
        // Anywhere in its share: at the same place of each the fastest fields would have the same values.
        const std::uint64_t begin = i * chunks_ / spread, end = (i + 1) * chunks_ / spread;
        picked_.push_back(begin + splitMix64(i) % (end - begin));
    }
}

WorkOrder::Range WorkOrder::chunk(std::uint64_t at) const {
    const std::uint64_t ofBlock = blockPlans / chunkPlans_;
    const std::uint64_t begin =
        (at / ofBlock * shard_.of + shard_.index) * blockPlans + at % ofBlock * chunkPlans_;
    return {begin, std::min(plans_, begin + chunkPlans_)};
}

void WorkOrder::ranges(std::uint64_t part, std::vector<Range>& out) const {
    out.clear();
    if (part < spread()) {
        out.push_back(chunk(picked_[static_cast<std::size_t>(apart(part, spread()))]));
        return;
    }
    const std::uint64_t first = (part - spread()) * chunksOfPart_;
    for (std::uint64_t at = first; at < std::min(chunks_, first + chunksOfPart_); ++at) {
        if (std::ranges::binary_search(picked_, at))
            continue;
        const Range next = chunk(at);
        if (!out.empty() && out.back().end == next.begin)
            out.back().end = next.end;
        else
            out.push_back(next);
    }
}

} // namespace alidade
