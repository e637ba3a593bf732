// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/traffic.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace alidade {

/// One recorded request.
struct TraceRequest {
    double time = 0;                          ///< s from the first request
    int input = 1, output = 1;                ///< tokens
    std::uint32_t firstBlock = 0, blocks = 0; ///< its prompt in RequestTrace::blocks
};

/// Recorded requests of a service, in the order of their times. The blocks of a prompt, from its start, are
/// numbers that represent their tokens and all tokens before them: two prompts with the same number share
/// their prefix up to it.
struct RequestTrace {
    std::vector<TraceRequest> requests;
    std::vector<std::uint32_t> blocks; ///< of all prompts; empty: not in the file
    int blockTokens = 512;             ///< Mooncake (FAST '25, section 4): one hash a block of 512 tokens
    std::optional<double> start;       ///< Unix s of the first request
    std::uint64_t failed = 0;          ///< rows without an answer, which are left out

    std::span<const std::uint32_t> blocksOf(const TraceRequest& request) const {
        return std::span(blocks).subspan(request.firstBlock, request.blocks);
    }
    double seconds() const { return requests.empty() ? 0 : requests.back().time; }
};

/// Lengths of prompts or of answers, tokens.
struct LengthStatistics {
    double mean = 0, cv = 0; ///< cv: standard deviation / mean
    double p50 = 0, p90 = 0, p99 = 0, most = 0;
};

/// Share of the prompt tokens that a prefix cache of this size holds already.
struct PrefixHit {
    double cacheTokens = 0; ///< infinite: nothing is ever evicted
    double share = 0;       ///< 0..1
};

struct TraceStatistics {
    std::uint64_t requests = 0, failed = 0;
    double seconds = 0; ///< from the first to the last request
    LengthStatistics input, output;
    /// Coefficient of variation of the times between requests within an hour: 1 is Poisson. Changes of the
    /// rate from hour to hour are in the profile instead.
    double arrivalCv = 1;
    TrafficProfile rates;          ///< requests/s in each hour, the last one perhaps in part
    std::vector<PrefixHit> prefix; ///< by cache size, ascending; empty: not in the file
};

/// Sizes of a prefix cache that statistics are made for, tokens; the last one is infinite.
std::vector<double> usualCacheSizes();

/// What a trace holds. \param cacheTokens sizes of the prefix cache, ascending
TraceStatistics statisticsOf(const RequestTrace& trace, const std::vector<double>& cacheTokens,
                             const std::stop_token& stop = {});

/// The share of the prompt tokens that a cache of so many tokens holds, least recently used blocks evicted
/// first. One cache for all requests. \pre the trace has blocks
double prefixHitShare(const RequestTrace& trace, double cacheTokens);

/// s from the start of the profile's period to the first request: a trace with a date keeps its place in the
/// day, or in the week from Monday on (UTC); others begin with it.
double offsetInProfile(const RequestTrace& trace);

/// The trace as a profile of a day (traces up to a day) or of a week: hours of the same place in the period
/// are averaged; hours that the trace does not reach get the mean of the others.
TrafficProfile profileOf(const RequestTrace& trace);

} // namespace alidade
