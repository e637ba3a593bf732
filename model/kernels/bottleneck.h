// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"

#include <array>
#include <optional>

namespace alidade {

/// Exclusive shares of some time, in seconds, by what limits them.
using BoundSeconds = std::array<double, allBounds.size()>;

struct Bottleneck {
    Bound bound = Bound::compute;
    double share = 0;            ///< 0..1 of all
    std::optional<Bound> second; ///< the next one, where it is within 20 % of the first
};

/// The largest share and, where it is close, the one after it. All shares zero: share 0.
Bottleneck bottleneckOf(const BoundSeconds& seconds);

} // namespace alidade
