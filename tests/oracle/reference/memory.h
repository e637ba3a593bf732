// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/memory/weights_and_kv.h"

namespace alidade::reference {

template <class N>
N quantBytes(const N& parameters, NumberFormat format) {
    return parameters * bytesPerWeight(format);
}

/// KV-cache elements per token and layer of latent attention: the latent is whole on every tensor-parallel
/// rank.
template <class N>
N mlaKvElements(const N& kvRank, const N& ropeSize) {
    return kvRank + ropeSize;
}

/// KV-cache bytes per token over `layers` layers. \param scaleBlock elements per FP32 scale; 0: no scales
template <class N>
N kvBytesPerToken(const N& layers, const N& elements, const N& elementBytes, const N& scaleBlock = N(0)) {
    return layers * elements * (valueOf(scaleBlock) > 0 ? elementBytes + 4 / scaleBlock : elementBytes);
}

/// Tokens that a paged cache reserves for a sequence.
inline double pagedTokens(double context, double block) { return std::ceil(context / block) * block; }

/// Paged KV bytes of one sequence on one rank. \param windowLayers of `layers` keep only `window` tokens
inline double kvSequenceBytes(double layers, double elements, double elementBytes, double context,
                              double block, double windowLayers = 0, double window = 0) {
    const double full = pagedTokens(context, block);
    const double local = windowLayers > 0 ? pagedTokens(std::min(context, window), block) : 0;
    return elements * elementBytes * ((layers - windowLayers) * full + windowLayers * local);
}

/// Tokens of KV cache that fit beside weights and workspace; 0 if nothing fits.
template <class N>
N kvCapacityTokens(const N& memory, const N& utilisation, const N& weights, const N& workspace,
                   const N& kvBytesPerToken) {
    using std::max;
    return max(N(0), (memory * utilisation - weights - workspace) / kvBytesPerToken);
}

/// Bandwidth of one GPU to the memory of its CPU: its link, or its share of that memory, bytes/s per
/// direction.
template <class N>
N c2cBandwidth(const N& link, const N& linkEfficiency, const N& hostMemory, const N& hostEfficiency,
               const N& sharers) {
    using std::min;
    return min(link * linkEfficiency, hostMemory * hostEfficiency / sharers);
}

} // namespace alidade::reference
