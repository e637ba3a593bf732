// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_time.h"
#include "model/kernels/bound.h"

namespace alidade {

/// Collectives inside one NVLink domain. In the ring laws, `alpha` is the fixed cost of the kernel, plus
/// `stepLatency` per ring step; in the others, it is the intercept of the whole law.
template <class N>
struct NvlinkRates {
    LinkRates<N> allReduce; ///< reduced and multicast in the switches (NVLS), for the S (1 + 1/n) bytes that
                            ///< cross a link; bandwidth 0: not supported by the switches
    LinkRates<N> allGather; ///< ring; also the law of an all-reduce without the switches
    LinkRates<N> reduceScatter; ///< ring
    LinkRates<N> allToAll;
    LinkRates<N> sendReceive; ///< one step of the ring
    N stepLatency = 0;        ///< s, one step of a ring with the low-latency protocol
    N ownShare = 0;        ///< of a rank's own part of the buffer (S/n), which the kernel also copies: counts
                           ///< like bytes on the wire
    N bulkSteps = 1;       ///< a step of the bulk protocol, in steps of the low-latency one
    LinkRates<N> dispatch; ///< fused expert dispatch and combine kernels: fixed cost and achieved bandwidth
};

template <class N>
struct NetworkRates {
    Bound kind = Bound::efa; ///< efa or network: the class that the time counts toward
    N latency = 0;      ///< s, a small message between neighbors below one switch, as the library sees it
    N hopLatency = 0;   ///< s per additional switch
    N nicBandwidth = 0; ///< bytes/s of one card (or of one GPU's share of the cards, with one for each rank),
                        ///< line rate, per direction
    N efficiency = 1;   ///< 0..1 of line rate, reached by large messages
    N treeEfficiency = 1;       ///< of that bandwidth, for trees over more than two domains
    N patEfficiency = 1;        ///< the same for parallel aggregated trees
    N speedup = 1;              ///< of whole collectives over the rates above (EFAv4: 1.18 against v3)
    N speedupLimit = 1;         ///< 0..1 of line rate, upper limit of the speed-up
    N fill = 0;                 ///< s/sqrt(byte): filling the pipeline of a tree, or of an all-to-all
    N allToAllEfficiency = 0.9; ///< 0..1 of line rate, reached by large all-to-alls
    N bulkSync = 0;             ///< a hop of the bulk protocol waits for this many kernel start-ups (alpha of
                                ///< the ring laws) beyond `latency`
    N lowLatencyShare = 1;      ///< 0..1 of line rate that the low-latency protocol carries
    N dispatchLatency = 0;      ///< s, what an expert dispatch or combine adds when it leaves the domain
    N dispatchEfficiency = 0.9; ///< 0..1 of line rate, reached by expert dispatch and combine
};

/// The link speeds of a collective.
template <class N>
struct FabricRates {
    NvlinkRates<N> nvlink;
    NetworkRates<N> network;
};

/// The law of an operation inside one domain. Broadcast and reduce behave like an all-gather and a
/// reduce-scatter.
template <class N>
const LinkRates<N>& nvlinkRatesOf(const NvlinkRates<N>& rates, CollectiveOp op) {
    switch (op) {
    case CollectiveOp::allReduce:
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
