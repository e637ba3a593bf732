// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade {

/// Storage format of numbers.
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
        return 1 + 4.0 / (128 * 128); // one FP32 scale per 128 x 128 block
    case NumberFormat::mxfp8:
        return 1 + 1.0 / 32;
    case NumberFormat::nvfp4:
        return 0.5 + 1.0 / 16;
    case NumberFormat::mxfp4:
        return 0.5 + 1.0 / 32;
    case NumberFormat::int4Group128:
        return 0.5 + 2.5 / 128; // FP16 scale and 4-bit zero point per group
    }
    return 0;
}

/// Logits and loss: 16-bit logits, their FP32 copy and its gradient. \param vocabulary share of this rank
template <class N>
N logitsBytes(const N& tokens, const N& vocabulary, const N& bytesPerLogit = N(10)) {
    return tokens * vocabulary * bytesPerLogit;
}

/// KV-cache elements per token and layer of grouped-query attention on one rank; KV heads are replicated if
/// there are fewer than ranks.
template <class N>
N gqaKvElements(const N& kvHeads, const N& headSize, const N& tensorParallel = N(1)) {
    using std::max;
    return 2 * headSize * max(N(1), kvHeads / tensorParallel);
}

} // namespace alidade
