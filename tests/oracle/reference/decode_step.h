// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade::reference {

/// What one GPU computes and reads in one decode step, and how fast it is. Already divided by the degrees of
/// parallelism.
template <class N>
struct DecodeWork {
    N batch = 0, context = 0;         ///< sequences, their mean tokens
    N weightBytes = 0;                ///< of the weights that the step touches
    N kvBytesPerToken = 0;            ///< of one sequence
    N flopsPerToken = 0;              ///< FLOP
    N peakFlops = 0, hbmRate = 0;     ///< FLOP/s, bytes/s
    N computeShare = 1, hbmShare = 1; ///< of them that is reached, 0..1
    N overhead = 0, collectives = 0;  ///< s
};

/// Roofline of a whole decode step, s. Cross-check of the sum over operations, which is what an estimate
/// uses.
template <class N>
N decodeStepTime(const DecodeWork<N>& w) {
    using std::max;
    return max((w.weightBytes + w.batch * w.context * w.kvBytesPerToken) / (w.hbmRate * w.hbmShare),
               w.batch * w.flopsPerToken / (w.peakFlops * w.computeShare)) +
           w.overhead + w.collectives;
}

} // namespace alidade::reference
