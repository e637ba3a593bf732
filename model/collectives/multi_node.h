// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_time.h"

namespace alidade {

/// Bus bandwidth of a multi-channel flat ring that crosses every NIC once in each node, bytes/s.
/// \param perNode ranks of the group in one node, each with its own NIC share: the decisive q
/// \param inside bytes/s of a rank inside the node
/// \param across bytes/s of one rank's NIC share
template <class N>
N flatRingBusBandwidth(const N& perNode, const N& nodes, const N& inside, const N& across,
                       const N& efficiency = N(1)) {
    using std::min;
    return nodes > N(1) ? min(inside, perNode * across) * efficiency : inside * efficiency;
}

/// Flat all-to-all using both fabrics at the same time.
/// \param bytes send buffer of one rank
/// \param inside alpha per peer; \param across alpha once
template <class N>
N allToAllTime(const N& bytes, const N& ranks, const N& perDomain, const LinkRates<N>& inside,
               const LinkRates<N>& across) {
    using std::max;
    const N near = (perDomain - 1) * inside.alpha + bytes * (perDomain - 1) / ranks / inside.bandwidth;
    if (!(ranks > perDomain))
        return near;
    return max(near, across.alpha + bytes * (ranks - perDomain) / ranks / across.bandwidth);
}

} // namespace alidade
