// SPDX-License-Identifier: GPL-3.0-or-later
// What the benches of the window measure with.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace alidade {

/// Time of a clock, ms.
inline double milliseconds(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// The upper one of the two in the middle; -1 of none.
inline double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values.empty() ? -1 : values[values.size() / 2];
}

} // namespace alidade
