// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/roofline.h"

namespace alidade {

/// Sizes of one layer for its elementwise kernels, whole model (before tensor parallelism).
template <class N>
struct ElementwiseShape {
    N hidden, queryHeads, kvHeads, headSize, intermediate;
    N tensorParallel = 1; ///< divides heads and MLP
    N sequenceParallel =
        1; ///< divides the norms and residuals: the TP degree with sequence parallelism, else 1
};

/// HBM bytes per token of one layer's forward pass in 16 bits, by kernel; the backward pass moves about twice
/// as much.
template <class N>
struct ElementwiseBytes {
    N norms; ///< two fused add + norm: read x and residual, write both
    N rope;  ///< rotary embedding of queries and keys
    N glu;   ///< activation and product of gate and up
    N total() const { return norms + rope + glu; }
};

template <class N>
ElementwiseBytes<N> elementwiseBytes(const ElementwiseShape<N>& s) {
    return {.norms = 16 * s.hidden / s.sequenceParallel,
            .rope = 4 * (s.queryHeads + s.kvHeads) * s.headSize / s.tensorParallel,
            .glu = 6 * s.intermediate / s.tensorParallel};
}

/// A kernel that only streams memory, such as a norm or a cross-entropy.
/// \param passes how often the bytes really travel compared with a fully fused kernel (1 fused, about 5
/// eager)
template <class N>
RooflineTime<N> streamingTime(const N& bytes, const N& bandwidth, const N& memoryEfficiency,
                              const N& passes = N(1), const N& launch = N(0)) {
    RooflineTime<N> t;
    t.bytes = bytes * passes;
    t.memory =
        named(t.bytes / (bandwidth * memoryEfficiency), "streaming_time", Dimension::seconds, "HBM traffic");
    t.launch = launch;
    return withTotal(t);
}

/// Adam: reads gradient, master weight and both moments (16 bytes), writes master weight, moments and the
/// 16-bit copy.
/// \param localParameters parameters whose state this rank holds
template <class N>
N optimizerTime(const N& localParameters, const N& bandwidth, const N& memoryEfficiency,
                const N& bytesPerParameter = N(30)) {
    return localParameters * bytesPerParameter / (bandwidth * memoryEfficiency);
}

} // namespace alidade
