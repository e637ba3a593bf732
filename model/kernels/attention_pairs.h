// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace alidade {

/// The keys that a query attends to.
enum class AttentionMask : std::uint8_t {
    full,    ///< all
    causal,  ///< itself and all before
    sliding, ///< itself and window - 1 before
    chunked, ///< causal inside blocks of `window`, nothing across blocks
};

/// The number of (query, key) pairs of one head and sequence: `queries` new tokens after `cached` ones.
/// `window` > 0 for the sliding and the chunked mask; the chunked mask does not support cached tokens.
constexpr std::int64_t attentionPairs(std::int64_t queries, AttentionMask mask = AttentionMask::causal,
                                      std::int64_t window = 0, std::int64_t cached = 0) {
    switch (mask) {
    case AttentionMask::full:
        return queries * (queries + cached);
    case AttentionMask::causal:
        return queries * cached + queries * (queries + 1) / 2;
    case AttentionMask::sliding: {
        assert(window > 0);
        // leading queries that still see their whole prefix
        const std::int64_t growing = std::min(std::max<std::int64_t>(window - 1 - cached, 0), queries);
        return growing * cached + growing * (growing + 1) / 2 + (queries - growing) * window;
    }
    case AttentionMask::chunked: {
        assert(window > 0 && cached == 0);
        const std::int64_t rest = queries % window;
        return queries / window * (window * (window + 1) / 2) + rest * (rest + 1) / 2;
    }
    }
    return 0;
}

/// The causal count as a formula over the number type.
template <class N>
N causalPairs(const N& queries, const N& cached = N(0)) {
    return queries * cached + queries * (queries + 1) / 2;
}

} // namespace alidade
