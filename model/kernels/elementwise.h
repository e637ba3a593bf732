// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/roofline.h"

namespace alidade {

/// A kernel that only streams memory, such as a norm or a cross-entropy.
/// \param passes memory traffic relative to a fully fused kernel (1 fused, about 5 eager)
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
/// \param localParameters parameters whose state is on this rank
template <class N>
N optimizerTime(const N& localParameters, const N& bandwidth, const N& memoryEfficiency,
                const N& bytesPerParameter = N(30)) {
    return localParameters * bytesPerParameter / (bandwidth * memoryEfficiency);
}

} // namespace alidade
