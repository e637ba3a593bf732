// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/fleet.h"
#include "model/fleet/request_trace.h"
#include "model/serving/percentiles.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace alidade {

/// Which replica gets a request.
enum class Routing : std::uint8_t {
    leastLoaded, ///< the one with the fewest requests that are not answered
    roundRobin,
    prefixAware, ///< the one that holds most of its prompt, unless it has half as many requests again as the
                 ///< mean
};

struct ReplayOptions {
    Routing routing = Routing::leastLoaded;
    double prefixCacheTokens = 1e6; ///< of one replica
    /// Requests for each one that was recorded, > 0: a part of them, or copies at times near theirs with
    /// their own prompts.
    double scale = 1;
    std::uint64_t requests = 1'000'000; ///< at most so many are played, from the first one on
};

/// An hour of a replay.
struct ReplayHour {
    std::uint64_t requests = 0;
    double ttft = 0, itl = 0; ///< s, at the percentile of the targets
    double onTime = 1;        ///< share of the requests within the target of TTFT
};

/// A trace as the planned replicas answer it.
struct ServiceReplay {
    std::size_t service = 0;
    std::uint64_t requests = 0;
    double seconds = 0; ///< from the first request to the last one that was played
    Percentiles ttft, itl;
    double ttftAtTarget = 0, itlAtTarget = 0; ///< s, at the percentile of the targets
    double onTime = 1;                        ///< share of the requests within the target of TTFT
    double prefixHit = 0;                     ///< share of the prompt tokens
    int leastReplicas = 0, mostReplicas = 0;
    std::vector<ReplayHour> hours;
    bool meetsTargets = true; ///< at their percentile, over all requests
    bool complete = true;     ///< false: stopped, or cut at the most requests
};

/// Plays a trace step by step on the replicas of a planned service, as many as serve at each time. A replica
/// that is started has an empty prefix cache; one that is to leave answers what it has.
/// \returns nothing where prefill and decode are apart or a request draws several samples, which are not
/// played
std::optional<ServiceReplay> replayTrace(const RequestTrace& trace, const PlacedService& placed,
                                         const Catalog& catalog, const Profile& profile,
                                         const ReplayOptions& options, const std::stop_token& stop = {},
                                         const std::function<void(double)>& progress = {});

} // namespace alidade
