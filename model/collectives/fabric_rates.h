// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_time.h"
#include "model/kernels/bound.h"

namespace alidade {

/// Collectives inside one NVLink domain: one fitted law per operation, with `alpha` the intercept of the
/// whole collective.
template <class N>
struct NvlinkRates {
    LinkRates<N> allReduce, allGather, reduceScatter, allToAll, sendReceive;
    N stepLatency = 0; ///< s, one step inside a domain of a collective that also crosses the network
};

template <class N>
struct NetworkRates {
    Bound kind = Bound::efa; ///< efa or network: what the time is charged to
    N latency = 0;      ///< s, a small message between neighbours below one switch, as the library sees it
    N hopLatency = 0;   ///< s for each further switch
    N nicBandwidth = 0; ///< bytes/s of one card, line rate, per direction
    N efficiency = 1;   ///< 0..1 of line rate that large messages reach
    N treeEfficiency = 0.92; ///< of that bandwidth, for trees (NCCL 2.30.7, src/graph/tuning.cc)
    N patEfficiency = 0.75;  ///< the same for parallel aggregated trees
    N speedup = 1;           ///< of whole collectives over the rates above (EFAv4: 1.18 against v3)
    N speedupLimit = 0.97;   ///< 0..1 of line rate that no speed-up passes
};

/// The speeds that a collective meets.
template <class N>
struct FabricRates {
    NvlinkRates<N> nvlink;
    NetworkRates<N> network;
};

/// The law of an operation inside one domain. Broadcast and reduce move like an all-gather and a
/// reduce-scatter.
template <class N>
const LinkRates<N>& nvlinkRatesOf(const NvlinkRates<N>& rates, CollectiveOp op) {
    switch (op) {
    case CollectiveOp::allReduce:
        return rates.allReduce;
    case CollectiveOp::allGather:
    case CollectiveOp::broadcast:
        return rates.allGather;
    case CollectiveOp::reduceScatter:
    case CollectiveOp::reduce:
        return rates.reduceScatter;
    case CollectiveOp::allToAll:
        return rates.allToAll;
    case CollectiveOp::sendReceive:
        break;
    }
    return rates.sendReceive;
}

} // namespace alidade
