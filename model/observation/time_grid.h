// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace alidade {

/// Equally spaced instants, in Unix seconds.
struct TimeGrid {
    double start = 0;       ///< s since 1970, UTC
    double step = 30;       ///< s, > 0
    std::size_t points = 0; ///< instants; the last one is start + (points - 1) * step

    double at(std::size_t i) const { return start + step * static_cast<double>(i); }
    double end() const { return points == 0 ? start : at(points - 1); }
    bool operator==(const TimeGrid&) const = default;
};

} // namespace alidade
