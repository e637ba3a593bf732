// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"

#include <array>
#include <numeric>
#include <optional>

namespace alidade::reference {

/// Exclusive shares of some time, in seconds, by what limits them.
using BoundSeconds = std::array<double, allBounds.size()>;

struct Bottleneck {
    Bound bound = Bound::compute;
    double share = 0;            ///< 0..1 of all
    std::optional<Bound> second; ///< the next one, where it is within 20 % of the first
};

/// The largest share and, where it is close, the one after it. All shares zero: share 0.
Bottleneck bottleneckOf(const BoundSeconds& seconds);

inline Bottleneck bottleneckOf(const BoundSeconds& seconds) {
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    if (!(sum > 0)) {
        return {};
    }
    std::size_t first = 0;
    for (std::size_t i = 1; i < seconds.size(); ++i) {
        first = seconds[i] > seconds[first] ? i : first;
    }
    std::size_t second = first == 0 ? 1 : 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        second = i != first && seconds[i] > seconds[second] ? i : second;
    }
    Bottleneck out{.bound = allBounds[first], .share = seconds[first] / sum, .second = {}};
    if (seconds[second] >= 0.8 * seconds[first]) {
        out.second = allBounds[second];
    }
    return out;
}

} // namespace alidade::reference
