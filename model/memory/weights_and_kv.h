// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade {

/// How numbers are stored.
enum class NumberFormat : std::uint8_t { fp32, bf16, fp8, fp8Block128, mxfp8, nvfp4, mxfp4, int4Group128 };

/// Bytes per weight, block scales included.
constexpr double bytesPerWeight(NumberFormat format) {
    switch (format) {
    case NumberFormat::fp32:
        return 4;
    case NumberFormat::bf16:
        return 2;
    case NumberFormat::fp8:
        return 1;
    case NumberFormat::fp8Block128:
        return 1 + 4.0 / (128 * 128); // one FP32 scale for each 128 x 128 block
    case NumberFormat::mxfp8:
        return 1 + 1.0 / 32;
    case NumberFormat::nvfp4:
        return 0.5 + 1.0 / 16;
    case NumberFormat::mxfp4:
        return 0.5 + 1.0 / 32;
    case NumberFormat::int4Group128:
        return 0.5 + 2.5 / 128; // FP16 scale and a 4-bit zero point for each group
    }
    return 0;
}

template <class N>
N quantBytes(const N& parameters, NumberFormat format) {
    return parameters * bytesPerWeight(format);
}

/// Logits and loss: 16-bit logits, their FP32 copy and its gradient. \param vocabulary of this rank
template <class N>
N logitsBytes(const N& tokens, const N& vocabulary, const N& bytesPerLogit = N(10)) {
    return tokens * vocabulary * bytesPerLogit;
}

/// KV-cache elements per token and layer of grouped-query attention on one rank; KV heads below one
/// replicate.
template <class N>
N gqaKvElements(const N& kvHeads, const N& headSize, const N& tensorParallel = N(1)) {
    using std::max;
    return 2 * headSize * max(N(1), kvHeads / tensorParallel);
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

/// Tokens that a paged cache sets aside for a sequence.
double pagedTokens(double context, double block);

/// Paged KV bytes of one sequence on one rank. \param windowLayers of `layers` keep only `window` tokens
double kvSequenceBytes(double layers, double elements, double elementBytes, double context, double block,
                       double windowLayers = 0, double window = 0);

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

} // namespace alidade
