// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <string>

namespace alidade::reference {

/// Switches between two instances, from their lists of network nodes, top layer first (EC2
/// DescribeInstanceTopology). Both lists have the same depth.
inline int switchHops(std::span<const std::string> a, std::span<const std::string> b) {
    assert(a.size() == b.size());
    const auto shared = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    const int below = static_cast<int>(a.size()) - static_cast<int>(shared);
    return 2 * below + 1;
}

} // namespace alidade::reference
