// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/group_walk.h"
#include "model/topology/link_traffic.h"

#include <algorithm>
#include <cstddef>

namespace alidade {

/// Bytes that all groups of a kind send per step, counted from the groups alone: what LinkTraffic has to find
/// on the links again.
inline double sentBytes(const GroupTraffic& traffic, const RankLayout& layout) {
    const GroupPattern& p = layout.pattern(traffic.kind);
    if (p.ranks <= 1)
        return 0;
    const auto on = [&](int stage) {
        const auto& bytes = traffic.bytesOnStage;
        return bytes.empty() ? 0 : bytes[std::min(static_cast<std::size_t>(stage), bytes.size() - 1)];
    };
    double out = 0;
    forEachGroup(p, layout.ranks(), 1, [&](std::int64_t base, std::int64_t) {
        out += traffic.pattern == TrafficPattern::neighbors
                   ? 2 * ((p.ranks - 1) * on(0) + traffic.wrapBytes)
                   : p.ranks * on(layout.coordinates(static_cast<int>(base)).pipeline);
    });
    return out;
}

} // namespace alidade
