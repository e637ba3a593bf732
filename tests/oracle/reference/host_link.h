// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

namespace alidade::reference {

/// Bandwidth of one GPU to the memory of its CPU: its link, or its share of that memory, bytes/s per
/// direction.
template <class N>
N c2cBandwidth(const N& link, const N& linkEfficiency, const N& hostMemory, const N& hostEfficiency,
               const N& sharers) {
    using std::min;
    return min(link * linkEfficiency, hostMemory * hostEfficiency / sharers);
}

} // namespace alidade::reference
